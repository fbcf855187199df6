/* marks.c - what the C road says in comments of the assembly.
 *
 * It puts such lines into the C text, as asm statements, and the compiler passes them on:
 *
 *   #TALLY ID N        here block N of text ID begins; in the code, perhaps several times
 *
 * and at the end of the text, outside of all functions, a table:
 *
 *   #TALLY@ ID         what follows is about text ID; with = for @, of its shape
 *   #TALLYf PATH       its files, numbered from 0
 *   #TALLYn NAME       a function; the blocks that follow are in it
 *   #TALLYb KIND FILE LINE COLUMN LINE COLUMN        a block, and where it ends
 *   #TALLYp FILE LINE COLUMN TAKEN +BLOCK -BLOCK ... a piece of a line, and its terms
 *
 * Numbers are decimal but for ID, which has eight hexadecimal digits. */

#include "asm.h"

#include <stdlib.h>
#include <string.h>

#define PREFIX "#TALLY"
enum { PREFIXLEN = sizeof PREFIX - 1 };

bool
isremark(Unit *u, const char *s, const char *end, bool *item)
{
	char word[64], *stop;
	unsigned long id, n;

	if (end - s <= PREFIXLEN + 1 || memcmp(s, PREFIX, PREFIXLEN) != 0)
		return false;
	*item = s[PREFIXLEN] == ' ';
	if (!*item) {
		if (!strchr("@=fnbp", s[PREFIXLEN]) || s[PREFIXLEN + 1] != ' ')
			return false;
		u->told =
			agrow(u->run, u->told, (size_t)u->ntold + 2, &u->captold, sizeof *u->told);
		u->told[u->ntold++] = s + PREFIXLEN;
		u->told[u->ntold++] = end;
		return true;
	}
	s += PREFIXLEN + 1;
	if (end - s >= (ptrdiff_t)sizeof word)
		return false;
	memcpy(word, s, (size_t)(end - s));
	word[end - s] = 0;
	id = strtoul(word, &stop, 16);
	if (stop != word + 8 || *stop != ' ')
		return false;
	n = strtoul(stop, &stop, 10);
	if (*stop && *stop != '\r' && *stop != ' ' && *stop != '\t')
		return false;
	apush(u->run, u->mark, u->nmark, u->capmark);
	u->mark[u->nmark++] = (Remark){(uint32_t)id, (uint32_t)n};
	return true;
}

typedef struct Tables Tables;

/* The tables, as they are read. */
struct Tables {
	Unit *u;
	Srctext *text;
	int ntext;
	size_t captext;
	size_t capfile, capfn, capblock, cappiece, capterm; /* of the last */
};

/* number - the next one in a line; *s is behind it. */
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
readpiece(Tables *t, Srctext *x, const char *s, const char *end)
{
	Arena *run = t->u->run;
	Srcpiece p = {.term = x->nterm};

	p.file = number(&s, end);
	p.line = number(&s, end);
	p.column = number(&s, end);
	p.ntaken = number(&s, end);
	while (s < end && *s == ' ') {
		bool minus = ++s < end && *s == '-';

		s++;
		apush(run, x->term, x->nterm, t->capterm);
		x->term[x->nterm++] = (Srcterm){number(&s, end), minus};
		p.nterm++;
	}
	apush(run, x->piece, x->npiece, t->cappiece);
	x->piece[x->npiece++] = p;
}

/* readline - of a table. */
static void
readtold(Tables *t, const char *s, const char *end)
{
	Srctext *x = t->ntext ? &t->text[t->ntext - 1] : NULL;
	Arena *run = t->u->run;
	char kind = *s;
	const char *from = s += 2;
	Srcblock b;

	if (kind == '@' || kind == '=') {
		apush(run, t->text, t->ntext, t->captext);
		t->text[t->ntext++] =
			(Srctext){.id = (uint32_t)strtoul(s, NULL, 16), .shape = kind == '='};
		t->capfile = t->capfn = t->capblock = t->cappiece = t->capterm = 0;
	}
	if (!x || kind == '@' || kind == '=')
		return;
	switch (kind) {
	case 'f':
		apush(run, x->file, x->nfile, t->capfile);
		x->file[x->nfile++] = fullpath(t->u, astrndup(run, from, (size_t)(end - from)));
		break;
	case 'n':
		apush(run, x->fn, x->nfn, t->capfn);
		x->fn[x->nfn++] = astrndup(run, from, (size_t)(end - from));
		break;
	case 'b':
		b = (Srcblock){.fn = x->nfn ? x->nfn - 1 : 0};
		b.kind = number(&s, end);
		b.file = number(&s, end);
		b.line = number(&s, end);
		b.column = number(&s, end);
		b.endline = number(&s, end);
		b.endcolumn = number(&s, end);
		apush(run, x->block, x->nblock, t->capblock);
		x->block[x->nblock++] = b;
		break;
	default: readpiece(t, x, s, end);
	}
}

void
mapsources(Unit *u, Newmap *map)
{
	Tables t = {.u = u};
	int i;

	for (i = 0; i < u->ntold; i += 2)
		readtold(&t, u->told[i], u->told[i + 1]);
	for (i = 0; i < t.ntext; i++)
		mapsource(map, &t.text[i]);
}

const Srcmark *
findmarks(Unit *u, int f, int *n)
{
	const Func *fn = &u->func[f];
	bool counted = fn->body.g && !fn->odd;
	Srcmark *m = NULL;
	uint32_t done = 0;
	size_t cap = 0;
	int i, block = NONE;

	*n = 0;
	for (i = 0; i < fn->nitem; i++) {
		const Item *it = &u->item[fn->item[i]];
		int mark = u->stmt[it->stmt].mark;

		if (it->block != block)
			done = 0;
		block = it->block;
		if (mark != NONE && (!counted || block != NONE)) {
			apush(u->run, m, *n, cap);
			m[(*n)++] = (Srcmark){counted ? block : ENTRY, done, u->mark[mark].source,
					      u->mark[mark].block};
		}
		done += (uint32_t)(it->ninsn + it->npad);
	}
	return m;
}
