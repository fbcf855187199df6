/* walk.h - what blocks.c, pieces.c and shape.c share: the way through the statements of a function. */

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

/* The labels of a switch: their blocks, and those that fall into them from above. */
struct Labels {
	Blocks to, above;
	int n;
	bool all; /* there is a default */
};

/* What goes on after an if. */
struct Arms {
	Blocks end; /* of each arm that gets there */
	bool all;   /* each does, and nothing leaves it */
};

struct Walk {
	Source *s;
	Extent extent;
	int fn;
	int now;        /* block; NONE */
	Kind need;      /* one is to begin before the next statement; NKIND */
	int since;      /* token: where what is before that began */
	int fell;       /* token: the last [[fallthrough]] */
	Blocks *breaks; /* of the loop or switch around: blocks that each of them ends; NULL */
	bool tail;      /* after the statement at hand the function returns */
	bool breaktail; /* so it does after a break */
	Blocks returns; /* blocks that `return;' ends */
	bool gap;       /* a line has got no piece, for no block may begin there */
	/* with SHAPE: */
	Leave *leave; /* those before, but for what an inner loop keeps */
	int nleave;
	size_t capleave;
	int nlabel;     /* those before, but for what an inner switch keeps */
	Labels *labels; /* of the switch around; NULL */
};

/* blocks.c: newblock - one begins at a token.  enter - it is here.  nowhere - control does not get here, but by a
 * label.  push - to a list. */
int newblock(Walk *, Kind, int first);
void enter(Walk *, int block);
void nowhere(Walk *);
void push(Walk *, Blocks *, int block);

/* pieces.c: pieces of lines, and the terms that tell how often they were executed.  Terms are numbers of the first and
 * how many, in Source.term[].
 *
 *   addterm      to the piece that is being made
 *   addpiece     with the terms from `first' on
 *   piece        executed as often as a block
 *   either       as often as two blocks, of which one or the other is
 *   lines        those between two tokens, of which some may be in operands of the nodes inside; the others are
 *                executed as often as the terms say.  By two for each node operand[] has their blocks, or NONE
 *   choices      the branches in an expression that is evaluated as often as the terms say
 *   branch       taken as often as a block, reached as the terms say
 *   evaluations  terms: how often the condition of a loop was true, then how often it was not
 *   evaluated    terms: how often it was evaluated, if it has a block of its own or none
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

/* shape.c: with SHAPE, which equations hold.
 *   leaves       a statement goes elsewhere
 *   splits       a block goes on in one of two others
 *   arm          one way through an if, which began with a block, ends here
 *   meets        after an if, of which n is the last: its block went to `then', or past it
 *   afterloop    the block there; NONE if control does not get there.  nleave and nlabel are those before it
 *   afterswitch  likewise
 *   labels       a label, and the block that begins there */
void leaves(Walk *, const Node *);
void splits(Walk *, int block, int one, int other);
void arm(Walk *, Arms *, int from);
void meets(Walk *, const Node *, const Arms *, int before, int block, int then);
int afterloop(Walk *, const Node *, int before, int nleave, int nlabel, const Blocks *breaks);
void afterswitch(Walk *, const Node *, int before, int nleave, int nlabel, const Labels *);
void labels(Walk *, const Node *, int block);

#endif
