/* merge.c - any number of profiles in one file: the sum of each program, build and label.
 *
 * First all headers are read, and what modules they name, which sorts the parts into groups of those
 * alike; then group by group is added up and packed, and written when there is another, so that no more than one is in
 * memory, and another packed. */

#include "profile.h"

#include <string.h>

enum { MOSTZEROS = 255 }; /* told at once; see MOSTPACKED of prof.c */

typedef struct Reader Reader;

/* The beginning of a part, where its records are as a rule. */
struct Reader {
	const Portion *part;
	Arena *tmp;
	char *head;
	size_t nhead;
};

enum { HEAD = 4096 };

/* bytesat - n bytes of a part, aligned to 8; NULL if it has not got them. */
static const void *
bytesat(const Reader *r, uint64_t off, size_t n)
{
	size_t got = n;
	const char *s;

	if (off <= r->nhead && n <= r->nhead - off)
		return r->head + off;
	if (r->part->size && (off > r->part->size || n > r->part->size - off))
		return NULL;
	s = readslice(r->tmp, r->part->path, r->part->at + off, &got);
	return got == n ? s : NULL;
}

typedef struct Print Print;

/* What stands for a map where it would be too long: two texts with the same one are not expected in the
 * lifetime of the sun. */
struct Print {
	uint64_t len, a, b;
};

static Print
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

void
eachmodule(const Portion *part, void (*see)(const struct Profmodule *, void *), void *with,
	   Arena *tmp)
{
	Reader r = {.part = part, .tmp = tmp, .nhead = HEAD};
	const struct Profmodule *m;
	const struct Profrec *rec;
	uint64_t at, next;

	if (part->size && part->size < HEAD)
		r.nhead = part->size;
	r.head = readslice(tmp, part->path, part->at, &r.nhead);
	if (r.nhead < sizeof(struct Profhdr))
		return;
	for (at = ((struct Profhdr *)r.head)->first; at; at = next) {
		rec = at % 8 == 0 ? bytesat(&r, at, sizeof *rec) : NULL;
		if (!rec || (rec->next && rec->next <= at))
			return;
		next = rec->next;
		if (rec->kind != PROFMODULE)
			continue;
		if (rec->size <= sizeof *m || !(m = bytesat(&r, at, rec->size)))
			return;
		if (!((const char *)m)[rec->size - 1])
			see(m, with);
	}
}

typedef struct Key Key;

/* What the modules of a part are, as text. */
struct Key {
	Buf *to;
	const Portion *part;
	Arena *tmp;
};

/* addkey - of a module. */
static void
addkey(const struct Profmodule *m, void *with)
{
	Key *key = with;
	const char *path = (const char *)(m + 1);

	bput(key->to, (const char *)&m->ncount, sizeof m->ncount);
	bput(key->to, (const char *)&m->idlen, sizeof m->idlen);
	bput(key->to, (const char *)m->id, sizeof m->id);
	bput(key->to, path, strlen(path) + 1);
	if (m->map && m->maplen) {
		size_t len = m->maplen;
		const char *map = readslice(key->tmp, key->part->path, m->map, &len);
		Print print = fingerprint(map, len);

		bput(key->to, (const char *)&print, sizeof print);
	}
}

/* moduleskey - of all modules, the label, and whether processes were killed, which have a sum of their
 * own; damage is found when it is read. */
static void
moduleskey(const Portion *part, Buf *to, Arena *tmp)
{
	Key key = {.to = to, .part = part, .tmp = tmp};

	bput(to, part->label, strlen(part->label) + 1);
	bput(to, part->gone ? "1" : "0", 1);
	eachmodule(part, addkey, &key, tmp);
}

/* Builds of a program, of which it has been said if there are several. */
typedef struct Build Build;

struct Build {
	const char *path; /* of the profile */
	uint64_t ncount;
	uint8_t id[32];
	bool said;
};

typedef struct Builds Builds;

struct Builds {
	Table of; /* paths of modules */
	Build *build;
	int n;
	size_t cap;
};

