/* lcov.c - an lcov tracefile: geninfo(1).  Functions are in the format of lcov 1, which lcov 2 also
 * reads.  They are called by their symbols, as geninfo does, because genhtml cuts names at the
 * first comma.  Lines of which it is unknown whether they ran are omitted. */

#include "cover.h"

#include <inttypes.h>

static void
fns(const Report *r, const Covered *s)
{
	int i;

	for (i = 0; i < s->nfn; i++) {
		if (!isknown(&s->fn[i]))
			continue;
		fprintf(r->f, "FN:%" PRIu32 ",", s->fn[i].line);
		putplain(r->f, s->fn[i].symbol);
		fputc('\n', r->f);
	}
	for (i = 0; i < s->nfn; i++) {
		if (!isknown(&s->fn[i]))
			continue;
		fprintf(r->f, "FNDA:%" PRIu64 ",", s->fn[i].calls);
		putplain(r->f, s->fn[i].symbol);
		fputc('\n', r->f);
	}
	fprintf(r->f, "FNF:%d\nFNH:%d\n", s->functions, s->called);
}

/* way - one of the two ways out of a branch. */
static void
way(const Report *r, const Line *l, int branch, int which, uint64_t count)
{
	fprintf(r->f, "BRDA:%" PRIu32 ",%d,%d,", l->line, branch, which);
	if (l->branch[branch].reached)
		fprintf(r->f, "%" PRIu64 "\n", count);
	else
		fputs("-\n", r->f);
}

static void
branches(const Report *r, const Covered *s)
{
	int i, k;

	for (i = 0; i < s->nline; i++)
		for (k = 0; k < s->line[i].nbranch; k++) {
			const Branch *b = &s->line[i].branch[k];

			way(r, &s->line[i], k, 0, b->taken);
			way(r, &s->line[i], k, 1, b->reached - b->taken);
		}
	if (s->nbranch)
		fprintf(r->f, "BRF:%d\nBRH:%d\n", s->nbranch, s->taken);
}

void
lcov(const Report *r)
{
	Cover c = cover(r);
	int i, k;

	eachcontradiction(r, "# the counts of this function contradict each other: ", "");
	for (i = 0; i < c.n; i++) {
		const Covered *s = &c.source[i];

		fputs("TN:\nSF:", r->f);
		putplain(r->f, s->path);
		fputc('\n', r->f);
		fns(r, s);
		branches(r, s);
		for (k = 0; k < s->nline; k++)
			if (!mayhaverun(&s->line[k]))
				fprintf(r->f, "DA:%" PRIu32 ",%" PRIu64 "\n", s->line[k].line,
					s->line[k].count);
		fprintf(r->f, "LF:%d\nLH:%d\nend_of_record\n", s->counted, s->ran);
	}
}
