/* build.c - the map, built.  No other file writes its records.
 *
 * A record is written as its struct of mapfile.h and what follows it.  In a process or an
 * executable every address is known, so the bytes are all there is.  In assembly the assembler and
 * the linker find the addresses: then the bytes have zeros in their place, and a list says what
 * belongs there,
 *
 *   16  address   .Ltally_n3                    the function's counters
 *   76  distance  .Ltally_b3_4-.Ltally_b3_2     a block, from its part
 *
 * which directives() turns into relocations.  The same code makes both, so a record has one
 * layout. */

#include "mapfile.h"
#include "profile.h"

#include "arch/arch.h"

#include <stddef.h>
#include <string.h>

/* beginrecord - writes the first n bytes of a record; returns where it is. */
static size_t
beginrecord(Newmap *map, int kind, void *record, size_t n)
{
	size_t at = map->bytes.n;

	*(struct Maprec *)record = (struct Maprec){.kind = (uint16_t)kind, .version = MAPVERSION};
	bput(&map->bytes, record, n);
	return at;
}

/* endrecord - pads a record to a multiple of 8 and sets its size. */
static void
endrecord(Newmap *map, size_t at)
{
	uint32_t size;

	bput(&map->bytes, "\0\0\0\0\0\0\0", -map->bytes.n & 7);
	size = (uint32_t)(map->bytes.n - at);
	memcpy(map->bytes.s + at + offsetof(struct Maprec, size), &size, sizeof size);
}

/* note - records for directives() what the bytes from an offset on are. */
static void
note(Newmap *map, size_t at, Notekind kind, const char *expr)
{
	apush(map->bytes.arena, map->note, map->nnote, map->capnote);
	map->note[map->nnote++] = (Note){at, kind, expr};
}

/* setaddress - sets eight bytes, which were zeros, to an address. */
static void
setaddress(Newmap *map, size_t at, Addr a)
{
	if (a.expr)
		note(map, at, ISADDRESS, a.expr);
	else
		memcpy(map->bytes.s + at, &a.is, sizeof a.is);
}

static void
putaddress(Newmap *map, Addr a)
{
	bput(&map->bytes, "\0\0\0\0\0\0\0\0", 8);
	setaddress(map, map->bytes.n - 8, a);
}

static void
putdistance(Newmap *map, uint32_t is, const char *expr)
{
	if (expr)
		note(map, map->bytes.n, ISDISTANCE, expr);
	bput(&map->bytes, expr ? "\0\0\0\0" : (const char *)&is, 4);
}

static void
putstring(Newmap *map, const char *s)
{
	note(map, map->bytes.n, ISSTRING, NULL);
	bput(&map->bytes, s, strlen(s) + 1);
}

static uint32_t
lengths(const char *const *s, uint32_t n)
{
	size_t len = 0;

	while (n > 0)
		len += strlen(s[--n]) + 1;
	return (uint32_t)len;
}

bool
issystem(const char *path)
{
	return strncmp(path, "/usr/include/", 13) == 0 || strncmp(path, "/usr/lib/", 9) == 0;
}

/* addstamps - adds the present state of a unit's files, if they are the user's. */
static void
addstamps(Newmap *map, const Newunit *u)
{
	struct Mapfiles m = {0};
	Buf stamps = {.arena = map->bytes.arena};
	uint32_t i;
	size_t at;

	for (i = 0; i < u->nfile; i++) {
		struct Mapstamp s = {.file = i};

		if (!*u->file[i] || issystem(u->file[i]) || !stampof(u->file[i], &s.size, &s.hash))
			continue;
		bput(&stamps, (const char *)&s, sizeof s);
		m.nstamp++;
	}
	if (!m.nstamp)
		return;
	at = beginrecord(map, MAPFILES, &m, sizeof m);
	bput(&map->bytes, stamps.s, stamps.n);
	endrecord(map, at);
}

uint64_t
mapunit(Newmap *map, const Newunit *u)
{
	struct Mapunit m = {
		.nfile = u->nfile,
		.text = lengths(u->file, u->nfile),
		.flags = (u->jumps ? UNITJUMPS : 0) | (u->plain ? UNITPLAIN : 0)
			 | (u->live ? UNITLIVE : 0) | (u->once ? UNITONCE : 0)
			 | (u->hinted ? UNITHINTS : 0) | (u->switches ? UNITSWITCHES : 0),
		.abi = u->abi,
	};
	size_t at = beginrecord(map, MAPUNIT, &m, sizeof m);
	uint32_t i;

	for (i = 0; i < u->nfile; i++)
		putstring(map, u->file[i]);
	endrecord(map, at);
	if (!u->live) /* else they were compiled long ago */
		addstamps(map, u);
	return at;
}

