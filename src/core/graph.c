/* graph.c - blocks and edges of one function. */

#include "core.h"

#include <assert.h>

Graph *
newgraph(Arena *a)
{
	Graph *g = anew(a, Graph, 1);

	g->arena = a;
	addblock(g); /* ENTRY */
	addblock(g); /* EXIT */
	addedge(g, EXIT, ENTRY);
	g->block[EXIT].pinned = true; /* invariant 5 */
	g->edge[CLOSING].pinned = true;
	return g;
}

int
addblock(Graph *g)
{
	assert(g->nblock < MAXBLOCK);
	apush(g->arena, g->block, g->nblock, g->capblock);
	g->block[g->nblock] = (Block){.cost = 1};
	return g->nblock++;
}

int
addedge(Graph *g, int src, int dst)
{
	assert(g->nedge < MAXEDGE);
	assert(0 <= src && src < g->nblock);
	assert(0 <= dst && dst < g->nblock);
	assert(g->nedge == CLOSING || (src != EXIT && dst != ENTRY));
	apush(g->arena, g->edge, g->nedge, g->capedge);
	g->edge[g->nedge] = (Edge){.src = src, .dst = dst, .cost = 1, .odds = 1};
	return g->nedge++;
}

/* bucket - sort the edges by one of their ends: those at block b are way[at[b]] to
 * way[at[b+1]-1]. */
static void
bucket(Graph *g, bool bysrc, Way **way, int **at)
{
	int e, b;

	*at = anew(g->arena, int, g->nblock + 1);
	*way = anew(g->arena, Way, g->nedge);
	for (e = 0; e < g->nedge; e++)
		(*at)[bysrc ? g->edge[e].src : g->edge[e].dst]++;
	for (b = 1; b <= g->nblock; b++)
		(*at)[b] += (*at)[b - 1];
	for (e = g->nedge - 1; e >= 0; e--) {
		int near = bysrc ? g->edge[e].src : g->edge[e].dst;

		(*way)[--(*at)[near]] = (Way){e, g->edge[e].src + g->edge[e].dst - near};
	}
}

static void
indexedges(Graph *g)
{
	bucket(g, true, &g->out, &g->outat);
	bucket(g, false, &g->in, &g->inat);
}

/* reachback - set reach[] for every block from which b can be reached. */
static void
reachback(const Graph *g, int b, bool *reach, int *stack)
{
	int n = 0, i;

	reach[b] = true;
	stack[n++] = b;
	while (n > 0) {
		b = stack[--n];
		for (i = g->inat[b]; i < g->inat[b + 1]; i++) {
			int src = g->in[i].block;

			if (!reach[src]) {
				reach[src] = true;
				stack[n++] = src;
			}
		}
	}
}

/* finishorder - all blocks in postorder of depth-first searches: from ENTRY, then from each block
 * that none has reached yet. */
static int *
finishorder(const Graph *g, Arena *tmp)
{
	int *order = anew(tmp, int, g->nblock);
	int *stack = anew(tmp, int, g->nblock);
	int *next = anew(tmp, int, g->nblock); /* index in g->out, plus 1; 0 if unseen */
	int n = 0, nstack = 0, root;

	for (root = 0; root < g->nblock; root++) {
		if (next[root])
			continue;
		next[root] = g->outat[root] + 1;
		stack[nstack++] = root;
		while (nstack > 0) {
			int b = stack[nstack - 1], dst;

			if (next[b] > g->outat[b + 1]) {
				order[n++] = b;
				nstack--;
				continue;
			}
			dst = g->out[next[b]++ - 1].block;
			if (!next[dst]) {
				next[dst] = g->outat[dst] + 1;
				stack[nstack++] = dst;
			}
		}
	}
	return order;
}

void
closeflow(Graph *g, Arena *tmp)
{
	bool *reach = anew(tmp, bool, g->nblock);
	int *stack = anew(tmp, int, g->nblock); /* invariant 7 */
	int *order, i, b;

	indexedges(g);
	for (i = g->outat[ENTRY]; i < g->outat[ENTRY + 1]; i++)
		g->block[ENTRY].pinned |= g->edge[g->out[i].edge].pinned;

	reachback(g, EXIT, reach, stack);
	for (b = 0; b < g->nblock && reach[b]; b++)
		;
	if (b == g->nblock)
		return;

	/* Of an endless loop the search finishes first the source of its back edge: the natural
	 * block to leave it from. */
	order = finishorder(g, tmp);
	for (i = 0; i < g->nblock; i++) {
		b = order[i];
		if (!reach[b]) {
			int e = addedge(g, b, EXIT); /* g->edge may move */

			g->edge[e].never = true;
			reachback(g, b, reach, stack);
		}
	}
	indexedges(g);
}
