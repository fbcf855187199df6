/* write.c - the text again, with counters or markers. */

#include "c.h"

#include "arch/arch.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Writer Writer;

struct Writer {
	const Source *s;
	Style style;
	uint32_t id; /* identifies the text */
	Buf *out;
	size_t chunk;
	bool flat;    /* threads share counters */
	int *slot;    /* by block: the slot of its counter */
};

/* textid - a hash of the text. */
static uint32_t
textid(const Source *s)
{
	uint64_t h = hashbytes(HASHBEGIN, s->text, s->len);

	return (uint32_t)(h ^ h >> 32);
}

/* quoted - a name within a string. */
static void
quoted(Buf *out, const char *name)
{
	for (; *name; name++) {
		if (*name == '"' || *name == '\\')
			bput(out, "\\", 1);
		bput(out, name, 1);
	}
}

/* entry - a call of zprof's library that registers this thread's counters. */
static void
entry(Writer *w)
{
	bprintf(w->out, "_bbProfEnter(&_BBFile_%08x, &_BBPart_%08x, _BBCntrs_%08x)", w->id, w->id,
		w->id);
}

/* here - a marker where the block begins: an asm statement without an instruction. */
static void
here(Writer *w, int b)
{
	bprintf(w->out, "__asm__ __volatile__(\"");
	putremark(w->out, (Remark){w->id, (uint32_t)b});
	bprintf(w->out, "\"::)");
}

/* increment - a counter of our runtime. */
static void
increment(Writer *w, int b)
{
	Buf word = {.arena = w->s->run};

	bprintf(&word, GUEST("c_%08x") "+%d", w->id, 8 * w->slot[b]);
	asmofours(w->out, &(Ours){.form = INCREMENT, .flat = w->flat, .word = word.s});
}

/* count - an expression that counts block b.  With OpenMP any block may be a thread's first. */
static void
count(Writer *w, int b)
{
	if (w->style == ZPROF && w->s->omp) {
		bprintf(w->out, "_BBPart_%08x.in ? (void)0 : ", w->id);
		entry(w);
		bprintf(w->out, ", ");
	}
	if (w->style == MARKS)
		here(w, b);
	else if (w->style == COUNTERS)
		increment(w, b);
	else
		bprintf(w->out, "_BBCntrs_%08x[%d]++", w->id, b);
}

/* yield - count a block within an expression: with a value, or as the left operand of a comma. */
static void
yield(Writer *w, int b, const char *value)
{
	if (w->style != ZPROF) {
		bprintf(w->out, "__extension__({");
		count(w, b);
		bprintf(w->out, ";%s%s})", value, *value ? ";" : "");
		return;
	}
	bprintf(w->out, *value ? "(" : "");
	count(w, b);
	bprintf(w->out, *value ? ",%s)" : "%s", value);
}

static void
statement(Writer *w, int b)
{
	bprintf(w->out, " ");
	if (w->style == ZPROF && w->s->block[b].kind == ENTERED && !w->s->omp) {
		bprintf(w->out, "if (!_BBPart_%08x.in) ", w->id);
		entry(w);
		bprintf(w->out, "; ");
	}
	count(w, b);
	bprintf(w->out, ";");
}

static void
writeinsert(Writer *w, const Insert *i)
{
	Buf *out = w->out;

	switch (i->form) {
	case STATEMENT: statement(w, i->block); break;
	case FALLING:
		statement(w, i->block);
		if (w->style == ZPROF)
			bprintf(out, " _BBFALL ");
		break;
	case OPENING:
		bprintf(out, " {");
		statement(w, i->block);
		break;
	case NESTING:
		statement(w, i->block);
		bprintf(out, " {");
		break;
	case BRACE: bprintf(out, " {"); break;
	case SHUT: bprintf(out, " }"); break;
	case CONDITION: bprintf(out, "(("); break;
	case CHOOSING:
		bprintf(out, ")?");
		yield(w, i->block, "1");
		bprintf(out, ":");
		yield(w, i->other, "0");
		bprintf(out, ")");
		break;
	case COMMA:
		bprintf(out, "(");
		yield(w, i->block, "");
		bprintf(out, ",");
		break;
	case PAREN: bprintf(out, ")"); break;
	case HIDE: bprintf(out, w->style == ZPROF ? "_BBHIDE(" : ""); break;
	case HIDDEN: bprintf(out, w->style == ZPROF ? ")" : ""); break;
	}
}

