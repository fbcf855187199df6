/* check.c - the proof that the counters of a plan suffice.
 *
 * The uncounted places are edges of an undirected graph of points.  Changing the flow around a
 * cycle of them changes no counter, so a place on such a cycle is unknown.  Nothing else can change
 * while all counters stay as they are, so a place on no cycle is known.  An edge on no cycle is a
 * bridge, and one depth-first search finds all bridges in linear time. */

#include "core.h"

typedef struct Web Web;

/* The uncounted places as an undirected graph of points: the places at point x are place[at[x]] to
 * place[at[x+1]-1].  The rest is the state of a depth-first search. */
struct Web {
	int *at;
	int *place;
	int *next; /* by point: how many of its places were followed */
	int *over; /* by point: the place over which it was reached */
	int *seen; /* by point: when it was reached; 0 if not yet */
	int *low;  /* by point: seen[] of the earliest point that its subtree reaches without the
		    * place over[] */
	int clock;
};

static Web
newweb(const Graph *g, const Plan *plan, Arena *tmp)
{
	int n = npoint(g), p, x;
	Web w = {
		.at = anew(tmp, int, n + 1),
		.place = anew(tmp, int, 2 * (size_t)nplace(g)),
		.next = anew(tmp, int, n),
		.over = anew(tmp, int, n),
		.seen = anew(tmp, int, n),
		.low = anew(tmp, int, n),
	};

	for (p = 0; p < nplace(g); p++)
		if (uncounted(g, plan, p)) {
			w.at[from(g, p)]++;
			w.at[to(g, p)]++;
		}
	for (x = 1; x <= n; x++)
		w.at[x] += w.at[x - 1];
	for (p = 0; p < nplace(g); p++)
		if (uncounted(g, plan, p)) {
			w.place[--w.at[from(g, p)]] = p;
			w.place[--w.at[to(g, p)]] = p;
		}
	return w;
}

static void
visit(Web *w, int x, int over)
{
	w->over[x] = over;
	w->seen[x] = w->low[x] = ++w->clock;
}

/* bridges - find the places that lie on no cycle, in the component of root: those that lead to a
 * subtree from which no other place leads back out (Tarjan 1974). */
static void
bridges(const Graph *g, Web *w, int root, bool *bridge)
{
	int x = root, y, p;

	visit(w, root, NONE);
	for (;;) {
		if (w->at[x] + w->next[x] < w->at[x + 1]) {
			p = w->place[w->at[x] + w->next[x]++];
			y = across(g, p, x);
			if (p == w->over[x])
				continue;
			if (!w->seen[y]) {
				visit(w, y, p);
				x = y;
			} else if (w->seen[y] < w->low[x]) {
				w->low[x] = w->seen[y];
			}
		} else {
			p = w->over[x];
			if (p == NONE)
				return;
			y = across(g, p, x);
			bridge[p] = w->low[x] == w->seen[x];
			if (w->low[x] < w->low[y])
				w->low[y] = w->low[x];
			x = y;
		}
	}
}

bool *
determined(const Graph *g, const Plan *plan, Arena *a)
{
	bool *sure = anew(a, bool, nplace(g));
	Arena tmp = {0};
	Web w = newweb(g, plan, &tmp);
	int x, p;

	for (x = 0; x < npoint(g); x++)
		if (!w.seen[x])
			bridges(g, &w, x, sure);
	for (p = 0; p < nplace(g); p++)
		if (!uncounted(g, plan, p))
			sure[p] = true;
	areset(&tmp);
	return sure;
}

/* promised - whether the plan promises the count of place p.  The number of calls, the count of
 * ENTRY, is not promised if ENTRY is pinned: for a function that begins with a loop it does not
 * follow from counters in blocks. */
static bool
promised(const Graph *g, const Plan *plan, int p)
{
	if (plan->edges)
		return true;
	return isblock(g, p) && (p >= FIRST || !g->block[ENTRY].pinned);
}

int
checkplan(const Graph *g, const Plan *plan, Arena *tmp)
{
	bool *sure = determined(g, plan, tmp); /* invariant 2 */
	int p;

	for (p = 0; p < nplace(g); p++)
		if (promised(g, plan, p) && !sure[p])
			return p;
	return NONE;
}
