/* htmlflow.c - the page of a function: its flow graph as a drawing, and its blocks as text. */

#include "draw.h"
#include "html.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOSTLINES = 5, MOSTCOLUMNS = 46 }; /* of source in a block */
enum {
	LARGE = 2000,
	CHUNK = 25
}; /* so many blocks and edges take a browser a second; blocks of text in a <div> */

/* In pixels: the height of a row, of a block's heading; the margins of a block, of the drawing; the
 * width of a character of the source, of a label on an edge. */
enum { ROW = 17, HEAD = 24, SIDE = 10, MARGIN = 40 };
static const double LETTER = 7.22, SMALL = 6.62;

typedef struct Srcline Srcline;
typedef struct Blockof Blockof;
typedef struct Flowpage Flowpage;

struct Srcline {
	uint32_t file, line;
};

/* A block, and the lines of its instructions, each once. */
struct Blockof {
	Srcline *line;
	int nline;
	size_t cap;
	int digits;             /* of the largest line number shown */
	int box;                /* in the drawing; NONE if it is not there */
	uint64_t left, entered; /* by cuts */
};

struct Flowpage {
	Site *s;
	FILE *f;
	const Module *m;
	const Fn *fn;
	const char *file; /* the file of text */
	const Textfile *text;
	Arena *tmp;
	Blockof *block;
	uint64_t most; /* largest count of a place */
	Picture l;
	int *edge; /* by wire */
	int at;    /* current block */
};

static const char *
blockname(int b, char *buf, size_t size)
{
	if (b < FIRST)
		return b == ENTRY ? "entry" : "exit";
	snprintf(buf, size, "%d", b - FIRST);
	return buf;
}

/* countof - the count of a place as text. */
static const char *
countof(const Flowpage *p, int place)
{
	char *text = NULL;
	size_t len = 0;
	int64_t n = (int64_t)p->fn->flow->count[place];
	const char *s;
	FILE *f;

	if (!p->fn->flow->known[place])
		return "?";
	if (!(f = open_memstream(&text, &len)))
		syserr("open a stream");
	fprintf(f, "%s%s", p->fn->doubtful ? "~" : "", n < 0 ? "-" : "");
	putamount(f, n < 0 ? -(uint64_t)n : (uint64_t)n);
	fclose(f);
	s = astrndup(p->tmp, text, len);
	free(text);
	return s;
}

/* classof - heat, never or unknown. */
static const char *
classof(const Flowpage *p, int place)
{
	static const char *const heat[] = {"never", "h1", "h2", "h3", "h4",
					   "h5",    "h6", "h7", "h8", "h9"};
	const Flow *flow = p->fn->flow;

	if (!flow->known[place] || (int64_t)flow->count[place] < 0
	    || (p->fn->doubtful && !flow->count[place]))
		return "unknown";
	return heat[heatof(flow->count[place], p->most)];
}

static bool
counter(const Flowpage *p, int place)
{
	return p->fn->plan->slot[place] != NOSLOT;
}

static void
addline(Flowpage *p, Blockof *b, const Coderow *row)
{
	uint32_t line = linefor(p->fn, row);
	int i;

	for (i = b->nline - 1; i >= 0 && i >= b->nline - 2 * MOSTLINES; i--)
		if (b->line[i].line == line && b->line[i].file == row->file)
			return;
	apush(p->tmp, b->line, b->nline, b->cap);
	b->line[b->nline++] = (Srcline){row->file, line};
}

/* findlines - find the lines of each block, and count its cuts. */
static void
findlines(Flowpage *p)
{
	const Code *code = &p->fn->code;
	const Coderow *row = NULL;
	uint32_t at = 0, end;
	int b, next = 0;

	for (b = FIRST; b < p->fn->g->nblock; b++) {
		if (code->block[b].part == CODENONE)
			continue;
		end = at + code->block[b].ninsn;
		if (row && (next == code->nrow || code->row[next].insn > at))
			addline(p, &p->block[b], row);
		for (; next < code->nrow && code->row[next].insn < end; next++) {
			const Coderow *new = &code->row[next];

			if (!new->line || new->file >= (uint32_t)p->fn->nfile)
				continue;
			row = new;
			if (next + 1 == code->nrow || new[1].insn > new->insn) /* in force */
				addline(p, &p->block[b], row);
		}
		at = end;
	}
	for (b = 0; b < p->fn->ncut; b++) {
		const Fncut *cut = &p->fn->cut[b];

		p->block[cut->block].left += cut->left;
		p->block[cut->block].entered += cut->entered;
	}
}

