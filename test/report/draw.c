/* draw.c - random graphs on paper: boxes do not overlap, wires leave below their boxes and arrive
 * above them, pass through no box, and have room for their labels; wires lead down, but for those
 * that close a cycle.  Large graphs are drawn on a small stack, and those that are too large are
 * refused. */

#include "../gen.h"
#include "report/draw.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

enum { GRAPHS = 3000, MOST = 120, STACK = 64 * 1024 };

static const double CLOSE = 0.01;

static long nboxes, nwires, nback, nbends, nturns;

static void
fail(const Picture *l, const char *why, int i)
{
	fprintf(stderr, "%d boxes, %d wires: %s (%d)\n", l->n, l->nwire, why, i);
	exit(1);
}

/* drawn - what htmlflow.c draws of a graph: all but the closing edge. */
static Picture
drawn(const Graph *g, Rng *r, Arena *a)
{
	Picture l = {
		.box = anew(a, Rect, g->nblock), .n = g->nblock, .wire = anew(a, Wire, g->nedge)};
	int i;

	for (i = 0; i < l.n; i++)
		l.box[i] = (Rect){.w = 40 + pick(r, 300), .h = 24 + 17 * pick(r, 6)};
	for (i = CLOSING + 1; i < g->nedge; i++)
		if (!g->edge[i].never)
			l.wire[l.nwire++] = (Wire){.src = g->edge[i].src,
						   .dst = g->edge[i].dst,
						   .label = 6 * (1 + pick(r, 14))};
	return l;
}

static bool
within(double x, double from, double to)
{
	return x >= from - CLOSE && x <= to + CLOSE;
}

/* free - whether a rectangle touches no box but at its edges. */
static bool
isfree(const Picture *l, double x1, double x2, double y1, double y2)
{
	int i;

	for (i = 0; i < l->n; i++) {
		const Rect *b = &l->box[i];

		if (x2 > b->x + CLOSE && x1 < b->x + b->w - CLOSE && y2 > b->y + CLOSE
		    && y1 < b->y + b->h - CLOSE)
			return false;
	}
	return true;
}

static void
checkwire(const Picture *l, int i)
{
	const Wire *w = &l->wire[i];
	const Rect *src = &l->box[w->src], *dst = &l->box[w->dst];
	const Point *first = w->point, *last = &w->point[w->npoint - 1], *p;

	if (!within(first->x, src->x, src->x + src->w - w->label) || first->y != src->y + src->h)
		fail(l, "a wire does not leave its box, or its label does", i);
	if (!within(last->x, dst->x, dst->x + dst->w) || last->y != dst->y)
		fail(l, "a wire does not arrive at its box", i);
	if (w->back ? dst->y > src->y : dst->y <= src->y)
		fail(l, "a wire leads the wrong way", i);
	for (p = first + 1; p <= last; p++) {
		double x1 = p[-1].x < p->x ? p[-1].x : p->x, x2 = p[-1].x < p->x ? p->x : p[-1].x;
		double y1 = p[-1].y < p->y ? p[-1].y : p->y, y2 = p[-1].y < p->y ? p->y : p[-1].y;

		if ((p->turn != 0) != (p[-1].y == p->y))
			fail(l, "a wire turns on its way up or down", i);
		y1 += p->turn < 0 ? p->turn : 0;
		y2 += p->turn > 0 ? p->turn : 0;
		if (!isfree(l, x1, x2, y1, y2))
			fail(l, "a wire passes through a box", i);
		nturns += p->turn != 0;
	}
	nback += w->back;
	nbends += w->npoint - 2;
}

static int
byport(const void *a, const void *b)
{
	const Wire *x = a, *y = b;

	if (x->src != y->src)
		return x->src - y->src;
	return x->point[0].x < y->point[0].x ? -1 : x->point[0].x > y->point[0].x;
}

static void
check(Picture *l)
{
	int i, k;

	for (i = 0; i < l->n; i++) {
		const Rect *b = &l->box[i];

		if (!within(b->x, 0, l->w - b->w) || !within(b->y, 0, l->h - b->h))
			fail(l, "a box is not on the paper", i);
		for (k = 0; k < i; k++) {
			const Rect *o = &l->box[k];

			if (b->y == o->y && b->x < o->x + o->w + 1 && o->x < b->x + b->w + 1)
				fail(l, "boxes touch", i);
			if (b->y < o->y && b->y + b->h >= o->y)
				fail(l, "layers touch", i);
		}
	}
	for (i = 0; i < l->nwire; i++)
		checkwire(l, i);
	if (l->nwire)
		qsort(l->wire, (size_t)l->nwire, sizeof *l->wire, byport);
	for (i = 0; i + 1 < l->nwire; i++)
		if (l->wire[i].src == l->wire[i + 1].src
		    && l->wire[i].point[0].x + l->wire[i].label > l->wire[i + 1].point[0].x)
			fail(l, "labels overlap", i);
	nboxes += l->n;
	nwires += l->nwire;
}

/* large - a chain of n blocks, each of which may leave; with `far' each leads to the first, too. */
static bool
large(int n, bool far, Arena *a)
{
	Rng r = {1};
	Graph *g = newgraph(a);
	Picture l;
	int i;

	for (i = 0; i < n; i++)
		addblock(g);
	addedge(g, ENTRY, FIRST);
	for (i = FIRST; i < FIRST + n; i++) {
		addedge(g, i, i + 1 < FIRST + n ? i + 1 : EXIT);
		if (far)
			addedge(g, i, FIRST);
	}
	l = drawn(g, &r, a);
	return arrange(&l, a);
}

/* extremes - on a small stack: NULL, or what is wrong. */
static void *
extremes(void *unused)
{
	Arena a = {0};
	const char *wrong = NULL;

	(void)unused;
	if (!large(30000, false, &a))
		wrong = "a long chain is not drawn";
	if (large(50000, false, &a))
		wrong = "too many blocks are drawn";
	if (large(1000, true, &a))
		wrong = "too many bends are drawn";
	areset(&a);
	return (void *)wrong;
}

int
main(void)
{
	uint64_t first = seed();
	pthread_attr_t attr;
	pthread_t thread;
	void *wrong;
	int i;

	printf("# seed %" PRIu64 "\n", first);
	fflush(stdout);
	for (i = 0; i < GRAPHS; i++) {
		Arena a = {0};
		Rng r = {first + (uint64_t)i * 0x100000001b3};
		Graph *g = randomgraph(&a, &r, i % NKINDS, 1 + pick(&r, MOST));
		Picture l;

		closeflow(g, &a);
		l = drawn(g, &r, &a);
		if (!arrange(&l, &a))
			fail(&l, "is not drawn", i);
		check(&l);
		areset(&a);
	}
	pthread_attr_init(&attr);
	if (pthread_attr_setstacksize(&attr, STACK) != 0
	    || pthread_create(&thread, &attr, extremes, NULL) != 0
	    || pthread_join(thread, &wrong) != 0)
		return 1;
	if (wrong) {
		fprintf(stderr, "%s\n", (char *)wrong);
		return 1;
	}
	printf("# %ld boxes, %ld wires: %ld lead back, %ld bends, %ld turns\n", nboxes, nwires,
	       nback, nbends, nturns);
	return !nback || !nbends || !nturns;
}
