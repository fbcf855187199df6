/* hints.c - what those who place counters knew of a graph is what a reader of its map knows; and
 * whatever the bytes are, they are taken or refused. */

#include "../gen.h"
#include "profile/profile.h"

#include <inttypes.h>
#include <string.h>

enum { GRAPHS = 3000, MOSTBLOCKS = 60 };

static Arena run;

/* codeof - some edges fall, some blocks have no code. */
static Code
codeof(const Graph *g, Rng *r)
{
	Code c = {.nblock = g->nblock,
		  .nedge = g->nedge,
		  .block = anew(&run, Codeblock, g->nblock),
		  .edge = anew(&run, Codeedge, g->nedge)};
	int i;

	for (i = 0; i < g->nblock; i++)
		c.block[i].part = oneof(r, 9) ? CODENONE : 0;
	for (i = 0; i < g->nedge; i++)
		c.edge[i].flags = (g->edge[i].never ? EDGENEVER : 0) | (oneof(r, 3) ? EDGEFALLS : 0)
				  | (g->edge[i].pinned ? EDGEPINNED : 0);
	return c;
}

/* again - the same graph, as a reader makes it. */
static Graph *
again(const Graph *g, const Code *c)
{
	Graph *new = newgraph(&run);
	int i;

	while (new->nblock < g->nblock)
		addblock(new);
	for (i = 1; i < g->nedge; i++) {
		addedge(new, g->edge[i].src, g->edge[i].dst);
		new->edge[i].never = g->edge[i].never;
	}
	closeflow(new, &run);
	guesscosts(new, c);
	return new;
}

static bool
same(const Graph *a, const Graph *b)
{
	int i;

	if (a->nblock != b->nblock || a->nedge != b->nedge)
		return false;
	for (i = FIRST; i < a->nblock; i++)
		if (a->block[i].cost != b->block[i].cost || a->block[i].cold != b->block[i].cold
		    || a->block[i].pinned != b->block[i].pinned)
			return false;
	for (i = 0; i < a->nedge; i++)
		if (a->edge[i].cost != b->edge[i].cost || a->edge[i].odds != b->edge[i].odds
		    || a->edge[i].pinned != b->edge[i].pinned)
			return false;
	return true;
}

int
main(void)
{
	int k, i, n = 0, refused = 0;

	for (k = 0; k < GRAPHS; k++) {
		Rng r = {.state = (uint64_t)k + 1};
		Graph *g = randomgraph(&run, &r, (Kind)(k % NKINDS), 1 + pick(&r, MOSTBLOCKS)),
		      *read;
		Buf b = {.arena = &run};
		Code c;
		int hints;

		closeflow(g, &run);
		decorate(g, &r);
		for (i = FIRST; i < g->nblock; i++)
			g->block[i].pinned = oneof(&r, 9);
		c = codeof(g, &r);
		hints = packhints(&b, g, &c);
		read = again(g, &c);
		if (!unpackhints(read, (uint32_t)hints, b.s, b.n) || !same(g, read)) {
			fprintf(stderr, "graph %d is another one when it is read\n", k);
			writegraph(stderr, g);
			writegraph(stderr, read);
			return 1;
		}
		n += hints;
		/* What a reader knows takes no bytes. */
		b.n = 0;
		read = again(g, &c);
		if (packhints(&b, read, &c) || b.n) {
			fprintf(stderr, "graph %d: hints that say what is known\n", k);
			return 1;
		}
		hints = packhints(&b, g, &c);
		for (i = 0; b.n && i < 20; i++) {
			char *damaged = memcpy(anew(&run, char, b.n), b.s, b.n);
			size_t len = oneof(&r, 3) ? (size_t)pick(&r, (int)b.n) : b.n;

			damaged[pick(&r, (int)b.n)] = (char)draw(&r);
			refused += !unpackhints(again(g, &c), (uint32_t)(hints + pick(&r, 2)),
						damaged, len);
		}
		areset(&run);
	}
	printf("# %d hints, %d damaged ones refused\n", n, refused);
	return n < GRAPHS || refused < GRAPHS;
}
