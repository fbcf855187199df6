/* brute.c - on small graphs, try everything: plans are the cheapest possible, and checkplan()
 * agrees with linear algebra on any set of counters. */

#include "../gen.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { GRAPHS = 4000, MOSTEDGES = 8, MOSTPLACES = 40 };

static const uint64_t prime = 2147483647; /* products fit into 64 bits */

static uint64_t first;
static int graph;
static Graph *cur;

static void
fail(const char *what, const char *which)
{
	fprintf(stderr, "seed %" PRIu64 ", graph %d: %s: %s\n", first, graph, which, what);
	writegraph(stderr, cur);
	exit(1);
}

static uint64_t
times(uint64_t a, uint64_t b)
{
	return a * b % prime;
}

static uint64_t
inverse(uint64_t a)
{
	uint64_t e = prime - 2, x = 1;

	for (; e; e >>= 1, a = times(a, a))
		if (e & 1)
			x = times(x, a);
	return x;
}

/* dimension - the rank of the matrix of the law of flow, with an equation for each point and an
 * unknown for each place in use[]; by elimination modulo a prime. */
static int
dimension(const Graph *g, const bool *use)
{
	uint64_t m[MOSTPLACES][MOSTPLACES] = {{0}};
	uint64_t inv;
	int rows = npoint(g), cols = 0, row = 0, c, i, k, p;

	for (p = 0; p < nplace(g); p++) {
		if (!use[p])
			continue;
		m[from(g, p)][cols] = prime - 1;
		m[to(g, p)][cols] = 1;
		cols++;
	}
	for (c = 0; c < cols && row < rows; c++) {
		for (i = row; i < rows && !m[i][c]; i++)
			;
		if (i == rows)
			continue;
		for (k = 0; k < cols; k++) {
			uint64_t t = m[i][k];

			m[i][k] = m[row][k];
			m[row][k] = t;
		}
		inv = inverse(m[row][c]);
		for (i = row + 1; i < rows; i++) {
			uint64_t f = m[i][c] ? times(m[i][c], inv) : 0;

			for (k = c; f && k < cols; k++)
				m[i][k] = (m[i][k] + prime - times(f, m[row][k])) % prime;
		}
		row++;
	}
	return row;
}

/* follows - whether the law determines the count of p, which has no counter: if so, the rank falls
 * without it. */
static bool
follows(const Graph *g, bool *unknown, int p)
{
	int with = dimension(g, unknown), without;

	unknown[p] = false;
	without = dimension(g, unknown);
	unknown[p] = true;
	return without == with - 1;
}

/* suffices - whether a set of counters determines every block, or every place. */
static bool
suffices(const Graph *g, const bool *counted, bool edges)
{
	bool unknown[MOSTPLACES];
	int n = edges ? nplace(g) : g->nblock, p;

	for (p = 0; p < nplace(g); p++)
		unknown[p] = !counted[p] && !isnever(g, p);
	for (p = 0; p < n; p++)
		if (unknown[p] && !follows(g, unknown, p))
			return false;
	return true;
}

/* dear - the cost of a counter at place p; a counter on ENTRY sits on each edge out of it. */
static double
dear(const Graph *g, int p)
{
	double sum = 0;
	int e;

	if (p >= g->nblock)
		return placeedge(g, p)->weight * placeedge(g, p)->cost;
	if (p != ENTRY)
		return g->block[p].weight * g->block[p].cost;
	for (e = 0; e < g->nedge; e++)
		if (g->edge[e].src == ENTRY)
			sum += g->edge[e].weight * g->edge[e].cost;
	return sum;
}

static void
costright(const Graph *g, const Plan *plan, const char *name)
{
	double sum = 0;
	int p;

	for (p = 0; p < nplace(g); p++)
		if (plan->slot[p] != NOSLOT)
			sum += dear(g, p);
	if (fabs(sum - plan->cost) > 1e-9 * sum)
		fail("the cost is wrong", name);
}

/* cheapest - check that no sufficient set of allowed counters is cheaper than the plan. */
static void
cheapest(const Graph *g, const Plan *plan, const bool *allowed, bool edges, const char *name)
{
	int place[MOSTPLACES], n = 0, i;
	unsigned set;

	for (i = 0; i < nplace(g); i++)
		if (allowed[i])
			place[n++] = i;
	for (set = 0; set < 1u << n; set++) {
		bool counted[MOSTPLACES] = {0};
		double cost = 0;

		for (i = 0; i < n; i++)
			if (set >> i & 1) {
				counted[place[i]] = true;
				cost += dear(g, place[i]);
			}
		if (cost < plan->cost * (1 - 1e-9) - 1e-300 && suffices(g, counted, edges))
			fail("there is a cheaper placement", name);
	}
}

static void
minimal(const Graph *g, bool plain, Arena *a)
{
	bool edges[MOSTPLACES] = {0}, blocks[MOSTPLACES] = {0}, any[MOSTPLACES] = {0};
	Plan *plan = place(g, EDGES, a), *blockplan = place(g, VERTICES, a);
	int p, nany = 0;

	costright(g, plan, "edges");
	costright(g, blockplan, "vertices");

	for (p = 0; p < nplace(g); p++) {
		if (isnever(g, p) || ispinned(g, p))
			continue;
		(isblock(g, p) ? blocks : edges)[p] = any[p] = true;
		nany++;
	}
	if (plain)
		cheapest(g, plan, edges, true, "edges");
	if (plan->edges && nany <= 12)
		cheapest(g, plan, any, true, "edges or blocks");
	cheapest(g, blockplan, blocks, false, "vertices");
}

/* oracle - check determined() and checkplan() against linear algebra, with random counters. */
static void
oracle(const Graph *g, Rng *r, Arena *a)
{
	bool counted[MOSTPLACES], unknown[MOSTPLACES], *sure;
	Plan *plan;
	int p, few = 1 + pick(r, 4);

	for (p = 0; p < nplace(g); p++) {
		counted[p] = !isnever(g, p) && oneof(r, few);
		unknown[p] = !counted[p] && !isnever(g, p);
	}
	plan = handplan(g, counted, a);
	sure = determined(g, plan, a);
	for (p = 0; p < nplace(g); p++)
		if (sure[p] != (!unknown[p] || follows(g, unknown, p)))
			fail("what is determined differs from linear algebra",
			     isblock(g, p) ? "block" : "edge");
	plan->edges = oneof(r, 2);
	if ((checkplan(g, plan, a) == NONE) != suffices(g, counted, plan->edges)
	    && !g->block[ENTRY].pinned)
		fail("checkplan differs from linear algebra", "plan");
}

int
main(void)
{
	int i, tried = 0;

	first = seed();
	printf("# seed %" PRIu64 "\n", first);
	fflush(stdout);
	for (graph = 0; tried < GRAPHS; graph++) {
		Rng r = {first + (uint64_t)graph * 0x100000001b3};
		Arena a = {0};
		Graph *g = cur = randomgraph(&a, &r, graph % NKINDS, 1 + pick(&r, 6));
		bool plain = !oneof(&r, 3);

		if (!plain)
			decorate(g, &r);
		if (g->nedge - 1 <= MOSTEDGES && g->nblock <= MOSTEDGES) {
			tried++;
			closeflow(g, &a);
			weigh(g, &a);
			minimal(g, plain, &a);
			for (i = 0; i < 4; i++)
				oracle(g, &r, &a);
		}
		areset(&a);
	}
	printf("# %d graphs of up to %d edges\n", tried, MOSTEDGES);
	return 0;
}
