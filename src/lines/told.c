/* told.c - lines of sources that the C road read: it says which blocks to add up for each piece. */

#include "spots.h"

#include <stdlib.h>
#include <string.h>

/* addbranch - adds the counts of a branch. */
static void
addbranch(Tally *t, const char *file, const Srcpiece *p, uint64_t taken, uint64_t reached)
{
	struct {
		const char *file;
		uint32_t line, column;
	} key = {intern(&t->files, file, strlen(file), 0)->key, p->line, p->column};
	Entry *e = intern(&t->branches, (char *)&key, sizeof key, t->nbranch);

	if (e->value == t->nbranch) {
		apush(t->run, t->branch, t->nbranch, t->capbranch);
		t->branch[t->nbranch++] =
			(Branch){.file = key.file, .line = p->line, .column = (uint16_t)p->column};
	}
	t->branch[e->value].taken += taken;
	t->branch[e->value].reached += reached;
}

/* nothing - returns whether nothing is known of a piece, because code of its blocks is not
 * counted. */
static bool
nothing(const Srctext *x, const Srcpiece *p)
{
	uint32_t k;

	for (k = p->term; k < p->term + p->nterm; k++)
		if (x->counts->unknown[x->term[k].block])
			return true;
	return false;
}

/* inclusions - by file of a source: its number if an earlier file has the same name, that is, if it
 * was included again; else 0.  Each inclusion is code of its own, and they add up, as several
 * functions on one line do. */
static const uint32_t *
inclusions(Tally *t, const Srctext *x)
{
	uint32_t *again = anew(&t->one, uint32_t, x->nfile + 1), f;
	Table first = {.arena = &t->one};

	for (f = 0; f < x->nfile; f++)
		if (intern(&first, x->file[f], strlen(x->file[f]), (int)f)->value != (int)f)
			again[f] = f;
	return again;
}

/* addtext - adds the pieces of a source that the C road read. */
static void
addtext(Tally *t, const Srctext *x)
{
	const uint32_t *again = inclusions(t, x);
	uint32_t i;

	for (i = 0; i < x->npiece; i++) {
		const Srcpiece *p = &x->piece[i];
		const char *file = x->file[p->file];
		bool sure = true;
		uint64_t taken = sumterms(x, p, 0, p->ntaken, &sure);
		uint64_t n = sumterms(x, p, p->ntaken, p->nterm - p->ntaken, &sure);
		Spot *s;

		if (p->ntaken && sure)
			addbranch(t, file, p, taken, n);
		if (p->ntaken || (n == 0 && nothing(x, p)))
			continue;
		t->named =
			p->nterm && chosentext(t->of, x->fn[x->block[x->term[p->term].block].fn]);
		t->part = p->nterm ? again[p->file] * x->nfn + x->block[x->term[p->term].block].fn
				   : 0;
		s = spotin(t, file, p->line, 0, (uint16_t)p->column);
		s->stmt = s->told = true;
		if (n > s->count)
			s->count = n;
		s->unknown |= !sure;
		s = spotin(t, file, p->line, 0, WHOLE);
		s->told = true;
		s->unknown |= !sure;
	}
}

void
addtexts(Tally *t)
{
	uint32_t f;
	int i, k;

	for (i = 0; i < t->of->nmodule; i++)
		for (k = 0; k < t->of->module[i].ntext; k++, nextone(t)) {
			const Srctext *x = &t->of->module[i].text[k];

			for (f = 0; f < x->nblock; f++) {
				const char *file = x->file[x->block[f].file];

				if (f && x->block[f].file == x->block[f - 1].file)
					continue;
				intern(&t->told, file, strlen(file), 1);
			}
			addtext(t, x);
		}
}

static int
byplace(const void *a, const void *b)
{
	const Branch *x = a, *y = b;
	int c = x->file == y->file ? 0 : strcmp(x->file, y->file);

	if (c)
		return c;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->column < y->column ? -1 : x->column > y->column;
}

static bool
isbefore(const Branch *b, const Line *l)
{
	int c = b->file == l->file ? 0 : strcmp(b->file, l->file);

	return c < 0 || (c == 0 && b->line < l->line);
}

void
addbranches(Tally *t, Lines *lines)
{
	int i, b = 0;

	if (t->nbranch)
		qsort(t->branch, (size_t)t->nbranch, sizeof *t->branch, byplace);
	for (i = 0; i < lines->n; i++) {
		Line *l = &lines->line[i];

		while (b < t->nbranch && isbefore(&t->branch[b], l))
			b++;
		l->branch = &t->branch[b];
		for (;
		     b < t->nbranch && t->branch[b].file == l->file && t->branch[b].line == l->line;
		     b++)
			l->nbranch++;
	}
}
