/* lines.c - counts of source lines.
 *
 * Where the C road has read the source, it says which blocks to add up for each piece of a line.
 * The largest piece is the line's count.  If one macro defines several functions on a line, their
 * counts add up.  All other counts come from line tables.
 *
 * In code that was not optimised, a line counts how often control came to it from another line, or
 * went around a loop within it, as gcov has it.  Where control returns to the line without a jump,
 * it only completes a statement that was begun before, such as a return whose value comes after a
 * destructor.
 *
 * In optimised code the compiler has moved, copied and dropped instructions, and what is left of a
 * line says less.  The rule was found by comparing many rules with the truth:
 *
 *   - Only rows that begin a statement count; the others say where instructions come from.
 *   - A row before a label belongs to the edge that falls through to the label.
 *   - A row counts how often control came to it from another column, line or copy, or went around a
 *     loop.
 *   - A copy is the function itself or one of those inlined into it.  In a copy, the rows of a
 *     column add up, and the largest column is the line's count; if no row begins a statement, the
 *     largest of the others is.
 *   - Copies add up.
 *   - Compilers turn `while' into `do' and drop the first test.  So if a loop's back edges come
 *     from its smallest line, the line counts each entry of the loop, too, as far as rows outside
 *     the loop do not.
 *   - A function begins on the line with its name, not where its rows do.
 *   - For C, the shape of the source corrects the result: see reckon.c.
 *
 * A count is not sure
 *   - if a copy has no row that begins a statement, or another row runs more often than those;
 *   - if rows of an inlined copy begin on the line;
 *   - if it is 0 and the function ran, itself or inlined: rows of another path may be lost;
 *   - if the function may have been inlined without leaving a trace. */

#include "spots.h"

#include <stdlib.h>
#include <string.h>

void
preparelines(Choice *of, Arena *run)
{
	countsources(of, run);
	joinfiles(of, run);
	findtwins(of);
	sourcenames(of, run);
}

/* addcopy - adds one copy of a line: spots s to end.  The last may stand for the whole line. */
static void
addcopy(Line *line, const Spot *s, const Spot *end)
{
	const Spot *whole = end[-1].column == WHOLE ? &end[-1] : NULL;
	uint64_t most = 0, other = 0;
	bool stmt = false;
	int nrow = 0;

	for (; s < end && s != whole; s++, nrow++) {
		Piece *p = line->piece;

		while (p < line->piece + line->npiece && p->column != s->column)
			p++;
		if (p == line->piece + line->npiece) {
			*p = (Piece){.column = s->column, .sure = true};
			line->npiece++;
		}
		p->count += s->stmt ? s->count : s->other;
		p->sure &= s->stmt && !s->unknown && !(whole && whole->unknown && !whole->told);
		stmt |= s->stmt;
		if (s->stmt && s->count > most)
			most = s->count;
		if (s->other > other)
			other = s->other;
	}
	if (whole) {
		line->insns += whole->insns;
		line->named |= whole->named;
	}
	line->sure &= !whole || !whole->unknown;
	line->vanished |= whole && whole->vanished;
	if (whole && whole->told) {
		line->counted = line->told = true;
		line->count += most;
		return;
	}
	if (!stmt && !other && !(whole && (whole->stmt || whole->other || whole->extra)) && !nrow)
		return; /* instructions and nothing else */
	line->counted = true;
	line->plain |= whole && whole->plain;
	if (whole && whole->plain) {
		uint64_t count = whole->stmt ? whole->count : whole->other;

		/* It ran, though control came to no row of it from another line: it came to the
		 * middle of one, where an exception landed. */
		if (count == 0 && whole->insns > 0) {
			count = most > other ? most : other;
			line->sure = false;
		}
		line->count += count;
		return;
	}
	line->count += (stmt ? most : other) + (whole ? whole->extra : 0);
	if (whole && whole->idle)
		return;
	if (!stmt || most == 0 || other > most || (whole && whole->head))
		line->sure = false;
}

static int
bycolumn(const void *a, const void *b)
{
	const Piece *x = a, *y = b;

	return x->column < y->column ? -1 : x->column > y->column;
}

/* addfunctions - adds the rows of all functions, and notes the copies in them. */
static void
addfunctions(Tally *t)
{
	int i, k;

	for (i = 0; i < t->of->nmodule; i++)
		for (k = 0; k < t->of->module[i].nfn; k++, nextone(t)) {
			Module *m = &t->of->module[i];
			const Fn *fn = &m->fn[k];

			if (!fn->flow || fn->calls)
				continue;
			t->named = chosenname(t->of, fn);
			idleness(t, m, fn);
			addrows(t, fn);
			if (!fn->plain)
				notecopies(&t->copies, m, fn, t->fn);
		}
}

/* sumspots - makes lines of the sorted spots. */
static Lines
sumspots(const Tally *t)
{
	const Spot *s = t->spot, *all = s + t->n, *next, *end;
	Lines lines = {0};
	int i, n = 0;

	for (i = 0; i < t->n; i++)
		n += i == 0 || !sameplace(&s[i], &s[i - 1]);
	lines.line = anew(t->run, Line, n);
	for (; s < all; s = end) {
		Line *line = &lines.line[lines.n++];

		*line = (Line){.file = s->file, .line = s->line, .sure = true};
		for (end = s; end < all && sameplace(end, s); end++)
			;
		line->piece = anew(t->run, Piece, end - s);
		for (; s < end; s = next) {
			for (next = s; next < end && next->fn == s->fn && next->inst == s->inst
				       && next->part == s->part;
			     next++)
				;
			addcopy(line, s, next);
		}
		qsort(line->piece, (size_t)line->npiece, sizeof *line->piece, bycolumn);
	}
	return lines;
}

Lines
countlines(const Choice *of, Arena *run)
{
	Tally t = {.of = of,
		   .run = run,
		   .files = {.arena = run},
		   .told = {.arena = run},
		   .branches = {.arena = run},
		   .used = {.arena = run},
		   .copies = {.run = run, .files = {.arena = run}, .origins = {.arena = run}}};
	Lines lines;
	int i;

	t.index.arena = &t.one;
	addtexts(&t);
	findused(&t);
	addfunctions(&t);
	sortspots(&t);
	sortbroken(&t.copies);
	wake(&t);
	findmissing(&t);
	lines = sumspots(&t);
	addbranches(&t, &lines);
	missed(&t, &lines);
	reckon(of, &lines, run);
	for (i = 0; i < lines.n; i++)
		lines.line[i].sure &= !lines.line[i].missed;
	return lines;
}
