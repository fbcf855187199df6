/* prof.c - read profiles, add them up, solve them. */

#include "profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct File File;

/* A profile in memory. */
struct File {
	const char *path;
	const char *data;
	size_t size;
	const struct Profhdr *h;
	bool cut; /* its end is missing */
};

#define DAMAGED(f, ...) err((f)->path, "damaged profile: " __VA_ARGS__)

/* moduleof - the module of this path and build, new if need be. */
static Module *
moduleof(Profile *p, const struct Profmodule *m, const char *map)
{
	const char *path = (const char *)(m + 1);
	Module *mod;
	int i;

	for (i = 0; i < p->nmodule; i++) {
		mod = &p->module[i];
		if (strcmp(mod->path, path) == 0 && mod->idlen == (int)m->idlen
		    && memcmp(mod->id, m->id, sizeof m->id) == 0 && mod->ncount == m->ncount
		    && !mod->map == !map
		    && (!map
			|| (mod->maplen == m->maplen && memcmp(mod->map, map, m->maplen) == 0)))
			return mod;
	}
	apush(p->run, p->module, p->nmodule, p->capmodule);
	mod = &p->module[p->nmodule++];
	*mod = (Module){.path = astrndup(p->run, path, strlen(path)),
			.idlen = (int)m->idlen,
			.ncount = m->ncount};
	memcpy(mod->id, m->id, sizeof m->id);
	mod->count = anew(p->run, uint64_t, m->ncount);
	if (map) {
		mod->map = memcpy(aalloc(p->run, m->maplen + 1, 1), map, m->maplen);
		mod->maplen = m->maplen;
	}
	return mod;
}

/* recordat - the record there; it must have at least that many bytes. */
static const struct Profrec *
recordat(const File *f, uint64_t off, size_t least)
{
	const struct Profrec *r = NULL;

	if (off % 8 == 0 && off >= sizeof *f->h && off <= f->size && f->size - off >= sizeof *r)
		r = (const void *)(f->data + off);
	if (!r || r->size > f->size - off || r->size < least)
		DAMAGED(f, "no record at offset %llu", (unsigned long long)off);
	return r;
}

/* arrayat - *n numbers; of a file that is cut short maybe fewer. */
static const uint64_t *
arrayat(const File *f, uint64_t off, uint64_t *n)
{
	uint64_t have = off > f->size ? 0 : (f->size - off) / 8;

	if (off % 8 || (*n > have && !f->cut))
		DAMAGED(f, "it ends among its counts");
	if (*n > have)
		*n = have;
	return *n ? (const void *)(f->data + off) : NULL;
}

/* addcounts - those of a record, in the chapter that is being counted. */
static void
addcounts(const File *f, const struct Profcounts *c, Module *mod)
{
	uint64_t off = c->base[f->h->chapter & 1], count = mod->ncount, i;
	const uint64_t *now = arrayat(f, c->counts, &count), *base = NULL;

	if (off)
		base = arrayat(f, off, &count);
	for (i = 0; i < count; i++) {
		uint64_t n = now[i];

		if ((base && __builtin_sub_overflow(n, base[i], &n))
		    || __builtin_add_overflow(mod->count[i], n, &mod->count[i])
		    || mod->count[i] > INT64_MAX)
			DAMAGED(f, "counts are too large");
	}
}

/* addmodule - what the file says of a module. */
static Module *
addmodule(const File *f, const struct Profmodule *m, Profile *p)
{
	Module *mod;

	if (m->pathlen >= m->rec.size - sizeof *m || ((const char *)(m + 1))[m->pathlen]
	    || m->idlen > sizeof m->id || m->ncount > f->size / 8 || m->map % 8 || m->map > f->size
	    || m->maplen > f->size - m->map)
		DAMAGED(f, "a module is cut short");
	mod = moduleof(p, m, m->map ? f->data + m->map : NULL);
	mod->nrun += (int)f->h->runs;
	mod->flags |= f->h->flags;
	return mod;
}

/* addorder - the ranks of a record to units that have none, behind those of the profiles
 * before; returns the largest. */
static uint64_t
addorder(const File *f, const struct Proforder *o, const Profile *p, Module *mod)
{
	uint64_t n = o->nunit, last = 0, i;
	const uint64_t *rank = arrayat(f, o->ranks, &n);

	if (o->nunit > f->size / 8 || (mod->rank && mod->nunit != o->nunit))
		DAMAGED(f, "the order of %u units", o->nunit);
	if (!mod->rank)
		mod->rank = anew(p->run, uint64_t, o->nunit);
	mod->nunit = o->nunit;
	for (i = 0; i < n; i++) {
		if (rank[i] > UINT64_MAX / 2 - p->rank)
			DAMAGED(f, "ranks are too large");
		if (rank[i] && !mod->rank[i])
			mod->rank[i] = p->rank + rank[i];
		last = rank[i] > last ? rank[i] : last;
	}
	return last;
}

