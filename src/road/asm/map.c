/* map.c - write the map of a file of assembly, and room for its counters.
 *
 * The map is written as directives.  Addresses in it are expressions of labels in the text,
 * which the assembler and the linker resolve.  Each function's map is a section of its own, in
 * the function's group if it has one, so that the linker keeps or drops both together. */

#include "asm.h"

#include <stdlib.h>
#include <string.h>

static uint32_t
slotof(const Plan *plan, int p, int base)
{
	return !plan || plan->slot[p] == NOSLOT ? CODENONE : (uint32_t)(plan->slot[p] + base);
}

/* partof - the number of the part of the function's code that block b is in.  There is a part
 * for each section, numbered in the order of their first blocks. */
static int
partof(const Unit *u, const Func *fn, int b, int *firstblock, int *npart)
{
	int sect = u->item[fn->item[fn->body.first[b]]].sect, k;

	for (k = 0; k < *npart; k++)
		if (u->item[fn->item[fn->body.first[firstblock[k]]]].sect == sect)
			return k;
	firstblock[k] = b;
	++*npart;
	return k;
}

typedef struct Draft Draft;

/* The function that is being written. */
struct Draft {
	Unit *u;
	int f;
	const Func *fn;
	const Graph *g;  /* NULL if it is not counted */
	int *part;       /* by block; NONE */
	int *firstblock; /* by part that has blocks */
	int npart;
	int nslot;
	Arena tmp;
};

/* counters - reserve room for counters, in the section group of the function if it is in one. */
static void
counters(const Draft *d, Buf *out)
{
	const char *name = d->u->bare ? BARESECTION : COUNTSECTION;
	const Sect *sect = &d->u->sect[d->u->stmt[d->fn->label].sect];

	if (!d->nslot)
		return;
	if (sect->group)
		bprintf(out, "\t.section\t%s,\"awG\",@nobits,%s\n", name, sect->signature);
	else
		bprintf(out, "\t.section\t%s,\"aw\",@nobits\n", name);
	bprintf(out, "\t.balign\t8\n.Ltally_n%d:\n\t.zero\t%d\n", d->f, 8 * d->nslot);
}

uint64_t
codehash(const Unit *u, const Func *fn)
{
	uint64_t h = HASHBEGIN;
	int i;

	for (i = 0; fn->body.g && i < fn->body.g->nedge; i++)
		h = hashnumber(hashnumber(h, (uint64_t)fn->body.g->edge[i].src),
			       (uint64_t)fn->body.g->edge[i].dst);
	for (i = 0; i < fn->nitem; i++) {
		const Item *it = &u->item[fn->item[i]];

		h = hashnumber(hashnumber(h, (uint64_t)it->ninsn), (uint64_t)it->bytes);
	}
	return h;
}

static void
mapblock(const Draft *d, int b, Codeblock *m)
{
	const Func *fn = d->fn;
	const Item *first, *last, *it = NULL;
	uint64_t base;
	int i;

	m->slot = slotof(fn->plan, b, 0);
	m->check = slotof(fn->check, b, fn->plan->nslot);
	m->part = CODENONE;
	if (b < FIRST || d->part[b] == NONE)
		return;
	m->part = (uint32_t)d->part[b];
	for (i = fn->body.first[b]; i <= fn->body.last[b]; i++) {
		m->ninsn += it ? (uint32_t)it->npad : 0; /* padding inside runs with the block */
		it = &d->u->item[fn->item[i]];
		m->ninsn += (uint32_t)it->ninsn;
	}
	first = &d->u->item[fn->item[fn->body.first[b]]];
	last = &d->u->item[fn->item[fn->body.last[b]]];
	base = d->u->item[fn->item[fn->body.first[d->firstblock[d->part[b]]]]].off;
	m->off = (uint32_t)(first->off - base);
	m->bytes = (uint32_t)(last->off - first->off + (uint64_t)last->bytes);
	m->npad = (uint32_t)last->npad;
}

