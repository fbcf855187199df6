/* gen.h - random graphs and walks, for tests and benchmarks. */

#ifndef GEN_H
#define GEN_H

#include "core/core.h"
#include "rng.h"

typedef enum Kind { STRUCTURED, UNSTRUCTURED, IRREDUCIBLE, WILD, NKINDS } Kind;

static const char *const kindnames[NKINDS] = {"structured", "unstructured", "irreducible", "wild"};

/* A structured program: sequences, if, if-else, while, repeat, switch, break (out
 * of any number of loops), continue, return, calls that do not return. */
typedef struct Gen {
	Graph *g;
	Rng *r;
	int most;              /* blocks */
	int nloop;             /* loops around */
	int brk[64], cont[64]; /* where break and continue of each lead */
} Gen;

/* statement - code that begins at block b; returns the block after it, or NONE
 * if there is no way behind it. */
static inline int
statement(Gen *n, int b, int depth)
{
	Graph *g = n->g;
	int a, c, join, i, k;

	if (g->nblock + 4 > n->most || depth > 12)
		return b;
	switch (pick(n->r, 14)) {
	case 0:
	case 1:
	case 2: /* sequence */
		for (k = 2 + pick(n->r, 4), i = 0; i < k && b != NONE; i++)
			b = statement(n, b, depth + 1);
		return b;
	case 3:
	case 4: /* if */
		a = addblock(g);
		join = addblock(g);
		addedge(g, b, a);
		addedge(g, b, join);
		a = statement(n, a, depth + 1);
		if (a != NONE)
			addedge(g, a, join);
		return join;
	case 5:
	case 6: /* if-else */
		a = addblock(g);
		c = addblock(g);
		addedge(g, b, a);
		addedge(g, b, c);
		a = statement(n, a, depth + 1);
		c = statement(n, c, depth + 1);
		if (a == NONE || c == NONE)
			return a == NONE ? c : a;
		join = addblock(g);
		addedge(g, a, join);
		addedge(g, c, join);
		return join;
	case 7:
	case 8: /* while; the condition may be constant */
		if (n->nloop == 64)
			return b;
		c = addblock(g);
		a = addblock(g);
		join = addblock(g);
		addedge(g, b, c);
		addedge(g, c, a);
		if (!oneof(n->r, 20))
			addedge(g, c, join);
		n->brk[n->nloop] = join;
		n->cont[n->nloop++] = c;
		a = statement(n, a, depth + 1);
		n->nloop--;
		if (a != NONE)
			addedge(g, a, c);
		return join;
	case 9: /* repeat */
		if (n->nloop == 64)
			return b;
		a = addblock(g);
		c = addblock(g);
		join = addblock(g);
		addedge(g, b, a);
		n->brk[n->nloop] = join;
		n->cont[n->nloop++] = c;
		k = statement(n, a, depth + 1);
		n->nloop--;
		if (k != NONE)
			addedge(g, k, c);
		addedge(g, c, a);
		addedge(g, c, join);
		return join;
	case 10: /* switch; cases may fall through, and share a target */
		join = addblock(g);
		for (k = 2 + pick(n->r, 5), c = NONE, i = 0; i < k; i++) {
			a = addblock(g);
			addedge(g, b, a);
			if (oneof(n->r, 8))
				addedge(g, b, a);
			if (c != NONE)
				addedge(g, c, oneof(n->r, 3) ? a : join);
			c = statement(n, a, depth + 1);
		}
		if (c != NONE)
			addedge(g, c, join);
		if (oneof(n->r, 2))
			addedge(g, b, join);
		return join;
	case 11: /* leave a loop, under a condition */
	case 12:
		if (!n->nloop)
			return b;
		i = pick(n->r, n->nloop);
		a = addblock(g);
		addedge(g, b, oneof(n->r, 3) ? n->cont[i] : n->brk[i]);
		addedge(g, b, a);
		return a;
	default: /* return, or call what does not return */
		a = addblock(g);
		c = addblock(g);
		addedge(g, b, a);
		addedge(g, b, c);
		if (!oneof(n->r, 4))
			addedge(g, a, EXIT);
		return c;
	}
}

static inline Graph *
structured(Arena *a, Rng *r, int most)
{
	Gen n = {.g = newgraph(a), .r = r, .most = most + FIRST};
	int b = addblock(n.g), tries;

	addedge(n.g, ENTRY, b);
	for (tries = 0; tries < 20 && b != NONE && n.g->nblock < n.most; tries++)
		b = statement(&n, b, 0);
	if (b != NONE)
		addedge(n.g, b, EXIT);
	return n.g;
}

