/* random.c - random graphs, and random walks on them that may begin late and end early: the counts
 * solved from the counters of every placement are those of the walks.
 *
 * TALLY_SEED=N repeats a run; a failing graph is printed as text for `tally graph'. */

#include "../gen.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { GRAPHS = 24000, MOST = 200 };

static const char *what;
static Graph *cur;

static void
fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fprintf(stderr, "%s: ", what);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
	writegraph(stderr, cur);
	exit(1);
}

/* What was seen: the test fails if it has not tried everything. */
static long nclamped, nbent, nlaw, nsolved, nremoved, ndropped, nunsure, ninblock, ncut;

/* law - check that the weights obey Kirchhoff's law at every block that is not bent, and that
 * blocks are bent only for a reason. */
static void
law(const Graph *g, Kind kind, int clamps)
{
	int b, i;

	for (b = 0; b < g->nblock; b++) {
		double came = 0, went = 0;

		for (i = g->inat[b]; i < g->inat[b + 1]; i++)
			came += g->edge[g->in[i].edge].weight;
		for (i = g->outat[b]; i < g->outat[b + 1]; i++)
			went += g->edge[g->out[i].edge].weight;
		if (!(came >= 0 && went >= 0 && isfinite(came) && isfinite(went)))
			fail("weights of block %d: %g in, %g out", b, came, went);
		if (g->block[b].bent) {
			nbent++;
			if (!clamps && kind == STRUCTURED)
				fail("block %d is bent without a clamp", b);
			continue;
		}
		nlaw++;
		if (fabs(came - went) > 1e-9 * (came + went))
			fail("%.17g comes to block %d, %.17g goes", came, b, went);
	}
	nclamped += clamps;
}

/* tight - check that checkplan() misses any counter that is removed. */
static void
tight(const Graph *g, Plan *plan, Scheme scheme)
{
	int p, slot;

	for (p = 0; p < nplace(g); p++) {
		Arena tmp = {0};

		slot = plan->slot[p];
		if (slot == NOSLOT)
			continue;
		plan->slot[p] = NOSLOT;
		if (checkplan(g, plan, &tmp) == NONE)
			fail("%s: checkplan does not miss the counter of place %d",
			     schemename[scheme], p);
		plan->slot[p] = slot;
		nremoved++;
		areset(&tmp);
	}
}

static void
compare(const Graph *g, const Plan *plan, const Truth *truth, Scheme scheme, Arena *a)
{
	uint64_t *counter = anew(a, uint64_t, plan->nslot);
	Flow *flow;
	int p;

	for (p = 0; p < nplace(g); p++)
		if (plan->slot[p] != NOSLOT)
			counter[plan->slot[p]] = truth->count[p];
	flow = solve(g, plan, counter, truth->cut, truth->ncut, a);
	if (flow->bad)
		fail("%s: %d contradictions, place %d, point %d", schemename[scheme], flow->bad,
		     flow->badplace, flow->badpoint);
	for (p = 0; p < nplace(g); p++) {
		if (!flow->known[p]) {
			nunsure++;
			if (plan->edges
			    || (isblock(g, p) && (p >= FIRST || !g->block[ENTRY].pinned)))
				fail("%s: place %d is not known", schemename[scheme], p);
		} else if (flow->count[p] != truth->count[p]) {
			fail("%s: place %d: solved %" PRId64 ", walked %" PRIu64,
			     schemename[scheme], p, (int64_t)flow->count[p], truth->count[p]);
		}
		nsolved += flow->known[p];
	}
}

/* truecost - what a plan would have cost in the walks that were made. */
static double
truecost(const Graph *g, const Plan *plan, const Truth *truth)
{
	double sum = 0;
	int p;

	for (p = 0; p < nplace(g); p++)
		if (plan->slot[p] != NOSLOT)
			sum += (double)truth->count[p]
			       * (isblock(g, p) ? g->block[p].cost : placeedge(g, p)->cost);
	return sum;
}

