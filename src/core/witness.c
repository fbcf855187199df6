/* witness.c - where to write witnesses.
 *
 * Blockers come first.  A spanning forest that does not know of them may choose witnesses that they
 * make superfluous, and leave paths open that then need further blockers (figure 17 of the paper).
 * A blocker goes as far from its call as possible, on a way out of the last predicate before it:
 * there it also tells that way from the others (figure 16). */

#include "trace.h"

#include <string.h>

const char *const tracingname[NTRACING] = {
	[WITNESSES] = "witnesses",   [NEARBY] = "nearby", [EVERYBLOCK] = "blocks",
	[PREDICATES] = "predicates", [BITS] = "bits",
};

bool
isbarrier(const Proc *pr, int b)
{
	return b == EXIT ? !pr->alone : ncalls(pr, b) > 0;
}

int
nways(const Graph *g, int b)
{
	int n = 0, k;

	for (k = g->outat[b]; k < g->outat[b + 1]; k++)
		n += istaken(g, g->out[k].edge);
	return n;
}

int
bitsfor(int n)
{
	int bits = 0;

	while (n > 1 << bits)
		bits++;
	return bits;
}

/* onway - write on edge e or, if it is pinned, in the block to which it leads. */
static void
onway(const Graph *g, bool *writes, int e)
{
	if (!g->edge[e].pinned)
		writes[edgeplace(g, e)] = true;
	else if (!g->block[g->edge[e].dst].pinned)
		writes[g->edge[e].dst] = true;
}

/* blockers - for all barriers: on the ways out of the nearest predicates before them. */
static void
blockers(const Proc *pr, bool *writes, Arena *tmp)
{
	const Graph *g = pr->g;
	bool *seen = anew(tmp, bool, g->nblock);
	int *stack = anew(tmp, int, g->nblock);
	int n = 0, b, k;

	for (b = 0; b < g->nblock; b++)
		if ((seen[b] = isbarrier(pr, b)))
			stack[n++] = b;
	while (n > 0) {
		b = stack[--n];
		for (k = g->inat[b]; k < g->inat[b + 1]; k++) {
			Way w = g->in[k];

			if (!istaken(g, w.edge))
				continue;
			if (nways(g, w.block) > 1) {
				onway(g, writes, w.edge);
			} else if (!seen[w.block]) {
				seen[w.block] = true;
				stack[n++] = w.block;
			}
		}
	}
}

/* nearby - for all barriers: on the edges that lead to them. */
static void
nearby(const Proc *pr, bool *writes)
{
	const Graph *g = pr->g;
	int e;

	for (e = CLOSING + 1; e < g->nedge; e++)
		if (istaken(g, e) && isbarrier(pr, g->edge[e].dst))
			onway(g, writes, e);
}

/* breakcycles - add witnesses until the free places form a forest: then at most one free path leads
 * from one block to another, and none from a block back to it. */
static void
breakcycles(const Graph *g, bool *writes, Arena *tmp)
{
	bool *out = anew(tmp, bool, nplace(g)), *first = anew(tmp, bool, nplace(g)), *over, lost;
	Forest f = newforest(npoint(g), tmp);
	int p;

	for (p = 0; p < nplace(g); p++) {
		out[p] = writes[p] || (!isblock(g, p) && !istaken(g, p - g->nblock));
		first[p] = ispinned(g, p) || p == ENTRY;
	}
	over = spanning(g, out, first, &f, &lost, tmp);
	for (p = 0; p < nplace(g); p++)
		writes[p] |= over[p];
}

/* rounds - add a witness on each cycle without a predicate; otherwise nothing would tell how often
 * control went around. */
static void
rounds(const Graph *g, bool *writes, Arena *tmp)
{
	int *seen = anew(tmp, int, g->nblock); /* by block: root of the walk there, plus 1; or 0 */
	int root, b, k;

	for (root = 0; root < g->nblock; root++)
		for (b = root; !seen[b] && nways(g, b) == 1; b = g->out[k].block) {
			seen[b] = root + 1;
			for (k = g->outat[b]; !istaken(g, g->out[k].edge); k++)
				;
			if (seen[g->out[k].block] == root + 1)
				onway(g, writes, g->out[k].edge);
		}
}

/* inblocks - witnesses in all blocks, or in those to which predicates lead.  EXIT has no code to
 * write one: there the edge writes. */
static void
inblocks(const Proc *pr, bool *writes, bool all)
{
	const Graph *g = pr->g;
	int e;

	for (e = CLOSING + 1; e < g->nedge; e++) {
		int dst = g->edge[e].dst;
		bool chosen = nways(g, g->edge[e].src) > 1;

		if (!istaken(g, e))
			continue;
		if (dst != EXIT)
			writes[dst] |= all || chosen;
		else if (chosen && !pr->alone)
			onway(g, writes, e);
	}
}

/* bits - on each way out of each predicate, write its number among them.  That happens before the
 * predicate branches, so pinned edges do not matter.  The places in writes[] write a 0. */
static Plan *
bits(const Graph *g, const bool *writes, Arena *a)
{
	Plan *plan = handplan(g, writes, a);
	int b, k, n;

	for (k = 0; k < nplace(g); k++)
		if (plan->slot[k] != NOSLOT)
			plan->slot[k] = 0;
	plan->nslot = plan->nslot > 0;

	for (b = 0; b < g->nblock; b++) {
		if (nways(g, b) < 2)
			continue;
		for (n = 0, k = g->outat[b]; k < g->outat[b + 1]; k++)
			if (istaken(g, g->out[k].edge)) {
				plan->slot[edgeplace(g, g->out[k].edge)] = n++;
				plan->cost += price(g, edgeplace(g, g->out[k].edge));
			}
		if (n > plan->nslot)
			plan->nslot = n;
	}
	return plan;
}

Plan *
witness(const Proc *pr, Tracing how, Arena *a)
{
	Arena tmp = {0};
	bool *writes = anew(&tmp, bool, nplace(pr->g));
	Plan *plan;

	switch (how) {
	case WITNESSES: blockers(pr, writes, &tmp); break;
	case NEARBY: nearby(pr, writes); break;
	case EVERYBLOCK: inblocks(pr, writes, true); break;
	case PREDICATES: inblocks(pr, writes, false); /* fall through */
	case BITS: rounds(pr->g, writes, &tmp); break;
	case NTRACING: break;
	}
	if (how == WITNESSES || how == NEARBY)
		breakcycles(pr->g, writes, &tmp);
	plan = how == BITS ? bits(pr->g, writes, a) : handplan(pr->g, writes, a);
	plan->edges = how != EVERYBLOCK && how != PREDICATES;
	areset(&tmp);
	return plan;
}

int
ahead(const Proc *pr, Plan *plan)
{
	const Graph *g = pr->g;
	int moved = 0, b, in, out, k;

	for (b = FIRST; b < g->nblock; b++) {
		if (ncalls(pr, b) || plan->slot[b] != NOSLOT || nways(g, b) != 1
		    || g->inat[b + 1] - g->inat[b] != 1)
			continue;
		for (k = g->outat[b]; !istaken(g, g->out[k].edge); k++)
			;
		in = edgeplace(g, g->in[g->inat[b]].edge);
		out = edgeplace(g, g->out[k].edge);
		if (plan->slot[out] == NOSLOT || plan->slot[in] != NOSLOT || ispinned(g, in)
		    || !istaken(g, in - g->nblock))
			continue;
		plan->slot[in] = plan->slot[out];
		plan->slot[out] = NOSLOT;
		moved++;
	}
	return moved;
}
