/* html.c - the index of a site, and what its pages have in common.
 *
 * The pages are HTML that is also XML, and can be opened from a disk: all addresses are relative,
 * and the script is no module.  Without the script everything can be read, but not sorted or
 * searched.
 *
 * Browsers take seconds for large tables.  So a table has at most MOSTROWS rows; the others are
 * texts in a script of their own, which is loaded when they are needed. */

#include "html.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOSTROWS = 500, MOSTNAME = 60 };

void
putamount(FILE *f, uint64_t n)
{
	char digits[32];
	int len = snprintf(digits, sizeof digits, "%" PRIu64, n), i;

	for (i = 0; i < len; i++)
		fprintf(f, "%s%c", i && (len - i) % 3 == 0 ? "," : "", digits[i]);
}

int
heatof(uint64_t count, uint64_t most)
{
	int bits = count ? 64 - __builtin_clzll(count) : 0;
	int all = most > 1 ? 64 - __builtin_clzll(most) : 1;

	return count ? 1 + (HOTTEST - 1) * (bits - 1) / (all > 1 ? all - 1 : 1) : 0;
}

/* permille - rounded down, so that only all of it is 1000. */
static unsigned
permille(uint64_t ran, uint64_t all)
{
	return all ? (unsigned)((double)ran / (double)all * 1000) : 0;
}

void
putshare(FILE *f, uint64_t ran, uint64_t all)
{
	unsigned m = permille(ran, all);

	if (!all) {
		fputs("<td class=\"share\" data-v=\"-1\">\xe2\x80\x93</td>", f);
		return;
	}
	fprintf(f,
		"<td class=\"share\" data-v=\"%u\"><span class=\"bar\"><span "
		"style=\"width:%u.%u%%\">"
		"</span></span><span class=\"of\">%u.%u%%</span><small>",
		m, m / 10, m % 10, m / 10, m % 10);
	putamount(f, ran);
	fputs(" / ", f);
	putamount(f, all);
	fputs("</small></td>", f);
}

/* count - a cell with a number, or a dash if it is unknown. */
static void
count(FILE *f, uint64_t n, bool sure, bool known)
{
	if (!known) {
		fputs("<td class=\"n\" data-v=\"-1\">\xe2\x80\x93</td>", f);
		return;
	}
	fprintf(f, "<td class=\"n\" data-v=\"%" PRIu64 "\"%s>%s", n,
		sure ? "" : " title=\"approximate\"", sure ? "" : "~");
	putamount(f, n);
	fputs("</td>", f);
}

/* pagename - the name of a page: of `name' the characters that are safe everywhere, and a hash of
 * the key, which is unique. */
static const char *
pagename(Site *s, const char *dir, const char *name, const char *key, size_t len)
{
	Arena *run = s->r->run;
	uint64_t hash = hashbytes(HASHBEGIN, key, len);
	Buf b = {.arena = run};
	size_t i, n;

	bprintf(&b, "%s/%s", dir, *name ? "" : "_");
	for (i = 0; i < MOSTNAME && name[i]; i++) {
		char c = name[i];
		bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z')
			     || (c >= 'a' && c <= 'z') || c == '_' || (c == '.' && i > 0);

		bput(&b, plain ? &c : "_", 1);
	}
	bprintf(&b, "-%016" PRIx64, hash);
	n = b.n;
	for (i = 2; lookup(&s->names, b.s, b.n); i++) {
		b.n = n;
		bprintf(&b, "-%zu", i);
	}
	intern(&s->names, b.s, b.n, 1);
	return b.s;
}

bool
lineref(Site *s, FILE *f, const char *file, uint32_t line, const char *up)
{
	const Entry *e = lookup(&s->sources, file, strlen(file));
	uint32_t part = line ? (line - 1) / PAGELINES : 0;

	if (!e)
		return false;
	fprintf(f, "%s%s", up, s->page[e->value]);
	if (part)
		fprintf(f, ".%" PRIu32, part + 1);
	fputs(".html", f);
	if (line)
		fprintf(f, "#L%" PRIu32, line);
	return true;
}

