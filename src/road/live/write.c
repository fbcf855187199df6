/* write.c - the profile: what the probes counted, with a map of the code like those that the
 * other roads leave in programs.
 *
 * A block's count is that of its first probe, an edge's how often that probe came next.  Where
 * counts of probes in a block differ, frames were left or entered there: that is a cut. */

#include "live.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct Piece Piece;
typedef struct Link Link;
typedef struct Draft Draft;
typedef struct Output Output;

/* A block. */
struct Piece {
	uint64_t addr, end; /* behind its last instruction */
	uint32_t ninsn;
	int part;
	int first, last; /* probes; NONE if it never ran */
	Turn turn;       /* of the last instruction */
	uint64_t target; /* of that; 0 */
	uint64_t came;   /* counted over edges that lead here */
	bool called;     /* a call falls in here */
};

/* An edge. */
struct Link {
	int src, dst; /* blocks of the graph */
	bool counted, falls;
	uint64_t count;
};

/* A function at work on. */
struct Draft {
	Image *im;
	int sym;
	Piece *piece;
	int n;
	size_t cap;
	Link *link;
	int nlink;
	size_t caplink;
};

struct Output {
	Arena *run;
	Newmap map; /* of the module at work on */
	uint64_t *count;
	int ncount;
	size_t capcount;
	struct Profcut *cut;
	int ncut;
	size_t capcut;
	uint32_t module;
};

static void
addcut(Output *o, uint64_t addr, uint32_t kind, uint64_t times)
{
	if (!times)
		return;
	apush(o->run, o->cut, o->ncut, o->capcut);
	o->cut[o->ncut++] =
		(struct Profcut){.addr = addr, .module = o->module, .kind = kind, .times = times};
}

/* adddiff - `was' came and `is' went on: the others were left there, or entered. */
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

/* islisted - whether a block of a function is to be in the map. */
static bool
islisted(const Image *im, const Sym *s, uint64_t leader)
{
	return !s->partial || (*knowof(im, leader) & WANTED);
}

/* findpieces - the blocks of a function, in order. */
static void
findpieces(Draft *d)
{
	Image *im = d->im;
	const Sym *s = &im->sym[d->sym];
	Piece *p = NULL;
	uint64_t at;
	Insn in;
	int i, k;

	for (i = 0; i < s->nrange; i++, p = NULL)
		for (at = s->range[i].begin; at < s->range[i].end; at++) {
			uint8_t know = *knowof(im, at);

			if (!(know & SEEN) || !turnat(im, s, at, &in))
				continue;
			if (p && p->end != at)
				p = NULL;
			if ((know & LEADS) || !p) {
				p = NULL;
				if (!islisted(im, s, at))
					continue;
				apush(im->run, d->piece, d->n, d->cap);
				p = &d->piece[d->n++];
				*p = (Piece){.addr = at, .part = i, .first = NONE, .last = NONE};
			}
			k = probeat(im, at);
			if (k != NONE && at == p->addr)
				p->first = k;
			if (k != NONE)
				p->last = k;
			p->ninsn++;
			p->end = at + (uint64_t)in.len;
			p->turn = in.turn;
			p->target =
				in.turn == COND || in.turn == JUMP ? at + (uint64_t)in.target : 0;
			at += (uint64_t)in.len - 1;
		}
}

