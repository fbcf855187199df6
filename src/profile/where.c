/* where.c - which block an address is in, and how far into it; and what that means for the counts
 * of a function whose frames were left or entered there. */

#include "profile.h"

#include "arch/arch.h"

#include <stdlib.h>
#include <string.h>

static int
byaddr(const void *a, const void *b)
{
	const Start *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->block - y->block; /* the earlier ones are empty */
}

void
findstarts(Module *m, Arena *run)
{
	size_t cap = 0;
	int i, b;

	if (m->start)
		return;
	readcode(m, run);
	for (i = 0; i < m->nfn; i++) {
		Fn *fn = &m->fn[i];

		for (b = FIRST; fn->g && b < fn->g->nblock; b++) {
			const Codeblock *mb = &fn->code.block[b];

			if (mb->part == CODENONE)
				continue;
			apush(run, m->start, m->nstart, cap);
			m->start[m->nstart++] = (Start){fn->part[mb->part] + mb->addr, fn, b};
		}
	}
	if (m->nstart)
		qsort(m->start, (size_t)m->nstart, sizeof *m->start, byaddr);
}

/* countbelow - how many blocks begin before addr. */
static int
countbelow(const Module *m, uint64_t addr)
{
	int lo = 0, hi = m->nstart;

	while (lo < hi) {
		int mid = lo + (hi - lo) / 2;

		if (m->start[mid].addr < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const Start *
startat(const Module *m, uint64_t addr)
{
	int i = countbelow(m, addr);

	return i < m->nstart && m->start[i].addr == addr ? &m->start[i] : NULL;
}

/* startbelow - the last block that begins at addr or before; NULL if there is none. */
static const Start *
startbelow(const Module *m, uint64_t addr)
{
	int i = countbelow(m, addr + 1);

	return i ? &m->start[i - 1] : NULL;
}

/* firstown - the first planted code that begins at addr or later; one past the last if there is
 * none. */
static const Own *
firstown(const Module *m, uint64_t addr)
{
	int lo = 0, hi = m->nown;

	while (lo < hi) {
		int mid = lo + (hi - lo) / 2;

		if (m->own[mid].begin < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return m->own + lo;
}

const Own *
ownat(const Module *m, uint64_t addr)
{
	const Own *o = firstown(m, addr);

	return o < m->own + m->nown && o->begin == addr ? o : NULL;
}

uint64_t
skipown(const Module *m, uint64_t addr)
{
	const Own *o;

	while ((o = ownat(m, addr)))
		addr = o->end;
	return addr;
}

/* ownbefore - the planted code in a function that ends at addr; NULL if there is none. */
static const Own *
ownbefore(const Module *m, const Fn *fn, uint64_t addr)
{
	const Own *o = firstown(m, addr);

	return o > m->own && o[-1].end == addr && o[-1].fn == fn ? o - 1 : NULL;
}

/* hascounted - returns whether a counter was incremented already when control is at addr. */
static bool
hascounted(const Own *o, uint64_t addr)
{
	return addr >= o->end - formafter(o->is->form);
}

const uint8_t *
insnat(const Module *m, uint64_t *addr, size_t *len)
{
	*addr = skipown(m, *addr);
	return codeat(m, *addr, len);
}

/* overown - the address after planted code, or before that the begin of a block. */
static uint64_t
overown(const Module *m, uint64_t addr)
{
	const Own *o;

	while (!startat(m, addr) && (o = ownat(m, addr)))
		addr = o->end;
	return addr;
}

uint64_t
overstub(const Module *m, uint64_t addr)
{
	uint64_t to = overown(m, addr);
	const uint8_t *code;
	size_t len;
	Insn in;

	if (to == addr || startat(m, to) || !(code = codeat(m, to, &len)) || !decode(code, len, &in)
	    || in.turn != JUMP)
		return addr; /* a block may consist of a jump */
	return to + (uint64_t)in.target;
}

const Start *
blockto(const Module *m, uint64_t addr)
{
	return startat(m, overown(m, overstub(m, addr)));
}

const Fn *
calledfn(const Module *m, uint64_t addr)
{
	const Start *s = blockto(m, addr);
	const Graph *g = s ? s->fn->g : NULL;
	int k;

	for (k = g ? g->outat[ENTRY] : 0; g && k < g->outat[ENTRY + 1]; k++)
		if (g->out[k].block == s->block)
			return s->fn;
	return NULL;
}

/* falls - returns whether control can fall through the end of a block. */
static bool
falls(const Fn *fn, int b)
{
	int k;

	for (k = fn->g->outat[b]; k < fn->g->outat[b + 1]; k++)
		if (fn->code.edge[fn->g->out[k].edge].flags & EDGEFALLS)
			return true;
	return false;
}

typedef struct Spot Spot;

/* Where an address is in the flow: in a block, or on an edge, before or after its counter. */
struct Spot {
	Fn *fn;
	int block;
	uint32_t done; /* instructions of it before the address */
	bool after;   /* its own counter is before, too, or it has none */
	bool checked;  /* its second counter is before, too, or it has no counter at all */
	int called;    /* the second counter of calls: 1 is before, -1 comes later, 0 not seen */
	int before;    /* an edge into the block, if its counter comes later; NONE */
	int over;      /* an edge out of the block, if its counter is before; NONE */
};

static bool
hascounter(const Fn *fn, int b)
{
	return fn->code.block[b].slot != CODENONE || fn->code.block[b].check != CODENONE;
}

/* spotat - the begin of a block. */
static Spot
spotat(Fn *fn, int b)
{
	const Codeblock *mb = &fn->code.block[b];
	bool none = mb->slot == CODENONE && mb->check == CODENONE;

	return (Spot){fn, b, 0, none, none, 0, NONE, NONE};
}

static int
entryedge(const Fn *fn)
{
	return fn->g->out[fn->g->outat[ENTRY]].edge;
}

/* edgewith - the edge that a counter of the function is on; NONE if it is on none.  The second
 * counter of calls serves if there is no first. */
static int
edgewith(const Fn *fn, uint64_t slot)
{
	const Codeblock *entry = &fn->code.block[ENTRY];
	int e;

	for (e = 0; e < fn->code.nedge; e++)
		if (fn->code.edge[e].slot == slot)
			return e;
	if (slot == entry->slot
	    || (slot == entry->check && entry->slot == CODENONE
		&& fn->code.edge[entryedge(fn)].slot == CODENONE))
		return entryedge(fn);
	return NONE;
}

/* pass - takes notice of a counter, which is in the block or after its end, and is before the
 * address if `been'. */
static void
pass(Spot *sp, uint32_t slot, bool inside, bool been)
{
	const Codeblock *mb = &sp->fn->code.block[sp->block];
	int e;

	if (slot == mb->slot || (slot == mb->check && mb->slot == CODENONE))
		sp->after |= been;
	if (slot == mb->check)
		sp->checked |= been;
	if (slot == sp->fn->code.block[ENTRY].check)
		sp->called = been ? 1 : -1;
	if (slot == mb->slot || slot == mb->check)
		return;
	e = edgewith(sp->fn, slot);
	if (e == NONE)
		return;
	if (inside && (int)sp->fn->code.edge[e].src != sp->block) {
		sp->before = been ? NONE : e;
	} else if (been) {
		sp->over = e;
	} else if (!inside) { /* in a stub, or on the way to the next block */
		sp->block = (int)sp->fn->code.edge[e].src;
		sp->done = sp->fn->code.block[sp->block].ninsn;
		sp->after = sp->checked = true;
		sp->before = sp->over = NONE;
	}
}

/* atentry - returns whether an address is before the first block of a function, where there is only
 * planted code; a call from there returns into its middle. */
static bool
atentry(const Module *m, uint64_t addr, bool interrupted, Spot *sp)
{
	const Start *s = startbelow(m, addr), *n = s ? s + 1 : m->start;
	const Own *o, *last = NULL;
	uint64_t pc;

	if (n == m->start + m->nstart
	    || n->block != n->fn->g->edge[n->fn->g->out[n->fn->g->outat[ENTRY]].edge].dst)
		return false;
	for (pc = n->addr; (o = ownbefore(m, n->fn, pc)); pc = o->begin)
		last = last ? last : o;
	if (addr < pc + !interrupted)
		return false;
	*sp = spotat(n->fn, n->block);
	sp->before = entryedge(n->fn);
	for (o = last ? firstown(m, pc) : NULL; o && o <= last; o++) {
		if (hascounted(o, addr) && edgewith(n->fn, o->is->slot) != NONE)
			sp->before = NONE;
		if (o->is->slot == n->fn->code.block[ENTRY].check)
			sp->called = hascounted(o, addr) ? 1 : -1;
	}
	return true;
}

/* locate - finds where an address is; returns whether it is in a counted function.  What follows a
 * block, such as padding and stubs, only matters if control was interrupted there. */
static bool
locate(const Module *m, uint64_t addr, bool interrupted, Spot *sp)
{
	const Start *s = startbelow(m, addr - !interrupted);
	uint32_t ninsn, npad, k = 0;
	uint64_t pc, next;
	bool stub = false;

	if (atentry(m, addr, interrupted, sp))
		return true;
	if (!s)
		return false;
	ninsn = s->fn->code.block[s->block].ninsn;
	npad = s->fn->code.block[s->block].npad;
	*sp = spotat(s->fn, s->block);
	for (pc = s->addr; k < ninsn || (interrupted && pc <= addr); pc = next) {
		const Own *o = ownat(m, pc);
		const uint8_t *code;
		size_t len;
		Insn in;

		if (o) {
			next = o->end;
			stub = k >= ninsn;
			if (o->is->slot != CODENONE && o->fn == s->fn)
				pass(sp, o->is->slot, k < ninsn, hascounted(o, addr));
			continue;
		}
		code = codeat(m, pc, &len);
		if (!code || !decode(code, len, &in))
			return false;
		next = pc + (uint64_t)in.len;
		if ((pc < addr && next > addr && !interrupted)
		    || (k >= ninsn + npad && !(stub && in.turn == JUMP)))
			return false; /* not this function's code */
		sp->done += k < ninsn && next <= addr;
		stub = false;
		k++;
	}
	return interrupted || pc >= addr;
}

static void
putcut(Fn *fn, Fncut c, const Modcut *from, Arena *run)
{
	if (from->kind & CUTENTERED)
		c.entered = from->times;
	else
		c.left = from->times;
	apush(run, fn->cut, fn->ncut, fn->capcut);
	fn->cut[fn->ncut++] = c;
}

/* iscall - returns whether a frame was entered where its function begins: that is a call, however
 * it was made, and is counted. */
static bool
iscall(const Modcut *c, const Spot *sp)
{
	const uint32_t kind = CUTENTERED | CUTINTERRUPTED;

	return (c->kind & kind) == kind && sp->done == 0
	       && sp->block == (int)sp->fn->code.edge[entryedge(sp->fn)].dst
	       && sp->fn->code.block[sp->block].part == 0
	       && (sp->before == entryedge(sp->fn) || sp->before == NONE);
}

/* addcut - adds a cut to its function.  A call after which nothing follows is an end of the
 * function, and no cut.  On an edge, the flow and the instructions of the block are cut at
 * different points.  A frame that is entered where a block begins passes all of the block, and its
 * place in the flow, unless the block's counter was before. */
static void
addcut(Module *m, const Modcut *c, Arena *run)
{
	bool interrupted = c->kind & CUTINTERRUPTED;
	const Codeedge *edge;
	Spot sp;

	if (!locate(m, m->counters + c->addr, interrupted, &sp))
		return; /* in a function that is not counted */
	if (iscall(c, &sp))
		return;
	if (sp.fn->live) /* a monitor counts where a block begins */
		sp.after = sp.checked = sp.done || !(c->kind & CUTENTERED);
	else if ((c->kind & CUTENTERED) && !sp.done && !hascounter(sp.fn, sp.block))
		sp.after = false;
	if (!interrupted && !sp.fn->live && sp.done == sp.fn->code.block[sp.block].ninsn
	    && !falls(sp.fn, sp.block))
		return;
	if (c->kind & CUTMAYBE) {
		sp.fn->doubtful = true;
		return;
	}
	putcut(sp.fn,
	       (Fncut){.block = sp.block,
		       .done = sp.done,
		       .after = sp.after && sp.before == NONE,
		       .uneven = sp.fn->code.block[sp.block].check == CODENONE
					 ? 0
					 : sp.after - sp.checked,
		       .inflow = sp.before == NONE && sp.over == NONE,
		       .reached = interrupted && sp.before == NONE
				  && (sp.done || !(c->kind & CUTENTERED))},
	       c, run);
	if (sp.called)
		putcut(sp.fn,
		       (Fncut){.block = ENTRY, .uneven = (sp.before == NONE) - (sp.called > 0)}, c,
		       run);
	edge = sp.before != NONE ? &sp.fn->code.edge[sp.before] : NULL;
	if (edge && edge->src != ENTRY)
		putcut(sp.fn,
		       (Fncut){.block = (int)edge->src,
			       .done = sp.fn->code.block[edge->src].ninsn,
			       .after = true,
			       .inflow = true,
			       .reached = interrupted},
		       c, run);
	edge = sp.over != NONE ? &sp.fn->code.edge[sp.over] : NULL;
	if (edge && edge->dst != EXIT)
		putcut(sp.fn, (Fncut){.block = (int)edge->dst, .inflow = true}, c, run);
}

/* sortcuts - sorts cuts by block; those of one block keep their order. */
static void
sortcuts(Fn *fn)
{
	Arena tmp = {0};
	int *next = anew(&tmp, int, fn->g->nblock + 1), i;
	Fncut *was = anew(&tmp, Fncut, fn->ncut);

	memcpy(was, fn->cut, (size_t)fn->ncut * sizeof *was);
	for (i = 0; i < fn->ncut; i++)
		next[was[i].block + 1]++;
	for (i = 1; i <= fn->g->nblock; i++)
		next[i] += next[i - 1];
	for (i = 0; i < fn->ncut; i++)
		fn->cut[next[was[i].block]++] = was[i];
	areset(&tmp);
}

void
findcuts(Module *m, Arena *run)
{
	int i;

	if (!m->ncut)
		return;
	findstarts(m, run);
	for (i = 0; i < m->ncut; i++)
		addcut(m, &m->cut[i], run);
	for (i = 0; i < m->nfn; i++)
		if (m->fn[i].ncut)
			sortcuts(&m->fn[i]);
}

const Fn *
cutin(Module *m, const Modcut *c, Arena *run, int *block, uint32_t *insn)
{
	bool interrupted = c->kind & CUTINTERRUPTED;
	Spot sp;

	findstarts(m, run);
	if (!locate(m, m->counters + c->addr, interrupted, &sp))
		return NULL;
	*block = sp.block;
	*insn = sp.done - (!interrupted && sp.done);
	return sp.fn;
}

bool
isplace(const Fn *fn, int b)
{
	return fn->code.block[b].part != CODENONE
	       || (b >= FIRST && fn->code.block[b].slot != CODENONE);
}

/* partialcalls - callsto() for a function of which only some blocks are counted: its calls are
 * known if its first block is one of them. */
static bool
partialcalls(const Fn *fn, uint64_t *calls)
{
	const Graph *g = fn->g;
	int k;

	for (k = g->outat[ENTRY]; k < g->outat[ENTRY + 1]; k++) {
		int dst = g->out[k].block;

		*calls = fn->flow->count[edgeplace(g, g->out[k].edge)];
		if (dst >= FIRST && fn->code.block[dst].part == 0 && fn->code.block[dst].addr == 0)
			return true;
	}
	*calls = 0;
	return false;
}

bool
callsto(const Fn *fn, uint64_t *calls)
{
	const Graph *g = fn->g;
	int k;

	if (fn->partial)
		return partialcalls(fn, calls);
	*calls = fn->flow->count[ENTRY];
	for (k = g->outat[ENTRY]; k < g->outat[ENTRY + 1]; k++)
		if (fn->code.edge[g->out[k].edge].flags & EDGEAGAIN)
			*calls -= fn->flow->count[edgeplace(g, g->out[k].edge)];
	return true;
}

/* firstcut - the number of the first cut in a block or a later one. */
static int
firstcut(const Fn *fn, int b)
{
	int lo = 0, hi = fn->ncut;

	while (lo < hi) {
		int mid = lo + (hi - lo) / 2;

		if (fn->cut[mid].block < b)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* times - how often instruction i of block b was executed; with `place', how often control came to
 * it. */
static uint64_t
times(const Fn *fn, int b, uint32_t i, bool place)
{
	uint64_t n = fn->flow->count[b];
	int k;

	for (k = firstcut(fn, b); k < fn->ncut && fn->cut[k].block == b; k++) {
		const Fncut *c = &fn->cut[k];
		uint32_t done = c->done + (place && c->reached);

		/* After the counter: frames that were left are in the count, but did not execute
		 * the rest; frames that entered are not, but did.  Before it, the reverse holds for
		 * the instructions before the cut. */
		if (c->after && i >= done)
			n += c->entered - c->left;
		else if (!c->after && i < done)
			n += c->left - c->entered;
	}
	return n > INT64_MAX ? 0 : n;
}

uint64_t
passed(const Fn *fn, int b, uint32_t i)
{
	return times(fn, b, i, true);
}

uint64_t
ran(const Fn *fn, int b, uint32_t i)
{
	return times(fn, b, i, false);
}

uint64_t
insnsrun(const Fn *fn, int b)
{
	uint64_t n = fn->flow->count[b] * fn->code.block[b].ninsn;
	int k;

	for (k = firstcut(fn, b); k < fn->ncut && fn->cut[k].block == b; k++) {
		const Fncut *c = &fn->cut[k];

		if (c->after)
			n += (c->entered - c->left) * (fn->code.block[b].ninsn - c->done);
		else
			n += (c->left - c->entered) * c->done;
	}
	return n > INT64_MAX ? 0 : n;
}
