/* probes.c - what to count, and where probes go for that.
 *
 * A probe is at the start of each block, after each call, and on each indirect jump.  Where an
 * indirect jump leads is learned when it is made.  If that is in the middle of a block, the block
 * is split there:
 *
 *	a: ...    count 7              a: ...    count 7, fell 7
 *	   ...                 ->      b: ...    count 7: so far control came to b from a only
 *	   jne    taken 4                 jne    taken 4 */

#include "live.h"

#include <stdlib.h>
#include <string.h>

int
probeat(Target *tg, uint64_t addr)
{
	const Entry *e = lookup(&tg->index, (const char *)&addr, sizeof addr);

	return e ? e->value : NONE;
}

int
probebefore(Target *tg, uint64_t addr)
{
	int fn = functionat(tg->im, addr), i;

	for (; fn != NONE && inside(&tg->im->fn[fn], addr); addr--) {
		i = probeat(tg, addr);
		if (i != NONE || (*knowof(tg->im, addr) & LEADS))
			return i;
	}
	return NONE;
}

/* finish - find out how the block of a probe ends, if this is the last probe in it. */
static void
finish(Target *tg, int i)
{
	Probe *p = &tg->probe[i];
	const Func *f = &tg->im->fn[p->fn];
	uint64_t at = p->addr;
	Insn in;

	p->next = p->target = 0;
	p->prefix = turnat(tg->im, f, at, &in) && in.prefix;
	while (turnat(tg->im, f, at, &in)) {
		uint64_t next = at + (uint64_t)in.len;
		const uint8_t *know = knowof(tg->im, next);
		bool ends = (in.turn != PLAIN && in.turn != CALL) || !know || !inside(f, next)
			    || (*know & LEADS);

		if (!ends && probeat(tg, next) != NONE)
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

/* addprobe - the number of the probe at an address; adds it if it is new. */
static int
addprobe(Target *tg, int fn, uint64_t addr)
{
	int i = probeat(tg, addr);
	size_t len;
	const uint8_t *code = codeof(tg->im, addr, &len);

	if (i != NONE)
		return i;
	apush(tg->run, tg->probe, tg->nprobe, tg->capprobe);
	i = tg->nprobe++;
	tg->probe[i] = (Probe){.addr = addr, .fn = fn, .before = NONE};
	decode(code, len, &tg->probe[i].in);
	intern(&tg->index, (const char *)&addr, sizeof addr, i);
	return i;
}

/* split - split the block around an address, while processes run.  The new probe takes over the
 * counts: so far control came to it by falling through only. */
static void
split(void *with, int fn, uint64_t addr)
{
	Target *tg = with;
	const Func *f = &tg->im->fn[fn];
	int q, i = probeat(tg, addr);
	bool is = i != NONE;
	Probe *new, *old;

	if (!tg->chosen)
		return; /* nothing runs yet */
	q = inside(f, addr - 1) ? probebefore(tg, addr - 1) : NONE;
	if (q == NONE)
		return; /* nothing is counted there */
	i = addprobe(tg, fn, addr);
	new = &tg->probe[i];
	old = &tg->probe[q];
	if (!is) {
		new->before = q;
		new->count = old->count;
		new->fell = old->fell;
		new->taken = old->taken;
	}
	old->fell = new->count;
	old->taken = 0;
	finish(tg, q);
	finish(tg, i);
}

/* isprobed - whether an address of a function needs a probe; `block' is what is known of the start
 * of its block. */
static bool
isprobed(const Target *tg, int fn, uint64_t at, uint8_t block)
{
	bool partial = tg->watch[fn].partial;
	uint8_t know = *knowof(tg->im, at);

	if (!(know & SEEN))
		return false;
	if (tg->wish->unit == FUNCTIONS && partial && !(block & NEEDED))
		return at == tg->im->fn[fn].range->begin;
	if (partial && !(block & (WANTED | NEEDED)))
		return know & JUMPS;
	return (know & (LEADS | RETURNS | JUMPS)) || tg->wish->unit == INSTRUCTIONS;
}

/* probesin - add the probes in some code of a function; a block begins at `from'. */
static void
probesin(Target *tg, int fn, uint64_t from, uint64_t to)
{
	uint8_t block = 0;
	uint64_t at;

	for (at = from; at < to; at++) {
		if (*knowof(tg->im, at) & LEADS)
			block = *knowof(tg->im, at);
		if (isprobed(tg, fn, at, block))
			addprobe(tg, fn, at);
	}
}

/* putprobes - add the probes of a function. */
static void
putprobes(Target *tg, int fn)
{
	const Func *f = &tg->im->fn[fn];
	const Watch *w = &tg->watch[fn];
	int i, first = tg->nprobe;

	for (i = 0; i < f->nrange; i++)
		probesin(tg, fn, f->range[i].begin, f->range[i].end);
	/* edges out of a wanted block are counted at its successors, so these need probes, too */
	for (i = first; w->partial && i < tg->nprobe; i++) {
		finish(tg, i);
		if (tg->wish->unit == FUNCTIONS && !(*knowof(tg->im, tg->probe[i].addr) & NEEDED))
			continue;
		if (tg->probe[i].next && knowof(tg->im, tg->probe[i].next)
		    && (*knowof(tg->im, tg->probe[i].next) & SEEN) && inside(f, tg->probe[i].next)
		    && tg->probe[i].end != JUMP && tg->probe[i].end != INDIR
		    && (*knowof(tg->im, tg->probe[i].addr) & (LEADS | RETURNS)))
			addprobe(tg, fn, tg->probe[i].next);
		if (tg->probe[i].target && inside(f, tg->probe[i].target))
			addprobe(tg, fn, tg->probe[i].target);
	}
	for (i = first; i < tg->nprobe; i++)
		finish(tg, i);
}

typedef struct Part Part;

/* A word of --only or --skip: FILE:LINE, FILE:FROM-TO, ADDRESS, ADDRESS-ADDRESS, or a glob for
 * modules, files and functions. */
struct Part {
	char *glob; /* NULL if it names addresses */
	uint64_t from, to;
	bool lines; /* from and to are lines of the files that glob names */
};

static Part
partof(const Target *tg, const char *word)
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
	p.glob = astrndup(tg->run, word, strlen(word));
	if (!colon || colon[1] < '0' || colon[1] > '9')
		return p;
	p.lines = true;
	p.glob[colon - word] = 0;
	p.from = p.to = strtoull(colon + 1, &end, 10);
	if (*end == '-')
		p.to = strtoull(end + 1, NULL, 10);
	return p;
}

/* hasinsn - whether a word names the instruction at an address. */
static bool
hasinsn(const Target *tg, const Part *p, uint64_t addr)
{
	const Row *r = p->lines ? rowat(tg->im, addr) : NULL;

	if (!p->glob)
		return addr >= p->from && addr <= p->to;
	return r && r->line >= p->from && r->line <= p->to
	       && matchespath(&p->glob, 1, tg->im->file[r->file]);
}

/* hasall - whether a word names all of a function. */
static bool
hasall(const Target *tg, const Part *p, const Func *f)
{
	const Row *r = rowat(tg->im, f->range->begin);

	if (!p->glob)
		return f->nameless && p->from == p->to && p->from == f->range->begin;
	if (p->lines)
		return false;
	return matches(&p->glob, 1, f->name) || matchespath(&p->glob, 1, tg->im->path)
	       || (r && matchespath(&p->glob, 1, tg->im->file[r->file]));
}

/* wantparts - want, or do not want, the blocks of a function that words name by lines or addresses;
 * returns whether there are any. */
static bool
wantparts(Target *tg, const Func *f, char *const *word, int n, bool want)
{
	uint64_t at, leader = 0;
	bool any = false;
	int i, k;

	for (k = 0; k < n; k++) {
		Part p = partof(tg, word[k]);

		if (p.glob && !p.lines)
			continue;
		for (i = 0; i < f->nrange; i++)
			for (at = f->range[i].begin; at < f->range[i].end; at++) {
				uint8_t *know = knowof(tg->im, at);

				leader = *know & LEADS ? at : leader;
				if (!(*know & SEEN) || !leader || !hasinsn(tg, &p, at))
					continue;
				any = true;
				if (want)
					*knowof(tg->im, leader) |= WANTED;
				else
					*knowof(tg->im, leader) &= (uint8_t)~WANTED;
			}
	}
	return any;
}

static bool
isnamed(const Target *tg, const Func *f, char *const *word, int n)
{
	int k;

	for (k = 0; k < n; k++) {
		Part p = partof(tg, word[k]);

		if (hasall(tg, &p, f))
			return true;
	}
	return false;
}

/* wantall - want all blocks of a function. */
static void
wantall(Target *tg, const Func *f)
{
	uint64_t at;
	int i;

	for (i = 0; i < f->nrange; i++)
		for (at = f->range[i].begin; at < f->range[i].end; at++)
			if (*knowof(tg->im, at) & LEADS)
				*knowof(tg->im, at) |= WANTED;
}

/* wantentry - want the number of calls of a function only: its first block, and probes in the
 * blocks that jump back there, to tell such jumps from calls. */
static void
wantentry(Target *tg, const Func *f)
{
	uint64_t at, leader = f->range->begin;
	Insn in;
	int i;

	*knowof(tg->im, f->range->begin) |= WANTED;
	for (i = 0; i < f->nrange; i++)
		for (at = f->range[i].begin; at < f->range[i].end; at++) {
			if (*knowof(tg->im, at) & LEADS)
				leader = at;
			if ((*knowof(tg->im, at) & SEEN) && turnat(tg->im, f, at, &in)
			    && (in.turn == COND || in.turn == JUMP)
			    && at + (uint64_t)in.target == f->range->begin)
				*knowof(tg->im, leader) |= NEEDED;
		}
}

/* wantsome - want the blocks that --only names and --skip does not; returns whether --only named
 * any of the function. */
static bool
wantsome(Target *tg, int fn)
{
	const Func *f = &tg->im->fn[fn];
	bool some = wantparts(tg, f, tg->wish->only, tg->wish->nonly, true);

	tg->watch[fn].partial |= wantparts(tg, f, tg->wish->skip, tg->wish->nskip, false);
	return some;
}

/* choose - choose whether to count in a function, and what. */
static void
choose(Target *tg, int fn, bool usual)
{
	const Func *f = &tg->im->fn[fn];
	const Wish *w = tg->wish;
	Watch *is = &tg->watch[fn];
	bool all = w->nonly ? isnamed(tg, f, w->only, w->nonly) : usual, some;

	if (isnamed(tg, f, w->skip, w->nskip) || (!all && !w->nonly)
	    || (w->unit == LINES && !f->listed))
		return;
	if (w->unit == FUNCTIONS && all) {
		wantentry(tg, f);
		is->partial = is->chosen = true;
		return;
	}
	if (all)
		wantall(tg, f);
	is->partial = !all;
	some = wantsome(tg, fn);
	is->chosen = all || some;
}

/* mayhave - whether a word may name something in an image, as far as that is known before its code
 * is explored. */
static bool
mayhave(const Target *tg, const char *word)
{
	const Image *im = tg->im;
	Part p = partof(tg, word);
	int i;

	for (i = 0; i < im->ntext && !p.glob; i++)
		if (p.from < im->text[i].addr + im->text[i].size && p.to >= im->text[i].addr)
			return true;
	for (i = 0; i < im->nfile && p.lines; i++)
		if (matchespath(&p.glob, 1, im->file[i]))
			return true;
	for (i = 0; i < im->nfn && p.glob && !p.lines; i++)
		if (hasall(tg, &p, &im->fn[i]))
			return true;
	return false;
}

/* maychoose - whether anything in an image may be chosen. */
static bool
maychoose(const Target *tg, bool usual)
{
	int i;

	if (tg->wish->unit == LINES && !tg->im->debug)
		return false;
	for (i = 0; i < tg->wish->nonly; i++)
		if (mayhave(tg, tg->wish->only[i]))
			return true;
	return !tg->wish->nonly && usual;
}

/* isshared - whether a library is part of the system. */
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

/* found - new code was found; add its probes if processes run. */
static void
found(void *with, int fn, uint64_t from, uint64_t to)
{
	Target *tg = with;

	if (tg->chosen && tg->watch[fn].chosen && !tg->watch[fn].partial && !tg->im->fn[fn].reason)
		probesin(tg, fn, from, to);
}

Target *
targetof(Image *im, const Wish *w, bool program, Arena *run)
{
	Target *tg = anew(run, Target, 1);
	bool usual = program || (im->debug && !isshared(im->path)), may;
	int i;

	*tg = (Target){.run = run, .im = im, .wish = w};
	tg->index.arena = tg->routes.arena = tg->stops.arena = run;
	tg->policy = (Policy){.with = tg, .split = split, .found = found};
	may = maychoose(tg, usual);
	if (may)
		exploreall(im, &tg->policy);
	tg->watch = anew(run, Watch, im->nfn + 1);
	for (i = 0; i < im->nfn && may; i++)
		choose(tg, i, usual);
	for (i = 0; i < im->nfn; i++)
		if (tg->watch[i].chosen && !im->fn[i].reason)
			putprobes(tg, i);
	tg->chosen = tg->nprobe > 0;
	return tg;
}

void
learn(Target *tg, uint64_t addr)
{
	int fn = functionat(tg->im, addr), first = tg->nprobe, i;
	const uint8_t *know = knowof(tg->im, addr);

	if (fn == NONE || !know || (*know & LEADS) || !tg->watch[fn].chosen || tg->im->fn[fn].reason)
		return;
	explore(tg->im, fn, addr, &tg->policy);
	if (tg->watch[fn].partial && !tg->im->fn[fn].reason) {
		if (tg->wish->unit != FUNCTIONS)
			wantsome(tg, fn);
		putprobes(tg, fn);
	}
	for (i = first; i < tg->nprobe; i++) {
		finish(tg, i);
		if (tg->probe[i].before != NONE)
			finish(tg, tg->probe[i].before);
	}
}

void
countroute(Target *tg, uint64_t from, uint64_t to)
{
	uint64_t key[2] = {from, to};
	Entry *e = intern(&tg->routes, (char *)key, sizeof key, tg->nroute);

	if (e->value == tg->nroute) {
		apush(tg->run, tg->route, tg->nroute, tg->caproute);
		tg->route[tg->nroute++] = (Route){.from = from, .to = to};
	}
	tg->route[e->value].times++;
}

void
countstop(Target *tg, uint64_t addr, bool after)
{
	uint64_t key[2] = {addr, after};
	Entry *e = intern(&tg->stops, (char *)key, sizeof key, tg->nstop);

	if (e->value == tg->nstop) {
		apush(tg->run, tg->stop, tg->nstop, tg->capstop);
		tg->stop[tg->nstop++] = (Stop){.addr = addr, .after = after};
	}
	tg->stop[e->value].times++;
}
