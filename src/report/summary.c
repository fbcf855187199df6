/* summary.c - a line for each source file, in the format of lprint -s:
 *
 *   IEie Ii INEine BBEbbe BBbb BBNEbbne FILE
 *
 * instructions executed, instructions, instructions never executed, and the same for basic blocks.
 * Weinberger 1984. */

#include "report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct Sum Sum;

struct Sum {
	const char *file;
	int at; /* index in the order of use */
	uint64_t ie, i, ine, bbe, bb, bbne;
	bool bad; /* counts contradict each other */
};

static void
add(Sum *s, const Fn *fn)
{
	int b;

	s->bad |= fn->doubtful;
	for (b = FIRST; b < fn->g->nblock; b++) {
		uint64_t n = fn->code.block[b].ninsn, count = fn->flow->count[b];

		if (!isplace(fn, b))
			continue;
		s->ie += insnsrun(fn, b);
		s->bbe += count;
		if (fn->sameas)
			continue;
		s->i += n;
		s->ine += hasrunat(fn, b) ? 0 : n;
		s->bb++;
		s->bbne += !hasrunat(fn, b);
	}
}

static const char *const column[] = {"ie", "i", "ine", "bbe", "bb", "bbne", NULL};

static uint64_t
valueof(const Sum *s, int k)
{
	const uint64_t v[] = {s->ie, s->i, s->ine, s->bbe, s->bb, s->bbne};

	return v[k];
}

/* doubt - ~ for a file with counts that contradict each other; i and bb are always exact. */
static const char *
doubt(const Sum *s, int k)
{
	return s->bad && strcmp(column[k], "i") != 0 && strcmp(column[k], "bb") != 0 ? "~" : "";
}

enum { BYUSE = -2 };

static int key; /* by what bykey() sorts: a column, NONE for names, or BYUSE */

static int
bykey(const void *a, const void *b)
{
	const Sum *x = a, *y = b;

	if (key == BYUSE)
		return x->at < y->at ? -1 : x->at > y->at;
	if (key != NONE && valueof(x, key) != valueof(y, key))
		return valueof(x, key) > valueof(y, key) ? -1 : 1;
	return strcmp(x->file, y->file);
}

/* order - sort as --sort says. */
static void
order(const Report *r, Sum *sum, int n)
{
	Uses uses;
	int i;

	if (!r->sort || !n)
		return;
	key = NONE;
	if (strcmp(r->sort, "use") == 0) {
		uses = usedfiles(r);
		for (i = 0; i < n; i++)
			sum[i].at = useof(&uses, sum[i].file);
		key = BYUSE;
	} else if (strcmp(r->sort, "name") != 0) {
		for (key = 0; column[key] && strcmp(column[key], r->sort) != 0; key++)
			;
		if (!column[key])
			err("--sort", "%s: with -s, choose name, use, ie, i, ine, bbe, bb or bbne",
			    r->sort);
	}
	qsort(sum, (size_t)n, sizeof *sum, bykey);
}

/* rows - the same table for programs. */
static void
rows(const Report *r, const Sum *sum, int n)
{
	Grid grid = {.arena = r->run, .ncol = 7, .left = 6};
	int i, k;

	titles(&grid, column);
	cell(&grid, "file");
	for (i = 0; i < n; i++) {
		for (k = 0; column[k]; k++)
			cell(&grid, "%s%" PRIu64, doubt(&sum[i], k), valueof(&sum[i], k));
		cell(&grid, "%s", sum[i].file);
	}
	table(r, &grid, NULL, NULL);
}

void
summary(const Report *r)
{
	Table index = {.arena = r->run};
	Sum *sum;
	int i, k, n = 0;

	for (i = 0; i < r->of.nmodule; i++)
		n += r->of.module[i].nfn;
	sum = anew(r->run, Sum, n);
	n = 0;
	for (i = 0; i < r->of.nmodule; i++)
		for (k = 0; k < r->of.module[i].nfn; k++) {
			const Fn *fn = &r->of.module[i].fn[k];
			const char *file;
			Entry *e;

			if (!fn->flow || !chosen(&r->of, fn))
				continue;
			file = fileof(fn);
			e = intern(&index, file, strlen(file), n);
			if (e->value == n)
				sum[n++].file = e->key;
			add(&sum[e->value], fn);
		}
	order(r, sum, n);
	if (r->rows) {
		rows(r, sum, n);
		return;
	}
	for (i = 0; i < n; i++) {
		if (r->classic && !sum[i].ie)
			continue;
		for (k = 0; column[k]; k++)
			fprintf(r->f, "%s%" PRIu64 "%s ", r->classic ? "" : doubt(&sum[i], k),
				valueof(&sum[i], k), column[k]);
		fprintf(r->f, "%s\n", sum[i].file);
	}
}
