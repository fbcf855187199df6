/* merge.c - any number of profiles in one file: the sum of each program, build and label.
 *
 * First all headers are read, and the modules that they name; so the parts are sorted into groups
 * of equal ones.  Then each group is added up and packed, and written when the next is ready: no
 * more than one group is in memory, and one more packed. */

#include "profile.h"

#include <string.h>

typedef struct Reader Reader;

/* The begin of a part, where its records usually are. */
struct Reader {
	const Portion *part;
	Arena *tmp;
	char *head;
	size_t nhead;
};

enum { HEAD = 4096 };

/* bytesat - n bytes of a part, aligned to 8; NULL if it does not have them. */
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

/* The key under construction that tells groups apart. */
struct Key {
	Buf *to;
	const Portion *part;
	Arena *tmp;
};

/* addkey - adds a module to the key. */
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

/* moduleskey - makes the key of a part from all its modules, its label, and whether processes were
 * killed or still run, which have a sum of their own.  Damage is found when the part is read. */
static void
moduleskey(const Portion *part, Buf *to, Arena *tmp)
{
	Key key = {.to = to, .part = part, .tmp = tmp};

	bput(to, part->label, strlen(part->label) + 1);
	bput(to, part->gone ? "1" : "0", 1);
	eachmodule(part, addkey, &key, tmp);
}

/* The first build of a program that was seen. */
typedef struct Build Build;

struct Build {
	const char *path; /* of its profile */
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

/* notebuilds - warns if the modules of a group are of other builds than in groups before. */
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
		remark("%s and %s: from different builds of %s, which are kept apart", first->path,
		       path, m->path);
		first->said = true;
	}
}

/* isnothing - returns whether a part has no module, because its process died before it counted, or
 * is damaged. */
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

/* sortparts - sorts by group; parts of one group keep their order. */
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

int
writemerged(FILE *f, Parts *parts)
{
	Sums *sums = beginsums(f, parts->run);
	Builds builds = {.of = {.arena = parts->run}};
	Portion **part = anew(parts->run, Portion *, parts->n);
	int i, k;

	for (i = 0; i < parts->n; i = k) {
		Arena sum = {0};
		Profile p = {.run = &sum};

		for (k = i; k < parts->n && parts->part[k].group == parts->part[i].group; k++)
			part[k] = &parts->part[k];
		readparts(&p, part + i, k - i, "adding up profiles", i, parts->n);
		if (p.nmodule) {
			notebuilds(&builds, &p, parts->part[i].path);
			addsum(sums, &p, parts->part[i].label);
		}
		areset(&sum);
	}
	return endsums(sums);
}
