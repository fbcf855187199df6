/* trace.h - which blocks ran, in order, from a short trace.
 *
 * When control passes a place with a slot, the number of the slot is written to the trace; it is
 * called a witness.  A block with several ways out is a predicate.  The next witness in the trace
 * tells which way control took, provided that no witness can be the next one on two of them.  All
 * other blocks have one way out.  So most blocks leave nothing in the trace:
 *
 *	P ---t--> A          P, B and C are predicates.  The trace is t u v; control is in P.
 *	P ------> B          Only the way to A can write t next.  A goes on to C.
 *	B ---u--> A          The next witness is u.  From C only the way back to P leads to it,
 *	B ---v--> C          and from P only the one to B, which writes u on its way to A, ...
 *	A ------> C
 *	C ------> P          Without t nothing would tell the ways out of P apart.
 *	C ------> exit
 *
 * The next witness must come from the function in which control is.  So if functions call each
 * other, each path from a predicate to a call or to the end of its function needs a witness before
 * it gets there.  Witnesses that are there for this reason are called blockers.
 *
 *   witness.c     where to write: blockers, then what a spanning forest leaves over
 *   follow.c      which witnesses can come next; the proof that a plan suffices
 *   regenerate.c  from a trace to blocks
 *
 * `The paper' is Ball and Larus 1994: sections 4 and 6.2. */

#ifndef TRACE_H
#define TRACE_H

#include "core.h"

typedef struct Proc Proc;
typedef struct Fault Fault;
typedef struct Frame Frame;
typedef struct Token Token;
typedef struct Step Step;
typedef struct Replay Replay;

/* A function and its calls. */
struct Proc {
	const Graph *g;    /* closed */
	const int *callat; /* block b calls callee[callat[b]] to callee[callat[b+1]-1], in order; */
	const int *callee; /* numbers of functions.  callat is NULL if there are no calls */
	bool alone;        /* it is the whole program: no witness follows its end */
};

static inline int
ncalls(const Proc *pr, int b)
{
	return pr->callat ? pr->callat[b + 1] - pr->callat[b] : 0;
}

/* istaken - whether control can take an edge; it never takes those that closeflow() added. */
static inline bool
istaken(const Graph *g, int e)
{
	return e != CLOSING && !g->edge[e].never;
}

/* witness.c: a plan with witnesses as slots.  Several places may write the same witness.
 *
 *   WITNESSES   blockers as far from calls as possible, and what a maximum spanning forest
 *               without them leaves over (4.2)
 *   NEARBY      the same, with blockers on all edges to calls and to EXIT
 *   EVERYBLOCK  in each block; parallel edges are not told apart
 *   PREDICATES  in each block to which a predicate leads (figure 13); likewise
 *   BITS        on each way out of a predicate, numbered from 0 (6.2)
 *
 * If an edge is pinned, the block to which it leads writes instead.
 *
 * isbarrier - whether a block calls or is the end, so that another function's witness may follow.
 * nways - the number of ways out of a block that control can take; a predicate has two or more.
 * witness - a plan by a scheme; not proven: see checktrace().
 * reuse - let places share numbers where the plan stays sound (follow.c); does nothing if that
 * would take too long.
 * ahead - where a block has one way in and one way out, and calls nothing, move a witness from the
 * way out to the way in (figure 23); returns how many moved.
 * bitsfor - the number of bits for one of n values. */

typedef enum Tracing { WITNESSES, NEARBY, EVERYBLOCK, PREDICATES, BITS, NTRACING } Tracing;

extern const char *const tracingname[NTRACING];

bool isbarrier(const Proc *, int b);
int nways(const Graph *, int b);
Plan *witness(const Proc *, Tracing, Arena *);
void reuse(const Proc *, Plan *, Arena *tmp);
int ahead(const Proc *, Plan *);
int bitsfor(int n);

/* follow.c: which witnesses can come next.
 *
 * A place without a slot is free, and so is a path of free places.
 *
 * witnesses - those that can come next if control takes edge e, sorted, without duplicates:
 * witness(G, Ewit, p, q) of the paper, for an edge rather than for its ends.  The end of a function
 * that is alone appears as plan->nslot, a call or the end of another function as BARRIER.
 * checktrace - the first fault of a plan.  Linear if the free places are a forest and no number is
 * used twice; otherwise it takes time in proportion to the sets of all predicates.
 * wayto - the first edge of the free path from block b to the end of block dst, or, with `before',
 * to its head; NONE if there is none. */

enum { BARRIER = -2 };

typedef enum Faultkind {
	SOUND,
	ENDLESS,   /* a free path leads from `block' back to it */
	UNBLOCKED, /* a free path leads from predicate `block' to `other', a call or the end */
	AMBIGUOUS, /* witness `other' can come next on two ways out of predicate `block' */
} Faultkind;

struct Fault {
	Faultkind kind;
	int block;
	int other;
};

int *witnesses(const Proc *, const Plan *, int e, int *n, Arena *);
Fault checktrace(const Proc *, const Plan *, Arena *tmp);
int wayto(const Graph *, const Plan *, int b, int dst, bool before, Arena *tmp);

/* regenerate.c: figure 15, with a stack for calls.
 *
 * A trace is a sequence of tokens: witnesses, then an END with the functions that were active and
 * where they were.  plan[] is by function; each plan is sound.
 *
 * newreplay - begin in function `first'.  Tokens come from next(from), which is not called again
 * after an END; the frames of the END must stay valid.
 * step - the next block that ran; returns false at the end.
 * lost - after that, why trace and path did not end together; NULL if they did. */

typedef enum Tokenkind { WITNESS, END } Tokenkind;

/* An active function. */
struct Frame {
	int proc, block;
	int done; /* calls of the block that returned; BEFORE if its witness is not yet written */
};

enum { BEFORE = -1 };

struct Token {
	Tokenkind kind;
	int witness;
	const Frame *frame; /* for END: the active functions, outermost first */
	int nframe;         /* 0 if the first function returned */
};

struct Step {
	int proc, block;
	int edge;  /* over which control came; NONE at the first block of a function */
	int depth; /* number of callers on the stack */
};

typedef Token Nexttoken(void *from);

Replay *newreplay(const Proc *, Plan *const *plan, int nproc, int first, Nexttoken *, void *from,
		  Arena *);
bool step(Replay *, Step *);
const char *lost(const Replay *);

#endif
