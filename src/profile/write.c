/* write.c - profiles, written from memory: what a monitor counted, or sums for a merged file.
 *
 * Both are chains of records and the data that these refer to.  In a monitor's profile the data
 * follow each record, as in that of a process that counts.  In a merged file the records of a sum
 * come first, so that little has to be read to find its modules; counts are packed; and a map that
 * several sums have is there once. */

#include "profile.h"

#include <string.h>

enum { MOSTZEROS = 255 }; /* zeros in one run; see MOSTPACKED of prof.c */

typedef struct Ref Ref;
typedef struct Writer Writer;

/* Eight bytes of a record that refer to data: at so large an offset from the begin of the data. */
struct Ref {
	size_t where;
	uint64_t is;
};

/* A profile under construction. */
struct Writer {
	Arena one;
	Buf rec; /* header and records; and the data, if `data' is NULL */
	Buf *data;
	uint64_t last; /* the present record */
	Ref *ref;
	int nref;
	size_t capref;
};

struct Sums {
	FILE *f;
	Arena *run;
	int n;       /* sums, the last of which is in w */
	uint64_t at; /* where that one begins in the file */
	Writer w;
	Buf data;
	Table maps; /* fingerprints of maps to indices of mapat[] */
	uint64_t *mapat;
	size_t capmap;
	int nmap;
};

Print
fingerprint(const char *s, size_t len)
{
	Print p = {len, HASHBEGIN, ~HASHBEGIN};
	size_t i;

	for (i = 0; i < len; i++) {
		p.a = hashnumber(p.a, (unsigned char)s[i]);
		p.b = (p.b + (unsigned char)s[i]) * 0x9e3779b97f4a7c15;
		p.b ^= p.b >> 29;
	}
	return p;
}

/* pad - pads to a multiple of 8. */
static void
pad(Buf *b)
{
	bput(b, "\0\0\0\0\0\0\0", -b->n & 7);
}

/* begin - begins a profile with room for its header. */
static void
begin(Writer *w, Buf *data)
{
	static const struct Profhdr none;

	*w = (Writer){.data = data};
	w->rec.arena = &w->one;
	if (data)
		*data = (Buf){.arena = &w->one};
	bput(&w->rec, (const char *)&none, sizeof none);
}

/* putrec - adds a record, maybe with a text after it, and links the record before to it. */
static void
putrec(Writer *w, void *rec, size_t size, int kind, const char *text)
{
	size_t len = text ? strlen(text) + 1 : 0;
	struct Profrec *r = rec;
	uint64_t at;

	*r = (struct Profrec){.size = (uint32_t)((size + len + 7) / 8 * 8),
			      .kind = (uint16_t)kind,
			      .version = PROFVERSION};
	pad(&w->rec);
	at = w->rec.n;
	if (w->last)
		memcpy(w->rec.s + w->last + offsetof(struct Profrec, next), &at, sizeof at);
	w->last = at;
	bput(&w->rec, rec, size);
	bput(&w->rec, text ? text : "", len);
	pad(&w->rec);
}

/* refer - adds data of the present record, and sets the eight bytes at `field' to refer to them. */
static void
refer(Writer *w, size_t field, const void *bytes, size_t n)
{
	Buf *to = w->data ? w->data : &w->rec;
	uint64_t at = to->n;

	if (w->data) {
		apush(&w->one, w->ref, w->nref, w->capref);
		w->ref[w->nref++] = (Ref){w->last + field, at};
	} else {
		memcpy(w->rec.s + w->last + field, &at, sizeof at);
	}
	bput(to, n ? bytes : "", n);
	pad(to);
}

/* putmodule - adds the record of a module, but not where its map is; or the record of a library. */
static void
putmodule(Writer *w, const char *path, const uint8_t *id, int idlen, uint64_t ncount,
	  uint64_t maplen, int kind)
{
	struct Profmodule m = {.ncount = ncount,
			       .maplen = maplen,
			       .idlen = (uint32_t)idlen,
			       .pathlen = (uint32_t)strlen(path)};

	memcpy(m.id, id, sizeof m.id);
	putrec(w, &m, sizeof m, kind, path);
}

