/* data.c - the values that data directives put into a section. */

#include "asm.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static int
widthof(const Stmt *st)
{
	static const struct {
		const char *word;
		int bytes;
	} kind[] = {{".byte", 1},  {".value", 2}, {".short", 2},   {".2byte", 2},   {".long", 4},
		    {".4byte", 4}, {".quad", 8},  {".8byte", 8},   {".uleb128", 0}, {".sleb128", 0},
		    {".int", 4},   {".word", 2},  {".string", -1}, {".asciz", -1},  {".ascii", -1}};
	size_t k;

	for (k = 0; k < sizeof kind / sizeof *kind; k++)
		if (begins(st, kind[k].word))
			return kind[k].bytes;
	return -2;
}

/* unescape - read the bytes of a string as a number in LEB128: clang writes large ones so. */
static uint64_t
unescape(const char *s, const char *end, int *bytes)
{
	uint64_t n = 0;
	int c, k;

	for (*bytes = 0; s < end; ++*bytes) {
		c = (unsigned char)*s++;
		if (c == '\\' && s < end && isdigit((unsigned char)*s))
			for (c = k = 0; k < 3 && s < end && isdigit((unsigned char)*s); k++)
				c = 8 * c + (*s++ - '0');
		else if (c == '\\' && s < end)
			c = (unsigned char)*s++;
		if (*bytes < 9)
			n |= (uint64_t)(c & 0x7f) << (7 * *bytes);
	}
	return n;
}

static int
lebsize(uint64_t n)
{
	int bytes = 1;

	while (n >>= 7)
		bytes++;
	return bytes;
}

bool
value(Cursor *c, Value *v)
{
	const Unit *u = c->u;
	const char *end;
	bool issigned; /* the encoding has a sign bit */
	int width;

	while (!c->s) {
		const Stmt *st;

		if (++c->stmt >= u->nstmt)
			return false;
		st = &u->stmt[c->stmt];
		if (st->sect == c->sect && st->kind == DIRECTIVE && widthof(st) >= -1) {
			c->s = st->s;
			while (*c->s != ' ' && *c->s != '\t' && c->s < st->s + st->len)
				c->s++;
		}
	}
	end = u->stmt[c->stmt].s + u->stmt[c->stmt].len;
	width = widthof(&u->stmt[c->stmt]);
	issigned = begins(&u->stmt[c->stmt], ".sleb128");
	while (c->s < end && (*c->s == ' ' || *c->s == '\t'))
		c->s++;
	*v = (Value){.s = c->s};
	if (width == -1) {
		v->literal = true;
		v->n = unescape(c->s + 1, end - 1, &v->bytes);
		c->s = NULL;
		return true;
	}
	while (c->s < end && *c->s != ',')
		c->s++;
	v->len = (int)(c->s - v->s);
	c->s = c->s < end ? c->s + 1 : NULL;
	v->literal = v->len > 0 && (isdigit((unsigned char)*v->s) || *v->s == '-')
		     && !memchr(v->s, '+', (size_t)v->len)
		     && !memchr(v->s + 1, '-', (size_t)v->len - 1);
	if (v->literal)
		v->n = *v->s == '-' ? (uint64_t)strtoll(v->s, NULL, 0) : strtoull(v->s, NULL, 0);
	v->bytes = width      ? width
		   : issigned ? lebsize((*v->s == '-' ? ~v->n : v->n) << 1)
			      : lebsize(v->n);
	return true;
}

int
sectnamed(const Unit *u, const char *name)
{
	int i;

	for (i = 0; i < u->nsect; i++)
		if (strcmp(u->sect[i].name, name) == 0)
			return i;
	return NONE;
}

int
labelat(Table *labels, const char *p, const char *end)
{
	const char *stop = p;
	const Entry *e;

	while (stop < end && *stop != '-' && *stop != '+' && *stop != ' ')
		stop++;
	e = lookup(labels, p, (size_t)(stop - p));
	return e ? e->value : NONE;
}

void
indexlabels(const Unit *u, Table *labels)
{
	int i;

	for (i = 0; i < u->nstmt; i++)
		if (u->stmt[i].kind == LABEL)
			intern(labels, u->stmt[i].s, (size_t)u->stmt[i].len, i);
}
