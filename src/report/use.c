/* use.c - source files in the order of their first use.
 *
 * What is recorded is when each unit (a file that was assembled) was first used.  Files whose code
 * it contains, such as headers, have the same rank. */

#include "report.h"

#include <stdlib.h>
#include <string.h>

/* note - note that code of a file is in the program, and whether it ran. */
static void
note(Uses *u, const Fn *fn, const char *file, bool ran)
{
	const Entry *e = intern(&u->index, file, strlen(file), u->n);
	Use *use;

	if (e->value == u->n) {
		apush(u->index.arena, u->use, u->n, u->cap);
		u->use[u->n] = (Use){.file = e->key, .at = u->n};
		u->n++;
	}
	use = &u->use[e->value];
	use->ran |= ran;
	if (ran && fn->rank && (!use->rank || fn->rank < use->rank))
		use->rank = fn->rank;
}

/* addfn - the files of a function's rows, and whether their code ran. */
static void
addfn(Uses *u, const Fn *fn)
{
	const char *file = fileof(fn);
	uint32_t at = 0, end;
	int b, next = 0;

	for (b = FIRST; b < fn->g->nblock; b++) {
		if (fn->code.block[b].part == CODENONE)
			continue;
		note(u, fn, file, insnsrun(fn, b) > 0);
		end = at + fn->code.block[b].ninsn;
		for (; next < fn->code.nrow && fn->code.row[next].insn < end; next++) {
			const Coderow *row = &fn->code.row[next];

			if (!row->line || row->file >= (uint32_t)fn->nfile || row->insn < at)
				continue;
			file = fn->file[row->file];
			note(u, fn, file, ran(fn, b, row->insn - at) > 0);
		}
		at = end;
	}
}

/* earlier - the file that was used first comes first; those of unknown rank come last. */
static int
earlier(const void *a, const void *b)
{
	const Use *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank - 1 < y->rank - 1 ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* later - the file that was used last comes first; those of unknown rank come last. */
static int
later(const void *a, const void *b)
{
	const Use *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank > y->rank ? -1 : 1;
	return x->at > y->at ? -1 : x->at < y->at;
}

Uses
usedfiles(const Report *r)
{
	Uses u = {.index = {.arena = r->run}};
	int i, k;

	for (i = 0; i < r->of.nmodule; i++)
		for (k = 0; k < r->of.module[i].nfn; k++)
			if (r->of.module[i].fn[k].flow)
				addfn(&u, &r->of.module[i].fn[k]);
	if (u.n)
		qsort(u.use, (size_t)u.n, sizeof *u.use, r->classic ? later : earlier);
	for (i = 0; i < u.n; i++)
		lookup(&u.index, u.use[i].file, strlen(u.use[i].file))->value = i;
	return u;
}

int
useof(Uses *u, const char *file)
{
	const Entry *e = lookup(&u->index, file, strlen(file));

	return e ? e->value : u->n;
}
