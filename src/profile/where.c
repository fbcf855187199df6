/* where.c - which block, and how far into it, an address is; and what that means for the
 * counts of a function whose frames were left or entered there. */

#include "profile.h"

#include "arch/x86/x86.h"

#include <stdlib.h>
#include <string.h>

static int
byaddr(const void *a, const void *b)
{
	const Start *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
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
			const Mapblock *mb = &fn->code.block[b];

			if (mb->part == MAPNONE)
				continue;
			apush(run, m->start, m->nstart, cap);
			m->start[m->nstart++] = (Start){fn->part[mb->part] + mb->addr, fn, b};
		}
	}
	if (m->nstart)
		qsort(m->start, (size_t)m->nstart, sizeof *m->start, byaddr);
}

const Start *
startat(const Module *m, uint64_t addr)
{
	Start key = {.addr = addr};

	return m->nstart ? bsearch(&key, m->start, (size_t)m->nstart, sizeof key, byaddr) : NULL;
}

/* startbelow - the last block that begins at addr or before. */
static const Start *
startbelow(const Module *m, uint64_t addr)
{
	int lo = 0, hi = m->nstart;

	while (lo < hi) {
		int mid = lo + (hi - lo) / 2;

		if (m->start[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? &m->start[lo - 1] : NULL;
}

/* Where flags are live a counter saves them: lea, pushf, inc, popf, lea. */
uint64_t
skipcounter(const Module *m, uint64_t addr, uint64_t *which)
{
	static const unsigned char save[] = {0x48, 0x8d, 0x64, 0x24, 0x80, 0x9c};
	static const size_t restore = 9; /* popf; lea 128(%rsp), %rsp */
	size_t len = 0, n = 0;
	const uint8_t *code = codeat(m, addr, &len);
	uint64_t to;

	if (code && len > sizeof save && memcmp(code, save, sizeof save) == 0)
		n = sizeof save;
	if (!code || len < n + 8)
		return addr;
	to = counteraddr(code + n, len - n, addr + n);
	if (!to || to < m->counters || to - m->counters >= 8 * m->ncount)
		return addr;
	if (which)
		*which = (to - m->counters) / 8;
	return addr + n + 7 + (code[n] == 0x65) + (n ? restore : 0);
}

/* falls - whether control goes on behind a block. */
static bool
falls(const Fn *fn, int b)
{
	int k;

	for (k = fn->g->outat[b]; k < fn->g->outat[b + 1]; k++)
		if (fn->code.edge[fn->g->out[k].edge].flags & EDGEFALLS)
			return true;
	return false;
}

/* locate - the block and how many of its instructions come before an address; behind
 * tells whether the block's own counter does.  False if it is in no block. */
static bool
locate(const Module *m, uint64_t addr, bool interrupted, const Start **start, uint32_t *done,
       bool *behind)
{
	const Start *s = startbelow(m, addr - !interrupted);
	const Mapblock *mb;
	uint64_t pc, next, which;

	if (!s)
		return false;
	mb = &s->fn->code.block[s->block];
	*start = s;
	*done = 0;
	*behind = mb->slot == MAPNONE && mb->check == MAPNONE;
	for (pc = s->addr; pc < addr; pc = next) {
		const uint8_t *code;
		size_t len;
		Insn in;

		next = skipcounter(m, pc, &which);
		if (next != pc) {
			which -= s->fn->first;
			if (next <= addr && (which == mb->slot || which == mb->check))
				*behind = true;
			continue;
		}
		code = codeat(m, pc, &len);
		if (!code || !decode(code, len, &in) || *done == mb->ninsn)
			return false;
		next = pc + (uint64_t)in.len;
		if (next > addr)
			return interrupted;
		++*done;
	}
	return true;
}

/* addcut - to its function.  A call from which nothing goes on is an end of the function
 * by itself. */
static void
addcut(Module *m, const Modcut *c, Arena *run)
{
	bool interrupted = c->kind & CUTINTERRUPTED, behind;
	const Start *s;
	uint32_t done;
	Fncut *fc;
	Fn *fn;

	if (!locate(m, m->counters + c->addr, interrupted, &s, &done, &behind))
		return; /* in a function that is not counted */
	fn = s->fn;
	if (!interrupted && done == fn->code.block[s->block].ninsn && !falls(fn, s->block))
		return;
	apush(run, fn->cut, fn->ncut, fn->capcut);
	fc = &fn->cut[fn->ncut++];
	*fc = (Fncut){.block = s->block, .done = done, .behind = behind};
	if (c->kind & CUTENTERED)
		fc->entered = c->times;
	else
		fc->left = c->times;
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
}

uint64_t
ran(const Fn *fn, int b, uint32_t i)
{
	uint64_t n = fn->flow->count[b];
	int k;

	for (k = 0; k < fn->ncut; k++) {
		const Fncut *c = &fn->cut[k];

		if (c->block != b)
			continue;
		/* Behind the counter: those that were left are in the count and did not do
		 * the rest; those that entered are not, and did it.  Before it: the other
		 * way round for what came first. */
		if (c->behind && i >= c->done)
			n += c->entered - c->left;
		else if (!c->behind && i < c->done)
			n += c->left - c->entered;
	}
	return n;
}

uint64_t
insnsrun(const Fn *fn, int b)
{
	uint64_t n = fn->flow->count[b] * fn->code.block[b].ninsn;
	int k;

	for (k = 0; k < fn->ncut; k++) {
		const Fncut *c = &fn->cut[k];

		if (c->block == b && c->behind)
			n += (c->entered - c->left) * (fn->code.block[b].ninsn - c->done);
		else if (c->block == b)
			n += (c->left - c->entered) * c->done;
	}
	return n;
}