/* tangle - blocks with one to four successors, some of them near, some anywhere. */
static inline Graph *
tangle(Arena *a, Rng *r, int n, bool wild)
{
	Graph *g = newgraph(a);
	int b, k;

	for (b = 0; b < n; b++)
		addblock(g);
	addedge(g, ENTRY, FIRST);
	if (wild && oneof(r, 3))
		addedge(g, ENTRY, FIRST + pick(r, n));
	for (b = FIRST; b < FIRST + n; b++) {
		k = oneof(r, 3) ? 1 : 2;
		if (wild)
			k = pick(r, 5);
		while (k-- > 0) {
			int d = oneof(r, 3) ? FIRST + pick(r, n) : b + 1 + pick(r, 3);

			addedge(g, b, d < FIRST + n ? d : EXIT);
		}
		if (oneof(r, n + 1))
			addedge(g, b, EXIT);
	}
	if (!wild)
		addedge(g, FIRST + n - 1, EXIT);
	return g;
}

/* sidedoors - jumps into the middle of what is there. */
static inline void
sidedoors(Graph *g, Rng *r)
{
	int k, code = g->nblock - FIRST;

	for (k = 1 + pick(r, 3); k > 0; k--)
		addedge(g, FIRST + pick(r, code), FIRST + pick(r, code));
}

static inline Graph *
randomgraph(Arena *a, Rng *r, Kind kind, int n)
{
	Graph *g = kind == STRUCTURED || kind == IRREDUCIBLE ? structured(a, r, n)
							     : tangle(a, r, n, kind == WILD);

	if (kind == IRREDUCIBLE)
		sidedoors(g, r);
	return g;
}

/* decorate - pins, costs, hints. */
static inline void
decorate(Graph *g, Rng *r)
{
	int i;

	for (i = CLOSING + 1; i < g->nedge; i++) {
		g->edge[i].pinned = oneof(r, 6);
		if (oneof(r, 4))
			g->edge[i].cost = 1 + pick(r, 30) / 10.0;
		if (oneof(r, 6))
			g->edge[i].odds = LIKELY_ODDS;
	}
	for (i = FIRST; i < g->nblock; i++) {
		g->block[i].cold = oneof(r, 6);
		if (oneof(r, 6))
			g->block[i].cost = 1 + pick(r, 30) / 10.0;
	}
}

/* What really happened: by place, and the cuts. */
typedef struct Truth {
	uint64_t *count;
	Cut *cut;
	int ncut;
	size_t capcut;
} Truth;

static inline void
cutat(Truth *t, Arena *a, int where, uint64_t left, uint64_t entered)
{
	apush(a, t->cut, t->ncut, t->capcut);
	t->cut[t->ncut++] = (Cut){where, left, entered};
}

/* stroll - one random walk over the closed graph g, taken `times' at once: from
 * ENTRY or from anywhere, to EXIT or until it is cut. */
static inline void
stroll(const Graph *g, Rng *r, Truth *t, Arena *a, int steps, uint64_t times)
{
	int at = ENTRY, x = head(ENTRY);

	if (oneof(r, 4) && g->nblock > FIRST) {
		at = FIRST + pick(r, g->nblock - FIRST);
		x = oneof(r, 2) ? head(at) : tail(at);
		cutat(t, a, x, 0, times);
	}
	for (;;) {
		int k, e = NONE, n;

		if (at >= FIRST && (steps-- < 0 || oneof(r, 100)) && x == head(at) && oneof(r, 2)) {
			cutat(t, a, head(at), times, 0);
			break;
		}
		if (x == head(at))
			t->count[at] += times;
		if (at == EXIT)
			break;
		n = g->outat[at + 1] - g->outat[at];
		if (n > 0)
			e = g->out[g->outat[at] + pick(r, n)].edge;
		for (k = 0; k < n && g->edge[e].never; k++)
			e = g->out[g->outat[at] + k].edge;
		if (e == NONE || g->edge[e].never
		    || (at >= FIRST && (steps < 0 || oneof(r, 100)))) {
			if (at == ENTRY)
				abort(); /* every graph can be entered */
			cutat(t, a, tail(at), times, 0);
			break;
		}
		t->count[edgeplace(g, e)] += times;
		at = g->edge[e].dst;
		x = head(at);
	}
	t->count[edgeplace(g, CLOSING)] += times;
}

/* writegraph - as text, so that a failure can be tried with `tally graph'. */
static inline void
writegraph(FILE *f, const Graph *g)
{
	int e, b;

	for (b = FIRST; b < g->nblock; b++)
		if (g->block[b].cold || g->block[b].cost != 1)
			fprintf(f, "block b%d%s cost %.17g\n", b, g->block[b].cold ? " cold" : "",
				g->block[b].cost);
	for (e = CLOSING + 1; e < g->nedge; e++) {
		const Edge *ed = &g->edge[e];

		if (ed->never)
			continue;
		if (ed->src == ENTRY)
			fprintf(f, "entry");
		else
			fprintf(f, "b%d", ed->src);
		if (ed->dst == EXIT)
			fprintf(f, " -> exit");
		else
			fprintf(f, " -> b%d", ed->dst);
		if (ed->pinned)
			fprintf(f, " pin");
		fprintf(f, " cost %.17g odds %.17g\n", ed->cost, ed->odds);
	}
}

#endif
