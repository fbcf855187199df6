/* map.c - the map, written as directives for the assembler.  The layout is that of
 * profile/format.h; each record's size is checked against it. */

#include "asm.h"

#include "profile/format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct Lines Lines;

/* The line table of the file, from its .file and .loc. */
struct Lines {
	Unit *u;
	char *dir;   /* where the compiler ran; NULL */
	char **file; /* by number of .file */
	int nfile;
	size_t capfile;
	struct Maprow *row; /* of all functions */
	int *func;          /* by row */
	int nrow;
};

/* number - at *s, which moves behind it and the blanks around it; -1 if there is none. */
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

/* quoted - the next string at *s, unescaped; NULL if there is none. */
static char *
quoted(Unit *u, const char **s, const char *end)
{
	Buf b = {.arena = u->run};
	const char *p = *s;

	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	if (p == end || *p != '"')
		return NULL;
	bput(&b, "", 0);
	for (p++; p < end && *p != '"'; p++) {
		char c = *p;

		if (c == '\\' && p + 1 < end) {
			c = *++p;
			if (c >= '0' && c <= '7') {
				int k, v = 0;

				for (k = 0; k < 3 && p < end && *p >= '0' && *p <= '7'; k++)
					v = 8 * v + (*p++ - '0');
				p--;
				c = (char)v;
			}
		}
		bput(&b, &c, 1);
	}
	*s = p < end ? p + 1 : end;
	return b.s;
}

/* fileline - .file N ["dir"] "name". */
static void
fileline(Lines *l, const Stmt *st)
{
	const char *s = st->s + 5, *end = st->s + st->len;
	long n = number(&s, end);
	char *dir, *name;
	Buf path = {.arena = l->u->run};

	if (n < 0 || n > 1 << 20)
		return;
	dir = quoted(l->u, &s, end);
	name = quoted(l->u, &s, end);
	if (!dir)
		return;
	if (n == 0 && name)
		l->dir = dir;
	if (name && name[0] != '/')
		bprintf(&path, "%s/%s", dir, name);
	else
		bprintf(&path, "%s", name ? name : dir);
	l->file = agrow(l->u->run, l->file, (size_t)n + 1, &l->capfile, sizeof *l->file);
	l->file[n] = path.s;
	if (n >= l->nfile)
		l->nfile = (int)n + 1;
}

/* locline - .loc FILE LINE [COLUMN] [is_stmt 0|1] ... */
static bool
locline(const Stmt *st, struct Maprow *row, bool *isstmt)
{
	const char *s = st->s + 4, *end = st->s + st->len, *is;
	long file = number(&s, end), line = number(&s, end), column = number(&s, end);

	if (file < 0 || line < 0)
		return false;
	is = memmem(s, (size_t)(end - s), "is_stmt ", 8);
	if (is)
		*isstmt = is[8] != '0';
	*row = (struct Maprow){
		.line = (uint32_t)line,
		.file = (uint32_t)file,
		.column = (uint16_t)(column < 0       ? 0
				     : column > 65535 ? 65535
						      : column),
		.flags = *isstmt ? ROWSTMT : 0,
	};
	return true;
}

/* readlines - collect files and rows; a row belongs to the next item of its section. */
static void
readlines(Lines *l, const int *insnat)
{
	Unit *u = l->u;
	int *pending = anew(u->run, int, u->nsect), i, k; /* by section: first row */
	int *sectof = anew(u->run, int, u->nstmt);        /* by row */
	bool isstmt = true;

	l->row = anew(u->run, struct Maprow, u->nstmt);
	l->func = anew(u->run, int, u->nstmt);
	for (i = 0; i < u->nsect; i++)
		pending[i] = NONE;
	for (i = 0; i < u->nstmt; i++) {
		const Stmt *st = &u->stmt[i];

		if (begins(st, ".file")) {
			fileline(l, st);
		} else if (begins(st, ".loc")) {
			if (!locline(st, &l->row[l->nrow], &isstmt))
				continue;
			l->func[l->nrow] = NONE;
			sectof[l->nrow] = st->sect;
			if (pending[st->sect] == NONE)
				pending[st->sect] = l->nrow;
			l->nrow++;
		} else if (st->kind == CODE && u->item[st->item].block != NONE) {
			for (k = pending[st->sect]; k != NONE && k < l->nrow; k++)
				if (sectof[k] == st->sect && l->func[k] == NONE) {
					l->func[k] = u->item[st->item].func;
					l->row[k].insn = (uint32_t)insnat[st->item];
				}
			pending[st->sect] = NONE;
		}
	}
}

/* asciz - a directive that makes a string. */
void
asciz(Buf *out, const char *s)
{
	bprintf(out, "\t.asciz\t\"");
	for (; *s; s++)
		if (*s == '"' || *s == '\\' || (unsigned char)*s < ' ')
			bprintf(out, "\\%03o", (unsigned char)*s);
		else
			bput(out, s, 1);
	bprintf(out, "\"\n");
}

