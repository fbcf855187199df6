/* calls.c - which function called which, and how often.
 *
 * A call was made as often as its instruction was executed.  So was a jump into another function,
 * which calls that one and returns for the function that it leaves. */

#include "report.h"

#include "arch/arch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct Pair Pair;
typedef struct Book Book;

struct Pair {
	const Fn *from, *to; /* to: NULL if it is not counted */
	const char *caller, *callee;
	uint64_t times;
};

struct Book {
	const Report *r;
	Module *library; /* uncounted libraries that were called through pointers */
	int nlibrary;
	size_t caplibrary;
	Table index; /* indices of pair[], by caller and callee */
	Pair *pair;
	int npair;
	size_t cap;
	int unknown;      /* functions of which it is unknown how often they jumped to others */
	uint64_t missing; /* calls through pointers that should have been recorded */
	uint64_t excess;  /* calls that were recorded and not made */
};

/* An unknown callee, called through a pointer. */
static const char anyone[] = "*";

/* add - so many calls, to those of a pair. */
static void
add(Book *b, const Fn *from, const Fn *to, const char *callee, uint64_t times)
{
	Buf key = {.arena = b->r->run};
	Entry *e;

	if (!times)
		return;
	from = from->sameas ? from->sameas : from;
	to = to && to->sameas ? to->sameas : to;
	bprintf(&key, "%p %p %s", (const void *)from, (const void *)to, callee);
	e = intern(&b->index, key.s, key.n, b->npair);
	if (e->value == b->npair) {
		apush(b->r->run, b->pair, b->npair, b->cap);
		b->pair[b->npair++] = (Pair){
			.from = from, .to = to, .caller = nameof(b->r, from), .callee = callee};
	}
	b->pair[e->value].times += times;
}

/* taken - how often a branch at the end of block src left the function. */
static uint64_t
taken(Book *b, const Fn *fn, int src)
{
	const Graph *g = fn->g;
	int k;

	for (k = g->outat[src]; k < g->outat[src + 1]; k++) {
		int e = g->out[k].edge, p = edgeplace(g, e);

		if (g->edge[e].dst != EXIT
		    || (fn->code.edge[e].flags & (EDGENEVER | EDGEFALLS | EDGENET)))
			continue;
		if (fn->flow->known[p])
			return fn->flow->count[p];
		b->unknown++;
	}
	return 0;
}

/* leaves - whether what ends block src goes to EXIT rather than to other blocks. */
static bool
leaves(const Fn *fn, int src)
{
	const Graph *g = fn->g;

	return g->outat[src] < g->outat[src + 1] && g->out[g->outat[src]].block == EXIT;
}

/* named - the name of what is called at an address, or the address. */
static const char *
named(const Book *b, const Module *m, uint64_t to)
{
	const char *name = calledname(b->r, m, to);
	Buf number = {.arena = b->r->run};

	if (name)
		return name;
	bprintf(&number, "0x%" PRIx64, to);
	return number.s;
}

/* moduleof - a library, counted or not; NULL if it is not the same build any more. */
static Module *
moduleof(Book *b, const Library *l)
{
	Module *m;
	int i;

	for (i = 0; i < b->r->of.nmodule; i++) {
		m = &b->r->of.module[i];
		if (strcmp(m->path, l->path) == 0 && m->idlen == l->idlen
		    && memcmp(m->id, l->id, sizeof m->id) == 0)
			return m;
	}
	for (i = 0; i < b->nlibrary; i++) {
		m = &b->library[i];
		if (strcmp(m->path, l->path) == 0 && m->idlen == l->idlen
		    && memcmp(m->id, l->id, sizeof m->id) == 0)
			return m->died ? NULL : m;
	}
	apush(b->r->run, b->library, b->nlibrary, b->caplibrary);
	m = &b->library[b->nlibrary++];
	*m = (Module){.path = l->path, .idlen = l->idlen};
	memcpy(m->id, l->id, sizeof m->id);
	m->died = !samebuild(l->path, l->id, l->idlen);
	if (m->died)
		return NULL;
	readcode(m, b->r->run);
	codenames(b->r, m);
	return m;
}

/* recorded - add the recorded callees of the call through a pointer at an address; returns the
 * number of calls. */
static uint64_t
recorded(Book *b, const Module *m, const Fn *fn, uint64_t addr)
{
	uint64_t site = addr - m->counters, sum = 0;
	int lo = 0, hi = m->ncall;

	while (lo < hi) {
		int mid = lo + (hi - lo) / 2;

		if (m->call[mid].site < site)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < m->ncall && m->call[lo].site == site; lo++) {
		const Modcall *c = &m->call[lo];
		const Module *in = c->in ? moduleof(b, c->in) : NULL;
		const char *name = in ? calledname(b->r, in, c->callee) : NULL;
		Buf number = {.arena = b->r->run};

		bprintf(&number, "0x%" PRIx64 " in %s", c->callee, c->in ? c->in->path : "?");
		add(b, fn, in ? calledfn(in, c->callee) : NULL, name ? name : number.s, c->times);
		sum += c->times;
	}
	return sum;
}

