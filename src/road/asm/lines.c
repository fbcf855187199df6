/* lines.c - the line table of a file.
 *
 * Compilers write it as directives among the instructions:
 *
 *	.file	1 "/src" "t.c"
 *	.loc	1 7 5			the next instruction is from line 7, column 5
 *
 * Usually it is read from there, otherwise from data (written.c).  If there is neither, as in
 * hand-written assembly, the text itself is the source. */

#include "asm.h"

#include <stdlib.h>
#include <string.h>

/* number - read a number, and move *s past it and the blanks before it; returns -1 if there is
 * none. */
static long
number(const char **s, const char *end)
{
	long n = 0;

	while (*s < end && (**s == ' ' || **s == '\t'))
		++*s;
	if (*s == end || **s < '0' || **s > '9')
		return -1;
	while (*s < end && **s >= '0' && **s <= '9' && n < INT32_MAX / 10)
		n = 10 * n + (*(*s)++ - '0');
	return n;
}

/* quoted - read the next quoted string, unescaped; NULL if there is none. */
static char *
quoted(Unit *u, const char **s, const char *end)
{
	Buf b = {.arena = u->run};
	const char *p = *s;

	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	if (p == end || *p != '"')
		return NULL;
	p = bunquote(&b, p + 1, end);
	*s = p < end ? p + 1 : end;
	return b.s;
}

/* fileline - read .file N ["dir"] "name". */
static void
fileline(Unit *u, const Stmt *st)
{
	Lines *l = &u->lines;
	const char *s = st->s + 5, *end = st->s + st->len;
	long n = number(&s, end);
	char *dir, *name;
	Buf path = {.arena = u->run};

	if (n < 0 || n > 1 << 20)
		return;
	dir = quoted(u, &s, end);
	name = quoted(u, &s, end);
	if (!dir)
		return;
	if (n == 0 && name)
		l->dir = dir;
	if (name && name[0] != '/')
		bprintf(&path, "%s/%s", dir, name);
	else
		bprintf(&path, "%s", name ? name : dir);
	l->file = agrow(u->run, l->file, (size_t)n + 1, &l->capfile, sizeof *l->file);
	l->file[n] = path.s;
	if (n >= l->nfile)
		l->nfile = (int)n + 1;
}

/* locline - read .loc FILE LINE [COLUMN] [is_stmt 0|1] ... */
static bool
locline(const Stmt *st, Coderow *row, bool *isstmt)
{
	const char *s = st->s + 4, *end = st->s + st->len, *is;
	long file = number(&s, end), line = number(&s, end), column = number(&s, end);

	if (file < 0 || line < 0)
		return false;
	is = memmem(s, (size_t)(end - s), "is_stmt ", 8);
	if (is)
		*isstmt = is[8] != '0';
	*row = (Coderow){
		.line = (uint32_t)line,
		.file = (uint32_t)file,
		.column = (uint16_t)(column < 0       ? 0
				     : column > 65535 ? 65535
						      : column),
		.flags = *isstmt ? ROWSTMT : 0,
	};
	return true;
}

typedef struct Seen Seen;

/* A row, as found in the text. */
struct Seen {
	Coderow row;
	int sect;
	int func; /* the function of the next item of its section; NONE */
};

/* isadded - whether gcc added this function to the source's own: _sub_I_00099_1 and
 * _sub_D_00099_0 start and end sanitizers and the like.  Their rows point past the end of the
 * file. */
static bool
isadded(const Func *fn)
{
	const char *s = fn->name;

	return (strncmp(s, "_sub_I_", 7) == 0 || strncmp(s, "_sub_D_", 7) == 0)
	       && strspn(s + 7, "0123456789") == 5 && s[12] == '_' && s[13]
	       && s[13 + strspn(s + 13, "0123456789")] == 0;
}

/* goeson - whether a function is a thunk that jumps to another function; at -O2 a thunk may
 * contain all of that function instead. */
static bool
goeson(const Unit *u, const Func *fn)
{
	int i;

	if (!isthunk(fn->name))
		return false;
	for (i = 0; i < fn->nitem; i++)
		if (u->item[fn->item[i]].insn.turn == RETURN)
			return false;
	return true;
}

/* sortrows - sort rows by function; drop those outside of functions, and those of functions that
 * the source does not have. */
