/* fold.h - add a profile to the sum of its program and label, so that ten thousand runs leave one
 * file.
 *
 * Each process counts in a file of its own, PROGRAM.PID.tally.  When it ends, the file is added to
 * PROGRAM-HASH.tally, the sum of all runs of this build, and removed.  Files that killed processes
 * left are added by the next process of the program that starts (sweep).
 *
 * All of this is done under a lock on the directory.  A process may still be killed at any moment,
 * and nothing may be added twice or lost.  So the sum is never changed: a new file replaces it, by
 * rename, and names what was added last (lastserial, lastchapter).  If the process dies between
 * that and the removal of what it added, the next one finds it named there, and only removes it
 * (settle).
 *
 * Anybody who can write to the directory may have left anything there under any name.  So the
 * directory is opened once for all that is done under the lock, and names are looked up in it; only
 * regular files are opened, links are not followed, and what is written is a new file. */

#ifndef FOLD_H
#define FOLD_H

#include "base/hash.h"
#include "layout/layout.h"
#include "sys.h"

enum { LOCKTRIES = 200 };

typedef struct Dir Dir;

/* The profile directory. */
struct Dir {
	char path[4096]; /* absolute, if that could be found out */
	long fd, lock;   /* descriptors of the directory and of its lock; while locked */
};

/* inside - the path of a file in the directory, in a static buffer. */
static const char *
inside(const Dir *d, const char *name, const char *suffix)
{
	static char path[4400];

	path[0] = 0;
	append(path, sizeof path, d->path);
	append(path, sizeof path, "/");
	append(path, sizeof path, name);
	append(path, sizeof path, suffix);
	return path;
}

/* openlock - open the lock file of an open directory; create it if there is none. */
static long
openlock(long dir)
{
	long fd = openregular(dir, ".lock", O_RDWR);

	if (fd == ABSENT)
		fd = makefile(dir, ".lock");
	return fd == EXISTS ? openregular(dir, ".lock", O_RDWR) : fd;
}

/* unlock - release the lock explicitly, since a child may have the file open, too. */
static void
unlock(Dir *d)
{
	if (d->lock >= 0) {
		SYS(__NR_flock, d->lock, 8 /* LOCK_UN */, 0);
		SYS(__NR_close, d->lock, 0, 0);
	}
	if (d->fd >= 0)
		SYS(__NR_close, d->fd, 0, 0);
}

/* lock - lock the directory, for writing: 0; -1 if others hold the lock for long.  Invariant 12
 * needs it. */
