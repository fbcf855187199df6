/* listing.c - source lines with their counts.
 *
 * A line is the count, aligned right, a space, a sign (# never ran, ~ approximate) or a space, and
 * the text. */

#include "text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define RED "\033[31m"
#define YELLOW "\033[33m"
#define PLAINTEXT "\033[0m"

static char
markof(const Line *l)
{
	return !l->counted                                   ? ' '
	       : !l->sure                                    ? '~'
	       : l->count == 0 && (l->told || l->insns == 0) ? '#'
							     : ' ';
}

/* before - what precedes the text of a line; l may be NULL. */
static void
before(const Report *r, const Line *l)
{
	if (r->counts && l && l->counted)
		fprintf(r->f, "%10" PRIu64 " %c", l->count, markof(l));
	else if (r->counts)
		fprintf(r->f, "%12s", "");
	if (r->insns && l)
		fprintf(r->f, "%10" PRIu64 "i ", l->insns);
	else if (r->insns)
		fprintf(r->f, "%12s", "");
}

static void
pieces(const Report *r, const Line *l)
{
	int i;

	for (i = 0; i < l->npiece; i++)
		fprintf(r->f, "%10" PRIu64 " %ccolumn %u\n", l->piece[i].count,
			l->piece[i].sure ? ' ' : '~', l->piece[i].column);
}

static void
branches(const Report *r, const Line *l)
{
	int i;

	for (i = 0; i < l->nbranch; i++)
		fprintf(r->f, "%10" PRIu64 "  of %" PRIu64 " taken, column %u\n",
			l->branch[i].taken, l->branch[i].reached, l->branch[i].column);
}

/* rows - a line, its pieces and its branches in a table for programs. */
static void
rows(const Report *r, const Shown *s)
{
	static const char *const title[] = {"line",         "column", "count", "of",
					    "instructions", "text",   NULL};
	Grid grid = {.arena = r->run, .ncol = 6, .left = 5};
	const char *none = "-";
	const Line *l = s->line;
	int i;

	titles(&grid, title);
	cell(&grid, "%u", s->number);
	cell(&grid, "%s", none);
	if (l && l->counted)
		cell(&grid, "%s%" PRIu64, l->sure ? "" : "~", l->count);
	else
		cell(&grid, "%s", none);
	cell(&grid, "%s", none);
	if (l)
		cell(&grid, "%" PRIu64, l->insns);
	else
		cell(&grid, "%s", none);
	cell(&grid, "%.*s", s->text ? s->len : 0, s->text ? s->text : "");
	for (i = 0; l && r->pieces && l->npiece > 1 && i < l->npiece; i++) {
		cell(&grid, "%u", s->number);
		cell(&grid, "%u", l->piece[i].column);
		cell(&grid, "%s%" PRIu64, l->piece[i].sure ? "" : "~", l->piece[i].count);
		cell(&grid, "%s", none);
		cell(&grid, "%s", none);
		cell(&grid, "%s", "");
	}
	for (i = 0; l && r->branches && i < l->nbranch; i++) {
		cell(&grid, "%u", s->number);
		cell(&grid, "%u", l->branch[i].column);
		cell(&grid, "%" PRIu64, l->branch[i].taken);
		cell(&grid, "%" PRIu64, l->branch[i].reached);
		cell(&grid, "%s", none);
		cell(&grid, "%s", "");
	}
	table(r, &grid, "file", s->file);
}

static void
printline(const Report *r, const Shown *s)
{
	const Line *l = s->line;
	const char *color = !l || !r->color    ? NULL
			    : markof(l) == '#' ? RED
			    : markof(l) == '~' ? YELLOW
					       : NULL;

	if (color)
		fputs(color, r->f);
	before(r, l);
	if (s->text)
		fprintf(r->f, "%.*s", s->len, s->text);
	else
		fprintf(r->f, "line %u", s->number);
	fprintf(r->f, "%s\n", color ? PLAINTEXT : "");
	if (l && r->pieces && l->npiece > 1)
		pieces(r, l);
	if (l && r->branches)
		branches(r, l);
}

