/* summary.c - a line for each source file, as lprint -s has it:
 *
 *   IEie Ii INEine BBEbbe BBbb BBNEbbne FILE
 *
 * instructions executed, instructions, instructions never executed, and the same
 * for basic blocks.  Weinberger 1984. */

#include "report.h"

#include <inttypes.h>
#include <string.h>

typedef struct Sum Sum;

struct Sum {
	const char *file;
	uint64_t ie, i, ine, bbe, bb, bbne;
};

/* fileof - where a function begins; its unit's first file if it has no lines. */
static const char *
fileof(const Fn *fn)
{
	int i;

	for (i = 0; i < fn->code.nrow; i++)
		if (fn->code.row[i].line && fn->code.row[i].file < (uint32_t)fn->nfile)
			return fn->file[fn->code.row[i].file];
	return fn->nfile ? fn->file[0] : "?";
}

static void
add(Sum *s, const Fn *fn)
{
	int b;

	for (b = FIRST; b < fn->g->nblock; b++) {
		uint64_t n = fn->code.block[b].ninsn, count = fn->flow->count[b];

		if (fn->code.block[b].part == MAPNONE)
			continue;
		s->ie += n * count;
		s->i += n;
		s->ine += count ? 0 : n;
		s->bbe += count;
		s->bb++;
		s->bbne += !count;
	}
}

void
summary(FILE *f, const Module *m, Arena *run)
{
	Table index = {.arena = run};
	Sum *sum = anew(run, Sum, m->nfn);
	int i, n = 0;

	for (i = 0; i < m->nfn; i++) {
		const char *file;
		Entry *e;

		if (!m->fn[i].flow)
			continue;
		file = fileof(&m->fn[i]);
		e = intern(&index, file, strlen(file), n);
		if (e->value == n)
			sum[n++].file = e->key;
		add(&sum[e->value], &m->fn[i]);
	}
	for (i = 0; i < n; i++)
		fprintf(f,
			"%" PRIu64 "ie %" PRIu64 "i %" PRIu64 "ine %" PRIu64 "bbe %" PRIu64
			"bb %" PRIu64 "bbne %s\n",
			sum[i].ie, sum[i].i, sum[i].ine, sum[i].bbe, sum[i].bb, sum[i].bbne,
			sum[i].file);
}