/* nremark - the number of remarks. */
static int
nremark(const Site *s)
{
	const char *c;
	int n = 0;

	for (c = s->remarks; *c; c++)
		n += *c == '\n';
	return n;
}

FILE *
openpage(Site *s, const char *path, const char *title, const char *kind, const char *up)
{
	Buf name = {.arena = &s->tmp};
	int n = nremark(s);
	FILE *f;

	bprintf(&name, "%s/%s", s->dir, path);
	if (!(f = fopen(name.s, "w")))
		syserr("create %s", name.s);
	fputs("<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
	      "<meta charset=\"utf-8\"/>\n<meta name=\"generator\" content=\"tally ",
	      f);
	putxml(f, s->r->version);
	fputs("\"/>\n<meta name=\"viewport\" content=\"width=device-width, "
	      "initial-scale=1\"/>\n<title>",
	      f);
	putxml(f, title);
	fprintf(f,
		"</title>\n<link rel=\"stylesheet\" href=\"%sstyle.css\"/>\n"
		"<script src=\"%sscript.js\"></script>\n</head>\n<body class=\"%s\">\n"
		"<header><a class=\"brand\" href=\"%sindex.html\">tally</a>",
		up, up, kind, up);
	if (n)
		fprintf(f, "<a class=\"doubt\" href=\"%sindex.html#remarks\">%d remark%s</a>", up,
			n, n == 1 ? "" : "s");
	fputs("<button id=\"theme\" type=\"button\" "
	      "class=\"script\">Theme</button></header>\n<main>\n",
	      f);
	return f;
}

void
closepage(Site *s, FILE *f, const char *path)
{
	fputs("</main>\n</body>\n</html>\n", f);
	if (fflush(f) != 0 || ferror(f) || fclose(f) != 0)
		syserr("write %s/%s", s->dir, path);
	progress("writing pages", ++s->done, s->all);
	if (s->written)
		s->written();
}

/* putfile - a file that is the same in all sites. */
static void
putfile(Site *s, const char *name, const char *text)
{
	Buf path = {.arena = &s->tmp};
	FILE *f;

	bprintf(&path, "%s/%s", s->dir, name);
	if (!(f = fopen(path.s, "w")) || fputs(text, f) < 0 || fclose(f) != 0)
		syserr("write %s", path.s);
}

/* shortpath - the path without the common directory. */
static const char *
shortpath(const Site *s, int source)
{
	return s->cover.source[source].path + s->common;
}

/* graphs - links to the flow graphs of a row. */
static void
graphs(Site *s, FILE *f, const Frow *row, const char *up)
{
	int c, n = 0, all = 0;

	for (c = row->copy; c != NONE; c = s->copy[c].next)
		all += s->copy[c].page != NULL;
	for (c = row->copy; c != NONE; c = s->copy[c].next)
		if (s->copy[c].page) {
			fprintf(f, "%s<a href=\"%s%s.html\" title=\"", n ? " " : "", up,
				s->copy[c].page);
			putxml(f, s->copy[c].fn->name);
			fputs(" in ", f);
			putxml(f, s->copy[c].m->path);
			if (all > 1)
				fprintf(f, "\">%d</a>", ++n);
			else
				fputs("\">graph</a>", f);
		}
}

static void
functionrow(Site *s, FILE *f, const Frow *row, const char *up)
{
	const char *page = row->copy == NONE ? NULL : s->copy[row->copy].page;

	fprintf(f, "<tr%s><th scope=\"row\">",
		row->reason                       ? " class=\"odd\""
		: row->calls == 0 && !row->ran ? " class=\"never\""
					       : "");
	if (row->fn) {
		fputs("<a href=\"", f);
		lineref(s, f, row->fn->file, row->fn->line, up);
		fputs("\">", f);
	} else if (page) {
		fprintf(f, "<a href=\"%s%s.html\">", up, page);
	}
	putxml(f, row->name);
	fputs(row->fn || page ? "</a></th>" : "</th>", f);
	if (row->reason) {
		fputs("<td data-v=\"-1\" class=\"why\" colspan=\"3\">not counted: ", f);
		putxml(f, row->reason);
		fputs("</td>", f);
	} else {
		putshare(f, row->ran, row->blocks);
		count(f, row->calls, row->sure, row->called);
		count(f, row->insns, row->sure, row->code);
	}
	fputs("<td class=\"place\">", f);
	if (row->fn) {
		fputs("<a href=\"", f);
		lineref(s, f, row->fn->file, row->fn->line, up);
		fputs("\">", f);
		putxml(f, shortpath(s, row->source));
		fprintf(f, ":%" PRIu32 "</a>", row->fn->line);
	}
	fputs("</td><td class=\"graphs\">", f);
	graphs(s, f, row, up);
	fputs("</td></tr>", f);
}

