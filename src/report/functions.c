/* functions.c - a table of functions. */

#include "report.h"

#include <inttypes.h>

/* executed - instructions that a function executed, padding included.  *sure becomes
 * false if padding lies on an edge whose count is not known. */
uint64_t
executed(const Fn *fn, bool *sure)
{
	const Graph *g = fn->g;
	uint64_t sum = 0;
	int b, e;

	for (b = FIRST; b < g->nblock; b++)
		sum += fn->flow->count[b] * fn->code.block[b].ninsn;
	for (e = 0; e < g->nedge; e++) {
		int p = edgeplace(g, e);
		uint32_t npad = fn->code.block[g->edge[e].src].npad;

		if (!npad || !(fn->code.edge[e].flags & EDGEFALLS))
			continue;
		if (fn->flow->known[p])
			sum += fn->flow->count[p] * npad;
		else
			*sure = false;
	}
	return sum;
}

void
functions(FILE *f, const Module *m, Arena *run)
{
	Grid grid = {.arena = run, .ncol = 5};
	int i;

	cell(&grid, "function");
	cell(&grid, "calls");
	cell(&grid, "instructions");
	cell(&grid, "blocks run");
	cell(&grid, "blocks");
	for (i = 0; i < m->nfn; i++) {
		const Fn *fn = &m->fn[i];
		int b, ran = 0, n = 0;
		bool sure = true;
		uint64_t insns;

		cell(&grid, "%s", fn->name);
		if (!fn->g) {
			cell(&grid, "-");
			cell(&grid, "-");
			cell(&grid, "-");
			cell(&grid, "uncounted: %s", fn->odd ? fn->odd : "?");
			continue;
		}
		for (b = FIRST; b < fn->g->nblock; b++)
			if (fn->code.block[b].part != MAPNONE) {
				n++;
				ran += fn->flow->count[b] > 0;
			}
		cell(&grid, "%" PRIu64, fn->flow->count[ENTRY]);
		insns = executed(fn, &sure);
		cell(&grid, "%s%" PRIu64, sure ? "" : "~", insns);
		cell(&grid, "%d", ran);
		cell(&grid, "%d", n);
	}
	printgrid(f, &grid);
}