/* through - add calls through a pointer.  Where callees are recorded, all are, unless there was no
 * room. */
static void
through(Book *b, const Module *m, const Fn *fn, uint64_t addr, uint64_t times, bool records)
{
	uint64_t sum = recorded(b, m, fn, addr);

	if (sum > times)
		b->excess += sum - times;
	else if (records)
		b->missing += times - sum;
	add(b, fn, NULL, anyone, sum < times ? times - sum : 0);
}

/* instruction - add the calls that an instruction of block src made; it was executed so many
 * times. */
static void
instruction(Book *b, const Module *m, const Fn *fn, int src, uint64_t addr, const Insn *in,
	    uint64_t times, bool records)
{
	uint64_t to = addr + (uint64_t)in->target;
	const char *name = in->direct ? NULL : slotname(m, addr);
	const Start *s = in->direct ? blockto(m, to) : NULL;

	if (in->turn == INDIR ? !leaves(fn, src) : in->turn != CALL && !in->direct)
		return;
	if (s && s->fn == fn && (in->turn != CALL || !calledfn(m, to)))
		return; /* within the function: some calls only get their own address */
	if (in->turn == COND)
		times = taken(b, fn, src);
	if (in->direct)
		name = named(b, m, to);
	if (name)
		add(b, fn, in->direct ? calledfn(m, to) : NULL, name, times);
	else
		through(b, m, fn, addr, times, records);
}

static void
function(Book *b, const Module *m, const Fn *fn)
{
	int src;

	for (src = FIRST; src < fn->g->nblock; src++) {
		const Codeblock *mb = &fn->code.block[src];
		uint64_t addr;
		uint32_t i;

		if (mb->part == CODENONE) { /* the common destination of jumps through registers */
			add(b, fn, NULL, anyone, taken(b, fn, src));
			continue;
		}
		addr = fn->part[mb->part] + mb->addr;
		for (i = 0; i < mb->ninsn; i++) {
			bool records = false;
			const uint8_t *code;
			const Own *o;
			size_t len;
			Insn in;

			for (; (o = ownat(m, addr)); addr = o->end)
				records |= (o->is->form & FORMMASK) == RECORD;
			code = codeat(m, addr, &len);
			if (!code || !decode(code, len, &in))
				break;
			instruction(b, m, fn, src, addr, &in, ran(fn, src, i), records);
			addr += (uint64_t)in.len;
		}
	}
}

static int
bytimes(const void *a, const void *b)
{
	const Pair *x = a, *y = b;
	int c;

	if (x->times != y->times)
		return x->times > y->times ? -1 : 1;
	c = strcmp(x->caller, y->caller);
	return c ? c : strcmp(x->callee, y->callee);
}

/* callremarks - print what the table lacks. */
static void
callremarks(const Book *b, const Module *m)
{
	int i, odd = 0;

	for (i = 0; i < m->nfn; i++)
		odd += !m->fn[i].g;
	if (odd)
		remark("%s: calls made by uncounted functions are not shown", m->path);
	if (b->unknown)
		remark("%s: tail calls of %d functions were not counted: build with "
		       "--counters=edges",
		       m->path, b->unknown);
	if (b->missing) /* invariant 13 */
		remark("%s: the callees of %" PRIu64 " calls through pointers were not recorded%s",
		       m->path, b->missing,
		       m->flags & PROFLOSTCALLS ? ": there was no room for them" : "");
	if (m->flags & PROFUNLOADED)
		remark("%s: libraries were unloaded: some functions called through pointers "
		       "may have the name of one of theirs",
		       m->path);
	if (b->excess)
		remark("%s: %" PRIu64 " calls through pointers were recorded but not made: "
		       "a process or thread ended in between",
		       m->path, b->excess);
}

void
calls(const Report *r)
{
	Book b = {.r = r, .index = {.arena = r->run}};
	Grid grid = {.arena = r->run, .ncol = 3, .left = 1, .more = 1};
	int i, k;

	for (i = 0; i < r->of.nmodule; i++) {
		findstarts(&r->of.module[i], r->run);
		codenames(r, &r->of.module[i]);
	}
	for (i = 0; i < r->of.nmodule; i++) {
		const Module *m = &r->of.module[i];

		b.unknown = 0;
		b.missing = b.excess = 0;
		for (k = 0; k < m->nfn; k++)
			if (m->fn[k].g)
				function(&b, m, &m->fn[k]);
		callremarks(&b, m);
	}
	if (b.npair)
		qsort(b.pair, (size_t)b.npair, sizeof *b.pair, bytimes);
	cell(&grid, "calls");
	cell(&grid, "caller");
	cell(&grid, "callee");
	for (i = 0; i < b.npair; i++) {
		const Pair *p = &b.pair[i];

		if (!chosen(&r->of, p->from) && !(p->to && chosenname(&r->of, p->to))
		    && !matches(r->of.only, r->of.nonly, p->callee))
			continue;
		cell(&grid, "%" PRIu64, p->times);
		cell(&grid, "%s", p->caller);
		cell(&grid, "%s", p->callee);
	}
	table(r, &grid, NULL, NULL);
}
