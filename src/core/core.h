/* core.h - the flow graph of one function, and what follows from it: weights,
 * the placement of counters, the proof that they suffice, the counts.
 * Pure: no I/O, no machine code.  No function here recurses on the graph, and
 * all are linear in it but for the inverse of Ackermann's function (and a
 * logarithm for loops that are left several at once).
 *
 * Ball and Larus, Optimally Profiling and Tracing Programs, 1994, is "the
 * paper" in this room. */

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

/* graph.c: blocks, edges, and two ways to see them
 *
 * As blocks and edges: ENTRY and EXIT are blocks without code; CLOSING is the
 * edge EXIT->ENTRY that makes what flows in flow out again.  Parallel edges,
 * self loops and irreducible graphs are fine.
 *
 * As points and places: a block is itself an edge, from the point before it to
 * the point after it.
 *
 *          head(a)         head(b)
 *             |               |
 *             | block a       | block b
 *             v    edge a->b  v
 *          tail(a) ------> head(b) ...
 *
 * So blocks and edges are one kind of thing, a place where control passes and
 * where a counter may sit, and the law of flow is one sentence: at every point
 * as much comes as goes.  A path of places that closes is a cycle; the paper's
 * piped cycles are those that pass through a block.  Blocks are the places 0 to
 * nblock-1, edges follow. */

enum { ENTRY, EXIT, FIRST }; /* blocks; FIRST is the first with code */
enum { CLOSING };            /* edge EXIT->ENTRY */
enum { NONE = -1, MAXBLOCK = 1 << 28, MAXEDGE = 1 << 29 };

struct Block {
	double weight; /* guess at how often it runs; valid after weighing */
	double cost;   /* of one pass of a counter here; 1 is a plain increment */
	bool pinned;   /* cannot carry a counter */
	bool cold;     /* hint: hardly ever runs */
	bool bent;     /* the weights around it break the law of flow (weigh.c) */
};

struct Edge {
	int src, dst; /* blocks */
	double weight;
	double cost;
	double odds; /* hint: how likely, against its siblings; 1 unless known */
	bool pinned;
	bool never; /* added by closeflow(): no code takes it, its count is 0 */
	bool net;   /* its count is what goes there less what comes, which nobody sees */
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
	/* Valid after closeflow(): the edges out of block b in the order in which
	 * they were added are out[outat[b]] to out[outat[b+1]-1]; in[] likewise. */
	Way *out, *in;
	int *outat, *inat;
};

Graph *newgraph(Arena *);
int addblock(Graph *);
int addedge(Graph *, int src, int dst);

/* closeflow - index the edges, and give every block that cannot reach EXIT (an
 * endless loop, a call that does not return) a way there over `never` edges.
 * A pinned edge out of ENTRY pins ENTRY: a counter there sits on each of them. */
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

/* forest.c: sets of points that places connect. */

struct Forest {
	int *parent; /* of a root: minus the size of its set */
};

Forest newforest(int n, Arena *);
int find(Forest *, int);
bool unite(Forest *, int, int);

/* weigh.c: how often will it run?
 *
 * weigh - the heuristic of the paper's section 5: loops run ten times, branches
 * go either way.  Hints shift the odds.  Returns the number of weights that
 * would have been negative and were set to 0.  Around a block that is not
 * `bent` the weights obey the law of flow; a block is bent by a clamp inside
 * its loop, and by a loop that is entered elsewhere than at its head.
 * requires: closeflow.  ensures: weights of all blocks and edges.
 *
 * weighblocks - the weight of each block from given weights of edges: the
 * larger of what comes and what goes.
 *
 * weighexact - weights from the counts of an earlier run.
 *
 * findnest - the loops that weigh() goes by. */

#define LOOP_MULTIPLIER 10.0 /* the paper's */
#define COLD_ODDS 0.001      /* of an edge into a cold block */
#define LIKELY_ODDS 9.0      /* against a sibling without hint: nine in ten */

typedef struct Loops Loops;

/* Loops, each named by its head. */
struct Loops {
	int *of;    /* by block: the innermost around it, its own for a head; NONE */
	int *outer; /* by head: the loop around that one; NONE */
};

