/* section5.c - weigh() against the paper's section 5 taken literally: natural
 * loops as sets, found by reachability, and the rules applied to the sets.
 * On graphs in which every back edge leads to a block that dominates its source;
 * for others the paper does not define loops that nest. */

#include "../gen.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { GRAPHS = 6000, MOST = 60, MAXB = 400, MAXE = 1600 };

static bool inset[MAXB][MAXB]; /* by head: its natural loop */
static bool ishead[MAXB], isback[MAXE], assigned[MAXE];
static double w[MAXE];
static int order[MAXB], norder;

/* dfs - recursive, as a textbook has it. */
static void
dfs(const Graph *g, int b, int *state)
{
	int i;

	state[b] = 1;
	for (i = g->outat[b]; i < g->outat[b + 1]; i++) {
		int e = g->out[i].edge, dst = g->edge[e].dst;

		if (state[dst] == 0)
			dfs(g, dst, state);
		else if (state[dst] == 1 && e != CLOSING)
			isback[e] = true;
	}
	state[b] = 2;
	order[norder++] = b;
}

/* reaches - mark what leads to b along edges, without passing `not'. */
static void
reaches(const Graph *g, int b, int not, bool *set)
{
	int i;

	if (b == not || set[b])
		return;
	set[b] = true;
	for (i = g->inat[b]; i < g->inat[b + 1]; i++)
		if (g->in[i].edge != CLOSING)
			reaches(g, g->edge[g->in[i].edge].src, not, set);
}

/* prepare - loops; false if a back edge's target does not dominate its source. */
static bool
prepare(const Graph *g)
{
	int state[MAXB] = {0}, e, b;

	memset(inset, 0, sizeof inset);
	memset(ishead, 0, sizeof ishead);
	memset(isback, 0, sizeof isback);
	memset(assigned, 0, sizeof assigned);
	memset(w, 0, sizeof w);
	norder = 0;
	dfs(g, ENTRY, state);
	for (e = 0; e < g->nedge; e++) {
		bool set[MAXB] = {0};
		int head = g->edge[e].dst;

		if (!isback[e])
			continue;
		reaches(g, g->edge[e].src, head, set);
		if (set[ENTRY])
			return false;
		ishead[head] = true;
		inset[head][head] = true;
		for (b = 0; b < g->nblock; b++) /* loops are made of what can run */
			inset[head][b] |= set[b] && state[b];
	}
	return true;
}

static void
assign(int e, double weight, int *clamps, bool *clamped)
{
	if (assigned[e])
		return;
	if (weight < -1e-9 && !*clamped) {
		++*clamps;
		*clamped = true;
	}
	w[e] = weight > 0 ? weight : 0;
	assigned[e] = true;
}

static bool
isexit(const Graph *g, int head, int e)
{
	return inset[head][g->edge[e].src] && !inset[head][g->edge[e].dst];
}

static bool
isloopexit(const Graph *g, int e)
{
	int h;

	for (h = 0; h < g->nblock; h++)
		if (ishead[h] && isexit(g, h, e))
			return true;
	return false;
}

/* literal - the three rules.  Returns the clamps; *several gets whether an edge
 * leaves more than one loop, where rule 2 as printed would break the law. */
static int
literal(const Graph *g, bool *several)
{
	int clamps = 0, k, i, e;

	*several = false;
	assigned[CLOSING] = true;
	w[CLOSING] = 1;
	for (k = norder - 1; k >= 0; k--) {
		int b = order[k], n = 0;
		double weight = 0, rest;
		bool clamped = false;

		if (b == EXIT)
			continue;
		for (i = g->inat[b]; i < g->inat[b + 1]; i++)
			if (!isback[g->in[i].edge])
				weight += w[g->in[i].edge];
		if (ishead[b]) {
			rest = weight;
			for (e = 0; e < g->nedge; e++)
				if (isexit(g, b, e)) {
					if (assigned[e]) {
						rest -= w[e];
						*several = true;
					} else {
						n++;
					}
				}
			for (e = 0; e < g->nedge; e++)
				if (isexit(g, b, e))
					assign(e, rest / n, &clamps, &clamped);
			weight *= 10;
		}
		clamped = false;
		rest = weight;
		for (n = 0, i = g->outat[b]; i < g->outat[b + 1]; i++) {
			e = g->out[i].edge;
			if (isloopexit(g, e))
				rest -= w[e];
			else
				n++;
		}
		for (i = g->outat[b]; i < g->outat[b + 1]; i++)
			assign(g->out[i].edge, rest / n, &clamps, &clamped);
	}
	return clamps;
}

int
main(void)
{
	uint64_t first = seed();
	int i, e, done = 0, severals = 0;
	long clamped = 0;

	printf("# seed %" PRIu64 "\n", first);
	fflush(stdout);
	for (i = 0; done < GRAPHS; i++) {
		Arena a = {0};
		Rng r = {first + (uint64_t)i * 0x100000001b3};
		Graph *g = randomgraph(&a, &r, i % NKINDS, 1 + pick(&r, MOST));
		int clamps;
		bool several;

		closeflow(g, &a);
		if (g->nblock <= MAXB && g->nedge <= MAXE && prepare(g)) {
			clamps = literal(g, &several);
			if (weigh(g, &a) != clamps) {
				fprintf(stderr, "seed %" PRIu64 ", graph %d: other clamps\n", first,
					i);
				writegraph(stderr, g);
				return 1;
			}
			for (e = 0; e < g->nedge; e++)
				if (fabs(w[e] - g->edge[e].weight) > 1e-9 * (1 + w[e])) {
					fprintf(stderr,
						"seed %" PRIu64
						", graph %d: %d -> %d weighs %g, not %g\n",
						first, i, g->edge[e].src, g->edge[e].dst,
						g->edge[e].weight, w[e]);
					writegraph(stderr, g);
					return 1;
				}
			done++;
			severals += several;
			clamped += clamps;
		}
		areset(&a);
	}
	printf("# %d reducible graphs, %d with edges that leave several loops, %ld clamps\n", done,
	       severals, clamped);
	return !severals || !clamped;
}
