/* cover.c - what was counted, by source file. */

#include "cover.h"

#include <stdlib.h>
#include <string.h>

typedef struct Gather Gather;

struct Gather {
	const Report *r;
	Function *fn;
	int n;
	size_t cap;
	Table told; /* names of functions of texts, each after that of its file */
};

/* wanted - whether something in a file is to be shown: it is chosen by name, or the file is. */
static bool
wanted(const Report *r, const char *file, bool named)
{
	return r->of.nonly ? named || chosenfile(&r->of, file) : !issystem(file);
}

/* istold - whether a text has the function of this name; what follows a dot is the name of a
 * compiler's copy.  With `note', enter it. */
static bool
istold(Gather *g, const char *file, const char *name, bool note)
{
	Buf key = {.arena = g->r->run};

	bprintf(&key, "%s%c%.*s", file, 0, (int)strcspn(name, "."), name);
	if (note)
		intern(&g->told, key.s, key.n, 1);
	return note || lookup(&g->told, key.s, key.n);
}

/* addhit - add a block, and whether it ran. */
static void
addhit(const Gather *g, Function *f, bool ran)
{
	apush(g->r->run, f->hit, f->blocks, f->caphit);
	f->hit[f->blocks++] = ran;
	f->ran += ran;
}

/* addshape - add the location of a block to the shape. */
static void
addshape(Function *f, const Srcblock *b)
{
	const uint32_t place[] = {b->kind, b->line, b->column, b->endline, b->endcolumn};
	size_t i;

	for (i = 0; i < sizeof place / sizeof *place; i++)
		f->shape = hashnumber(f->shape, place[i]);
}

/* addtext - the functions of a C text.  A function is at its first piece that ran as often as its
 * first block: its name. */
static void
addtext(Gather *g, const Srctext *x)
{
	Function *fn = anew(g->r->run, Function, x->nfn);
	uint32_t *entry = anew(g->r->run, uint32_t, x->nfn), i;

	for (i = 0; i < x->nblock; i++) {
		const Srcblock *b = &x->block[i];
		Function *f = &fn[b->fn];

		if (b->kind == 0 && !f->file) {
			*f = (Function){.file = x->file[b->file],
					.name = x->fn[b->fn],
					.symbol = x->fn[b->fn],
					.line = b->line,
					.column = b->column,
					.calls = x->counts->count[i],
					.told = true,
					.sure = !x->counts->unknown[i] && !x->counts->doubtful[i]};
			entry[b->fn] = i;
		}
		addhit(g, f, x->counts->count[i] > 0);
		addshape(f, b);
		if (b->endline > f->endline) {
			f->endline = b->endline;
			f->endcolumn = b->endcolumn;
		}
	}
	for (i = 0; i < x->npiece; i++) {
		const Srcpiece *p = &x->piece[i];
		uint32_t b = p->nterm == 1 ? x->term[p->term].block : x->nblock;
		Function *f = b < x->nblock ? &fn[x->block[b].fn] : NULL;

		if (!f || p->ntaken || entry[x->block[b].fn] != b
		    || strcmp(x->file[p->file], x->file[x->block[b].file]) != 0)
			continue;
		if (p->line < f->line || (p->line == f->line && p->column < f->column)) {
			f->line = p->line;
			f->column = p->column;
		}
	}
	for (i = 0; i < x->nfn; i++) {
		if (!fn[i].file)
			continue;
		istold(g, fn[i].file, fn[i].name, true);
		if (!wanted(g->r, fn[i].file, chosentext(&g->r->of, fn[i].name)))
			continue;
		apush(g->r->run, g->fn, g->n, g->cap);
		g->fn[g->n++] = fn[i];
	}
}

/* addfn - a function of machine code. */
static void
addfn(Gather *g, const Fn *fn)
{
	const char *file = fileof(fn);
	Function f = {
		.file = file, .name = nameof(g->r, fn), .symbol = fn->name, .line = lineof(fn)};
	int i;

	if (!fn->flow || !f.line || istold(g, file, fn->name, false)
	    || !wanted(g->r, file, chosenname(&g->r->of, fn)))
		return;
	f.shape = fn->hash;
	f.sure = callsto(fn, &f.calls) && !fn->doubtful;
	for (i = FIRST; i < fn->g->nblock; i++)
		if (isplace(fn, i)) {
			addhit(g, &f, fn->flow->count[i] > 0);
		}
	for (i = 0; i < fn->code.nrow; i++) {
		const Coderow *row = &fn->code.row[i];

		if (!row->inst && row->file < (uint32_t)fn->nfile && row->line > f.endline
		    && strcmp(fn->file[row->file], file) == 0)
			f.endline = row->line;
	}
	apush(g->r->run, g->fn, g->n, g->cap);
	g->fn[g->n++] = f;
}

