/* copies.c - copies of functions that the compiler has dropped.
 *
 * A compiler copies a function to where it is called, and then drops of each copy what it can: rows of its line table, or all of
 * it.  Copies of a line add up, so one that is missing makes the sum too low.  What a line ran in a copy of
 * which it has no row nobody knows: nothing, if it is on a way through the function that cannot be taken there, or as often as the rest.
 * So a line is not sure if a copy ran, and none of its rows are in there; or if a copy has no rows at all, and the function
 * that it is in ran.
 *
 * Where the compiler knows how the first branches of a copy go, it leads a jump past them, and their rows are lost on that
 * way.  Then control comes into the copy at another row than its first, or at that one without passing the call. */

#include "report.h"

#include "arch/x86/x86.h"

#include <stdlib.h>
#include <string.h>

/* Instructions of a function that a compiler may inline without our being told.  LLVM's limits of cost are 225 to 325, 5 for
 * each instruction that is left; twice as many, for those that constant arguments leave out. */
enum { INLINABLE = 2 * 325 / 5 };

/* originof - the number of a function of the source. */
static int
originof(Copies *c, const Module *m, const Fn *fn, const Copied *x)
{
	struct {
		const void *in;
		uint64_t unit;
		uint32_t line, column;
	} key;
	Entry *e;

	memset(&key, 0, sizeof key);
	if (x->head.line && x->head.file < (uint32_t)fn->nfile) {
		const char *file = fn->file[x->head.file];

		key.in = intern(&c->files, file, strlen(file), 0)->key;
		key.line = x->head.line;
		key.column = x->head.column;
	} else {
		key.in = m;
		key.unit = fn->unit;
		key.line = x->origin;
	}
	e = intern(&c->origins, (char *)&key, sizeof key, c->norigin);
	if (e->value == c->norigin) {
		apush(c->run, c->origin, c->norigin, c->caporigin);
		c->origin[c->norigin++] = (Origin){.line = -1};
	}
	return e->value;
}

void
notecopies(Copies *c, const Module *m, const Fn *fn, int number)
{
	int i;

	for (i = 0; i < fn->ncopied; i++) {
		const Head *call = &fn->copied[i].call;

		apush(c->run, c->copy, c->n, c->cap);
		c->copy[c->n++] = (Inlined){
			.fn = number,
			.inst = fn->copied[i].inst,
			.whole = fn->copied[i].whole,
			.line = -1,
			.part = !fn->copied[i].inst && strstr(fn->name, ".part."),
			.origin = originof(c, m, fn, &fn->copied[i]),
			.callfile = call->file < (uint32_t)fn->nfile && call->line
					    ? fn->file[call->file]
					    : NULL,
			.callline = call->line,
			.ran = fn->flow->count[ENTRY] > 0,
		};
	}
}

static int
bycopy(const void *a, const void *b)
{
	const Inlined *x = a, *y = b;

	if (x->fn != y->fn)
		return x->fn < y->fn ? -1 : 1;
	return x->inst < y->inst ? -1 : x->inst > y->inst;
}

/* copyat - the whole of which rows have that number; NULL. */
static Inlined *
copyat(const Copies *c, int fn, uint32_t inst)
{
	Inlined key = {.fn = fn, .inst = inst}, *x = NULL;

	if (c->n)
		x = bsearch(&key, c->copy, (size_t)c->n, sizeof *c->copy, bycopy);
	if (!x || x->whole == inst)
		return x;
	key.inst = x->whole;
	return bsearch(&key, c->copy, (size_t)c->n, sizeof *c->copy, bycopy);
}

void
noterow(Copies *c, int fn, uint32_t inst, bool ran)
{
	Inlined *x = copyat(c, fn, inst);

	if (!x || x->inst == 0)
		return;
	x->ran = (x->rows && x->ran) || ran;
	x->rows = true;
}

void
sumcopies(Copies *c)
{
	int i;

	for (i = 0; i < c->n; i++)
		c->origin[c->copy[i].origin].ran +=
			c->copy[i].ran && !c->copy[i].part && c->copy[i].whole == c->copy[i].inst;
}

void
onaline(Copies *c, int line, int fn, uint32_t inst)
{
	Inlined *x = copyat(c, fn, inst);
	Origin *o = x ? &c->origin[x->origin] : NULL;

	if (!o || x->line == line)
		return;
	if (o->line != line) {
		o->line = line;
		o->there = 0;
	}
	x->line = line;
	if (x->part)
		o->there = o->ran;
	else
		o->there += x->ran;
}

bool
ismissed(const Copies *c, int line, int fn, uint32_t inst)
{
	const Inlined *x = copyat(c, fn, inst);

	return x && c->origin[x->origin].line == line
	       && c->origin[x->origin].there < c->origin[x->origin].ran;
}

static const Copied *
copiedat(const Fn *fn, uint32_t inst)
{
	int low = 0, high = fn->ncopied;

	while (low < high) {
		int mid = low + (high - low) / 2;

		if (fn->copied[mid].inst < inst)
			low = mid + 1;
		else
			high = mid;
	}
	return low < fn->ncopied && fn->copied[low].inst == inst ? &fn->copied[low] : NULL;
}

/* iswithin - whether a copy is another, or in it. */
static bool
iswithin(const Fn *fn, uint32_t inst, uint32_t other)
{
	const Copied *c = copiedat(fn, inst);

	while (c && inst != other && inst) {
		inst = c->outer;
		c = copiedat(fn, inst);
	}
	return inst == other;
}

