/* graphtext.h - flow graphs as text, for `tally graph': read, and drawn. */

#ifndef GRAPHTEXT_H
#define GRAPHTEXT_H

#include "core/core.h"

#include <stdio.h>

/* read.c: the text form, which tally-graph(1) describes. */

typedef struct Stated Stated;
typedef struct Path Path;
typedef struct Graphfile Graphfile;

/* What a file gives for one place beyond what is in the Graph. */
struct Stated {
	char *name;     /* of a block; of an edge NULL unless it was given one */
	int line;       /* for an edge: where it is in the file; 0 if implied */
	bool counter;   /* the file puts a counter here */
	bool costs;     /* the file gives its cost */
	bool weighted;  /* the file gives its weight */
	bool counted;   /* the file gives its count */
	uint64_t count; /* as given, or how often the walks pass here */
};

/* A walk: the edges that it takes. */
struct Path {
	int *edge;
	int nedge;
	size_t capedge;
	bool late;   /* it does not begin with a call */
	int end;     /* the block where it was left, or EXIT */
	bool before; /* it was left before that block's counter */
};

struct Graphfile {
	const char *path;
	Graph *g;   /* closed */
	Stated *stated; /* by place */
	bool *call; /* by block: whether it calls */
	Path *walk;
	Cut *cut;
	int ncut;
	int nwalk;    /* if there are any, every count is known */
	int ncall;    /* number of blocks that call */
	int ncount;   /* number of counts given */
	int ncounter; /* number of counters given */
	int nweight;  /* number of weights given: for all edges or for none */
};

Graphfile *readgraph(const char *path, Arena *run);

/* given.c: weights, counters and counts that a file gives.
 *
 * nameplace - a place as the text form spells it.
 * weighgiven - set the weights to those in the file; dies if it has none.
 * weighcounted - set the weights to the counts that its walks or counts imply; dies if they do not
 * determine all.
 * givenplan - the counters in the file; dies if it has none.
 * givencounts - the counts of a plan's counters, by slot; NULL if the file lacks one, whose place
 * is then in *missing. */

const char *nameplace(const Graphfile *, int place, Arena *run);
void weighgiven(const Graphfile *, Arena *run);
void weighcounted(const Graphfile *, Arena *run);
Plan *givenplan(const Graphfile *, Arena *run);
uint64_t *givencounts(const Graphfile *, const Plan *, int *missing, Arena *run);

/* rows.c: tables of places.
 *
 * inrows - all places in the order of such a table: each block, then the edges out of it.
 * rowname - the text that begins the line of a place. */

int *inrows(const Graph *, Arena *);
const char *rowname(const Graphfile *, int place, Arena *);

/* dot.c: a graph for Graphviz.  Counters are drawn as dots, cuts as red edges to EXIT or from
 * ENTRY.  Labels are counts if there is a flow, otherwise weights. */

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