/* notebuilds - say that the modules of a group are of other builds than in groups before. */
static void
notebuilds(Builds *b, const Profile *p, const char *path)
{
	int i;

	for (i = 0; i < p->nmodule; i++) {
		const Module *m = &p->module[i];
		const Entry *e = intern(&b->of, m->path, strlen(m->path), b->n);
		Build *first;

		if (e->value == b->n) {
			apush(b->of.arena, b->build, b->n, b->cap);
			b->build[b->n] = (Build){.path = path, .ncount = m->ncount};
			memcpy(b->build[b->n++].id, m->id, sizeof m->id);
			continue;
		}
		first = &b->build[e->value];
		if (first->said
		    || (first->ncount == m->ncount && memcmp(first->id, m->id, sizeof m->id) == 0))
			continue;
		remark("%s and %s: are of different builds of %s, which are kept apart",
		       first->path, path, m->path);
		first->said = true;
	}
}

/* isnothing - whether a part is of no module: its process died before it counted; or damaged. */
static bool
isnothing(Portion *part)
{
	Arena tmp = {0};
	Profile p = {.run = &tmp};
	bool is;

	readparts(&p, &part, 1, NULL, 0, 1);
	is = !p.nmodule;
	areset(&tmp);
	return is;
}

/* sortparts - by group, and else as they are. */
static void
sortparts(Parts *p)
{
	Portion *sorted = anew(p->run, Portion, p->n);
	int *at = anew(p->run, int, p->ngroup + 1), i;

	for (i = 0; i < p->n; i++)
		at[p->part[i].group + 1]++;
	for (i = 0; i < p->ngroup; i++)
		at[i + 1] += at[i];
	for (i = 0; i < p->n; i++)
		sorted[at[p->part[i].group]++] = p->part[i];
	p->part = sorted;
	p->cap = (size_t)p->n;
}

void
groupparts(Parts *p)
{
	Table keys = {.arena = p->run};
	int i, n = 0;

	p->ngroup = 0;
	for (i = 0; i < p->n; i++) {
		Portion *part = &p->part[i];
		Arena tmp = {0};
		Buf key = {.arena = &tmp};
		bool any;

		progress("looking at profiles", i, p->n);
		moduleskey(part, &key, &tmp);
		any = key.n > strlen(part->label) + 2 || !isnothing(part);
		if (any) {
			part->group = intern(&keys, key.s, key.n, p->ngroup)->value;
			p->ngroup += part->group == p->ngroup;
			p->part[n++] = *part;
		}
		areset(&tmp);
	}
	p->n = n;
	sortparts(p);
}

/* packcounts - those of a module. */
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

/* pad - to a multiple of 8. */
static void
pad(Buf *b)
{
	bput(b, "\0\0\0\0\0\0\0", -b->n & 7);
}

typedef struct Writer Writer;

/* A sum on its way into the file. */
struct Writer {
	FILE *f;
	Arena *run; /* of the whole file */
	Arena one;  /* of this sum */
	struct Profhdr h;
	uint64_t at; /* where the sum begins */
	Table maps;  /* modules to numbers of mapat[] */
	uint64_t *mapat;
	size_t capmap;
	int nmap;
	Buf rec, data; /* records, and what they refer to */
	size_t last;   /* the last of rec */
};

/* putrec - a record; the one before it learns where it is. */
static void
putrec(Writer *w, void *rec, uint32_t size, int kind)
{
	struct Profrec *r = rec;

	*r = (struct Profrec){.size = size, .kind = (uint16_t)kind, .version = PROFVERSION};
	if (w->rec.n) {
		uint64_t next = sizeof(struct Profhdr) + w->rec.n;

		memcpy(w->rec.s + w->last + offsetof(struct Profrec, next), &next, sizeof next);
	}
	w->last = w->rec.n;
	bput(&w->rec, rec, size);
}

