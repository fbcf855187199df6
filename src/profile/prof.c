/* prof.c - profiles, read and added up; and the solution of what they counted. */

#include "profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct File File;

/* A profile, or a part of one, in memory. */
struct File {
	const char *path;
	const char *data;
	size_t size;
	uint64_t at;       /* where it begins in the file */
	const char *whole; /* the whole file, if it is in memory; else NULL */
	size_t nwhole;
	const struct Profhdr *h;
	bool cut; /* its end is missing */
};

enum { MOSTPACKED = 128 }; /* counters that one byte may stand for; write.c stays below */

#define DAMAGED(f, ...) err((f)->path, "damaged profile: " __VA_ARGS__)

/* pathof - where a module or library is now. */
static const char *
pathof(const Profile *p, const struct Profmodule *m)
{
	const char *path = (const char *)(m + 1);

	return p->finder ? whereis(p->finder, path, m->id, (int)m->idlen) : path;
}

/* moduleof - the module of this path and build, made if need be. */
static Module *
moduleof(Profile *p, const struct Profmodule *m, const char *map)
{
	const char *ran = (const char *)(m + 1), *path = pathof(p, m);
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
	if (strcmp(path, ran) != 0)
		mod->ran = astrndup(p->run, ran, strlen(ran));
	memcpy(mod->id, m->id, sizeof m->id);
	mod->count = anew(p->run, uint64_t, m->ncount);
	if (map) {
		mod->map = memcpy(aalloc(p->run, m->maplen + 1, 1), map, m->maplen);
		mod->maplen = m->maplen;
	}
	return mod;
}

/* recordat - the record at an offset, which must have at least so many bytes. */
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

/* arrayat - *n numbers; in a file that is cut short, *n may become smaller. */
static const uint64_t *
arrayat(const File *f, uint64_t off, uint64_t *n)
{
	uint64_t have = off > f->size ? 0 : (f->size - off) / 8;

	if (off % 8 || (*n > have && !f->cut))
		DAMAGED(f, "the file ends within the counts");
	if (*n > have)
		*n = have;
	return *n ? (const void *)(f->data + off) : NULL;
}

static void
add(const File *f, uint64_t *count, uint64_t n)
{
	if (__builtin_add_overflow(*count, n, count) || *count > INT64_MAX)
		DAMAGED(f, "counts are too large");
}

/* addcounts - adds the counts of a record, in the present chapter. */
static void
addcounts(const File *f, const struct Profcounts *c, Module *mod)
{
	uint64_t off = c->base[f->h->chapter & 1], count = mod->ncount, i;
	const uint64_t *now = arrayat(f, c->counts, &count), *base = NULL;

	if (off)
		base = arrayat(f, off, &count);
	for (i = 0; i < count; i++) {
		uint64_t n = now[i];

		if (base && __builtin_sub_overflow(n, base[i], &n))
			DAMAGED(f, "counts are too large");
		add(f, &mod->count[i], n);
	}
}

/* addpacked - adds the counts of a packed record. */
static void
addpacked(const File *f, const struct Profpacked *c, Module *mod)
{
	uint64_t have = c->packed > f->size ? 0 : f->size - c->packed, i = 0, n;
	Unpacker u;

	if (c->bytes > have && !f->cut)
		DAMAGED(f, "the file ends within the counts");
	u.p = (const uint8_t *)f->data + (have ? c->packed : 0);
	u.end = u.p + (c->bytes < have ? c->bytes : have);
	u.damaged = false;
	while (u.p < u.end && !u.damaged) {
		i += getnumber(&u, mod->ncount - i);
		for (n = getnumber(&u, mod->ncount - i); n > 0 && !u.damaged; n--)
			add(f, &mod->count[i++], getnumber(&u, INT64_MAX));
	}
	if (u.damaged && !f->cut)
		DAMAGED(f, "the packed counts cannot be decoded");
}

/* mapat - the map of a module; in a merged file it may be in another part. */
static const char *
mapat(const File *f, const struct Profmodule *m, Arena *tmp)
{
	uint64_t off = m->map - f->at;
	size_t len = m->maplen;
	const char *map = NULL;

	if (m->map >= f->at && off <= f->size && len <= f->size - off)
		map = f->data + off;
	else if (f->whole && m->map <= f->nwhole && len <= f->nwhole - m->map)
		map = f->whole + m->map;
	else if (!f->whole && len)
		map = readslice(tmp, f->path, m->map, &len);
	if (!map || m->map % 8 || len < m->maplen)
		DAMAGED(f, "the map of %s is truncated", (const char *)(m + 1));
	return map;
}

