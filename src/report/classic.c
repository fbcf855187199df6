/* classic.c - listings and tables as lprint made them.
 *
 * A line gets the count of the first instruction of its first row in each unit.  A line without
 * rows gets the count of the next line that has one.  If the code of a file is in several units,
 * their counts are added.  Weinberger 1984, sections VIII to X; 1982, section 4. */

#include "text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct Mark Mark;
typedef struct Marks Marks;

/* A line that has rows. */
struct Mark {
	int file; /* index among those used */
	uint32_t line;
	uint64_t count;
	uint64_t insns; /* executed for it, without padding between blocks */
	const Fn *fn;   /* the first function that has it */
};

struct Marks {
	const Report *r;
	Uses uses;
	Mark *mark;
	int n;
	size_t cap;
	Table index; /* indices of mark[], by file and line */
	Table seen;  /* files and lines together with the units that have counted */
	int module;  /* index of the current one */
};

/* markof - that of a line; *new if the current unit has not counted it yet. */
static Mark *
markof(Marks *m, const Fn *fn, const Coderow *row, bool *new)
{
	struct {
		int file;
		uint32_t line;
		uint64_t unit;
		int64_t module;
	} key;
	const Entry *e;
	size_t n = m->seen.n;

	memset(&key, 0, sizeof key);
	key.file = useof(&m->uses, fn->file[row->file]);
	key.line = row->line;
	e = intern(&m->index, (char *)&key, sizeof key, m->n);
	if (e->value == m->n) {
		apush(m->r->run, m->mark, m->n, m->cap);
		m->mark[m->n++] = (Mark){.file = key.file, .line = key.line, .fn = fn};
	}
	key.unit = fn->unit;
	key.module = m->module;
	intern(&m->seen, (char *)&key, sizeof key, 0);
	*new = m->seen.n > n;
	return &m->mark[e->value];
}

/* addfn - the lines of a function, and the instructions executed for them. */
static void
addfn(Marks *m, const Fn *fn)
{
	uint32_t at = 0, i;
	int b, next = 0, force = NONE;
	bool new;

	for (b = FIRST; b < fn->g->nblock; b++) {
		if (fn->code.block[b].part == CODENONE)
			continue;
		for (i = 0; i < fn->code.block[b].ninsn; i++, at++) {
			uint64_t count = ran(fn, b, i);

			for (; next < fn->code.nrow && fn->code.row[next].insn <= at; next++) {
				const Coderow *row = &fn->code.row[next];
				Mark *mark;

				if (!row->line || row->file >= (uint32_t)fn->nfile)
					continue;
				mark = markof(m, fn, row, &new);
				force = (int)(mark - m->mark);
				if (new)
					mark->count += count;
			}
			if (force != NONE)
				m->mark[force].insns += count;
		}
	}
}

static int
byline(const void *a, const void *b)
{
	const Mark *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

/* printline - m is the Mark of the line or else of the next line that has one; NULL after the
 * last. */
static void
printline(const Report *r, const Mark *m, uint32_t number, const char *text)
{
	if (r->counts && m)
		fprintf(r->f, "%" PRIu64, m->count);
	if (r->counts)
		fprintf(r->f, "\t");
	if (r->insns)
		fprintf(r->f, "%" PRIu64 "i\t", m && m->line == number ? m->insns : 0);
	if (text)
		fprintf(r->f, "%s\n", text);
	else
		fprintf(r->f, "line %u\n", number);
}

/* printfile - a source with the Marks m to end; without the source, only the Marks. */
static void
printfile(const Report *r, const char *file, const Mark *m, const Mark *end)
{
	Arena tmp = {0};
	Textfile text = readtext(sourcefile(r, file), &tmp);
	uint32_t number;

	for (number = 1; number <= (uint32_t)text.n; number++) {
		for (; m < end && m->line < number; m++)
			;
		printline(r, m < end ? m : NULL, number, text.line[number - 1]);
	}
	for (; m < end; m++)
		if (m->line >= number)
			printline(r, m, m->line, NULL);
	areset(&tmp);
}

/* marks - those of all lines, by file and line. */
static Marks
marks(const Report *r)
{
	Marks m = {.r = r,
		   .uses = usedfiles(r),
		   .index = {.arena = r->run},
		   .seen = {.arena = r->run}};
	int k;

	for (; m.module < r->of.nmodule; m.module++)
		for (k = 0; k < r->of.module[m.module].nfn; k++)
			if (r->of.module[m.module].fn[k].flow)
				addfn(&m, &r->of.module[m.module].fn[k]);
	if (m.n)
		qsort(m.mark, (size_t)m.n, sizeof *m.mark, byline);
	return m;
}

void
classiclisting(const Report *r)
{
	Marks m = marks(r);
	int i, k, shown = 0, files = 0;

	for (i = 0; i < m.uses.n; i++)
		files += m.uses.use[i].ran && !issystem(m.uses.use[i].file);
	for (i = 0; i < m.n; i = k) {
		const Use *use = &m.uses.use[m.mark[i].file];

		for (k = i; k < m.n && m.mark[k].file == m.mark[i].file; k++)
			;
		if (!use->ran || issystem(use->file))
			continue;
		if (files > 1)
			fprintf(r->f, "%s%s:\n", shown++ ? "\n" : "", use->file);
		printfile(r, use->file, &m.mark[i], &m.mark[k]);
	}
}

Lines
classiclines(const Report *r)
{
	Marks m = marks(r);
	Lines lines = {.line = anew(r->run, Line, m.n), .n = m.n};
	int i;

	for (i = 0; i < m.n; i++) {
		const Mark *mark = &m.mark[i], *last = i > 0 ? mark - 1 : NULL;
		bool within = last && last->file == mark->file && last->fn == mark->fn;

		lines.line[i] = (Line){.file = m.uses.use[mark->file].file,
				       .line = mark->line,
				       .from = within ? last->line + 1 : mark->line,
				       .count = mark->count,
				       .insns = mark->insns,
				       .counted = true,
				       .sure = true};
	}
	return lines;
}

/* tableline - instructions executed, calls, instructions, instructions never executed. */
static void
tableline(const Report *r, const Fn *fn)
{
	uint64_t ie = 0, n = 0, ine = 0, calls, all = 0;
	const Fn *f;
	int b;

	for (f = fn; f; f = f->twin) {
		callsto(f, &calls);
		all += calls;
		for (b = FIRST; b < f->g->nblock; b++)
			ie += insnsrun(f, b);
	}
	for (b = FIRST; b < fn->g->nblock; b++) {
		n += fn->code.block[b].ninsn;
		ine += hasrunat(fn, b) ? 0 : fn->code.block[b].ninsn;
	}
	fprintf(r->f, "%" PRIu64 "ie %" PRIu64 "calls %" PRIu64 "i %" PRIu64 "ine %s\n", ie, all, n,
		ine, nameof(r, fn));
}

void
classicheads(const Report *r)
{
	int i, k;

	for (i = 0; i < r->of.nmodule; i++)
		for (k = 0; k < r->of.module[i].nfn; k++)
			r->of.module[i].fn[k].head = (Head){0};
}

void
classicfunctions(const Report *r)
{
	Uses uses = usedfiles(r);
	int u, i, k;

	for (u = 0; u < uses.n; u++)
		for (i = 0; uses.use[u].ran && i < r->of.nmodule; i++)
			for (k = 0; k < r->of.module[i].nfn; k++) {
				const Fn *fn = &r->of.module[i].fn[k];

				if (fn->flow && !fn->sameas && useof(&uses, fileof(fn)) == u)
					tableline(r, fn);
			}
}
