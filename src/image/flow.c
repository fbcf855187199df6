/* flow.c - where control goes: which bytes are instructions, and where blocks begin.
 *
 * Code is found by following control from the start of each function, so data among code is never
 * taken for instructions.
 *
 * Functions are not islands.  Code in assembly jumps and calls into the middle of other functions
 * (mempcpy into memcpy), and compilers put unlikely code elsewhere, sometimes without a symbol.  So
 * all functions are explored before a body is made of any: wherever control may come from
 * elsewhere, a block begins.  Code that may be a part of a function is one if that function jumps
 * to it and nothing calls it. */

#include "image.h"

#include <stdlib.h>
#include <string.h>

typedef struct Search Search;
typedef struct Crossing Crossing;
typedef struct Todo Todo;

/* A jump or call from one function to another that leads into its middle, or may make it a part. */
struct Crossing {
	uint64_t from, to;
	Turn turn;
};

struct Todo {
	int fn;
	uint64_t addr;
};

struct Search {
	Image *im;
	const Policy *p;
	bool within; /* ignore what leads out of the function */
	Todo *todo;
	int n;
	size_t cap;
	Crossing *cross;
	int ncross;
	size_t capcross;
};

/* asksplace - whether a call only serves to learn its own address: the instruction at its target
 * pops it from the stack, and the call does not return. */
static bool
asksplace(const Image *im, uint64_t addr, const Insn *call)
{
	uint64_t to = addr + (uint64_t)call->target;
	size_t len;
	const uint8_t *code = codeof(im, to, &len);
	Insn in;

	return code && decode(code, len, &in) && in.pops;
}

bool
turnat(const Image *im, const Func *f, uint64_t addr, Insn *in)
{
	size_t len;
	const uint8_t *code = inside(f, addr) ? codeof(im, addr, &len) : NULL;
	uint64_t to;

	if (!code || !decode(code, len, in))
		return false;
	to = addr + (uint64_t)in->target;
	if (in->turn == CALL && in->direct && to != f->range->begin && inside(f, to)
	    && asksplace(im, addr, in))
		in->turn = JUMP;
	if (in->locked && (*knowof(im, addr + 1) & LEADS)) /* C libraries jump past lock prefixes */
		*in = (Insn){.len = 1, .prefix = true};
	return true;
}

/* lead - note that a block of a function begins at an address; explore it later if it is new. */
static void
lead(Search *x, int fn, uint64_t addr)
{
	uint8_t *know = knowof(x->im, addr);

	if (!know || (*know & LEADS))
		return;
	*know |= LEADS;
	if (*know & SEEN) {
		if (x->p->split)
			x->p->split(x->p->with, fn, addr);
		return;
	}
	apush(x->im->run, x->todo, x->n, x->cap);
	x->todo[x->n++] = (Todo){fn, addr};
}

/* cross - note that control goes to another function, or calls into the middle of its own. */
static void
cross(Search *x, int fn, uint64_t from, uint64_t to, Turn turn)
{
	int g = functionat(x->im, to);

	if (g == NONE || x->within)
		return;
	if (to != x->im->fn[g].range->begin)
		lead(x, g, to);
	else if (!x->im->fn[g].maybepart || fn == g)
		return;
	if (fn == g) {
		*knowof(x->im, to) |= ENTERED;
		return;
	}
	apush(x->im->run, x->cross, x->ncross, x->capcross);
	x->cross[x->ncross++] = (Crossing){from, to, turn};
}

/* branch - note where the jump or call at an address leads. */
static void
branch(Search *x, int fn, uint64_t at, const Insn *in)
{
	uint64_t to = at + (uint64_t)in->target;

	if (in->turn == CALL ? in->direct : in->turn == COND || in->turn == JUMP) {
		if (in->turn != CALL && inside(&x->im->fn[fn], to))
			lead(x, fn, to);
		else
			cross(x, fn, at, to, in->turn);
	}
	if (in->turn == COND && inside(&x->im->fn[fn], at + (uint64_t)in->len))
		lead(x, fn, at + (uint64_t)in->len);
}

