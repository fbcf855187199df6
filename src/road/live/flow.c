/* flow.c - where control may go in a function, and so where probes belong.
 *
 * Code is found by following control from where a function begins, so data among it is never
 * taken for code.  Where an indirect jump leads is learned when it is made, since it has a
 * probe: if that is in the middle of a block, the block is split, and the counts so far say
 * how often control fell over the seam. */

#include "live.h"

#include <stdlib.h>
#include <string.h>

typedef struct Search Search;

struct Search {
	Image *im;
	int sym;
	uint64_t *todo;
	int n;
	size_t cap;
};

bool
turnat(const Image *im, const Sym *s, uint64_t addr, Insn *in)
{
	size_t len;
	const uint8_t *code = inside(s, addr) ? codeof(im, addr, &len) : NULL;

	if (!code || !decode(code, len, in))
		return false;
	/* A call of the code behind it is a jump that asks where it is. */
	if (in->turn == CALL && in->direct && inside(s, addr + (uint64_t)in->target)
	    && addr + (uint64_t)in->target != s->range->begin)
		in->turn = JUMP;
	return true;
}

int
probeat(Image *im, uint64_t addr)
{
	const Entry *e = lookup(&im->index, (const char *)&addr, sizeof addr);

	return e ? e->value : NONE;
}

int
probebefore(Image *im, uint64_t addr)
{
	int sym = symat(im, addr), i;

	for (; sym != NONE && inside(&im->sym[sym], addr); addr--) {
		i = probeat(im, addr);
		if (i != NONE || (*knowof(im, addr) & LEADS))
			return i;
	}
	return NONE;
}

/* finish - what follows a probe. */
static void
finish(Image *im, int i)
{
	Probe *p = &im->probe[i];
	const Sym *s = &im->sym[p->sym];
	uint64_t at = p->addr;
	Insn in;

	p->next = p->target = 0;
	while (turnat(im, s, at, &in)) {
		uint64_t next = at + (uint64_t)in.len;
		const uint8_t *know = knowof(im, next);
		bool ends = (in.turn != PLAIN && in.turn != CALL) || !know || !inside(s, next)
			    || (*know & LEADS);

		if (!ends && probeat(im, next) != NONE)
			return;
		if (ends) {
			p->next = next;
			p->end = in.turn;
			p->target =
				in.turn == COND || in.turn == JUMP ? at + (uint64_t)in.target : 0;
			return;
		}
		at = next;
	}
}

/* addprobe - at an address; its number. */
static int
addprobe(Image *im, int sym, uint64_t addr)
{
	int i = probeat(im, addr);
	size_t len;
	const uint8_t *code = codeof(im, addr, &len);

	if (i != NONE)
		return i;
	apush(im->run, im->probe, im->nprobe, im->capprobe);
	i = im->nprobe++;
	im->probe[i] = (Probe){.addr = addr, .sym = sym, .before = NONE};
	decode(code, len, &im->probe[i].in);
	intern(&im->index, (const char *)&addr, sizeof addr, i);
	return i;
}

/* split - the block that an address is in the middle of, while processes run: so far all who came
 * there fell over the seam. */
static void
split(Image *im, int sym, uint64_t addr)
{
	const Sym *s = &im->sym[sym];
	int q = inside(s, addr - 1) ? probebefore(im, addr - 1) : NONE, i = probeat(im, addr);
	bool is = i != NONE;
	Probe *new, *old;

	if (q == NONE)
		return; /* nobody counts there */
	i = addprobe(im, sym, addr);
	new = &im->probe[i];
	old = &im->probe[q];
	if (!is) {
		new->before = q;
		new->count = old->count;
		new->fell = old->fell;
		new->taken = old->taken;
	}
	old->fell = new->count;
	old->taken = 0;
	finish(im, q);
	finish(im, i);
}

