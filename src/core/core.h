/* core.h - the flow graph of one function, and what follows from it: weights, the placement of
 * counters, the proof that they suffice, the counts.
 *
 * Pure: no I/O, no machine code.  Nothing recurses on the graph.  Everything is linear in it, up to
 * the inverse Ackermann function of union-find, and a logarithm for edges that leave many loops.
 *
 * "The paper" here is Ball and Larus, Optimally Profiling and Tracing Programs, 1994. */

#ifndef CORE_H
#define CORE_H

#include "base/base.h"

typedef struct Block Block;
typedef struct Edge Edge;
typedef struct Way Way;
typedef struct Graph Graph;
typedef struct Cut Cut;
typedef struct Plan Plan;
typedef struct Flow Flow;
typedef struct Forest Forest;

/* graph.c: blocks and edges, and two views of them
 *
 * As blocks and edges: ENTRY and EXIT are blocks without code; the edge CLOSING, EXIT->ENTRY, leads
 * what flows out back in.  Parallel edges, self loops and irreducible graphs are allowed.
 *
 * As points and places: a block is itself an edge, from the point before it to the point after it.
 *
 *          head(a)         head(b)
 *             |               |
 *             | block a       | block b
 *             v    edge a->b  v
 *          tail(a) ------> head(b) ...
 *
 * So blocks and edges are one kind of thing: places, where control passes and a counter may sit.
 * The law of flow is one sentence: at every point as much arrives as leaves.  A closed path of
 * places is a cycle; the paper's piped cycles are those that pass through a block.  Blocks are the
 * places 0 to nblock-1; edges follow. */

enum { ENTRY, EXIT, FIRST }; /* blocks; FIRST is the first with code */
enum { CLOSING };            /* edge EXIT->ENTRY */
enum { NONE = -1, MAXBLOCK = 1 << 28, MAXEDGE = 1 << 29 };

struct Block {
	double weight; /* how often it runs, guessed or counted before; valid after weighing */
	double cost;   /* of executing a counter here once; 1 is a plain increment */
	bool pinned;   /* cannot carry a counter */
	bool cold;     /* hint: hardly ever runs */
	bool bent;     /* the weights around it break the law of flow (weigh.c) */
};

struct Edge {
	int src, dst; /* blocks */
	double weight;
	double cost;
	double odds; /* hint: how likely, relative to its siblings; 1 if unknown */
	bool pinned;
	bool never; /* added by closeflow(): never taken, its count is 0 */
	bool net;   /* some flow back over it is unseen, so its count may be too low or negative */
};

/* An edge as seen from one of its ends. */
struct Way {
	int edge;
	int block; /* at the other end */
};

struct Graph {
	Arena *arena;
	int nblock;
	int nedge;
	Block *block;
	Edge *edge;
	size_t capblock, capedge;
	/* Valid after closeflow(): out[outat[b]] to out[outat[b+1]-1] are the edges out of block b,
	 * in the order in which they were added; in[] likewise. */
	Way *out, *in;
	int *outat, *inat;
};

Graph *newgraph(Arena *);
int addblock(Graph *);
int addedge(Graph *, int src, int dst);

/* closeflow - index the edges, and add `never` edges so that every block can reach EXIT, even from
 * an endless loop or after a call that does not return.  A pinned edge out of ENTRY pins ENTRY,
 * because a counter on ENTRY sits on each edge out of it. */
void closeflow(Graph *, Arena *tmp);

/* clang-format off */
static inline int head(int b) { return 2 * b; }
static inline int tail(int b) { return 2 * b + 1; }
static inline int npoint(const Graph *g) { return 2 * g->nblock; }

static inline int nplace(const Graph *g) { return g->nblock + g->nedge; }
static inline int edgeplace(const Graph *g, int e) { return g->nblock + e; }
static inline bool isblock(const Graph *g, int p) { return p < g->nblock; }
static inline Edge *placeedge(const Graph *g, int p) { return &g->edge[p - g->nblock]; }
/* clang-format on */

static inline int
from(const Graph *g, int p)
{
	return isblock(g, p) ? head(p) : tail(placeedge(g, p)->src);
}

static inline int
to(const Graph *g, int p)
{
	return isblock(g, p) ? tail(p) : head(placeedge(g, p)->dst);
}

static inline bool
isnever(const Graph *g, int p)
{
	return !isblock(g, p) && placeedge(g, p)->never;
}

static inline bool
ispinned(const Graph *g, int p)
{
	return isblock(g, p) ? g->block[p].pinned : placeedge(g, p)->pinned;
}

/* across - the other end of place p, seen from point x. */
static inline int
across(const Graph *g, int p, int x)
{
	return from(g, p) == x ? to(g, p) : from(g, p);
}

/* forest.c: disjoint sets
 *
 * find - the root of the set that x is in.
 * unite - join the sets of x and y; returns whether they were different. */

struct Forest {
	int *parent; /* for a root: minus the size of its set */
};

Forest newforest(int n, Arena *);
int find(Forest *, int);
bool unite(Forest *, int, int);

