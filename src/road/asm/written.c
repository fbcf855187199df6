/* written.c - read a line table that the compiler wrote as data in .debug_line, and not by .loc,
 * as Free Pascal does.  DWARF versions 2 to 4 (section 6.2 of the standard of 2010).  Addresses
 * are labels of the text, so rows lead to statements.  Where the text is not as expected we stop
 * reading: then lines are missing. */

#include "asm.h"

#include <stdlib.h>
#include <string.h>

enum { /* DW_LNS_ and DW_LNE_ */
       EXTENDED,
       COPY,
       ADVANCEPC,
       ADVANCELINE,
       SETFILE,
       SETCOLUMN,
       NEGATESTMT,
       CONSTADDPC = 8,
       FIXEDADVANCEPC
};
enum { SETADDRESS = 2 };

typedef struct Reader Reader;

struct Reader {
	Unit *u;
	Cursor c;
	Table labels;
	Value v; /* the last value read */
	int base, range, special;
	int nargs[256]; /* by opcode */
	char **dir;
	int ndir;
	size_t capdir, cap;
	Written *row;
	int nrow;
};

static bool
next(Reader *r)
{
	return value(&r->c, &r->v);
}

/* nextis - read a number that must be a literal. */
static bool
nextis(Reader *r, int *n)
{
	if (!next(r) || !r->v.literal)
		return false;
	*n = (int)r->v.n;
	return true;
}

/* text - the string just read; NULL if it is no string, or empty. */
static char *
text(Reader *r)
{
	Buf b = {.arena = r->u->run};
	const Stmt *st = &r->u->stmt[r->c.stmt];
	const char *s = r->v.s + 1, *end = st->s + st->len;

	if (*r->v.s != '"' || s[0] == '"' || (s[0] == '\\' && s[1] == '0'))
		return NULL;
	for (; s < end && *s != '"' && !(s[0] == '\\' && s[1] == '0'); s++) {
		s += *s == '\\';
		bput(&b, s, 1);
	}
	return b.s;
}

/* addfile - add file number n. */
static void
addfile(Reader *r, int n, char *name, int dir)
{
	Lines *l = &r->u->lines;
	Buf path = {.arena = r->u->run};

	if (name[0] != '/' && dir > 0 && dir <= r->ndir)
		bprintf(&path, "%s/", r->dir[dir - 1]);
	bprintf(&path, "%s", name);
	l->file = agrow(r->u->run, l->file, (size_t)n + 1, &l->capfile, sizeof *l->file);
	l->file[n] = path.s;
	l->nfile = n + 1;
}

static bool
readfiles(Reader *r)
{
	int n = 0, dir, skip;
	char *s;

	while (next(r) && (s = text(r))) {
		apush(r->u->run, r->dir, r->ndir, r->capdir);
		r->dir[r->ndir++] = s;
	}
	while (next(r) && (s = text(r))) {
		if (!nextis(r, &dir) || !nextis(r, &skip) || !nextis(r, &skip))
			return false;
		addfile(r, ++n, s, dir);
	}
	return n > 0;
}

static bool
readheader(Reader *r)
{
	int version, skip, i;

	if (!next(r) || !nextis(r, &version) || version < 2 || version > 4 || !next(r)
	    || !nextis(r, &skip) || (version == 4 && !nextis(r, &skip)) || !nextis(r, &skip)
	    || !nextis(r, &r->base) || !nextis(r, &r->range) || !nextis(r, &r->special)
	    || r->range < 1 || r->special < 1 || r->special > 255)
		return false;
	if (r->base > 127)
		r->base -= 256; /* a signed byte */
	for (i = 1; i < r->special; i++)
		if (!nextis(r, &r->nargs[i]))
			return false;
	return readfiles(r);
}

/* follow - the item n bytes after another; NONE. */
static int
follow(const Unit *u, int item, uint64_t n)
{
	uint64_t to;
	int i;

	if (item == NONE || n == 0)
		return item;
	to = u->item[item].off + n;
	for (i = item; i < u->nitem; i++)
		if (u->item[i].sect == u->item[item].sect && u->item[i].off >= to)
			return u->item[i].off == to ? i : NONE;
	return NONE;
}

/* labelled - the item to which the value, a label or a difference of labels, leads; NONE. */
static int
labelled(Reader *r)
{
	int stmt = labelat(&r->labels, r->v.s, r->v.s + r->v.len);

	return stmt == NONE ? NONE : r->u->stmt[stmt].item;
}

static int
advance(Reader *r, int item)
{
	return r->v.literal ? follow(r->u, item, r->v.n) : labelled(r);
}

static void
emit(Reader *r, int item, const Coderow *row)
{
	if (item == NONE || row->file >= (uint32_t)r->u->lines.nfile)
		return;
	apush(r->u->run, r->row, r->nrow, r->cap);
	r->row[r->nrow++] = (Written){item, *row};
}

/* extended - apply an extended opcode; returns the item that it leads to. */
static int
extended(Reader *r, int item)
{
	int left, op;

	if (!nextis(r, &left) || !nextis(r, &op))
		return NONE;
	for (left--; left > 0 && next(r); left -= r->v.bytes)
		item = op == SETADDRESS ? labelled(r) : item;
	return op == 1 ? NONE : item;
}

static void
readprogram(Reader *r)
{
	const Coderow begin = {.line = 1, .file = 1};
	Coderow row = begin;
	int item = NONE, op, i;

	while (nextis(r, &op))
		if (op >= r->special) {
			op -= r->special;
			row.line += (uint32_t)(r->base + op % r->range);
			item = follow(r->u, item, (uint64_t)(op / r->range));
			emit(r, item, &row);
		} else if (op == EXTENDED) {
			item = extended(r, item);
			if (item == NONE)
				row = begin;
		} else if (op == COPY) {
			emit(r, item, &row);
		} else if (op == CONSTADDPC) {
			item = follow(r->u, item, (uint64_t)((255 - r->special) / r->range));
		} else if (op == FIXEDADVANCEPC) {
			if (!next(r))
				return;
			item = advance(r, item);
		} else {
			for (i = 0; i < r->nargs[op]; i++)
				if (!next(r))
					return;
			switch (op) {
			case ADVANCEPC: item = advance(r, item); break;
			case ADVANCELINE: row.line += (uint32_t)r->v.n; break;
			case SETFILE: row.file = (uint32_t)r->v.n; break;
			case SETCOLUMN: row.column = (uint16_t)r->v.n; break;
			default: break;
			}
		}
}

int
readwritten(Unit *u, Written **rows)
{
	Reader r = {.u = u,
		    .c = {.u = u, .sect = sectnamed(u, ".debug_line"), .stmt = -1},
		    .labels = {.arena = u->run}};

	if (r.c.sect == NONE)
		return 0;
	indexlabels(u, &r.labels);
	if (readheader(&r))
		readprogram(&r);
	*rows = r.row;
	return r.nrow;
}
