/* write.c - the text again, with counters or marks. */

#include "c.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Writer Writer;

struct Writer {
	const Source *s;
	Style style;
	uint32_t id; /* of the text */
	Buf *out;
	size_t chunk; /* where the last string begins there */
};

/* textid - a number that another text hardly has. */
static uint32_t
textid(const Source *s)
{
	uint64_t h = 0xcbf29ce484222325; /* FNV-1a */
	size_t i;

	for (i = 0; i < s->len; i++)
		h = (h ^ (unsigned char)s->text[i]) * 0x100000001b3;
	return (uint32_t)(h ^ h >> 32);
}

/* quoted - a name in a string. */
static void
quoted(Buf *out, const char *name)
{
	for (; *name; name++) {
		if (*name == '"' || *name == '\\')
			bput(out, "\\", 1);
		bput(out, name, 1);
	}
}

/* count - an expression that counts block b. */
static void
count(Writer *w, int b)
{
	if (w->style == MARKS)
		bprintf(w->out, "__asm__ __volatile__(\"#TALLY %08x %d\"::)", w->id, b);
	else
		bprintf(w->out, "_BBCntrs_%08x[%d]++", w->id, b);
}

/* yield - count a block, in an expression: with a value, or before another. */
static void
yield(Writer *w, int b, const char *value)
{
	if (w->style == MARKS) {
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
	if (w->style == ZPROF && w->s->block[b].kind == ENTERED)
		bprintf(w->out,
			"if (!_BBIn_%08x) _bbProfEnter(&_BBFile_%08x, _BBCntrs_%08x, "
			"&_BBIn_%08x); ",
			w->id, w->id, w->id, w->id);
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
			bprintf(out, " _BBFALL");
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

/* declares - what counters need, before the text: declarations that the library's header
 * has, too, and whose line the text's own first line gets back. */
static void
declares(Writer *w)
{
	uint32_t id = w->id;

	bput(w->out, zprofheader, strlen(zprofheader));
	bprintf(w->out, "extern struct _BBFile _BBFile_%08x;\n", id);
	bprintf(w->out, "extern _BBTHREAD _BBCount _BBCntrs_%08x[];\n", id);
	bprintf(w->out, "extern _BBTHREAD char _BBIn_%08x;\n", id);
	bprintf(w->out, "#line 1 \"");
	quoted(w->out, w->s->file[0]);
	bprintf(w->out, "\"\n");
}

/* defines - the counters, behind the text, and of each where it is. */
static void
defines(Writer *w)
{
	const Source *s = w->s;
	uint32_t id = w->id;
	int i, n = s->nblock ? s->nblock : 1;

	bprintf(w->out, "\n_BBTHREAD _BBCount _BBCntrs_%08x[%d];\n", id, n);
	bprintf(w->out, "_BBTHREAD char _BBIn_%08x;\n", id);
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
		"0, 0};\n",
		id, id, id, id, s->nblock);
}

enum { CHUNK = 1 << 16 }; /* of a string */

/* tableline - of the table that goes with the marks; road/asm/marks.c reads it.  It is a comment
 * to the assembler, and a string to the compiler. */
static void
tableline(Writer *w, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (w->out->n - w->chunk > CHUNK) {
		bprintf(w->out, "\");\n__asm__(\"");
		w->chunk = w->out->n;
	}
	bprintf(w->out, "#TALLY%s\\n", text);
}

static void
tablename(Writer *w, char kind, const char *name)
{
	bprintf(w->out, "#TALLY%c ", kind);
	quoted(w->out, name);
	bprintf(w->out, "\\n");
}

static void
table(Writer *w)
{
	const Source *s = w->s;
	int i, k, fn = NONE;

	bprintf(w->out, "\n__asm__(\"");
	w->chunk = w->out->n;
	tableline(w, "@ %08x", w->id);
	for (i = 0; i < s->nfile; i++)
		tablename(w, 'f', s->file[i]);
	for (i = 0; i < s->nblock; i++) {
		const Sblock *b = &s->block[i];
		const Token *t = &s->token[b->first], *e = &s->token[b->last];

		if (b->fn != fn)
			tablename(w, 'n', s->fn[fn = b->fn]);
		tableline(w, "b %d %d %u %d %u %u", b->kind, t->file, t->line, t->column,
			  e->file == t->file && e->line >= t->line ? e->line : t->line,
			  e->column + (e->end - e->begin));
	}
	for (i = 0; i < s->npiece; i++) {
		const Piece *p = &s->piece[i];
		const Token *t = &s->token[p->token];

		tableline(w, "p %d %u %d %d", t->file, t->line, t->column, p->ntaken);
		w->out->n -= 2;
		for (k = p->term; k < p->term + p->nterm; k++)
			bprintf(w->out, " %c%d", s->term[k].sign < 0 ? '-' : '+', s->term[k].block);
		bprintf(w->out, "\\n");
	}
	bprintf(w->out, "\");\n");
}

void
writec(Source *s, Style style, Buf *out)
{
	Writer w = {s, style, textid(s), out, 0};
	uint32_t at = 0;
	int i;

	if (style == ZPROF)
		declares(&w);
	qsort(s->insert, (size_t)s->ninsert, sizeof *s->insert, bytextorder);
	for (i = 0; i < s->ninsert; i++) {
		bput(out, s->text + at, s->insert[i].at - at);
		at = s->insert[i].at;
		writeinsert(&w, &s->insert[i]);
	}
	bput(out, s->text + at, s->len - at);
	if (style == ZPROF)
		defines(&w);
	if (style == MARKS && s->nblock)
		table(&w);
}