int weigh(Graph *, Arena *tmp);
Loops findnest(const Graph *, Arena *);
void weighblocks(Graph *, Arena *tmp);
void weighexact(Graph *, const Flow *);

/* place.c: where to count
 *
 *   REDUNDANT    a counter in every block, and on ENTRY where the blocks do not
 *                tell how often the function was called
 *   EDGES        Eprof(Ecnt): tells every edge; the cheapest that does
 *   VERTICES     Vprof(Vcnt): counters in blocks; tells every block, the
 *                cheapest that does
 *   BYEDGES      Vprof(Ecnt): counters on edges, tells every block; EDGES
 *                without the counters that only tell edges apart
 *
 * One maximum spanning forest of points serves them all.  Pinned places go into
 * it first, then the dearest; a block enters before an edge of the same price and
 * cost, so EDGES puts a counter into a block only where that is cheaper than any
 * edge of its cycle, or where all of them are pinned.
 * requires: closeflow, weights.
 *
 * spanning - that forest: places in first[] connect before all others, then the dearest; those in
 * out[] never do. Returns what would have closed a cycle, which is where to count; *lost gets
 * whether places of first[] did, which cannot be told apart.
 *
 * tellcalls - more counters, if a plan needs them to tell how often a function with pinned edges
 * out of ENTRY is called: on the other ways to where those lead.  False if that is not enough. */

typedef enum Scheme { REDUNDANT, EDGES, VERTICES, BYEDGES, NSCHEME } Scheme;

enum { NOSLOT = -1 };

struct Plan {
	int nslot;
	int *slot;   /* by place: number of its counter, or NOSLOT */
	double cost; /* expected increments in one call, times their cost */
	bool edges;  /* claims to tell every edge, not just every block */
};

extern const char *const schemename[NSCHEME]; /* as --counters= spells them */

/* uncounted - whether the count of place p must be worked out. */
static inline bool
uncounted(const Graph *g, const Plan *plan, int p)
{
	return plan->slot[p] == NOSLOT && !isnever(g, p);
}

double price(const Graph *, int place); /* of a counter there, in one call */
bool *spanning(const Graph *, const bool *out, const bool *first, Forest *, bool *lost, Arena *tmp);
Plan *place(const Graph *, Scheme, Arena *);
Plan *handplan(const Graph *, const bool *counted, Arena *);
bool tellcalls(const Graph *, Plan *, Arena *tmp);

/* check.c: does a plan suffice?
 *
 * determined - for every place whether its count follows from the counters:
 * where no cycle of uncounted places passes through it.
 *
 * checkplan - the first place whose count the plan promises and cannot tell,
 * or NONE.  Finds cycles by depth-first search and shares nothing with the way
 * in which place() avoids them. */

bool *determined(const Graph *, const Plan *, Arena *);
int checkplan(const Graph *, const Plan *, Arena *tmp);

/* solve.c: from counters to counts
 *
 * A cut is where the stack was cut: frames that were left at a block without
 * running to EXIT, or entered there without coming from ENTRY.  `where` says on
 * which side of the block's counter. */

struct Cut {
	int where;        /* a point: head(b) or tail(b) */
	uint64_t left;    /* frames left */
	uint64_t entered; /* frames entered */
};

/* The count of a block is how often control passed its counter's place: it
 * includes frames that were left behind it and not those entered behind it.
 * That of ENTRY is the number of calls, that of EXIT the number of returns, and
 * that of CLOSING the number of frames, late entries and early ends included. */
struct Flow {
	uint64_t *count; /* by place; as an int64_t if it is negative, cut off at 63 bits */
	bool *known;     /* by place: the counters determine it */
	int bad;         /* places and points at which the counters contradict the law */
	int badplace;    /* the first place with a negative count, or NONE */
	int badpoint;    /* the first point with unequal sums, or NONE */
};

/* solve - the count of every place: figures 6 and 8 of the paper, without
 * recursion and with signs.  counter[] is indexed by slot. */
Flow *solve(const Graph *, const Plan *, const uint64_t *counter, const Cut *, int ncut, Arena *);

#endif
