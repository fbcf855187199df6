/* place.c - where to count.  Knuth 1973; Knuth and Stevenson 1973; Ball and
 * Larus 1994, section 3. */

#include "core.h"

const char *const schemename[NSCHEME] = {
	[REDUNDANT] = "redundant",
	[EDGES] = "edges",
	[VERTICES] = "vertices",
	[BYEDGES] = "vertices-by-edges",
};

/* unitcost - what one pass of a counter at place p costs.  A counter on ENTRY sits
 * on each edge out of it. */
static double
unitcost(const Graph *g, int p)
{
	double most = 0;
	int i;

	if (p != ENTRY)
		return isblock(g, p) ? g->block[p].cost : placeedge(g, p)->cost;
	for (i = g->outat[ENTRY]; i < g->outat[ENTRY + 1]; i++)
		if (g->edge[g->out[i].edge].cost > most)
			most = g->edge[g->out[i].edge].cost;
	return most;
}

double
price(const Graph *g, int p)
{
	double sum = 0;
	int i;

	if (p != ENTRY)
		return unitcost(g, p)
		       * (isblock(g, p) ? g->block[p].weight : placeedge(g, p)->weight);
	for (i = g->outat[ENTRY]; i < g->outat[ENTRY + 1]; i++)
		sum += price(g, edgeplace(g, g->out[i].edge));
	return sum;
}

static Plan *
newplan(const Graph *g, Arena *a)
{
	Plan *plan = anew(a, Plan, 1);
	int p;

	plan->slot = anew(a, int, nplace(g));
	for (p = 0; p < nplace(g); p++)
		plan->slot[p] = NOSLOT;
	return plan;
}

/* number - give slots to the places in counted[]. */
static void
number(const Graph *g, Plan *plan, const bool *counted)
{
	int p;

	for (p = 0; p < nplace(g); p++)
		if (counted[p]) {
			plan->slot[p] = plan->nslot++;
			plan->cost += price(g, p);
		}
}

/* uncountable - the places that scheme may not give a counter. */
static bool
uncountable(const Graph *g, Scheme scheme, int p)
{
	return ispinned(g, p) || (!isblock(g, p) && (scheme == VERTICES || scheme == REDUNDANT));
}

/* span - a maximum spanning forest of points: dear places connect first, and
 * those that would close a cycle are left over, which is where to count.
 * Returns what is left over; *lost gets whether pinned places alone close a
 * cycle: the edges on it cannot be told apart.
 *
 * With all edges pinned (VERTICES), the sets of points after the pinned round are
 * the classes of Knuth and Stevenson: the successors of a block come together
 * at its tail.  What follows is the maximum spanning forest of their smaller
 * graph, in which each block is an edge. */
static bool *
span(const Graph *g, Scheme scheme, Forest *f, bool *lost, Arena *tmp)
{
	bool *over = anew(tmp, bool, nplace(g));
	double *key = anew(tmp, double, nplace(g));
	int *order = anew(tmp, int, nplace(g));
	int n = 0, i, p;

	*lost = false;
	for (p = 0; p < nplace(g); p++) {
		if (isnever(g, p))
			continue;
		if (uncountable(g, scheme, p)) {
			if (!unite(f, from(g, p), to(g, p)))
				*lost = true;
		} else if (scheme == REDUNDANT && p >= FIRST) {
			over[p] = true;
		} else {
			key[p] = unitcost(g, p);
			order[n++] = p;
		}
	}
	rank(key, order, n, tmp); /* where weights are equal, the cost of one pass decides */
	for (i = 0; i < n; i++)
		key[order[i]] = price(g, order[i]);
	rank(key, order, n, tmp);
	for (i = 0; i < n; i++) {
		p = order[i];
		over[p] = !unite(f, from(g, p), to(g, p));
	}
	return over;
}

/* dropedges - take away the counters that serve only to tell edges apart: those
 * on an edge e whose cycle in the spanning forest passes through no block.
 *
 * This is figure 11 of the paper, less its marks.  The figure takes at most one
 * counter from cycles that meet, lest two pipeless ones combine into a piped
 * one.  They cannot: every cycle of forest + removed edges is a sum of the
 * removed edges' own cycles, and where none of the terms changes the count of
 * a block neither does the sum.  Without marks more counters go, no order has to
 * be kept, and a cycle need not be walked: the ends of e must be connected by the
 * forest's edges alone. */
static void
dropedges(const Graph *g, bool *over, Arena *tmp)
{
	Forest f = newforest(npoint(g), tmp);
	int p;

	for (p = g->nblock; p < nplace(g); p++)
		if (!over[p] && !isnever(g, p))
			unite(&f, from(g, p), to(g, p));
	for (p = g->nblock; p < nplace(g); p++)
		if (over[p] && find(&f, from(g, p)) == find(&f, to(g, p)))
			over[p] = false;
}

Plan *
place(const Graph *g, Scheme scheme, Arena *a)
{
	Plan *plan = newplan(g, a);
	Arena tmp = {0};
	Forest f = newforest(npoint(g), &tmp);
	bool lost; /* of interest to EDGES only: the others ask for no edges */
	bool *over = span(g, scheme, &f, &lost, &tmp);

	if (scheme == BYEDGES)
		dropedges(g, over, &tmp);
	plan->edges = scheme == EDGES && !lost;
	number(g, plan, over);
	areset(&tmp);
	return plan;
}

bool
tellcalls(const Graph *g, Plan *plan, Arena *tmp)
{
	bool *more = anew(tmp, bool, nplace(g));
	int i, k;

	if (determined(g, plan, tmp)[ENTRY])
		return true;
	for (i = 0; i < nplace(g); i++)
		more[i] = plan->slot[i] != NOSLOT;
	for (i = g->outat[ENTRY]; i < g->outat[ENTRY + 1]; i++) {
		int b = g->out[i].block;

		for (k = g->inat[b]; g->edge[g->out[i].edge].pinned && k < g->inat[b + 1]; k++) {
			int p = edgeplace(g, g->in[k].edge);

			more[p] |= uncounted(g, plan, p) && !ispinned(g, p);
		}
	}
	plan->nslot = 0;
	plan->cost = 0;
	number(g, plan, more);
	return determined(g, plan, tmp)[ENTRY];
}

/* handplan - a plan with counters where somebody put them.  It claims to tell no
 * more than blocks. */
Plan *
handplan(const Graph *g, const bool *counted, Arena *a)
{
	Plan *plan = newplan(g, a);

	number(g, plan, counted);
	return plan;
}