static void
filerow(Site *s, FILE *f, int i)
{
	const Covered *c = &s->cover.source[i];

	fprintf(f, "<tr%s><th scope=\"row\"><a href=\"", c->ran ? "" : " class=\"never\"");
	lineref(s, f, c->file, 0, "");
	fputs("\" title=\"", f);
	putxml(f, c->path);
	fputs("\">", f);
	putxml(f, shortpath(s, i));
	fputs("</a></th>", f);
	putshare(f, (uint64_t)c->ran, (uint64_t)c->counted);
	putshare(f, (uint64_t)c->called, (uint64_t)c->nfn);
	if (s->branches)
		putshare(f, (uint64_t)c->taken, (uint64_t)c->nbranch);
	count(f, c->count, c->sure, true);
	count(f, c->insns, true, true);
	fputs("</tr>", f);
}

/* heading - the title of a column that can be sorted. */
static void
heading(FILE *f, const char *text, const char *title, bool numbers)
{
	fprintf(f, "<th scope=\"col\"%s><button type=\"button\" title=\"%s\">%s</button></th>",
		numbers ? " class=\"n\"" : "", title, text);
}

static void
functionheadings(FILE *f)
{
	fputs("<thead><tr>", f);
	heading(f, "Function", "its name in the source", false);
	heading(f, "Coverage", "blocks that ran, of all", true);
	heading(f, "Calls", "how often it was called", true);
	heading(f, "Instructions", "machine instructions that it executed, without those it called",
		true);
	heading(f, "Place", "where it begins", false);
	fputs("<th scope=\"col\">Flow</th></tr></thead>\n", f);
}

void
functionrows(Site *s, FILE *f, int first, int end, const char *up)
{
	int i;

	fputs("<table class=\"sortable\">\n", f);
	functionheadings(f);
	fputs("<tbody>\n", f);
	for (i = first; i < end; i++) {
		functionrow(s, f, &s->row[i], up);
		fputc('\n', f);
	}
	fputs("</tbody></table>\n", f);
}

/* Writes row i of a large table. */
typedef void (*Putrow)(Site *, FILE *, int i);

static Site *sortsite;

/* bywork - functions that executed more instructions come first. */
static int
bywork(const void *a, const void *b)
{
	int i = *(const int *)a, k = *(const int *)b;
	const Frow *x = &sortsite->row[i], *y = &sortsite->row[k];

	if (x->insns != y->insns)
		return x->insns > y->insns ? -1 : 1;
	if (x->calls != y->calls)
		return x->calls > y->calls ? -1 : 1;
	return i - k;
}

static void
onefunction(Site *s, FILE *f, int i)
{
	functionrow(s, f, &s->row[i], "");
}

/* more - write the rows that are too many for the index to a script. */
static void
more(Site *s, const char *name, const int *id, int n, Putrow put)
{
	Buf path = {.arena = &s->tmp};
	char *text = NULL;
	size_t len = 0;
	FILE *f, *row = open_memstream(&text, &len);
	int i;

	bprintf(&path, "%s/%s.js", s->dir, name);
	if (!row || !(f = fopen(path.s, "w")))
		syserr("create %s", path.s);
	fprintf(f, "more(\"%s\", [", name);
	for (i = 0; i < n; i++) {
		rewind(row);
		put(s, row, id[i]);
		fputc(0, row);
		fflush(row);
		fputs(i ? ",\n\"" : "\n\"", f);
		putjson(f, text);
		fputc('"', f);
	}
	fputs("]);\n", f);
	if (ferror(f) || fclose(f) != 0)
		syserr("write %s", path.s);
	fclose(row);
	free(text);
}

