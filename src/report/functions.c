/* functions.c - a table of functions. */

#include "report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* executed - the number of instructions that a function executed, padding included. *sure becomes
 * false if padding lies on an edge whose count is unknown, or if counts contradict each other. */
uint64_t
executed(const Fn *fn, bool *sure)
{
	const Graph *g = fn->g;
	uint64_t sum = 0;
	int b, e;

	*sure &= !fn->doubtful;
	for (b = FIRST; b < g->nblock; b++)
		sum += insnsrun(fn, b);
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

typedef struct Row Row;

struct Row {
	const Fn *fn;
	const char *name;
	int at; /* index in program order */
	int n, ran;
	int copies;     /* that the row represents */
	bool instances; /* the copies are instantiations of a template */
	uint64_t calls, insns;
	bool called; /* the number of calls is known */
	bool sure;
	bool bad; /* counts contradict each other */
};

static Row
rowof(const Report *r, const Fn *fn, int at)
{
	Row row = {.fn = fn, .name = nameof(r, fn), .at = at, .copies = 1, .sure = true};
	int b;

	if (!fn->g)
		return row;
	for (b = FIRST; b < fn->g->nblock; b++)
		if (isplace(fn, b)) {
			row.n++;
			row.ran += hasrunat(fn, b);
		}
	row.called = callsto(fn, &row.calls);
	row.insns = executed(fn, &row.sure);
	row.bad = fn->doubtful;
	return row;
}

/* add - add a copy to its row. */
static void
add(Row *to, const Row *row, const char *name)
{
	to->instances |= strcmp(to->name, row->name) != 0;
	if (to->instances)
		to->name = name;
	to->copies++;
	to->n += row->n;
	to->ran += row->ran;
	to->calls += row->calls;
	to->insns += row->insns;
	to->called &= row->called;
	to->sure &= row->sure;
	to->bad |= row->bad;
}

/* addtwins - merge the rows of equal code in several programs; returns the number of rows left. */
static int
addtwins(const Report *r, Row *row, int n)
{
	Table rows = {.arena = r->run};
	int i, k = 0;

	for (i = 0; i < n; i++) {
		const Fn *fn = row[i].fn, *own = fn->sameas ? fn->sameas : fn;
		const Entry *e = intern(&rows, (char *)&own, sizeof own, k);

		if (e->value < k) {
			Row *first = &row[e->value];

			first->calls += row[i].calls;
			first->insns += row[i].insns;
			first->called &= row[i].called;
			first->sure &= row[i].sure;
		} else {
			row[k++] = row[i];
		}
	}
	return k;
}

/* gather - merge the rows of one location in the source: instantiations of a template, and copies
 * of a function in a header; returns the number of rows left. */
static int
gather(const Report *r, Row *row, int n)
{
	Table places = {.arena = r->run};
	int i, k = 0;

	for (i = 0; i < n; i++) {
		const Fn *fn = row[i].fn;
		const char *name = r->mangled ? fn->name : templatename(row[i].name, r->run);
		Buf key = {.arena = r->run};
		const Entry *e;

		bprintf(&key, "%s:%u:%s", fileof(fn), lineof(fn), name);
		e = fn->g && !fn->partial && lineof(fn) ? intern(&places, key.s, key.n, k) : NULL;
		if (e && e->value < k)
			add(&row[e->value], &row[i], name);
		else
			row[k++] = row[i];
	}
	return k;
}

static int
up(uint64_t a, uint64_t b)
{
	return a > b ? -1 : a < b;
}

/* clang-format off */
static int byname(const Row *x, const Row *y) { return strcmp(x->name, y->name); }
static int bycalls(const Row *x, const Row *y) { return up(x->calls, y->calls); }
static int byinsns(const Row *x, const Row *y) { return up(x->insns, y->insns); }
static int byran(const Row *x, const Row *y) { return up((uint64_t)x->ran, (uint64_t)y->ran); }
static int byblocks(const Row *x, const Row *y) { return up((uint64_t)x->n, (uint64_t)y->n); }
/* clang-format on */

static const struct {
	const char *name;
	int (*by)(const Row *, const Row *);
} orders[] = {{"name", byname},
	      {"calls", bycalls},
	      {"instructions", byinsns},
	      {"run", byran},
	      {"blocks", byblocks}};

static int (*chosenorder)(const Row *, const Row *);

static int
compare(const void *a, const void *b)
{
	const Row *x = a, *y = b;
	int c = chosenorder(x, y);

	return c ? c : x->at < y->at ? -1 : x->at > y->at;
}

/* order - sort as --sort says. */
static void
order(const Report *r, Row *row, int n)
{
	size_t k;

	if (!r->sort || !n)
		return;
	for (k = 0; k < sizeof orders / sizeof *orders; k++)
		if (strcmp(orders[k].name, r->sort) == 0) {
			chosenorder = orders[k].by;
			qsort(row, (size_t)n, sizeof *row, compare);
			return;
		}
	err("--sort", "%s: with -f, choose name, calls, instructions, run or blocks", r->sort);
}

/* heading - the titles.  Symbols are the first column; source names of C++ are long and have
 * blanks, so they are the last, to keep the numbers aligned. */
static void
heading(Grid *grid, bool last)
{
	if (!last)
		cell(grid, "function");
	cell(grid, "calls");
	cell(grid, "instructions");
	cell(grid, "blocks run");
	cell(grid, "blocks");
	if (last)
		cell(grid, "function");
}

/* numbers - of a row; - where unknown. */
static void
numbers(Grid *grid, const Row *row)
{
	if (row->called)
		cell(grid, "%s%" PRIu64, row->bad ? "~" : "", row->calls);
	else
		cell(grid, "-");
	cell(grid, row->fn->partial ? "-" : "%s%" PRIu64, row->sure ? "" : "~", row->insns);
	cell(grid, "%s%d", row->bad ? "~" : "", row->ran);
	cell(grid, "%d", row->n);
}

static void
line(Grid *grid, const Row *row, bool last)
{
	const Fn *fn = row->fn;

	if (!last)
		cell(grid, "%s", row->name);
	if (fn->g) {
		numbers(grid, row);
		if (last && row->instances)
			cell(grid, "%s [%d]", row->name, row->copies);
		else if (last)
			cell(grid, "%s", row->name);
		return;
	}
	cell(grid, "-");
	cell(grid, "-");
	cell(grid, "-");
	if (last) {
		cell(grid, "-");
		cell(grid, "%s: uncounted: %s", row->name, fn->reason ? fn->reason : "?");
	} else {
		cell(grid, "uncounted: %s", fn->reason ? fn->reason : "?");
	}
}

/* rows - the same table for programs. */
static void
rows(const Report *r, const Row *row, int n)
{
	static const char *const title[] = {"calls", "instructions", "blocks run", "blocks",
					    "line",  "copies",       "function",   "symbol",
					    "file",  "uncounted",    NULL};
	Grid grid = {.arena = r->run, .ncol = 10, .left = 6, .more = 3};
	int i, k;

	titles(&grid, title);
	for (i = 0; i < n; i++) {
		const Fn *fn = row[i].fn;

		if (fn->g)
			numbers(&grid, &row[i]);
		for (k = 0; !fn->g && k < 4; k++)
			cell(&grid, "-");
		cell(&grid, "%u", lineof(fn));
		cell(&grid, "%d", row[i].copies);
		cell(&grid, "%s", row[i].name);
		cell(&grid, "%s", row[i].instances ? "" : fn->name);
		cell(&grid, "%s", fileof(fn));
		cell(&grid, "%s", fn->g ? "" : fn->reason ? fn->reason : "?");
	}
	table(r, &grid, NULL, NULL);
}

void
functions(const Report *r)
{
	Grid grid = {.arena = r->run, .ncol = 5};
	Row *row = NULL;
	bool last = false;
	size_t cap = 0;
	int i, k, n = 0;

	for (i = 0; i < r->of.nmodule; i++)
		for (k = 0; k < r->of.module[i].nfn; k++) {
			const Fn *fn = &r->of.module[i].fn[k];

			if (!chosen(&r->of, fn))
				continue;
			apush(r->run, row, n, cap);
			row[n] = rowof(r, fn, n);
			n++;
			last |= strpbrk(nameof(r, fn), " (") != NULL;
		}
	n = addtwins(r, row, n);
	if (!r->each)
		n = gather(r, row, n);
	order(r, row, n);
	if (r->rows) {
		rows(r, row, n);
		return;
	}
	grid.left = last ? grid.ncol - 1 : 0;
	heading(&grid, last);
	for (i = 0; i < n; i++)
		line(&grid, &row[i], last);
	printgrid(r->f, &grid);
}
