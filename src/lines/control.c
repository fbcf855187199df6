/* control.c - how often control came to the rows of a function.
 *
 * In optimised code a row counts how often control came to it from another column, line or copy, or
 * went around a loop.  A row before a label belongs to the edge that falls through to the label,
 * and a loop whose back edges come from its smallest line has lost its first test.
 *
 * In code that was not optimised, it is the line that counts so, whatever its columns.  Where
 * control comes back to a line without a jump, it only completes what was begun before. */

#include "spots.h"

#include <string.h>

static bool
sameline(const Coderow *a, const Coderow *b)
{
	return a && b && a->file == b->file && a->line == b->line;
}

static bool
samespot(const Coderow *a, const Coderow *b)
{
	return sameline(a, b) && a->column == b->column && a->inst == b->inst;
}

typedef struct Rows Rows;

/* The rows of a function, by block. */
struct Rows {
	const Fn *fn;
	Coderow *row;          /* without those of line 0, which belong to no line */
	const Coderow **first; /* by block: its first row; NULL if it has none */
	const Coderow **last;  /* by block: the row in force at its end */
	int *blockof;          /* by row */
	bool *resumes; /* by row: see findresumed(); NULL in optimised code */
	uint32_t *firstinsn; /* by block: number of its first instruction */
	int n;               /* rows that belong to code */
	int *stack, *seen;   /* for around() */
	int nseen;
};

typedef struct Visit Visit;

/* A line, or a column of it, in one block: the key of a table. */
struct Visit {
	uint32_t file, line, inst;
	int block;
	int column; /* NONE for the whole line */
};

/* findresumed - in code that was not optimised, finds the rows at which control resumes what it
 * began before: in the same block it was at the row's column, and then on another line. */
static void
findresumed(Rows *r, Arena *a)
{
	Table first = {.arena = a}; /* number of the visit in which control was first there */
	int i, visit = 0;

	for (i = 0; i < r->n; i++) {
		const Coderow *row = &r->row[i];
		int line, column;
		Visit at;

		memset(&at, 0, sizeof at);
		at.file = row->file;
		at.line = row->line;
		at.inst = row->inst;
		at.block = r->blockof[i];
		at.column = NONE;
		visit += i == 0 || r->blockof[i - 1] != at.block || !sameline(row - 1, row);
		line = intern(&first, (char *)&at, sizeof at, visit)->value;
		at.column = row->column;
		column = intern(&first, (char *)&at, sizeof at, visit)->value;
		r->resumes[i] = line < visit && column < visit;
	}
}

/* whole - returns whether all of block b belongs to the line of row. */
static bool
whole(const Rows *r, int b, const Coderow *row)
{
	const Coderow *x;

	if (!sameline(r->last[b], row))
		return false;
	for (x = r->first[b]; x && x < r->last[b]; x++)
		if (!sameline(x, row))
			return false;
	return true;
}

/* around - returns whether control can get from block b to block `to' without leaving the line of
 * row. */
static bool
around(Rows *r, int b, int to, const Coderow *row)
{
	const Graph *g = r->fn->g;
	int n = 0, i;

	r->nseen++;
	if (!whole(r, b, row))
		return false;
	r->stack[n++] = b;
	r->seen[b] = r->nseen;
	while (n > 0) {
		b = r->stack[--n];
		if (b == to)
			return true;
		for (i = g->outat[b]; i < g->outat[b + 1]; i++) {
			int dst = g->out[i].block;

			if (dst >= FIRST && r->seen[dst] != r->nseen && whole(r, dst, row)) {
				r->seen[dst] = r->nseen;
				r->stack[n++] = dst;
			}
		}
	}
	return false;
}

/* detour - returns whether a block is a jump and nothing else.  clang puts one where the branches
 * of an `if' meet and says that it belongs to the `if'; but it may also be a `break'. */