/* bigtable - the rows of a table of the index, as many as fit. */
static void
bigtable(Site *s, FILE *f, const char *name, const int *id, int n, Putrow put)
{
	int i, shown = n < MOSTROWS ? n : MOSTROWS;

	fputs("<tbody>\n", f);
	for (i = 0; i < shown; i++) {
		put(s, f, id[i]);
		fputc('\n', f);
	}
	fputs("</tbody></table>\n", f);
	if (shown == n)
		return;
	fprintf(f,
		"<p class=\"rest\">The first %d of %d are shown; sorting and searching go "
		"through all.</p>\n",
		shown, n);
	more(s, name, id + shown, n - shown, put);
}

/* tile - one of the large figures at the top. */
static void
tile(FILE *f, const char *what, uint64_t ran, uint64_t all)
{
	unsigned m = permille(ran, all);

	if (!all)
		return;
	fprintf(f,
		"<div class=\"tile\"><b>%u.%u<small>%%</small></b><span class=\"bar\"><span "
		"style=\"width:%u.%u%%\"></span></span><span>",
		m / 10, m % 10, m / 10, m % 10);
	putamount(f, ran);
	fputs(" of ", f);
	putamount(f, all);
	fprintf(f, " %s</span></div>\n", what);
}

static void
tiles(Site *s, FILE *f)
{
	uint64_t lines = 0, ran = 0, fns = 0, called = 0, ways = 0, taken = 0, insns = 0;
	bool sure = true, partial = false;
	int i;

	for (i = 0; i < s->cover.n; i++) {
		const Covered *c = &s->cover.source[i];

		lines += (uint64_t)c->counted;
		ran += (uint64_t)c->ran;
		ways += (uint64_t)c->nbranch;
		taken += (uint64_t)c->taken;
	}
	for (i = 0; i < s->nrow; i++) {
		fns += !s->row[i].reason;
		called += s->row[i].calls > 0;
		insns += s->row[i].insns;
		sure &= s->row[i].sure;
		partial |= s->row[i].partial;
	}
	fputs("<div class=\"tiles\">\n", f);
	tile(f, "lines ran", ran, lines);
	tile(f, "functions were called", called, fns);
	tile(f, "ways out of branches were taken", taken, ways);
	if (!partial) {
		fprintf(f, "<div class=\"tile\"><b>%s", sure ? "" : "~");
		putamount(f, insns);
		fputs("</b><span>instructions were executed</span></div>\n", f);
	}
	fputs("</div>\n", f);
}

static void
remarklist(const Site *s, FILE *f)
{
	const char *c = s->remarks;

	if (!*c)
		return;
	fputs("<section id=\"remarks\"><h2>Remarks</h2><ul>\n", f);
	while (*c) {
		size_t n = strcspn(c, "\n");

		fputs("<li>", f);
		putxml(f, astrndup(s->r->run, c, n));
		fputs("</li>\n", f);
		c += n + (c[n] != 0);
	}
	fputs("</ul></section>\n", f);
}

static void
programs(const Site *s, FILE *f)
{
	int i;

	fputs("<p class=\"programs\">", f);
	for (i = 0; i < s->r->of.nmodule; i++) {
		const Module *m = &s->r->of.module[i];

		fputs(i ? ", <code>" : "<code>", f);
		putxml(f, m->path);
		fprintf(f, "</code> (%" PRIu64 " run%s)", m->nrun, m->nrun == 1 ? "" : "s");
	}
	fputs("</p>\n", f);
}