static void
sortrows(Unit *u, Seen *seen, int n)
{
	Lines *l = &u->lines;
	int *at, f, i;

	l->first = anew(u->run, int, u->nfunc + 2);
	for (i = 0; i < n; i++) {
		if (seen[i].func != NONE && isadded(&u->func[seen[i].func]))
			seen[i].func = NONE;
		if (seen[i].func != NONE)
			l->first[seen[i].func + 1]++;
	}
	for (f = 0; f < u->nfunc; f++)
		l->first[f + 1] += l->first[f];
	l->row = anew(u->run, Coderow, l->first[u->nfunc] + 1);
	at = anew(u->run, int, u->nfunc + 1);
	for (i = 0; i < n; i++)
		if ((f = seen[i].func) != NONE)
			l->row[l->first[f] + at[f]++] = seen[i].row;
	for (f = 0; f < u->nfunc; f++)
		for (i = l->first[f]; i < l->first[f + 1] && goeson(u, &u->func[f]); i++)
			l->row[i].flags |= ROWTHUNK;
}

/* numberinsns - by item: the number of instructions of its function's blocks before it. */
static int *
numberinsns(Unit *u)
{
	int *insnat = anew(u->run, int, u->nitem), f, i, n;

	for (f = 0; f < u->nfunc; f++) {
		const Func *fn = &u->func[f];

		for (n = i = 0; i < fn->nitem; i++) {
			const Item *it = &u->item[fn->item[i]];

			insnat[fn->item[i]] = n;
			if (it->block != NONE)
				n += it->ninsn + (fn->body.g && i != fn->body.last[it->block] ? it->npad : 0);
		}
	}
	return insnat;
}

/* hasmarks - whether rows say where statements begin.  gcc's do, unless it is told not to; clang
 * sets is_stmt for nearly all.  Where gcc's do, several rows stand before one instruction;
 * otherwise rows come one by one, except for the first of a function. */
static bool
hasmarks(const Unit *u)
{
	bool others = false, several = false, row = false;
	int i;

	for (i = 0; i < u->nstmt; i++) {
		const Stmt *st = &u->stmt[i];

		if (begins(st, ".loc")) {
			others |= memmem(st->s, (size_t)st->len, "is_stmt 0", 9) != NULL;
			several |= row;
			row = true;
		} else if (st->kind == CODE || begins(st, ".cfi_startproc")) {
			row = false;
		} else if (begins(st, ".ident") && memmem(st->s, (size_t)st->len, "clang", 5)) {
			return false;
		}
	}
	return others && several && !u->nofrontiers;
}

static bool
iscounted(const Unit *u, const Item *it)
{
	return it->func != NONE && u->func[it->func].body.g;
}

/* isknown - fill in what debug information says about a function. */
static void
isknown(Func *fn, const Named *named)
{
	fn->head = named->head;
	fn->copied = named->copied;
	fn->ncopied = named->ncopied;
}

/* tablerows - read rows from .loc.  A row belongs to the next item of its section; before a
 * label to which code jumps, only to control that falls through. */
static int
tablerows(Unit *u, const int *insnat, Seen *seen)
{
	int *pending = anew(u->run, int, u->nsect), i, k, n = 0; /* by section: first row */
	Named *named = NULL;
	int nnamed, next = 0; /* not yet reached */
	const int *copy = findcopies(u, &named, &nnamed);
	bool isstmt = true, marks = hasmarks(u);

	for (i = 0; i < u->nsect; i++)
		pending[i] = NONE;
	for (i = 0; i < u->nstmt; i++) {
		const Stmt *st = &u->stmt[i];

		for (; next < nnamed && named[next].stmt < i && st->kind == CODE; next++)
			if (u->item[st->item].func != NONE)
				isknown(&u->func[u->item[st->item].func], &named[next]);
		if (begins(st, ".file")) {
			fileline(u, st);
		} else if (begins(st, ".loc")) {
			if (!locline(st, &seen[n].row, &isstmt))
				continue;
			if (!marks)
				seen[n].row.flags &= (uint16_t)~ROWSTMT;
			seen[n].row.inst = (uint32_t)copy[i];
			seen[n].func = NONE;
			seen[n].sect = st->sect;
			if (pending[st->sect] == NONE)
				pending[st->sect] = n;
			n++;
		} else if (st->jumped) {
			for (k = pending[st->sect]; k != NONE && k < n; k++)
				if (seen[k].sect == st->sect)
					seen[k].row.flags |= ROWFALLS;
		} else if (st->kind == CODE && !iscounted(u, &u->item[st->item])) {
			pending[st->sect] = NONE; /* rows of no function */
		} else if (st->kind == CODE && u->item[st->item].block != NONE) {
			for (k = pending[st->sect]; k != NONE && k < n; k++)
				if (seen[k].sect == st->sect) {
					seen[k].func = u->item[st->item].func;
					seen[k].row.insn = (uint32_t)insnat[st->item];
				}
			pending[st->sect] = NONE;
		}
	}
	return n;
}