/* putmodule - the record of a module or of a library; map is where its map is, or 0. */
static void
putmodule(Writer *w, const char *path, const uint8_t *id, int idlen, uint64_t ncount, uint64_t map,
	  uint64_t maplen, int kind, Arena *tmp)
{
	struct Profmodule m = {.ncount = ncount,
			       .map = map,
			       .maplen = maplen,
			       .idlen = (uint32_t)idlen,
			       .pathlen = (uint32_t)strlen(path)};
	Buf b = {.arena = tmp};

	memcpy(m.id, id, sizeof m.id);
	bput(&b, (const char *)&m, sizeof m);
	bput(&b, path, strlen(path) + 1);
	pad(&b);
	putrec(w, b.s, (uint32_t)b.n, kind);
}

/* copymap - the map that is in a profile to the new file, once; returns where it is there. */
static uint64_t
copymap(Writer *w, const Module *m)
{
	Print print;
	const Entry *e;

	if (!m->map)
		return 0;
	print = fingerprint(m->map, m->maplen);
	e = intern(&w->maps, (const char *)&print, sizeof print, w->nmap);
	if (e->value < w->nmap)
		return w->mapat[e->value];
	apush(w->run, w->mapat, w->nmap, w->capmap);
	w->mapat[w->nmap] = w->data.n; /* from the data, whose place is not known yet */
	bput(&w->data, m->map, m->maplen);
	pad(&w->data);
	return w->mapat[w->nmap++];
}

/* puttimes - how long the functions of a module took, if that is known. */
static void
puttimes(Writer *w, const Module *m, int number)
{
	struct Proftimes t = m->stops;

	if (!m->ntime)
		return;
	t.module = (uint32_t)number;
	t.ntime = (uint32_t)m->ntime;
	t.times = w->data.n;
	bput(&w->data, (const char *)m->time, sizeof *m->time * (size_t)m->ntime);
	putrec(w, &t, sizeof t, PROFTIMES);
}

static void
putcuts(Writer *w, const Profile *p)
{
	struct Profcuts cuts = {.cuts = w->data.n};
	int i, k;

	for (i = 0; i < p->nmodule; i++)
		for (k = 0; k < p->module[i].ncut; k++) {
			const Modcut *c = &p->module[i].cut[k];
			struct Profcut out = {c->addr, (uint32_t)i, c->kind, c->times};

			bput(&w->data, (const char *)&out, sizeof out);
			cuts.ncut++;
		}
	putrec(w, &cuts, sizeof cuts, PROFCUTS);
}

/* putcalls - and the libraries that were called, in the order of p->library. */
static void
putcalls(Writer *w, const Profile *p, Arena *tmp)
{
	struct Profcalls calls = {.calls = w->data.n};
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
			bput(&w->data, (const char *)&out, sizeof out);
			calls.ncall++;
		}
	if (!calls.ncall)
		return;
	putrec(w, &calls, sizeof calls, PROFCALLS);
	for (i = 0; i < p->nlibrary; i++)
		putmodule(w, p->library[i].is->path, p->library[i].is->id, p->library[i].is->idlen,
			  0, 0, 0, PROFOBJECT, tmp);
}

/* relocate - offsets of data become those in the file, now that all records are known. */
static void
relocate(Writer *w, uint64_t oldmaps)
{
	uint64_t data = sizeof(struct Profhdr) + w->rec.n, at, k;

	for (at = 0; at < w->rec.n; at += ((struct Profrec *)(w->rec.s + at))->size) {
		void *rec = w->rec.s + at;

		switch (((struct Profrec *)rec)->kind) {
		case PROFPACKED: ((struct Profpacked *)rec)->packed += data; break;
		case PROFCUTS: ((struct Profcuts *)rec)->cuts += data; break;
		case PROFCALLS: ((struct Profcalls *)rec)->calls += data; break;
		case PROFORDER: ((struct Proforder *)rec)->ranks += data; break;
		case PROFTIMES: ((struct Proftimes *)rec)->times += data; break;
		default: break;
		}
	}
	for (k = oldmaps; k < (uint64_t)w->nmap; k++)
		w->mapat[k] += w->at + data;
}

