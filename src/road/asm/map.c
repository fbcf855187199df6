/* map.c - the map, written as directives for the assembler.  The layout is that of
 * profile/format.h; each record's size is checked against it. */

#include "asm.h"

#include "profile/profile.h"

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
	Maprow *row; /* by function: those of f begin at first[f] */
	int *first;
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
locline(const Stmt *st, Maprow *row, bool *isstmt)
{
	const char *s = st->s + 4, *end = st->s + st->len, *is;
	long file = number(&s, end), line = number(&s, end), column = number(&s, end);

	if (file < 0 || line < 0)
		return false;
	is = memmem(s, (size_t)(end - s), "is_stmt ", 8);
	if (is)
		*isstmt = is[8] != '0';
	*row = (Maprow){
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

/* A row as it stands in the text. */
struct Seen {
	Maprow row;
	int sect;
	int func; /* that of the next item of its section; NONE */
};

/* sortrows - by function; those of code that is in none are dropped. */
static void
sortrows(Lines *l, const Seen *seen, int n)
{
	Unit *u = l->u;
	int *at, f, i;

	l->first = anew(u->run, int, u->nfunc + 2);
	for (i = 0; i < n; i++)
		if (seen[i].func != NONE)
			l->first[seen[i].func + 1]++;
	for (f = 0; f < u->nfunc; f++)
		l->first[f + 1] += l->first[f];
	l->row = anew(u->run, Maprow, l->first[u->nfunc] + 1);
	at = anew(u->run, int, u->nfunc + 1);
	for (i = 0; i < n; i++)
		if ((f = seen[i].func) != NONE)
			l->row[l->first[f] + at[f]++] = seen[i].row;
}

/* readlines - collect files and rows; a row belongs to the next item of its section,
 * or, before a label to which code jumps, to the way that falls in there. */
static void
readlines(Lines *l, const int *insnat)
{
	Unit *u = l->u;
	int *pending = anew(u->run, int, u->nsect), i, k, n = 0; /* by section: first row */
	Seen *seen = anew(u->run, Seen, u->nstmt);
	bool isstmt = true;

	for (i = 0; i < u->nsect; i++)
		pending[i] = NONE;
	for (i = 0; i < u->nstmt; i++) {
		const Stmt *st = &u->stmt[i];

		if (begins(st, ".file")) {
			fileline(l, st);
		} else if (begins(st, ".loc")) {
			if (!locline(st, &seen[n].row, &isstmt))
				continue;
			seen[n].func = NONE;
			seen[n].sect = st->sect;
			if (pending[st->sect] == NONE)
				pending[st->sect] = n;
			n++;
		} else if (st->jumped) {
			for (k = pending[st->sect]; k != NONE && k < n; k++)
				if (seen[k].sect == st->sect)
					seen[k].row.flags |= ROWFALLS;
		} else if (st->kind == CODE && u->item[st->item].block != NONE) {
			for (k = pending[st->sect]; k != NONE && k < n; k++)
				if (seen[k].sect == st->sect) {
					seen[k].func = u->item[st->item].func;
					seen[k].row.insn = (uint32_t)insnat[st->item];
				}
			pending[st->sect] = NONE;
		}
	}
	sortrows(l, seen, n);
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
heading(const Draft *d, Scheme scheme, int nrow, size_t packed, size_t text)
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
	bprintf(d->out, "\t.long\t%d,%d,%d,%d,%d,%d,%zu,%zu\n", d->nslot, d->npart ? d->npart : 1,
		d->g ? d->g->nblock : 0, d->g ? d->g->nedge : 0, nrow, (int)scheme, packed, text);
	if (d->npart == 0)
		bprintf(d->out, "\t.quad\t%s\n", d->fn->name);
	for (i = 0; i < d->npart; i++)
		bprintf(d->out, "\t.quad\t.Ltally_b%d_%d\n", f, d->firstblock[i]);
}

/* address - that of a block in its part; known to the assembler alone. */
static void
address(const Draft *d, int b)
{
	if (b < FIRST || d->part[b] == NONE)
		bprintf(d->out, "\t.long\t0\n");
	else
		bprintf(d->out, "\t.long\t.Ltally_b%d_%d-.Ltally_b%d_%d\n", d->f, b, d->f,
			d->firstblock[d->part[b]]);
}

static void
mapblock(const Draft *d, int b, Mapblock *m)
{
	const Func *fn = d->fn;
	const Item *first, *last, *it = NULL;
	uint64_t base;
	int i;

	m->slot = slotof(d->plan, b, 0);
	m->check = slotof(d->check, b, d->plan->nslot);
	m->part = MAPNONE;
	if (b < FIRST || d->part[b] == NONE)
		return;
	m->part = (uint32_t)d->part[b];
	for (i = fn->first[b]; i <= fn->last[b]; i++) {
		m->ninsn += it ? (uint32_t)it->npad : 0; /* padding inside runs with the block */
		it = &d->u->item[fn->item[i]];
		m->ninsn += (uint32_t)it->ninsn;
	}
	first = &d->u->item[fn->item[fn->first[b]]];
	last = &d->u->item[fn->item[fn->last[b]]];
	base = d->u->item[fn->item[fn->first[d->firstblock[d->part[b]]]]].off;
	m->off = (uint32_t)(first->off - base);
	m->bytes = (uint32_t)(last->off - first->off + (uint64_t)last->bytes);
	m->npad = (uint32_t)last->npad;
}

/* packcode - blocks, edges and rows. */
static void
packcode(const Draft *d, const Lines *l, Buf *packed)
{
	Arena *run = d->u->run;
	const Graph *g = d->g;
	Code c = {
		.nblock = g->nblock,
		.nedge = g->nedge,
		.nrow = l->first[d->f + 1] - l->first[d->f],
		.block = anew(run, Mapblock, g->nblock),
		.edge = anew(run, Mapedge, g->nedge),
		.row = l->row + l->first[d->f],
	};
	int i;

	for (i = 0; i < g->nblock; i++)
		mapblock(d, i, &c.block[i]);
	for (i = 0; i < g->nedge; i++)
		c.edge[i] = (Mapedge){
			.src = (uint32_t)g->edge[i].src,
			.dst = (uint32_t)g->edge[i].dst,
			.slot = slotof(d->plan, edgeplace(g, i), 0),
			.flags = (g->edge[i].never ? EDGENEVER : 0)
				 | (d->fn->how[i] == FALLS ? EDGEFALLS : 0)
				 | (g->edge[i].pinned ? EDGEPINNED : 0),
		};
	pack(packed, &c);
}

/* bytes - directives that make them. */
static void
bytes(Buf *out, const Buf *b)
{
	size_t i;
	uint64_t x;

	for (i = 0; i + 8 <= b->n; i += 8) {
		memcpy(&x, b->s + i, 8);
		bprintf(out, "%s0x%" PRIx64, i % 64 ? "," : "\n\t.quad\t", x);
	}
	for (; i < b->n; i++)
		bprintf(out, "\n\t.byte\t%d", (unsigned char)b->s[i]);
	bput(out, "\n", 1);
}

static void
mapfunc(Unit *u, int f, const Order *how, const Plan *plan, const Plan *check, const Lines *l,
	Buf *out)
{
	const Func *fn = &u->func[f];
	const char *odd = fn->odd ? fn->odd : "";
	Draft d = {.u = u, .f = f, .fn = fn, .plan = plan, .check = check, .out = out};
	Buf packed = {.arena = u->run};
	int b;

	if (plan) {
		d.g = fn->g;
		d.nslot = plan->nslot + (check ? check->nslot : 0);
		d.part = anew(u->run, int, d.g->nblock);
		d.firstblock = anew(u->run, int, u->nsect + 1);
		for (b = FIRST; b < d.g->nblock; b++)
			d.part[b] = fn->first[b] == NONE ? NONE
							 : partof(u, fn, b, d.firstblock, &d.npart);
		packcode(&d, l, &packed);
	}
	counters(&d);
	heading(&d, how->scheme, plan ? l->first[f + 1] - l->first[f] : 0, packed.n,
		strlen(fn->name) + strlen(odd) + 2);
	for (b = 0; d.g && b < d.g->nblock; b++)
		address(&d, b);
	bytes(out, &packed);
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
