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

/* countof - the count of a place in all copies of the function; false if it is unknown. */
static bool
countof(const Fn *fn, int p, int64_t *count)
{
	bool known = true;

	for (*count = 0; fn; fn = fn->twin) {
		known &= fn->flow->known[p];
		*count += (int64_t)fn->flow->count[p];
	}
	return known;
}

static void
count(Grid *grid, const Fn *fn, int p)
{
	const char *star = fn->plan->slot[p] == NOSLOT ? " " : "*";
	int64_t n;

	if (countof(fn, p, &n))
		cell(grid, "%s%" PRId64 "%s", fn->doubtful ? "~" : "", n, star);
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
		fprintf(r->f, "%s: uncounted: %s\n", nameof(r, fn), fn->reason ? fn->reason : "?");
		return;
	}
	fprintf(r->f, "%s:\n", nameof(r, fn));
	cell(&grid, "block");
	cell(&grid, "count ");
	cell(&grid, "instructions");
	cell(&grid, "offset");
	for (b = 0; b < fn->g->nblock; b++) {
		const Codeblock *mb = &fn->code.block[b];

		cell(&grid, "%s", blockname(b, buf, sizeof buf));
		count(&grid, fn, b);
		if (mb->part == CODENONE) {
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

/* row - a block, or an edge to another, in a table for programs. */
static void
row(Grid *grid, const Fn *fn, int b, int to, int p)
{
	const Codeblock *mb = &fn->code.block[b];
	bool code = to == NONE && mb->part != CODENONE;
	char buf[16];
	int64_t n;

	if (countof(fn, p, &n))
		cell(grid, "%s%" PRId64, fn->doubtful ? "~" : "", n);
	else
		cell(grid, "?");
	cell(grid, "%d", fn->plan->slot[p] != NOSLOT);
	if (code)
		cell(grid, "%u", mb->ninsn);
	else
		cell(grid, "%s", "");
	cell(grid, "%s", blockname(b, buf, sizeof buf));
	cell(grid, "%s", to == NONE ? "" : blockname(to, buf, sizeof buf));
	if (code)
		cell(grid, "%u+0x%x", mb->part, mb->off);
	else
		cell(grid, "%s", "");
	cell(grid, "%s", "");
}

/* rows - those of a function. */
static void
rows(const Report *r, const Fn *fn)
{
	static const char *const title[] = {"count", "counters", "instructions", "block",
					    "to",    "offset",   "uncounted",    NULL};
	Grid grid = {.arena = r->run, .ncol = 7, .left = 3, .more = 3};
	int b, k;

	titles(&grid, title);
	for (b = 0; fn->g && b < fn->g->nblock; b++) {
		row(&grid, fn, b, NONE, b);
		for (k = fn->g->outat[b]; k < fn->g->outat[b + 1]; k++)
			row(&grid, fn, b, fn->g->out[k].block,
			    edgeplace(fn->g, fn->g->out[k].edge));
	}
	for (k = 0; !fn->g && k < grid.ncol; k++)
		cell(&grid, "%s", k < grid.ncol - 1 ? "" : fn->reason ? fn->reason : "?");
	table(r, &grid, "function", nameof(r, fn));
}

void
blocks(const Report *r)
{
	int i, k;

	for (i = 0; i < r->of.nmodule; i++)
		for (k = 0; k < r->of.module[i].nfn; k++)
			if (!r->of.module[i].fn[k].sameas && chosen(&r->of, &r->of.module[i].fn[k]))
				(r->rows ? rows : function)(r, &r->of.module[i].fn[k]);
}