/* putmaps - where the maps of modules are, likewise. */
static void
putmaps(Writer *w, const Profile *p)
{
	uint64_t at = 0;
	int i;

	for (i = 0; i < p->nmodule; i++) {
		struct Profmodule *m = (void *)(w->rec.s + at);

		m->map = copymap(w, &p->module[i]);
		at = m->rec.next - sizeof(struct Profhdr);
	}
}

/* packsum - of one group, to be written when it is known whether another follows. */
static void
packsum(Writer *w, const Profile *p, const char *label)
{
	uint64_t oldmaps = (uint64_t)w->nmap;
	Arena *tmp = &w->one;
	int i;

	w->rec = (Buf){.arena = tmp};
	w->data = (Buf){.arena = tmp};
	for (i = 0; i < p->nmodule; i++) {
		const Module *m = &p->module[i];

		putmodule(w, m->path, m->id, m->idlen, m->ncount, 0, m->maplen, PROFMODULE, tmp);
	}
	for (i = 0; i < p->nmodule; i++) {
		const Module *m = &p->module[i];
		struct Profpacked c = {.module = (uint32_t)i, .packed = w->data.n};
		struct Proforder o = {.module = (uint32_t)i, .nunit = (uint32_t)m->nunit};

		packcounts(&w->data, m);
		c.bytes = w->data.n - c.packed;
		pad(&w->data);
		putrec(w, &c, sizeof c, PROFPACKED);
		puttimes(w, m, i);
		o.ranks = w->data.n;
		if (!m->rank)
			continue;
		bput(&w->data, (const char *)m->rank, 8 * m->nunit);
		putrec(w, &o, sizeof o, PROFORDER);
	}
	putcuts(w, p);
	putcalls(w, p, tmp);
	for (i = 0; i < p->nmodule; i++)
		copymap(w, &p->module[i]);
	relocate(w, oldmaps);
	putmaps(w, p);
	w->h = p->all;
	memcpy(w->h.magic, PROFMAGIC, sizeof w->h.magic);
	w->h.flags |= PROFSUM;
	w->h.state = PROFCLOSED;
	w->h.first = sizeof w->h;
	w->h.size = sizeof w->h + w->rec.n + w->data.n;
	memset(w->h.label, 0, sizeof w->h.label);
	memset(w->h.far, 0, sizeof w->h.far);
	if (strlen(label) < LABELSIZE) {
		strcpy(w->h.label[0], label);
		return;
	}
	w->h.far[0] = w->h.size;
	bput(&w->data, label, strlen(label) + 1);
	pad(&w->data);
	w->h.size = sizeof w->h + w->rec.n + w->data.n;
}

/* writesum - the last that was packed, if any. */
static void
writesum(Writer *w, bool more)
{
	if (!w->h.size)
		return;
	w->h.flags |= more ? PROFMORE : 0;
	fwrite(&w->h, sizeof w->h, 1, w->f);
	fwrite(w->rec.s, w->rec.n, 1, w->f);
	fwrite(w->data.s, w->data.n, 1, w->f);
	w->at += w->h.size;
	w->h.size = 0;
	areset(&w->one);
}

int
writemerged(FILE *f, Parts *parts)
{
	Writer w = {.f = f, .run = parts->run, .maps = {.arena = parts->run}};
	Builds builds = {.of = {.arena = parts->run}};
	Portion **part = anew(parts->run, Portion *, parts->n);
	int i, k, n = 0;

	for (i = 0; i < parts->n; i = k) {
		Arena sum = {0};
		Profile p = {.run = &sum};

		for (k = i; k < parts->n && parts->part[k].group == parts->part[i].group; k++)
			part[k] = &parts->part[k];
		readparts(&p, part + i, k - i, "adding up profiles", i, parts->n);
		if (p.nmodule) {
			notebuilds(&builds, &p, parts->part[i].path);
			writesum(&w, true);
			packsum(&w, &p, parts->part[i].label);
			n++;
		}
		areset(&sum);
	}
	writesum(&w, false);
	return n;
}
