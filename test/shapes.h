/* shapes.h - graphs of any size, each hard for some algorithm. */

#ifndef SHAPES_H
#define SHAPES_H

#include "gen.h"

typedef struct Shape {
	const char *name;
	Graph *(*make)(Arena *, int nblock);
} Shape;

static inline Graph *
blocks(Arena *a, int n)
{
	Graph *g = newgraph(a);

	while (g->nblock < n + FIRST)
		addblock(g);
	addedge(g, ENTRY, FIRST);
	return g;
}

/* a, b, c, ...: one long chain. */
static inline Graph *
chain(Arena *a, int n)
{
	Graph *g = blocks(a, n);
	int i;

	for (i = FIRST; i < FIRST + n - 1; i++)
		addedge(g, i, i + 1);
	addedge(g, FIRST + n - 1, EXIT);
	return g;
}

/* if after if after if. */
static inline Graph *
ifs(Arena *a, int n)
{
	Graph *g = blocks(a, n);
	int i;

	for (i = FIRST; i + 2 < FIRST + n; i += 2) {
		addedge(g, i, i + 1);
		addedge(g, i, i + 2);
		addedge(g, i + 1, i + 2);
	}
	while (i < FIRST + n - 1) {
		addedge(g, i, i + 1);
		i++;
	}
	addedge(g, i, EXIT);
	return g;
}

/* Loops in loops, n/2 deep: heads first, then the ends that go back. */
static inline Graph *
nested(Arena *a, int n)
{
	Graph *g = blocks(a, n);
	int i, last = FIRST + n - 1;

	for (i = FIRST; i < last; i++)
		addedge(g, i, i + 1);
	for (i = 0; i < n / 2; i++)
		addedge(g, last - i, FIRST + i);
	addedge(g, last, EXIT);
	return g;
}

/* The same, and the innermost blocks leave all loops at once. */
static inline Graph *
escape(Arena *a, int n)
{
	Graph *g = nested(a, n);
	int i;

	for (i = n / 4; i < n / 2; i++)
		addedge(g, FIRST + i, EXIT);
	return g;
}

/* A switch with n cases in a loop: an interpreter. */
static inline Graph *
interpreter(Arena *a, int n)
{
	Graph *g = blocks(a, n);
	int i;

	for (i = FIRST + 1; i < FIRST + n; i++) {
		addedge(g, FIRST, i);
		addedge(g, i, i % 1000 == 0 ? EXIT : FIRST);
	}
	return g;
}

/* Jumps anywhere. */
static inline Graph *
spaghetti(Arena *a, int n)
{
	Rng r = {7};

	return tangle(a, &r, n, false);
}

static const Shape shapes[] = {
	{"chain", chain},
	{"ifs", ifs},
	{"nested", nested},
	{"escape", escape},
	{"interpreter", interpreter},
	{"spaghetti", spaghetti},
};

enum { NSHAPE = sizeof shapes / sizeof *shapes };

#endif