static bool
detour(const Fn *fn, int b)
{
	const Graph *g = fn->g;
	int i = g->outat[b];

	return fn->code.block[b].ninsn == 1 && g->outat[b + 1] == i + 1 && g->out[i].block >= FIRST
	       && !(fn->code.edge[g->out[i].edge].flags & EDGEFALLS);
}

/* arrivals - how often control came to a row from another line, or with `columns' from another
 * column or copy. */
static uint64_t
arrivals(Rows *r, int i, bool columns)
{
	bool (*same)(const Coderow *, const Coderow *) = columns ? samespot : sameline;
	const Fn *fn = r->fn;
	const Graph *g = fn->g;
	const Coderow *row = &r->row[i];
	int b = r->blockof[i], k;
	/* If a block begins in the middle of a line, its begin counts: frames may be left before
	 * the row. */
	bool within = row == r->first[b] && i > 0 && same(row - 1, row);
	uint64_t count = ran(fn, b, within ? 0 : row->insn - r->firstinsn[b]);
	bool falls = !fn->plain && (row->flags & ROWFALLS);

	if (r->resumes && r->resumes[i])
		return 0;
	if (falls)
		count = 0;
	if (row != r->first[b] && !falls)
		return same(row - 1, row) ? 0 : count;
	for (k = g->inat[b]; k < g->inat[b + 1]; k++) {
		int e = g->in[k].edge, src = g->in[k].block, p = edgeplace(g, e);

		if (!fn->flow->known[p] || src < FIRST)
			continue;
		if (falls) {
			const Coderow *before = row == r->first[b] ? r->last[src] : row - 1;

			if ((fn->code.edge[e].flags & EDGEFALLS) && !same(before, row))
				count += fn->flow->count[p];
			continue;
		}
		if (!same(r->last[src], row))
			continue;
		/* An edge back to an earlier block of the line is another round.  A lone jump is
		 * not on the line: control jumped to it from elsewhere. */
		if (!columns && (detour(fn, src) || (src >= b && around(r, b, src, row))))
			continue;
		if (columns && src >= b)
			continue;
		count -= fn->flow->count[p];
	}
	return count;
}

/* addcount - adds to a count how often control came to a row. */
static void
addcount(Spot *s, uint64_t *count, Rows *r, int i, bool columns)
{
	uint64_t n = arrivals(r, i, columns);

	s->unknown |= n > INT64_MAX;
	if (n <= INT64_MAX)
		*count += n;
}

/* addinsns - adds instructions to the line of a row. */
static void
addinsns(void *tally, const Coderow *row, uint64_t insns)
{
	Tally *t = tally;

	if (row)
		spotof(t, t->at, row, WHOLE)->insns += insns;
}

/* inside - returns whether block b is in the loop of head h. */
static bool
inside(const Loops *l, int h, int b)
{
	int x = l->of[b];

	while (x != NONE && x != h)
		x = l->outer[x];
	return x == h;
}

/* firsttests - adds the entries of a loop to the smallest line of the loop if the back edges come
 * from there, as far as rows outside the loop do not count them. */
static void
firsttests(Tally *t, Rows *r, const Loops *l, int h)
{
	const Fn *fn = r->fn;
	const Graph *g = fn->g;
	const Coderow *back = NULL;
	uint64_t entries = 0, outside = 0;
	int k, i;

	for (k = g->inat[h]; k < g->inat[h + 1]; k++) {
		int src = g->in[k].block, p = edgeplace(g, g->in[k].edge);

		if (!inside(l, h, src))
			entries += fn->flow->known[p] ? fn->flow->count[p] : 0;
		else if (back && !sameline(back, r->last[src]))
			return;
		else
			back = r->last[src];
	}
	if (!back || !entries || istold(t, fn, back))
		return;
	if (sameline(r->first[h], back) && r->first[h]->column <= back->column)
		return; /* the loop begins with the test, not with its body */
	for (i = 0; i < r->n; i++) {
		const Coderow *row = &r->row[i];
		bool in = inside(l, h, r->blockof[i]);

		if (in && row->file == back->file && row->inst == back->inst
		    && row->line < back->line)
			return;
		if (!in && sameline(row, back) && row->inst == back->inst && (row->flags & ROWSTMT))
			outside += arrivals(r, i, true);
	}
	if (outside < entries)
		spotof(t, fn, back, WHOLE)->extra += entries - outside;
}

