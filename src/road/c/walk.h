/* walk.h - what blocks.c, pieces.c and shape.c share: the walk through the statements of a
 * function. */

#ifndef WALK_H
#define WALK_H

#include "c.h"

typedef struct Walk Walk;
typedef struct Blocks Blocks;
typedef struct Leave Leave;
typedef struct Labels Labels;
typedef struct Arms Arms;

struct Blocks {
	int *block;
	int n;
	size_t cap;
};

/* A return, goto or continue, and the block that it ends. */
struct Leave {
	int block;
	bool on; /* continue */
};

/* The labels of a switch: their blocks, and the blocks that fall through to them. */
struct Labels {
	Blocks to, above;
	int n;
	bool all; /* there is a default */
};

/* The ways through an if. */
struct Arms {
	Blocks end; /* of each way that reaches the end of the if */
	bool all;   /* each way does, and nothing leaves it */
};

struct Walk {
	Source *s;
	Extent extent;
	int fn;
	int now;        /* the current block; NONE if control does not get here */
	Kind need;      /* of the block wanted before the next statement; NKIND for none */
	int since;      /* token: where the if or loop before that block began */
	int fell;       /* token: the last [[fallthrough]]; */
	Blocks *breaks; /* of the loop or switch around: blocks that a break ends; or NULL */
	bool tail;      /* the function returns after the current statement */
	bool breaktail; /* the function returns after a break */
	Blocks returns; /* the blocks that end with `return;' */
	bool gap;       /* a line has no piece, because no block may begin there */
	/* with SHAPE: */
	Leave *leave; /* so far, without those that stay within an inner loop */
	int nleave;
	size_t capleave;
	int nlabel;     /* labels so far, without those of inner switches */
	Labels *labels; /* of the switch around; NULL if there is none */
};

/* blocks.c:
 * newblock - a block that begins at a token; returns its number.
 * enter - the walk is in this block now.
 * nowhere - control cannot get here except by a label.
 * push - add a block to a list. */
int newblock(Walk *, Kind, int first);
void enter(Walk *, int block);
void nowhere(Walk *);
void push(Walk *, Blocks *, int block);

/* pieces.c: pieces of lines, and the terms that tell how often they were executed.  A list of terms
 * is passed as the index of the first in Source.term[], and how many.
 *
 *   addterm      to the piece that is being made
 *   addpiece     with the terms from `first' on
 *   piece        executed as often as a block
 *   either       executed as often as two blocks together
 *   lines        those between two tokens.  Some may be in operands of the nodes `inside', which
 *                have two entries each in operand[]: blocks or NONE.  The others are executed as
 *                often as the terms say
 *   choices      the branches in an expression that is evaluated as often as the terms say
 *   branch       taken as often as a block, reached as the terms say
 *   evaluations  terms: how often the condition of a loop was true and how often false
 *   evaluated    terms: how often it was evaluated, with or without a block of its own
 *   needed       which operands in an expression of n nodes need a block: two for each node */
void addterm(Walk *, int block, int sign);
void addterms(Walk *, int term, int nterm);
void addpiece(Walk *, int token, int first, int ntaken);
void piece(Walk *, int token, int block);
void either(Walk *, int token, int block, int other);
void lines(Walk *, int from, int to, const List *inside, const int *operand, int term, int nterm);
void choices(Walk *, const List *, const int *operand, int term, int nterm);
void branch(Walk *, int token, int taken, int term, int nterm);
int evaluations(Walk *, int body, int after, const Blocks *breaks);
int evaluated(Walk *, int own, int body, int after, const Blocks *breaks);
bool *needed(Walk *, const List *, int n);
bool sameline(const Source *, int token, int other);

/* shape.c: with SHAPE, the equations that hold.
 *
 *   leaves       a statement jumps elsewhere
 *   splits       a block continues in one of two others
 *   arm          the end of one way through an if; `from' is the block with which it began
 *   meets        after an if, whose last `else if' is n: `block' continued in `then' or past it
 *   afterloop    the block after a loop, NONE if control does not get there; nleave and nlabel are
 *                those from before the loop
 *   afterswitch  likewise, for a switch
 *   labels       a label, and the block that begins there */
void leaves(Walk *, const Node *);
void splits(Walk *, int block, int one, int other);
void arm(Walk *, Arms *, int from);
void meets(Walk *, const Node *, const Arms *, int before, int block, int then);
int afterloop(Walk *, const Node *, int before, int nleave, int nlabel, const Blocks *breaks);
void afterswitch(Walk *, const Node *, int before, int nleave, int nlabel, const Labels *);
void labels(Walk *, const Node *, int block);

#endif
