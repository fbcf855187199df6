/* write.c - the profile: what the probes counted, with a map of the code like those that other
 * roads put into programs.
 *
 * The count of a block is that of its first probe.  The count of an edge is how often the probe at
 * its end was the next one that a thread met.  Where two successive probes in a block differ,
 * frames were left or entered between them, which is a cut:
 *
 *	a: ...          count 7
 *	   call f
 *	   ...          count 5: two frames were left at the call, by longjmp or an exception */

#include "live.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct Draft Draft;
typedef struct Output Output;

/* The function that is being written. */
struct Draft {
	Target *tg;
	int fn;
	Explored *x;
	const Graph *g;
	int *first, *last; /* by block: its probes; NONE if it never ran */
	uint64_t *count;   /* by edge, if iscounted() */
	uint64_t *came;    /* by block: the sum over counted edges that lead there */
	bool *returns;     /* by block: a call that ran returns there */
	bool *enters;      /* by block: there is an edge from ENTRY */
};

struct Output {
	Arena *run;
	Newmap map;   /* of the module that is being written */
	Inlines *in;  /* by function */
	Stop *stop;   /* sorted by address */
	Route *route; /* likewise */
	uint64_t *count;
	int ncount;
	size_t capcount;
	Modcut *cut;
	int ncut;
	size_t capcut;
};

static void
addcut(Output *o, uint64_t addr, uint32_t kind, uint64_t times)
{
	if (!times)
		return;
	apush(o->run, o->cut, o->ncut, o->capcut);
	o->cut[o->ncut++] = (Modcut){.addr = addr, .kind = kind, .times = times};
}

/* adddiff - add the cut at an address before which the count was `was' and after which it is `is';
 * returns `is'. */
static uint64_t
adddiff(Output *o, uint64_t addr, uint32_t kind, uint64_t was, uint64_t is)
{
	if (was > is)
		addcut(o, addr, kind | CUTLEFT, was - is);
	else
		addcut(o, addr, kind | CUTENTERED, is - was);
	return is;
}

static int
addcount(Output *o, uint64_t n)
{
	apush(o->run, o->count, o->ncount, o->capcount);
	o->count[o->ncount] = n;
	return o->ncount++;
}

/* iswanted - a Policy's wants(), for functions of which only some blocks are wanted. */
static bool
iswanted(void *with, uint64_t addr)
{
	const Target *tg = with;

	return *knowof(tg->im, addr) & WANTED;
}

static Turn
turnof(const Draft *d, int b)
{
	const Body *x = &d->x->body;

	return x->op[x->last[b]].in->turn;
}

/* iscounted - whether an edge has a count.  If a call returns over it, it has none: no probe sees
 * the return. */
static bool
iscounted(const Draft *d, int e)
{
	const Edge *x = &d->g->edge[e];

	return x->src >= FIRST && x->dst >= FIRST && !x->never
	       && !(d->x->body.how[e] == FALLS && turnof(d, x->src) == CALL);
}

/* findprobes - find the first and the last probe of each block. */
static void
findprobes(Draft *d)
{
	const Body *x = &d->x->body;
	int b, i, k;

	for (b = 0; b < d->g->nblock; b++) {
		d->first[b] = d->last[b] = NONE;
		for (i = x->first[b]; b >= FIRST && i <= x->last[b]; i++) {
			k = probeat(d->tg, d->x->addr[i]);
			if (k == NONE)
				continue;
			if (i == x->first[b])
				d->first[b] = k;
			d->last[b] = k;
		}
	}
}

/* timesof - how often control took an edge. */
static uint64_t
timesof(const Draft *d, int e)
{
	const Edge *x = &d->g->edge[e];
	const Probe *q = d->last[x->src] == NONE ? NULL : &d->tg->probe[d->last[x->src]];
	uint64_t key[2];
	const Entry *r;

	switch (d->x->body.how[e]) {
	case FALLS: return q ? q->fell : 0;
	case FROMHUB:
		key[0] = d->x->addr[d->x->body.last[x->src]];
		key[1] = blockbegin(d->x, x->dst);
		r = lookup(&d->tg->routes, (char *)key, sizeof key);
		return r ? d->tg->route[r->value].times : 0;
	default: return q ? q->taken : 0;
	}
}

/* countedges - find the counts of all edges. */
static void
countedges(Draft *d)
{
	int e;

	for (e = 0; e < d->g->nedge; e++) {
		const Edge *x = &d->g->edge[e];

		if (iscounted(d, e)) {
			d->count[e] = timesof(d, e);
			d->came[x->dst] += d->count[e];
		} else if (d->x->body.how[e] == FALLS && x->dst >= FIRST) {
			d->returns[x->dst] |= d->last[x->src] != NONE;
		}
		if (x->src == ENTRY)
			d->enters[x->dst] = true;
	}
}

