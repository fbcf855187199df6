/* body.c - an explored function as a graph and decoded instructions. */

#include "image.h"

#include <stdlib.h>
#include <string.h>

typedef struct Draft Draft;

struct Draft {
	const Image *im;
	const Func *f;
	const Policy *p;
	Arena *run;
	Explored *x;
	Insn *insn; /* by op */
	size_t capop, capinsn, capaddr, caphow;
};

/* putop - append an instruction. */
static void
putop(Draft *d, uint64_t addr, const Insn *in)
{
	Body *b = &d->x->body;
	int n = b->nop;

	apush(d->run, b->op, n, d->capop);
	apush(d->run, d->insn, n, d->capinsn);
	apush(d->run, d->x->addr, n, d->capaddr);
	b->op[n] = (Op){.ninsn = !in->prefix};
	d->insn[n] = *in;
	d->x->addr[n] = addr;
	b->nop++;
}

/* blocksof - make the blocks of one range. */
static void
blocksof(Draft *d, int part, size_t cap[3])
{
	const Range *r = &d->f->range[part];
	Body *b = &d->x->body;
	uint64_t at = r->begin;
	bool in = false; /* a wanted block */
	Insn insn;

	while (at < r->end) {
		uint8_t know = *knowof(d->im, at);
		int k;

		if (!(know & SEEN) || !turnat(d->im, d->f, at, &insn)) {
			in = false;
			at++;
			continue;
		}
		if ((know & LEADS) || !in) {
			in = !d->p->wants || d->p->wants(d->p->with, at);
			if (in) {
				k = addblock(b->g);
				apush(d->run, b->first, k, cap[0]);
				apush(d->run, b->last, k, cap[1]);
				apush(d->run, d->x->part, k, cap[2]);
				b->first[k] = b->nop;
				d->x->part[k] = part;
			}
		}
		if (in) {
			b->last[b->g->nblock - 1] = b->nop;
			putop(d, at, &insn);
		}
		at += (uint64_t)insn.len;
		in &= insn.turn == PLAIN || insn.turn == CALL;
	}
	if (part == 0)
		d->x->nfirst = b->g->nblock - FIRST;
}

/* findblocks - make the blocks, with their instructions. */
static void
findblocks(Draft *d)
{
	Body *b = &d->x->body;
	size_t cap[3] = {FIRST, FIRST, FIRST};
	int i;

	b->first = anew(d->run, int, FIRST);
	b->last = anew(d->run, int, FIRST);
	d->x->part = anew(d->run, int, FIRST);
	for (i = 0; i < FIRST; i++)
		b->first[i] = b->last[i] = d->x->part[i] = NONE;
	for (i = 0; i < d->f->nrange; i++)
		blocksof(d, i, cap);
	for (i = 0; i < b->nop; i++)
		b->op[i].in = &d->insn[i];
}

uint64_t
blockbegin(const Explored *x, int b)
{
	return x->addr[x->body.first[b]];
}

uint64_t
blockend(const Explored *x, int b)
{
	int last = x->body.last[b];

	return x->addr[last] + (uint64_t)x->body.op[last].in->len;
}

int
blockat(const Explored *x, uint64_t addr)
{
	int half, lo, hi;

	for (half = 0; half < 2; half++) {
		int end = half ? x->body.g->nblock : FIRST + x->nfirst;

		lo = half ? FIRST + x->nfirst : FIRST;
		hi = end;
		while (lo < hi) {
			int mid = lo + (hi - lo) / 2;

			if (blockbegin(x, mid) < addr)
				lo = mid + 1;
			else
				hi = mid;
		}
		if (lo < end && blockbegin(x, lo) == addr)
			return lo;
	}
	return NONE;
}

static void
putedge(Draft *d, int src, int dst, How how)
{
	Body *b = &d->x->body;
	int e = addedge(b->g, src, dst);

	apush(d->run, b->how, e, d->caphow);
	b->how[e] = how;
}