/* addmodule - adds what the file says of a module. */
static Module *
addmodule(const File *f, const struct Profmodule *m, Profile *p, Arena *tmp)
{
	Module *mod;

	if (m->pathlen >= m->rec.size - sizeof *m || ((const char *)(m + 1))[m->pathlen]
	    || m->idlen > sizeof m->id || m->ncount / MOSTPACKED > f->size)
		DAMAGED(f, "a module is truncated");
	mod = moduleof(p, m, m->map ? mapat(f, m, tmp) : NULL);
	mod->nrun += f->h->runs;
	mod->flags |= f->h->flags & ~(uint32_t)PROFMORE;
	return mod;
}

/* addorder - gives ranks to units that have none, after those of the profiles before; returns the
 * largest rank of the record. */
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

/* number - the entry for what a module has at an address; a new one gets `value'. */
static Entry *
number(Table *t, Profile *p, const Module *m, uint64_t addr, uint64_t what, const void *in,
       int value)
{
	struct {
		uint64_t module, addr, what;
		const void *in;
	} key = {(uint64_t)(m - p->module), addr, what, in};

	t->arena = p->run;
	return intern(t, (const char *)&key, sizeof key, value);
}

/* addcuts - adds the cuts of a record to the modules that they are in. */
static void
addcuts(const File *f, const struct Profcuts *r, Profile *p, const int *module, int n)
{
	uint64_t nword = r->ncut, i;
	const struct Profcut *c;

	if (__builtin_mul_overflow(nword, sizeof *c / 8, &nword))
		DAMAGED(f, "too many cuts");
	c = (const void *)arrayat(f, r->cuts, &nword);
	for (i = 0; i < nword / (sizeof *c / 8); i++) {
		const Entry *e;
		Module *m;

		if (!c[i].times)
			continue;
		if (c[i].module >= (uint32_t)n)
			DAMAGED(f, "cuts of an unknown module");
		m = &p->module[module[c[i].module]];
		e = number(&p->cuts, p, m, c[i].addr, c[i].kind, 0, m->ncut);
		if (e->value == m->ncut) {
			apush(p->run, m->cut, m->ncut, m->capcut);
			m->cut[m->ncut++] = (Modcut){c[i].addr, c[i].kind, 0};
		}
		add(f, &m->cut[e->value].times, c[i].times);
	}
}

/* libraryof - the library of a record. */
static const struct Known *
libraryof(const File *f, const struct Profmodule *m, Profile *p)
{
	Buf key = {.arena = p->run};
	const char *path;
	const Entry *e;
	Library *l;

	if (m->pathlen >= m->rec.size - sizeof *m || ((const char *)(m + 1))[m->pathlen]
	    || m->idlen > sizeof m->id)
		DAMAGED(f, "a library is truncated");
	path = pathof(p, m);
	bput(&key, (const char *)m->id, sizeof m->id);
	bput(&key, path, strlen(path));
	p->libraries.arena = p->run;
	e = intern(&p->libraries, key.s, key.n, p->nlibrary);
	if (e->value == p->nlibrary) {
		l = anew(p->run, Library, 1);
		l->idlen = (int)m->idlen;
		l->path = astrndup(p->run, path, strlen(path));
		memcpy(l->id, m->id, sizeof l->id);
		apush(p->run, p->library, p->nlibrary, p->caplibrary);
		p->library[p->nlibrary++].is = l;
	}
	return &p->library[e->value];
}

