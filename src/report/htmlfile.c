/* htmlfile.c - the pages of a source: its lines with their counts.
 *
 * A page has at most PAGELINES lines, in tables of CHUNK rows.  A browser lays out only those in
 * sight: all rows have the same height, so it knows the height of the others. */

#include "html.h"

#include <inttypes.h>
#include <string.h>

enum { CHUNK = 200, MOSTMARKS = 240, TAB = 8 };

typedef struct Drawn Drawn;
typedef struct Pager Pager;

/* A line to show. */
struct Drawn {
	uint32_t number;
	const Line *line; /* NULL if it has no code */
};

/* The current source. */
struct Pager {
	Site *s;
	int source;
	const Covered *c;
	const Textfile *text;
	Drawn *row;
	int nrow;
	size_t caprow;
	uint64_t most;  /* largest count of a line */
	int digits;     /* columns for counts */
	int insndigits; /* columns for instructions */
};

static void
addrow(Pager *p, uint32_t number, const Line *l)
{
	apush(&p->s->tmp, p->row, p->nrow, p->caprow);
	p->row[p->nrow++] = (Drawn){number, l};
}

/* findrows - find the lines to show: all, or those of functions that were chosen by name; and lines
 * with code beyond the end of the text. */
static void
findrows(Pager *p)
{
	const Covered *c = p->c;
	const Report *r = p->s->r;
	bool whole = !r->of.nonly || chosenfile(&r->of, c->file);
	const Line *l = c->line, *end = l + c->nline;
	uint32_t n, until = 0;
	int f = 0;

	while (l < end && l->line == 0)
		l++;
	for (n = 1; n <= (uint32_t)p->text->n; n++) {
		bool code = l < end && l->line == n;

		for (; f < c->nfn && c->fn[f].line <= n; f++)
			if (c->fn[f].endline > until)
				until = c->fn[f].endline;
		if (whole || code || n <= until)
			addrow(p, n, code ? l : NULL);
		l += code;
	}
	for (; l < end; l++)
		addrow(p, l->line, l);
}

/* columns - the width of a number, with commas. */
static int
columns(uint64_t n)
{
	int digits = 1;

	for (; n > 9; n /= 10)
		digits++;
	return digits + (digits - 1) / 3;
}

/* neverran - whether a line has code of which certainly nothing ran. */
static bool
neverran(const Line *l)
{
	return l->counted && l->sure && l->count == 0 && (l->told || l->insns == 0);
}

/* widthof - the width of a line, with what follows its text. */
static size_t
widthof(const char *s, size_t len, const Line *l)
{
	size_t i, n = 0, more = 0;

	for (i = 0; l && i < (size_t)l->nbranch; i++)
		more += (size_t)(columns(l->branch[i].taken) + columns(l->branch[i].reached) + 4);
	for (i = 0; i < len; i++)
		if (s[i] == '\t')
			n += TAB - n % TAB;
		else
			n += ((unsigned char)s[i] & 0xc0) != 0x80;
	return n + more;
}

/* branches - the branches of a line, after its text. */
static void
branches(FILE *f, const Line *l)
{
	int i;

	for (i = 0; i < l->nbranch; i++) {
		const Branch *b = &l->branch[i];
		bool half = b->taken == 0 || b->taken == b->reached;

		fprintf(f,
			"<span class=\"%s\" title=\"column %u: the condition held %" PRIu64
			" of %" PRIu64 " times\">",
			b->reached == 0 ? "none"
			: half          ? "half"
					: "both",
			b->column, b->taken, b->reached);
		putamount(f, b->taken);
		fputc('/', f);
		putamount(f, b->reached);
		fputs("</span>", f);
	}
}

/* begins - links to the flow graphs of functions that begin in a line; *k is the next row of the
 * table of functions. */
