/* json.c - all that is known of lines and functions, as described in doc/export.schema.json. */

#include "cover.h"

#include <inttypes.h>

/* What keeps counts from being exact, by flag of the profile. */
static const struct {
	uint32_t flag;
	const char *word;
} doubts[] = {{PROFFORKED, "forked"},     {PROFTHREADS, "counters-shared"},
	      {PROFMIDWAY, "midway"},     {PROFLOST, "counts-lost"},
	      {PROFALIVE, "threads-ran"}, {PROFLOSTCUTS, "cuts-lost"},
	      {PROFGS, "gs-changed"},     {PROFEVICTED, "memory-taken"},
	      {PROFFOREIGN, "other-version"}, {PROFUNSEEN, "handlers-unseen"}};

enum { NDOUBT = sizeof doubts / sizeof *doubts };

/* word - the next string of a list. */
static void
word(const Report *r, const char *text, int *n)
{
	fprintf(r->f, "%s\"%s\"", (*n)++ ? "," : "", text);
}

/* program - a program, and why its counts may not be exact: a word for each remark of remarks(). */
static void
program(const Report *r, const Module *m)
{
	bool cuts = m->flags & PROFHASCUTS;
	int i, n = 0, odd = 0;

	for (i = 0; i < m->nfn; i++)
		odd += m->fn[i].reason != NULL;
	fputc('{', r->f);
	putmember(r->f, "path", m->path);
	fputs(",\"id\":\"", r->f);
	for (i = 0; i < m->idlen; i++)
		fprintf(r->f, "%02x", m->id[i]);
	fprintf(r->f,
		"\",\"runs\":%" PRIu64 ",\"functions\":%d,\"uncounted\":%d,\"contradictions\":%d,",
		m->nrun, m->nfn, odd, m->nbad);
	fputs("\"doubts\":[", r->f);
	if (m->endings[ENDGONE])
		word(r, "killed", &n);
	else if (m->midcall && !cuts)
		word(r, "ended-in-call", &n);
	if (m->jumps && !cuts)
		word(r, "longjmp", &n);
	if (m->switched)
		word(r, "switches-unseen", &n);
	for (i = 0; i < NDOUBT; i++)
		if (m->flags & doubts[i].flag)
			word(r, doubts[i].word, &n);
	fputs("]}", r->f);
}

static void
function(const Report *r, const Function *fn)
{
	fputc('{', r->f);
	putmember(r->f, "name", fn->name);
	fputc(',', r->f);
	putmember(r->f, "symbol", fn->symbol);
	fprintf(r->f,
		",\"line\":%" PRIu32 ",\"end\":%" PRIu32 ",\"calls\":%" PRIu64
		",\"blocks\":%" PRIu32 ",\"run\":%" PRIu32 ",\"from\":\"%s\",\"sure\":%s}",
		fn->line, fn->endline, fn->calls, fn->blocks, fn->ran,
		fn->told ? "source" : "program", fn->sure ? "true" : "false");
}

static void
line(const Report *r, const Line *l)
{
	int i;

	fprintf(r->f,
		"{\"line\":%" PRIu32 ",\"count\":%" PRIu64 ",\"sure\":%s,\"from\":\"%s\","
		"\"instructions\":%" PRIu64,
		l->line, l->count, l->sure ? "true" : "false", l->told ? "source" : "table",
		l->insns);
	fputs(",\"pieces\":[", r->f);
	for (i = 0; i < l->npiece; i++)
		fprintf(r->f, "%s{\"column\":%u,\"count\":%" PRIu64 ",\"sure\":%s}", i ? "," : "",
			l->piece[i].column, l->piece[i].count, l->piece[i].sure ? "true" : "false");
	fputs("],\"branches\":[", r->f);
	for (i = 0; i < l->nbranch; i++)
		fprintf(r->f, "%s{\"column\":%u,\"reached\":%" PRIu64 ",\"taken\":%" PRIu64 "}",
			i ? "," : "", l->branch[i].column, l->branch[i].reached,
			l->branch[i].taken);
	fputs("]}", r->f);
}

static void
file(const Report *r, const Covered *s)
{
	int i;

	fputc('{', r->f);
	putmember(r->f, "path", s->path);
	fputc(',', r->f);
	putmember(r->f, "compiled", s->file);
	fputs(",\"functions\":[", r->f);
	for (i = 0; i < s->nfn; i++) {
		fputs(i ? ",\n" : "\n", r->f);
		function(r, &s->fn[i]);
	}
	fputs("],\n\"lines\":[", r->f);
	for (i = 0; i < s->nline; i++) {
		fputs(i ? ",\n" : "\n", r->f);
		line(r, &s->line[i]);
	}
	fputs("]}", r->f);
}

void
json(const Report *r)
{
	Cover c = cover(r);
	int i;

	fprintf(r->f, "{\"format\":\"tally\",\"version\":1,\"by\":\"tally %s\",\"programs\":[",
		r->version);
	for (i = 0; i < r->of.nmodule; i++) {
		fputs(i ? ",\n" : "\n", r->f);
		program(r, &r->of.module[i]);
	}
	fputs("],\n\"files\":[", r->f);
	for (i = 0; i < c.n; i++) {
		fputs(i ? ",\n" : "\n", r->f);
		file(r, &c.source[i]);
	}
	fputs("]}\n", r->f);
}
