/* gcovjson.c - JSON as `gcov --json-format' writes it, version 1, plus the keys by which gcovr
 * recognizes its own format, version 0.3.  The two ways out of a branch are those of the source;
 * the first is that on which the condition holds.  Lines of which it is unknown whether they ran
 * are omitted; a key of ours marks approximate counts. */

#include "cover.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

static void
function(const Report *r, const Function *fn)
{
	fputc('{', r->f);
	putmember(r->f, "name", fn->symbol);
	fputc(',', r->f);
	putmember(r->f, "demangled_name", fn->name);
	fprintf(r->f,
		",\"start_line\":%" PRIu32 ",\"start_column\":%" PRIu32 ",\"end_line\":%" PRIu32
		",\"end_column\":%" PRIu32 ",\"blocks\":%" PRIu32 ",\"blocks_executed\":%" PRIu32
		",\"execution_count\":%" PRIu64 ",\"lineno\":%" PRIu32 "}",
		fn->line, fn->column, fn->endline, fn->endcolumn, fn->blocks, fn->ran, fn->calls,
		fn->line);
}

/* way - one of the two ways out of a branch. */
static void
way(const Report *r, uint64_t count, bool first)
{
	fprintf(r->f, "%s{\"count\":%" PRIu64 ",\"fallthrough\":%s,\"throw\":false}",
		first ? "" : ",", count, first ? "true" : "false");
}

static void
line(const Report *r, const Line *l, const Function *fn)
{
	bool unexecuted = l->count == 0;
	int i;

	for (i = 0; i < l->npiece; i++)
		unexecuted |= l->piece[i].count == 0;
	fprintf(r->f, "{\"line_number\":%" PRIu32 ",\"count\":%" PRIu64 ",\"unexecuted_block\":%s,",
		l->line, l->count, unexecuted ? "true" : "false");
	if (fn) {
		putmember(r->f, "function_name", fn->symbol);
		fputc(',', r->f);
	}
	fputs("\"branches\":[", r->f);
	for (i = 0; i < l->nbranch; i++) {
		if (i)
			fputc(',', r->f);
		way(r, l->branch[i].taken, true);
		way(r, l->branch[i].reached - l->branch[i].taken, false);
	}
	fputs("],\"gcovr/noncode\":false,\"gcovr/excluded\":false", r->f);
	fputs(l->sure ? "}" : ",\"tally/sure\":false}", r->f);
}

static void
file(const Report *r, const Covered *s)
{
	const Function *fn = s->fn, *end = fn + s->nfn;
	int i, n;

	fputc('{', r->f);
	putmember(r->f, "file", s->path);
	fputs(",\"functions\":[", r->f);
	for (i = n = 0; i < s->nfn; i++) {
		if (!isknown(&s->fn[i]))
			continue;
		fputs(n++ ? ",\n" : "\n", r->f);
		function(r, &s->fn[i]);
	}
	fputs("],\n\"lines\":[", r->f);
	for (i = n = 0; i < s->nline; i++) {
		while (fn < end && fn->line <= s->line[i].line)
			fn++;
		if (mayhaverun(&s->line[i]))
			continue;
		fputs(n++ ? ",\n" : "\n", r->f);
		line(r, &s->line[i], fn > s->fn ? fn - 1 : NULL);
	}
	fputs("]}", r->f);
}

void
gcovjson(const Report *r)
{
	char *here = getcwd(NULL, 0);
	Cover c = cover(r);
	int i;

	fputs("{\"format_version\":\"1\",\"gcovr/format_version\":\"0.3\",", r->f);
	fprintf(r->f, "\"gcc_version\":\"tally %s\",", r->version);
	putmember(r->f, "current_working_directory", here ? here : ".");
	fputc(',', r->f);
	putmember(r->f, "data_file", r->of.module[0].path);
	fputs(",\"files\":[", r->f);
	for (i = 0; i < c.n; i++) {
		fputs(i ? ",\n" : "\n", r->f);
		file(r, &c.source[i]);
	}
	fputs("]}\n", r->f);
	free(here);
}