/* weigh.c: how often will it run?
 *
 * weigh - the heuristic of the paper's section 5: loops run ten times, branches go either way.
 * Hints shift the odds.  Weights that would be negative are set to 0; returns how often that
 * happened.  Around a block that is not `bent` the weights obey the law of flow.  A block is bent
 * where a weight was set to 0 in its loop, and where a loop is entered other than at its head.
 * requires: closeflow.  ensures: weights of all blocks and edges.
 *
 * weighblocks - the weight of each block from given weights of edges: the larger of what arrives
 * and what leaves.
 *
 * weighexact - weights from the counts of an earlier run.
 *
 * findnest - the loops that weigh() finds. */

#define LOOP_MULTIPLIER 10.0 /* the paper's */
#define COLD_ODDS 0.001      /* of an edge into a cold block */
#define LIKELY_ODDS 9.0      /* against a sibling without hint: nine in ten */

typedef struct Loops Loops;

/* Loops, each identified by its head. */
struct Loops {
	int *of;    /* by block: the innermost loop around it, its own for a head; or NONE */
	int *outer; /* by head: the loop around its loop, or NONE */
};

int weigh(Graph *, Arena *tmp);
Loops findnest(const Graph *, Arena *);
void weighblocks(Graph *, Arena *tmp);
void weighexact(Graph *, const Flow *);

/* place.c: where to count
 *
 *   REDUNDANT    a counter in every block, and on ENTRY where the number of calls does not follow
 *                from the blocks
 *   EDGES        Eprof(Ecnt): every edge is known; the cheapest plan of that kind
 *   VERTICES     Vprof(Vcnt): counters in blocks only, every block is known; the cheapest plan
 *                of that kind
 *   BYEDGES      Vprof(Ecnt): counters on edges, every block is known; EDGES without the counters
 *                that only tell edges apart
 *
 * All of them count the places that a maximum spanning forest of points leaves over.  Pinned places
 * enter the forest first, then the others by falling price.  Of equal price and cost a block enters
 * before an edge, so EDGES puts a counter into a block only where that is cheaper than any edge of
 * its cycle, or where all of these are pinned.
 *
 * requires: closeflow, weights.
 *
 * price - the expected cost of a counter at a place, in one call of the function.
 *
 * spanning - that forest: the places in first[] enter before all others; those in out[] do not
 * enter.  Returns the other places that would have closed a cycle: those to count.  *lost tells
 * whether a place of first[] would have, too; then some counts on that cycle remain unknown.
 *
 * place - a plan by a scheme.
 *
 * handplan - a plan with counters at given places; it promises blocks only.
 *
 * tellcalls - make the number of calls follow from a plan's counters, where pinned edges lead out
 * of ENTRY: add counters to the other edges into the blocks to which those lead.  Returns whether
 * that is enough. */

typedef enum Scheme { REDUNDANT, EDGES, VERTICES, BYEDGES, NSCHEME } Scheme;

enum { NOSLOT = -1 };

struct Plan {
	int nslot;
	int *slot;   /* by place: number of its counter, or NOSLOT */
	double cost; /* expected, in one call of the function */
	bool edges;  /* promises the count of every edge, not just of every block */
};

extern const char *const schemename[NSCHEME]; /* as --counters= spells them */

/* uncounted - whether the count of place p must be derived. */
static inline bool
uncounted(const Graph *g, const Plan *plan, int p)
{
	return plan->slot[p] == NOSLOT && !isnever(g, p);
}

double price(const Graph *, int place);
bool *spanning(const Graph *, const bool *out, const bool *first, Forest *, bool *lost, Arena *tmp);
Plan *place(const Graph *, Scheme, Arena *);
Plan *handplan(const Graph *, const bool *counted, Arena *);
bool tellcalls(const Graph *, Plan *, Arena *tmp);

/* check.c: does a plan suffice?
 *
 * determined - by place: whether its count follows from the counters, that is, whether no cycle of
 * uncounted places passes through it.
 *
 * checkplan - the first place with a count that the plan promises and that does not follow; NONE
 * if there is none.  Shares no code with place(). */

bool *determined(const Graph *, const Plan *, Arena *);
int checkplan(const Graph *, const Plan *, Arena *tmp);

/* solve.c: from counters to counts
 *
 * Frames may be left in the middle of the function without reaching EXIT (exit, longjmp, an
 * exception), or entered there without passing ENTRY (the child of a fork).  Such a cut is at a
 * point: before or after the counter of a block. */

struct Cut {
	int where;        /* a point: head(b) or tail(b) */
	uint64_t left;    /* frames left */
	uint64_t entered; /* frames entered */
};

/* The count of a block is how often control passed its counter, or would have: it includes frames
 * that were left after the counter, but not those that were entered after it.  The count of ENTRY
 * is the number of calls, that of EXIT the number of returns, and that of CLOSING the number of
 * frames, including those that were entered late or left early. */
struct Flow {
	uint64_t *count; /* by place; an int64_t where negative, clamped to its range */
	bool *known;     /* by place: the counters determine it */
	int bad;         /* places and points at which the counters contradict the law of flow */
	int badplace;    /* the first place with an impossible count, or NONE */
	int badpoint;    /* the first point with unequal sums, or NONE */
};

/* solve - the count of every place: figures 6 and 8 of the paper, with signs and without recursion.
 * counter[] is by slot. */
Flow *solve(const Graph *, const Plan *, const uint64_t *counter, const Cut *, int ncut, Arena *);

#endif
