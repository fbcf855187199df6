/* given.c - weights, counters and counts that the text of a graph gives. */

#include "graphtext.h"

#include <string.h>

const char *
nameplace(const Graphfile *gf, int p, Arena *run)
{
	Buf b = {.arena = run};
	const Edge *e;

	if (isblock(gf->g, p))
		return gf->stated[p].name;
	e = placeedge(gf->g, p);
	bprintf(&b, "%s -> %s", gf->stated[e->src].name, gf->stated[e->dst].name);
	return b.s;
}

void
weighgiven(const Graphfile *gf, Arena *run)
{
	if (!gf->nweight)
		err(gf->path, "gives no weights");
	weighblocks(gf->g, run);
}

/* Solves a plan with a counter on each place that has a count. */
void
weighcounted(const Graphfile *gf, Arena *run)
{
	Graph *g = gf->g;
	bool *counted = anew(run, bool, nplace(g));
	uint64_t *counter = anew(run, uint64_t, nplace(g));
	Plan *plan;
	Flow *flow;
	int p, n = 0;

	if (!gf->nwalk && !gf->ncount)
		err(gf->path, "gives neither walks nor counts, so there are no exact weights");
	for (p = 0; p < nplace(g); p++) {
		counted[p] = (gf->nwalk || gf->stated[p].counted) && !isnever(g, p);
		if (counted[p])
			counter[n++] = gf->stated[p].count; /* in the order of slots: by place */
	}
	plan = handplan(g, counted, run);
	p = checkplan(g, plan, run);
	if (p != NONE)
		err(gf->path, "no exact weights: the count of %s does not follow from those given",
		    nameplace(gf, p, run));
	flow = solve(g, plan, counter, gf->cut, gf->ncut, run);
	if (flow->bad)
		err(gf->path, "no exact weights: the counts contradict each other");
	weighexact(g, flow);
}

Plan *
givenplan(const Graphfile *gf, Arena *run)
{
	bool *counted = anew(run, bool, nplace(gf->g));
	int p;

	if (!gf->ncounter)
		err(gf->path, "puts no counter anywhere");
	for (p = 0; p < nplace(gf->g); p++)
		counted[p] = gf->stated[p].counter;
	return handplan(gf->g, counted, run);
}

uint64_t *
givencounts(const Graphfile *gf, const Plan *plan, int *missing, Arena *run)
{
	uint64_t *counter = anew(run, uint64_t, plan->nslot);
	int p;

	for (p = 0; p < nplace(gf->g); p++) {
		if (plan->slot[p] == NOSLOT)
			continue;
		if (!gf->nwalk && !gf->stated[p].counted) {
			*missing = p;
			return NULL;
		}
		counter[plan->slot[p]] = gf->stated[p].count;
	}
	return counter;
}
