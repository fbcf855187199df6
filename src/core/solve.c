/* solve.c - from counters to counts. */

#include "core.h"

#include <string.h>

typedef struct Balance Balance;

/* What is known of one point.  The places of the forest that are still unknown
 * here are ndeg; their numbers xored are xored, so that the last one left tells
 * its name. */
struct Balance {
	uint64_t surplus; /* what came minus what went, modulo 2^64 */
	int ndeg;
	int xored;
};

static void
settle(const Graph *g, Balance *at, int p, uint64_t count)
{
	at[from(g, p)].surplus -= count;
	at[to(g, p)].surplus += count;
}

/* cutflow - frames that were left go from where they were to behind EXIT, frames
 * entered late come from before ENTRY: neither passes a counter on its way. */
static void
cutflow(Balance *at, const Cut *cut, int ncut)
{
	int i;

	for (i = 0; i < ncut; i++) {
		at[cut[i].where].surplus += cut[i].entered - cut[i].left;
		at[head(ENTRY)].surplus -= cut[i].entered;
		at[tail(EXIT)].surplus += cut[i].left;
	}
}

/* hang - put the uncounted places into a forest.  One that would close a cycle
 * is left at 0 (figure 8); returns whether there was any. */
static bool
hang(const Graph *g, const Plan *plan, Balance *at, Arena *tmp)
{
	Forest f = newforest(npoint(g), tmp);
	bool cycle = false;
	int p;

	for (p = 0; p < nplace(g); p++) {
		if (plan->slot[p] != NOSLOT || isnever(g, p))
			continue;
		if (!unite(&f, from(g, p), to(g, p))) {
			cycle = true;
			continue;
		}
		at[from(g, p)].ndeg++;
		at[to(g, p)].ndeg++;
		at[from(g, p)].xored ^= p;
		at[to(g, p)].xored ^= p;
	}
	return cycle;
}

/* peel - while a point has a single unknown place, the law gives its count:
 * figure 6, from the leaves inwards. */
static void
peel(const Graph *g, Balance *at, uint64_t *count)
{
	int start, x;

	for (start = 0; start < npoint(g); start++)
		for (x = start; at[x].ndeg == 1;) {
			int p = at[x].xored;
			int y = from(g, p) == x ? to(g, p) : from(g, p);

			count[p] = from(g, p) == x ? at[x].surplus : -at[x].surplus;
			settle(g, at, p, count[p]);
			at[x].ndeg = 0;
			at[y].ndeg--;
			at[y].xored ^= p;
			x = y;
		}
}

/* judge - negative counts and unequal sums are contradictions, except on a
 * cycle, where the figures 6 and 8 give any solution. */
static void
judge(const Graph *g, const Balance *at, Flow *flow)
{
	int i;

	flow->badplace = flow->badpoint = NONE;
	for (i = nplace(g) - 1; i >= 0; i--)
		if (flow->known[i] && flow->count[i] > INT64_MAX) {
			flow->badplace = i;
			flow->bad++;
		}
	for (i = npoint(g) - 1; i >= 0; i--)
		if (at[i].surplus != 0) {
			flow->badpoint = i;
			flow->bad++;
		}
}

Flow *
solve(const Graph *g, const Plan *plan, const uint64_t *counter, const Cut *cut, int ncut, Arena *a)
{
	Flow *flow = anew(a, Flow, 1);
	Arena tmp = {0};
	Balance *at = anew(&tmp, Balance, npoint(g));
	int p;

	flow->count = anew(a, uint64_t, nplace(g));
	for (p = 0; p < nplace(g); p++)
		if (plan->slot[p] != NOSLOT) {
			flow->count[p] = counter[plan->slot[p]];
			settle(g, at, p, flow->count[p]);
		}
	cutflow(at, cut, ncut);
	if (hang(g, plan, at, &tmp)) {
		flow->known = determined(g, plan, a);
	} else {
		flow->known = anew(a, bool, nplace(g));
		memset(flow->known, true, (size_t)nplace(g));
	}
	peel(g, at, flow->count);
	judge(g, at, flow);
	areset(&tmp);
	return flow;
}
