/* place.c - where to count.
 *
 * Uncounted places that form no cycle are known (check.c).  So put as many and as heavy places as
 * possible into a forest, and count only what is left over.  In a loop of two blocks a and b that
 * is entered and left at a, one counter for the calls and one on the edge b->a tell everything.
 *
 * Sorting by price and union-find make a maximum spanning forest in almost linear time (the sort is by
 * radix).  Knuth 1973; Knuth and Stevenson 1973; Ball and Larus 1994, section 3. */

#include "core.h"

const char *const schemename[NSCHEME] = {
	[REDUNDANT] = "redundant",
	[EDGES] = "edges",
	[VERTICES] = "vertices",
	[BYEDGES] = "vertices-by-edges",
};

/* unitcost - what executing a counter at place p once costs.  A counter on ENTRY sits on each edge
 * out of it. */
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

/* uncountable - whether scheme may not put a counter at place p. */
static bool
uncountable(const Graph *g, Scheme scheme, int p)
{
	/* invariant 5 */
	return ispinned(g, p) || (!isblock(g, p) && (scheme == VERTICES || scheme == REDUNDANT));
}

/* If all edges are in first[] (VERTICES), the sets of points after the first round are the classes
 * of Knuth and Stevenson: the successors of a block come together at its tail.  The second round
 * makes a maximum spanning forest of their smaller graph, in which each block is an edge. */
bool *
spanning(const Graph *g, const bool *out, const bool *first, Forest *f, bool *lost, Arena *tmp)
{
	bool *over = anew(tmp, bool, nplace(g));
	double *key = anew(tmp, double, nplace(g));
	int *order = anew(tmp, int, nplace(g));
	int n = 0, i, p;

	*lost = false;
	for (p = 0; p < nplace(g); p++) {
		if (out[p])
			continue;
		if (first[p]) {
			if (!unite(f, from(g, p), to(g, p)))
				*lost = true;
		} else {
			key[p] = unitcost(g, p);
			order[n++] = p;
		}
	}
	rank(key, order, n, tmp); /* decides between equal prices: the second sort is stable */
	for (i = 0; i < n; i++)
		key[order[i]] = price(g, order[i]);
	rank(key, order, n, tmp);
	for (i = 0; i < n; i++) {
		p = order[i];
		over[p] = !unite(f, from(g, p), to(g, p));
	}
	return over;
}

/* dropedges - remove the counters that only tell edges apart: those on an edge whose cycle in the
 * spanning forest passes through no block.
 *
 * This is figure 11 of the paper without its marks.  The figure removes at most one counter from
 * cycles that touch, lest two pipeless cycles combine into a piped one.  They cannot: every cycle
 * of forest and removed edges is a sum of the removed edges' own cycles, and if no term changes the
 * count of a block, neither does the sum.  Without marks more counters go, in any order, and no
 * cycle need be walked: it is enough that the forest's edges alone connect the edge's ends. */
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

/* leftover - the places to count: those that the spanning forest leaves over. */
static bool *
leftover(const Graph *g, Scheme scheme, bool *lost, Arena *tmp)
{
	bool *out = anew(tmp, bool, nplace(g)), *first = anew(tmp, bool, nplace(g)), *over;
	Forest f = newforest(npoint(g), tmp);
	int p;

	for (p = 0; p < nplace(g); p++) {
		first[p] = uncountable(g, scheme, p);
		/* invariant 6 */
		out[p] = isnever(g, p) || (scheme == REDUNDANT && p >= FIRST && !first[p]);
	}
	over = spanning(g, out, first, &f, lost, tmp);
	for (p = FIRST; p < g->nblock; p++)
		over[p] |= out[p];
	return over;
}

Plan *
place(const Graph *g, Scheme scheme, Arena *a)
{
	Plan *plan = newplan(g, a);
	Arena tmp = {0};
	bool lost; /* matters to EDGES only: the others promise no edges */
	bool *over = leftover(g, scheme, &lost, &tmp);

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

Plan *
handplan(const Graph *g, const bool *counted, Arena *a)
{
	Plan *plan = newplan(g, a);

	number(g, plan, counted);
	return plan;
}
