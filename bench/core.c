/* core.c - the cost of the passes of the core, on graphs of 100,000 and 1,000,000 blocks.  CPU time
 * in milliseconds, the least of several rounds in which both sizes take turns. */

#include "../test/shapes.h"

#include <time.h>

enum { SMALL = 100000, LARGE = 1000000, ROUNDS = 3, NPASS = 5 };

static const char *const passname[NPASS] = {"close", "weigh", "place", "check", "solve"};

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void
least(double *best, double start)
{
	double t = now() - start;

	if (*best == 0 || t < *best)
		*best = t;
}

/* measure - one round on one graph, counters placed as --counters=edges does. */
static void
measure(const Shape *shape, int n, double *best)
{
	Arena a = {0}, tmp = {0};
	Graph *g = shape->make(&a, n);
	uint64_t *counter;
	Plan *plan;
	double t = now();
	int i;

	closeflow(g, &tmp);
	least(&best[0], t);
	t = now();
	weigh(g, &tmp);
	least(&best[1], t);
	t = now();
	plan = place(g, EDGES, &a);
	least(&best[2], t);
	t = now();
	if (checkplan(g, plan, &tmp) != NONE)
		abort();
	least(&best[3], t);
	counter = anew(&a, uint64_t, plan->nslot);
	for (i = 0; i < plan->nslot; i++)
		counter[i] = 1;
	t = now();
	solve(g, plan, counter, NULL, 0, &a);
	least(&best[4], t);
	areset(&tmp);
	areset(&a);
}

int
main(void)
{
	int i, k, pass;

	printf("%-12s %9s", "shape", "blocks");
	for (pass = 0; pass < NPASS; pass++)
		printf(" %7s", passname[pass]);
	printf(" %8s\n", "ms");
	for (i = 0; i < NSHAPE; i++) {
		double best[2][NPASS] = {{0}}, sum[2] = {0};

		for (k = 0; k < 2 * ROUNDS; k++)
			measure(&shapes[i], k % 2 ? LARGE : SMALL, best[k % 2]);
		for (k = 0; k < 2; k++) {
			printf("%-12s %9d", shapes[i].name, k ? LARGE : SMALL);
			for (pass = 0; pass < NPASS; pass++) {
				printf(" %7.1f", best[k][pass]);
				sum[k] += best[k][pass];
			}
			printf(" %8.1f", sum[k]);
			if (k)
				printf("  %.1f times", sum[1] / sum[0]);
			putchar('\n');
		}
	}
	return 0;
}