void
mapsource(Newmap *map, const Srctext *x)
{
	const char *const *file = (const char *const *)x->file, *const *fn =
									(const char *const *)x->fn;
	struct Mapsource m = {
		.id = x->id,
		.nfile = x->nfile,
		.nfn = x->nfn,
		.nblock = x->nblock,
		.npiece = x->npiece,
		.nterm = x->nterm,
		.text = lengths(file, x->nfile) + lengths(fn, x->nfn),
	};
	Buf packed = {.arena = map->bytes.arena};
	size_t at;
	uint32_t i;

	packsource(&packed, x);
	m.packed = (uint32_t)packed.n;
	at = beginrecord(map, x->shape ? MAPSHAPE : MAPSOURCE, &m, sizeof m);
	bput(&map->bytes, packed.s, packed.n);
	for (i = 0; i < x->nfile; i++)
		putstring(map, file[i]);
	for (i = 0; i < x->nfn; i++)
		putstring(map, fn[i]);
	endrecord(map, at);
}

void
maporder(Newmap *map, Addr unit, Addr word)
{
	struct Maporder m = {0};
	size_t at = beginrecord(map, MAPORDER, &m, sizeof m);

	setaddress(map, at + offsetof(struct Maporder, unit), unit);
	setaddress(map, at + offsetof(struct Maporder, word), word);
	endrecord(map, at);
}

/* addpacked - adds n things of the function whose record is before, if there are any. */
static void
addpacked(Newmap *map, int kind, int n, const Buf *packed)
{
	struct Mappacked m = {.n = (uint32_t)n, .packed = (uint32_t)packed->n};
	size_t at;

	if (!n)
		return;
	at = beginrecord(map, kind, &m, sizeof m);
	bput(&map->bytes, packed->s, packed->n);
	endrecord(map, at);
}

/* addplanted - adds the code planted in the function whose record is before. */
static void
addplanted(Newmap *map, const Newfn *f)
{
	const Code *c = f->code;
	struct Mapplanted m = {.n = (uint32_t)c->nplanted, .ndistance = (uint32_t)c->nplanted};
	Buf packed = {.arena = map->bytes.arena};
	size_t at;
	int i;

	if (!c->nplanted)
		return;
	packplanted(&packed, c);
	for (i = 0; i < c->nplanted; i++)
		m.ndistance += !formsize(c->planted[i].form);
	m.packed = (uint32_t)packed.n;
	at = beginrecord(map, MAPPLANTED, &m, sizeof m);
	for (i = 0; i < c->nplanted; i++) {
		const Planted *p = &c->planted[i];

		putdistance(map, p->begin, f->begin ? f->begin[i] : NULL);
		if (!formsize(p->form))
			putdistance(map, p->end, f->end ? f->end[i] : NULL);
	}
	bput(&map->bytes, packed.s, packed.n);
	endrecord(map, at);
}

/* iselsewhere - returns whether a head is known and the code does not begin there. */
static bool
iselsewhere(const Head *h, const Code *c)
{
	return h->line && c->nrow && (c->row->line != h->line || c->row->file != h->file);
}

/* addabout - adds what else is known of a function. */
static void
addabout(Newmap *map, const Newfn *f)
{
	Arena *tmp = map->bytes.arena;
	struct Maphead head = {
		.file = f->head.file, .line = f->head.line, .column = f->head.column};
	Buf marks = {.arena = tmp}, copies = {.arena = tmp}, hints = {.arena = tmp};

	packmarkers(&marks, f->marker, f->nmarker);
	addpacked(map, MAPMARKS, f->nmarker, &marks);
	if (!f->code)
		return;
	addplanted(map, f);
	packcopies(&copies, f->copied, f->ncopied);
	addpacked(map, MAPCOPIES, f->ncopied, &copies);
	if (iselsewhere(&f->head, f->code))
		endrecord(map, beginrecord(map, MAPHEAD, &head, sizeof head));
	if (f->g)
		addpacked(map, MAPHINTS, packhints(&hints, f->g, f->code), &hints);
}

void
mapfn(Newmap *map, const Newfn *f)
{
	static const Code none;
	const Code *c = f->code ? f->code : &none;
	const char *text[] = {f->name, f->reason ? f->reason : ""};
	struct Mapfunc m = {
		.hash = f->hash,
		.nslot = f->nslot,
		.npart = (uint32_t)f->npart,
		.nblock = (uint32_t)c->nblock,
		.nedge = (uint32_t)c->nedge,
		.nrow = (uint32_t)c->nrow,
		.scheme = (uint32_t)f->scheme | (f->partial ? FUNCPARTIAL : 0)
			  | (f->calls ? FUNCCALLS : 0),
		.text = lengths(text, 2),
	};
	Buf packed = {.arena = map->bytes.arena};
	size_t at;
	int i;

	pack(&packed, c);
	m.packed = (uint32_t)packed.n;
	at = beginrecord(map, MAPFUNC, &m, sizeof m);
	setaddress(map, at + offsetof(struct Mapfunc, unit), f->unit);
	setaddress(map, at + offsetof(struct Mapfunc, counters), f->counters);
	for (i = 0; i < f->npart; i++)
		putaddress(map, f->part[i]);
	for (i = 0; i < c->nblock; i++)
		putdistance(map, c->block[i].addr, f->at ? f->at[i] : NULL);
	bput(&map->bytes, packed.s, packed.n);
	putstring(map, text[0]);
	putstring(map, text[1]);
	endrecord(map, at);
	addabout(map, f);
}