/* lead - a block begins at an address. */
static void
lead(Search *x, uint64_t addr)
{
	uint8_t *know = knowof(x->im, addr);

	if (!know || !inside(&x->im->sym[x->sym], addr) || (*know & LEADS))
		return;
	*know |= LEADS;
	if ((*know & SEEN) && x->im->chosen)
		split(x->im, x->sym, addr);
	if (*know & SEEN)
		return;
	apush(x->im->run, x->todo, x->n, x->cap);
	x->todo[x->n++] = addr;
}

/* follow - control from an address to where it turns for good. */
static void
follow(Search *x, uint64_t at)
{
	Image *im = x->im;
	Sym *s = &im->sym[x->sym];
	Insn in;

	for (;; at += (uint64_t)in.len) {
		uint8_t *know = knowof(im, at);

		if (!know || !inside(s, at))
			return;
		if (*know & SEEN) {
			lead(x, at); /* control comes from two sides */
			return;
		}
		if (!turnat(im, s, at, &in)) {
			s->odd = "has bytes that are no instruction";
			return;
		}
		if (in.turn == COND && in.brief && in.cc < 0 && in.len > 3) {
			s->odd = "has a transaction";
			return;
		}
		*know |= SEEN | (im->wish->unit == INSTRUCTIONS ? EVERY : 0);
		if (in.turn == INDIR)
			*know |= JUMPS;
		if (in.turn == COND || in.turn == JUMP)
			lead(x, at + (uint64_t)in.target);
		if (in.turn == COND)
			lead(x, at + (uint64_t)in.len);
		if (in.turn == CALL && inside(s, at + (uint64_t)in.len))
			*knowof(im, at + (uint64_t)in.len) |= BEHIND;
		if (in.turn != PLAIN && in.turn != CALL)
			return;
	}
}

/* explore - all code of a function that control can get to from an address. */
static void
explore(Image *im, int sym, uint64_t from)
{
	Search x = {.im = im, .sym = sym};

	lead(&x, from);
	while (x.n)
		follow(&x, x.todo[--x.n]);
}

/* isprobed - whether an address of a function is to have a probe; what is known of the block that it
 * is in. */
static bool
isprobed(const Image *im, const Sym *s, uint64_t at, uint8_t block)
{
	uint8_t know = *knowof(im, at);

	if (!(know & SEEN))
		return false;
	if (im->wish->unit == FUNCTIONS && s->partial && !(block & NEEDED))
		return at == s->range->begin;
	if (s->partial && !(block & (WANTED | NEEDED)))
		return know & JUMPS;
	return know & (LEADS | BEHIND | JUMPS | EVERY);
}

/* putprobes - where a function is to have them. */
static void
putprobes(Image *im, int sym)
{
	const Sym *s = &im->sym[sym];
	int i, first = im->nprobe;
	uint8_t block = 0;
	uint64_t at;

	for (i = 0; i < s->nrange; i++)
		for (at = s->range[i].begin; at < s->range[i].end; at++) {
			if (*knowof(im, at) & LEADS)
				block = *knowof(im, at);
			if (isprobed(im, s, at, block))
				addprobe(im, sym, at);
		}
	/* To know where control went from a wanted block, all that may come next are probed. */
	for (i = first; s->partial && i < im->nprobe; i++) {
		finish(im, i);
		if (im->wish->unit == FUNCTIONS && !(*knowof(im, im->probe[i].addr) & NEEDED))
			continue;
		if (im->probe[i].next && knowof(im, im->probe[i].next)
		    && (*knowof(im, im->probe[i].next) & SEEN) && inside(s, im->probe[i].next)
		    && im->probe[i].end != JUMP && im->probe[i].end != INDIR
		    && (*knowof(im, im->probe[i].addr) & (LEADS | BEHIND)))
			addprobe(im, sym, im->probe[i].next);
		if (im->probe[i].target && inside(s, im->probe[i].target))
			addprobe(im, sym, im->probe[i].target);
	}
	for (i = first; i < im->nprobe; i++)
		finish(im, i);
}

typedef struct Part Part;

/* What a word of --only or --skip says: FILE:LINE, FILE:FROM-TO, ADDRESS, ADDRESS-ADDRESS, or
 * a glob of modules, files and functions. */