/* packcounts - packs the counts of a module. */
static void
packcounts(Buf *b, const Module *m)
{
	uint64_t i = 0, k;

	while (i < m->ncount) {
		for (k = i; k < m->ncount && !m->count[k] && k - i < MOSTZEROS; k++)
			;
		putnumber(b, k - i);
		for (i = k; k < m->ncount && m->count[k]; k++)
			;
		putnumber(b, k - i);
		for (; i < k; i++)
			putnumber(b, m->count[i]);
	}
}

static void
putcounts(Writer *w, const Module *m, uint32_t number)
{
	struct Profcounts c = {.module = number};
	struct Profpacked p = {.module = number};
	Buf bytes = {.arena = &w->one};

	if (!w->data) {
		putrec(w, &c, sizeof c, PROFCOUNTS, NULL);
		refer(w, offsetof(struct Profcounts, counts), m->count, 8 * m->ncount);
		return;
	}
	packcounts(&bytes, m);
	p.bytes = bytes.n;
	putrec(w, &p, sizeof p, PROFPACKED, NULL);
	refer(w, offsetof(struct Profpacked, packed), bytes.s, bytes.n);
}

/* puttimes - adds how long the functions of a module took, if that is known. */
static void
puttimes(Writer *w, const Module *m, uint32_t number)
{
	struct Proftimes t = m->stops;

	if (!m->time)
		return;
	t.module = number;
	t.ntime = (uint32_t)m->ntime;
	putrec(w, &t, sizeof t, PROFTIMES, NULL);
	refer(w, offsetof(struct Proftimes, times), m->time, sizeof *m->time * (size_t)m->ntime);
}

static void
putorder(Writer *w, const Module *m, uint32_t number)
{
	struct Proforder o = {.module = number, .nunit = (uint32_t)m->nunit};

	if (!m->rank)
		return;
	putrec(w, &o, sizeof o, PROFORDER, NULL);
	refer(w, offsetof(struct Proforder, ranks), m->rank, 8 * m->nunit);
}

static void
putcuts(Writer *w, const Profile *p)
{
	struct Profcuts cuts = {.ncut = 0};
	Buf table = {.arena = &w->one};
	int i, k;

	for (i = 0; i < p->nmodule; i++)
		for (k = 0; k < p->module[i].ncut; k++) {
			const Modcut *c = &p->module[i].cut[k];
			struct Profcut out = {c->addr, (uint32_t)i, c->kind, c->times};

			bput(&table, (const char *)&out, sizeof out);
			cuts.ncut++;
		}
	putrec(w, &cuts, sizeof cuts, PROFCUTS, NULL);
	refer(w, offsetof(struct Profcuts, cuts), table.s, table.n);
}

/* putcalls - adds calls, and the libraries that were called, in the order of p->library. */
static void
putcalls(Writer *w, const Profile *p)
{
	struct Profcalls calls = {.ncall = 0};
	Buf table = {.arena = &w->one};
	int i, k, in;

	for (i = 0; i < p->nmodule; i++)
		for (k = 0; k < p->module[i].ncall; k++) {
			const Modcall *c = &p->module[i].call[k];
			struct Profcall out = {.site = c->site,
					       .callee = c->callee,
					       .times = c->times,
					       .target = 1,
					       .module = (uint32_t)i,
					       .object = NOOBJECT};

			for (in = 0; c->in && in < p->nlibrary; in++)
				if (p->library[in].is == c->in)
					out.object = (uint32_t)in;
			bput(&table, (const char *)&out, sizeof out);
			calls.ncall++;
		}
	if (!calls.ncall)
		return;
	putrec(w, &calls, sizeof calls, PROFCALLS, NULL);
	refer(w, offsetof(struct Profcalls, calls), table.s, table.n);
	for (i = 0; i < p->nlibrary; i++)
		putmodule(w, p->library[i].is->path, p->library[i].is->id, p->library[i].is->idlen,
			  0, 0, PROFOBJECT);
}

/* putrest - adds what is known of a module besides its record. */
static void
putrest(Writer *w, const Module *m, uint32_t number)
{
	putcounts(w, m, number);
	puttimes(w, m, number);
	putorder(w, m, number);
}

/* settle - turns offsets of data into offsets in the file; all records are known now. */
static void
settle(Writer *w)
{
	int i;

	for (i = 0; i < w->nref; i++) {
		uint64_t at = w->rec.n + w->ref[i].is;

		memcpy(w->rec.s + w->ref[i].where, &at, sizeof at);
	}
}

