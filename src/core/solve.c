/* solve.c - from counters to counts.
 *
 * The uncounted places form a forest of points (if some do not, see hang()).  A leaf of the forest
 * has one unknown place, and the law of flow gives its count: what arrives at the point minus what
 * leaves.  Then the place is known, too, and its other end may have become a leaf.  So all counts
 * follow in linear time.  A point where something is left over, and a negative count, show that the
 * counters contradict one another. */

#include "core.h"

#include <string.h>

typedef struct Balance Balance;
typedef __int128 Wide; /* no sum of 64-bit counts overflows it */

/* The state of one point. */
struct Balance {
	Wide surplus; /* what arrived minus what left */
	int ndeg;     /* places of the forest here that are still unknown */
	int xored;    /* their numbers, xored: the number of the last one if ndeg is 1 */
};

static void
settle(const Graph *g, Balance *at, int p, Wide count)
{
	at[from(g, p)].surplus -= count;
	at[to(g, p)].surplus += count;
}

/* cutflow - account for cuts: frames that were left flow from there to the tail of EXIT, frames
 * that were entered late flow there from the head of ENTRY, past all counters. */
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

/* hang - put the uncounted places into a forest.  A place that would close a cycle keeps the count
 * 0 (figure 8); returns whether there is one. */
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

/* accuse - note a place with an impossible count.  It is no contradiction on a cycle, where figures
 * 6 and 8 give an arbitrary solution, and where the count is a difference (`net'). */
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
	if (count < 0 || count > INT64_MAX) /* invariant 4 */
		accuse(g, flow, p);
	settle(g, at, p, count);
}

/* peel - figure 6, from the leaves inwards: while a point has a single unknown place, the law of
 * flow gives its count. */
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

/* balance - note the points where something is left over: contradictions, too. */
static void
balance(const Graph *g, const Balance *at, Flow *flow)
{
	int x;

	for (x = npoint(g) - 1; x >= 0; x--)
		if (at[x].surplus != 0) { /* invariant 1 */
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
		flow->known = determined(g, plan, a); /* invariant 3 */
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