struct Part {
	char *glob; /* NULL: addresses */
	uint64_t from, to;
	bool lines;
};

static Part
partof(const Image *im, const char *word)
{
	const char *colon = strrchr(word, ':');
	Part p = {.to = UINT64_MAX};
	char *end;

	if (strncmp(word, "0x", 2) == 0) {
		p.from = p.to = strtoull(word, &end, 16);
		if (*end == '-')
			p.to = strtoull(end + 1, NULL, 16);
		return p;
	}
	p.glob = astrndup(im->run, word, strlen(word));
	if (!colon || colon[1] < '0' || colon[1] > '9')
		return p;
	p.lines = true;
	p.glob[colon - word] = 0;
	p.from = p.to = strtoull(colon + 1, &end, 10);
	if (*end == '-')
		p.to = strtoull(end + 1, NULL, 10);
	return p;
}

/* hasinsn - whether a word names an instruction. */
static bool
hasinsn(const Image *im, const Part *p, uint64_t addr)
{
	const Row *r = p->lines ? rowat(im, addr) : NULL;

	if (!p->glob)
		return addr >= p->from && addr <= p->to;
	return r && r->line >= p->from && r->line <= p->to
	       && matchespath(&p->glob, 1, im->file[r->file]);
}

/* hassym - whether it names all of a function. */
static bool
hassym(const Image *im, const Part *p, const Sym *s)
{
	const Row *r = rowat(im, s->range->begin);

	if (!p->glob || p->lines)
		return false;
	return matches(&p->glob, 1, s->name) || matchespath(&p->glob, 1, im->path)
	       || (r && matchespath(&p->glob, 1, im->file[r->file]));
}

/* wantparts - the blocks of a function that words name, or do not. */
static bool
wantparts(Image *im, Sym *s, char *const *word, int n, bool want)
{
	uint64_t at, leader = 0;
	bool any = false;
	int i, k;

	for (k = 0; k < n; k++) {
		Part p = partof(im, word[k]);

		if (p.glob && !p.lines)
			continue;
		for (i = 0; i < s->nrange; i++)
			for (at = s->range[i].begin; at < s->range[i].end; at++) {
				uint8_t *know = knowof(im, at);

				leader = *know & LEADS ? at : leader;
				if (!(*know & SEEN) || !leader || !hasinsn(im, &p, at))
					continue;
				any = true;
				if (want)
					*knowof(im, leader) |= WANTED;
				else
					*knowof(im, leader) &= (uint8_t)~WANTED;
			}
	}
	return any;
}

static bool
issymword(const Image *im, const Sym *s, char *const *word, int n)
{
	int k;

	for (k = 0; k < n; k++) {
		Part p = partof(im, word[k]);

		if (hassym(im, &p, s))
			return true;
	}
	return false;
}

/* wantall - the blocks of a function. */
static void
wantall(Image *im, const Sym *s)
{
	uint64_t at;
	int i;

	for (i = 0; i < s->nrange; i++)
		for (at = s->range[i].begin; at < s->range[i].end; at++)
			if (*knowof(im, at) & LEADS)
				*knowof(im, at) |= WANTED;
}

/* wantentry - calls of a function alone: its entry, and whatever goes back there. */
static void
wantentry(Image *im, Sym *s)
{
	uint64_t at, leader = s->range->begin;
	Insn in;
	int i;

	s->partial = true;
	*knowof(im, s->range->begin) |= WANTED;
	for (i = 0; i < s->nrange; i++)
		for (at = s->range[i].begin; at < s->range[i].end; at++) {
			if (*knowof(im, at) & LEADS)
				leader = at;
			if ((*knowof(im, at) & SEEN) && turnat(im, s, at, &in)
			    && (in.turn == COND || in.turn == JUMP)
			    && at + (uint64_t)in.target == s->range->begin)
				*knowof(im, leader) |= NEEDED;
		}
}