static int
bytextorder(const void *a, const void *b)
{
	const Insert *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

/* declares - what zprof's counters need before the text: declarations that its header has, too.
 * The #line directive restores line numbers. */
static void
declares(Writer *w)
{
	uint32_t id = w->id;

	bput(w->out, zprofheader, strlen(zprofheader));
	bprintf(w->out, "extern struct _BBFile _BBFile_%08x;\n", id);
	bprintf(w->out, "extern _BBTHREAD _BBCount _BBCntrs_%08x[];\n", id);
	bprintf(w->out, "extern _BBTHREAD struct _BBPart _BBPart_%08x;\n", id);
	if (w->s->outerasm) /* such asm may rely on being the first in its section */
		bprintf(w->out, "__asm__(\".text\");\n");
	bprintf(w->out, "#line 1 \"");
	quoted(w->out, w->s->file[0]);
	bprintf(w->out, "\"\n");
}

/* defines - zprof's counters after the text, and where each block is. */
static void
defines(Writer *w)
{
	const Source *s = w->s;
	uint32_t id = w->id;
	int i, n = s->nblock ? s->nblock : 1;

	bprintf(w->out, "\n_BBTHREAD _BBCount _BBCntrs_%08x[%d];\n", id, n);
	bprintf(w->out, "_BBTHREAD struct _BBPart _BBPart_%08x;\n", id);
	bprintf(w->out, "static const char *const _BBNames_%08x[] = {", id);
	for (i = 0; i < s->nfile; i++) {
		bprintf(w->out, "\n\"");
		quoted(w->out, s->file[i]);
		bprintf(w->out, "\",");
	}
	bprintf(w->out, "};\nstatic const unsigned _BBPlaces_%08x[][2] = {", id);
	for (i = 0; i < s->nblock; i++) {
		const Token *t = &s->token[s->block[i].first];

		bprintf(w->out, "%s{%d, %u},", i % 8 ? "" : "\n", t->file, t->line);
	}
	if (!s->nblock)
		bprintf(w->out, "{0, 0}");
	bprintf(w->out, "};\nstatic _BBCount _BBTotal_%08x[%d];\n", id, n);
	bprintf(w->out,
		"struct _BBFile _BBFile_%08x = {_BBNames_%08x, _BBPlaces_%08x, _BBTotal_%08x, %d, "
		"0, 0, 0};\n",
		id, id, id, id, s->nblock);
}

/* outside - top-level assembly. */
static void
outside(Buf *out, const Buf *text)
{
	bprintf(out, "\n__asm__(\"");
	cstring(out, text->s, text->n);
	bprintf(out, "\");\n");
}

enum { CHUNK = 1 << 16 }; /* length of one string literal */

void
cstring(Buf *out, const char *s, size_t len)
{
	const char *end = s + len;
	size_t from = out->n;

	for (; s < end; s++) {
		if (*s == '\n') {
			bput(out, "\\n", 2);
			if (out->n - from > CHUNK) { /* some compilers are slow with long strings */
				bprintf(out, "\"\n\"");
				from = out->n;
			}
		} else {
			if (*s == '"' || *s == '\\')
				bput(out, "\\", 1);
			bput(out, s, 1);
		}
	}
}

/* slots - number the blocks so that those of a function are adjacent. */
static int *
slots(const Source *s)
{
	int *first = anew(s->run, int, s->nfn + 2), *slot = anew(s->run, int, s->nblock + 1), i;

	for (i = 0; i < s->nblock; i++)
		first[s->block[i].fn + 1]++;
	for (i = 0; i < s->nfn; i++)
		first[i + 1] += first[i];
	for (i = 0; i < s->nblock; i++)
		slot[i] = first[s->block[i].fn]++;
	return slot;
}

/* addfn - add function f to the map.  Its n blocks have counters from `first' on.  The map knows
 * nothing of its flow except that it enters its first block; each of the others gets an edge to
 * itself. */
static void
addfn(Newmap *map, const Writer *w, const Srcblock *begin, int f, int first, const Marker *mark,
      int n)
{
	static const Addr nowhere; /* only the compiler knows where its code is */
	const Source *s = w->s;
	Graph *g = newgraph(s->run);
	Coderow row = {.flags = ROWSTMT,
		       .file = begin->file,
		       .line = begin->line}; /* the line of the function, if nothing else says it */
	Code c = {.block = anew(s->run, Codeblock, n + FIRST), .nrow = 1, .row = &row};
	Buf counters = {.arena = s->run};
	Newfn new = {
		.name = s->fn[f],
		.unit = {.expr = ".Ltally_unit"},
		.nslot = (uint32_t)n,
		.hash = (uint64_t)n,
		.scheme = REDUNDANT,
		.part = &nowhere,
		.npart = 1,
		.code = &c,
		.marker = mark,
		.nmarker = n,
	};
	int i;

	for (i = 0; i < n; i++)
		addblock(g);
	addedge(g, ENTRY, FIRST);
	addedge(g, FIRST, EXIT);
	for (i = 1; i < n; i++)
		addedge(g, FIRST + i, FIRST + i);
	closeflow(g, s->run);
	c.nblock = g->nblock;
	c.nedge = g->nedge;
	c.edge = anew(s->run, Codeedge, g->nedge);
	for (i = 0; i < g->nblock; i++)
		c.block[i] = (Codeblock){.part = CODENONE,
					 .slot = i < FIRST ? CODENONE : (uint32_t)(i - FIRST),
					 .check = CODENONE};
	for (i = 0; i < g->nedge; i++)
		c.edge[i] = (Codeedge){.src = (uint32_t)g->edge[i].src,
				       .dst = (uint32_t)g->edge[i].dst,
				       .slot = CODENONE,
				       .flags = g->edge[i].never ? EDGENEVER : 0};
	bprintf(&counters, GUEST("c_%08x") "+%d", w->id, 8 * first);
	new.counters.expr = counters.s;
	mapfn(map, &new);
}

/* counters - define them, and the map, in assembly after the text. */
static void
counters(Writer *w, const Srctext *x)
{
	const Source *s = w->s;
	Marker *m = anew(s->run, Marker, s->nblock);
	Buf b = {.arena = s->run};
	Newmap map = {.bytes = {.arena = s->run}};
	int *order = anew(s->run, int, s->nblock), i, n; /* blocks by counter */

	bprintf(&b,
		"\t.pushsection\t" COUNTSECTION ",\"aw\",@nobits\n\t.balign\t8\n"
		"\t.globl\t" GUEST("c_%08x") "\n\t.hidden\t" GUEST("c_%08x") "\n" GUEST(
			"c_%08x") ":\n"
				  "\t.zero\t%d\n\t.popsection\n",
		w->id, w->id, w->id, 8 * s->nblock);
	mapunit(&map, &(Newunit){.file = (const char *const *)s->file,
				 .nfile = (uint32_t)s->nfile,
				 .abi = ABI});
	mapsource(&map, x);
	assert(w->slot);
	for (i = 0; i < s->nblock; i++)
		order[w->slot[i]] = i;
	for (i = 0; i < s->nblock; i += n) {
		int f = s->block[order[i]].fn;

		for (n = 0; i + n < s->nblock && s->block[order[i + n]].fn == f; n++)
			m[n] = (Marker){FIRST + n, 0, w->id, (uint32_t)order[i + n]};
		addfn(&map, w, &x->block[order[i]], f, i, m, n);
	}
	directives(&b, &map, "\"R\",@progbits", ".Ltally_unit");
	outside(w->out, &b);
}

/* astext - what the map says about the source. */
static Srctext
astext(const Source *s, uint32_t id)
{
	Srctext x = {.id = id,
		     .file = s->file,
		     .fn = s->fn,
		     .nfile = (uint32_t)s->nfile,
		     .nfn = (uint32_t)s->nfn,
		     .block = anew(s->run, Srcblock, s->nblock),
		     .piece = anew(s->run, Srcpiece, s->npiece),
		     .nblock = (uint32_t)s->nblock,
		     .npiece = (uint32_t)s->npiece};
	int i, k, n = 0;

	for (i = 0; i < s->npiece; i++)
		n += s->piece[i].nterm;
	x.term = anew(s->run, Srcterm, n);
	for (i = 0; i < s->nblock; i++) {
		const Sblock *b = &s->block[i];
		const Token *t = &s->token[b->first], *e = &s->token[b->last];

		x.block[i] = (Srcblock){
			.kind = b->kind,
			.fn = (uint32_t)b->fn,
			.file = t->file,
			.line = t->line,
			.column = t->column,
			.endline = e->file == t->file && e->line >= t->line ? e->line : t->line,
			.endcolumn = e->column + (e->end - e->begin) - 1,
		};
		if (x.block[i].endcolumn > UINT16_MAX)
			x.block[i].endcolumn = UINT16_MAX;
	}
	for (i = 0; i < s->npiece; i++) { /* pieces may share terms; in the map each has its own */
		const Piece *p = &s->piece[i];
		Token t = p->token == NONE ? (Token){0} : s->token[p->token];

		x.piece[i] = (Srcpiece){.file = t.file,
					.line = t.line,
					.column = t.column,
					.term = x.nterm,
					.nterm = (uint32_t)p->nterm,
					.ntaken = (uint32_t)p->ntaken};
		for (k = p->term; k < p->term + p->nterm; k++)
			x.term[x.nterm++] =
				(Srcterm){(uint32_t)s->term[k].block, s->term[k].sign < 0};
	}
	return x;
}

void
writec(Source *s, Style style, bool flat, Buf *out)
{
	Writer w = {.s = s, .style = style, .id = textid(s), .out = out, .flat = flat};
	uint32_t at = 0;
	int i;

	if (style == COUNTERS)
		w.slot = slots(s);
	if (style == ZPROF)
		declares(&w);
	if (s->ninsert)
		qsort(s->insert, (size_t)s->ninsert, sizeof *s->insert, bytextorder);
	for (i = 0; i < s->ninsert; i++) {
		bput(out, s->text + at, s->insert[i].at - at);
		at = s->insert[i].at;
		writeinsert(&w, &s->insert[i]);
	}
	bput(out, s->text + at, s->len - at);
	if (style == ZPROF)
		defines(&w);
	if (style != ZPROF && s->nblock) {
		Srctext x = astext(s, w.id);

		if (style == MARKS) {
			Buf b = {.arena = s->run};

			puttext(&b, &x);
			outside(out, &b);
		} else {
			counters(&w, &x);
		}
	}
}

void
writeshape(Source *s, bool asitis, Buf *out)
{
	Srctext x = astext(s, textid(s));
	Buf b = {.arena = s->run};

	x.shape = true;
	if (!s->nblock)
		return;
	puttext(&b, &x);
	if (asitis)
		bput(out, b.s, b.n);
	else
		outside(out, &b);
}
