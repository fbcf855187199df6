/* table.c - FILE, LINE, COUNT and the text of each line, function or block; with bars, too.
 *
 * Bishop, Profiling under UNIX by Patching, 1987, describes the execution monitor that printed
 * this.  We print a dash where there is no count, and a tilde before an approximate one.  The
 * monitor printed 0, or inside a function the count of the next line with code; Report.classic and
 * zero ask for that. */

#include "text.h"

#include <inttypes.h>
#include <string.h>

enum {
	SCALE = 40,       /* stars of the longest scaled bar */
	MOSTSTARS = 1000, /* most stars of a bar that is not scaled */
};

typedef struct Chart Chart;
typedef struct Item Item;

struct Item {
	const char *file;
	uint32_t line; /* 0 if unknown */
	bool counted, sure;
	uint64_t count;
	const char *text;
	int len;
};

/* All items are passed twice: to be measured, then to be printed. */
struct Chart {
	const Report *r;
	bool measuring;
	int file, line, count; /* widths */
	uint64_t most;
	Table paths; /* numbers, by path */
	Table names; /* number of the path, by its last part; NONE if there are several */
};

/* filename - the last part of a path, if it is unique. */
static const char *
filename(Chart *c, const char *path)
{
	const char *name = lastpart(path);

	return lookup(&c->names, name, strlen(name))->value == NONE ? path : name;
}

static int
atleast(int a, int b)
{
	return a > b ? a : b;
}

/* counttext - a count as text. */
static char *
counttext(const Item *it, char buf[32])
{
	if (it->counted)
		snprintf(buf, 32, "%s%" PRIu64, it->sure ? "" : "~", it->count);
	else
		strcpy(buf, "-");
	return buf;
}

/* measure - how much room an item needs. */
static void
measure(Chart *c, const Item *it)
{
	int id = intern(&c->paths, it->file, strlen(it->file), (int)c->paths.n)->value;
	const char *name = lastpart(it->file);
	Entry *e = intern(&c->names, name, strlen(name), id);
	char buf[32];

	if (e->value != id)
		e->value = NONE;
	c->line = atleast(c->line, snprintf(buf, sizeof buf, "%u", it->line));
	c->count = atleast(c->count, (int)strlen(counttext(it, buf)));
	if (it->counted && it->count > c->most)
		c->most = it->count;
}

/* filewidth - the width of the names, once all are known. */
static int
filewidth(Chart *c)
{
	int w = c->file;
	size_t i;

	for (i = 0; i < c->paths.cap; i++)
		if (c->paths.entry[i].key)
			w = atleast(w, width(filename(c, c->paths.entry[i].key)));
	return w;
}

static void
stars(const Chart *c, uint64_t n)
{
	for (; n > 0; n--)
		fputc('*', c->r->f);
}

/* scaled - a bar before the text; whatever ran has at least one star. */
static void
scaled(const Chart *c, uint64_t count)
{
	int n = (int)((double)count / (double)c->most * SCALE);

	n += n == 0 && count;
	stars(c, (uint64_t)n);
	fprintf(c->r->f, "%*s ", SCALE - n, "");
}

/* full - a bar below the text. */
static void
full(const Chart *c, uint64_t count)
{
	fprintf(c->r->f, "%*s", c->file + c->line + c->count + 6, "");
	stars(c, count < MOSTSTARS ? count : MOSTSTARS);
	fprintf(c->r->f, "%s\n", count > MOSTSTARS ? ">" : "");
}

static void
print(Chart *c, const Item *it)
{
	const char *file = filename(c, it->file);
	uint64_t count = it->counted ? it->count : 0;
	char line[16] = "-", buf[32];
	FILE *f = c->r->f;

	if (it->line)
		snprintf(line, sizeof line, "%u", it->line);
	fprintf(f, "%s%*s  %*s  %*s: ", file, c->file - width(file), "", c->line, line, c->count,
		counttext(it, buf));
	if (c->r->bars == SCALEDBARS && c->most)
		scaled(c, count);
	if (it->text)
		fprintf(f, "%.*s\n", it->len, it->text);
	else
		fprintf(f, "line %u\n", it->line);
	if (c->r->bars == FULLBARS && count)
		full(c, count);
}

/* row - an item of the table for programs. */
static void
row(const Chart *c, const Item *it)
{
	static const char *const title[] = {"file", "line", "count", "text", NULL};
	Grid grid = {.arena = c->r->run, .ncol = 4, .left = 3};
	char buf[32];

	titles(&grid, title);
	cell(&grid, "%s", it->file);
	if (it->line)
		cell(&grid, "%u", it->line);
	else
		cell(&grid, "-");
	cell(&grid, "%s", counttext(it, buf));
	cell(&grid, "%.*s", it->text ? it->len : 0, it->text ? it->text : "");
	table(c->r, &grid, NULL, NULL);
}

