/* idle.c - functions that never ran.
 *
 * Their lines count 0.  But they may have run where they were inlined: then a line of theirs that has no row there is not
 * sure.  And they may have been inlined where nothing is left of them, because a way through them does nothing that anybody could
 * see. */

#include "spots.h"

#include "arch/arch.h"

#include <string.h>

/* Instructions of a function that a compiler may inline without our being told.  LLVM's limits of cost are 225 to 325, 5 for
 * each instruction that is left; twice as many, for those that constant arguments leave out. */
enum { INLINABLE = 2 * 325 / 5 };

static const char *
noname(void *with, uint64_t addr)
{
	(void)with;
	(void)addr;
	return NULL;
}

/* acts - whether an instruction does something beyond its function's own registers and stack. */
static bool
acts(const uint8_t *code, size_t len, const Insn *in, Arena *tmp)
{
	Buf text = {.arena = tmp};
	Insnkind k;

	if (in->turn == CALL)
		return true;
	if (in->turn != PLAIN || !kindof(code, len, &k))
		return in->turn == STOP;
	if (!k.writes || strncmp(k.mnemonic, "push", 4) == 0)
		return false;
	show(&text, code, len, 0, noname, NULL);
	return !memmem(text.s, text.n, "(%rsp", 5) && !memmem(text.s, text.n, "(%rbp", 5);
}

static bool returns(Module *, const Fn *, bool, Arena *run);

/* remains - whether a call, or a jump to another function, is still there where it is copied to: what it calls acts. */
static bool
remains(Module *m, const Fn *fn, uint64_t addr, const Insn *in, Arena *run)
{
	const Fn *to = in->direct ? calledfn(m, addr + (uint64_t)in->target) : NULL;

	return to && to != fn && !returns(m, to, true, run);
}

/* leavesnothing - whether a block is code of which nothing need be left where it is copied to: it does not act, or at least calls
 * nobody who does. */
static bool
leavesnothing(Module *m, const Fn *fn, int b, bool strict, Arena *run, Arena *tmp)
{
	const Codeblock *mb = &fn->code.block[b];
	uint64_t addr = mb->part == CODENONE ? 0 : fn->part[mb->part] + mb->addr;
	const Graph *g = fn->g;
	bool out = g->outat[b] < g->outat[b + 1] && g->out[g->outat[b]].block == EXIT;
	uint32_t i;
	Insn in;

	for (i = 0; mb->part != CODENONE && i < mb->ninsn; i++) {
		size_t len;
		const uint8_t *code = insnat(m, &addr, &len);
		bool calls;

		if (!code || !decode(code, len, &in))
			return true;
		calls = in.turn == CALL || (out && (in.turn == JUMP || in.turn == INDIR));
		if (strict ? calls || acts(code, len, &in, tmp)
			   : in.turn == STOP || (calls && remains(m, fn, addr, &in, run)))
			return false;
		addr += (uint64_t)in.len;
	}
	return true;
}

/* mayvanish - whether a function may have been inlined where nothing is left of it: gcc says of each if it was inlined; clang only
 * where something is left. */
static bool
mayvanish(const Fn *fn)
{
	uint32_t n = 0;
	int i;

	if (fn->ncopied && fn->copied->inlined)
		return true;
	for (i = FIRST; i < fn->g->nblock; i++)
		n += fn->code.block[i].ninsn;
	if (n > INLINABLE)
		return false;
	for (i = 0; i < fn->code.nrow; i++)
		if (fn->code.row[i].flags & ROWSTMT)
			return false;
	return true;
}

/* returns - whether there is a way through a function on which nothing need be left of it: it does nothing but compute, or, unless
 * that is to be strict, calls nobody who does more. */
static bool
returns(Module *m, const Fn *fn, bool strict, Arena *run)
{
	const Graph *g = fn->g;
	int *stack, b, i, n = 0;
	bool *seen, exit = false;
	Arena tmp = {0};

	findstarts(m, run);
	stack = anew(&tmp, int, g->nblock);
	seen = anew(&tmp, bool, g->nblock);
	seen[ENTRY] = true;
	stack[n++] = ENTRY;
	while (n > 0 && !exit) {
		b = stack[--n];
		if (b >= FIRST && !leavesnothing(m, fn, b, strict, run, &tmp))
			continue;
		for (i = g->outat[b]; i < g->outat[b + 1]; i++) {
			int dst = g->out[i].block;

			exit |= dst == EXIT && !(fn->code.edge[g->out[i].edge].flags & EDGENEVER);
			if (dst >= FIRST && !seen[dst]) {
				seen[dst] = true;
				stack[n++] = dst;
			}
		}
	}
	areset(&tmp);
	return exit;
}

/* isused - whether something of the unit of a function ran. */
static bool
isused(Tally *t, const Module *m, const Fn *fn)
{
	struct {
		const Module *in;
		uint64_t unit;
	} key = {m, fn->unit};

	return lookup(&t->used, (char *)&key, sizeof key);
}

void
idleness(Tally *t, Module *m, const Fn *fn)
{
	bool may, nothing;

	t->asleep = fn->flow->count[ENTRY] == 0;
	t->vanished = false;
	if (!t->asleep || fn->plain || !mayvanish(fn) || !isused(t, m, fn))
		return;
	nothing = returns(m, fn, true, t->run);
	may = fn->ncopied && fn->copied->inlined && returns(m, fn, false, t->run);
	t->vanished = may || nothing;
	t->asleep = !nothing;
}

void
findused(Tally *t)
{
	int i, k;

	for (i = 0; i < t->of->nmodule; i++)
		for (k = 0; k < t->of->module[i].nfn; k++) {
			const Fn *fn = &t->of->module[i].fn[k];
			struct {
				const Module *in;
				uint64_t unit;
			} key = {&t->of->module[i], fn->unit};

			if (!fn->g || (fn->flow && fn->flow->count[ENTRY]))
				intern(&t->used, (char *)&key, sizeof key, 1);
		}
}

void
addidle(Tally *t, const Fn *fn, const Coderow *rows, int n)
{
	Idle x = {.fn = t->fn, .from = UINT32_MAX};
	int i;

	for (i = 0; i < n; i++) {
		const Coderow *row = &rows[i];
		const char *file = fn->file[row->file];

		if (row->inst || istold(t, fn, row))
			continue;
		file = intern(&t->files, file, strlen(file), 0)->key;
		if (!x.file)
			x.file = file;
		if (file != x.file)
			continue;
		x.from = row->line < x.from ? row->line : x.from;
		x.to = row->line > x.to ? row->line : x.to;
	}
	if (!x.file)
		return;
	apush(t->run, t->idle, t->nidle, t->capidle);
	t->idle[t->nidle++] = x;
}

void
wake(Tally *t)
{
	int *before = anew(&t->one, int, t->n + 1); /* by spot: how many ran inlined */
	int i, k, end;

	for (i = 0; i < t->n; i++)
		before[i + 1] =
			before[i] + (t->spot[i].inst && (t->spot[i].count || t->spot[i].other));
	for (i = 0; i < t->nidle; i++) {
		const Idle *x = &t->idle[i];
		int from = firstat(t, x->file, x->from), to = firstat(t, x->file, x->to + 1);

		for (k = from; before[to] > before[from] && k < to; k = end) {
			for (end = k; end < to && sameplace(&t->spot[end], &t->spot[k]); end++)
				;
			for (; k < end && before[end] == before[k]; k++)
				t->spot[k].idle &= t->spot[k].fn != x->fn;
		}
	}
	areset(&t->one);
}
