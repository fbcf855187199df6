/* figure11.c - place() against figure 11 of Ball and Larus 1994, with each cycle walked.  Without
 * the figure's marks both remove the same counters; with them the figure removes fewer.  The
 * counters that place() leaves still determine every block. */

#include "../gen.h"

#include <inttypes.h>
#include <string.h>

enum { GRAPHS = 8000, MOST = 60, MAXB = 400, MAXE = 1600 };

/* path - find the edges of the tree between blocks a and b, from b on; returns how many. */
static int
path(const Graph *g, const bool *tree, int a, int b, int *edges)
{
	int queue[MAXB], over[MAXB], n = 0, i, e, at;
	bool seen[MAXB] = {0};

	queue[n++] = a;
	seen[a] = true;
	for (i = 0; i < n && !seen[b]; i++)
		for (e = 0; e < g->nedge; e++) {
			int x = g->edge[e].src, y = g->edge[e].dst;

			if (!tree[e] || (x != queue[i] && y != queue[i]))
				continue;
			at = x == queue[i] ? y : x;
			if (!seen[at]) {
				seen[at] = true;
				over[at] = e;
				queue[n++] = at;
			}
		}
	for (n = 0, at = b; at != a; n++) {
		e = edges[n] = over[at];
		at = g->edge[e].src == at ? g->edge[e].dst : g->edge[e].src;
	}
	return n;
}

/* pipeless - whether the direction changes wherever two edges of a cycle meet.  The cycle begins
 * with edge[0], backwards. */
static bool
pipeless(const Graph *g, const int *edge, int n)
{
	int at = g->edge[edge[0]].dst, i;

	for (i = 0; i < n; i++) {
		const Edge *cur = &g->edge[edge[i]], *next = &g->edge[edge[(i + 1) % n]];
		bool forward = cur->src == at && cur->dst != at;

		if (n == 1)
			return false; /* a self loop enters and leaves its block */
		at = forward ? cur->dst : cur->src;
		if ((next->src == at) != (cur->src == at))
			return false;
	}
	return true;
}

/* figure11 - find the counters that the figure removes, by edge. */
static void
figure11(const Graph *g, const Plan *plan, bool marks, bool *removed, Arena *a)
{
	bool tree[MAXE] = {0}, mark[MAXB] = {0};
	double key[MAXE] = {0};
	int order[MAXE], cycle[MAXB + 1], n = 0, i, k, len;

	for (i = 0; i < g->nedge; i++) {
		key[i] = g->edge[i].weight;
		removed[i] = false;
		if (plan->slot[edgeplace(g, i)] != NOSLOT)
			order[n++] = i;
		else
			tree[i] = !g->edge[i].never;
	}
	rank(key, order, n, a);
	for (i = 0; i < n; i++) {
		const Edge *e = &g->edge[order[i]];
		bool marked = false;

		cycle[0] = order[i];
		len = 1 + path(g, tree, e->dst, e->src, cycle + 1);
		/* path() lists its edges from src back to dst */
		for (k = 0; k < len; k++)
			marked |= mark[g->edge[cycle[k]].src] || mark[g->edge[cycle[k]].dst];
		if ((marks && marked) || !pipeless(g, cycle, len))
			continue;
		for (k = 0; k < len; k++)
			mark[g->edge[cycle[k]].src] = mark[g->edge[cycle[k]].dst] = true;
		removed[order[i]] = true;
	}
}

/* compare - returns how many counters place() removes, -1 if that is wrong; *figure gets how many
 * the figure removes. */
static int
compare(Graph *g, Arena *a, int *figure, int *counters)
{
	bool marked[MAXE], unmarked[MAXE];
	Plan *all = place(g, EDGES, a), *few = place(g, BYEDGES, a);
	int ours = 0, e;

	figure11(g, all, true, marked, a);
	figure11(g, all, false, unmarked, a);
	*figure = 0;
	*counters = all->nslot;
	for (e = 0; e < g->nedge; e++) {
		int p = edgeplace(g, e);
		bool gone = all->slot[p] != NOSLOT && few->slot[p] == NOSLOT;

		if (gone != unmarked[e] || (marked[e] && !gone))
			return -1;
		*figure += marked[e];
		ours += gone;
	}
	return checkplan(g, few, a) == NONE ? ours : -1;
}

int
main(void)
{
	uint64_t first = seed();
	long figure = 0, ours = 0, counters = 0;
	int i, done = 0;

	printf("# seed %" PRIu64 "\n", first);
	for (i = 0; done < GRAPHS; i++) {
		Arena a = {0};
		Rng r = {first + (uint64_t)i * 0x100000001b3};
		Graph *g = randomgraph(&a, &r, i % NKINDS, 1 + pick(&r, MOST));

		closeflow(g, &a);
		if (g->nblock <= MAXB && g->nedge <= MAXE) {
			int f, n, c;

			weigh(g, &a);
			n = compare(g, &a, &f, &c);
			if (n < 0) {
				fprintf(stderr, "seed %" PRIu64 ", graph %d differs\n", first, i);
				writegraph(stderr, g);
				return 1;
			}
			figure += f;
			ours += n;
			counters += c;
			done++;
		}
		areset(&a);
	}
	printf("# of %ld counters the figure takes away %ld, place() %ld\n", counters, figure,
	       ours);
	return !(0 < figure && figure < ours);
}
