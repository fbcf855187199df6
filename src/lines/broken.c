/* broken.c - lines that have lost rows in a copy of a function.
 *
 * Where the compiler knows how the first branches of a copy go, it leads a jump past them, and
 * their rows are lost on that path.  Then control enters the copy at another row than its first, or
 * enters it without passing the row of the call.  But so it does where the compiler mixes
 * instructions of the copy with those around it, and then nothing is lost.  So the lines that were
 * passed over are unsure only if they ran less often than the copy was entered. */

#include "spots.h"

#include <stdlib.h>
#include <string.h>

typedef struct Comer Comer;

/* The function at work on. */
struct Comer {
	const Fn *fn;
	int number;
	const Coderow *const *first, *const *end; /* by block: its rows */
	uint64_t *entries;                        /* by copied[]: how often it was entered */
};

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

/* samefile - returns whether two numbers of a unit's files stand for one file.  In DWARF 5, 0 and 1
 * are both the source itself. */
static bool
samefile(const Fn *fn, uint32_t a, uint32_t b)
{
	if (a == b)
		return true;
	return a < (uint32_t)fn->nfile && b < (uint32_t)fn->nfile
	       && strcmp(fn->file[a], fn->file[b]) == 0;
}

/* iswithin - returns whether a copy is another, or inside it. */
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

/* passescall - returns whether a row belongs to the line where a copy is called, or to another copy
 * called on that line. */
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

/* breaks - notes that a copy lacks rows of some lines where `entered' is entered. */
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

/* partbegins - the line of the source on which a part of a copy begins.  The row where control
 * enters the part may have the line of the function. */
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

/* before - the only block from which control comes to b; NONE if there are several, or none. */
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

/* wasin - returns whether control was in a copy before, on the only path to a row of a block;
 * compilers mix the instructions of a copy with those around it.  *called becomes true if control
 * has passed the call since then or since the path began. */
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

/* comesin - control passes so often from one row to another: notes which copies it enters, and
 * where. */
static void
comesin(Copies *c, Comer *k, int b, const Coderow *from, const Coderow *to, const Coderow *end,
	uint64_t times)
{
	const Fn *fn = k->fn;
	uint32_t line = to->line, file = to->file; /* where control enters the copy */
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

/* statement - the first row from one on that begins a statement; end if there is none. */
static const Coderow *
statement(const Coderow *row, const Coderow *end)
{
	while (row < end && !(row->flags & ROWSTMT))
		row++;
	return row;
}

/* within - enters copies between the rows of a block that ran. */
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

static int
byline(const void *a, const void *b)
{
	const Broken *x = a, *y = b;
	int c = x->file == y->file ? 0 : strcmp(x->file, y->file);

	if (c)
		return c;
	return x->from < y->from ? -1 : x->from > y->from;
}

void
sortbroken(Copies *c)
{
	int i;

	if (c->nbroken)
		qsort(c->broken, (size_t)c->nbroken, sizeof *c->broken, byline);
	for (i = 0; i < c->nbroken; i++) {
		Broken *x = &c->broken[i];

		x->last = i > 0 && x[-1].file == x->file && x[-1].last > x->to ? x[-1].last : x->to;
	}
}

/* countbelow - how many of the broken ranges begin on a line or before it. */
static int
countbelow(const Copies *c, const Broken *line)
{
	int low = 0, high = c->nbroken;

	while (low < high) {
		int mid = low + (high - low) / 2;

		if (byline(&c->broken[mid], line) <= 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* lost - returns whether the line of spots i to end has lost rows in a copy. */
static bool
lost(const Tally *t, int i, int end, const Broken *x)
{
	uint64_t most = 0;
	bool its = !x->head;
	const Spot *s;

	for (s = &t->spot[i]; s < &t->spot[end]; s++) {
		if (s->fn == x->fn && s->inst == x->inst && s->count > most)
			most = s->count;
		its = its || sameorigin(&t->copies, s->fn, s->inst, x->fn, x->inst);
	}
	return its && most < x->entries;
}

bool
isbroken(const Tally *t, int i, int end)
{
	const Broken line = {.file = t->spot[i].file, .from = t->spot[i].line};
	int k = countbelow(&t->copies, &line);

	while (k-- > 0) {
		const Broken *x = &t->copies.broken[k];

		if (strcmp(x->file, line.file) != 0 || x->last < line.from)
			break;
		if (x->to >= line.from && lost(t, i, end, x))
			return true;
	}
	return false;
}
