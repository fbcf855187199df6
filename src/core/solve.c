/* solve.c - from counters to counts. */

#include "core.h"

#include <string.h>

typedef struct Balance Balance;
typedef __int128 Wide; /* no sum of 64-bit counts overflows it */

/* What is known of one point.  The places of the forest that are still unknown
 * here are ndeg; their numbers xored are xored, so that the last one left tells
 * its name. */
struct Balance {
	Wide surplus; /* what came minus what went */
	int ndeg;
	int xored;
};

static void
settle(const Graph *g, Balance *at, int p, Wide count)
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
		at[cut[i].where].surplus += (Wide)cut[i].entered - cut[i].left;
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
		if (!uncounted(g, plan, p))
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

/* accuse - remember a place whose count cannot be: a contradiction, except on a
 * cycle, where figures 6 and 8 give just any solution, and where it is a difference. */
static void
accuse(const Graph *g, Flow *flow, int p)
{
	if (!flow->known[p] || (!isblock(g, p) && placeedge(g, p)->net))
		return;
	flow->bad++;
	if (flow->badplace == NONE || p < flow->badplace)
		flow->badplace = p;
}

static void
setcount(const Graph *g, Balance *at, Flow *flow, int p, Wide count)
{
	flow->count[p] = (uint64_t)(count < INT64_MIN   ? INT64_MIN
				    : count > INT64_MAX ? INT64_MAX
							: count);
	if (count < 0 || count > INT64_MAX)
		accuse(g, flow, p);
	settle(g, at, p, count);
}

/* peel - while a point has a single unknown place, the law gives its count:
 * figure 6, from the leaves inwards. */
static void
peel(const Graph *g, Balance *at, Flow *flow)
{
	int start, x;

	for (start = 0; start < npoint(g); start++)
		for (x = start; at[x].ndeg == 1;) {
			int p = at[x].xored, y = across(g, p, x);

			setcount(g, at, flow, p, from(g, p) == x ? at[x].surplus : -at[x].surplus);
			at[x].ndeg = 0;
			at[y].ndeg--;
			at[y].xored ^= p;
			x = y;
		}
}

/* balance - what is left at a point when all is known is a contradiction, too. */
static void
balance(const Graph *g, const Balance *at, Flow *flow)
{
	int x;

	for (x = npoint(g) - 1; x >= 0; x--)
		if (at[x].surplus != 0) {
			flow->badpoint = x;
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

	flow->badplace = flow->badpoint = NONE;
	flow->count = anew(a, uint64_t, nplace(g));
	if (hang(g, plan, at, &tmp)) {
		flow->known = determined(g, plan, a);
	} else {
		flow->known = anew(a, bool, nplace(g));
		memset(flow->known, true, (size_t)nplace(g));
	}
	for (p = 0; p < nplace(g); p++)
		if (plan->slot[p] != NOSLOT)
			setcount(g, at, flow, p, counter[plan->slot[p]]);
	cutflow(at, cut, ncut);
	peel(g, at, flow);
	balance(g, at, flow);
	areset(&tmp);
	return flow;
}
