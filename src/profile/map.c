/* map.c - the map, read from a program.  Whatever the section contains, the result is a clear error
 * and not a crash. */

#include "arch/arch.h"
#include "image/image.h"
#include "mapfile.h"
#include "profile.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

typedef struct Reader Reader;

struct Reader {
	Module *m;
	Arena *run;
	const char *data; /* the section */
	size_t size;
	uint64_t counters; /* address of the module's counters */
	uint64_t ncount;
	uint32_t abi;               /* of the runtime that they belong to; 0 if none, or unknown */
	size_t cap;                 /* of m->fn */
	size_t captext, capshape;   /* of m->text, m->shape */
	const struct Mapunit *unit; /* the last one; NULL if there was none */
	Fn *fn;                     /* of the last record; NULL if the linker removed it */
	Table rank;                 /* offsets of units to the numbers of their words */
};

_Static_assert(sizeof((Module *)0)->id == MAXID, "a profile has as much of a build id");
enum { MAXCOUNTERS = 1 << 28 }; /* all that code can reach */

#define OTHERVERSION "it was built by another version of tally"
#define DAMAGED(r, ...) err((r)->m->path, "damaged map: " __VA_ARGS__)

/* strings - n strings, each ended by a NUL, in len bytes at s. */
static char **
strings(Reader *r, const char *s, size_t len, size_t n)
{
	char **v = anew(r->run, char *, n + 1);
	size_t i;

	for (i = 0; i < n; i++) {
		const char *end = memchr(s, 0, len);

		if (!end)
			DAMAGED(r, "a string is not terminated");
		v[i] = (char *)s;
		len -= (size_t)(end + 1 - s);
		s = end + 1;
	}
	return v;
}

static const struct Mapunit *
unitat(Reader *r, uint64_t off)
{
	const struct Mapunit *u = NULL;

	off -= r->m->mapat;
	if (off % 8 == 0 && off <= r->size && r->size - off >= sizeof *u)
		u = (const void *)(r->data + off);
	if (!u || u->rec.kind != MAPUNIT || u->rec.size > r->size - off || u->rec.size < sizeof *u
	    || u->text > u->rec.size - sizeof *u || u->nfile > u->text)
		DAMAGED(r, "no unit at offset %llu", (unsigned long long)off);
	return u;
}

/* mapgraph - makes the function's graph, and the plan of its counters. */
static void
mapgraph(Reader *r, Fn *fn)
{
	int nblock = fn->code.nblock, nedge = fn->code.nedge;
	Graph *g = newgraph(r->run);
	bool *main, *check;
	int i, p, ncheck = 0;

	while (g->nblock < nblock)
		addblock(g);
	if (fn->code.edge[0].src != EXIT || fn->code.edge[0].dst != ENTRY)
		DAMAGED(r, "%s is not closed", fn->name);
	for (i = 1; i < nedge; i++) {
		uint32_t src = fn->code.edge[i].src, dst = fn->code.edge[i].dst;

		if (src >= (uint32_t)nblock || dst >= (uint32_t)nblock || src == EXIT
		    || dst == ENTRY)
			DAMAGED(r, "%s has an edge %u -> %u", fn->name, src, dst);
		addedge(g, (int)src, (int)dst);
		g->edge[i].never = fn->code.edge[i].flags & EDGENEVER;
		g->edge[i].net = fn->code.edge[i].flags & EDGENET;
	}
	closeflow(g, r->run);
	if (g->nedge != nedge)
		DAMAGED(r, "%s has blocks that lead nowhere", fn->name);
	guesscosts(g, &fn->code);
	main = anew(r->run, bool, nplace(g));
	check = anew(r->run, bool, nplace(g));
	for (p = 0; p < nplace(g); p++) {
		uint32_t slot =
			isblock(g, p) ? fn->code.block[p].slot : fn->code.edge[p - nblock].slot;

		main[p] = slot != CODENONE;
	}
	for (p = 0; p < nblock; p++) {
		check[p] = fn->code.block[p].check != CODENONE;
		ncheck += check[p];
	}
	if (fn->code.nslot != (uint32_t)fn->nslot)
		DAMAGED(r, "%s has %u counters, not %d", fn->name, fn->code.nslot, fn->nslot);
	fn->g = g;
	fn->plan = handplan(g, main, r->run);
	if (ncheck)
		fn->check = handplan(g, check, r->run);
	if (checkplan(g, fn->plan, r->run) != NONE)
		DAMAGED(r, "%s has not enough counters", fn->name);
}