static void
exact(Graph *g, const Plan *heuristic, Truth *truth, Arena *a)
{
	Flow flow = {.count = truth->count};
	double sum;
	Plan *plan;

	weighexact(g, &flow);
	plan = place(g, EDGES, a);
	sum = truecost(g, plan, truth);
	if (fabs(plan->cost - sum) > 1e-9 * sum)
		fail("exact plan costs %.17g, not %.17g", sum, plan->cost);
	if (sum > truecost(g, heuristic, truth) * (1 + 1e-9))
		fail("exact weights make a dearer plan");
	compare(g, plan, truth, EDGES, a);
}

/* placed - check that there are counters only where they can be: invariant 5. */
static void
placed(const Graph *g, const Plan *plan, Scheme scheme)
{
	int p;

	for (p = 0; p < nplace(g); p++)
		if (plan->slot[p] != NOSLOT
		    && (ispinned(g, p) || isnever(g, p) || p == EXIT || p == edgeplace(g, CLOSING)))
			fail("%s: a counter at place %d", schemename[scheme], p);
}

static void
placements(Graph *g, Rng *r, bool decorated, Truth *truth, Arena *a)
{
	Plan *plan[NSCHEME];
	Scheme s;
	int p;

	for (s = 0; s < NSCHEME; s++) {
		plan[s] = place(g, s, a);
		placed(g, plan[s], s);
		p = checkplan(g, plan[s], a);
		if (p != NONE)
			fail("%s: place %d does not follow", schemename[s], p);
		compare(g, plan[s], truth, s, a);
	}
	if (!decorated && !plan[EDGES]->edges)
		fail("edges: not all edges are told");
	for (p = 0; p < g->nblock; p++)
		if (plan[EDGES]->slot[p] != NOSLOT) {
			ninblock++;
			if (!decorated)
				fail("edges: a counter in block %d", p);
		}
	if (plan[BYEDGES]->cost > plan[EDGES]->cost * (1 + 1e-12))
		fail("vertices-by-edges is dearer than edges");
	ndropped += plan[EDGES]->nslot - plan[BYEDGES]->nslot;
	if (oneof(r, 4)) {
		tight(g, plan[VERTICES], VERTICES);
		if (plan[EDGES]->edges)
			tight(g, plan[EDGES], EDGES);
	}
	exact(g, plan[EDGES], truth, a);
}

int
main(void)
{
	uint64_t first = seed();
	int i;

	printf("# seed %" PRIu64 "\n", first);
	fflush(stdout);
	for (i = 0; i < GRAPHS; i++) {
		Arena a = {0};
		Rng r = {first + (uint64_t)i * 0x100000001b3};
		Kind kind = i % NKINDS;
		bool decorated = oneof(&r, 3);
		int n = 1 + pick(&r, oneof(&r, 4) ? MOST : 30), walks = 1 + pick(&r, 12);
		Graph *g = cur = randomgraph(&a, &r, kind, n);
		Truth truth = {0};
		char buf[100];

		sprintf(buf, "seed %" PRIu64 ", graph %d (%s)", first, i, kindnames[kind]);
		what = buf;
		if (decorated)
			decorate(g, &r);
		closeflow(g, &a);
		law(g, kind, weigh(g, &a));
		truth.count = anew(&a, uint64_t, nplace(g));
		while (walks-- > 0)
			stroll(g, &r, &truth, &a, pick(&r, 1000),
			       1 + draw(&r) % (oneof(&r, 3) ? 1ull << 40 : 3));
		ncut += truth.ncut;
		placements(g, &r, decorated, &truth, &a);
		areset(&a);
	}
	printf("# %d graphs: law of flow at %ld blocks (%ld bent, %ld clamps); %ld counts solved\n",
	       GRAPHS, nlaw, nbent, nclamped, nsolved);
	printf("# %ld cuts; %ld counters removed and missed; %ld dropped by vertices-by-edges\n",
	       ncut, nremoved, ndropped);
	printf("# %ld edges not told apart where only blocks are asked for; %ld edge plans' "
	       "counters in blocks\n",
	       nunsure, ninblock);
	if (!nbent || !nclamped || !ncut || !nremoved || !ndropped || !nunsure || !ninblock) {
		fprintf(stderr, "something was never seen: the test has lost its teeth\n");
		return 1;
	}
	return 0;
}