/* stopsin - add the cuts where threads ended or were let go between two addresses; returns the
 * number of threads. */
static uint64_t
stopsin(Output *o, const Target *tg, uint64_t from, uint64_t to)
{
	uint64_t n = 0;
	int lo = 0, hi = tg->nstop;

	while (lo < hi) {
		int mid = lo + (hi - lo) / 2;

		if (o->stop[mid].addr < from)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < tg->nstop && o->stop[lo].addr <= to; lo++) {
		const Stop *s = &o->stop[lo];

		if (s->after != (s->addr == to))
			continue;
		addcut(o, s->addr, CUTLEFT | (s->after ? 0 : CUTINTERRUPTED), s->times);
		n += s->times;
	}
	return n;
}

/* goeson - where control goes from the end of a block.  *out gets the sum of its counted edges,
 * *back the block to which its call returns, or NONE.  Returns false if control may leave the
 * function. */
static bool
goeson(const Draft *d, int b, uint64_t *out, int *back)
{
	int i;

	*out = 0;
	*back = NONE;
	for (i = d->g->outat[b]; i < d->g->outat[b + 1]; i++) {
		const Way *w = &d->g->out[i];

		if (d->g->edge[w->edge].never)
			continue;
		if (w->block == EXIT)
			return false;
		if (!iscounted(d, w->edge))
			*back = w->block;
		*out += d->count[w->edge];
	}
	return true;
}

/* cutblock - add the cuts in a block. */
static void
cutblock(Output *o, const Draft *d, int b)
{
	Target *tg = d->tg;
	const Body *x = &d->x->body;
	bool partial = tg->watch[d->fn].partial;
	uint64_t begin = blockbegin(d->x, b), end = blockend(d->x, b), last = begin, now, out, head;
	int i, k, back;

	if (d->first[b] == NONE)
		return;
	head = now = tg->probe[d->first[b]].count;
	if (!partial && !d->enters[b] && !d->returns[b] && head > d->came[b])
		addcut(o, begin, CUTENTERED | CUTINTERRUPTED, head - d->came[b]);
	for (i = x->first[b] + 1; i <= x->last[b]; i++) {
		uint64_t at = d->x->addr[i];

		k = probeat(tg, at);
		if (k == NONE)
			continue;
		now -= stopsin(o, tg, last, at);
		now = adddiff(o, at, *knowof(tg->im, at) & RETURNS ? 0 : CUTINTERRUPTED, now,
			      tg->probe[k].count);
		last = at;
	}
	now -= stopsin(o, tg, last, end);
	if (!goeson(d, b, &out, &back))
		return;
	if (back != NONE)
		adddiff(o, end, 0, now,
			d->first[back] == NONE ? 0
					       : tg->probe[d->first[back]].count - d->came[back]);
	else if (turnof(d, b) != CALL && turnof(d, b) != STOP && !partial)
		adddiff(o, end, 0, now, out);
}

/* putrows - the rows of a function. */
static Coderow *
putrows(const Draft *d, const Inlines *in, int *nrow, Arena *run)
{
	const Image *im = d->tg->im;
	const Body *b = &d->x->body;
	bool goeson = isthunk(im->fn[d->fn].name);
	const Row *force = NULL;
	Coderow *row = NULL;
	uint64_t end = 0; /* of the previous instruction */
	uint32_t insn = 0;
	size_t cap = 0;
	int i;

	*nrow = 0;
	for (i = 0; i < b->nop; insn += (uint32_t)b->op[i++].ninsn) {
		uint64_t at = d->x->addr[i];
		const Row *r = rowat(im, at), *x = r;

		goeson &= b->op[i].in->turn != RETURN;
		while (x && x > im->row && x[-1].addr == at && x->addr == at && !x[-1].end)
			x--;
		if (x && r->addr != at && r == force && at == end)
			x = NULL;
		if (x && r->addr != at)
			x = r;
		for (; x && x <= r; x++) {
			apush(run, row, *nrow, cap);
			row[(*nrow)++] = (Coderow){.insn = insn,
						   .line = x->line,
						   .file = x->file,
						   .inst = copyof(im, in, x),
						   .column = x->column,
						   .flags = x->stmt ? ROWSTMT : 0};
		}
		force = r;
		end = at + (uint64_t)b->op[i].in->len;
	}
	for (i = 0; i < *nrow && goeson; i++)
		row[i].flags |= ROWTHUNK;
	return row;
}