/* broken - finds where control enters copies past their begin. */
static void
broken(Tally *t, const Rows *r)
{
	const Graph *g = r->fn->g;
	const Coderow **end = anew(&t->one, const Coderow *, g->nblock);
	int i;

	for (i = 0; i < r->n; i++)
		end[r->blockof[i]] = &r->row[i] + 1;
	findbroken(&t->copies, r->fn, t->fn, r->first, end);
}

void
addrows(Tally *t, const Fn *fn)
{
	const Graph *g = fn->g;
	Rows r = {
		.fn = fn,
		.row = anew(&t->one, Coderow, fn->code.nrow),
		.first = anew(&t->one, const Coderow *, g->nblock),
		.last = anew(&t->one, const Coderow *, g->nblock),
		.blockof = anew(&t->one, int, fn->code.nrow + 1),
		.firstinsn = anew(&t->one, uint32_t, g->nblock),
		.stack = anew(&t->one, int, g->nblock),
		.seen = anew(&t->one, int, g->nblock),
	};
	const Coderow *force = NULL;
	uint32_t at = 0;
	int b, i, next = 0;

	for (b = FIRST; b < g->nblock; b++) {
		if (fn->code.block[b].part == CODENONE)
			continue;
		r.firstinsn[b] = at;
		at += fn->code.block[b].ninsn;
		for (; next < fn->code.nrow && fn->code.row[next].insn < at; next++) {
			const Coderow *row = &fn->code.row[next];

			if (row->line == 0 || row->file >= (uint32_t)fn->nfile)
				continue;
			r.row[r.n] = *row;
			r.blockof[r.n] = b;
			force = &r.row[r.n++];
			if (!r.first[b])
				r.first[b] = force;
		}
		r.last[b] = force;
	}
	if (fn->plain) {
		r.resumes = anew(&t->one, bool, r.n);
		findresumed(&r, &t->one);
	}
	for (i = 0; i < r.n; i++) {
		const Coderow *row = &r.row[i];
		Spot *s;

		if (istold(t, fn, row) || (row->flags & ROWTHUNK))
			continue;
		s = spotof(t, fn, row, row->column);
		if (fn->plain ? !detour(fn, r.blockof[i]) : row->flags & ROWSTMT) {
			s->stmt = true;
			addcount(s, &s->count, &r, i, true);
		} else {
			addcount(s, &s->other, &r, i, true);
		}
		s = spotof(t, fn, row, WHOLE);
		s->plain = fn->plain;
		s->idle = t->asleep;
		s->vanished = t->vanished;
		s->head |= i == 0 ? row->inst != 0 : row->inst != 0 && row->inst != row[-1].inst;
		if (fn->plain && detour(fn, r.blockof[i])) {
			addcount(s, &s->other, &r, i, false);
		} else if (fn->plain) {
			s->stmt = true;
			addcount(s, &s->count, &r, i, false);
		}
		s->unknown |= fn->doubtful;
	}
	t->at = fn;
	eachrow(fn, addinsns, t);
	if (!fn->plain && fn->flow->count[ENTRY] == 0)
		addidle(t, fn, r.row, r.n);
	if (!fn->plain)
		broken(t, &r);
	if (!fn->plain) {
		Loops l = findnest(g, &t->one);

		for (b = FIRST; b < g->nblock; b++)
			if (l.of[b] == b)
				firsttests(t, &r, &l, b);
	}
}
