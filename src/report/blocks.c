/* blocks.c - every block and edge of every function, with counts. */

#include "report.h"

#include <inttypes.h>

static const char *
blockname(int b, char *buf, size_t size)
{
	if (b < FIRST)
		return b == ENTRY ? "entry" : "exit";
	snprintf(buf, size, "%d", b - FIRST);
	return buf;
}

static void
count(Grid *grid, const Fn *fn, int p)
{
	const char *star = fn->plan->slot[p] == NOSLOT ? " " : "*";

	if (fn->flow->known[p])
		cell(grid, "%" PRId64 "%s", (int64_t)fn->flow->count[p], star);
	else
		cell(grid, "?%s", star);
}

static void
function(const Report *r, const Fn *fn)
{
	Grid grid = {.arena = r->run, .ncol = 4};
	char buf[16];
	int b, k;

	if (!fn->g) {
		fprintf(r->f, "%s: uncounted: %s\n", nameof(r, fn), fn->odd ? fn->odd : "?");
		return;
	}
	fprintf(r->f, "%s:\n", nameof(r, fn));
	cell(&grid, "block");
	cell(&grid, "count ");
	cell(&grid, "instructions");
	cell(&grid, "offset");
	for (b = 0; b < fn->g->nblock; b++) {
		const Mapblock *mb = &fn->code.block[b];

		cell(&grid, "%s", blockname(b, buf, sizeof buf));
		count(&grid, fn, b);
		if (mb->part == MAPNONE) {
			cell(&grid, "%s", "");
			cell(&grid, "%s", "");
		} else {
			cell(&grid, "%u", mb->ninsn);
			cell(&grid, "%u+0x%x", mb->part, mb->off);
		}
		for (k = fn->g->outat[b]; k < fn->g->outat[b + 1]; k++) {
			cell(&grid, "  -> %s", blockname(fn->g->out[k].block, buf, sizeof buf));
			count(&grid, fn, edgeplace(fn->g, fn->g->out[k].edge));
			cell(&grid, "%s", "");
			cell(&grid, "%s", "");
		}
	}
	printgrid(r->f, &grid);
}

void
blocks(const Report *r)
{
	int i, k;

	for (i = 0; i < r->nmodule; i++)
		for (k = 0; k < r->module[i].nfn; k++)
			if (chosen(r, &r->module[i].fn[k]))
				function(r, &r->module[i].fn[k]);
}