static int
lock(Dir *d, int tries)
{
	static const long wait[2] = {0, 1000000};

	d->fd = SYS(__NR_open, d->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	d->lock = d->fd < 0 ? d->fd : openlock(d->fd);
	if (d->lock < 0) {
		unlock(d);
		return -1;
	}
	while (SYS(__NR_flock, d->lock, 2 | 4 /* LOCK_EX | LOCK_NB */, 0) != 0)
		if (--tries <= 0) {
			unlock(d);
			return -1;
		} else {
			SYS(__NR_nanosleep, wait, 0, 0);
		}
	return 0;
}

/* drop - remove a file in the directory.  requires: lock. */
static long
drop(const Dir *d, const char *name)
{
	return SYS(__NR_unlinkat, d->fd, name, 0);
}

/* at - the record at an offset of a profile of that size; NULL if there is none. */
static const struct Profrec *
at(const struct Profhdr *h, size_t size, uint64_t off)
{
	const struct Profrec *r;

	if (off < sizeof *h || off % 8 || off > size || size - off < sizeof *r)
		return NULL;
	r = (const void *)((const char *)h + off);
	return r->size < sizeof *r || r->size > size - off ? NULL : r;
}

/* next - the record after r; NULL if r is the last. */
static const struct Profrec *
next(const struct Profhdr *h, size_t size, const struct Profrec *r)
{
	return r->next > (uint64_t)((const char *)r - (const char *)h) ? at(h, size, r->next)
								       : NULL;
}

/* isprofile - whether size bytes are one profile that we understand. */
static int
isprofile(const struct Profhdr *h, size_t size)
{
	return h && size >= sizeof *h && same(h->magic, PROFMAGIC, 8) && h->size <= size
	       && !(h->flags & PROFMORE);
}

typedef struct View View;

/* A profile, mapped, and its modules. */
struct View {
	struct Profhdr *h;
	size_t size;
	const struct Profmodule **module;
	int nmodule;
	const char *label;
	int inside; /* it lies in memory that belongs to another View: don't unmap */
};

/* unview - unmap a profile and the table of its modules. */
static void
unview(View *v)
{
	if (v->module)
		SYS(__NR_munmap, v->module, (size_t)v->nmodule * sizeof *v->module, 0);
	v->module = NULL;
	if (!v->inside)
		SYS(__NR_munmap, v->h, v->size, 0);
}

/* viewmodules - make the table of modules; 0 or -1. */
static int
viewmodules(View *v)
{
	long map = sys(__NR_mmap, 0, v->nmodule * (long)sizeof *v->module, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const struct Profrec *r;
	int n = 0;

	if (map < 0 && map > -4096)
		return -1;
	v->module = (const struct Profmodule **)map; /* NOLINT(performance-no-int-to-ptr) */
	for (r = at(v->h, v->size, v->h->first); r; r = next(v->h, v->size, r))
		if (r->kind == PROFMODULE)
			v->module[n++] = (const void *)r;
	return 0;
}

/* labelof - the label of the current chapter; NULL if the profile is damaged. */
static const char *
labelof(const struct Profhdr *h, size_t size)
{
	uint64_t far = h->far[h->chapter & 1], i;

	if (!far)
		return h->label[h->chapter & 1];
	for (i = far; i < size; i++)
		if (!((const char *)h)[i])
			return (const char *)h + far;
	return NULL;
}

/* view - check a profile of that size, and find its modules: 0; -1 if it is damaged, 1 if it has no
 * modules. */
static int
view(View *v, struct Profhdr *h, size_t size)
{
	const struct Profrec *r;
	uint64_t off;

	*v = (View){.h = h, .size = size};
	if (!isprofile(h, size) || !(v->label = labelof(h, size)))
		return -1;
	for (off = h->first; off; off = r->next) {
		const struct Profmodule *m;

		r = at(h, size, off);
		if (!r || (r->next && r->next <= off)
		    || (r->kind == PROFCOUNTS && r->size < sizeof(struct Profcounts))
		    || (r->kind == PROFCUTS && r->size < sizeof(struct Profcuts))
		    || (r->kind == PROFORDER && r->size < sizeof(struct Proforder)))
			return -1;
		if (r->kind != PROFMODULE)
			continue;
		m = (const void *)r;
		if (r->size <= sizeof *m || m->ncount > size / 8
		    || m->pathlen >= r->size - sizeof *m || ((const char *)(m + 1))[m->pathlen])
			return -1;
		v->nmodule++;
	}
	return v->nmodule ? viewmodules(v) : 1;
}

/* arrayat - n numbers at an offset of the profile; NULL if it does not hold them. */
static const uint64_t *
arrayat(const View *v, uint64_t off, uint64_t n)
{
	return off && off % 8 == 0 && off <= v->size && n <= (v->size - off) / 8
		       ? (const void *)((const char *)v->h + off)
		       : NULL;
}

/* addcounts - add the counts of module k, of this chapter, from number `begin' on, to total[]. */
static void
addcounts(const View *v, int k, uint64_t begin, uint64_t *total, uint64_t n)
{
	const struct Profrec *r;
	uint64_t i;

	for (r = at(v->h, v->size, v->h->first); r; r = next(v->h, v->size, r)) {
		const struct Profcounts *c = (const void *)r;
		const uint64_t *now, *base;

		if (r->kind != PROFCOUNTS || c->module != (uint32_t)k)
			continue;
		now = arrayat(v, c->counts, v->module[k]->ncount);
		base = arrayat(v, c->base[v->h->chapter & 1], v->module[k]->ncount);
		for (i = 0; now && i < n; i++)
			total[i] += now[begin + i] - (base ? base[begin + i] : 0);
	}
}

/* cutsof - the table of cuts; NULL if there is none. */
static const struct Profcut *
cutsof(const View *v, uint64_t *n)
{
	const struct Profrec *r;

	*n = 0;
	for (r = v ? at(v->h, v->size, v->h->first) : NULL; r; r = next(v->h, v->size, r)) {
		const struct Profcuts *c = (const void *)r;

		if (r->kind == PROFCUTS && c->cuts % 8 == 0 && c->cuts <= v->size
		    && c->ncut <= (v->size - c->cuts) / sizeof(struct Profcut)) {
			*n = c->ncut;
			return (const void *)((const char *)v->h + c->cuts);
		}
	}
	return NULL;
}

/* samecut - the entry of a table for the same cut as c; NULL if there is none. */
static const struct Profcut *
samecut(const struct Profcut *table, uint64_t n, const struct Profcut *c)
{
	uint64_t i;

	for (i = 0; i < n; i++)
		if (table[i].times && table[i].addr == c->addr && table[i].module == c->module
		    && table[i].kind == c->kind)
			return &table[i];
	return NULL;
}

/* ranksof - the ranks of the units of module k; NULL if they are not recorded. */
static const uint64_t *
ranksof(const View *v, int k, uint32_t *n)
{
	const struct Profrec *r;

	for (r = v ? at(v->h, v->size, v->h->first) : NULL; r; r = next(v->h, v->size, r)) {
		const struct Proforder *o = (const void *)r;

		if (r->kind != PROFORDER || o->module != (uint32_t)k)
			continue;
		*n = o->nunit;
		return arrayat(v, o->ranks, o->nunit);
	}
	return NULL;
}

enum { MAXOBJECTS = 512 };

typedef struct Calls Calls;

/* The calls through pointers of one or two profiles. */
struct Calls {
	const struct Profmodule *object[MAXOBJECTS];
	uint32_t nobject;
	struct Profcall *call; /* hash table; entries with target 0 are free */
	uint64_t cap;          /* its size, a power of two */
	uint64_t n;
};

/* callsof - the table of calls through pointers; NULL if there is none. */
static struct Profcall *
callsof(const View *v, uint64_t *n)
{
	const struct Profrec *r;

	*n = 0;
	for (r = v ? at(v->h, v->size, v->h->first) : NULL; r; r = next(v->h, v->size, r)) {
		const struct Profcalls *c = (const void *)r;

		if (r->kind == PROFCALLS && r->size >= sizeof *c && c->calls % 8 == 0
		    && c->calls <= v->size
		    && c->ncall <= (v->size - c->calls) / sizeof(struct Profcall)) {
			*n = c->ncall;
			return (void *)((char *)v->h + c->calls);
		}
	}
	return NULL;
}

/* lastrank - the largest rank in all modules. */
static uint64_t
lastrank(const View *v)
{
	const uint64_t *rank;
	uint64_t last = 0;
	uint32_t i, n;
	int k;

	for (k = 0; v && k < v->nmodule; k++)
		if ((rank = ranksof(v, k, &n)))
			for (i = 0; i < n; i++)
				last = rank[i] > last ? rank[i] : last;
	return last;
}

/* basecalls - a chapter begins: what was recorded so far does not belong to it. */
static inline void
basecalls(const View *v, uint32_t chapter)
{
	uint64_t n, i;
	struct Profcall *c = callsof(v, &n);

	for (i = 0; i < n; i++)
		c[i].base[chapter & 1] = c[i].times;
}

/* addobjects - add a profile's objects; as[] maps its numbers of them to the new ones. */
static void
addobjects(Calls *all, const View *v, uint32_t *as)
{
	const struct Profrec *r;
	uint32_t k = 0, i;

	for (r = at(v->h, v->size, v->h->first); r && k < MAXOBJECTS; r = next(v->h, v->size, r)) {
		const struct Profmodule *m = (const void *)r;

		if (r->kind != PROFOBJECT || r->size < sizeof *m)
			continue;
		for (i = 0; i < all->nobject; i++)
			if (all->object[i]->rec.size == r->size
			    && same(all->object[i]->id, m->id, sizeof m->id)
			    && same(all->object[i] + 1, m + 1, r->size - sizeof *m))
				break;
		if (i == all->nobject && i < MAXOBJECTS)
			all->object[all->nobject++] = m;
		as[k++] = i < MAXOBJECTS ? i : NOOBJECT;
	}
	for (; k < MAXOBJECTS; k++)
		as[k] = NOOBJECT;
}

/* addcalls - add the calls of this chapter of a profile. */
static void
addcalls(Calls *all, const View *v)
{
	static uint32_t as[MAXOBJECTS];
	uint64_t n, i;
	const struct Profcall *from = callsof(v, &n);

	if (!from)
		return;
	addobjects(all, v, as);
	for (i = 0; i < n; i++) {
		uint64_t times = from[i].times - from[i].base[v->h->chapter & 1];
		uint32_t object = from[i].object < MAXOBJECTS ? as[from[i].object] : NOOBJECT;
		uint64_t h = from[i].site * 31 + from[i].callee * 0x1000193 + object;
		struct Profcall *c;

		if (!from[i].target || !times)
			continue;
		for (h ^= h >> 15;; h++) {
			c = &all->call[h & (all->cap - 1)];
			if (!c->target
			    || (c->site == from[i].site && c->callee == from[i].callee
				&& c->module == from[i].module && c->object == object))
				break;
		}
		all->n += !c->target;
		times += c->times;
		*c = (struct Profcall){.site = from[i].site,
				       .callee = from[i].callee,
				       .times = times,
				       .target = 1,
				       .module = from[i].module,
				       .object = object};
	}
}

/* gathercalls - collect the calls of v, and of s if that is not NULL: 0; -1 if there is no
 * memory. */
static int
gathercalls(Calls *all, const View *v, const View *s)
{
	uint64_t a, b;
	long map;

	clear(all, sizeof *all);
	callsof(v, &a);
	callsof(s, &b);
	if (a + b == 0)
		return 0;
	for (all->cap = 1024; all->cap < 2 * (a + b);)
		all->cap *= 2;
	map = sys(__NR_mmap, 0, (long)(all->cap * sizeof *all->call), PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map < 0 && map > -4096)
		return -1;
	all->call = (struct Profcall *)map; /* NOLINT(performance-no-int-to-ptr) */
	addcalls(all, v);
	if (s)
		addcalls(all, s);
	return 0;
}

/* sizeofcalls - the size of the records for them; 0 if there are no calls. */
static uint64_t
sizeofcalls(const Calls *all)
{
	uint64_t size = all->n ? sizeof(struct Profcalls) : 0;
	uint32_t k;

	for (k = 0; all->n && k < all->nobject; k++)
		size += all->object[k]->rec.size;
	return size;
}

static int
put(long fd, const void *data, size_t n)
{
	const char *p = data;

	while (n > 0) {
		long k = SYS(__NR_write, fd, p, n);

		if (k <= 0)
			return -1;
		p += k;
		n -= (size_t)k;
	}
	return 0;
}

/* putcuts - write the cuts of a and b, equal ones added up; returns how many there
 * are.  With fd < 0 only count them. */
static uint64_t
putcuts(long fd, const View *a, const View *b)
{
	uint64_t na, nb, i, n = 0;
	const struct Profcut *x = cutsof(a, &na), *y = cutsof(b, &nb), *other;

	for (i = 0; i < na + nb; i++) {
		struct Profcut c = i < na ? x[i] : y[i - na];

		if (!c.times)
			continue;
		other = samecut(i < na ? y : x, i < na ? nb : na, &c);
		if (other && i >= na)
			continue;
		c.times += other ? other->times : 0;
		n++;
		if (fd >= 0 && SYS(__NR_write, fd, &c, sizeof c) != sizeof c)
			return UINT64_MAX;
	}
	return n;
}

/* ordersize - how many units of module k have ranks, in v or else in the sum s. */
static uint32_t
ordersize(const View *v, const View *s, int k)
{
	uint32_t n;

	return ranksof(v, k, &n) || ranksof(s, k, &n) ? n : 0;
}

/* putranks - write the ranks of module k: those of the sum stay, units that are new to it come
 * after them. */
static int
putranks(long fd, const View *v, const View *s, int k)
{
	uint64_t base = lastrank(s);
	uint32_t nv, ns, n = ordersize(v, s, k), i;
	const uint64_t *new = ranksof(v, k, &nv), *own = ranksof(s, k, &ns);

	for (i = 0; i < n; i++) {
		uint64_t rank = own && i < ns ? own[i] : 0;

		if (!rank && new &&i < nv &&new[i])
			rank = base + new[i];
		if (put(fd, &rank, sizeof rank) != 0)
			return -1;
	}
	return 0;
}

/* putcalls - write the records of calls, which begin at offset `from'; their table will be at
 * `table'. */
static int
putcalls(long fd, const Calls *all, uint64_t from, uint64_t table)
{
	struct Profcalls calls = {
		.rec = {sizeof calls, PROFCALLS, PROFVERSION, 0}, .calls = table, .ncall = all->n};
	uint32_t k;

	if (!all->n)
		return 0;
	from += sizeof calls;
	calls.rec.next = all->nobject ? from : 0;
	if (put(fd, &calls, sizeof calls) != 0)
		return -1;
	for (k = 0; k < all->nobject; k++) {
		struct Profrec r = all->object[k]->rec;

		from += r.size;
		r.next = k + 1 < all->nobject ? from : 0;
		if (put(fd, &r, sizeof r) != 0
		    || put(fd, (const char *)all->object[k] + sizeof r, r.size - sizeof r) != 0)
			return -1;
	}
	return 0;
}

/* puttable - write the entries of the table of calls. */
static int
puttable(long fd, const Calls *all)
{
	uint64_t i;

	for (i = 0; i < all->cap; i++)
		if (all->call[i].target && put(fd, &all->call[i], sizeof *all->call) != 0)
			return -1;
	return 0;
}

typedef struct Offsets Offsets;

/* Offsets of the parts of a closed profile, in the order of the file: header, records, and
 * these. */
struct Offsets {
	uint64_t records; /* end of the records of modules and cuts */
	uint64_t cuts, calls, ranks, counts, label;
	uint64_t end;
	uint64_t ncut;
};

/* lay - compute them, for what v holds, and the sum s if that is not NULL. */
static Offsets
lay(const View *v, const View *s, const Calls *calls)
{
	Offsets at = {.records = sizeof *v->h + sizeof(struct Profcuts), .ncut = putcuts(-1, v, s)};
	uint64_t nrank = 0, ncount = 0;
	uint32_t n;
	int k;

	for (k = 0; k < v->nmodule; k++) {
		n = ordersize(v, s, k);
		at.records += v->module[k]->rec.size + sizeof(struct Profcounts)
			      + (n ? sizeof(struct Proforder) : 0);
		nrank += n;
		ncount += v->module[k]->ncount;
	}
	at.cuts = at.records + sizeofcalls(calls);
	at.calls = at.cuts + at.ncut * sizeof(struct Profcut);
	at.ranks = at.calls + calls->n * sizeof *calls->call;
	at.counts = at.ranks + 8 * nrank;
	at.label = at.counts + 8 * ncount;
	at.end = at.label + (length(v->label) < LABELSIZE ? 0 : length(v->label) + 1);
	return at;
}

/* joinheaders - add what the sum s says of how processes ended to a header. */
static void
joinheaders(struct Profhdr *h, const struct Profhdr *s)
{
	int k;

	if (!h->endings[ENDEXIT] && !h->endings[ENDFAILED])
		h->status = s->status;
	if (!h->signal) {
		h->signal = s->signal;
		h->module = s->module;
		h->kind = s->kind;
		h->place = s->place;
	}
	if (s->begun < h->begun)
		h->begun = s->begun;
	h->flags |= s->flags;
	h->runs += s->runs;
	for (k = 0; k < NENDING; k++)
		h->endings[k] += s->endings[k];
}

/* putheader - write the header of a closed profile. */
static int
putheader(long fd, const View *v, const View *s, const Offsets *at, uint32_t flags,
	  const char *last)
{
	static struct Profhdr h;

	copy(&h, v->h, sizeof h);
	h.first = sizeof h;
	h.state = PROFCLOSED;
	h.flags |= flags;
	h.pid = 0;
	h.chapter = 0;
	h.rooms = h.nroom = h.roompages = 0;
	h.size = at->end;
	clear(h.label, sizeof h.label);
	clear(h.far, sizeof h.far);
	if (at->label == at->end)
		copy(h.label[0], v->label, length(v->label) + 1);
	else
		h.far[0] = at->label;
	if (s)
		joinheaders(&h, s->h);
	h.lastserial = v->h->serial;
	h.lastchapter = v->h->chapter;
	clear(h.last, sizeof h.last);
	append(h.last, sizeof h.last, last);
	return put(fd, &h, sizeof h);
}

/* putrecords - write the records of modules and cuts. */
static int
putrecords(long fd, const View *v, const View *s, const Offsets *at, int more)
{
	struct Profcuts cuts = {.rec = {sizeof cuts, PROFCUTS, PROFVERSION, more ? at->records : 0},
				.cuts = at->cuts,
				.ncut = at->ncut};
	uint64_t n = sizeof *v->h, counts = at->counts, ranks = at->ranks;
	int k;

	for (k = 0; k < v->nmodule; k++) {
		struct Profrec r = v->module[k]->rec;
		struct Profcounts c = {.rec = {sizeof c, PROFCOUNTS, PROFVERSION, 0},
				       .module = (uint32_t)k,
				       .counts = counts};
		struct Proforder o = {.rec = {sizeof o, PROFORDER, PROFVERSION, 0},
				      .module = (uint32_t)k,
				      .nunit = ordersize(v, s, k),
				      .ranks = ranks};

		n += r.size;
		r.next = n;
		n += sizeof c;
		c.rec.next = n;
		n += o.nunit ? sizeof o : 0;
		o.rec.next = n;
		if (put(fd, &r, sizeof r) != 0
		    || put(fd, (const char *)v->module[k] + sizeof r, r.size - sizeof r) != 0
		    || put(fd, &c, sizeof c) != 0 || (o.nunit && put(fd, &o, sizeof o) != 0))
			return -1;
		counts += 8 * v->module[k]->ncount;
		ranks += 8ull * o.nunit;
	}
	return put(fd, &cuts, sizeof cuts);
}

/* putcounts - write the counters of all modules. */
static int
putcounts(long fd, const View *v, const View *s)
{
	static uint64_t total[512];
	uint64_t i, n;
	int k;

	for (k = 0; k < v->nmodule; k++)
		for (i = 0; i < v->module[k]->ncount; i += n) {
			n = v->module[k]->ncount - i;
			if (n > sizeof total / 8)
				n = sizeof total / 8;
			clear(total, sizeof total);
			addcounts(v, k, i, total, n);
			if (s)
				addcounts(s, k, i, total, n);
			if (put(fd, total, 8 * n) != 0)
				return -1;
		}
	return 0;
}

/* putall - write what v holds, plus the sum s if that is not NULL, as a closed profile. */
static int
putall(long fd, const View *v, const View *s, const Calls *calls, uint32_t flags, const char *last)
{
	Offsets at = lay(v, s, calls);
	int k;

	if (reserve(fd, 0, at.end) != 0 || putheader(fd, v, s, &at, flags, last) != 0
	    || putrecords(fd, v, s, &at, calls->n != 0) != 0
	    || putcalls(fd, calls, at.records, at.calls) != 0 || putcuts(fd, v, s) != at.ncut
	    || puttable(fd, calls) != 0)
		return -1;
	for (k = 0; k < v->nmodule; k++)
		if (putranks(fd, v, s, k) != 0)
			return -1;
	return putcounts(fd, v, s) != 0 ? -1 : put(fd, v->label, at.end - at.label);
}

/* putsum - the same; collects the calls through pointers first. */
static int
putsum(long fd, const View *v, const View *s, uint32_t flags, const char *last)
{
	static Calls calls;
	int failed = gathercalls(&calls, v, s);

	if (!failed)
		failed = putall(fd, v, s, &calls, flags, last);
	if (calls.call)
		SYS(__NR_munmap, calls.call, calls.cap * sizeof *calls.call, 0);
	return failed;
}

/* alike - whether two profiles are of the same modules. */
static int
alike(const View *a, const View *b)
{
	int k;

	for (k = 0; k < a->nmodule; k++) {
		const struct Profmodule *x = a->module[k], *y = b->module[k];

		if (a->nmodule != b->nmodule || x->rec.size != y->rec.size || x->ncount != y->ncount
		    || !same(x->id, y->id, sizeof x->id)
		    || !same(x + 1, y + 1, x->rec.size - sizeof *x))
			return 0;
	}
	return 1;
}

/* shorten - cut the name of a program off, so that suffixes fit into the name of a file. */
static void
shorten(char *name)
{
	if (length(name) > 200)
		name[200] = 0;
}

/* sumname - the name of the sum, PROGRAM-HASH; the hash is of build, modules and label.  Processes
 * that were killed have a sum of their own: some of its counts may be off by one, and nobody knows
 * which; so the counts of the others stay exact. */
static void
sumname(const View *v, char *name, size_t cap)
{
	const char *s, *base = (const char *)(v->module[0] + 1);
	uint64_t h = hashbytes(HASHBEGIN, v->label, length(v->label));
	int k;

	for (k = 0; k < v->nmodule; k++) {
		h = hashbytes(h, v->module[k]->id, sizeof v->module[k]->id);
		h = hashbytes(h, v->module[k] + 1, v->module[k]->rec.size - sizeof *v->module[k]);
		h = hashbytes(h, &v->module[k]->ncount, 8);
	}
	if (v->h->endings[ENDGONE])
		h = hashbytes(h, "gone", 4);
	for (s = base; *s; s++)
		if (*s == '/')
			base = s + 1;
	name[0] = 0;
	append(name, cap, base);
	shorten(name);
	append(name, cap, "-");
	appendnumber(name, cap, h, 16);
}

/* mapat - open and map a profile for writing; NULL if that fails. */
static struct Profhdr *
mapat(long dir, const char *name, size_t *size)
{
	long fd = openregular(dir, name, O_RDWR);
	struct Profhdr *h;

	if (fd < 0)
		return NULL;
	h = mapfile(fd, size, PROT_READ | PROT_WRITE);
	SYS(__NR_close, fd, 0, 0);
	return h;
}

/* mapprofile - the same where the directory is not locked. */
static inline struct Profhdr *
mapprofile(const Dir *d, const char *name, size_t *size)
{
	return mapat(AT_FDCWD, inside(d, name, ""), size);
}

/* isof - whether a file belongs to a process of that program: PROGRAM.NUMBER...; if program is
 * NULL, whether it is a profile of any. */
static int
isof(const char *name, const char *program)
{
	size_t n = length(name), len = program ? length(program) : 0;

	if (!program)
		return n > 6 && same(name + n - 6, ".tally", 6);
	return n > len + 1 && same(name, program, len) && name[len] == '.' && name[len + 1] >= '0'
	       && name[len + 1] <= '9';
}

/* lastof - the name of the file that was added to a sum last; NULL if there is none, or it is not
 * the name of a profile in the directory. */
static const char *
lastof(const struct Profhdr *sum)
{
	size_t n;

	for (n = 0; n < sizeof sum->last && sum->last[n]; n++)
		if (sum->last[n] == '/')
			return NULL;
	return n < sizeof sum->last && isof(sum->last, NULL) ? sum->last : NULL;
}

/* roomin - the i-th room (rooms.h) in a profile of that size; NULL if it does not lie in the
 * file. */
static struct Profhdr *
roomin(struct Profhdr *h, size_t size, uint32_t i)
{
	uint64_t n = 4096ull * h->roompages, at = h->rooms + n * i;

	return h->rooms % 8 == 0 && n >= sizeof *h && h->rooms < size && at < size && n <= size - at
		       ? (struct Profhdr *)((char *)h + at)
		       : NULL;
}

/* settleroom - settle() for the rooms of a file. */
static void
settleroom(const struct Profhdr *sum, struct Profhdr *h, size_t size)
{
	struct Profhdr *room;
	uint32_t i;

	for (i = 0; i < h->nroom && (room = roomin(h, size, i)); i++)
		if (room->serial == sum->lastserial && room->chapter == sum->lastchapter)
			room->state = 0;
}

/* settle - if the process that added to the sum last died before it removed what it added, or
 * marked it as added, do that now.  requires: lock. */
static void
settle(const Dir *d, const View *sum)
{
	const char *last = lastof(sum->h);
	size_t size;
	struct Profhdr *h = last ? mapat(d->fd, last, &size) : NULL;

	if (!h)
		return;
	if (isprofile(h, size))
		settleroom(sum->h, h, size);
	if (isprofile(h, size) && h->serial == sum->h->lastserial
	    && h->chapter == sum->h->lastchapter) {
		if (h->state == PROFCLOSED)
			drop(d, last);
		else
			h->chapter++;
	}
	SYS(__NR_munmap, h, size, 0);
}

/* newsum - write a file with v, plus the sum s if that is not NULL, in place of the sum; 0 or -1.
 * A file left by a process that died in this function is removed first.  requires: lock. */
static int
newsum(const Dir *d, const View *v, const View *s, const char *sum, const char *name)
{
	char new[300] = ".", to[300] = "";
	int failed;
	long fd;

	append(new, sizeof new, sum);
	append(to, sizeof to, sum);
	append(to, sizeof to, ".tally");
	drop(d, new);
	fd = makefile(d->fd, new);
	if (fd < 0)
		return -1;
	failed = putsum(fd, v, s, PROFSUM, name) != 0;
	SYS(__NR_close, fd, 0, 0);
	failed = failed || sys(__NR_renameat, d->fd, (long)new, d->fd, (long)to, 0, 0) != 0;
	if (failed)
		drop(d, new);
	return failed ? -1 : 0;
}

/* fold - add this chapter of a profile, whose file has that name, to its sum; 0 or -1.  A file with
 * the name of the sum that cannot be read is left alone. requires: lock. */
static int
fold(const Dir *d, const View *v, const char *name)
{
	char sum[300], path[300] = "";
	struct Profhdr *h = NULL;
	View s;
	size_t size = 0;
	long fd;
	int failed;

	sumname(v, sum, sizeof sum);
	append(path, sizeof path, sum);
	append(path, sizeof path, ".tally");
	fd = openregular(d->fd, path, O_RDONLY);
	if (fd == ABSENT)
		return newsum(d, v, NULL, sum, name);
	if (fd < 0)
		return -1;
	h = mapfile(fd, &size, PROT_READ);
	SYS(__NR_close, fd, 0, 0);
	if (!h)
		return -1;
	failed = view(&s, h, size) != 0 || !alike(v, &s);
	if (!failed && (h->lastserial != v->h->serial || h->lastchapter != v->h->chapter)) {
		settle(d, &s);
		failed = newsum(d, v, &s, sum, name);
	} /* else it has been added already */
	unview(&s);
	return failed ? -1 : 0;
}

/* isprocours - whether /proc belongs to our pid namespace: then it shows one pid for us. */
static int
isprocours(void)
{
	char buf[2048], *s;

	slurp("/proc/self/status", buf, sizeof buf);
	for (s = buf; *s && !same(s, "\nNSpid:\t", 8); s++)
		;
	for (s += *s ? 8 : 0; *s >= '0' && *s <= '9'; s++)
		;
	return *s == '\n';
}

/* told - a number that /proc shows of a process or thread, by its index in proc(5); 0 if it does
 * not. */
static uint64_t
told(const char *path, int field)
{
	char buf[1024], *s;

	slurp(path, buf, sizeof buf);
	for (s = buf + length(buf); s > buf && *s != ')'; s--)
		; /* the name may contain anything, but a parenthesis ends it */
	for (field -= 2; *s && field > 0; s++)
		field -= *s == ' ';
	return number(s);
}

enum { FLAGS = 9, NTHREADS = 20, STARTTIME = 22 };

/* identify - write down which process this is, so that others can find out whether it still runs.
 * What /proc does not tell stays 0. */
static void
identify(struct Profhdr *h)
{
	char buf[1024], *s;
	int i, k = 0;

	h->pid = (uint32_t)SYS(__NR_getpid, 0, 0, 0);
	h->start = isprocours() ? told("/proc/self/stat", STARTTIME) : 0;
	slurp("/proc/sys/kernel/random/boot_id", buf, sizeof buf);
	for (s = buf; *s && k < 32; s++) {
		int d = *s >= '0' && *s <= '9'   ? *s - '0'
			: *s >= 'a' && *s <= 'f' ? *s - 'a' + 10
						 : -1;

		if (d < 0)
			continue;
		h->boot[k / 2] = (uint8_t)(h->boot[k / 2] << 4 | d);
		k++;
	}
	buf[0] = 0;
	i = (int)SYS(__NR_readlink, "/proc/self/ns/pid", buf, sizeof buf - 1);
	buf[i > 0 ? i : 0] = 0;
	for (s = buf; *s && *s != '['; s++)
		;
	h->pidns = *s ? number(s + 1) : 0;
}

/* isgone - whether the process that counts in a profile has ended; no if that cannot be known,
 * because what /proc did not tell is 0. */
static int
isgone(const struct Profhdr *h, const struct Profhdr *self)
{
	static const uint8_t unknown[sizeof h->boot];
	char path[64] = "/proc/";
	uint64_t start;

	if (h->state == PROFCLOSED)
		return 1;
	if (same(h->boot, unknown, sizeof unknown) || same(self->boot, unknown, sizeof unknown))
		return 0;
	if (!same(h->boot, self->boot, sizeof h->boot))
		return 1;
	if (h->pidns != self->pidns)
		return 0;
	if (SYS(__NR_kill, (int)h->pid, 0, 0) == NOPROCESS)
		return 1;
	if (h->pid == self->pid)
		return 1; /* this process, before exec */
	if (!h->start || !self->start)
		return 0;
	appendnumber(path, sizeof path, h->pid, 10);
	append(path, sizeof path, "/stat");
	start = told(path, STARTTIME);
	return start && start != h->start;
}

typedef struct Search Search;

/* What to look for among the mappings of this process: how often a file is mapped, or which file is
 * mapped at an address. */
struct Search {
	const char *name; /* name of the file; NULL for an address */
	int n;            /* how often it is mapped */
	uint64_t addr;    /* the address */
	char *path;       /* gets the path of the file there */
	size_t cap;
};

/* seemapping - look at a line of /proc/self/maps: FROM-TO PERMS OFFSET DEVICE INODE PATH. */
static void
seemapping(const char *s, size_t n, Search *want)
{
	size_t len = want->name ? length(want->name) : 0, i;
	uint64_t bound[2] = {0, 0};
	int k = 0;

	if (len) {
		want->n += n > len && s[n - len - 1] == '/' && same(s + n - len, want->name, len);
		return;
	}
	for (i = 0; i < n && s[i] != ' '; i++)
		if (s[i] == '-')
			k = 1;
		else
			bound[k] = bound[k] << 4 | (uint64_t)(s[i] <= '9' ? s[i] - '0' : s[i] - 'a' + 10);
	for (; i < n && s[i] != '/'; i++)
		;
	if (want->addr < bound[0] || want->addr >= bound[1] || n - i >= want->cap)
		return;
	copy(want->path, s + i, n - i);
	want->path[n - i] = 0;
}

/* searchmaps - look at all lines. */
static void
searchmaps(Search *want)
{
	static char buf[8192];
	long fd = SYS(__NR_open, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0), got;
	size_t have = 0, i, k;

	while (fd >= 0 && (got = SYS(__NR_read, fd, buf + have, sizeof buf - have)) > 0) {
		have += (size_t)got;
		for (i = k = 0; i < have; i++)
			if (buf[i] == '\n') {
				seemapping(buf + k, i - k, want);
				k = i + 1;
			}
		if (k == 0 && have == sizeof buf) /* no path is as long */
			k = have;
		copy(buf, buf + k, have - k); /* overlaps, to lower addresses */
		have -= k;
	}
	if (fd >= 0)
		SYS(__NR_close, fd, 0, 0);
}

/* isothers - whether another runtime in this process counts in a file: one in a namespace of the
 * dynamic linker (dlmopen) that this one does not see.  Then the file is mapped once more than this
 * runtime needs for looking at it.  If not, this process counted there before exec. */
static int
isothers(const struct Profhdr *h, const char *name, const struct Profhdr *self)
{
	Search s = {.name = name};

	if (h->state == PROFCLOSED || h->pid != self->pid || h->start != self->start
	    || !same(h->boot, self->boot, sizeof h->boot))
		return 0;
	searchmaps(&s);
	return s.n > 1;
}

/* isleft - whether nobody counts in a room any more. */
static int
isleft(const struct Profhdr *room, const struct Profhdr *self)
{
	static const uint8_t unknown[sizeof self->boot];

	if (room->state == PROFTAKEN)
		return !same(room->boot, self->boot, sizeof self->boot)
		       && !same(self->boot, unknown, sizeof unknown);
	return !room->state || (room->serial != self->serial && isgone(room, self));
}

/* areleft - whether nobody counts in any room of a profile. */
static int
areleft(struct Profhdr *h, size_t size, const struct Profhdr *self)
{
	const struct Profhdr *room;
	uint32_t i;

	for (i = 0; i < h->nroom && (room = roomin(h, size, i)); i++)
		if (!isleft(room, self))
			return 0;
	return 1;
}

/* foldrooms - fold the rooms of a file that has that name; 0 if all could be.  requires: lock. */
static int
foldrooms(const Dir *d, const char *name, struct Profhdr *h, size_t size)
{
	struct Profhdr *room;
	int none, failed = 0;
	uint32_t i;
	View v;

	for (i = 0; i < h->nroom && !failed && (room = roomin(h, size, i)); i++) {
		if (!room->state)
			continue;
		none = view(&v, room, 4096ull * h->roompages);
		v.inside = 1;
		if (none >= 0)
			room->state = PROFCLOSED;
		failed = none < 0 || (!none && fold(d, &v, name) != 0);
		unview(&v);
		if (!failed)
			room->state = 0;
	}
	return failed;
}

/* sweepone - fold a file if its process has ended; 0 unless that fails.  requires: lock. */
static int
sweepone(const Dir *d, const char *name, const struct Profhdr *self)
{
	size_t size;
	struct Profhdr *h = mapat(d->fd, name, &size);
	int none, failed;
	View v;

	if (!h)
		return -1;
	none = view(&v, h, size);
	failed = none < 0 && h->magic[0]    /* else its process has just begun */
		 && !(h->flags & PROFMORE); /* or it is a merged file */
	if (none >= 0 && !(h->flags & PROFSUM) && h->serial != self->serial && isgone(h, self)
	    && !isothers(h, name, self) && areleft(h, size, self)) {
		h->state = PROFCLOSED;
		failed = foldrooms(d, name, h, size) != 0
			 || (!none && fold(d, &v, name) != 0); /* none: it died before it counted */
		if (!failed)
			drop(d, name);
	}
	unview(&v);
	return failed;
}

/* sweep - fold the files that ended processes of this program, or of any, have left; returns how
 * many could not be. requires: lock. */
static int
sweep(const Dir *d, const char *program, const struct Profhdr *self)
{
	static char buf[4096] __attribute__((aligned(8)));
	int failed = 0;
	long n, i;

	SYS(__NR_lseek, d->fd, 0, 0 /* SEEK_SET */);
	while ((n = SYS(__NR_getdents64, d->fd, buf, sizeof buf)) > 0)
		for (i = 0; i < n; i += *(uint16_t *)(buf + i + 16)) {
			const char *name = buf + i + 19;

			if (isof(name, program))
				failed += sweepone(d, name, self) != 0;
		}
	return failed;
}

#endif
