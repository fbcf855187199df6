/* callgrind.c - instructions executed, by line and function, in callgrind's format.  Functions are
 * those of machine code; what was inlined into one counts there, under its own file. */

#include "cover.h"

#include <inttypes.h>
#include <string.h>

typedef struct Writer Writer;

struct Writer {
	const Report *r;
	const Fn *fn;
	Table files;      /* their numbers, by path */
	const char *file; /* of the next line */
	uint32_t line;
	uint64_t insns; /* of that line, not yet written */
	uint64_t total;
};

/* name - write `(1) path' the first time, later `(1)'. */
static void
name(Writer *w, const char *key, const char *path)
{
	int next = (int)w->files.n + 1;
	Entry *e = intern(&w->files, path, strlen(path), next);

	fprintf(w->r->f, "%s=(%d)", key, e->value);
	if (e->value == next) {
		fputc(' ', w->r->f);
		putplain(w->r->f, sourcefile(w->r, path));
	}
	fputc('\n', w->r->f);
}

static void
putline(Writer *w)
{
	if (w->insns)
		fprintf(w->r->f, "%" PRIu32 " %" PRIu64 "\n", w->line, w->insns);
	w->total += w->insns;
	w->insns = 0;
}

/* addrow - the instructions of a row.  Those without a row are on line 0 of the function's file. */
static void
addrow(void *writer, const Coderow *row, uint64_t insns)
{
	Writer *w = writer;
	const char *own = fileof(w->fn), *file = row ? w->fn->file[row->file] : own;
	uint32_t line = row ? row->line : 0;
	bool same = strcmp(file, w->file) == 0;

	if (!insns)
		return;
	if (!same || line != w->line)
		putline(w);
	if (!same)
		name(w, strcmp(file, own) == 0 ? "fe" : "fi", file);
	w->file = file;
	w->line = line;
	w->insns += insns;
}

static void
function(Writer *w, const Fn *fn)
{
	bool sure = true;

	if (!executed(fn, &sure))
		return;
	w->fn = fn;
	w->file = fileof(fn);
	name(w, "fl", w->file);
	fputs("fn=", w->r->f);
	putplain(w->r->f, nameof(w->r, fn));
	fputc('\n', w->r->f);
	eachrow(fn, addrow, w);
	putline(w);
}

void
callgrind(const Report *r)
{
	Writer w = {.r = r, .files = {.arena = r->run}};
	int i, k;

	fprintf(r->f, "# callgrind format\nversion: 1\ncreator: tally %s\ncmd: ", r->version);
	for (i = 0; i < r->of.nmodule; i++) {
		fputs(i ? " " : "", r->f);
		putplain(r->f, r->of.module[i].path);
	}
	fputc('\n', r->f);
	eachcontradiction(r, "desc: Contradiction: ", "");
	fputs("positions: line\nevents: Ir\n", r->f);
	for (i = 0; i < r->of.nmodule; i++) {
		const Module *m = &r->of.module[i];

		fputs("\nob=", r->f);
		putplain(r->f, m->path);
		fputc('\n', r->f);
		for (k = 0; k < m->nfn; k++)
			if (m->fn[k].flow && chosen(&r->of, &m->fn[k]))
				function(&w, &m->fn[k]);
	}
	fprintf(r->f, "\ntotals: %" PRIu64 "\n", w.total);
	if (!w.total)
		remark("no instructions were counted: tally build --road=c counts none, nor is any "
		       "in "
		       "the functions that --only selects");
}
