/* report.h - views of graphs and counts, one file each. */

#ifndef REPORT_H
#define REPORT_H

#include "core/core.h"
#include "profile/profile.h"

#include <stdio.h>

/* grid.c: text in columns, as wide as they need to be */

typedef struct Grid Grid;

struct Grid {
	Arena *arena;
	int ncol; /* columns; the first is flush left, the others right */
	int n;    /* cells so far, row by row */
	char **cell;
	size_t cap;
};

void cell(Grid *, const char *fmt, ...) PRINTF(2, 3);
void printgrid(FILE *, const Grid *);

/* functions.c: a table of functions, and what one of them executed */

uint64_t executed(const Fn *, bool *sure);
void functions(FILE *, const Module *, Arena *);

/* summary.c: a line for each file; blocks.c: every block and edge.  A star marks
 * what carried a counter. */

void summary(FILE *, const Module *, Arena *);
void blocks(FILE *, const Module *, Arena *);

/* listing.c: source lines with their counts */

void listing(FILE *, const Module *, Arena *);

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