/* wantsome - what --only names and --skip does not; true if there is any of it. */
static bool
wantsome(Image *im, Sym *s)
{
	bool some = wantparts(im, s, im->wish->only, im->wish->nonly, true);

	s->partial |= wantparts(im, s, im->wish->skip, im->wish->nskip, false);
	return some;
}

/* choosesym - whether to count in a function, and what. */
static void
choosesym(Image *im, int i, bool usual)
{
	const Wish *w = im->wish;
	Sym *s = &im->sym[i];
	bool all = w->nonly ? issymword(im, s, w->only, w->nonly) : usual, some;

	if (issymword(im, s, w->skip, w->nskip) || (!all && !w->nonly)
	    || (w->unit == LINES && !s->listed))
		return;
	explore(im, i, s->range->begin);
	if (w->unit == FUNCTIONS && all) {
		wantentry(im, s);
		s->chosen = true;
		return;
	}
	if (all)
		wantall(im, s);
	s->partial = !all;
	some = wantsome(im, s);
	s->chosen = all || some;
}

/* isshared - whether a library is there for everybody. */
static bool
isshared(const char *path)
{
	return strncmp(path, "/usr/", 5) == 0 || strncmp(path, "/lib", 4) == 0;
}

bool
isusual(const char *path, const Wish *w, bool program)
{
	return program || w->nonly || !isshared(path);
}

void
choosecode(Image *im, const Wish *w, bool program)
{
	bool usual = program || (im->debug && !isshared(im->path));
	int i;

	im->wish = w;
	for (i = 0; i < im->nsym; i++)
		choosesym(im, i, usual);
	for (i = 0; i < im->nsym; i++)
		if (im->sym[i].chosen && !im->sym[i].odd)
			putprobes(im, i);
	im->chosen = im->nprobe > 0;
}

void
learn(Image *im, uint64_t addr)
{
	int sym = symat(im, addr), first = im->nprobe, i;
	const uint8_t *know = knowof(im, addr);

	if (sym == NONE || !know || (*know & LEADS) || !im->sym[sym].chosen || im->sym[sym].odd)
		return;
	explore(im, sym, addr);
	if (im->wish->unit != FUNCTIONS && im->sym[sym].partial)
		wantsome(im, &im->sym[sym]);
	putprobes(im, sym);
	for (i = first; i < im->nprobe; i++) {
		finish(im, i);
		if (im->probe[i].before != NONE)
			finish(im, im->probe[i].before);
	}
}

/* ispadding - bytes between pieces of code: nop, int3, zeros; how many, or 0. */
static int
ispadding(const uint8_t *code, size_t len)
{
	Insnkind k;
	Insn in;

	if (code[0] == 0xcc || code[0] == 0)
		return 1;
	if (!kindof(code, len, &k) || !decode(code, len, &in) || in.landing)
		return 0;
	if (strcmp(k.group, "NOP") == 0 || strcmp(k.group, "WIDENOP") == 0)
		return k.len;
	return 0;
}

void
sweep(Image *im, int sym)
{
	const Sym *s = &im->sym[sym];
	uint64_t at;
	size_t len;
	int i, n;

	for (i = 0; i < s->nrange; i++)
		for (at = s->range[i].begin; at < s->range[i].end; at += (uint64_t)n) {
			const uint8_t *code = codeof(im, at, &len);
			Insn in;

			if (!(*knowof(im, at) & SEEN) && (n = ispadding(code, len)))
				continue;
			if (!(*knowof(im, at) & SEEN))
				explore(im, sym, at);
			n = decode(code, len, &in) ? in.len : 1;
		}
}

void
countroute(Image *im, uint64_t from, uint64_t to)
{
	uint64_t key[2] = {from, to};
	Entry *e = intern(&im->routes, (char *)key, sizeof key, im->nroute);

	if (e->value == im->nroute) {
		apush(im->run, im->route, im->nroute, im->caproute);
		im->route[im->nroute++] = (Route){.from = from, .to = to};
	}
	im->route[e->value].times++;
}