static void
indexpage(Site *s)
{
	int *id = anew(s->r->run, int, s->nrow > s->cover.n ? s->nrow : s->cover.n), i;
	FILE *f = openpage(s, "index.html", "tally", "index", "");

	fputs("<h1>What ran, and how often</h1>\n", f);
	programs(s, f);
	remarklist(s, f);
	tiles(s, f);
	fprintf(f,
		"<p class=\"find script\"><input id=\"search\" type=\"search\" data-lines=\"%d\" "
		"aria-label=\"Search\" placeholder=\"Search files and functions, or file:line  ( / "
		")\"/>"
		"</p>\n<section><h2 id=\"files\">Files</h2>\n",
		PAGELINES);
	if (s->common) {
		fputs("<p class=\"under\">under <code>", f);
		if (s->cover.n)
			putxmltext(f, s->cover.source[0].path, s->common);
		fputs("</code></p>\n", f);
	}
	fputs("<table class=\"sortable\" data-name=\"files\">\n<thead><tr>", f);
	heading(f, "File", "its path", false);
	heading(f, "Lines", "lines that ran, of those with code", true);
	heading(f, "Functions", "functions that were called, of all", true);
	if (s->branches)
		heading(f, "Branches", "ways out of branches that were taken, of all", true);
	heading(f, "Executions", "the counts of its lines, added up", true);
	heading(f, "Instructions", "machine instructions that were executed for its lines", true);
	fputs("</tr></thead>\n", f);
	for (i = 0; i < s->cover.n; i++)
		id[i] = i;
	bigtable(s, f, "files", id, s->cover.n, filerow);
	fputs("</section>\n<section><h2 id=\"functions\">Functions</h2>\n"
	      "<table class=\"sortable\" data-name=\"functions\">\n",
	      f);
	functionheadings(f);
	for (i = 0; i < s->nrow; i++)
		id[i] = i;
	sortsite = s;
	if (s->nrow)
		qsort(id, (size_t)s->nrow, sizeof *id, bywork);
	bigtable(s, f, "functions", id, s->nrow, onefunction);
	fputs("</section>\n", f);
	closepage(s, f, "index.html");
}

/* namesources - name the pages of sources, and find the common directory. */
static void
namesources(Site *s)
{
	int i;

	s->page = anew(s->r->run, const char *, s->cover.n);
	s->names.arena = s->sources.arena = s->r->run;
	for (i = 0; i < s->cover.n; i++) {
		const Covered *c = &s->cover.source[i];
		const char *first = s->cover.source[0].path, *slash = strrchr(c->path, '/');
		size_t n = slash ? (size_t)(slash + 1 - c->path) : 0, k = 0;

		intern(&s->sources, c->file, strlen(c->file), i);
		s->page[i] =
			pagename(s, "file", slash ? slash + 1 : c->path, c->file, strlen(c->file));
		if (i == 0)
			s->common = n;
		while (k < n && k < s->common && c->path[k] == first[k])
			k++;
		while (k > 0 && first[k - 1] != '/')
			k--;
		s->common = k;
		s->branches |= c->nbranch > 0;
	}
}

/* fnkey - identifies a function: by file, and name up to a dot, after which a compiler adds the
 * suffix of a copy; if it is not a function of a C text, by file, line and name. */
static void
fnkey(Buf *b, const char *file, const char *name, uint32_t line, bool told)
{
	b->n = 0;
	if (told)
		bprintf(b, "%s%c%.*s", file, 0, (int)strcspn(name, "."), name);
	else
		bprintf(b, "%s%c%" PRIu32 "%c%s", file, 0, line, 0, name);
}

