/* copies.c - copies of functions that the compiler has dropped.
 *
 * A compiler copies a function to where it is called, and then drops of each copy what it can: rows of its line table, or all of
 * it.  Copies of a line add up, so one that is missing makes the sum too low.  What a line ran in a copy of
 * which it has no row nobody knows: nothing, if it is on a way through the function that cannot be taken there, or as often as the rest.
 * So a line is not sure if a copy ran, and none of its rows are in there; or if a copy has no rows at all, and the function
 * that it is in ran.
 *
 * Where the compiler knows how the first branches of a copy go, it leads a jump past them, and their rows are lost on that
 * way.  Then control comes into the copy at another row than its first, or at that one without passing the call.  But it also does
 * where instructions of the copy are mixed with those around it, and nothing is lost: so the lines that it passes are not sure only if
 * they ran less often than it came in for the first time. */

#include "spots.h"

#include "arch/arch.h"

#include <stdlib.h>
#include <string.h>

/* Instructions of a function that a compiler may inline without our being told.  LLVM's limits of cost are 225 to 325, 5 for
 * each instruction that is left; twice as many, for those that constant arguments leave out. */
enum { INLINABLE = 2 * 325 / 5 };

typedef struct Comer Comer;

/* Control, in a function. */
struct Comer {
	const Fn *fn;
	int number;
	const Coderow *const *first, *const *end; /* by block: its rows */
	uint64_t *entries;                        /* by copied[]: how often it came in */
};

/* numberof - the number of a function of the source, by where it is declared; or by itself, if `alone'. */
static int
numberof(Copies *c, const Inlined *x, bool alone)
{
	struct {
		const void *in;
		uint64_t unit;
		uint32_t line, column;
	} key;
	Entry *e;

	memset(&key, 0, sizeof key);
	if (!x->head.line && !x->number) { /* nobody knows of what */
		key.in = x;
	} else if (alone || !x->head.line) {
		key.in = x->in;
		key.unit = x->unit;
		key.line = x->number;
	} else {
		key.in = x->headfile;
		key.line = x->head.line;
		key.column = x->head.column;
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
		const Copied *x = &fn->copied[i];
		const Head *call = &x->call;
		bool known = x->head.line && x->head.file < (uint32_t)fn->nfile;
		const char *file = known ? fn->file[x->head.file] : "";

		apush(c->run, c->copy, c->n, c->cap);
		c->copy[c->n++] = (Inlined){
			.fn = number,
			.inst = x->inst,
			.whole = x->whole,
			.line = -1,
			.part = !x->inst && strstr(fn->name, ".part."),
			.in = m,
			.unit = fn->unit,
			.number = x->origin,
			.headfile = intern(&c->files, file, strlen(file), 0)->key,
			.head = known ? x->head : (Head){0},
			.callfile = call->file < (uint32_t)fn->nfile && call->line
					    ? fn->file[call->file]
					    : NULL,
			.callline = call->line,
			.ran = fn->flow->count[ENTRY] > 0,
		};
	}
}

/* findorigins - what each is a copy of.  Several units may have a function of a header, which is the same if it is
 * declared there.  Where a unit has several that are declared at one place, as macros and templates make them, each is by itself. */