/* codeof - blocks, edges and rows, as the map has them. */
static Code
codeof(Draft *d)
{
	const Lines *l = &d->u->lines;
	const Graph *g = d->g;
	Code c = {
		.nblock = g->nblock,
		.nedge = g->nedge,
		.nrow = l->first[d->f + 1] - l->first[d->f],
		.block = anew(&d->tmp, Codeblock, g->nblock),
		.edge = anew(&d->tmp, Codeedge, g->nedge),
		.row = l->row + l->first[d->f],
	};
	int i;

	for (i = 0; i < g->nblock; i++)
		mapblock(d, i, &c.block[i]);
	for (i = 0; i < g->nedge; i++)
		c.edge[i] = (Codeedge){
			.src = (uint32_t)g->edge[i].src,
			.dst = (uint32_t)g->edge[i].dst,
			.slot = slotof(d->fn->plan, edgeplace(g, i), 0),
			.flags = (g->edge[i].never ? EDGENEVER : 0)
				 | (d->fn->body.how[i] == FALLS ? EDGEFALLS : 0)
				 | (d->fn->body.how[i] == REENTERS ? EDGEAGAIN : 0)
				 | (g->edge[i].pinned ? EDGEPINNED : 0)
				 | (g->edge[i].net ? EDGENET : 0),
		};
	return c;
}

/* label - print an assembler expression. */
static const char *
label(Arena *a, const char *fmt, int f, int b)
{
	Buf text = {.arena = a};

	bprintf(&text, fmt, f, b);
	return text.s;
}

/* findbed - assign our own code to the function's parts, by section; a section that has nothing
 * else becomes a part. */
static void
findbed(Draft *d, Addr *part)
{
	const Bed *bed = &d->fn->bed;
	uint32_t *sect = anew(&d->tmp, uint32_t, d->npart + bed->n);
	int i, k;

	for (k = 0; k < d->npart; k++)
		sect[k] = (uint32_t)d->u->stmt[itemat(d->u, d->fn, d->fn->body.first[d->firstblock[k]])->stmt].sect;
	for (i = 0; i < bed->n; i++) {
		for (k = 0; k < d->npart && sect[k] != bed->planted[i].part; k++)
			;
		if (k == d->npart) {
			sect[k] = bed->planted[i].part;
			part[k].expr = label(&d->tmp, ".Ltally_o%d_%d", d->f, i);
			d->npart++;
		}
		bed->planted[i].part = (uint32_t)k;
	}
}

/* findparts - the addresses of the parts of a function's code; an uncounted function has one, at
 * its label. */
static const Addr *
findparts(Draft *d)
{
	const Stmt *name = &d->u->stmt[d->fn->label];
	Addr *part;
	int b, k;

	d->part = d->g ? anew(&d->tmp, int, d->g->nblock) : NULL;
	d->firstblock = anew(&d->tmp, int, d->u->nsect + 1);
	for (b = FIRST; d->g && b < d->g->nblock; b++)
		d->part[b] = d->fn->body.first[b] == NONE
				     ? NONE
				     : partof(d->u, d->fn, b, d->firstblock, &d->npart);
	part = anew(&d->tmp, Addr, d->npart + d->fn->bed.n + 1);
	for (k = 0; k < d->npart; k++)
		part[k].expr = label(&d->tmp, ".Ltally_b%d_%d", d->f, d->firstblock[k]);
	if (d->g)
		findbed(d, part);
	if (!d->npart)
		part[d->npart++].expr = astrndup(&d->tmp, name->s, (size_t)name->len);
	return part;
}

/* distances - of labels of our code from the start of their parts. */
static const char *const *
distances(Draft *d, const Addr *part, const char *fmt)
{
	const char **at = anew(&d->tmp, const char *, d->fn->bed.n);
	int i;

	for (i = 0; i < d->fn->bed.n; i++) {
		Buf text = {.arena = &d->tmp};

		bprintf(&text, fmt, d->f, i);
		bprintf(&text, "-%s", part[d->fn->bed.planted[i].part].expr);
		at[i] = text.s;
	}
	return at;
}

/* addresses - by block, its distance from the start of its part: an expression, because only the
 * assembler knows the value. */
static const char *const *
addresses(Draft *d)
{
	const char **at = anew(&d->tmp, const char *, d->g->nblock);
	Buf text = {.arena = &d->tmp};
	size_t *from = anew(&d->tmp, size_t, d->g->nblock);
	int b;

	for (b = FIRST; b < d->g->nblock; b++) {
		if (d->part[b] == NONE)
			continue;
		from[b] = text.n + 1;
		bput(&text, "", 1);
		bprintf(&text, ".Ltally_b%d_%d-.Ltally_b%d_%d", d->f, b, d->f,
			d->firstblock[d->part[b]]);
	}
	for (b = FIRST; b < d->g->nblock; b++)
		at[b] = from[b] ? text.s + from[b] : NULL;
	return at;
}

