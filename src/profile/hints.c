/* hints.c - what a counter costs at each place of a function, and which ways are unlikely: what the
 * placement of counters knows beside the graph.
 *
 * Most of it follows from the code as the map has it, so only places where that guess is wrong are
 * packed:
 *
 *   hint  place, as the distance from the hint before; what: 1 cost, 2 odds, 4 cold, 8 the guess
 *         whether it is pinned is wrong; [cost], [odds]
 *   cost, odds  m and e (signed) of m * 2^e, m odd */

#include "profile.h"

#include <math.h>
#include <string.h>

enum { HASCOST = 1, HASODDS = 2, ISCOLD = 4, PINWRONG = 8, HINTS = 15 };
enum { MOSTEXP = 64 }; /* exponents from 2^-64 to 2^64 make sense */

static bool
alone(const Graph *g, int e)
{
	int dst = g->edge[e].dst;

	return dst >= FIRST && g->inat[dst + 1] - g->inat[dst] == 1;
}

/* ways - how many edges lead out of a block that fall through, or that do not. */
static int
ways(const Graph *g, const Code *c, int b, bool falls)
{
	int k, n = 0;

	for (k = g->outat[b]; k < g->outat[b + 1]; k++) {
		uint32_t flags = c->edge[g->out[k].edge].flags;

		n += !(flags & EDGENEVER) && !(flags & EDGEFALLS) == !falls;
	}
	return n;
}

bool *
jumpedges(const Graph *g, const Code *c, Arena *a)
{
	bool *jump = anew(a, bool, g->nedge);
	int b, k;

	for (b = FIRST; b < g->nblock; b++) {
		bool branches = ways(g, c, b, true) && ways(g, c, b, false);

		for (k = g->outat[b]; branches && k < g->outat[b + 1]; k++) {
			int e = g->out[k].edge;

			jump[e] = !(c->edge[e].flags & (EDGEFALLS | EDGENEVER)) && !alone(g, e);
		}
	}
	return jump;
}

void
guesscosts(Graph *g, const Code *c)
{
	Arena tmp = {0};
	const bool *jump = jumpedges(g, c, &tmp);
	int b, e, k;

	for (e = 0; e < g->nedge; e++) {
		Edge *ed = &g->edge[e];

		ed->cost = jump[e] ? 2 : 1;
		ed->odds = 1;
		ed->pinned = e == CLOSING || (c->edge[e].flags & (EDGENEVER | EDGEPINNED));
	}
	for (b = FIRST; b < g->nblock; b++) {
		/* An indirect jump can be counted at its target if the target has no other edges
		 * in. */
		bool indirect = !ways(g, c, b, true) && ways(g, c, b, false) > 1;

		g->block[b].cost = 1;
		g->block[b].cold = false;
		g->block[b].pinned = c->block[b].part == CODENONE;
		for (k = g->outat[b]; indirect && k < g->outat[b + 1]; k++)
			g->edge[g->out[k].edge].pinned |= !alone(g, g->out[k].edge);
	}
	areset(&tmp);
}

static void
putreal(Buf *b, double x)
{
	int e;
	uint64_t m = (uint64_t)ldexp(frexp(x, &e), 53);

	for (e -= 53; m && m % 2 == 0; m /= 2)
		e++;
	putnumber(b, m);
	putsigned(b, e);
}

static double
getreal(Unpacker *u)
{
	uint64_t m = getnumber(u, 1ull << 53);
	int64_t e = getsigned(u, 4096);
	double x = ldexp((double)m, (int)e);

	if (x >= ldexp(1, -MOSTEXP) && x <= ldexp(1, MOSTEXP))
		return x;
	u->damaged = true;
	return 1;
}

/* costof, pinof - of a place. */
static double *
costof(const Graph *g, int p)
{
	return isblock(g, p) ? &g->block[p].cost : &placeedge(g, p)->cost;
}

static bool *
pinof(const Graph *g, int p)
{
	return isblock(g, p) ? &g->block[p].pinned : &placeedge(g, p)->pinned;
}

int
packhints(Buf *b, const Graph *g, const Code *c)
{
	Arena tmp = {0};
	Graph guess = *g;
	int p, last = 0, n = 0;

	guess.block = memcpy(anew(&tmp, Block, g->nblock), g->block,
			     (size_t)g->nblock * sizeof *g->block);
	guess.edge =
		memcpy(anew(&tmp, Edge, g->nedge), g->edge, (size_t)g->nedge * sizeof *g->edge);
	guesscosts(&guess, c);
	for (p = 0; p < nplace(g); p++) {
		bool block = isblock(g, p);
		int what = (*costof(g, p) != *costof(&guess, p) ? HASCOST : 0)
			   | (!block && placeedge(g, p)->odds != 1 ? HASODDS : 0)
			   | (block && g->block[p].cold ? ISCOLD : 0)
			   | (*pinof(g, p) != *pinof(&guess, p) ? PINWRONG : 0);

		if (!what)
			continue;
		putnumber(b, (uint64_t)(p - last));
		putnumber(b, (uint64_t)what);
		if (what & HASCOST)
			putreal(b, *costof(g, p));
		if (what & HASODDS)
			putreal(b, placeedge(g, p)->odds);
		last = p;
		n++;
	}
	areset(&tmp);
	return n;
}

bool
unpackhints(Graph *g, uint32_t n, const void *data, size_t len)
{
	Unpacker u = {.p = data, .end = (const uint8_t *)data + len};
	uint64_t p = 0;
	int i;

	for (; n > 0 && !u.damaged; n--) {
		uint64_t what;
		bool block;

		p += getnumber(&u, (uint64_t)nplace(g));
		what = getnumber(&u, HINTS);
		if (p >= (uint64_t)nplace(g))
			return false;
		block = isblock(g, (int)p);
		if (what & (block ? HASODDS : ISCOLD))
			return false;
		if (what & HASCOST)
			*costof(g, (int)p) = getreal(&u);
		if (what & HASODDS)
			placeedge(g, (int)p)->odds = getreal(&u);
		if (what & ISCOLD)
			g->block[p].cold = true;
		if (what & PINWRONG)
			*pinof(g, (int)p) = !*pinof(g, (int)p);
	}
	for (i = g->outat[ENTRY]; i < g->outat[ENTRY + 1]; i++)
		g->block[ENTRY].pinned |= g->edge[g->out[i].edge].pinned;
	return !u.damaged && u.p == u.end;
}
