/* graphtext.h - flow graphs as text: what `tally graph' reads, what that says, and drawings. */

#ifndef GRAPHTEXT_H
#define GRAPHTEXT_H

#include "core/core.h"

#include <stdio.h>

/* read.c: the form that people write, which tally-graph(1) describes. */

typedef struct Mark Mark;
typedef struct Path Path;
typedef struct Graphfile Graphfile;

/* What a file says of one place, beside what the Graph holds. */
struct Mark {
	char *name;     /* of a block; of an edge NULL unless it was given one */
	int line;       /* of an edge: where it is; 0 for what is implied */
	bool counter;   /* the file puts a counter here */
	bool costs;     /* the file gives its cost */
	bool weighted;  /* the file gives its weight */
	bool counted;   /* the file gives its count */
	uint64_t count; /* given, or how often the walks passed here */
};

/* A walk: the edges that it takes. */
struct Path {
	int *edge;
	int nedge;
	size_t capedge;
	bool late;   /* it does not begin with a call */
	int end;     /* the block where it was left; EXIT */
	bool before; /* before the place of that block's counter */
};

struct Graphfile {
	const char *path;
	Graph *g;   /* closed */
	Mark *mark; /* by place */
	bool *call; /* by block: it calls */
	Path *walk;
	Cut *cut;
	int ncut;
	int nwalk;    /* if there are any, every count is known */
	int ncall;    /* blocks that call */
	int ncount;   /* counts given */
	int ncounter; /* counters given */
	int nweight;  /* weights given: for all edges or for none */
};

Graphfile *readgraph(const char *path, Arena *run);

/* given.c: what a file says of weights, counters and counts.
 *
 * nameplace - a place, as people write it.
 * weighgiven, weighcounted - by the file's weights, or by what its walks and counts come to; dies if it has none.
 * givenplan - its own counters.
 * givencounts - what the counters of a plan have counted; NULL and a place of which it does not say that. */

const char *nameplace(const Graphfile *, int place, Arena *run);
void weighgiven(const Graphfile *, Arena *run);
void weighcounted(const Graphfile *, Arena *run);
Plan *givenplan(const Graphfile *, Arena *run);
uint64_t *givencounts(const Graphfile *, const Plan *, int *missing, Arena *run);

/* rows.c: places in the order in which tables show them, a block and then the edges out of it; and
 * what stands at the begin of their rows. */

int *inrows(const Graph *, Arena *);
const char *rowname(const Graphfile *, int place, Arena *);

/* dot.c: a graph for Graphviz.  Counters are dots on their edges.  With a flow,
 * edges are labelled with counts, otherwise with weights.  Cuts are the edges to
 * EXIT and from ENTRY that nobody wrote. */

typedef struct Drawing Drawing;

struct Drawing {
	const Graph *g;
	char *const *name; /* by block */
	const Plan *plan;
	const Flow *flow; /* or NULL */
	const Cut *cut;
	int ncut;
};

void dot(FILE *, const Drawing *);

#endif
