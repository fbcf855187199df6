/* listing.c - source lines with their counts, from line tables.
 *
 * In code that was not optimised, a line counts how often control came to it from
 * another line, or went around a loop within it, as gcov has it.
 *
 * Otherwise a line is made of pieces, which differ in column; a piece of copies,
 * wherever the compiler put it.  A piece counts how often control came to it from
 * something else: copies add.  Pieces do not: a line shows the largest of its
 * pieces.  Only rows that begin a statement count, unless a line has no other; then
 * it is marked as approximate. */

#include "report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct Piece Piece;
typedef struct Lines Lines;

struct Piece {
	const char *file;
	uint32_t line;
	uint16_t column;
	uint64_t count; /* of rows that begin a statement */
	uint64_t other; /* of the others */
	bool stmt;      /* there are such */
	bool exact;     /* the code was not optimised */
};

struct Lines {
	Arena *run;
	Piece *piece;
	int n;
	size_t cap;
	Table index; /* of pieces by file, line and column */
	Table files; /* names to themselves: one pointer for each */
};

static Piece *
pieceof(Lines *l, const char *file, uint16_t column, uint32_t line)
{
	struct {
		const char *file;
		uint32_t line, column;
	} key;
	Entry *e;

	memset(&key, 0, sizeof key);
	key.file = intern(&l->files, file, strlen(file), 0)->key;
	key.line = line;
	key.column = column;
	e = intern(&l->index, (char *)&key, sizeof key, l->n);
	if (e->value == l->n) {
		apush(l->run, l->piece, l->n, l->cap);
		l->piece[l->n++] = (Piece){.file = key.file, .line = line, .column = column};
	}
	return &l->piece[e->value];
}

static bool
sameline(const Maprow *a, const Maprow *b)
{
	return a && b && a->file == b->file && a->line == b->line;
}

/* same - whether control does not come to something else between two rows. */
static bool
same(const Fn *fn, const Maprow *a, const Maprow *b)
{
	return sameline(a, b) && (fn->plain || a->column == b->column);
}

typedef struct Rows Rows;

/* The rows of a function, by block. */
struct Rows {
	const Fn *fn;
	Maprow *row;          /* without those of line 0, which is nobody's */
	const Maprow **first; /* NULL if it has none of its own */
	const Maprow **last;  /* what is in force at its end */
	int *blockof;         /* by row */
	int n;                /* rows that belong to code */
	int *stack, *seen;    /* for around() */
	int nseen;
};

/* whole - whether all of block b belongs to the line of row. */
static bool
whole(const Rows *r, int b, const Maprow *row)
{
	const Maprow *x;

	if (!sameline(r->last[b], row))
		return false;
	for (x = r->first[b]; x && x < r->last[b]; x++)
		if (!sameline(x, row))
			return false;
	return true;
}

/* around - whether control gets from block b to block `to' without leaving the line
 * of row. */
static bool
around(Rows *r, int b, int to, const Maprow *row)
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

/* detour - whether a block is a jump and nothing else.  clang puts one where the
 * branches of an if meet and says it belongs to the if; but it may also be a break. */
static bool
detour(const Fn *fn, int b)
{
	const Graph *g = fn->g;
	int i = g->outat[b];

	return fn->code.block[b].ninsn == 1 && g->outat[b + 1] == i + 1 && g->out[i].block >= FIRST
	       && !(fn->code.edge[g->out[i].edge].flags & EDGEFALLS);
}

/* arrivals - how often control came to a row from something else. */
static uint64_t
arrivals(Rows *r, int i)
{
	const Fn *fn = r->fn;
	const Graph *g = fn->g;
	const Maprow *row = &r->row[i];
	int b = r->blockof[i], k;
	uint64_t count = fn->flow->count[b];

	if (row != r->first[b])
		return same(fn, row - 1, row) ? 0 : count;
	for (k = g->inat[b]; k < g->inat[b + 1]; k++) {
		int src = g->in[k].block, p = edgeplace(g, g->in[k].edge);

		if (!fn->flow->known[p] || src < FIRST || !same(fn, r->last[src], row))
			continue;
		/* A way back to an earlier place of the line is another round, and a
		 * jump on its own comes from wherever it was jumped to from. */
		if (fn->plain && (detour(fn, src) || (src >= b && around(r, b, src, row))))
			continue;
		count -= fn->flow->count[p];
	}
	return count;
}