static void
function(Reader *r, const struct Mapfunc *f)
{
	const struct Mapunit *u = unitat(r, f->unit);
	const char *p = (const char *)(f + 1), *end = (const char *)f + f->rec.size;
	uint64_t need = 8ull * f->npart + 4ull * f->nblock + f->packed + f->text;
	uint32_t *addr;
	char **name;
	Fn *fn;
	uint32_t i;

	if (need > (uint64_t)(end - p) || f->npart < 1 || f->nblock == 1
	    || (f->nblock && f->nedge < 2) || f->nblock > INT32_MAX || f->nedge > INT32_MAX
	    || f->nrow > INT32_MAX)
		DAMAGED(r, "a function is truncated");
	r->fn = NULL;
	if (*(const uint64_t *)p == 0 && f->counters == 0 && f->nslot)
		return; /* the linker removed it */
	apush(r->run, r->m->fn, r->m->nfn, r->cap);
	r->fn = fn = &r->m->fn[r->m->nfn++];
	*fn = (Fn){.part = (uint64_t *)p, .npart = (int)f->npart, .nslot = (int)f->nslot};
	fn->hash = f->hash;
	fn->unit = f->unit;
	addr = (uint32_t *)(p + 8ull * f->npart);
	p = (const char *)(addr + f->nblock);
	name = strings(r, p + f->packed, f->text, 2);
	fn->name = fn->source = name[0];
	fn->reason = name[1][0] ? name[1] : NULL;
	fn->file = strings(r, (const char *)(u + 1), u->text, u->nfile);
	fn->nfile = (int)u->nfile;
	fn->plain = u->flags & UNITPLAIN;
	fn->live = u->flags & UNITLIVE;
	fn->hinted = u->flags & UNITHINTS;
	fn->partial = f->scheme & FUNCPARTIAL;
	fn->calls = f->scheme & FUNCCALLS;
	r->m->live |= fn->live;
	r->m->once |= u->flags & UNITONCE;
	r->m->jumps |= u->flags & UNITJUMPS;
	fn->switches = u->flags & UNITSWITCHES;
	if (f->rec.version != MAPVERSION) {
		fn->reason = OTHERVERSION;
		r->fn = NULL; /* what belongs to it is not read, either */
		return;
	}
	if (!f->nblock)
		return;
	fn->first = f->nslot ? (f->counters - r->counters) / 8 : 0;
	if (f->nslot
	    && (f->counters < r->counters || (f->counters - r->counters) % 8
		|| fn->first > r->ncount || f->nslot > r->ncount - fn->first)) {
		if (u->abi == r->abi)
			DAMAGED(r, "the counters of %s lie outside the program's", fn->name);
		fn->reason = OTHERVERSION;
		r->fn = NULL;
		return;
	}
	fn->code = (Code){.nblock = (int)f->nblock, .nedge = (int)f->nedge, .nrow = (int)f->nrow};
	if (!unpack(&fn->code, p, f->packed, r->run))
		DAMAGED(r, "the code of %s cannot be decoded", fn->name);
	for (i = 0; i < f->nblock; i++) {
		fn->code.block[i].addr = addr[i];
		if (fn->code.block[i].part != CODENONE && fn->code.block[i].part >= f->npart)
			DAMAGED(r, "%s has no part %u", fn->name, fn->code.block[i].part);
	}
	mapgraph(r, fn);
}

/* planted - reads the code planted in the function whose record was before. */
static void
planted(Reader *r, const struct Mapplanted *m)
{
	const uint32_t *at = (const uint32_t *)(m + 1), *end;
	size_t left = m->rec.size - sizeof *m;
	Code *c = r->fn ? &r->fn->code : NULL;
	int i;

	if (m->ndistance > left / 4 || m->packed > left - 4ull * m->ndistance || m->n > m->packed)
		DAMAGED(r, "the planted code is truncated");
	if (!c)
		return;
	end = at + m->ndistance;
	c->nplanted = (int)m->n;
	c->planted = anew(r->run, Planted, m->n + 1);
	if (!unpackplanted(c, end, m->packed))
		DAMAGED(r, "the planted code of %s cannot be decoded", r->fn->name);
	for (i = 0; i < c->nplanted; i++) {
		Planted *p = &c->planted[i];
		uint32_t size = formsize(p->form);

		if (end - at < 1 + !size || p->part >= (uint32_t)r->fn->npart
		    || (p->slot != CODENONE && p->slot >= c->nslot))
			DAMAGED(r, "the planted code of %s lies outside it", r->fn->name);
		p->begin = *at++;
		p->end = size ? p->begin + size : *at++;
	}
}

