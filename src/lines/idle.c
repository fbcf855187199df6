/* idle.c - functions that never ran.
 *
 * Their lines count 0.  But a function that never ran itself may have run where it was inlined:
 * then a line of it that has no row there is unsure.  And it may have been inlined where nothing is
 * left of it, because some path through it has no effect outside. */

#include "spots.h"

#include "arch/arch.h"

#include <string.h>

/* The largest function, in instructions, that a compiler may inline without the debug information
 * telling.  LLVM's cost limits are 225 to 325, at 5 for each instruction that remains; twice as
 * many, because constant arguments remove some. */
enum { INLINABLE = 2 * 325 / 5 };

static const char *
noname(void *with, uint64_t addr)
{
	(void)with;
	(void)addr;
	return NULL;
}

/* acts - returns whether an instruction has an effect beyond the registers and stack of its
 * function. */
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

/* remains - returns whether a call, or a jump to another function, must remain in a copy, because
 * the counted function that it leads to has effects. */
static bool
remains(Module *m, const Fn *fn, uint64_t addr, const Insn *in, Arena *run)
{
	const Fn *to = in->direct ? calledfn(m, addr + (uint64_t)in->target) : NULL;

	return to && to != fn && !returns(m, to, true, run);
}

/* leavesnothing - returns whether a copy of a block may leave nothing behind.  If strict, the block
 * must have no effects and call nothing; else it must only not stop the program, nor call a counted
 * function that has effects. */
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

/* mayvanish - returns whether a function may have been inlined without a trace.  gcc says of each
 * function whether it was inlined; clang only where something is left. */
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

/* returns - returns whether there is a path through a function on which a copy of each block may
 * leave nothing behind: see leavesnothing(). */
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

/* isused - returns whether something of a function's unit ran. */
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
	int *before = anew(&t->one, int, t->n + 1); /* how many spots before each ran inlined */
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