/* addcalls - adds the calls of a record to the modules that made them. */
static void
addcalls(const File *f, const struct Profcalls *r, Profile *p, const int *module, int n,
	 const struct Known *library, int nlibrary)
{
	uint64_t nword = r->ncall, i;
	const struct Profcall *c;

	if (__builtin_mul_overflow(nword, sizeof *c / 8, &nword))
		DAMAGED(f, "too many calls");
	c = (const void *)arrayat(f, r->calls, &nword);
	for (i = 0; i < nword / (sizeof *c / 8); i++) {
		uint64_t times = c[i].times - c[i].base[f->h->chapter & 1];
		const Library *in =
			c[i].object < (uint32_t)nlibrary ? library[c[i].object].is : NULL;
		const Entry *e;
		Module *m;

		if (!c[i].target || !times)
			continue;
		if (c[i].module >= (uint32_t)n)
			DAMAGED(f, "calls by an unknown module");
		m = &p->module[module[c[i].module]];
		e = number(&p->calls, p, m, c[i].site, c[i].callee, in, m->ncall);
		if (e->value == m->ncall) {
			apush(p->run, m->call, m->ncall, m->capcall);
			m->call[m->ncall++] =
				(Modcall){.site = c[i].site, .callee = c[i].callee, .in = in};
		}
		add(f, &m->call[e->value].times, times);
	}
}

/* addheader - adds a header to the sum of all headers. */
static void
addheader(const File *f, Profile *p, const int *module, int n)
{
	const struct Profhdr *h = f->h;
	struct Profhdr *all = &p->all;
	int k;

	all->flags |= h->flags & ~(uint32_t)PROFMORE;
	if (f->cut)
		all->flags |= PROFLOST;
	all->runs += h->runs;
	for (k = 0; k < NENDING; k++)
		all->endings[k] += h->endings[k];
	if (h->begun && (!all->begun || h->begun < all->begun))
		all->begun = h->begun;
	if (h->ended > all->ended)
		all->ended = h->ended;
	if (h->endings[ENDEXIT] || h->endings[ENDFAILED])
		all->status = h->status;
	if (h->signal) {
		all->signal = h->signal;
		all->module = h->module && h->module <= (uint32_t)n
				      ? (uint32_t)module[h->module - 1] + 1
				      : 0;
		all->kind = h->kind;
		all->place = h->place;
	}
}