/* pieceat - the block of the graph that begins at an address; NONE. */
static int
pieceat(const Draft *d, uint64_t addr)
{
	int lo = 0, hi = d->n, i;

	while (lo < hi) {
		int mid = lo + (hi - lo) / 2;

		if (d->piece[mid].addr < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo < d->n && d->piece[lo].addr == addr)
		return FIRST + lo;
	for (i = 0; d->im->sym[d->sym].nrange > 1 && i < d->n; i++)
		if (d->piece[i].addr == addr)
			return FIRST + i;
	return NONE;
}

static void
addlink(Draft *d, int src, int dst, bool counted, bool falls, uint64_t count)
{
	apush(d->im->run, d->link, d->nlink, d->caplink);
	d->link[d->nlink++] = (Link){src, dst, counted, falls, count};
	if (counted && dst >= FIRST)
		d->piece[dst - FIRST].came += count;
}

/* addlinks - out of a block. */
static void
addlinks(Draft *d, int i)
{
	const Piece *p = &d->piece[i];
	const Probe *q = p->last != NONE ? &d->im->probe[p->last] : NULL;
	int src = FIRST + i, dst, k;
	bool leaves = p->turn == RETURN || (p->turn == STOP && d->im->sym[d->sym].partial);

	if (d->im->wish->coverage) {
		addlink(d, src, EXIT, false, false, 0);
		return;
	}
	if (p->turn == COND || p->turn == JUMP) {
		dst = pieceat(d, p->target);
		if (dst == NONE)
			leaves = true;
		else if (p->turn == JUMP || p->target != p->end)
			addlink(d, src, dst, true, false, q ? q->taken : 0);
	}
	if (p->turn == INDIR) {
		for (k = 0; q && k < d->im->nroute; k++) {
			const Route *r = &d->im->route[k];

			if (r->from != q->addr || (dst = pieceat(d, r->to)) == NONE)
				continue;
			addlink(d, src, dst, true, false, r->times);
		}
		leaves = true;
	}
	if (p->turn == PLAIN || p->turn == COND || p->turn == CALL) {
		dst = pieceat(d, p->end);
		if (dst == NONE) { /* also behind a call that does not return */
			leaves = true;
		} else {
			addlink(d, src, dst, p->turn != CALL, true, q ? q->fell : 0);
			d->piece[dst - FIRST].called |= p->turn == CALL && q;
		}
	}
	if (leaves)
		addlink(d, src, EXIT, false, false, 0);
}

/* stopsin - threads that ended or were let go between two addresses, which is a cut. */
static uint64_t
stopsin(Output *o, const Image *im, uint64_t from, uint64_t to)
{
	uint64_t n = 0;
	int i;

	for (i = 0; i < im->nstop; i++)
		if (im->stop[i].behind ? im->stop[i].addr == to
				       : im->stop[i].addr >= from && im->stop[i].addr < to) {
			addcut(o, im->stop[i].addr,
			       CUTLEFT | (im->stop[i].behind ? 0 : CUTINTERRUPTED),
			       im->stop[i].times);
			n += im->stop[i].times;
		}
	return n;
}

static bool
leavesby(const Draft *d, int b, bool *called)
{
	int i;

	*called = false;
	for (i = 0; i < d->nlink; i++) {
		if (d->link[i].src != b)
			continue;
		if (d->link[i].dst == EXIT)
			return true;
		*called |= !d->link[i].counted;
	}
	return false;
}

/* cutpiece - where frames of a block were left and entered.  Returns how often the next block was
 * come to by a call that ends this one, if it does. */
static void
cutpiece(Output *o, const Draft *d, int i)
{
	Image *im = d->im;
	const Piece *p = &d->piece[i];
	uint64_t at, last = p->addr, now, out = 0, head;
	bool called, leaves;
	int k, dst;

	if (p->first == NONE)
		return;
	head = now = im->probe[p->first].count;
	if (!im->sym[d->sym].partial && p->addr != im->sym[d->sym].range->begin && !p->called
	    && head > p->came)
		addcut(o, p->addr, CUTENTERED | CUTINTERRUPTED, head - p->came);
	for (at = p->addr + 1; at < p->end; at++) {
		k = *knowof(im, at) & SEEN ? probeat(im, at) : NONE;
		if (k == NONE)
			continue;
		now -= stopsin(o, im, last, at);
		now = adddiff(o, at, *knowof(im, at) & BEHIND ? 0 : CUTINTERRUPTED, now,
			      im->probe[k].count);
		last = at;
	}
	now -= stopsin(o, im, last, p->end);
	leaves = leavesby(d, FIRST + i, &called);
	dst = pieceat(d, p->end);
	if (called && dst != NONE && p->turn == CALL) {
		const Piece *to = &d->piece[dst - FIRST];

		adddiff(o, p->end, 0, now,
			to->first == NONE ? 0 : im->probe[to->first].count - to->came);
		return;
	}
	for (k = 0; k < d->nlink; k++)
		if (d->link[k].src == FIRST + i)
			out += d->link[k].count;
	if (!leaves && p->turn != CALL && p->turn != STOP && d->im->sym[d->sym].partial == false)
		adddiff(o, p->end, 0, now, out);
}

/* putrows - the rows of the line table for a function. */
static Coderow *
putrows(const Draft *d, int *nrow)
{
	const Image *im = d->im;
	const Sym *s = &im->sym[d->sym];
	Coderow *row = NULL;
	size_t cap = 0;
	uint32_t insn = 0;
	const Row *force = NULL;
	bool goeson = isthunk(s->name);
	int i;

	*nrow = 0;
	for (i = 0; i < d->n; i++) {
		uint64_t at = d->piece[i].addr;
		bool first = i == 0 || d->piece[i - 1].end != at;
		Insn in;

		for (; at < d->piece[i].end && turnat(im, s, at, &in); at += (uint64_t)in.len) {
			goeson &= in.turn != RETURN;
			const Row *r = rowat(im, at), *x = r;

			while (x && x > im->row && x[-1].addr == at && x->addr == at && !x[-1].end)
				x--;
			if (x && r->addr != at && r == force && !first)
				x = NULL;
			if (x && r->addr != at)
				x = r;
			for (; x && x <= r; x++) {
				apush(im->run, row, *nrow, cap);
				row[(*nrow)++] = (Coderow){.insn = insn,
							   .line = x->line,
							   .file = x->file,
							   .column = x->column,
							   .flags = x->stmt ? ROWSTMT : 0};
			}
			force = r;
			first = false;
			insn++;
		}
	}
	for (i = 0; i < *nrow && goeson; i++)
		row[i].flags |= ROWTHUNK;
	return row;
}

/* pad - to a multiple of 8. */
static void
pad(Buf *b)
{
	static const char zero[8];

	if (b->n % 8)
		bput(b, zero, 8 - b->n % 8);
}

/* putgraph - blocks and edges, with their counts. */
static void
putgraph(Output *o, Draft *d, Code *c, uint64_t *hash)
{
	const Sym *s = &d->im->sym[d->sym];
	Graph *g = newgraph(o->run);
	Arena tmp = {0};
	int i, base = o->ncount, entry;

	*hash = HASHBEGIN;
	while (g->nblock < FIRST + d->n)
		addblock(g);
	entry = pieceat(d, s->range->begin);
	for (i = 0; i < d->n; i++)
		if (FIRST + i == entry || s->partial)
			addlink(d, ENTRY, FIRST + i, false, false, 0);
	for (i = 0; i < d->nlink; i++)
		addedge(g, d->link[i].src, d->link[i].dst);
	closeflow(g, &tmp);
	c->nblock = g->nblock;
	c->nedge = g->nedge;
	c->block = anew(o->run, Codeblock, g->nblock);
	c->edge = anew(o->run, Codeedge, g->nedge);
	for (i = 0; i < g->nblock; i++) {
		Codeblock *b = &c->block[i];
		const Piece *p = &d->piece[i - FIRST];

		*b = (Codeblock){.part = CODENONE, .slot = CODENONE, .check = CODENONE};
		if (i < FIRST)
			continue;
		b->part = (uint32_t)p->part;
		b->addr = b->off = (uint32_t)(p->addr - s->range[p->part].begin);
		b->bytes = (uint32_t)(p->end - p->addr);
		b->ninsn = p->ninsn;
		b->slot =
			(uint32_t)(addcount(o, p->first == NONE ? 0 : d->im->probe[p->first].count)
				   - base);
		*hash = hashnumber(hashnumber(*hash, b->ninsn), b->bytes);
	}
	for (i = 0; i < g->nedge; i++) {
		const Link *l = i > 0 && i <= d->nlink ? &d->link[i - 1] : NULL;

		c->edge[i] = (Codeedge){.src = (uint32_t)g->edge[i].src,
					.dst = (uint32_t)g->edge[i].dst,
					.slot = CODENONE,
					.flags = g->edge[i].never ? EDGENEVER : 0};
		if (l && l->falls)
			c->edge[i].flags |= EDGEFALLS;
		if (l && l->counted)
			c->edge[i].slot = (uint32_t)(addcount(o, l->count) - base);
		*hash = hashnumber(hashnumber(*hash, c->edge[i].src), c->edge[i].dst);
	}
	c->nslot = (uint32_t)(o->ncount - base);
	areset(&tmp);
}

/* putfunction - one that is counted, or not for some reason. */
static void
putfunction(Output *o, Image *im, int sym, const uint64_t unit[2])
{
	Sym *s = &im->sym[sym];
	Addr *part = anew(o->run, Addr, s->nrange);
	Newfn new = {.name = s->name,
		     .odd = s->odd,
		     .unit = {.is = unit[s->plain]},
		     .counters = {.is = 8ull * (uint64_t)o->ncount},
		     .scheme = EDGES,
		     .part = part,
		     .npart = s->nrange,
		     .head = s->head};
	Draft d = {.im = im, .sym = sym};
	Code c = {0};
	int i;

	if (!s->odd && !s->partial)
		sweep(im, sym);
	if (!s->odd)
		findpieces(&d);
	if (!s->odd && !d.n)
		return;
	if (im->wish->coverage)
		s->partial = true; /* nothing is known of the ways between blocks */
	for (i = 0; i < d.n; i++)
		addlinks(&d, i);
	for (i = 0; i < d.n && !im->wish->coverage; i++)
		cutpiece(o, &d, i);
	if (d.n) {
		c.row = putrows(&d, &c.nrow);
		putgraph(o, &d, &c, &new.hash);
		new.code = &c;
	}
	for (i = 0; i < s->nrange; i++)
		part[i].is = s->range[i].begin;
	new.nslot = c.nslot;
	new.partial = s->partial;
	new.calls = s->partial && im->wish->unit == FUNCTIONS;
	mapfn(&o->map, &new);
}

/* putmap - of an image.  What is compiled without optimisation is a unit of its own. */
static void
putmap(Output *o, Image *im)
{
	uint64_t unit[2];
	int i;

	for (i = 0; i < 2; i++)
		unit[i] = mapunit(&o->map, &(Newunit){.file = (const char *const *)im->file,
						      .nfile = (uint32_t)im->nfile,
						      .live = true,
						      .plain = i,
						      .once = im->wish->coverage});
	for (i = 0; i < im->nsym; i++)
		if (im->sym[i].chosen)
			putfunction(o, im, i, unit);
}

/* link - a record of the profile behind the others. */
static void
link(Buf *out, uint64_t *last, struct Profrec *rec, size_t n, const char *text, size_t len)
{
	uint64_t at;

	pad(out);
	at = out->n;
	rec->version = PROFVERSION;
	rec->size = (uint32_t)((n + len + 7) / 8 * 8);
	if (*last)
		memcpy(out->s + *last + offsetof(struct Profrec, next), &at, sizeof at);
	else
		memcpy(out->s + offsetof(struct Profhdr, first), &at, sizeof at);
	bput(out, (const char *)rec, n);
	bput(out, text ? text : "", len);
	pad(out);
	*last = at;
}

/* puttimes - how long functions took. */
static void
puttimes(Buf *out, uint64_t *last, const Run *run, const Image *im, const Output *o)
{
	struct Proftimes t = {.rec.kind = PROFTIMES,
			      .module = o->module,
			      .stops = run->stops,
			      .wall = run->cost.wall,
			      .cpu = run->cost.cpu};
	Buf table = {.arena = o->run};
	uint64_t at;
	int i;

	for (i = 0; i < im->nsym; i++) {
		const Times *s = &im->sym[i].times;
		struct Proftime e = {.addr = im->sym[i].range->begin,
				     .calls = s->calls,
				     .wall = s->all.wall,
				     .cpu = s->all.cpu,
				     .selfwall = s->self.wall,
				     .selfcpu = s->self.cpu};

		if (!s->calls)
			continue;
		bput(&table, (const char *)&e, sizeof e);
		t.ntime++;
	}
	link(out, last, &t.rec, sizeof t, NULL, 0);
	at = out->n;
	memcpy(out->s + *last + offsetof(struct Proftimes, times), &at, sizeof at);
	bput(out, table.n ? table.s : "", table.n);
}

/* putimage - a module: record, counts, map. */
static void
putimage(Output *o, Buf *out, uint64_t *last, const Run *run, Image *im)
{
	struct Profmodule m = {.rec.kind = PROFMODULE, .pathlen = (uint32_t)strlen(im->path)};
	struct Profcounts c = {.rec.kind = PROFCOUNTS, .module = o->module};
	uint64_t at;

	o->map = (Newmap){.bytes = {.arena = o->run}};
	o->count = NULL;
	o->ncount = 0;
	o->capcount = 0;
	putmap(o, im);
	m.ncount = (uint64_t)o->ncount;
	m.maplen = o->map.bytes.n;
	m.idlen = (uint32_t)im->idlen;
	memcpy(m.id, im->id, sizeof m.id);
	link(out, last, &m.rec, sizeof m, im->path, strlen(im->path) + 1);
	at = out->n;
	memcpy(out->s + *last + offsetof(struct Profmodule, map), &at, sizeof at);
	bput(out, o->map.bytes.s, o->map.bytes.n);
	link(out, last, &c.rec, sizeof c, NULL, 0);
	at = out->n;
	memcpy(out->s + *last + offsetof(struct Profcounts, counts), &at, sizeof at);
	bput(out, o->ncount ? (const char *)o->count : "", 8 * (size_t)o->ncount);
	if (im->wish->times)
		puttimes(out, last, run, im, o);
	o->module++;
}

void
writeprofile(const Run *run, const char *path)
{
	struct Profhdr h = {.magic = PROFMAGIC,
			    .flags = PROFSUM | PROFHASCUTS | (run->lost ? PROFLOST : 0),
			    .state = PROFCLOSED,
			    .pid = (uint32_t)run->pid,
			    .begun = run->begun,
			    .ended = (uint64_t)time(NULL),
			    .runs = run->runs,
			    .status = run->status,
			    .signal = (uint32_t)run->signal};
	struct Profcuts cuts = {.rec.kind = PROFCUTS};
	const char *label = getenv("TALLY_LABEL");
	Arena tmp = {0};
	Output o = {.run = &tmp};
	Buf out = {.arena = &tmp};
	uint64_t last = 0, at;
	Newfile new;
	int i;

	memcpy(h.endings, run->endings, sizeof h.endings);
	if (label && strlen(label) < LABELSIZE)
		strcpy(h.label[0], label);
	h.serial = hashnumber(hashnumber(HASHBEGIN, (uint64_t)run->pid), h.begun);
	bput(&out, (const char *)&h, sizeof h);
	for (i = 0; i < run->nimage; i++) {
		Image *im = run->image[i];

		if (i > 0 && !im->chosen)
			continue;
		if (run->in == im && run->signal) {
			uint32_t number[2] = {o.module + 1, CUTINTERRUPTED};

			memcpy(out.s + offsetof(struct Profhdr, module), number, sizeof number);
			memcpy(out.s + offsetof(struct Profhdr, place), &run->place, 8);
		}
		putimage(&o, &out, &last, run, im);
	}
	cuts.ncut = (uint64_t)o.ncut;
	link(&out, &last, &cuts.rec, sizeof cuts, NULL, 0);
	at = out.n;
	memcpy(out.s + last + offsetof(struct Profcuts, cuts), &at, sizeof at);
	bput(&out, o.ncut ? (const char *)o.cut : "", (size_t)o.ncut * sizeof *o.cut);
	if (label && strlen(label) >= LABELSIZE) {
		at = out.n;
		memcpy(out.s + offsetof(struct Profhdr, far), &at, sizeof at);
		bput(&out, label, strlen(label) + 1);
	}
	at = out.n;
	memcpy(out.s + offsetof(struct Profhdr, size), &at, sizeof at);
	ownfile(&new, path, &tmp);
	fwrite(out.s, 1, out.n, new.f);
	endfile(&new);
	areset(&tmp);
}
