/* remark.c - comments in assembly through which the C road tells the assembly road about sources.
 *
 * The C road puts a marker at each source block before a compiler sees the text, and the assembly
 * road finds the markers in what the compiler made of it.  They are asm statements, which a
 * compiler passes on unchanged, and moves and copies with the code around them:
 *
 *   #TALLY ID N        block N of text ID begins here
 *
 * One more asm statement, outside of all functions, describes the text; its lines may also be
 * appended to the assembly:
 *
 *   #TALLY@ ID         what follows is about text ID; with = for @, about its shape
 *   #TALLYf PATH       its files, numbered from 0
 *   #TALLYn NAME       a function; the blocks that follow are in it
 *   #TALLYb KIND FILE LINE COLUMN LINE COLUMN        a block, and where it ends
 *   #TALLYp FILE LINE COLUMN TAKEN +BLOCK -BLOCK ... a piece of a line, and its terms
 *
 * Numbers are decimal, except ID, which has eight hexadecimal digits. */

#include "profile.h"

#include <stdlib.h>
#include <string.h>

#define PREFIX "#TALLY"
enum { PREFIXLEN = sizeof PREFIX - 1 };

void
putremark(Buf *out, Remark r)
{
	bprintf(out, PREFIX " %08x %u", r.text, r.block);
}

void
puttext(Buf *out, const Srctext *x)
{
	uint32_t i, k, fn = UINT32_MAX;

	bprintf(out, PREFIX "%c %08x\n", x->shape ? '=' : '@', x->id);
	for (i = 0; i < x->nfile; i++)
		bprintf(out, PREFIX "f %s\n", x->file[i]);
	for (i = 0; i < x->nblock; i++) {
		const Srcblock *b = &x->block[i];

		if (b->fn != fn)
			bprintf(out, PREFIX "n %s\n", x->fn[fn = b->fn]);
		bprintf(out, PREFIX "b %u %u %u %u %u %u\n", b->kind, b->file, b->line, b->column,
			b->endline, b->endcolumn);
	}
	for (i = 0; i < x->npiece; i++) {
		const Srcpiece *p = &x->piece[i];

		bprintf(out, PREFIX "p %u %u %u %u", p->file, p->line, p->column, p->ntaken);
		for (k = p->term; k < p->term + p->nterm; k++)
			bprintf(out, " %c%u", x->term[k].minus ? '-' : '+', x->term[k].block);
		bprintf(out, "\n");
	}
}

/* readplace - reads a marker; returns whether it is one. */
static bool
readplace(const char *s, const char *end, Remark *r)
{
	char word[64], *stop;

	if (end - s >= (ptrdiff_t)sizeof word)
		return false;
	memcpy(word, s, (size_t)(end - s));
	word[end - s] = 0;
	r->text = (uint32_t)strtoul(word, &stop, 16);
	if (stop != word + 8 || *stop != ' ')
		return false;
	r->block = (uint32_t)strtoul(stop, &stop, 10);
	return !*stop || *stop == '\r' || *stop == ' ' || *stop == '\t';
}

Remarkkind
readremark(const char *s, const char *end, Remark *r)
{
	if (end - s <= PREFIXLEN + 1 || memcmp(s, PREFIX, PREFIXLEN) != 0)
		return NOREMARK;
	s += PREFIXLEN;
	if (*s == ' ')
		return readplace(s + 1, end, r) ? BLOCKBEGINS : NOREMARK;
	return strchr("@=fnbp", *s) && s[1] == ' ' ? OFTEXT : NOREMARK;
}

typedef struct Reader Reader;

/* The texts read so far. */
struct Reader {
	Arena *run;
	Srctext *text;
	int ntext;
	size_t captext;
	size_t capfile, capfn, capblock, cappiece, capterm; /* of the last */
};

/* number - reads the next number in a line; *s is after it then. */
static uint32_t
number(const char **s, const char *end)
{
	uint64_t n = 0;

	while (*s < end && **s == ' ')
		++*s;
	while (*s < end && **s >= '0' && **s <= '9' && n < UINT32_MAX)
		n = 10 * n + (uint64_t)(*(*s)++ - '0');
	return n < UINT32_MAX ? (uint32_t)n : 0;
}

static void
readpiece(Reader *t, Srctext *x, const char *s, const char *end)
{
	Srcpiece p = {.term = x->nterm};

	p.file = number(&s, end);
	p.line = number(&s, end);
	p.column = number(&s, end);
	p.ntaken = number(&s, end);
	while (s < end && *s == ' ') {
		bool minus = ++s < end && *s == '-';

		s++;
		apush(t->run, x->term, x->nterm, t->capterm);
		x->term[x->nterm++] = (Srcterm){number(&s, end), minus};
		p.nterm++;
	}
	apush(t->run, x->piece, x->npiece, t->cappiece);
	x->piece[x->npiece++] = p;
}

static void
readblock(Reader *t, Srctext *x, const char *s, const char *end)
{
	Srcblock b = {.fn = x->nfn ? x->nfn - 1 : 0};

	b.kind = number(&s, end);
	b.file = number(&s, end);
	b.line = number(&s, end);
	b.column = number(&s, end);
	b.endline = number(&s, end);
	b.endcolumn = number(&s, end);
	apush(t->run, x->block, x->nblock, t->capblock);
	x->block[x->nblock++] = b;
}

/* begintext - begins another text, which the lines that follow describe. */
static void
begintext(Reader *t, bool shape, const char *s)
{
	apush(t->run, t->text, t->ntext, t->captext);
	t->text[t->ntext++] = (Srctext){.id = (uint32_t)strtoul(s, NULL, 16), .shape = shape};
	t->capfile = t->capfn = t->capblock = t->cappiece = t->capterm = 0;
}

static void
readline(Reader *t, const char *s, const char *end)
{
	Srctext *x = t->ntext ? &t->text[t->ntext - 1] : NULL;
	char kind = s[PREFIXLEN];

	s += PREFIXLEN + 2;
	if (kind == '@' || kind == '=') {
		begintext(t, kind == '=', s);
		return;
	}
	if (!x)
		return;
	switch (kind) {
	case 'f':
		apush(t->run, x->file, x->nfile, t->capfile);
		x->file[x->nfile++] = astrndup(t->run, s, (size_t)(end - s));
		break;
	case 'n':
		apush(t->run, x->fn, x->nfn, t->capfn);
		x->fn[x->nfn++] = astrndup(t->run, s, (size_t)(end - s));
		break;
	case 'b': readblock(t, x, s, end); break;
	default: readpiece(t, x, s, end);
	}
}

Srctext *
readtexts(const Remarkline *line, int nline, int *n, Arena *run)
{
	Reader t = {.run = run};
	int i;

	for (i = 0; i < nline; i++)
		readline(&t, line[i].s, line[i].end);
	*n = t.ntext;
	return t.text;
}