static void
writefn(Unit *u, int f, const Counting *how, Buf *out)
{
	const Func *fn = &u->func[f];
	const Plan *plan = fn->plan, *check = fn->check;
	const Bed *bed = &fn->bed;
	const Sect *sect = &u->sect[u->stmt[fn->label].sect];
	Draft d = {.u = u, .f = f, .fn = fn};
	Newmap map = {.bytes = {.arena = &d.tmp}};
	Newfn new = {
		.name = fn->name,
		.reason = fn->reason,
		.unit = {.expr = ".Ltally_unit"},
		.hash = codehash(u, fn),
		.scheme = how->scheme,
		.copied = fn->copied,
		.ncopied = fn->ncopied,
	};
	Buf section = {.arena = &d.tmp};
	Code code;

	if (plan) {
		d.g = new.g = fn->body.g;
		d.nslot = plan->nslot + (check ? check->nslot : 0);
	}
	new.part = findparts(&d);
	new.npart = d.npart;
	if (plan) {
		code = codeof(&d);
		new.code = &code;
		new.at = addresses(&d);
		code.planted = bed->planted;
		code.nplanted = bed->n;
		new.begin = distances(&d, new.part, ".Ltally_o%d_%d");
		new.end = distances(&d, new.part, ".Ltally_e%d_%d");
	}
	new.nslot = (uint32_t)d.nslot;
	if (d.nslot)
		new.counters.expr = label(&d.tmp, ".Ltally_n%d", f, 0);
	if (fn->head.file < (uint32_t)u->lines.nfile)
		new.head = fn->head;
	new.marker = findmarkers(u, f, &new.nmarker);
	mapfn(&map, &new);
	counters(&d, out);
	if (sect->group)
		bprintf(&section, "\"G\",@progbits,%s", sect->signature);
	else /* a section of its own, so that the linker can drop it with its function */
		bprintf(&section, "\"\",@progbits,unique,%d", f + 1);
	directives(out, &map, section.s, label(&d.tmp, ".Ltally_f%d", f, 0));
	areset(&d.tmp);
}

/* jumps - whether the file calls longjmp, under any of its names, or raises exceptions in
 * Pascal, which does the same. */
static bool
jumps(const Unit *u)
{
	int i;

	for (i = 0; i < u->nitem; i++) {
		const Stmt *st = &u->stmt[u->item[i].stmt];

		if (!st->data
		    && (memmem(st->s, (size_t)st->len, "longjmp", 7)
			|| memmem(st->s, (size_t)st->len, "fpc_setjmp", 10)))
			return true;
	}
	return false;
}

/* writeunit - write what concerns the whole unit, the texts that the C road read, and, if the
 * order of first use is recorded, the word for that. */
static void
writeunit(Unit *u, const Counting *how, Buf *out)
{
	const Lines *l = &u->lines;
	const char **file = anew(u->run, const char *, l->nfile);
	Newmap map = {.bytes = {.arena = u->run}};
	Newunit unit = {
		.file = file,
		.nfile = (uint32_t)l->nfile,
		.abi = how->bare ? 0 : ABI,
		.jumps = jumps(u),
		.plain = how->plain || l->own,
		.hinted = true,
		.switches = u->switches,
	};
	int i;

	for (i = 0; i < l->nfile; i++)
		file[i] = fullpath(u, l->file[i] ? l->file[i] : "");
	mapunit(&map, &unit);
	mapsources(u, &map);
	if (how->firsts)
		maporder(&map, (Addr){.expr = ".Ltally_unit"}, (Addr){.expr = ".Ltally_used"});
	directives(out, &map, "\"\",@progbits", ".Ltally_unit");
	if (how->firsts)
		bprintf(out, "\t.section\t" ORDERSECTION ",\"aw\",@nobits\n\t.balign\t4\n"
			     ".Ltally_used:\n\t.zero\t4\n");
}

void
writemap(Unit *u, const Counting *how, Buf *out)
{
	int f;

	writeunit(u, how, out);
	for (f = 0; f < u->nfunc; f++)
		writefn(u, f, how, out);
}