/* addendings - adds how the processes ended; their program is the first module. */
static void
addendings(const File *f, Profile *p, const int *module, int n)
{
	Module *m = &p->module[module[0]];
	int k;

	for (k = 0; k < NENDING; k++)
		m->endings[k] += f->h->endings[k];
	for (k = 0; k < n; k++)
		p->module[module[k]].inflight |= f->h->endings[ENDGONE] > 0;
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

/* addtimes - adds how long functions took. */
static void
addtimes(const File *f, const struct Proftimes *r, const Profile *p, Module *m)
{
	uint64_t n = (uint64_t)r->ntime * (sizeof(struct Proftime) / 8), i;
	const struct Proftime *t = (const void *)arrayat(f, r->times, &n);
	int k;

	m->stops.wall = r->wall;
	m->stops.cpu = r->cpu;
	m->stops.stops += r->stops;
	for (i = 0; i < n / (sizeof *t / 8); i++) {
		for (k = 0; k < m->ntime && m->time[k].addr != t[i].addr; k++)
			;
		if (k == m->ntime) {
			apush(p->run, m->time, m->ntime, m->captime);
			m->time[m->ntime++] = (struct Proftime){.addr = t[i].addr};
		}
		m->time[k].calls += t[i].calls;
		m->time[k].wall += t[i].wall;
		m->time[k].cpu += t[i].cpu;
		m->time[k].selfwall += t[i].selfwall;
		m->time[k].selfcpu += t[i].selfcpu;
	}
}

/* addfile - adds the modules and counts of a profile. */
static void
addfile(const File *f, Profile *p)
{
	int *module = NULL; /* by number in the file */
	struct Known *library = NULL;
	size_t cap = 0, caplibrary = 0;
	int n = 0, nlibrary = 0;
	uint64_t at, next;
	const struct Profcuts *cuts = NULL;
	uint64_t last = 0, rank;
	const struct Profcalls *calls = NULL;
	Arena tmp = {0};

	for (at = f->h->first; at; at = next) {
		const struct Profrec *r = recordat(f, at, sizeof *r);

		next = r->next;
		if (next && next <= at)
			DAMAGED(f, "its records form a cycle");
		if (r->kind == PROFMODULE) {
			recordat(f, at, sizeof(struct Profmodule) + 1);
			apush(p->run, module, n, cap);
			module[n++] = (int)(addmodule(f, (const void *)r, p, &tmp) - p->module);
			areset(&tmp);
		} else if (r->kind == PROFCOUNTS) {
			const struct Profcounts *c = (const void *)r;

			recordat(f, at, sizeof *c);
			if (c->module >= (uint32_t)n)
				DAMAGED(f, "counts of an unknown module");
			addcounts(f, c, &p->module[module[c->module]]);
		} else if (r->kind == PROFPACKED) {
			const struct Profpacked *c = (const void *)r;

			recordat(f, at, sizeof *c);
			if (c->module >= (uint32_t)n)
				DAMAGED(f, "counts of an unknown module");
			addpacked(f, c, &p->module[module[c->module]]);
		} else if (r->kind == PROFORDER) {
			const struct Proforder *o = (const void *)r;

			recordat(f, at, sizeof *o);
			if (o->module >= (uint32_t)n)
				DAMAGED(f, "the order of an unknown module");
			rank = addorder(f, o, p, &p->module[module[o->module]]);
			last = rank > last ? rank : last;
		} else if (r->kind == PROFTIMES) {
			const struct Proftimes *t = (const void *)r;

			recordat(f, at, sizeof *t);
			if (t->module >= (uint32_t)n)
				DAMAGED(f, "times of an unknown module");
			addtimes(f, t, p, &p->module[module[t->module]]);
		} else if (r->kind == PROFCUTS) {
			recordat(f, at, sizeof *cuts);
			cuts = (const void *)r;
		} else if (r->kind == PROFCALLS) {
			recordat(f, at, sizeof *calls);
			calls = (const void *)r;
		} else if (r->kind == PROFOBJECT) {
			recordat(f, at, sizeof(struct Profmodule) + 1);
			apush(p->run, library, nlibrary, caplibrary);
			library[nlibrary++] = *libraryof(f, (const void *)r, p);
		}
	}
	p->rank += last;
	addheader(f, p, module, n);
	if (n)
		addendings(f, p, module, n);
	if (cuts) /* all modules are known now */
		addcuts(f, cuts, p, module, n);
	if (calls)
		addcalls(f, calls, p, module, n, library, nlibrary);
}

/* addpart - adds a part in memory.  If `added', its last chapter is in a sum already, and its
 * process ended before it could note that. */
static void
addpart(Profile *p, File f, bool added)
{
	struct Profhdr h;

	if (f.size < sizeof h || memcmp(f.data, PROFMAGIC, 8) != 0)
		err(f.path, "is not a profile");
	memcpy(&h, f.data, sizeof h);
	f.h = &h;
	f.cut = h.size > f.size;
	if (f.cut)
		remark("%s: is truncated: counts are missing", f.path);
	h.chapter += added;
	addfile(&f, p);
}

uint64_t
endofpart(const char *path, const struct Profhdr *h, uint64_t at, uint64_t size)
{
	if (!(h->flags & PROFMORE))
		return size;
	if (h->size < sizeof *h || h->size % 8 || h->size > size - at
	    || size - at - h->size < sizeof *h)
		err(path, "damaged profile: no sum follows the one at offset %llu",
		    (unsigned long long)at);
	return at + h->size;
}

void
parseprofile(Profile *p, const char *path, const char *data, size_t size)
{
	uint64_t at = 0, end;
	struct Profhdr h;
	File f;

	do {
		if (size - at < sizeof h)
			err(path, "is not a profile");
		memcpy(&h, data + at, sizeof h);
		end = endofpart(path, &h, at, size);
		f = (File){.path = path,
			   .data = data + at,
			   .size = end - at,
			   .at = at,
			   .whole = data,
			   .nwhole = size};
		addpart(p, f, false);
		at = end;
	} while (at < size);
}

void
readpart(Profile *p, const Portion *part)
{
	Arena tmp = {0};
	File f = {.path = part->path, .size = part->size, .at = part->at};

	f.data = readslice(&tmp, part->path, part->at, &f.size);
	addpart(p, f, part->added);
	areset(&tmp);
}

static Flow *
solvefn(const Module *m, const Fn *fn, Arena *run)
{
	Cut *cut = anew(run, Cut, fn->ncut);
	Flow *flow;
	int i, n = 0;

	for (i = 0; i < fn->ncut; i++) {
		const Fncut *c = &fn->cut[i];

		if (!c->inflow)
			continue;
		cut[n++] = (Cut){.where = c->after ? tail(c->block) : head(c->block),
				 .left = c->left,
				 .entered = c->entered};
	}
	flow = solve(fn->g, fn->plan, m->count + fn->first, cut, n, run);
	for (i = 0; i < fn->g->nedge; i++) /* more control came from there than went there */
		if (fn->g->edge[i].net && (int64_t)flow->count[edgeplace(fn->g, i)] < 0)
			flow->count[edgeplace(fn->g, i)] = 0;
	return flow;
}

/* nonnegative - replaces negative counts by 0; flow->bad says that they contradict each other. */
static void
nonnegative(const Graph *g, Flow *flow)
{
	int p;

	for (p = 0; flow->bad && p < nplace(g); p++)
		if (flow->count[p] > INT64_MAX)
			flow->count[p] = 0;
}

/* hascounted - returns whether any counter of a function is not 0. */
static bool
hascounted(const Module *m, const Fn *fn)
{
	int i;

	for (i = 0; i < fn->nslot; i++)
		if (m->count[fn->first + (uint64_t)i])
			return true;
	return false;
}

/* isopen - returns whether control can reach the first code of a function without passing a
 * counter. */
static bool
isopen(const Fn *fn)
{
	int k;

	for (k = fn->g->outat[ENTRY]; k < fn->g->outat[ENTRY + 1]; k++)
		if (fn->plan->slot[edgeplace(fn->g, fn->g->out[k].edge)] == NOSLOT
		    && fn->plan->slot[fn->g->out[k].block] == NOSLOT)
			return fn->plan->slot[ENTRY] == NOSLOT;
	return false;
}

/* mayrun - returns whether a function may have been active at some moment: a counter of it is not
 * 0, or control can reach its first code without passing one. */
static bool
mayrun(const Module *m, const Fn *fn)
{
	return fn->npart && (hascounted(m, fn) || isopen(fn));
}

/* isdoubtful - returns whether what happened to the process may have made a function's counts
 * wrong.  If threads shared counters, each function that counted may have lost a count.  If it is
 * unknown which functions were active when frames were left or entered, each function that may have
 * run is in doubt.  If counts were lost, all functions are. */
static bool
isdoubtful(const Module *m, const Fn *fn)
{
	const uint32_t active = PROFFORKED | PROFMIDWAY | PROFALIVE | PROFLOSTCUTS;
	const uint32_t any = PROFLOST | PROFGS | PROFEVICTED;

	if (fn->doubtful || (m->flags & any))
		return true;
	if (((m->flags & active) || m->switched) && mayrun(m, fn))
		return true;
	return (m->flags & PROFTHREADS) && hascounted(m, fn);
}

void
findswitched(Module *module, int n)
{
	bool any = false;
	int i, k;

	for (i = 0; i < n; i++)
		for (k = 0; k < module[i].nfn; k++)
			any |= module[i].fn[k].switches && hascounted(&module[i], &module[i].fn[k]);
	for (i = 0; i < n; i++)
		module[i].switched = any;
}

/* isbalanced - returns whether main, whose calls are counted apart, returned as often as it was
 * called: then no frame of it was left. */
static bool
isbalanced(const Module *m, const Fn *fn)
{
	return fn->check && fn->check->slot[ENTRY] != NOSLOT
	       && m->count[fn->first + fn->code.block[ENTRY].check] == fn->flow->count[ENTRY];
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

		if (!fn->g || fn->skip)
			continue;
		fn->flow = solvefn(m, fn, run);
		nonnegative(fn->g, fn->flow);
	}
	if ((m->flags & PROFOWNCALLS) && clonesitself(m, run))
		m->flags |= PROFTHREADS;
	for (i = 0; i < m->nfn; i++) {
		Fn *fn = &m->fn[i];

		if (!fn->flow)
			continue;
		if (fn->doubtful && isbalanced(m, fn))
			fn->doubtful = false;
		fn->doubtful = isdoubtful(m, fn);
		fn->inflight = !fn->doubtful && m->inflight && !fn->live && mayrun(m, fn);
		fn->doubtful |= fn->inflight;
		m->nbad += fn->flow->bad > 0 && !fn->doubtful;
		fn->doubtful |= fn->flow->bad > 0;
		if (fn->check && fn->check->slot[ENTRY] != NOSLOT
		    && (strcmp(fn->name, "main") == 0 || strcmp(fn->name, "PASCALMAIN") == 0))
			m->midcall |= m->count[fn->first + fn->code.block[ENTRY].check]
				      != fn->flow->count[ENTRY];
	}
}