/* addcopy - add a function of machine code to the row of its source, or as a row of its own. */
static void
addcopy(Site *s, const Module *m, const Fn *fn, Table *known, Buf *key)
{
	const Report *r = s->r;
	const char *file = fileof(fn);
	const Entry *e, *alone = NULL;
	bool sure = true, code = false, again = false;
	uint64_t calls;
	Frow *row;
	Copy *c;
	int b;

	fnkey(key, file, fn->name, 0, true);
	if (!(e = lookup(known, key->s, key->n))) {
		fnkey(key, file, nameof(r, fn), lineof(fn), false);
		e = lookup(known, key->s, key->n);
	}
	if (!e && (r->of.nonly ? !chosen(&r->of, fn) : issystem(file)))
		return;
	if (!e) { /* one row for all programs that have this code */
		const Fn *own = fn->sameas ? fn->sameas : fn;

		key->n = 0;
		bput(key, "", 1);
		bput(key, (char *)&own, sizeof own);
		alone = intern(known, key->s, key->n, s->nrow);
		again = alone->value < s->nrow;
	}
	if (alone && !again) {
		apush(r->run, s->row, s->nrow, s->caprow);
		s->row[s->nrow++] = (Frow){.source = NONE,
					   .copy = NONE,
					   .name = nameof(r, fn),
					   .reason = fn->g     ? NULL
						  : fn->reason ? fn->reason
							    : "?",
					   .called = true,
					   .sure = true};
	}
	row = &s->row[e ? e->value : alone->value];
	apush(r->run, s->copy, s->ncopy, s->capcopy);
	c = &s->copy[s->ncopy++];
	*c = (Copy){.m = m, .fn = fn, .next = row->copy};
	row->copy = s->ncopy - 1;
	if (!fn->g || !fn->flow)
		return;
	row->insns += executed(fn, &sure);
	row->sure &= sure && !fn->flow->bad;
	for (b = FIRST; b < fn->g->nblock; b++) {
		code |= fn->code.block[b].part != CODENONE;
		if (alone && !again && isplace(fn, b)) {
			row->blocks++;
			row->ran += hasrunat(fn, b);
		}
	}
	row->called &= callsto(fn, &calls);
	if (alone)
		row->calls += calls;
	row->partial |= fn->partial;
	row->code = (row->code || code) && !row->partial;
	if (!code || fn->partial)
		return; /* edges are unknown: counters are in the C text, or only in some blocks */
	key->n = 0;
	bprintf(key, "%s%c%s%c%s%c%" PRIu32, m->path, 0, file, 0, fn->name, 0, lineof(fn));
	c->page = pagename(s, "flow", nameof(r, fn), key->s, key->n);
}

/* findrows - make the table of functions. */
static void
findrows(Site *s)
{
	Arena *run = s->r->run;
	Table known = {.arena = run};
	Buf key = {.arena = run};
	int i, k;

	s->rowat = anew(run, int, s->cover.n + 1);
	for (i = 0; i < s->cover.n; i++) {
		const Covered *c = &s->cover.source[i];

		s->rowat[i] = s->nrow;
		for (k = 0; k < c->nfn; k++) {
			const Function *fn = &c->fn[k];

			fnkey(&key, fn->file, fn->name, fn->line, fn->told);
			intern(&known, key.s, key.n, s->nrow);
			apush(run, s->row, s->nrow, s->caprow);
			s->row[s->nrow++] = (Frow){.fn = fn,
						   .source = i,
						   .copy = NONE,
						   .name = fn->name,
						   .calls = fn->calls,
						   .blocks = fn->blocks,
						   .ran = fn->ran,
						   .called = true,
						   .sure = fn->sure};
		}
	}
	s->rowat[i] = s->nrow;
	for (i = 0; i < s->r->of.nmodule; i++)
		for (k = 0; k < s->r->of.module[i].nfn; k++)
			addcopy(s, &s->r->of.module[i], &s->r->of.module[i].fn[k], &known, &key);
}

/* flowpages - of rows first to end. */
static void
flowpages(Site *s, int first, int end, const char *file, const Textfile *text)
{
	int i, c;

	for (i = first; i < end; i++)
		for (c = s->row[i].copy; c != NONE; c = s->copy[c].next)
			if (s->copy[c].page)
				flowpage(s, &s->copy[c], file, text);
}

void
html(Site *s)
{
	Textfile none = {0};
	int i;

	for (i = 0; i < s->r->of.nmodule; i++) {
		findstarts(&s->r->of.module[i], s->r->run);
		codenames(s->r, &s->r->of.module[i]);
	}
	namesources(s);
	findrows(s);
	s->all = s->cover.n + s->ncopy + 1;
	putfile(s, "style.css", htmlcss);
	putfile(s, "script.js", htmljs);
	for (i = 0; i < s->cover.n; i++) {
		Textfile text = readtext(s->cover.source[i].path, &s->tmp);

		flowpages(s, s->rowat[i], s->rowat[i + 1], s->cover.source[i].file, &text);
		sourcepages(s, i, &text);
		areset(&s->tmp);
	}
	flowpages(s, s->rowat[i], s->nrow, "", &none);
	indexpage(s);
	progressed();
	areset(&s->tmp);
}