static int
byplace(const void *a, const void *b)
{
	const Function *x = a, *y = b;
	int c = strcmp(x->file, y->file);

	if (c)
		return c;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* addcopy - merge the blocks of a copy of a function: with equal shapes, a block ran if it did in
 * either; else take those of the larger one. */
static void
addcopy(Function *f, const Function *x)
{
	uint32_t i;

	for (i = 0; f->shape == x->shape && f->blocks == x->blocks && i < f->blocks; i++) {
		f->ran += x->hit[i] && !f->hit[i];
		f->hit[i] |= x->hit[i];
	}
	if (x->ran > f->ran)
		f->ran = x->ran;
	if (x->blocks > f->blocks) {
		f->blocks = x->blocks;
		f->shape = x->shape;
		f->hit = x->hit;
	}
}

/* merge - make one of functions that are the same in several programs or units. */
static void
merge(Gather *g)
{
	int i, n = 0;

	if (g->n)
		qsort(g->fn, (size_t)g->n, sizeof *g->fn, byplace);
	for (i = 0; i < g->n; i++) {
		Function *f = n ? &g->fn[n - 1] : NULL, *x = &g->fn[i];

		if (!f || byplace(f, x) != 0) {
			g->fn[n++] = *x;
			continue;
		}
		f->calls += x->calls;
		f->sure &= x->sure;
		addcopy(f, x);
		if (x->endline > f->endline)
			f->endline = x->endline;
	}
	g->n = n;
}

/* sum - fill in how much of a file ran. */
static void
sum(Covered *s)
{
	int i, k;

	for (i = 0; i < s->nfn; i++)
		s->called += s->fn[i].calls > 0;
	for (i = 0; i < s->nfn; i++)
		s->functions += isknown(&s->fn[i]);
	for (i = 0; i < s->nline; i++) {
		const Line *l = &s->line[i];

		s->counted += l->counted && !mayhaverun(l);
		s->ran += l->count > 0;
		s->insns += l->insns;
		s->count += l->count;
		s->sure &= l->sure;
		s->nbranch += 2 * l->nbranch;
		for (k = 0; k < l->nbranch; k++)
			s->taken += (l->branch[k].taken > 0)
				    + (l->branch[k].reached > l->branch[k].taken);
	}
}

void
eachcontradiction(const Report *r, const char *before, const char *after)
{
	int i, k;

	for (i = 0; i < r->of.nmodule; i++)
		for (k = 0; k < r->of.module[i].nfn; k++) {
			const Fn *fn = &r->of.module[i].fn[k];

			if (!fn->doubtful || !chosen(&r->of, fn))
				continue;
			fputs(before, r->f);
			putplain(r->f, nameof(r, fn));
			fprintf(r->f, "%s\n", after);
		}
}

Cover
cover(const Report *r)
{
	Gather g = {.r = r, .told = {.arena = r->run}};
	Lines lines = countlines(&r->of, r->run);
	Cover c = {0};
	size_t cap = 0;
	int i, k, n = 0, f = 0;

	for (i = 0; i < r->of.nmodule; i++)
		for (k = 0; k < r->of.module[i].ntext; k++)
			addtext(&g, &r->of.module[i].text[k]);
	for (i = 0; i < r->of.nmodule; i++)
		for (k = 0; k < r->of.module[i].nfn; k++)
			addfn(&g, &r->of.module[i].fn[k]);
	merge(&g);
	for (i = 0; i < lines.n; i++)
		if ((lines.line[i].counted || r->insns)
		    && wanted(r, lines.line[i].file, lines.line[i].named))
			lines.line[n++] = lines.line[i];
	for (i = 0; i < n; i = k) {
		const char *file = lines.line[i].file;
		Covered *s;

		apush(r->run, c.source, c.n, cap);
		s = &c.source[c.n++];
		*s = (Covered){.file = file,
			       .path = sourcefile(r, file),
			       .line = &lines.line[i],
			       .sure = true};
		for (k = i; k < n && lines.line[k].file == file; k++)
			s->nline++;
		while (f < g.n && strcmp(g.fn[f].file, file) < 0)
			f++;
		for (s->fn = &g.fn[f]; f < g.n && strcmp(g.fn[f].file, file) == 0; f++)
			s->nfn++;
		sum(s);
	}
	return c;
}