/* sourceline - a line for a block: its number and text, as far as there is room, or its file and
 * number. */
static const char *
sourceline(const Flowpage *p, const Blockof *k, const Srcline *at)
{
	const char *file = p->fn->file[at->file], *s;
	Buf b = {.arena = p->tmp};
	size_t len, n;

	if (strcmp(file, p->file) != 0 || at->line > (uint32_t)p->text->n) {
		bprintf(&b, "%s:%" PRIu32, lastpart(file), at->line);
		return b.s;
	}
	s = p->text->line[at->line - 1];
	len = p->text->len[at->line - 1];
	for (; len && (*s == ' ' || *s == '\t'); s++)
		len--;
	bprintf(&b, "%*" PRIu32 "  ", k->digits, at->line);
	n = letters(s, len, MOSTCOLUMNS);
	bput(&b, s, strnlen(s, n));
	if (n < len)
		bprintf(&b, "\xe2\x80\xa6");
	for (n = 0; n < b.n; n++)
		if (b.s[n] == '\t')
			b.s[n] = ' ';
	return b.s;
}

static double
lettersof(const char *s)
{
	double n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

/* rows - the number of rows below a block's heading. */
static int
rows(const Blockof *b)
{
	return (b->nline > MOSTLINES ? MOSTLINES : b->nline) + (b->left > 0) + (b->entered > 0);
}

/* measure - the size of a block. */
static Rect
measure(const Flowpage *p, int b)
{
	Blockof *k = &p->block[b];
	double wide = lettersof(countof(p, b)) + 12, n;
	int i;

	for (i = 0; i < k->nline && i < MOSTLINES; i++) {
		int digits = snprintf(NULL, 0, "%" PRIu32, k->line[i].line);

		k->digits = digits > k->digits ? digits : k->digits;
	}
	for (i = 0; i < k->nline && i < MOSTLINES; i++)
		if ((n = lettersof(sourceline(p, k, &k->line[i]))) > wide)
			wide = n;
	if ((k->left || k->entered || k->nline > MOSTLINES) && wide < 28)
		wide = 28;
	return (Rect){.w = wide * LETTER + 2 * SIDE, .h = HEAD + rows(k) * ROW + (rows(k) ? 7 : 0)};
}

/* plan - lay out blocks and edges; edges that no code takes are omitted. */
static bool
plan(Flowpage *p)
{
	const Graph *g = p->fn->g;
	Picture *l = &p->l;
	bool *leads = anew(p->tmp, bool, g->nblock);
	int b, e;

	l->box = anew(p->tmp, Rect, g->nblock);
	l->wire = anew(p->tmp, Wire, g->nedge);
	p->edge = anew(p->tmp, int, g->nedge);
	for (e = 0; e < g->nedge; e++)
		if (e != CLOSING && !g->edge[e].never)
			leads[g->edge[e].dst] = true;
	for (b = 0; b < g->nblock; b++) {
		p->block[b].box = NONE;
		if (b == EXIT && !leads[b])
			continue;
		p->block[b].box = l->n;
		l->box[l->n++] = measure(p, b);
	}
	for (e = 0; e < g->nedge; e++) {
		if (e == CLOSING || g->edge[e].never)
			continue;
		p->edge[l->nwire] = e;
		l->wire[l->nwire++] =
			(Wire){.src = p->block[g->edge[e].src].box,
			       .dst = p->block[g->edge[e].dst].box,
			       .label = lettersof(countof(p, edgeplace(g, e))) * SMALL};
	}
	return arrange(l, p->tmp);
}

/* px - rounded to a pixel. */
static int
px(double x)
{
	return (int)(x < 0 ? x - 0.5 : x + 0.5);
}

/* path - a wire and its arrow head. */
static void
path(FILE *f, const Wire *w, int e)
{
	const Point *end = &w->point[w->npoint - 1];
	int i;

	fprintf(f, "<path id=\"p%d\" d=\"M%d %d", e, px(w->point[0].x), px(w->point[0].y));
	for (i = 1; i < w->npoint; i++) {
		const Point *a = &w->point[i - 1], *b = &w->point[i];
		int x = px(b->x), y = px(b->turn != 0 ? b->y + b->turn * 4 / 3 : (a->y + b->y) / 2);
		int stop = px(b->y) - (b == end ? 4 : 0);

		if (b->turn == 0 && px(a->x) == x)
			fprintf(f, "V%d", stop);
		else
			fprintf(f, "C%d %d %d %d %d %d", px(a->x), y, x, y, x, stop);
	}
	fprintf(f, "\"/><use class=\"hit\" href=\"#p%d\"/>", e);
	fprintf(f, "<path class=\"tip\" d=\"M%d %dl-4.5 -9h9z\"/>", px(end->x), px(end->y));
}

static void
drawedge(const Flowpage *p, int i)
{
	const Graph *g = p->fn->g;
	int e = p->edge[i], place = edgeplace(g, e);
	const Edge *ed = &g->edge[e];
	char src[16], dst[16];

	fprintf(p->f, "<a class=\"edge %s\" href=\"#n%d\" data-ends=\"n%d n%d\"><title>",
		classof(p, place), ed->dst, ed->src, ed->dst);
	fprintf(p->f, "%s \xe2\x86\x92 %s: %s%s</title>", blockname(ed->src, src, sizeof src),
		blockname(ed->dst, dst, sizeof dst), countof(p, place),
		counter(p, place) ? "; carries a counter" : "");
	path(p->f, &p->l.wire[i], e);
	fputs("</a>\n", p->f);
}

/* drawlabel - the count of an edge, and a sign for its counter. */
static void
drawlabel(const Flowpage *p, int i)
{
	const Wire *w = &p->l.wire[i];
	int place = edgeplace(p->fn->g, p->edge[i]), x = px(w->point[0].x), y = px(w->point[0].y);
	bool has = counter(p, place);

	if (has)
		fprintf(p->f, "<circle class=\"counter\" cx=\"%d\" cy=\"%d\" r=\"4.5\"/>", x,
			y + 11);
	fprintf(p->f, "<text class=\"amount %s\" x=\"%d\" y=\"%d\">%s</text>\n", classof(p, place),
		x + (has ? 8 : 6), y + 15, countof(p, place));
}

/* linkline - begin a link to a line; false if it has no page. */
static bool
linkline(const Flowpage *p, const Srcline *at)
{
	const char *file = p->fn->file[at->file];

	if (!lookup(&p->s->sources, file, strlen(file)))
		return false;
	fputs("<a href=\"", p->f);
	lineref(p->s, p->f, file, at->line, "../");
	fputs("\">", p->f);
	return true;
}

/* drawline - a line of source in a block. */
static void
drawline(const Flowpage *p, const Blockof *k, int i)
{
	bool link = linkline(p, &k->line[i]);

	fprintf(p->f, "<text class=\"src\" x=\"%d\" y=\"%d\">", SIDE, HEAD + i * ROW + 14);
	putxml(p->f, sourceline(p, k, &k->line[i]));
	fprintf(p->f, "</text>%s\n", link ? "</a>" : "");
}

/* drawcut - cuts, because of which a block's count is not the sum of its edges. */
static void
drawcut(const Flowpage *p, const char *what, uint64_t times, int *row)
{
	if (times)
		fprintf(p->f, "<text class=\"cut\" x=\"%d\" y=\"%d\">%s: %" PRIu64 "</text>\n",
			SIDE, HEAD + (*row)++ * ROW + 14, what, times);
}

static void
drawblock(const Flowpage *p, int b)
{
	const Blockof *k = &p->block[b];
	const Rect *box = &p->l.box[k->box];
	int w = px(box->w), row = 0;
	char buf[16];

	fprintf(p->f,
		"<g class=\"block %s%s\" id=\"n%d\" transform=\"translate(%d %d)\"><rect "
		"class=\"box\" "
		"width=\"%d\" height=\"%d\"/>",
		classof(p, b), b < FIRST ? " end" : "", b, px(box->x), px(box->y), w, px(box->h));
	if (b >= FIRST)
		fprintf(p->f,
			"<path class=\"head\" d=\"M0 24v-18a6 6 0 0 1 6 -6h%da6 6 0 0 1 6 "
			"6v18z\"/>",
			w - 12);
	fprintf(p->f, "<a href=\"#b%d\"><text class=\"name\" x=\"%d\" y=\"17\">%s</text>", b, SIDE,
		blockname(b, buf, sizeof buf));
	fprintf(p->f, "<text class=\"count\" x=\"%d\" y=\"17\">%s%s</text></a>\n", w - SIDE,
		countof(p, b), strcmp(classof(p, b), "never") == 0 ? " #" : "");
	if (counter(p, b))
		fprintf(p->f,
			"<circle class=\"counter\" cx=\"%d\" cy=\"12\" r=\"4.5\"><title>carries a "
			"counter</title></circle>",
			w);
	while (row < k->nline && row < MOSTLINES)
		drawline(p, k, row++);
	if (k->nline > MOSTLINES)
		fprintf(p->f, "<text class=\"more\" x=\"%d\" y=\"17\">+%d lines</text>", SIDE + 36,
			k->nline - MOSTLINES);
	drawcut(p, "left early", k->left, &row);
	drawcut(p, "entered late", k->entered, &row);
	fputs("</g>\n", p->f);
}

static void
drawing(Flowpage *p)
{
	int i, w = (int)(p->l.w + 2 * MARGIN), h = (int)(p->l.h + 2 * MARGIN);

	fprintf(p->f,
		"<div id=\"graph\" class=\"graph\" tabindex=\"0\"><svg "
		"xmlns=\"http://www.w3.org/2000/svg\" "
		"width=\"%d\" height=\"%d\" viewBox=\"%d %d %d %d\" role=\"img\" "
		"aria-label=\"Flow graph; the list of blocks below says the same in "
		"words\">\n<g>\n",
		w, h, -MARGIN, -MARGIN, w, h);
	for (i = 0; i < p->l.nwire; i++)
		drawedge(p, i);
	fputs("</g>\n<g>\n", p->f);
	for (i = 0; i < p->fn->g->nblock; i++)
		if (p->block[i].box != NONE)
			drawblock(p, i);
	fputs("</g>\n<g class=\"labels\">\n", p->f);
	for (i = 0; i < p->l.nwire; i++)
		drawlabel(p, i);
	fputs("</g>\n</svg></div>\n", p->f);
}

static void
oneinsn(void *page, uint32_t i, uint64_t addr, const char *text)
{
	Flowpage *p = page;
	uint64_t n = ran(p->fn, p->at, i);

	fprintf(p->f, "%12" PRIu64 " %c  ", n, p->fn->doubtful ? '~' : n ? ' ' : '#');
	if (text)
		putxml(p->f, text);
	else
		fprintf(p->f, "(no code at 0x%" PRIx64 ")", addr);
	fputc('\n', p->f);
}

/* blockwords - a block as text: its successors, lines and instructions. */
static void
blockwords(Flowpage *p, int b)
{
	const Graph *g = p->fn->g;
	const Blockof *k = &p->block[b];
	const Report *r = p->s->r;
	Report own = *r;
	char buf[16];
	int i, n = 0;

	fprintf(p->f, "<details class=\"%s\"><summary><b>%s</b> <span class=\"n\">%s%s</span>",
		classof(p, b), blockname(b, buf, sizeof buf), countof(p, b),
		counter(p, b) ? " <i class=\"counter\" title=\"carries a counter\"></i>" : "");
	for (i = g->outat[b]; i < g->outat[b + 1]; i++) {
		int e = g->out[i].edge, place = edgeplace(g, e);

		if (e == CLOSING || g->edge[e].never)
			continue;
		fprintf(p->f,
			"%s<a href=\"#b%d\" class=\"%s\">%s</a> <span class=\"n\">%s%s</span>",
			n++ ? ", " : " \xe2\x86\x92 ", g->out[i].block, classof(p, place),
			blockname(g->out[i].block, buf, sizeof buf), countof(p, place),
			counter(p, place) ? " <i class=\"counter\" title=\"carries a counter\"></i>"
					  : "");
	}
	if (k->left)
		fprintf(p->f, "; left early: %" PRIu64, k->left);
	if (k->entered)
		fprintf(p->f, "; entered late: %" PRIu64, k->entered);
	fprintf(p->f, "</summary>\n<p id=\"b%d\">", b);
	for (i = 0; i < k->nline; i++) {
		bool link;

		fputs(i ? ", " : "", p->f);
		link = linkline(p, &k->line[i]);
		putxml(p->f, lastpart(p->fn->file[k->line[i].file]));
		fprintf(p->f, ":%" PRIu32 "%s", k->line[i].line, link ? "</a>" : "");
	}
	fputs("</p>", p->f);
	if (p->fn->code.block[b].part != CODENONE) {
		own.run = p->tmp;
		p->at = b;
		fputs("<pre>", p->f);
		eachinsn(&own, p->m, p->fn, b, oneinsn, p);
		fputs("</pre>", p->f);
	}
	fputs("</details>\n", p->f);
}

/* words - the figures of the function. */
static void
words(Flowpage *p)
{
	const Fn *fn = p->fn;
	const char *file = fileof(fn), *name = nameof(p->s->r, fn);
	uint64_t insns;
	bool sure = true;
	int b, nblock = 0, run = 0, edges = 0;

	insns = executed(fn, &sure);
	for (b = FIRST; b < fn->g->nblock; b++)
		if (isplace(fn, b)) {
			nblock++;
			run += fn->flow->count[b] > 0;
		}
	for (b = 0; b < p->l.nwire; b++)
		edges++;
	fputs("<h1>", p->f);
	putxml(p->f, name);
	fputs("</h1>\n<p class=\"programs\">", p->f);
	if (strcmp(name, fn->name) != 0) {
		fputs("<code>", p->f);
		putxml(p->f, fn->name);
		fputs("</code> ", p->f);
	}
	fputs("in <code>", p->f);
	putxml(p->f, p->m->path);
	fputs("</code>", p->f);
	if (lineof(fn) && lookup(&p->s->sources, file, strlen(file))) {
		fputs(", <a href=\"", p->f);
		lineref(p->s, p->f, file, lineof(fn), "../");
		fputs("\">", p->f);
		putxml(p->f, lastpart(file));
		fprintf(p->f, ":%" PRIu32 "</a>", lineof(fn));
	}
	fputs("</p>\n<table class=\"facts\"><thead><tr><th scope=\"col\">Blocks</th>"
	      "<th scope=\"col\">Calls</th><th scope=\"col\">Instructions</th><th "
	      "scope=\"col\">Counters</th></tr></thead><tbody><tr>",
	      p->f);
	putshare(p->f, (uint64_t)run, (uint64_t)nblock);
	fprintf(p->f, "<td class=\"n\">%s</td><td class=\"n\">%s", countof(p, ENTRY),
		sure ? "" : "~");
	putamount(p->f, insns);
	fprintf(p->f,
		"</td><td class=\"n\">%d for %d blocks and %d edges</td></tr></tbody></table>\n",
		fn->plan->nslot, nblock, edges);
	if (fn->flow->bad)
		fputs("<p class=\"missing\">The counts of this function contradict each "
		      "other.</p>\n",
		      p->f);
}

void
flowpage(Site *s, const Copy *c, const char *file, const Textfile *text)
{
	Arena fn = {0};
	Flowpage p = {.s = s,
		      .m = c->m,
		      .fn = c->fn,
		      .file = file,
		      .text = text,
		      .tmp = &fn,
		      .block = anew(&fn, Blockof, c->fn->g->nblock)};
	Buf path = {.arena = &fn};
	bool drawn, large;
	int i;

	for (i = 0; i < nplace(c->fn->g); i++)
		if (c->fn->flow->known[i] && (int64_t)c->fn->flow->count[i] > (int64_t)p.most)
			p.most = c->fn->flow->count[i];
	findlines(&p);
	drawn = plan(&p);
	bprintf(&path, "%s.html", c->page);
	p.f = openpage(s, path.s, nameof(s->r, c->fn), "flow", "../");
	words(&p);
	if (drawn)
		fputs("<div class=\"tools\"><span class=\"script\"><button type=\"button\" "
		      "id=\"smaller\" title=\"smaller\">\xe2\x88\x92</button><button "
		      "type=\"button\" "
		      "id=\"fit\">Fit</button><button type=\"button\" id=\"larger\" "
		      "title=\"larger\">+</button></span><span class=\"legend\"><span><i "
		      "class=\"counter\"></i> carries a counter; all other counts follow from "
		      "these</span><span class=\"never\">0 # never</span></span></div>\n",
		      p.f);
	large = p.l.n + p.l.nwire > LARGE;
	if (drawn && large)
		fputs("<details class=\"large\"><summary>Show the graph</summary>\n", p.f);
	if (drawn)
		drawing(&p);
	else
		fputs("<p id=\"graph\" class=\"missing\">This function is too large to be drawn; "
		      "its blocks are below.</p>\n",
		      p.f);
	fputs(drawn && large ? "</details>\n" : "", p.f);
	fputs("<section class=\"blocks\"><h2>Blocks</h2>\n", p.f);
	for (i = 0; i < c->fn->g->nblock; i++) {
		if (i % CHUNK == 0)
			fputs(i ? "</div>\n<div>\n" : "<div>\n", p.f);
		blockwords(&p, i);
	}
	fputs("</div>\n</section>\n", p.f);
	closepage(s, p.f, path.s);
	areset(&fn);
}