/* A walk over lines, and the sources that they are in. */
typedef struct Walk Walk;

struct Walk {
	const Report *r;
	void (*tell)(void *, const Shown *);
	void *arg;
};

/* walkfile - the source of the lines l to end, which are in one file; if `part', only from the
 * first to the last of them. */
static void
walkfile(const Walk *w, const Line *l, const Line *end, bool part)
{
	Arena tmp = {0};
	Textfile text = readtext(sourcefile(w->r, l->file), &tmp);
	uint32_t first = part ? l->line : 1, last = end[-1].line;
	Shown s = {.file = l->file};
	uint64_t number;

	for (number = 1; l < end || number <= (uint64_t)text.n; number++) {
		bool there = number <= (uint64_t)text.n;

		if (!there && l->line > number)
			number = l->line;
		s.number = (uint32_t)number;
		s.next = l < end ? l : NULL;
		s.line = s.next && l->line == s.number ? l : NULL;
		s.text = there ? text.line[s.number - 1] : NULL;
		s.len = there ? (int)text.len[s.number - 1] : 0;
		if (s.number >= first && (!part || s.number <= last) && (s.text || s.line))
			w->tell(w->arg, &s);
		l += s.line != NULL;
	}
	areset(&tmp);
}

/* walkparts - the functions that were chosen by name. */
static void
walkparts(const Walk *w, const Line *l, const Line *end)
{
	const Line *k;

	for (; l < end; l = k) {
		for (k = l; k < end && k->named; k++)
			;
		if (k > l)
			walkfile(w, l, k, true);
		k += k == l;
	}
}

/* byuse - sort the indices of the files' first lines in the order of the files' first use. */
static void
byuse(const Report *r, const Lines *lines, int *first, int n)
{
	Uses uses = usedfiles(r);
	int *sorted = anew(r->run, int, uses.n + 1), i, k = 0;

	for (i = 0; i < n; i++)
		sorted[useof(&uses, lines->line[first[i]].file)] = first[i] + 1;
	for (i = 0; i < uses.n; i++)
		if (sorted[i])
			first[k++] = sorted[i] - 1;
}

void
eachline(const Report *r, const Lines *lines, void (*tell)(void *, const Shown *), void *arg)
{
	Walk w = {r, tell, arg};
	int *first = anew(r->run, int, lines->n + 1), i, k, n = 0;

	for (i = 0; i < lines->n; i++)
		if (i == 0 || lines->line[i].file != lines->line[i - 1].file)
			first[n++] = i;
	if (r->sort)
		byuse(r, lines, first, n);
	for (i = 0; i < n; i++) {
		const Line *l = &lines->line[first[i]];

		for (k = first[i]; k < lines->n && lines->line[k].file == l->file; k++)
			;
		if (r->of.nonly ? chosenfile(&r->of, l->file) : !issystem(l->file))
			walkfile(&w, l, &lines->line[k], false);
		else
			walkparts(&w, l, &lines->line[k]);
	}
}

typedef struct Listing Listing;

struct Listing {
	const Report *r;
	const char *file; /* current file; NULL before the first */
};

static void
tell(void *arg, const Shown *s)
{
	Listing *li = arg;

	if (li->r->rows) {
		rows(li->r, s);
		return;
	}
	if (li->file != s->file)
		fprintf(li->r->f, "%s%s:\n", li->file ? "\n" : "", s->file);
	li->file = s->file;
	printline(li->r, s);
}

void
listing(const Report *r)
{
	Lines lines = countlines(&r->of, r->run);
	Listing li = {.r = r};
	int i;

	for (i = 0; i < r->of.nmodule; i++)
		if (r->of.module[i].nfn && r->of.module[i].fn[0].calls)
			remark("%s: only function calls were counted, not lines: tally print -f "
			       "shows them",
			       r->of.module[i].path);
	eachline(r, &lines, tell, &li);
}