/* putgraph - add the blocks and edges of a function, with their counts. */
static void
putgraph(Output *o, const Draft *d, Code *c, uint64_t *hash)
{
	const Func *f = &d->tg->im->fn[d->fn];
	const Graph *g = d->g;
	const Body *x = &d->x->body;
	int i, k, base = o->ncount;

	*hash = HASHBEGIN;
	c->nblock = g->nblock;
	c->nedge = g->nedge;
	c->block = anew(o->run, Codeblock, g->nblock);
	c->edge = anew(o->run, Codeedge, g->nedge);
	for (i = 0; i < g->nblock; i++) {
		Codeblock *b = &c->block[i];

		*b = (Codeblock){.part = CODENONE, .slot = CODENONE, .check = CODENONE};
		if (i < FIRST)
			continue;
		b->part = (uint32_t)d->x->part[i];
		b->addr = b->off = (uint32_t)(blockbegin(d->x, i) - f->range[b->part].begin);
		b->bytes = (uint32_t)(blockend(d->x, i) - blockbegin(d->x, i));
		for (k = x->first[i]; k <= x->last[i]; k++)
			b->ninsn += (uint32_t)x->op[k].ninsn;
		b->slot = (uint32_t)(addcount(o, d->first[i] == NONE
							 ? 0
							 : d->tg->probe[d->first[i]].count)
				     - base);
		*hash = hashnumber(hashnumber(*hash, b->ninsn), b->bytes);
	}
	for (i = 0; i < g->nedge; i++) {
		c->edge[i] = (Codeedge){.src = (uint32_t)g->edge[i].src,
					.dst = (uint32_t)g->edge[i].dst,
					.slot = CODENONE,
					.flags = g->edge[i].never ? EDGENEVER : 0};
		if (x->how[i] == FALLS && g->edge[i].dst != EXIT)
			c->edge[i].flags |= EDGEFALLS;
		if (iscounted(d, i))
			c->edge[i].slot = (uint32_t)(addcount(o, d->count[i]) - base);
		*hash = hashnumber(hashnumber(*hash, c->edge[i].src), c->edge[i].dst);
	}
	c->nslot = (uint32_t)(o->ncount - base);
}

/* putcode - add the code of a function; returns whether it has any blocks. */
static bool
putcode(Output *o, Target *tg, int fn, Code *c, uint64_t *hash)
{
	Watch *w = &tg->watch[fn];
	Policy p = {.with = tg,
		    .wants = w->partial ? iswanted : NULL,
		    .apart = tg->wish->coverage,
		    .route = o->route,
		    .nroute = tg->nroute};
	Arena tmp = {0};
	Draft d = {.tg = tg, .fn = fn, .x = bodyof(tg->im, &tg->im->fn[fn], &p, &tmp)};
	int b, n;

	d.g = d.x->body.g;
	n = d.g->nblock;
	d.first = anew(&tmp, int, n);
	d.last = anew(&tmp, int, n);
	d.came = anew(&tmp, uint64_t, n);
	d.returns = anew(&tmp, bool, n);
	d.enters = anew(&tmp, bool, n);
	d.count = anew(&tmp, uint64_t, d.g->nedge);
	findprobes(&d);
	countedges(&d);
	for (b = FIRST; b < n && !p.apart; b++)
		cutblock(o, &d, b);
	if (n > FIRST) {
		w->partial |= p.apart; /* edges between blocks are unknown */
		c->row = putrows(&d, &o->in[fn], &c->nrow, o->run);
		putgraph(o, &d, c, hash);
	}
	areset(&tmp);
	return n > FIRST;
}

/* putfunction - add a function that is counted, or that cannot be for a reason. */
static void
putfunction(Output *o, Target *tg, int fn, const uint64_t unit[2])
{
	const Func *f = &tg->im->fn[fn];
	const Watch *w = &tg->watch[fn];
	Addr *part = anew(o->run, Addr, f->nrange);
	Newfn new = {.name = f->name,
		     .reason = f->reason,
		     .unit = {.is = unit[f->plain]},
		     .counters = {.is = 8ull * (uint64_t)o->ncount},
		     .scheme = EDGES,
		     .part = part,
		     .npart = f->nrange,
		     .copied = o->in[fn].copied,
		     .ncopied = f->reason ? 0 : o->in[fn].ncopied,
		     .head = f->head};
	Code c = {0};
	int i;

	if (!f->reason) {
		if (!putcode(o, tg, fn, &c, &new.hash))
			return;
		new.code = &c;
	}
	for (i = 0; i < f->nrange; i++)
		part[i].is = f->range[i].begin;
	new.nslot = c.nslot;
	new.partial = w->partial;
	new.calls = w->partial && tg->wish->unit == FUNCTIONS;
	mapfn(&o->map, &new);
}