static void
item(Chart *c, const Item *it)
{
	if (c->measuring)
		measure(c, it);
	else if (c->r->rows)
		row(c, it);
	else
		print(c, it);
}

/* chart - print all items that `each' passes, under a heading. */
static void
chart(const Report *r, void (*each)(Chart *))
{
	Chart c = {.r = r,
		   .measuring = true,
		   .file = 4,
		   .line = 4,
		   .count = 5,
		   .paths = {.arena = r->run},
		   .names = {.arena = r->run}};

	each(&c);
	c.measuring = false;
	c.file = filewidth(&c);
	if (!r->rows)
		fprintf(r->f, "%-*s  %*s  %*s\n", c.file, "FILE", c.line, "LINE", c.count, "COUNT");
	each(&c);
}

/* tellline - pass a line of a source. */
static void
tellline(void *arg, const Shown *s)
{
	Chart *c = arg;
	const Line *l = c->r->classic && s->next && s->next->from <= s->number ? s->next : s->line;
	Item it = {.file = s->file,
		   .line = s->number,
		   .counted = c->r->zero,
		   .sure = true,
		   .text = s->text,
		   .len = s->len};

	if (l) {
		it.counted = l->counted;
		it.sure = l->sure;
		it.count = l->count;
	}
	item(c, &it);
}

static void
eachsource(Chart *c)
{
	Lines lines = c->r->classic ? classiclines(c->r) : countlines(&c->r->of, c->r->run);

	eachline(c->r, &lines, tellline, c);
}

static void
tellblock(Chart *c, const Fn *fn, int b, const Coderow *row)
{
	const Codeblock *mb = &fn->code.block[b];
	Buf text = {.arena = c->r->run};
	Item it = {.file = row ? fn->file[row->file] : fileof(fn),
		   .line = row ? row->line : 0,
		   .counted = true,
		   .sure = !fn->doubtful};
	const Fn *f;

	for (f = fn; f; f = f->twin) {
		it.counted &= f->flow->known[b];
		it.sure &= !f->doubtful;
		it.count += f->flow->count[b];
	}

	bprintf(&text, "%s+", nameof(c->r, fn));
	if (mb->part)
		bprintf(&text, "%u:", mb->part);
	bprintf(&text, "0x%x", mb->off);
	it.text = text.s;
	it.len = (int)text.n;
	item(c, &it);
}

/* tellblocks - pass the blocks of a function, each with the row of its first instruction. */
static void
tellblocks(Chart *c, const Fn *fn)
{
	const Coderow *row = NULL;
	uint32_t at = 0;
	int b, k = 0;

	for (b = FIRST; b < fn->g->nblock; b++) {
		if (fn->code.block[b].part == CODENONE)
			continue;
		for (; k < fn->code.nrow && fn->code.row[k].insn <= at; k++)
			if (fn->code.row[k].line && fn->code.row[k].file < (uint32_t)fn->nfile)
				row = &fn->code.row[k];
		tellblock(c, fn, b, row);
		at += fn->code.block[b].ninsn;
	}
}

static void
tellfunction(Chart *c, const Fn *fn)
{
	Buf text = {.arena = c->r->run};
	Item it = {.file = fileof(fn),
		   .line = lineof(fn),
		   .counted = fn->flow != NULL,
		   .sure = !fn->doubtful};
	const Fn *f;

	for (f = fn; f && f->flow; f = f->twin) {
		it.count += f->flow->count[ENTRY];
		it.sure &= !f->doubtful;
	}

	bprintf(&text, "%s", nameof(c->r, fn));
	if (!fn->flow)
		bprintf(&text, ": uncounted: %s", fn->reason ? fn->reason : "?");
	it.text = text.s;
	it.len = (int)text.n;
	item(c, &it);
}

static void
eachfunction(Chart *c)
{
	int i, k;

	for (i = 0; i < c->r->of.nmodule; i++)
		for (k = 0; k < c->r->of.module[i].nfn; k++)
			if (!c->r->of.module[i].fn[k].sameas
			    && chosen(&c->r->of, &c->r->of.module[i].fn[k]))
				tellfunction(c, &c->r->of.module[i].fn[k]);
}

static void
eachblock(Chart *c)
{
	int i, k;

	for (i = 0; i < c->r->of.nmodule; i++)
		for (k = 0; k < c->r->of.module[i].nfn; k++) {
			const Fn *fn = &c->r->of.module[i].fn[k];

			if (fn->flow && !fn->sameas && chosen(&c->r->of, fn))
				tellblocks(c, fn);
		}
}

void
linetable(const Report *r)
{
	chart(r, eachsource);
}

void
functiontable(const Report *r)
{
	chart(r, eachfunction);
}

void
blocktable(const Report *r)
{
	chart(r, eachblock);
}