/* passescall - whether a row is of the call of a copy, or in what was called there, too. */
static bool
passescall(const Fn *fn, const Maprow *row, const Copied *c)
{
	const Copied *x;
	uint32_t inst = row->inst;

	if (inst == c->outer && row->file == c->call.file && row->line == c->call.line)
		return true;
	for (; inst && (x = copiedat(fn, inst)); inst = x->outer)
		if (x->outer == c->outer && x->call.file == c->call.file
		    && x->call.line == c->call.line)
			return true;
	return false;
}

/* breaks - lines have lost rows. */
static void
breaks(Copies *c, const Fn *fn, uint32_t file, uint32_t from, uint32_t to)
{
	const char *name;

	if (file >= (uint32_t)fn->nfile || from > to || !from)
		return;
	name = fn->file[file];
	name = intern(&c->files, name, strlen(name), 0)->key;
	apush(c->run, c->broken, c->nbroken, c->capbroken);
	c->broken[c->nbroken++] = (struct Broken){name, from, to};
}

/* partbegins - the line of the source on which a part of a copy begins, at a row; the row itself has that of the function. */
static uint32_t
partbegins(const Maprow *row, const Maprow *end, const Copied *part)
{
	const Maprow *k = row;

	while (k < end && (k->inst != row->inst || k->line == part->call.line))
		k++;
	return k < end ? k->line : row->line;
}

/* comesin - control comes from one row to another: into which copies, and where. */
static void
comesin(Copies *c, const Fn *fn, const Maprow *from, const Maprow *to, const Maprow *end)
{
	uint32_t line = to->line;
	const Copied *x, *inner = NULL;
	uint32_t inst = to->inst;

	for (; inst && !iswithin(fn, from->inst, inst) && (x = copiedat(fn, inst));
	     inst = x->outer) {
		bool begins = !inner && to->file == x->head.file && to->line == x->head.line;

		inner = x;
		if (x->whole != x->inst) {
			line = partbegins(to, end, x);
			continue;
		}
		if (!begins)
			breaks(c, fn, x->head.file, x->head.line, line - 1);
		if (!begins || !passescall(fn, from, x))
			breaks(c, fn, x->call.file, x->call.line, x->call.line);
		line = x->call.line + 1;
	}
}

/* statement - the first row from one on that begins one; end. */
static const Maprow *
statement(const Maprow *row, const Maprow *end)
{
	while (row < end && !(row->flags & ROWSTMT))
		row++;
	return row;
}

/* within - the rows of a block that ran. */
static void
within(Copies *c, const Fn *fn, const Maprow *row, const Maprow *end)
{
	const Maprow *next;

	for (row = statement(row, end); row < end; row = next) {
		next = statement(row + 1, end);
		if (next < end)
			comesin(c, fn, row, next, end);
	}
}

void
findbroken(Copies *c, const Fn *fn, const Maprow *const *first, const Maprow *const *end)
{
	const Graph *g = fn->g;
	const Maprow *from, *to;
	int e, b;

	for (b = FIRST; fn->ncopied > 1 && b < g->nblock; b++)
		if (first[b] && fn->flow->count[b])
			within(c, fn, first[b], end[b]);
	for (e = 0; fn->ncopied > 1 && e < g->nedge; e++) {
		int src = g->edge[e].src, dst = g->edge[e].dst, p = edgeplace(g, e);
		bool falls = fn->code.edge[e].flags & EDGEFALLS;

		if (src < FIRST || dst < FIRST || !first[src] || !first[dst]
		    || (fn->flow->known[p] && !fn->flow->count[p]))
			continue;
		for (from = end[src]; from > first[src] && !(from[-1].flags & ROWSTMT); from--)
			;
		from = from > first[src] ? from - 1 : end[src] - 1;
		for (to = first[dst]; to < end[dst] && !falls && (to->flags & ROWFALLS); to++)
			;
		to = statement(to, end[dst]);
		if (to < end[dst])
			comesin(c, fn, from, to, end[dst]);
	}
}

bool
isbroken(const Copies *c, const char *file, uint32_t line)
{
	int i;

	for (i = 0; i < c->nbroken; i++)
		if (c->broken[i].from <= line && line <= c->broken[i].to
		    && strcmp(c->broken[i].file, file) == 0)
			return true;
	return false;
}

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

/* leavesnothing - whether a block is code of which nothing need be left where it is copied to. */
static bool
leavesnothing(const Module *m, const Fn *fn, int b, Arena *tmp)
{
	const Mapblock *mb = &fn->code.block[b];
	uint64_t addr = mb->part == MAPNONE ? 0 : fn->part[mb->part] + mb->addr;
	const Graph *g = fn->g;
	bool out = g->outat[b] < g->outat[b + 1] && g->out[g->outat[b]].block == EXIT;
	uint32_t i;
	Insn in;

	for (i = 0; mb->part != MAPNONE && i < mb->ninsn; i++) {
		size_t len;
		const uint8_t *code = insnat(m, &addr, &len);

		if (!code || !decode(code, len, &in))
			return true;
		if (acts(code, len, &in, tmp) || (out && (in.turn == JUMP || in.turn == INDIR)))
			return false;
		addr += (uint64_t)in.len;
	}
	return true;
}

bool
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

bool
doesnothing(Module *m, const Fn *fn, Arena *run)
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
		if (b >= FIRST && !leavesnothing(m, fn, b, &tmp))
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