/* routes - add the edges of an indirect jump that ends block b. */
static void
routes(Draft *d, int b, uint64_t from)
{
	int lo = 0, hi = d->p->nroute, dst;

	while (lo < hi) {
		int mid = lo + (hi - lo) / 2;

		if (d->p->route[mid].from < from)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < d->p->nroute && d->p->route[lo].from == from; lo++)
		if ((dst = blockat(d->x, d->p->route[lo].to)) != NONE)
			putedge(d, b, dst, FROMHUB);
}

/* edgesof - add the edges out of a block. */
static void
edgesof(Draft *d, int b)
{
	const Explored *x = d->x;
	const Insn *in = x->body.op[x->body.last[b]].in;
	uint64_t at = x->addr[x->body.last[b]], next = at + (uint64_t)in->len;
	uint64_t target = at + (uint64_t)in->target;
	int dst, out = NONE; /* a How: control leaves the function here */

	if (d->p->apart) {
		putedge(d, b, EXIT, LEAVES);
		return;
	}
	if (in->turn == RETURN || (in->turn == STOP && d->p->wants))
		out = LEAVES;
	if (in->turn == COND || in->turn == JUMP) {
		dst = blockat(x, target);
		if (dst == NONE)
			out = in->turn == COND ? BRANCH : LEAVES;
		else if (in->turn == JUMP || target != next)
			putedge(d, b, dst, in->turn == COND ? BRANCH : LEAVES);
	}
	if (in->turn == PLAIN || in->turn == COND || in->turn == CALL) {
		dst = blockat(x, next);
		if (dst != NONE) /* it is none after a call that does not return */
			putedge(d, b, dst, FALLS);
		else
			out = out == NONE ? FALLS : out;
	}
	if (in->turn == INDIR) {
		routes(d, b, at);
		out = LEAVES;
	}
	if (out != NONE)
		putedge(d, b, EXIT, (How)out);
}

/* entries - add the edges out of ENTRY: to the function's start, and to where other functions jump
 * or call into its middle.  A block after a call gets none: how often it is entered cannot be told
 * from how often the call returns, so what enters there is a cut. */
static void
entries(Draft *d)
{
	const Body *b = &d->x->body;
	int begin = blockat(d->x, d->f->range->begin), i, k, n = b->g->nedge;
	Arena tmp = {0};
	bool *returns = anew(&tmp, bool, b->g->nblock);

	for (i = 0; i < n; i++) {
		int src = b->g->edge[i].src;

		if (src >= FIRST && b->how[i] == FALLS && b->op[b->last[src]].in->turn == CALL)
			returns[b->g->edge[i].dst] = true;
	}
	for (k = FIRST; k < b->g->nblock; k++)
		if (k == begin)
			putedge(d, ENTRY, k, INTO);
		else if (d->p->wants || d->p->apart
			 || ((*knowof(d->im, blockbegin(d->x, k)) & ENTERED) && !returns[k]))
			putedge(d, ENTRY, k, ENTERS);
	areset(&tmp);
}

Explored *
bodyof(const Image *im, const Func *f, const Policy *p, Arena *run)
{
	Explored *x = anew(run, Explored, 1);
	Draft d = {.im = im, .f = f, .p = p, .run = run, .x = x};
	Arena tmp = {0};
	int b, e;

	x->body.g = newgraph(run);
	x->body.hub = NONE;
	findblocks(&d);
	for (b = FIRST; b < x->body.g->nblock; b++)
		edgesof(&d, b);
	entries(&d);
	e = x->body.g->nedge;
	closeflow(x->body.g, &tmp);
	x->body.how =
		agrow(run, x->body.how, (size_t)x->body.g->nedge, &d.caphow, sizeof *x->body.how);
	for (; e < x->body.g->nedge; e++)
		x->body.how[e] = NOWHERE;
	x->body.how[CLOSING] = NOWHERE;
	areset(&tmp);
	return x;
}
