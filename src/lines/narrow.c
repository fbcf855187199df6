/* narrow.c - one line, counted again and again: where many profiles are asked about the same line,
 * only what its count depends on is solved each time. */

#include "spots.h"

#include <string.h>

/* findline - the line with that number that has a count, in the file of that name or of those last
 * parts of a path. */
static const Line *
findline(const Choice *of, const Lines *lines, char *name, uint32_t number)
{
	const Line *found = NULL, *next = NULL;
	const char *file = NULL;
	int i;

	for (i = 0; i < lines->n; i++) {
		const Line *l = &lines->line[i];

		if (!matchesfile(of, &name, 1, l->file))
			continue;
		if (file && file != l->file)
			err(name, "may be %s or %s: give more of the path", file, l->file);
		file = l->file;
		if (!l->counted)
			continue;
		if (l->line == number)
			found = l;
		if (l->line > number && !next)
			next = l;
	}
	if (!file)
		err(name, "is not a source of any counted program");
	if (!found && next)
		errat(name, (int)number, "no code on this line; the next line with code is %u",
		      next->line);
	if (!found)
		errat(name, (int)number, "no code on this line or after it");
	return found;
}

/* narrowtext - leaves of a source the pieces on the line, and sets blocks[] for the blocks that
 * they depend on; returns whether there are any pieces. */
static bool
narrowtext(Srctext *x, Place at, bool *blocks, Arena *run)
{
	Srcpiece *piece = anew(run, Srcpiece, x->npiece + 1);
	uint32_t i, k, n = 0;

	for (i = 0; i < x->npiece; i++) {
		const Srcpiece *p = &x->piece[i];

		if (p->line != at.line || strcmp(x->file[p->file], at.file) != 0)
			continue;
		piece[n++] = *p;
		for (k = p->term; k < p->term + p->nterm; k++)
			blocks[x->term[k].block] = true;
	}
	x->piece = piece;
	x->npiece = n;
	return n > 0;
}

/* isshaped - returns whether there is a shape for the file, so that its lines depend on each
 * other. */
static bool
isshaped(const Choice *of, Place at)
{
	uint32_t f;
	int i, k;

	for (i = 0; i < of->nmodule; i++)
		for (k = 0; k < of->module[i].nshape; k++)
			for (f = 0; f < of->module[i].shape[k].nfile; f++)
				if (strcmp(of->module[i].shape[k].file[f], at.file) == 0)
					return true;
	return false;
}

/* hasrow - returns whether a function has code of the line, or with line 0, of the file. */
static bool
hasrow(const Fn *fn, Place at)
{
	int i;

	for (i = 0; i < fn->code.nrow; i++) {
		const Coderow *row = &fn->code.row[i];

		if ((at.line == 0 || linefor(fn, row) == at.line) && row->file < (uint32_t)fn->nfile
		    && strcmp(fn->file[row->file], at.file) == 0)
			return true;
	}
	return false;
}

/* narrowmodule - leaves of a module the functions with code of the line (of the file if its lines
 * depend on each other) or with blocks that its count depends on. */
static void
narrowmodule(Module *m, Place at, bool shaped, Arena *run)
{
	Place code = {.file = at.file, .line = shaped ? 0 : at.line};
	bool **blocks = anew(run, bool *, m->ntext + 1);
	Table ids = {.arena = run};
	int i, k, n = 0;

	for (i = 0; i < m->ntext; i++) {
		Srctext *x = &m->text[i];

		blocks[n] = anew(run, bool, x->nblock + 1);
		if (!narrowtext(x, at, blocks[n], run))
			continue;
		intern(&ids, (const char *)&x->id, sizeof x->id, n);
		m->text[n++] = *x;
	}
	m->ntext = n;
	for (i = 0; i < m->nfn; i++) {
		Fn *fn = &m->fn[i];

		fn->skip = !fn->g || !hasrow(fn, code);
		for (k = 0; fn->skip && k < fn->nmarker; k++) {
			const Marker *mark = &fn->marker[k];
			const Entry *e = lookup(&ids, (const char *)&mark->id, sizeof mark->id);

			if (e && mark->number < m->text[e->value].nblock
			    && blocks[e->value][mark->number])
				fn->skip = false;
		}
	}
}

bool
touches(const Module *m)
{
	int i;

	for (i = 0; i < m->nfn; i++)
		if (!m->fn[i].skip)
			return true;
	return m->ntext > 0;
}

Place
narrow(const Choice *of, Place at, Arena *run)
{
	Lines lines = countlines(of, run);
	bool shaped;
	int i;

	at.file = findline(of, &lines, (char *)at.file, at.line)->file;
	shaped = isshaped(of, at);
	for (i = 0; i < of->nmodule; i++)
		narrowmodule(&of->module[i], at, shaped, run);
	return at;
}

const Line *
lineat(const Choice *of, Place at, Arena *run)
{
	Lines lines;
	int i;

	countsources(of, run);
	lines = countlines(of, run);
	for (i = 0; i < lines.n; i++)
		if (lines.line[i].line == at.line && strcmp(lines.line[i].file, at.file) == 0)
			return lines.line[i].counted ? &lines.line[i] : NULL;
	return NULL;
}