/* addcuts - of a record, to the modules that they are in. */
static void
addcuts(const File *f, const struct Profcuts *r, Profile *p, const int *module, int n)
{
	uint64_t nword = r->ncut, i;
	const struct Profcut *c;

	if (__builtin_mul_overflow(nword, sizeof *c / 8, &nword))
		DAMAGED(f, "too many cuts");
	c = (const void *)arrayat(f, r->cuts, &nword);
	for (i = 0; i < nword / (sizeof *c / 8); i++) {
		Module *m;

		if (!c[i].times)
			continue;
		if (c[i].module >= (uint32_t)n)
			DAMAGED(f, "cuts of no module");
		m = &p->module[module[c[i].module]];
		apush(p->run, m->cut, m->ncut, m->capcut);
		m->cut[m->ncut++] = (Modcut){c[i].addr, c[i].kind, c[i].times};
	}
}

/* libraryof - a record of one. */
static Library
libraryof(const File *f, const struct Profmodule *m, Arena *run)
{
	Library l = {.idlen = (int)m->idlen};

	if (m->pathlen >= m->rec.size - sizeof *m || ((const char *)(m + 1))[m->pathlen]
	    || m->idlen > sizeof m->id)
		DAMAGED(f, "a library is cut short");
	l.path = astrndup(run, (const char *)(m + 1), m->pathlen);
	memcpy(l.id, m->id, sizeof l.id);
	return l;
}

/* addcalls - of a record, to the modules that made them. */
static void
addcalls(const File *f, const struct Profcalls *r, Profile *p, const int *module, int n,
	 const Library *library, int nlibrary)
{
	uint64_t nword = r->ncall, i;
	const struct Profcall *c;

	if (__builtin_mul_overflow(nword, sizeof *c / 8, &nword))
		DAMAGED(f, "too many calls");
	c = (const void *)arrayat(f, r->calls, &nword);
	for (i = 0; i < nword / (sizeof *c / 8); i++) {
		uint64_t times = c[i].times - c[i].base[f->h->chapter & 1];
		Module *m;

		if (!c[i].target || !times)
			continue;
		if (c[i].module >= (uint32_t)n)
			DAMAGED(f, "calls by no module");
		if (times > INT64_MAX)
			DAMAGED(f, "counts are too large");
		m = &p->module[module[c[i].module]];
		apush(p->run, m->call, m->ncall, m->capcall);
		m->call[m->ncall++] = (Modcall){
			.site = c[i].site,
			.callee = c[i].callee,
			.in = c[i].object < (uint32_t)nlibrary ? &library[c[i].object] : NULL,
			.times = times};
	}
}

/* addendings - how its processes ended; the first module is their program. */
static void
addendings(const File *f, Profile *p, const int *module, int n)
{
	Module *m = &p->module[module[0]];
	int k;

	for (k = 0; k < NENDING; k++)
		m->endings[k] += f->h->endings[k];
	if (f->h->endings[ENDEXIT] || f->h->endings[ENDFAILED])
		m->status = f->h->status;
	if (!f->h->signal)
		return;
	m->signal = (int)f->h->signal;
	if (f->h->module && f->h->module <= (uint32_t)n) {
		Module *in = &p->module[module[f->h->module - 1]];

		in->died = true;
		in->place = (Modcut){f->h->place, f->h->kind, 1};
	}
}

