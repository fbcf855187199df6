/* walk.h - what blocks.c and shape.c share: the way through the statements of a function. */

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

/* What goes on behind an if. */
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
	bool tail;      /* behind the statement at hand the function returns */
	bool breaktail; /* so it does behind a break */
	Blocks returns; /* blocks that `return;' ends */
	const Node *handed; /* return of a variable that may just have got the value of a call */
	bool gap;       /* a line has got no piece, for no block may begin there */
	/* with SHAPE: */
	Leave *leave; /* those before, but for what an inner loop keeps */
	int nleave;
	size_t capleave;
	int nlabel;     /* those before, but for what an inner switch keeps */
	Labels *labels; /* of the switch around; NULL */
};

/* blocks.c */
int newblock(Walk *, Kind, int first);
void enter(Walk *, int block);
void nowhere(Walk *);
void push(Walk *, Blocks *, int block);
void addterm(Walk *, int block, int sign);
void addpiece(Walk *, int token, int first, int ntaken);
void piece(Walk *, int token, int block);

/* shape.c: with SHAPE, which equations hold.
 *   leaves       a statement goes elsewhere
 *   splits       a block goes on in one of two others
 *   arm          one way through an if, which began with a block, ends here
 *   meets        behind an if, of which n is the last: its block went to `then', or past it
 *   behindloop   the block there; NONE if control does not get there.  nleave and nlabel are those before it
 *   behindswitch likewise
 *   labels       a label, and the block that begins there */
void leaves(Walk *, const Node *);
void splits(Walk *, int block, int one, int other);
void arm(Walk *, Arms *, int from);
void meets(Walk *, const Node *, const Arms *, int before, int block, int then);
int behindloop(Walk *, const Node *, int before, int nleave, int nlabel, const Blocks *breaks);
void behindswitch(Walk *, const Node *, int before, int nleave, int nlabel, const Labels *);
void labels(Walk *, const Node *, int block);

#endif