/* addrows - the rows of one function. */
static void
addrows(Lines *l, const Fn *fn)
{
	const Graph *g = fn->g;
	Rows r = {
		.fn = fn,
		.row = anew(l->run, Maprow, fn->code.nrow),
		.first = anew(l->run, const Maprow *, g->nblock),
		.last = anew(l->run, const Maprow *, g->nblock),
		.blockof = anew(l->run, int, fn->code.nrow + 1),
		.stack = anew(l->run, int, g->nblock),
		.seen = anew(l->run, int, g->nblock),
	};
	const Maprow *force = NULL;
	uint32_t at = 0;
	int b, i, next = 0;

	for (b = FIRST; b < g->nblock; b++) {
		if (fn->code.block[b].part == MAPNONE)
			continue;
		at += fn->code.block[b].ninsn;
		for (; next < fn->code.nrow && fn->code.row[next].insn < at; next++) {
			if (fn->code.row[next].line == 0
			    || fn->code.row[next].file >= (uint32_t)fn->nfile)
				continue;
			r.row[r.n] = fn->code.row[next];
			r.blockof[r.n] = b;
			force = &r.row[r.n++];
			if (!r.first[b])
				r.first[b] = force;
		}
		r.last[b] = force;
	}
	for (i = 0; i < r.n; i++) {
		const Maprow *row = &r.row[i];
		Piece *piece;

		piece = pieceof(l, fn->file[row->file], fn->plain ? 0 : row->column, row->line);
		piece->exact = fn->plain;
		if (fn->plain ? !detour(fn, r.blockof[i]) : row->flags & ROWSTMT) {
			piece->stmt = true;
			piece->count += arrivals(&r, i);
		} else {
			piece->other += arrivals(&r, i);
		}
	}
}

static int
bylines(const void *a, const void *b)
{
	const Piece *x = a, *y = b;
	int c = strcmp(x->file, y->file);

	if (c)
		return c;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->column < y->column ? -1 : x->column > y->column;
}

/* printfile - the source with the counts of pieces p to end, which are of one file. */
static void
printfile(FILE *f, const Piece *p, const Piece *end)
{
	FILE *src = fopen(p->file, "r");
	char *text = NULL;
	size_t cap = 0;
	uint32_t line;

	for (line = 1; p < end || src; line++) {
		uint64_t most = 0;
		bool code = false, stmt = false, exact = false;
		ssize_t n = -1;

		if (src && (n = getline(&text, &cap, src)) < 0) {
			fclose(src);
			src = NULL;
		}
		if (!src && p == end)
			break;
		for (; p < end && p->line <= line; p++) {
			uint64_t count = p->stmt ? p->count : p->other;

			if (p->stmt && !stmt)
				most = 0;
			if (p->stmt >= stmt && count > most)
				most = count;
			stmt |= p->stmt;
			exact |= p->exact;
			code = true;
		}
		if (n < 0 && !code)
			continue;
		if (code)
			fprintf(f, "%10" PRIu64 " %c", most,
				most == 0       ? '#'
				: stmt || exact ? ' '
						: '~');
		else
			fprintf(f, "%12s", "");
		if (n >= 0)
			fprintf(f, " %.*s\n", (int)(n - (n > 0 && text[n - 1] == '\n')), text);
		else
			fprintf(f, " line %u\n", line);
	}
	free(text);
}

/* issystem - headers of the system, of which a line or two end up in every program. */
static bool
issystem(const char *path)
{
	return strncmp(path, "/usr/include/", 13) == 0 || strncmp(path, "/usr/lib/", 9) == 0;
}

void
listing(FILE *f, const Module *m, Arena *run)
{
	Lines l = {.run = run, .index = {.arena = run}, .files = {.arena = run}};
	int i, k, shown = 0;

	for (i = 0; i < m->nfn; i++)
		if (m->fn[i].flow)
			addrows(&l, &m->fn[i]);
	if (l.n == 0)
		return;
	qsort(l.piece, (size_t)l.n, sizeof *l.piece, bylines);
	for (i = 0; i < l.n; i = k) {
		for (k = i; k < l.n && strcmp(l.piece[k].file, l.piece[i].file) == 0; k++)
			;
		if (issystem(l.piece[i].file))
			continue;
		fprintf(f, "%s%s:\n", shown++ ? "\n" : "", l.piece[i].file);
		printfile(f, &l.piece[i], &l.piece[k]);
	}
}