/* addfile - the modules and counts of a profile. */
static void
addfile(const File *f, Profile *p)
{
	int *module = NULL; /* by number in the file */
	Library *library = NULL;
	size_t cap = 0, caplibrary = 0;
	int n = 0, nlibrary = 0;
	uint64_t at, next;
	const struct Profcuts *cuts = NULL;
	uint64_t last = 0, rank;
	const struct Profcalls *calls = NULL;

	for (at = f->h->first; at; at = next) {
		const struct Profrec *r = recordat(f, at, sizeof *r);

		next = r->next;
		if (next && next <= at)
			DAMAGED(f, "its records go round");
		if (r->kind == PROFMODULE) {
			recordat(f, at, sizeof(struct Profmodule) + 1);
			apush(p->run, module, n, cap);
			module[n++] = (int)(addmodule(f, (const void *)r, p) - p->module);
		} else if (r->kind == PROFCOUNTS) {
			const struct Profcounts *c = (const void *)r;

			recordat(f, at, sizeof *c);
			if (c->module >= (uint32_t)n)
				DAMAGED(f, "counts of no module");
			addcounts(f, c, &p->module[module[c->module]]);
		} else if (r->kind == PROFORDER) {
			const struct Proforder *o = (const void *)r;

			recordat(f, at, sizeof *o);
			if (o->module >= (uint32_t)n)
				DAMAGED(f, "the order of no module");
			rank = addorder(f, o, p, &p->module[module[o->module]]);
			last = rank > last ? rank : last;
		} else if (r->kind == PROFCUTS) {
			recordat(f, at, sizeof *cuts);
			cuts = (const void *)r;
		} else if (r->kind == PROFCALLS) {
			recordat(f, at, sizeof *calls);
			calls = (const void *)r;
		} else if (r->kind == PROFOBJECT) {
			recordat(f, at, sizeof(struct Profmodule) + 1);
			apush(p->run, library, nlibrary, caplibrary);
			library[nlibrary++] = libraryof(f, (const void *)r, p->run);
		}
	}
	p->rank += last;
	if (n)
		addendings(f, p, module, n);
	if (cuts) /* all modules are known */
		addcuts(f, cuts, p, module, n);
	if (calls)
		addcalls(f, calls, p, module, n, library, nlibrary);
}

bool
readlast(Profile *p, const char *path)
{
	char data[sizeof(struct Profhdr)];
	FILE *f = fopen(path, "rb");
	struct Profhdr h;
	size_t size;

	if (!f)
		syserr("open %s", path);
	size = fread(data, 1, sizeof data, f);
	fclose(f);
	if (!size || !data[0])
		return false;
	if (size < sizeof h || memcmp(data, PROFMAGIC, 8) != 0)
		return true;
	memcpy(&h, data, sizeof h);
	if (!(h.flags & PROFSUM) || !h.lastserial)
		return true;
	apush(p->run, p->last, p->nlast, p->caplast);
	p->last[p->nlast++] = (Last){.serial = h.lastserial, .chapter = h.lastchapter};
	return true;
}

void
parseprofile(Profile *p, const char *path, const char *data, size_t size)
{
	File f = {.path = path, .data = data, .size = size};
	struct Profhdr h;
	int i;

	if (size < sizeof h || memcmp(data, PROFMAGIC, 8) != 0)
		err(path, "is not a profile");
	memcpy(&h, data, sizeof h);
	f.h = &h;
	f.cut = h.size > size;
	if (f.cut)
		remark("%s: is cut short: counts are missing", path);
	for (i = 0; !(h.flags & PROFSUM) && i < p->nlast; i++)
		if (p->last[i].serial == h.serial && p->last[i].chapter == h.chapter) {
			if (h.state == PROFCLOSED)
				return; /* it is in a sum */
			h.chapter++;    /* its process ended before it could say so */
		}
	addfile(&f, p);
}

void
readprofile(Profile *p, const char *path)
{
	Arena tmp = {0};
	size_t size;
	const char *data = readfile(&tmp, path, &size);

	parseprofile(p, path, data, size);
	areset(&tmp);
}

static Flow *
solvefn(const Module *m, const Fn *fn, Arena *run)
{
	Cut *cut = anew(run, Cut, fn->ncut);
	int i, n = 0;

	for (i = 0; i < fn->ncut; i++) {
		const Fncut *c = &fn->cut[i];

		if (!c->inflow)
			continue;
		cut[n++] = (Cut){.where = c->behind ? tail(c->block) : head(c->block),
				 .left = c->left,
				 .entered = c->entered};
	}
	return solve(fn->g, fn->plan, m->count + fn->first, cut, n, run);
}

static int
bysite(const void *a, const void *b)
{
	const Modcall *x = a, *y = b;

	return x->site < y->site ? -1 : x->site > y->site;
}

void
solvemodule(Module *m, Arena *run)
{
	int i;

	if (m->ncall)
		qsort(m->call, (size_t)m->ncall, sizeof *m->call, bysite);
	findcuts(m, run);
	for (i = 0; i < m->nfn; i++) {
		Fn *fn = &m->fn[i];

		if (!fn->g)
			continue;
		fn->flow = solvefn(m, fn, run);
		m->nbad += fn->flow->bad > 0;
		if (fn->check && fn->check->slot[ENTRY] != NOSLOT
		    && (strcmp(fn->name, "main") == 0 || strcmp(fn->name, "PASCALMAIN") == 0))
			m->midcall |= m->count[fn->first + fn->code.block[ENTRY].check]
				      != fn->flow->count[ENTRY];
	}
	countsources(m, run);
}
