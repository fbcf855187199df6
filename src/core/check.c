/* check.c - the proof that a plan suffices. */

#include "core.h"

typedef struct Web Web;

/* The uncounted places as an undirected graph of points: those that meet at
 * point x are place[at[x]] to place[at[x+1]-1].  The rest is the state of a
 * depth-first search. */
struct Web {
	int *at;
	int *place;
	int *next; /* by point: how many of its places were followed */
	int *over; /* by point: the place over which it was reached */
	int *seen; /* by point: when; 0 is not yet */
	int *low;  /* by point: when the earliest point was seen that its subtree
	             * reaches without the place over[] */
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

/* bridges - mark the places that lie on no cycle, in the component of root: a
 * place leads to a subtree from which nothing reaches back past it (Tarjan 1974). */
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

/* promised - what a plan must tell.  How often a function was called is more than
 * counters in blocks can tell if it begins with a loop and ENTRY is pinned. */
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
	bool *sure = determined(g, plan, tmp);
	int p;

	for (p = 0; p < nplace(g); p++)
		if (promised(g, plan, p) && !sure[p])
			return p;
	return NONE;
}