static int
byaddr(const void *a, const void *b)
{
	const Own *x = a, *y = b;

	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* findown - finds where all planted code is. */
static void
findown(Reader *r)
{
	Module *m = r->m;
	size_t cap = 0;
	int f, i;

	for (f = 0; f < m->nfn; f++)
		for (i = 0; i < m->fn[f].code.nplanted; i++) {
			const Planted *p = &m->fn[f].code.planted[i];
			uint64_t from = m->fn[f].part[p->part] + (uint64_t)(int64_t)(int32_t)p->begin;

			apush(r->run, m->own, m->nown, cap);
			m->own[m->nown++] = (Own){from, from + (p->end - p->begin), &m->fn[f], p};
		}
	if (m->nown)
		qsort(m->own, (size_t)m->nown, sizeof *m->own, byaddr);
}

/* source - reads what the C road knows of a text.  Several objects may have the same one. */
static void
source(Reader *r, const struct Mapsource *s)
{
	const char *p = (const char *)(s + 1), *end = (const char *)s + s->rec.size;
	bool shape = s->rec.kind == MAPSHAPE;
	Srctext **list = shape ? &r->m->shape : &r->m->text, *t;
	int *n = shape ? &r->m->nshape : &r->m->ntext, i;

	if ((uint64_t)s->packed + s->text > (uint64_t)(end - p) || s->nfile > s->text
	    || s->nfn > s->text || s->nblock > s->packed || s->npiece > s->packed
	    || s->nterm > s->packed)
		DAMAGED(r, "a source is truncated");
	for (i = 0; i < *n; i++)
		if ((*list)[i].id == s->id)
			return;
	apush(r->run, *list, *n, *(shape ? &r->capshape : &r->captext));
	t = &(*list)[(*n)++];
	*t = (Srctext){.id = s->id,
		       .shape = shape,
		       .nfile = s->nfile,
		       .nfn = s->nfn,
		       .nblock = s->nblock,
		       .npiece = s->npiece,
		       .nterm = s->nterm};
	t->file = strings(r, p + s->packed, s->text, (size_t)s->nfile + s->nfn);
	t->fn = t->file + s->nfile;
	if (!unpacksource(t, p, s->packed, r->run))
		DAMAGED(r, "a source cannot be decoded");
}

/* marks - reads the markers of the function whose record was before. */
static void
marks(Reader *r, const struct Mappacked *m)
{
	if (m->packed > m->rec.size - sizeof *m || m->n > m->packed)
		DAMAGED(r, "marks are truncated");
	if (!r->fn)
		return;
	r->fn->nmarker = (int)m->n;
	r->fn->marker = anew(r->run, Marker, m->n + 1);
	if (!unpackmarkers(r->fn->marker, r->fn->nmarker, r->fn->code.nblock, m + 1, m->packed))
		DAMAGED(r, "the marks of %s cannot be decoded", r->fn->name);
}

/* copies - reads the copies in the function whose record was before. */
static void
copies(Reader *r, const struct Mappacked *c)
{
	if (c->packed > c->rec.size - sizeof *c || c->n > c->packed)
		DAMAGED(r, "copies are truncated");
	if (!r->fn)
		return;
	r->fn->ncopied = (int)c->n;
	r->fn->copied = anew(r->run, Copied, c->n + 1);
	if (!unpackcopies(r->fn->copied, r->fn->ncopied, c + 1, c->packed))
		DAMAGED(r, "the copies in %s cannot be decoded", r->fn->name);
}

/* hints - reads the hints for the function whose record was before. */
static void
hints(Reader *r, const struct Mappacked *h)
{
	if (h->packed > h->rec.size - sizeof *h)
		DAMAGED(r, "hints are truncated");
	if (r->fn && r->fn->g && !unpackhints(r->fn->g, h->n, h + 1, h->packed))
		DAMAGED(r, "the hints of %s cannot be decoded", r->fn->name);
}

/* files - reads the state of files of the unit whose record was before. */
static void
files(Reader *r, const struct Mapfiles *f)
{
	const struct Mapstamp *s = (const void *)(f + 1);
	char **file;
	uint32_t i;

	if (!r->unit || f->nstamp > (f->rec.size - sizeof *f) / sizeof *s)
		DAMAGED(r, "the files of a unit are truncated");
	file = strings(r, (const char *)(r->unit + 1), r->unit->text, r->unit->nfile);
	for (i = 0; i < f->nstamp; i++, s++) {
		if (s->file >= r->unit->nfile)
			DAMAGED(r, "a unit has no file %u", s->file);
		apush(r->run, r->m->stamp, r->m->nstamp, r->m->capstamp);
		r->m->stamp[r->m->nstamp++] = (Stamp){file[s->file], s->size, s->hash};
	}
}

/* named - reads where the function has its name whose record was before. */
static void
named(Reader *r, const struct Maphead *h)
{
	if (!r->fn)
		return;
	if (h->file >= (uint32_t)r->fn->nfile)
		DAMAGED(r, "the name of %s has an invalid file number", r->fn->name);
	r->fn->head = (Head){h->file, h->line, h->column};
}

/* order - notes the number of a unit's word.  The linker may have removed the word. */
static void
order(Reader *r, const struct Maporder *o)
{
	uint64_t at = (o->word - r->m->units) / 4;

	if (o->word < r->m->units || (o->word - r->m->units) % 4 || at >= r->m->nunit)
		return;
	intern(&r->rank, (const char *)&o->unit, sizeof o->unit, (int)at);
}

/* rankunits - gives functions the ranks of their units. */
static void
rankunits(Reader *r)
{
	int i;

	for (i = 0; i < r->m->nfn; i++) {
		Fn *fn = &r->m->fn[i];
		const Entry *e = lookup(&r->rank, (const char *)&fn->unit, sizeof fn->unit);

		fn->rank = e ? r->m->rank[e->value] : 0;
	}
}

static void
records(Reader *r)
{
	size_t at = 0;

	while (at < r->size) {
		const struct Maprec *rec = (const void *)(r->data + at);

		if (r->size - at < sizeof *rec || rec->size < sizeof *rec || rec->size % 8
		    || rec->size > r->size - at)
			DAMAGED(r, "no record at offset %zu", at);
		if (rec->kind == MAPUNIT)
			r->unit = unitat(r, at + r->m->mapat);
		if (rec->kind == MAPFILES && rec->size >= sizeof(struct Mapfiles))
			files(r, (const void *)rec);
		if (rec->kind == MAPFUNC) {
			if (rec->size < sizeof(struct Mapfunc))
				DAMAGED(r, "a function is truncated");
			function(r, (const void *)rec);
		} else if ((rec->kind == MAPSOURCE || rec->kind == MAPSHAPE)
			   && rec->size >= sizeof(struct Mapsource)) {
			source(r, (const void *)rec);
		} else if (rec->kind == MAPMARKS && rec->size >= sizeof(struct Mappacked)) {
			marks(r, (const void *)rec);
		} else if (rec->kind == MAPPLANTED && rec->size >= sizeof(struct Mapplanted)) {
			planted(r, (const void *)rec);
		} else if (rec->kind == MAPHINTS && rec->size >= sizeof(struct Mappacked)) {
			hints(r, (const void *)rec);
		} else if (rec->kind == MAPCOPIES && rec->size >= sizeof(struct Mappacked)) {
			copies(r, (const void *)rec);
		} else if (rec->kind == MAPHEAD && rec->size >= sizeof(struct Maphead)) {
			named(r, (const void *)rec);
		} else if (rec->kind == MAPORDER) {
			if (rec->size < sizeof(struct Maporder))
				DAMAGED(r, "the word of a unit is truncated");
			order(r, (const void *)rec);
		}
		at += rec->size;
	}
}

void
parsemap(Module *m, const char *data, size_t size, uint64_t counters, uint64_t units, uint32_t abi,
	 Arena *run)
{
	Reader r = {.m = m,
		    .run = run,
		    .data = data,
		    .size = size,
		    .counters = counters,
		    .ncount = m->ncount,
		    .abi = abi,
		    .rank = {.arena = run}};

	m->counters = counters;
	m->units = units;
	records(&r);
	rankunits(&r);
	findown(&r);
}

bool
samebuild(const char *path, const uint8_t *id, int idlen)
{
	Arena tmp = {0};
	File *f = openelf(path, &tmp);
	bool same = f && isbuild(f, id, idlen);

	closeelf(f);
	areset(&tmp);
	return same;
}

typedef struct Found Found;

/* What a program contains. */
struct Found {
	const char *data; /* the map */
	size_t size;
	uint64_t counters, ncount, units;
	uint32_t abi; /* of the counters */
	bool same;    /* it is the build in the profile */
	bool runtime;
};

/* istheirs - returns whether a section has the counters, rather than the one found before.  A
 * profile with `want' counters needs a section with so many; else the one for the present version
 * of the runtime is taken. */
static bool
istheirs(const char *name, uint64_t n, uint64_t want, const Found *r, uint32_t *abi)
{
	const char *number = name + strlen(BARESECTION);

	if (strncmp(name, BARESECTION, strlen(BARESECTION)) != 0 || (*number && *number != '_'))
		return false;
	*abi = *number ? (uint32_t)strtoul(number + 1, NULL, 10) : 0;
	return !r->ncount || (want ? n == want && r->ncount != want : *abi == ABI);
}

static Found
findmap(Module *m, Arena *run)
{
	Arena tmp = {0};
	File *f = needelf(m->path, &tmp);
	Found r = {0};
	uint32_t abi;
	int i;

	for (i = 0; i < f->nsect; i++) {
		const Section *s = &f->sect[i];
		const uint8_t *bytes;

		if (s->type == SHT_NOTE)
			r.runtime |= hasnote(s, "tally");
		if (istheirs(s->name, s->size / 8, m->ncount, &r, &abi)) {
			r.abi = abi;
			r.counters = s->addr;
			r.ncount = s->size / 8;
		} else if (strcmp(s->name, ORDERSECTION) == 0) {
			r.units = s->addr;
		} else if (strcmp(s->name, MAPSECTION) == 0 && (bytes = sectionbytes(s, &r.size))) {
			r.data = memcpy(aalloc(run, r.size, 1), bytes, r.size);
			m->mapat = s->addr;
		}
	}
	r.same = isbuild(f, m->id, m->idlen);
	closeelf(f);
	areset(&tmp);
	if (!r.data)
		err(m->path, "has no map: it was not built by tally, or its sections were removed");
	return r;
}

bool
readmap(Module *m, Arena *run)
{
	Found r;

	if (m->map) {
		parsemap(m, m->map, m->maplen, 0, 0, 0, run);
		return samebuild(m->path, m->id, m->idlen);
	}
	r = findmap(m, run);

	if (!r.same || r.ncount != m->ncount)
		return false;
	parsemap(m, r.data, r.size, r.counters, r.units, r.abi, run);
	return true;
}

/* span - takes the place of the counters from the map: a linker script may have put them among
 * other data. */
static void
span(Found *r)
{
	uint64_t begin = UINT64_MAX, end = 0;
	size_t at;

	for (at = 0; r->size - at >= sizeof(struct Mapfunc);) {
		const struct Mapfunc *f = (const void *)(r->data + at);

		if (f->rec.size < sizeof f->rec || f->rec.size % 8 || f->rec.size > r->size - at)
			break;
		at += f->rec.size;
		if (f->rec.kind != MAPFUNC || !f->nslot || !f->counters)
			continue;
		begin = f->counters < begin ? f->counters : begin;
		end = f->counters + 8ull * f->nslot > end ? f->counters + 8ull * f->nslot : end;
	}
	if (begin < end) {
		r->counters = begin;
		r->ncount = (end - begin) / 8;
	}
}

void
ownmap(Module *m, Arena *run)
{
	Found r = findmap(m, run);

	if (!r.ncount)
		span(&r);
	if (r.ncount > MAXCOUNTERS)
		err(m->path, "damaged map: too many counters");
	m->ncount = r.ncount;
	m->runtime = r.runtime;
	parsemap(m, r.data, r.size, r.counters, r.units, r.abi, run);
}