/* afterprefix - whether the byte before an address is a lock prefix of the instruction there. */
static bool
afterprefix(const Image *im, const Func *f, uint64_t addr)
{
	size_t len;
	Insn in;

	return inside(f, addr - 1) && (*knowof(im, addr - 1) & SEEN)
	       && decode(codeof(im, addr - 1, &len), len, &in) && in.locked;
}

/* see - note an instruction; returns whether it overlaps no other. */
static bool
see(uint8_t *know, int len)
{
	bool whole = !(know[0] & INNER);
	int i;

	know[0] |= SEEN;
	for (i = 1; i < len; i++) {
		whole &= !(know[i] & SEEN);
		know[i] |= INNER;
	}
	return whole;
}

/* follow - follow control from an address until it cannot fall through, or reaches code that was
 * seen before; returns the address after the last instruction. */
static uint64_t
follow(Search *x, int fn, uint64_t at)
{
	Image *im = x->im;
	Func *f = &im->fn[fn];
	Insn in;

	for (;; at += (uint64_t)in.len) {
		uint8_t *know = knowof(im, at);

		if (!know || !inside(f, at))
			return at;
		if (*know & SEEN) {
			lead(x, fn, at); /* control comes here in two ways */
			return at;
		}
		if (!turnat(im, f, at, &in)) {
			f->reason = "has bytes that are not an instruction";
			return at;
		}
		if (in.turn == COND && in.brief && in.cc < 0 && in.len > 3) {
			f->reason = "has a transaction";
			return at;
		}
		if (!see(know, in.len) && !afterprefix(im, f, at))
			f->reason = "has a jump into the middle of an instruction";
		if (in.turn == INDIR)
			*know |= JUMPS;
		branch(x, fn, at, &in);
		if (in.turn == CALL && inside(f, at + (uint64_t)in.len))
			know[in.len] |= RETURNS;
		if (in.turn != PLAIN && in.turn != CALL)
			return at + (uint64_t)in.len;
	}
}

/* drain - explore from all addresses that are waiting. */
static void
drain(Search *x)
{
	while (x->n) {
		Todo t = x->todo[--x->n];
		uint64_t end;

		if (*knowof(x->im, t.addr) & SEEN)
			continue;
		end = follow(x, t.fn, t.addr);
		if (x->p->found)
			x->p->found(x->p->with, t.fn, t.addr, end);
	}
}

/* enter - note where crossings lead into the middle of another function. */
static void
enter(Search *x)
{
	const Image *im = x->im;
	int i;

	for (i = 0; i < x->ncross; i++) {
		const Crossing *c = &x->cross[i];
		int g = functionat(im, c->to);

		if (functionat(im, c->from) != g && im->fn[g].range->begin != c->to)
			*knowof(im, c->to) |= ENTERED;
	}
}

void
explore(Image *im, int fn, uint64_t addr, const Policy *p)
{
	Search x = {.im = im, .p = p};

	lead(&x, fn, addr);
	drain(&x);
	enter(&x);
}

/* ownerof - the function that fn is a part of, directly or not; fn itself if it is no part. */
static int
ownerof(int *owner, int fn)
{
	while (owner[fn] != fn)
		fn = owner[fn] = owner[owner[fn]];
	return fn;
}

/* byjumps - give each part to the function that jumps to it.  Code without a symbol may also be a
 * function, the target of a tail call.  So it is a part only if a conditional jump leads to it, or
 * if it jumps back into the middle of the function. */
