/* deep.c - graphs of a million blocks, on a stack of 64 KiB: nothing recurses.
 * tally-test:slow */

#include "../shapes.h"

#include <inttypes.h>
#include <pthread.h>
#include <string.h>

enum { BLOCKS = 1000000, STACK = 64 * 1024 };

/* work - do everything that the core does on one graph, with one long walk as the truth; returns
 * what is wrong, or NULL. */
static void *
work(void *arg)
{
	const Shape *shape = arg;
	Arena a = {0};
	Rng r = {1};
	Graph *g = shape->make(&a, BLOCKS);
	Truth truth = {0};
	Scheme s;
	int p;

	closeflow(g, &a);
	weigh(g, &a);
	truth.count = anew(&a, uint64_t, nplace(g));
	stroll(g, &r, &truth, &a, 3 * BLOCKS, 1);
	for (s = 0; s < NSCHEME; s++) {
		Plan *plan = place(g, s, &a);
		uint64_t *counter = anew(&a, uint64_t, plan->nslot);
		Flow *flow;

		if (checkplan(g, plan, &a) != NONE)
			return "a plan does not suffice";
		for (p = 0; p < nplace(g); p++)
			if (plan->slot[p] != NOSLOT)
				counter[plan->slot[p]] = truth.count[p];
		flow = solve(g, plan, counter, truth.cut, truth.ncut, &a);
		for (p = 0; p < nplace(g); p++)
			if (flow->known[p] ? flow->count[p] != truth.count[p] : isblock(g, p))
				return "a count is wrong";
	}
	areset(&a);
	return NULL;
}

int
main(void)
{
	pthread_attr_t attr;
	pthread_t thread;
	void *wrong;
	int i;

	pthread_attr_init(&attr);
	if (pthread_attr_setstacksize(&attr, STACK) != 0)
		return 1;
	for (i = 0; i < NSHAPE; i++) {
		if (pthread_create(&thread, &attr, work, (void *)&shapes[i]) != 0)
			return 1;
		pthread_join(thread, &wrong);
		printf("# %s: %s\n", shapes[i].name, wrong ? (char *)wrong : "right");
		if (wrong)
			return 1;
	}
	return 0;
}