/* puthead - sets the header; comes last. */
static void
puthead(Writer *w, const struct Profhdr *all, const char *label)
{
	Buf *end = w->data ? w->data : &w->rec;
	struct Profhdr h = *all;

	memcpy(h.magic, PROFMAGIC, sizeof h.magic);
	h.flags |= PROFSUM;
	h.state = PROFCLOSED;
	h.first = sizeof h;
	memset(h.label, 0, sizeof h.label);
	memset(h.far, 0, sizeof h.far);
	if (strlen(label) < LABELSIZE) {
		strcpy(h.label[0], label);
	} else {
		h.far[0] = w->rec.n + (w->data ? w->data->n : 0);
		bput(end, label, strlen(label) + 1);
		if (w->data) /* another sum may follow */
			pad(end);
	}
	h.size = w->rec.n + (w->data ? w->data->n : 0);
	memcpy(w->rec.s, &h, sizeof h);
}

void
writealone(FILE *f, const Profile *p, const char *label)
{
	Writer w;
	int i;

	begin(&w, NULL);
	for (i = 0; i < p->nmodule; i++) {
		const Module *m = &p->module[i];

		putmodule(&w, m->path, m->id, m->idlen, m->ncount, m->maplen, PROFMODULE);
		refer(&w, offsetof(struct Profmodule, map), m->map, m->maplen);
		putrest(&w, m, (uint32_t)i);
	}
	putcuts(&w, p);
	putcalls(&w, p);
	puthead(&w, &p->all, label);
	fwrite(w.rec.s, w.rec.n, 1, f);
	areset(&w.one);
}

/* copymap - copies a module's map to the new file, after all records, unless it is there already;
 * returns where it is. */
static uint64_t
copymap(Sums *s, const Module *m)
{
	Print print;
	const Entry *e;

	if (!m->map)
		return 0;
	print = fingerprint(m->map, m->maplen);
	e = intern(&s->maps, (const char *)&print, sizeof print, s->nmap);
	if (e->value < s->nmap)
		return s->mapat[e->value];
	apush(s->run, s->mapat, s->nmap, s->capmap);
	s->mapat[s->nmap] = s->at + s->w.rec.n + s->data.n;
	bput(&s->data, m->map, m->maplen);
	pad(&s->data);
	return s->mapat[s->nmap++];
}

/* putmaps - adds the maps, and sets where they are in the records of modules, which come first. */
static void
putmaps(Sums *s, const Profile *p)
{
	uint64_t at = sizeof(struct Profhdr);
	int i;

	for (i = 0; i < p->nmodule; i++) {
		uint64_t map = copymap(s, &p->module[i]);
		struct Profmodule *m = (void *)(s->w.rec.s + at);

		m->map = map;
		at = m->rec.next;
	}
}

/* flush - writes the last sum, if there is one. */
static void
flush(Sums *s, uint32_t flags)
{
	struct Profhdr *h = (void *)s->w.rec.s;

	if (!s->n)
		return;
	h->flags |= flags;
	s->at += h->size;
	fwrite(s->w.rec.s, s->w.rec.n, 1, s->f);
	fwrite(s->data.s, s->data.n, 1, s->f);
	areset(&s->w.one);
}

Sums *
beginsums(FILE *f, Arena *run)
{
	Sums *s = anew(run, Sums, 1);

	*s = (Sums){.f = f, .run = run, .maps = {.arena = run}};
	return s;
}

void
addsum(Sums *s, const Profile *p, const char *label)
{
	Writer *w = &s->w;
	int i;

	flush(s, PROFMORE);
	begin(w, &s->data);
	for (i = 0; i < p->nmodule; i++) {
		const Module *m = &p->module[i];

		putmodule(w, m->path, m->id, m->idlen, m->ncount, m->maplen, PROFMODULE);
	}
	for (i = 0; i < p->nmodule; i++)
		putrest(w, &p->module[i], (uint32_t)i);
	putcuts(w, p);
	putcalls(w, p);
	settle(w);
	putmaps(s, p);
	puthead(w, &p->all, label);
	s->n++;
}

int
endsums(Sums *s)
{
	flush(s, 0);
	return s->n;
}