static void
begins(Pager *p, FILE *f, uint32_t number, int *k)
{
	Site *s = p->s;
	int c;

	for (; *k < s->rowat[p->source + 1] && s->row[*k].fn->line <= number; ++*k)
		for (c = s->row[*k].copy; c != NONE; c = s->copy[c].next)
			if (s->row[*k].fn->line == number && s->copy[c].page) {
				fprintf(f, "<a class=\"flow\" href=\"../%s.html\" title=\"",
					s->copy[c].page);
				putxml(f, s->copy[c].fn->name);
				fputs(" in ", f);
				putxml(f, s->copy[c].m->path);
				fputs("\">flow graph</a>", f);
			}
}

/* pieces - the pieces of a line as a tooltip, if there are several. */
static void
pieces(FILE *f, const Line *l)
{
	int i;

	if (l->npiece < 2)
		return;
	fputs(" title=\"", f);
	for (i = 0; i < l->npiece; i++)
		fprintf(f, "%scolumn %u: %s%" PRIu64, i ? "&#10;" : "", l->piece[i].column,
			l->piece[i].sure ? "" : "~", l->piece[i].count);
	fputc('"', f);
}

static void
putrow(Pager *p, FILE *f, int i, int *k)
{
	const Line *l = p->row[i].line;
	uint32_t n = p->row[i].number;
	char mark = ' ';

	if (l && l->counted)
		mark = !l->sure ? '~' : neverran(l) ? '#' : ' ';
	fprintf(f, "<tr id=\"L%" PRIu32 "\"", n);
	if (mark == '#')
		fputs(" class=\"never\"", f);
	else if (l && l->counted)
		fprintf(f, " class=\"h%d%s\"", heatof(l->count, p->most),
			mark == '~' ? " about" : "");
	fprintf(f, "><th scope=\"row\"><a href=\"#L%" PRIu32 "\">%" PRIu32 "</a></th><td", n, n);
	if (l && l->counted) {
		pieces(f, l);
		fputc('>', f);
		putamount(f, l->count);
		fprintf(f, " %c</td><td>", mark);
	} else {
		fputs("></td><td>", f);
	}
	if (l)
		putamount(f, l->insns);
	fputs("</td><td>", f);
	if (n <= (uint32_t)p->text->n)
		putxmltext(f, p->text->line[n - 1], p->text->len[n - 1]);
	if (l)
		branches(f, l);
	begins(p, f, n, k);
	fputs("</td></tr>\n", f);
}

/* chunk - a table of the rows first to end.  Where lines were omitted, a row says so. */
static void
chunk(Pager *p, FILE *f, int first, int end, int *k)
{
	int i, rows = 0;

	for (i = first; i < end; i++)
		rows += 1 + (p->row[i].number != (i ? p->row[i - 1].number + 1 : 1));
	fprintf(f,
		"<div class=\"chunk\" style=\"--n:%d\"><table><thead><tr><th "
		"scope=\"col\">line</th><th scope=\"col\">count</th><th scope=\"col\">"
		"instructions</th><th scope=\"col\">source</th></tr></thead><tbody>\n",
		rows);
	for (i = first; i < end; i++) {
		if (p->row[i].number != (i ? p->row[i - 1].number + 1 : 1))
			fputs("<tr "
			      "class=\"gap\"><th></th><td></td><td></td><td>\xe2\x8b\xaf</td></"
			      "tr>\n",
			      f);
		putrow(p, f, i, k);
	}
	fputs("</tbody></table></div>\n", f);
}

/* mark - a link from the overview to a row; lines that never ran are on its right. */
static void
mark(Pager *p, FILE *f, int row, const char *kind, int heat, int y, int height)
{
	fputs("<a href=\"", f);
	lineref(p->s, f, p->c->file, p->row[row].number, "../");
	fprintf(f, "\"><rect class=\"%s%.0d\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/></a>\n",
		kind, heat, heat ? 0 : 3, y, heat ? 5 : 2, height);
}