static void
findorigins(Copies *c)
{
	struct {
		const void *in;
		uint64_t unit;
		int origin;
	} key;
	Table seen = {.arena = c->run};
	bool *several = anew(c->run, bool, c->n + 1);
	int i;

	memset(&key, 0, sizeof key);
	for (i = 0; i < c->n; i++) {
		Inlined *x = &c->copy[i];
		Entry *e;

		key.in = x->in;
		key.unit = x->unit;
		key.origin = x->origin = numberof(c, x, false);
		e = intern(&seen, (char *)&key, sizeof key, (int)x->number);
		several[x->origin] |= e->value != (int)x->number;
	}
	for (i = 0; i < c->n; i++)
		if (several[c->copy[i].origin])
			c->copy[i].origin = numberof(c, &c->copy[i], true);
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

	findorigins(c);
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

/* samefile - whether two numbers of a unit's files stand for one: DWARF 5 has the source itself as 0 and as 1. */
static bool
samefile(const Fn *fn, uint32_t a, uint32_t b)
{
	if (a == b)
		return true;
	return a < (uint32_t)fn->nfile && b < (uint32_t)fn->nfile
	       && strcmp(fn->file[a], fn->file[b]) == 0;
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
passescall(const Fn *fn, const Coderow *row, const Copied *c)
{
	const Copied *x;
	uint32_t inst = row->inst;

	if (inst == c->outer && row->line == c->call.line && samefile(fn, row->file, c->call.file))
		return true;
	for (; inst && (x = copiedat(fn, inst)); inst = x->outer)
		if (x->outer == c->outer && x->call.line == c->call.line
		    && samefile(fn, x->call.file, c->call.file))
			return true;
	return false;
}

/* breaks - lines have lost rows that a copy should have where another is entered. */
static void
breaks(Copies *c, Comer *k, uint32_t file, uint32_t from, uint32_t to, uint32_t inst,
       uint32_t entered)
{
	const char *name;

	if (file >= (uint32_t)k->fn->nfile || from > to || !from)
		return;
	name = k->fn->file[file];
	name = intern(&c->files, name, strlen(name), 0)->key;
	apush(c->run, c->broken, c->nbroken, c->capbroken);
	c->broken[c->nbroken++] = (Broken){.file = name,
					   .from = from,
					   .to = to,
					   .fn = k->number,
					   .inst = inst,
					   .head = inst == k->fn->copied[entered].inst,
					   .entries = entered};
}

/* partbegins - the line of the source on which a part of a copy begins, at a row; the row itself has that of the function. */
static uint32_t
partbegins(const Fn *fn, const Coderow *row, const Coderow *end, const Copied *part)
{
	const Coderow *k = row;
	uint32_t least = UINT32_MAX;
	int i;

	while (k < end && (k->inst != row->inst || k->line == part->call.line))
		k++;
	if (k < end)
		return k->line;
	for (i = 0; i < fn->code.nrow; i++) {
		k = &fn->code.row[i];
		if (k->inst == part->inst && k->line > part->call.line && k->line < least
		    && samefile(fn, k->file, part->call.file))
			least = k->line;
	}
	return least < UINT32_MAX ? least : row->line;
}

/* before - the block that control comes from to another; NONE if there are several, or none. */
static int
before(const Fn *fn, int b)
{
	const Graph *g = fn->g;
	int k, src = NONE;

	for (k = g->inat[b]; k < g->inat[b + 1]; k++) {
		int p = edgeplace(g, g->in[k].edge);

		if (fn->flow->known[p] && !fn->flow->count[p])
			continue;
		if (src != NONE)
			return NONE;
		src = g->in[k].block;
	}
	return src >= FIRST ? src : NONE;
}

/* wasin - whether control has been in a copy already, on the only way to a row of a block; *called becomes true if it has passed the
 * call since it began.  Compilers mix the instructions of a copy with those around it. */
static bool
wasin(const Comer *k, int b, const Coderow *row, const Copied *x, bool *called)
{
	int n;

	for (n = 0; n < k->fn->g->nblock && b != NONE; n++, b = before(k->fn, b), row = NULL) {
		if (!k->first[b])
			continue;
		for (row = row ? row : k->end[b] - 1; row >= k->first[b]; row--) {
			if (!(row->flags & ROWSTMT))
				continue;
			if (iswithin(k->fn, row->inst, x->inst))
				return true;
			*called |= passescall(k->fn, row, x);
		}
	}
	return false;
}

/* comesin - control comes from a row of a block to another, so often: into which copies, and where. */
static void
comesin(Copies *c, Comer *k, int b, const Coderow *from, const Coderow *to, const Coderow *end,
	uint64_t times)
{
	const Fn *fn = k->fn;
	uint32_t line = to->line, file = to->file; /* where in the copy that is */
	const Copied *x, *inner = NULL;
	uint32_t inst = to->inst;

	for (; inst && !iswithin(fn, from->inst, inst) && (x = copiedat(fn, inst));
	     inst = x->outer) {
		bool begins =
			!inner && to->line == x->head.line && samefile(fn, to->file, x->head.file);
		bool called = false;
		uint32_t at = (uint32_t)(x - fn->copied);

		inner = x;
		if (x->whole != x->inst) {
			line = partbegins(fn, to, end, x);
			continue;
		}
		if (wasin(k, b, from, x, &called))
			break;
		k->entries[at] =
			times > INT64_MAX - k->entries[at] ? INT64_MAX : k->entries[at] + times;
		if (!begins && samefile(fn, file, x->head.file))
			breaks(c, k, x->head.file, x->head.line, line - 1, x->inst, at);
		if ((!begins || !passescall(fn, from, x)) && !called)
			breaks(c, k, x->call.file, x->call.line, x->call.line, x->outer, at);
		line = x->call.line + 1;
		file = x->call.file;
	}
}

/* statement - the first row from one on that begins one; end. */
static const Coderow *
statement(const Coderow *row, const Coderow *end)
{
	while (row < end && !(row->flags & ROWSTMT))
		row++;
	return row;
}

/* within - the rows of a block that ran. */
static void
within(Copies *c, Comer *k, int b, const Coderow *row, const Coderow *end, uint64_t times)
{
	const Coderow *next;

	for (row = statement(row, end); row < end; row = next) {
		next = statement(row + 1, end);
		if (next < end)
			comesin(c, k, b, row, next, end, times);
	}
}

bool
sameorigin(const Copies *c, int fn, uint32_t inst, int other, uint32_t otherinst)
{
	const Inlined *x = copyat(c, fn, inst), *y = copyat(c, other, otherinst);

	return x && y && x->origin == y->origin;
}

void
findbroken(Copies *c, const Fn *fn, int number, const Coderow *const *first,
	   const Coderow *const *end)
{
	const Graph *g = fn->g;
	Comer k = {.fn = fn, .number = number, .first = first, .end = end};
	const Coderow *from, *to;
	int e, b, i = c->nbroken;

	if (fn->ncopied <= 1)
		return;
	k.entries = anew(c->run, uint64_t, fn->ncopied);
	for (b = FIRST; b < g->nblock; b++)
		if (first[b] && fn->flow->count[b])
			within(c, &k, b, first[b], end[b], fn->flow->count[b]);
	for (e = 0; e < g->nedge; e++) {
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
			comesin(c, &k, src, from, to, end[dst],
				fn->flow->known[p] ? fn->flow->count[p] : INT64_MAX);
	}
	for (; i < c->nbroken; i++)
		c->broken[i].entries = k.entries[c->broken[i].entries];
}

const Broken *
nextbroken(const Copies *c, const Broken *after, const char *file, uint32_t line)
{
	const Broken *x = after ? after + 1 : c->broken, *end = c->broken + c->nbroken;

	while (x < end && (line < x->from || x->to < line || strcmp(x->file, file) != 0))
		x++;
	return x < end ? x : NULL;
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

/* returns - whether there is a way through a function on which nothing need be left of it. */
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

bool
doesnothing(Module *m, const Fn *fn, Arena *run)
{
	return returns(m, fn, true, run);
}

bool
callsnobody(Module *m, const Fn *fn, Arena *run)
{
	return returns(m, fn, false, run);
}