/* ownrows - make rows of a text without line table, which is the source. */
static int
ownrows(Unit *u, const int *insnat, Seen *seen)
{
	Lines *l = &u->lines;
	int i, n = 0;

	l->own = true;
	l->file = u->source;
	l->nfile = u->nsource;
	for (i = 0; i < u->nitem; i++) {
		const Item *it = &u->item[i];
		const Stmt *st = &u->stmt[it->stmt];

		if (it->block == NONE || !it->ninsn)
			continue;
		seen[n].func = it->func;
		seen[n++].row = (Coderow){.insn = (uint32_t)insnat[i],
					  .line = (uint32_t)st->line,
					  .file = (uint32_t)st->file,
					  .flags = ROWSTMT};
	}
	return n;
}

static int
byinsn(const void *a, const void *b)
{
	const Seen *x = a, *y = b;

	return x->row.insn < y->row.insn ? -1 : x->row.insn > y->row.insn;
}

/* writtenrows - take rows that the compiler wrote as data. */
static int
writtenrows(Unit *u, const int *insnat, const Written *w, int nw, Seen *seen)
{
	int i, n = 0;

	for (i = 0; i < nw; i++)
		if (u->item[w[i].item].block != NONE) {
			seen[n].row = w[i].row;
			seen[n].row.insn = (uint32_t)insnat[w[i].item];
			seen[n++].func = u->item[w[i].item].func;
		}
	if (n)
		qsort(seen, (size_t)n, sizeof *seen, byinsn);
	return n;
}

void
readlines(Unit *u)
{
	const int *insnat = numberinsns(u);
	Written *written = NULL;
	Seen *seen;
	int i, n = 0, nwritten = 0;

	for (i = 0; i < u->nstmt; i++)
		n += begins(&u->stmt[i], ".loc");
	if (n == 0)
		nwritten = readwritten(u, &written);
	seen = anew(u->run, Seen, n + nwritten + u->nitem);
	if (nwritten)
		n = writtenrows(u, insnat, written, nwritten, seen);
	else
		n = tablerows(u, insnat, seen);
	if (n == 0)
		n = ownrows(u, insnat, seen);
	sortrows(u, seen, n);
}

char *
fullpath(const Unit *u, const char *name)
{
	const char *dir = u->lines.dir ? u->lines.dir : u->dir;
	Buf path = {.arena = u->run};

	if (dir && name[0] && name[0] != '/')
		bprintf(&path, "%s/", dir);
	bprintf(&path, "%s", name);
	return path.s;
}

char *
funcfile(const Unit *u, int f)
{
	const Lines *l = &u->lines;
	const char *name = NULL;

	if (l->first[f] < l->first[f + 1] && l->row[l->first[f]].file < (uint32_t)l->nfile)
		name = l->file[l->row[l->first[f]].file];
	return fullpath(u, name ? name : u->source[0]);
}

char *
mainfile(Unit *u)
{
	char *name = NULL;
	int i;

	for (i = 0; i < u->nstmt; i++) {
		const Stmt *st = &u->stmt[i];
		const char *s = st->s + 5, *end = st->s + st->len;
		char *dir, *file;
		long n;

		if (!begins(st, ".file"))
			continue;
		n = number(&s, end);
		dir = quoted(u, &s, end);
		file = quoted(u, &s, end);
		if (dir && (!name || n >= 0))
			name = file ? file : dir;
		if (n >= 0)
			break;
	}
	return fullpath(u, name ? name : u->source[u->nsource > 1 ? 1 : 0]);
}