static uint32_t
slotof(const Plan *plan, int p, int base)
{
	return !plan || plan->slot[p] == NOSLOT ? MAPNONE : (uint32_t)(plan->slot[p] + base);
}

static uint64_t
mix(uint64_t h, uint64_t x)
{
	return (h ^ x) * 0x100000001b3;
}

/* partof - the number of the piece of code that an item is in; pieces are numbered in
 * the order in which their first blocks come. */
static int
partof(const Unit *u, const Func *fn, int b, int *firstblock, int *npart)
{
	int sect = u->item[fn->item[fn->first[b]]].sect, k;

	for (k = 0; k < *npart; k++)
		if (u->item[fn->item[fn->first[firstblock[k]]]].sect == sect)
			return k;
	firstblock[k] = b;
	++*npart;
	return k;
}

typedef struct Draft Draft;

/* A function's record, as it is written. */
struct Draft {
	Unit *u;
	int f;
	const Func *fn;
	const Graph *g; /* NULL if it is not counted */
	const Plan *plan, *check;
	int *part;       /* by block; NONE */
	int *firstblock; /* by part */
	int npart;
	int nslot;
	Buf *out;
};

/* counters - room for them, in the group of the function if it is in one. */
static void
counters(const Draft *d)
{
	const Sect *sect = &d->u->sect[d->u->stmt[d->fn->label].sect];

	if (!d->nslot)
		return;
	if (sect->group)
		bprintf(d->out, "\t.section\t" COUNTSECTION ",\"awG\",@nobits,%s,comdat\n",
			sect->signature);
	else
		bprintf(d->out, "\t.section\t" COUNTSECTION ",\"aw\",@nobits\n");
	bprintf(d->out, "\t.balign\t8\n.Ltally_n%d:\n\t.zero\t%d\n", d->f, 8 * d->nslot);
}

/* shape - a hash of what the function looks like without counters. */
static uint64_t
shape(const Draft *d)
{
	uint64_t h = 0xcbf29ce484222325;
	int i;

	for (i = 0; d->g && i < d->g->nedge; i++)
		h = mix(mix(h, (uint64_t)d->g->edge[i].src), (uint64_t)d->g->edge[i].dst);
	for (i = 0; i < d->fn->nitem; i++) {
		const Item *it = &d->u->item[d->fn->item[i]];

		h = mix(mix(h, (uint64_t)it->ninsn), (uint64_t)it->bytes);
	}
	return h;
}

/* heading - up to the parts. */
static void
heading(const Draft *d, Scheme scheme, int nrow, size_t text)
{
	const Sect *sect = &d->u->sect[d->u->stmt[d->fn->label].sect];
	int f = d->f, i;

	if (sect->group)
		bprintf(d->out, "\t.section\t" MAPSECTION ",\"G\",@progbits,%s,comdat\n",
			sect->signature);
	else /* a section of its own, so that the linker can drop it with its function */
		bprintf(d->out, "\t.section\t" MAPSECTION ",\"\",@progbits,unique,%d\n", f + 1);
	bprintf(d->out, "\t.balign\t8\n.Ltally_f%d:\n", f);
	bprintf(d->out, "\t.long\t.Ltally_e%d-.Ltally_f%d\n\t.value\t%d,%d\n", f, f, MAPFUNC,
		MAPVERSION);
	bprintf(d->out, "\t.quad\t.Ltally_unit\n");
	if (d->nslot)
		bprintf(d->out, "\t.quad\t.Ltally_n%d\n", f);
	else
		bprintf(d->out, "\t.quad\t0\n");
	bprintf(d->out, "\t.quad\t%" PRIu64 "\n", shape(d));
	bprintf(d->out, "\t.long\t%d,%d,%d,%d,%d,%d,%zu,0\n", d->nslot, d->npart ? d->npart : 1,
		d->g ? d->g->nblock : 0, d->g ? d->g->nedge : 0, nrow, (int)scheme, text);
	if (d->npart == 0)
		bprintf(d->out, "\t.quad\t%s\n", d->fn->name);
	for (i = 0; i < d->npart; i++)
		bprintf(d->out, "\t.quad\t.Ltally_b%d_%d\n", f, d->firstblock[i]);
}

static void
mapblock(const Draft *d, int b)
{
	const Func *fn = d->fn;
	const Item *first, *last, *it = NULL;
	uint32_t slot = slotof(d->plan, b, 0), check = slotof(d->check, b, d->plan->nslot);
	uint32_t ninsn = 0;
	uint64_t base;
	int i;

	if (b < FIRST || d->part[b] == NONE) {
		bprintf(d->out, "\t.long\t-1,0,0,0,0,0,%u,%u\n", slot, check);
		return;
	}
	for (i = fn->first[b]; i <= fn->last[b]; i++) {
		ninsn += it ? (uint32_t)it->npad : 0; /* padding inside runs with the block */
		it = &d->u->item[fn->item[i]];
		ninsn += (uint32_t)it->ninsn;
	}
	first = &d->u->item[fn->item[fn->first[b]]];
	last = &d->u->item[fn->item[fn->last[b]]];
	base = d->u->item[fn->item[fn->first[d->firstblock[d->part[b]]]]].off;
	bprintf(d->out,
		"\t.long\t%d,.Ltally_b%d_%d-.Ltally_b%d_%d,%" PRIu64 ",%" PRIu64 ",%u,%d,%u,%u\n",
		d->part[b], d->f, b, d->f, d->firstblock[d->part[b]], first->off - base,
		last->off - first->off + (uint64_t)last->bytes, ninsn, last->npad, slot, check);
}

