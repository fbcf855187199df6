/* rows.c - the places of a graph as lines of a table. */

#include "graphtext.h"

int *
inrows(const Graph *g, Arena *a)
{
	int *row = anew(a, int, nplace(g)), n = 0, k, i;

	for (k = 0; k < g->nblock; k++) {
		/* entry, the blocks with code, exit */
		int b = k == 0 ? ENTRY : k == g->nblock - 1 ? EXIT : k + 1;

		row[n++] = b;
		for (i = g->outat[b]; i < g->outat[b + 1]; i++)
			row[n++] = edgeplace(g, g->out[i].edge);
	}
	return row;
}

const char *
rowname(const Graphfile *gf, int place, Arena *a)
{
	const char *name = gf->stated[place].name;
	Buf b = {.arena = a};
	const Edge *e;

	if (isblock(gf->g, place))
		return name;
	e = placeedge(gf->g, place);
	bprintf(&b, "  %s-> %s", e->never ? "(never) " : "", gf->stated[e->dst].name);
	if (name)
		bprintf(&b, " (%s)", name);
	return b.s;
}