static void
byjumps(Search *x, int *owner, Arena *tmp)
{
	const Image *im = x->im;
	bool *called = anew(tmp, bool, im->nfn + 1);
	int i;

	for (i = 0; i < x->ncross; i++)
		if (x->cross[i].turn == CALL)
			called[functionat(im, x->cross[i].to)] = true;
	for (i = 0; i < x->ncross; i++) {
		const Crossing *c = &x->cross[i];
		int from = functionat(im, c->from), to = functionat(im, c->to), part;
		bool begin = c->to == im->fn[to].range->begin;

		if (c->turn == CALL)
			continue;
		part = begin ? to : from; /* a part jumps back */
		if (!im->fn[part].maybepart || called[part] || owner[part] != part
		    || (begin && im->fn[part].nameless && c->turn != COND)
		    || (!begin && !im->fn[part].nameless))
			continue;
		to = ownerof(owner, begin ? from : to);
		if (to != part)
			owner[part] = to;
	}
}

/* byname - give a part to which nothing jumps to the function that its symbol names, if just one
 * has that name. */
static void
byname(const Image *im, int *owner, Arena *tmp)
{
	Table names = {.arena = tmp};
	int i;

	for (i = 0; i < im->nfn; i++) {
		Entry *e = intern(&names, im->fn[i].name, strlen(im->fn[i].name), i);

		if (e->value != i)
			e->value = NONE;
	}
	for (i = 0; i < im->nfn; i++) {
		const Func *f = &im->fn[i];
		const Entry *e = f->stem && owner[i] == i ? lookup(&names, f->name, f->stem) : NULL;

		if (e && e->value != NONE && ownerof(owner, e->value) != i)
			owner[i] = ownerof(owner, e->value);
	}
}

static int
byaddr(const void *a, const void *b)
{
	const Range *x = a, *y = b;

	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* join - join the parts to the functions that they belong to. */
static void
join(Search *x)
{
	Image *im = x->im;
	Arena tmp = {0};
	int *owner = anew(&tmp, int, im->nfn + 1), i, n = 0;

	for (i = 0; i < im->nfn; i++)
		owner[i] = i;
	byjumps(x, owner, &tmp);
	byname(im, owner, &tmp);
	for (i = 0; i < im->nfn; i++) {
		Func *f = &im->fn[ownerof(owner, i)];

		if (owner[i] == i)
			continue;
		apush(im->run, f->range, f->nrange, f->cap);
		f->range[f->nrange++] = im->fn[i].range[0];
		f->reason = f->reason ? f->reason : im->fn[i].reason;
	}
	for (i = 0; i < im->nfn; i++)
		if (owner[i] == i)
			im->fn[n++] = im->fn[i];
	im->nfn = n;
	for (i = 0; i < n; i++)
		if (im->fn[i].nrange > 2)
			qsort(im->fn[i].range + 1, (size_t)im->fn[i].nrange - 1, sizeof(Range),
			      byaddr);
	areset(&tmp);
	indexranges(im);
}

void
exploreall(Image *im, const Policy *p)
{
	Search x = {.im = im, .p = p};
	int i;

	for (i = 0; i < im->nfn; i++) {
		lead(&x, i, im->fn[i].range->begin);
		drain(&x);
	}
	join(&x);
	enter(&x);
}

/* ispadding - the length of the nop, int3 or zero byte at code; 0 if it is none of them. */
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
sweep(Image *im, int fn, const Policy *p)
{
	const Func *f = &im->fn[fn];
	Search x = {.im = im, .p = p, .within = true};
	uint64_t at;
	size_t len;
	int i, n;

	for (i = 0; i < f->nrange; i++)
		for (at = f->range[i].begin; at < f->range[i].end; at += (uint64_t)n) {
			const uint8_t *code = codeof(im, at, &len);
			Insn in;

			if (!(*knowof(im, at) & SEEN) && (n = ispadding(code, len)))
				continue;
			if (!(*knowof(im, at) & SEEN)) {
				lead(&x, fn, at);
				drain(&x);
			}
			n = decode(code, len, &in) ? in.len : 1;
		}
}