static void
mapfunc(Unit *u, int f, const Order *how, const Plan *plan, const Plan *check, const Lines *l,
	Buf *out)
{
	const Func *fn = &u->func[f];
	const char *odd = fn->odd ? fn->odd : "";
	Draft d = {.u = u, .f = f, .fn = fn, .plan = plan, .check = check, .out = out};
	int b, i, nrow = 0;

	if (plan) {
		d.g = fn->g;
		d.nslot = plan->nslot + (check ? check->nslot : 0);
		d.part = anew(u->run, int, d.g->nblock);
		d.firstblock = anew(u->run, int, u->nsect + 1);
		for (b = FIRST; b < d.g->nblock; b++)
			d.part[b] = fn->first[b] == NONE ? NONE
							 : partof(u, fn, b, d.firstblock, &d.npart);
		for (i = 0; i < l->nrow; i++)
			nrow += l->func[i] == f;
	}
	counters(&d);
	heading(&d, how->scheme, nrow, strlen(fn->name) + strlen(odd) + 2);
	for (b = 0; d.g && b < d.g->nblock; b++)
		mapblock(&d, b);
	for (i = 0; d.g && i < d.g->nedge; i++)
		bprintf(out, "\t.long\t%d,%d,%u,%d\n", d.g->edge[i].src, d.g->edge[i].dst,
			slotof(plan, edgeplace(d.g, i), 0),
			(d.g->edge[i].never ? EDGENEVER : 0) | (fn->how[i] == FALLS ? EDGEFALLS : 0)
				| (d.g->edge[i].pinned ? EDGEPINNED : 0));
	for (i = 0; d.g && i < l->nrow; i++)
		if (l->func[i] == f)
			bprintf(out, "\t.long\t%u,%u,%u\n\t.value\t%u,%u\n", l->row[i].insn,
				l->row[i].line, l->row[i].file, l->row[i].column, l->row[i].flags);
	asciz(out, fn->name);
	asciz(out, odd);
	bprintf(out, "\t.balign\t8\n.Ltally_e%d:\n", f);
}

/* jumps - whether the file calls longjmp, under any of its names. */
static bool
jumps(const Unit *u)
{
	int i;

	for (i = 0; i < u->nitem; i++) {
		const Stmt *st = &u->stmt[u->item[i].stmt];

		if (!st->data && memmem(st->s, (size_t)st->len, "longjmp", 7))
			return true;
	}
	return false;
}

static void
mapunit(const Lines *l, const Order *how, Buf *out)
{
	int i;

	bprintf(out,
		"\t.section\t" MAPSECTION ",\"\",@progbits\n\t.balign\t8\n.Ltally_unit:\n"
		"\t.long\t.Ltally_ue-.Ltally_unit\n\t.value\t%d,%d\n"
		"\t.long\t%d,.Ltally_ut-.Ltally_us,%d,0\n.Ltally_us:\n",
		MAPUNIT, MAPVERSION, l->nfile,
		(jumps(l->u) ? UNITJUMPS : 0) | (how->plain ? UNITPLAIN : 0));
	for (i = 0; i < l->nfile; i++) {
		Buf path = {.arena = l->u->run};

		if (l->dir && l->file[i] && l->file[i][0] != '/')
			bprintf(&path, "%s/", l->dir);
		bprintf(&path, "%s", l->file[i] ? l->file[i] : "");
		asciz(out, path.s);
	}
	bprintf(out, ".Ltally_ut:\n\t.balign\t8\n.Ltally_ue:\n");
}

void
writemap(Unit *u, const Order *how, Plan **plan, Plan **check, Buf *out)
{
	Lines l = {.u = u};
	int *insnat = anew(u->run, int, u->nitem), f, i, n;

	for (f = 0; f < u->nfunc; f++)
		for (n = i = 0; i < u->func[f].nitem; i++) {
			const Item *it = &u->item[u->func[f].item[i]];

			insnat[u->func[f].item[i]] = n;
			if (it->block != NONE) {
				n += it->ninsn;
				if (plan[f] && i != u->func[f].last[it->block])
					n += it->npad;
			}
		}
	readlines(&l, insnat);
	mapunit(&l, how, out);
	for (f = 0; f < u->nfunc; f++)
		mapfunc(u, f, how, plan[f], check[f], &l, out);
}
