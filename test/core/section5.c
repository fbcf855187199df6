/* section5.c - weigh() against section 5 of Ball and Larus 1994, done the slow way: loops as sets
 * of blocks, found by reachability, and the rules applied to these sets.
 *
 * The rules are applied by the letter if no edge leaves several loops and every back edge leads to
 * a block that dominates its source.  Otherwise they are applied with the departures that weigh.c
 * describes: exits share what is left, and a loop is what the search reached through its head. */

#include "../gen.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { GRAPHS = 6000, MOST = 60, MAXB = 400, MAXE = 1600 };

static bool inset[MAXB][MAXB]; /* by head: its natural loop */
static bool ishead[MAXB], isback[MAXE], assigned[MAXE];
static double w[MAXE];
static int order[MAXB], norder;
static int pre[MAXB], last[MAXB], clock;

/* dfs - recursive, as in a textbook. */
static void
dfs(const Graph *g, int b, int *state)
{
	int i;

	state[b] = 1;
	pre[b] = ++clock;
	for (i = g->outat[b]; i < g->outat[b + 1]; i++) {
		int e = g->out[i].edge, dst = g->edge[e].dst;

		if (state[dst] == 0)
			dfs(g, dst, state);
		else if (state[dst] == 1 && e != CLOSING)
			isback[e] = true;
	}
	state[b] = 2;
	last[b] = clock;
	order[norder++] = b;
}

/* reaches - add to set[] what reaches b without passing `not'; if `in', only blocks that the search
 * reached through `not'. */
static void
reaches(const Graph *g, int b, int not, bool in, bool *set)
{
	int i;

	if (b == not || set[b] || !pre[b] || (in && (pre[b] < pre[not ] || pre[b] > last[not ])))
		return;
	set[b] = true;
	for (i = g->inat[b]; i < g->inat[b + 1]; i++)
		if (g->in[i].edge != CLOSING)
			reaches(g, g->in[i].block, not, in, set);
}

/* prepare - find the loops; returns whether all back edges lead to dominators of their sources. */
static bool
prepare(const Graph *g)
{
	int state[MAXB] = {0}, e, b;
	bool reducible = true;

	memset(inset, 0, sizeof inset);
	memset(ishead, 0, sizeof ishead);
	memset(isback, 0, sizeof isback);
	memset(pre, 0, sizeof pre);
	norder = clock = 0;
	dfs(g, ENTRY, state);
	for (e = 0; e < g->nedge; e++) {
		bool set[MAXB] = {0}, all[MAXB] = {0};
		int head = g->edge[e].dst;

		if (!isback[e])
			continue;
		reaches(g, g->edge[e].src, head, false, all);
		reaches(g, g->edge[e].src, head, true, set);
		reducible &= !all[ENTRY];
		ishead[head] = true;
		inset[head][head] = true;
		for (b = 0; b < g->nblock; b++)
			inset[head][b] |= set[b];
	}
	return reducible;
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

/* rule2 - weigh the exits of the loop of head b; sets *several if one has its weight already,
 * because it also leaves a loop further out. */
static void
rule2(const Graph *g, int b, double weight, bool letter, bool *several, int *clamps)
{
	double rest = weight;
	bool clamped = false;
	int e, n = 0, all = 0;

	for (e = 0; e < g->nedge; e++) {
		if (!isexit(g, b, e))
			continue;
		all++;
		n += !assigned[e];
		if (assigned[e]) {
			rest -= w[e];
			*several = true;
		}
	}
	for (e = 0; e < g->nedge; e++)
		if (isexit(g, b, e))
			assign(e, letter ? weight / all : rest / n, clamps, &clamped);
}

/* rules - apply all three rules to every block in turn; returns the number of clamps. */
static int
rules(const Graph *g, bool letter, bool *several)
{
	int clamps = 0, k, i, e;

	memset(assigned, 0, sizeof assigned);
	memset(w, 0, sizeof w);
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
			rule2(g, b, weight, letter, several, &clamps);
			weight *= 10;
		}
		rest = weight;
		for (i = g->outat[b]; i < g->outat[b + 1]; i++) {
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

/* same - whether weigh() and rules() gave the same weights. */
static bool
same(const Graph *g)
{
	int e;

	for (e = 0; e < g->nedge; e++)
		if (fabs(w[e] - g->edge[e].weight) > 1e-9 * (1 + w[e])) {
			fprintf(stderr, "%d -> %d weighs %g, not %g\n", g->edge[e].src,
				g->edge[e].dst, g->edge[e].weight, w[e]);
			return false;
		}
	return true;
}

int
main(void)
{
	uint64_t first = seed();
	int i, done = 0, letter = 0, severals = 0, irreducible = 0;
	long clamped = 0;

	printf("# seed %" PRIu64 "\n", first);
	fflush(stdout);
	for (i = 0; done < GRAPHS; i++) {
		Arena a = {0};
		Rng r = {first + (uint64_t)i * 0x100000001b3};
		Graph *g = randomgraph(&a, &r, i % NKINDS, 1 + pick(&r, MOST));
		bool several, reducible, good;
		int clamps;

		closeflow(g, &a);
		if (g->nblock <= MAXB && g->nedge <= MAXE) {
			clamps = weigh(g, &a);
			reducible = prepare(g);
			good = rules(g, false, &several) == clamps && same(g);
			if (reducible && !several) {
				good &= rules(g, true, &several) == clamps && same(g);
				letter++;
			}
			if (!good) {
				fprintf(stderr, "seed %" PRIu64 ", graph %d\n", first, i);
				writegraph(stderr, g);
				return 1;
			}
			done++;
			severals += several;
			irreducible += !reducible;
			clamped += clamps;
		}
		areset(&a);
	}
	printf("# %d graphs, %d of them by the letter; %d with edges that leave several loops, "
	       "%d irreducible, %ld clamps\n",
	       done, letter, severals, irreducible, clamped);
	return !letter || !severals || !irreducible || !clamped;
}
