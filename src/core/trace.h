/* trace.h - the blocks that ran, in their order, from few witnesses.
 *
 * What passes a place that has a slot writes the number of that slot to a trace: a witness.  A
 * predicate is a block with several ways out.  The next witness in the trace tells which of them
 * control took, if no witness can be the next one on two of them.  All other blocks have one way
 * out.  So most of what ran needs no entry in the trace:
 *
 *	P ---t--> A          P, B and C are predicates.  From the trace t u v:
 *	P ------> B          t is met on the way to A only, and A goes on to C.
 *	B ---u--> A          u is next: from C only the way back to P leads there,
 *	B ---v--> C          and from P the one to B.  u has been passed: A again, ...
 *	A ------> C
 *	C ------> P          Without t nothing would tell the ways out of P apart.
 *	C ------> exit
 *
 * A witness that was read must come from the function in which control is.  So where functions call
 * each other, no call and no end of a function may be met between a predicate and a witness;
 * witnesses that see to that are called blockers.
 *
 *   witness.c     where to write: blockers first, then what a spanning forest leaves over
 *   follow.c      what can be met next; the proof that a plan suffices
 *   regenerate.c  from a trace to blocks
 *
 * Ball and Larus 1994, sections 4 and 6.2: `the paper'. */

#ifndef TRACE_H
#define TRACE_H

#include "core.h"

typedef struct Proc Proc;
typedef struct Fault Fault;
typedef struct Frame Frame;
typedef struct Token Token;
typedef struct Step Step;
typedef struct Replay Replay;

/* A function, and whom it calls. */
struct Proc {
	const Graph *g; /* closed */
	const int
		*callat; /* by block b: its calls are callee[callat[b]] to callee[callat[b+1]-1], */
	const int *callee; /* in order, numbers of functions; callat is NULL if nobody is called */
	bool alone;        /* is the whole program: what follows its end is no witness */
};

static inline int
ncalls(const Proc *pr, int b)
{
	return pr->callat ? pr->callat[b + 1] - pr->callat[b] : 0;
}

/* istaken - whether control can take an edge: of those that closeflow() adds it takes none. */
static inline bool
istaken(const Graph *g, int e)
{
	return e != CLOSING && !g->edge[e].never;
}

/* witness.c: a plan whose slots are witnesses.  Several places may have the same number.
 *
 *   WITNESSES   blockers as far from calls as can be, and what a maximum spanning forest
 *               without them leaves over (4.2)
 *   NEARBY      the same with blockers on all edges to calls and to EXIT
 *   EVERYBLOCK  in each block: ways to the same block are not told apart
 *   PREDICATES  in each block to which a predicate leads (figure 13); likewise
 *   BITS        on each way out of a predicate, numbered from 0 (6.2)
 *
 * Where an edge is pinned the block to which it leads writes.  The plan is not yet proven.
 *
 * isbarrier - a call, or the end: what follows it in the trace may be another function's.
 * nways - how many ways out of a block control can take; from two on it is a predicate.
 * reuse - give places the same number where that keeps them apart; not if that would take long.
 * ahead - a witness on the only way out of a block that has one way in moves to that way, unless
 * the block calls (figure 23); returns how many.
 * bitsfor - for one of n values. */

typedef enum Tracing { WITNESSES, NEARBY, EVERYBLOCK, PREDICATES, BITS, NTRACING } Tracing;

extern const char *const tracingname[NTRACING];

bool isbarrier(const Proc *, int b);
int nways(const Graph *, int b);
Plan *witness(const Proc *, Tracing, Arena *);
void reuse(const Proc *, Plan *, Arena *tmp);
int ahead(const Proc *, Plan *);
int bitsfor(int n);

/* follow.c: what is met next.
 *
 * A path is free if no place on it has a slot.
 *
 * witnesses - those that can be the next one when control takes edge e, each once and in order:
 * witness(G, Ewit, p, q) of the paper, by way and not by where that leads.  The end of a function
 * that is alone is plan->nslot; a call or another end is BARRIER.
 * checktrace - the first fault of a plan.  Linear where the free places are a forest and no number
 * is used twice; else it takes as long as the sets of all predicates are large.
 * wayto - the first edge of the free path from block b to block dst, or to where that begins,
 * before its own witness; NONE if there is none. */

enum { BARRIER = -2 };

typedef enum Faultkind {
	SOUND,
	ENDLESS,   /* a free path leads from the block back to it */
	UNBLOCKED, /* one leads from the predicate to a call, or the end: block `other' */
	AMBIGUOUS, /* on two ways out of the predicate, `other' can be the next witness */
} Faultkind;

struct Fault {
	Faultkind kind;
	int block;
	int other;
};

int *witnesses(const Proc *, const Plan *, int e, int *n, Arena *);
Fault checktrace(const Proc *, const Plan *, Arena *tmp);
int wayto(const Graph *, const Plan *, int b, int dst, bool before, Arena *tmp);

/* regenerate.c: figure 15, with a stack.
 *
 * A trace is a sequence of tokens: witnesses, and at the end which functions were active, and
 * where.  plan[] is by function, and each is sound.
 *
 * newreplay - from the begin of a function.  Tokens come from next(from), which is not called again
 * after an END; the frames of that stay.
 * step - the next block that ran; false at the end.
 * lost - then: NULL if trace and path ended together, else why they did not.  Nothing is guessed. */

typedef enum Tokenkind { WITNESS, END } Tokenkind;

/* An active function. */
struct Frame {
	int proc, block;
	int done; /* calls of the block that have returned; BEFORE its witness was written */
};

enum { BEFORE = -1 };

struct Token {
	Tokenkind kind;
	int witness;
	const Frame *frame; /* of END: active functions, outermost first */
	int nframe;         /* 0: the first one returned */
};

struct Step {
	int proc, block;
	int edge;  /* over which control came; NONE where a function begins */
	int depth; /* functions around it */
};

typedef Token Nexttoken(void *from);

Replay *newreplay(const Proc *, Plan *const *plan, int nproc, int first, Nexttoken *, void *from,
		  Arena *);
bool step(Replay *, Step *);
const char *lost(const Replay *);

#endif