static int
byfrom(const void *a, const void *b)
{
	const Route *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

static int
byaddr(const void *a, const void *b)
{
	const Stop *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* prepare - sort stops and routes, add code that never ran, and read inlined copies. */
static void
prepare(Output *o, Target *tg)
{
	Policy rest = tg->policy;
	int i;

	o->stop = anew(o->run, Stop, tg->nstop + 1);
	o->route = anew(o->run, Route, tg->nroute + 1);
	for (i = 0; i < tg->nstop; i++)
		o->stop[i] = tg->stop[i];
	for (i = 0; i < tg->nroute; i++)
		o->route[i] = tg->route[i];
	qsort(o->stop, (size_t)tg->nstop, sizeof *o->stop, byaddr);
	qsort(o->route, (size_t)tg->nroute, sizeof *o->route, byfrom);
	o->in = anew(o->run, Inlines, tg->im->nfn + 1);
	rest.found = NULL; /* nothing runs any more */
	for (i = 0; i < tg->im->nfn; i++) {
		const Func *f = &tg->im->fn[i];

		if (!tg->watch[i].chosen || f->reason)
			continue;
		if (!tg->watch[i].partial)
			sweep(tg->im, i, &rest);
		if (tg->wish->unit != FUNCTIONS)
			o->in[i] = readcopies(tg->im, f, o->run);
	}
}

/* putmap - make the map of a module.  Code compiled without optimisation is a unit by itself. */
static void
putmap(Output *o, Target *tg)
{
	uint64_t unit[2];
	int i;

	prepare(o, tg);
	for (i = 0; i < 2; i++)
		unit[i] = mapunit(&o->map, &(Newunit){.file = (const char *const *)tg->im->file,
						      .nfile = (uint32_t)tg->im->nfile,
						      .live = true,
						      .plain = i,
						      .once = tg->wish->coverage});
	for (i = 0; i < tg->im->nfn; i++)
		if (tg->watch[i].chosen)
			putfunction(o, tg, i, unit);
}

/* taketimes - add how long functions took. */
static void
taketimes(Module *m, const Run *run, const Target *tg, Arena *a)
{
	int i;

	m->stops = (struct Proftimes){
		.stops = run->stops, .wall = run->cost.wall, .cpu = run->cost.cpu};
	m->time = anew(a, struct Proftime, tg->im->nfn + 1);
	for (i = 0; i < tg->im->nfn; i++) {
		const Times *s = &tg->watch[i].times;

		if (!s->calls)
			continue;
		m->time[m->ntime++] = (struct Proftime){.addr = tg->im->fn[i].range->begin,
							.calls = s->calls,
							.wall = s->all.wall,
							.cpu = s->all.cpu,
							.selfwall = s->self.wall,
							.selfcpu = s->self.cpu};
	}
}

/* moduleof - the counts in a program or library, with its map. */
static Module
moduleof(const Run *run, Target *tg, Arena *a)
{
	Output o = {.run = a, .map = {.bytes = {.arena = a}}};
	Module m = {.path = tg->im->path, .idlen = tg->im->idlen};

	putmap(&o, tg);
	memcpy(m.id, tg->im->id, sizeof m.id);
	m.count = o.count;
	m.ncount = (uint64_t)o.ncount;
	m.map = o.map.bytes.s;
	m.maplen = o.map.bytes.n;
	m.cut = o.cut;
	m.ncut = o.ncut;
	if (tg->wish->times)
		taketimes(&m, run, tg, a);
	return m;
}

void
writeprofile(const Run *run, const char *path)
{
	const char *label = getenv("TALLY_LABEL");
	Arena tmp = {0};
	Profile p = {.run = &tmp,
		     .all = {.flags = PROFHASCUTS | (run->lost ? PROFLOST : 0),
			     .pid = (uint32_t)run->pid,
			     .begun = run->begun,
			     .ended = (uint64_t)time(NULL),
			     .runs = run->runs,
			     .status = run->status,
			     .signal = (uint32_t)run->signal}};
	Newfile new;
	int i;

	memcpy(p.all.endings, run->endings, sizeof p.all.endings);
	p.all.serial = hashnumber(hashnumber(HASHBEGIN, (uint64_t)run->pid), p.all.begun);
	for (i = 0; i < run->ntarget; i++) {
		Target *tg = run->target[i];

		if (i > 0 && !tg->chosen)
			continue;
		apush(&tmp, p.module, p.nmodule, p.capmodule);
		p.module[p.nmodule++] = moduleof(run, tg, &tmp);
		if (run->in == tg && run->signal) {
			p.all.module = (uint32_t)p.nmodule;
			p.all.kind = CUTINTERRUPTED;
			p.all.place = run->place;
		}
	}
	ownfile(&new, path, &tmp);
	writealone(new.f, &p, label ? label : "");
	endfile(&new);
	areset(&tmp);
}