/* map - the overview: a strip for the whole source, with its hot lines and those that never ran. */
static void
map(Pager *p, FILE *f)
{
	int per = (p->nrow + MOSTMARKS - 1) / MOSTMARKS, i, k;

	if (!p->nrow)
		return;
	fprintf(f,
		"<nav class=\"map\" aria-label=\"Overview\"><svg "
		"xmlns=\"http://www.w3.org/2000/svg\" "
		"viewBox=\"0 0 5 %d\" preserveAspectRatio=\"none\">\n",
		p->nrow);
	for (i = 0; i < p->nrow; i += per) {
		int hot = NONE, never = NONE, heat = 0;

		for (k = i; k < i + per && k < p->nrow; k++) {
			const Line *l = p->row[k].line;

			if (!l || !l->counted)
				continue;
			if (neverran(l) && never == NONE)
				never = k;
			if (l->count && heatof(l->count, p->most) > heat) {
				heat = heatof(l->count, p->most);
				hot = k;
			}
		}
		if (hot != NONE)
			mark(p, f, hot, "h", heat, i, per);
		if (never != NONE)
			mark(p, f, never, "never", 0, i, per);
	}
	fputs("</svg></nav>\n", f);
}

/* beside - a link to the previous or next source. */
static void
beside(Pager *p, FILE *f, int source, const char *text, const char *rel)
{
	if (source < 0 || source >= p->s->cover.n)
		return;
	fputs("<a href=\"", f);
	lineref(p->s, f, p->s->cover.source[source].file, 0, "../");
	fprintf(f, "\" rel=\"%s\" title=\"", rel);
	putxml(f, p->s->cover.source[source].path);
	fprintf(f, "\">%s</a>", text);
}

/* parts - links to the pages of a long source. */
static void
parts(Pager *p, FILE *f, uint32_t here)
{
	int i;
	uint32_t last = UINT32_MAX;

	fputs("<nav class=\"parts\" aria-label=\"Pages\">Lines ", f);
	for (i = 0; i < p->nrow; i++) {
		uint32_t part = (p->row[i].number - 1) / PAGELINES;

		if (part == last)
			continue;
		last = part;
		fputs("<a href=\"", f);
		lineref(p->s, f, p->c->file, p->row[i].number, "../");
		fprintf(f, "\"%s>%" PRIu32 "\xe2\x80\x93</a> ",
			part == here ? " aria-current=\"page\"" : "", p->row[i].number);
	}
	fputs("</nav>\n", f);
}

/* summarise - the figures of the whole source. */
static void
summarise(Pager *p, FILE *f, bool several, uint32_t part)
{
	const Covered *c = p->c;
	const char *slash = strrchr(c->path, '/');

	fputs("<div class=\"head\"><h1>", f);
	if (slash) {
		fputs("<small>", f);
		putxmltext(f, c->path, (size_t)(slash + 1 - c->path));
		fputs("</small>", f);
	}
	putxml(f, slash ? slash + 1 : c->path);
	fputs("</h1><nav class=\"beside\" aria-label=\"Files\">", f);
	beside(p, f, p->source - 1, "\xe2\x86\x90 previous", "prev");
	beside(p, f, p->source + 1, "next \xe2\x86\x92", "next");
	fputs("</nav></div>\n<table class=\"facts\"><thead><tr><th scope=\"col\">Lines</th>"
	      "<th scope=\"col\">Functions</th>",
	      f);
	if (c->nbranch)
		fputs("<th scope=\"col\">Branches</th>", f);
	fputs("<th scope=\"col\">Executions</th><th scope=\"col\">Instructions</th></tr></thead>"
	      "<tbody><tr>",
	      f);
	putshare(f, (uint64_t)c->ran, (uint64_t)c->counted);
	putshare(f, (uint64_t)c->called, (uint64_t)c->nfn);
	if (c->nbranch)
		putshare(f, (uint64_t)c->taken, (uint64_t)c->nbranch);
	fprintf(f, "<td class=\"n\">%s", c->sure ? "" : "~");
	putamount(f, c->count);
	fputs("</td><td class=\"n\">", f);
	putamount(f, c->insns);
	fputs("</td></tr></tbody></table>\n", f);
	if (!p->text->there)
		fputs("<p class=\"missing\">The source was not found: only lines with code are "
		      "shown.</p>\n",
		      f);
	if (several)
		parts(p, f, part);
}

