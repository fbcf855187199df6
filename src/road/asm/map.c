/* map.c - the map, written as directives for the assembler.  The layout is that of
 * profile/mapfile.h; each record's size is checked against it. */

#include "asm.h"
#include "profile/mapfile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static uint32_t
slotof(const Plan *plan, int p, int base)
{
	return !plan || plan->slot[p] == NOSLOT ? MAPNONE : (uint32_t)(plan->slot[p] + base);
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
	const char *name = d->u->bare ? BARESECTION : COUNTSECTION;
	const Sect *sect = &d->u->sect[d->u->stmt[d->fn->label].sect];

	if (!d->nslot)
		return;
	if (sect->group)
		bprintf(d->out, "\t.section\t%s,\"awG\",@nobits,%s\n", name,
			sect->signature);
	else
		bprintf(d->out, "\t.section\t%s,\"aw\",@nobits\n", name);
	bprintf(d->out, "\t.balign\t8\n.Ltally_n%d:\n\t.zero\t%d\n", d->f, 8 * d->nslot);
}

uint64_t
shape(const Unit *u, const Func *fn)
{
	uint64_t h = HASHBEGIN;
	int i;

	for (i = 0; fn->g && i < fn->g->nedge; i++)
		h = hashnumber(hashnumber(h, (uint64_t)fn->g->edge[i].src), (uint64_t)fn->g->edge[i].dst);
	for (i = 0; i < fn->nitem; i++) {
		const Item *it = &u->item[fn->item[i]];

		h = hashnumber(hashnumber(h, (uint64_t)it->ninsn), (uint64_t)it->bytes);
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
		bprintf(d->out, "\t.section\t" MAPSECTION ",\"G\",@progbits,%s\n",
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
	bprintf(d->out, "\t.quad\t%" PRIu64 "\n", shape(d->u, d->fn));
	bprintf(d->out, "\t.long\t%d,%d,%d,%d,%d,%d,%zu,%zu\n", d->nslot, d->npart ? d->npart : 1,
		d->g ? d->g->nblock : 0, d->g ? d->g->nedge : 0, nrow, (int)scheme, packed, text);
	if (d->npart == 0) {
		const Stmt *label = &d->u->stmt[d->fn->label];

		bprintf(d->out, "\t.quad\t%.*s\n", label->len, label->s);
	}
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

/* codeof - blocks, edges and rows. */
static Code
codeof(const Draft *d)
{
	const Lines *l = &d->u->lines;
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
				 | (g->edge[i].pinned ? EDGEPINNED : 0)
				 | (g->edge[i].net ? EDGENET : 0),
		};
	return c;
}

static void
mapfunc(Unit *u, int f, const Order *how, const Plan *plan, const Plan *check, Buf *out)
{
	const Lines *l = &u->lines;
	const Func *fn = &u->func[f];
	const char *odd = fn->odd ? fn->odd : "";
	Draft d = {.u = u, .f = f, .fn = fn, .plan = plan, .check = check, .out = out};
	Buf packed = {.arena = u->run}, label = {.arena = u->run};
	Code code;
	int b;

	if (plan) {
		d.g = fn->g;
		d.nslot = plan->nslot + (check ? check->nslot : 0);
		d.part = anew(u->run, int, d.g->nblock);
		d.firstblock = anew(u->run, int, u->nsect + 1);
		for (b = FIRST; b < d.g->nblock; b++)
			d.part[b] = fn->first[b] == NONE ? NONE
							 : partof(u, fn, b, d.firstblock, &d.npart);
		code = codeof(&d);
		pack(&packed, &code);
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
	mapmarks(u, f, out);
	bprintf(&label, ".Ltally_h%d", f);
	if (!plan)
		return;
	if (fn->ncopied) {
		Buf copies = {.arena = u->run};

		bprintf(&copies, ".Ltally_i%d", f);
		copydirectives(out, fn->copied, fn->ncopied, copies.s);
	}
	if (iselsewhere(&fn->head, &code) && fn->head.file < (uint32_t)l->nfile)
		headdirectives(out, &fn->head);
	hintdirectives(out, d.g, &code, label.s);
}

/* jumps - whether the file calls longjmp, under any of its names, or raises exceptions in Pascal,
 * which is the same. */
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

static void
mapunit(Unit *u, const Order *how, Buf *out)
{
	const Lines *l = &u->lines;
	const char **file = anew(u->run, const char *, l->nfile);
	int i;

	bprintf(out,
		"\t.section\t" MAPSECTION ",\"\",@progbits\n\t.balign\t8\n.Ltally_unit:\n"
		"\t.long\t.Ltally_ue-.Ltally_unit\n\t.value\t%d,%d\n"
		"\t.long\t%d,.Ltally_ut-.Ltally_us,%d,%d\n.Ltally_us:\n",
		MAPUNIT, MAPVERSION, l->nfile,
		(jumps(u) ? UNITJUMPS : 0) | (how->plain || l->own ? UNITPLAIN : 0) | UNITHINTS
			| (u->switches ? UNITSWITCHES : 0),
		how->bare ? 0 : ABI);
	for (i = 0; i < l->nfile; i++)
		asciz(out, file[i] = fullpath(u, l->file[i] ? l->file[i] : ""));
	bprintf(out, ".Ltally_ut:\n\t.balign\t8\n.Ltally_ue:\n");
	stampdirectives(out, file, l->nfile);
}

/* maporder - the word of the unit, and where it is. */
static void
maporder(Buf *out)
{
	bprintf(out,
		"\t.section\t" MAPSECTION ",\"\",@progbits\n\t.balign\t8\n"
		"\t.long\t%zu\n\t.value\t%d,%d\n\t.quad\t.Ltally_unit,.Ltally_used\n"
		"\t.section\t" ORDERSECTION ",\"aw\",@nobits\n\t.balign\t4\n"
		".Ltally_used:\n\t.zero\t4\n",
		sizeof(struct Maporder), MAPORDER, MAPVERSION);
}

void
writemap(Unit *u, const Order *how, Plan **plan, Plan **check, Buf *out)
{
	int f;

	mapunit(u, how, out);
	mapsources(u, out);
	if (how->firsts)
		maporder(out);
	for (f = 0; f < u->nfunc; f++)
		mapfunc(u, f, how, plan[f], check[f], out);
}
