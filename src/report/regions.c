/* regions.c - the source blocks of C texts. */

#include "report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct Region Region;

struct Region {
	const char *file, *fn;
	Srcblock at;
	int order; /* index in its text */
	uint64_t count;
	bool unknown;
};

/* Names of kinds, in the order of Kind in road/c/c.h, which is that of the map, too. */
static const char *const kind[] = {"function", "then", "else", "body", "after",  "label", "true",
				   "false",    "?",    "and",  "or",   "behind", "header"};

enum { NKIND = sizeof kind / sizeof *kind };

static int
byplace(const void *a, const void *b)
{
	const Region *x = a, *y = b;
	int c = strcmp(x->file, y->file);

	if (c)
		return c;
	if (x->at.line != y->at.line)
		return x->at.line < y->at.line ? -1 : 1;
	if (x->at.column != y->at.column)
		return x->at.column < y->at.column ? -1 : 1;
	if (x->at.kind != y->at.kind)
		return x->at.kind < y->at.kind ? -1 : 1;
	return x->order - y->order;
}

/* same - whether two are the same location of the source, in two programs. */
static bool
same(const Region *x, const Region *y)
{
	return strcmp(x->file, y->file) == 0 && memcmp(&x->at, &y->at, sizeof x->at) == 0;
}

void
regions(const Report *r)
{
	Region *all = NULL;
	static const char *const title[] = {"count", "line",     "column", "endline", "endcolumn",
					    "file",  "function", "kind",   NULL};
	Grid grid = {.arena = r->run, .ncol = 8, .left = 5, .more = 2};
	size_t cap = 0;
	int i, k, n = 0;
	uint32_t b;

	titles(&grid, title);

	for (i = 0; i < r->of.nmodule; i++)
		for (k = 0; k < r->of.module[i].ntext; k++) {
			const Srctext *t = &r->of.module[i].text[k];

			for (b = 0; b < t->nblock; b++) {
				const char *file = t->file[t->block[b].file],
					   *fn = t->fn[t->block[b].fn];

				if (r->of.nonly && !chosenfile(&r->of, file)
				    && !chosentext(&r->of, fn))
					continue;
				apush(r->run, all, n, cap);
				all[n] = (Region){.file = file,
						  .fn = fn,
						  .at = t->block[b],
						  .order = (int)b,
						  .count = t->counts->count[b],
						  .unknown = t->counts->unknown[b]};
				all[n].at.file = all[n].at.fn = 0;
				n++;
			}
		}
	if (n)
		qsort(all, (size_t)n, sizeof *all, byplace);
	for (i = 0; i < n; i = k) {
		const Srcblock *at = &all[i].at;
		uint64_t count = all[i].count;

		for (k = i + 1; k < n && same(&all[i], &all[k]); k++) {
			count += all[k].count;
			all[i].unknown |= all[k].unknown;
		}
		if (r->rows) {
			cell(&grid, "%s%" PRIu64, all[i].unknown ? "~" : "", count);
			cell(&grid, "%u", at->line);
			cell(&grid, "%u", at->column);
			cell(&grid, "%u", at->endline);
			cell(&grid, "%u", at->endcolumn);
			cell(&grid, "%s", all[i].file);
			cell(&grid, "%s", all[i].fn);
			cell(&grid, "%s", at->kind < NKIND ? kind[at->kind] : "?");
			continue;
		}
		fprintf(r->f, "%10" PRIu64 " %c%s:%u:%u-%u:%u: %s: %s\n", count,
			all[i].unknown ? '~' : ' ', all[i].file, at->line, at->column, at->endline,
			at->endcolumn, all[i].fn, at->kind < NKIND ? kind[at->kind] : "?");
	}
	if (r->rows)
		table(r, &grid, NULL, NULL);
}