/* functionsof - the functions that begin on a page. */
static void
functionsof(Pager *p, FILE *f, uint32_t part)
{
	Site *s = p->s;
	int first = s->rowat[p->source], end = s->rowat[p->source + 1];

	while (first < end && (s->row[first].fn->line - 1) / PAGELINES < part)
		first++;
	while (end > first && (s->row[end - 1].fn->line - 1) / PAGELINES > part)
		end--;
	if (first == end)
		return;
	fprintf(f, "<details class=\"functions\"><summary>%d function%s</summary>\n", end - first,
		end - first == 1 ? "" : "s");
	functionrows(s, f, first, end, "../");
	fputs("</details>\n", f);
}

/* page - a page of the rows first to end. */
static void
page(Pager *p, uint32_t part, int first, int end)
{
	Site *s = p->s;
	Buf path = {.arena = &s->tmp};
	size_t wide = 0;
	int i, k = s->rowat[p->source];
	FILE *f;

	bprintf(&path, "%s", s->page[p->source]);
	if (part) {
		bprintf(&path, ".%" PRIu32, part + 1);
		s->all++;
	}
	bprintf(&path, ".html");
	f = openpage(s, path.s, p->c->path, "source", "../");
	summarise(p, f, (p->nrow && (p->row[p->nrow - 1].number - 1) / PAGELINES > 0), part);
	functionsof(p, f, part);
	for (i = first; i < end; i++)
		if (p->row[i].number <= (uint32_t)p->text->n) {
			size_t n = widthof(p->text->line[p->row[i].number - 1],
					   p->text->len[p->row[i].number - 1], p->row[i].line);

			wide = n > wide ? n : wide;
		}
	fprintf(f,
		"<input id=\"showinsns\" type=\"checkbox\"/><div class=\"tools\"><label "
		"for=\"showinsns\">Instructions</label>"
		"<form class=\"script\" id=\"goto\" data-lines=\"%d\" data-page=\"",
		PAGELINES);
	putxml(f, strchr(s->page[p->source], '/') + 1);
	fputs("\"><label>Line <input name=\"line\" inputmode=\"numeric\" "
	      "size=\"7\"/></label></form>"
	      "<span class=\"script\"><button type=\"button\" id=\"before\" title=\"key "
	      "p\">\xe2\x86\x91"
	      "</button><button type=\"button\" id=\"behind\" title=\"key n\">\xe2\x86\x93 never "
	      "executed</button></span><span class=\"legend\"><span class=\"never\">0 # never"
	      "</span><span class=\"about\">~ approximate</span><span class=\"scale\">rarely",
	      f);
	for (i = 1; i <= HOTTEST; i += 2)
		fprintf(f, "<i class=\"h%d\"></i>", i);
	fprintf(f,
		"often</span></span></div>\n"
		"<div class=\"code\" style=\"--c:%dch;--i:%dch;--w:%zuch\">\n",
		p->digits + 2, p->insndigits, wide + 14);
	for (i = first; i < end; i += CHUNK)
		chunk(p, f, i, i + CHUNK < end ? i + CHUNK : end, &k);
	fputs("</div>\n", f);
	map(p, f);
	closepage(s, f, path.s);
}

void
sourcepages(Site *s, int source, const Textfile *text)
{
	Pager p = {.s = s, .source = source, .c = &s->cover.source[source], .text = text};
	uint64_t insns = 0;
	int i, k;

	findrows(&p);
	for (i = 0; i < p.c->nline; i++) {
		if (p.c->line[i].count > p.most)
			p.most = p.c->line[i].count;
		if (p.c->line[i].insns > insns)
			insns = p.c->line[i].insns;
	}
	p.digits = columns(p.most);
	p.insndigits = columns(insns);
	if (p.nrow == 0 || p.row[0].number > PAGELINES)
		page(&p, 0, 0, 0);
	for (i = 0; i < p.nrow; i = k) {
		uint32_t part = (p.row[i].number - 1) / PAGELINES;

		for (k = i; k < p.nrow && (p.row[k].number - 1) / PAGELINES == part; k++)
			;
		page(&p, part, i, k);
	}
}
