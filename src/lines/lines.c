/* lines.c - counts of source lines.
 *
 * Where the C road has read the source, it tells which blocks to add up for each piece of a
 * line, and the largest piece is the line's count, or the sum of those of several functions, which one macro may
 * define on a line.  All else comes from line tables.
 *
 * In code that was not optimised, a line counts how often control came to it from
 * another line, or went around a loop within it, as gcov has it.  Where it comes back to the line
 * without a jump, it goes on with a statement that it has begun: after a destructor, a value is returned.
 *
 * Otherwise the compiler has moved, copied and dropped code, and what is left of a
 * line says less.  The rule, which was found by comparing many with the truth:
 *
 *   - Only rows that begin a statement count; the others say where instructions come
 *     from.
 *   - A row before a label belongs to the way that falls in there.
 *   - A row counts how often control came to it from something else, that is from
 *     another column, line or copy; or went around a loop.
 *   - A copy is the function itself or one of those inlined into it.  In a copy, the
 *     rows of a column add up, and the largest column is the line's count; where no row
 *     begins a statement, the largest of the others.
 *   - Copies add up.
 *   - A compiler turns `while' into `do' and drops the first test: if a loop goes back at
 *     its smallest line, the line counts each entry of the loop, too, unless rows
 *     outside do.
 *   - A function begins on the line with its name, and not where its rows do.
 *   - At last, of C, what the shape of the source says of lines: see reckon.c.
 *
 * A count is not sure if a copy has no row that begins a statement, or another row
 * runs more often than those; if the line is the first of an inlined function; or if it is
 * 0 and the function ran, itself or inlined, for the rows of another way through it may be lost; or if it may have been
 * inlined where nothing is left of it. */

#include "spots.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct Spot Spot;
typedef struct Idle Idle;
typedef struct Tally Tally;

/* A column of a line, in one copy of a function. */
struct Spot {
	const char *file; /* one pointer for each name */
	uint32_t line;
	int fn; /* over all modules */
	uint32_t inst;
	uint32_t part; /* of a source that tells itself: function and inclusion that it is in */
	uint16_t column;
	uint64_t count; /* of rows that begin a statement */
	uint64_t other; /* of the others */
	uint64_t extra; /* of the line: first tests of loops */
	uint64_t insns;
	bool stmt;     /* there are such */
	bool plain;    /* code that was not optimised: the column that stands for the line */
	bool head;     /* first line of an inlined function */
	bool idle;     /* the function never ran */
	bool vanished; /* but it may have where nothing is left of it */
	bool named;
	bool told;    /* by the source itself */
	bool unknown; /* a part of its code is not counted, or its counts contradict each other */
};

/* The lines of a function that never ran. */
struct Idle {
	const char *file;
	int fn;
	uint32_t from, to;
};

struct Tally {
	const Choice *of;
	Arena *run;
	Arena one; /* what is of no use behind the function or text at work on */
	Spot *spot;
	int n;
	size_t cap;
	Table index; /* of spots of that one */
	Idle *idle;
	int nidle;
	size_t capidle;
	Table files; /* names to themselves */
	Table told;  /* names of files that the C road read */
	Branch *branch;
	int nbranch;
	size_t capbranch;
	Table branches; /* of branch[] */
	Copies copies;
	int fn;        /* at work on */
	uint32_t part; /* of a text */
	const Fn *at;  /* likewise */
	bool vanished; /* it may have run where nothing is left of it */
	bool asleep;   /* that never ran, nor can it have elsewhere */
	Table used;    /* units of which something ran */
	bool named;    /* it was chosen by its name */
};

enum { WHOLE = UINT16_MAX }; /* column that stands for the line */

static Spot *
spotin(Tally *t, const char *file, uint32_t line, uint32_t inst, uint16_t column)
{
	struct {
		const char *file;
		uint32_t line, inst, part;
		int fn;
		int column;
	} key;
	Entry *e;

	memset(&key, 0, sizeof key);
	key.file = intern(&t->files, file, strlen(file), 0)->key;
	key.line = line;
	key.inst = inst;
	key.part = t->part;
	key.fn = t->fn;
	key.column = column;
	e = intern(&t->index, (char *)&key, sizeof key, t->n);
	if (e->value == t->n) {
		apush(t->run, t->spot, t->n, t->cap);
		t->spot[t->n++] = (Spot){.file = key.file,
					 .line = key.line,
					 .fn = key.fn,
					 .inst = key.inst,
					 .part = key.part,
					 .column = column,
					 .named = t->named};
	}
	return &t->spot[e->value];
}

static Spot *
spotof(Tally *t, const Fn *fn, const Coderow *row, uint16_t column)
{
	uint32_t line = linefor(fn, row);

	if (line != row->line && column != WHOLE)
		column = (uint16_t)fn->head.column;
	return spotin(t, fn->file[row->file], line, row->inst, column);
}

/* istold - whether the source itself tells how often the line of a row ran. */
static bool
istold(Tally *t, const Fn *fn, const Coderow *row)
{
	const char *file = fn->file[row->file];

	return fn->nmark && lookup(&t->told, file, strlen(file));
}

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
	Coderow *row;          /* without those of line 0, which is nobody's */
	const Coderow **first; /* NULL if it has none of its own */
	const Coderow **last;  /* what is in force at its end */
	int *blockof;          /* by row */
	bool *resumes; /* by row: control comes back to a line, and was at the row's column before */
	uint32_t *firstinsn; /* by block: number of its first instruction */
	int n;               /* rows that belong to code */
	int *stack, *seen;   /* for around() */
	int nseen;
};

typedef struct Visit Visit;

/* Where control is, within one block. */
struct Visit {
	uint32_t file, line, inst;
	int block;
	int column; /* NONE: any */
};

/* findresumed - in code that was not optimised, rows at which control goes on with what it has begun before, in
 * the same block, on the way to other lines. */
static void
findresumed(Rows *r, Arena *a)
{
	Table first = {.arena = a}; /* visit of a line at which control was first there */
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

/* whole - whether all of block b belongs to the line of row. */
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

/* around - whether control gets from block b to block `to' without leaving the line
 * of row. */
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

/* arrivals - how often control came to a row from another line, or with `columns' from
 * another column or copy. */
static uint64_t
arrivals(Rows *r, int i, bool columns)
{
	bool (*same)(const Coderow *, const Coderow *) = columns ? samespot : sameline;
	const Fn *fn = r->fn;
	const Graph *g = fn->g;
	const Coderow *row = &r->row[i];
	int b = r->blockof[i], k;
	/* A block may begin in the middle of a line, and frames be left before the row. */
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
		/* A way back to an earlier place of the line is another round, and a
		 * jump on its own comes from wherever it was jumped to from. */
		if (!columns && (detour(fn, src) || (src >= b && around(r, b, src, row))))
			continue;
		if (columns && src >= b)
			continue;
		count -= fn->flow->count[p];
	}
	return count;
}

/* addcount - to that of a spot how often control came to a row. */
static void
addcount(Spot *s, uint64_t *count, Rows *r, int i, bool columns)
{
	uint64_t n = arrivals(r, i, columns);

	s->unknown |= n > INT64_MAX;
	if (n <= INT64_MAX)
		*count += n;
}

/* addinsns - instructions to the line of a row. */
static void
addinsns(void *tally, const Coderow *row, uint64_t insns)
{
	Tally *t = tally;

	if (row)
		spotof(t, t->at, row, WHOLE)->insns += insns;
}

/* inside - whether block b is in the loop of head h. */
static bool
inside(const Loops *l, int h, int b)
{
	int x = l->of[b];

	while (x != NONE && x != h)
		x = l->outer[x];
	return x == h;
}

/* firsttests - the entries of a loop that goes back at its smallest line, as far as rows
 * outside do not count them. */
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
		return; /* it begins with the test, not with its body */
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

/* addidle - a function that never ran. */
static void
addidle(Tally *t, const Rows *r)
{
	Idle x = {.fn = t->fn, .from = UINT32_MAX};
	int i;

	for (i = 0; i < r->n; i++) {
		const Coderow *row = &r->row[i];
		const char *file = r->fn->file[row->file];

		if (row->inst || istold(t, r->fn, row))
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

/* nextone - be done with a function or text. */
static void
nextone(Tally *t)
{
	areset(&t->one);
	t->index = (Table){.arena = &t->one};
	t->part = 0;
	t->fn++;
}

/* broken - where control comes into the middle of copies. */
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

/* idleness - of a function that never ran itself: whether that is all, or it may have run elsewhere, where it was inlined and nothing is left
 * of it.  With gcc, which says that it was inlined, its lines are not sure to be 0; and those that ran in other copies are not sure if it can do
 * nothing, with any compiler. */
static void
idleness(Tally *t, Module *m, const Fn *fn)
{
	bool may, nothing;

	t->asleep = fn->flow->count[ENTRY] == 0;
	t->vanished = false;
	if (!t->asleep || fn->plain || !mayvanish(fn) || !isused(t, m, fn))
		return;
	nothing = doesnothing(m, fn, t->run);
	may = fn->ncopied && fn->copied->inlined && callsnobody(m, fn, t->run);
	t->vanished = may || nothing;
	t->asleep = !nothing;
}

/* findused - the units of which something ran. */
static void
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

/* addrows - the rows of one function. */
static void
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
		addidle(t, &r);
	if (!fn->plain)
		broken(t, &r);
	if (!fn->plain) {
		Loops l = findnest(g, &t->one);

		for (b = FIRST; b < g->nblock; b++)
			if (l.of[b] == b)
				firsttests(t, &r, &l, b);
	}
}

/* addbranch - of a source. */
static void
addbranch(Tally *t, const char *file, const Srcpiece *p, uint64_t taken, uint64_t reached)
{
	struct {
		const char *file;
		uint32_t line, column;
	} key = {intern(&t->files, file, strlen(file), 0)->key, p->line, p->column};
	Entry *e = intern(&t->branches, (char *)&key, sizeof key, t->nbranch);

	if (e->value == t->nbranch) {
		apush(t->run, t->branch, t->nbranch, t->capbranch);
		t->branch[t->nbranch++] =
			(Branch){.file = key.file, .line = p->line, .column = (uint16_t)p->column};
	}
	t->branch[e->value].taken += taken;
	t->branch[e->value].reached += reached;
}

/* nothing - whether nothing is known of a piece: code of its blocks is not counted. */
static bool
nothing(const Srctext *x, const Srcpiece *p)
{
	uint32_t k;

	for (k = p->term; k < p->term + p->nterm; k++)
		if (x->counts->unknown[x->term[k].block])
			return true;
	return false;
}

/* inclusions - by file of a source: a number if it has the same name as one before, since it was included again;
 * 0.  What stands in it is other code, and adds up, as functions on one line do. */
static const uint32_t *
inclusions(Tally *t, const Srctext *x)
{
	uint32_t *again = anew(&t->one, uint32_t, x->nfile + 1), f;
	Table first = {.arena = &t->one};

	for (f = 0; f < x->nfile; f++)
		if (intern(&first, x->file[f], strlen(x->file[f]), (int)f)->value != (int)f)
			again[f] = f;
	return again;
}

/* addtext - the pieces of a source that the C road read. */
static void
addtext(Tally *t, const Srctext *x)
{
	const uint32_t *again = inclusions(t, x);
	uint32_t i;

	for (i = 0; i < x->npiece; i++) {
		const Srcpiece *p = &x->piece[i];
		const char *file = x->file[p->file];
		bool sure = true;
		uint64_t taken = sumterms(x, p, 0, p->ntaken, &sure);
		uint64_t n = sumterms(x, p, p->ntaken, p->nterm - p->ntaken, &sure);
		Spot *s;

		if (p->ntaken && sure)
			addbranch(t, file, p, taken, n);
		if (p->ntaken || (n == 0 && nothing(x, p)))
			continue;
		t->named =
			p->nterm && chosentext(t->of, x->fn[x->block[x->term[p->term].block].fn]);
		t->part = p->nterm ? again[p->file] * x->nfn + x->block[x->term[p->term].block].fn
				   : 0;
		s = spotin(t, file, p->line, 0, (uint16_t)p->column);
		s->stmt = s->told = true;
		if (n > s->count)
			s->count = n;
		s->unknown |= !sure;
		s = spotin(t, file, p->line, 0, WHOLE);
		s->told = true;
		s->unknown |= !sure;
	}
}

/* addtexts - of all modules; what is told there is not taken from line tables. */
static void
addtexts(Tally *t)
{
	uint32_t f;
	int i, k;

	for (i = 0; i < t->of->nmodule; i++)
		for (k = 0; k < t->of->module[i].ntext; k++, nextone(t)) {
			const Srctext *x = &t->of->module[i].text[k];

			for (f = 0; f < x->nblock; f++) {
				const char *file = x->file[x->block[f].file];

				if (f && x->block[f].file == x->block[f - 1].file)
					continue;
				intern(&t->told, file, strlen(file), 1);
			}
			addtext(t, x);
		}
}

static int
bycopy(const void *a, const void *b)
{
	const Spot *x = a, *y = b;
	int c = x->file == y->file ? 0 : strcmp(x->file, y->file);

	if (c)
		return c;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (x->fn != y->fn)
		return x->fn < y->fn ? -1 : 1;
	if (x->inst != y->inst)
		return x->inst < y->inst ? -1 : 1;
	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	return x->column < y->column ? -1 : x->column > y->column;
}

/* firstat - the first spot that is not before a line. */
static int
firstat(const Tally *t, const char *file, uint32_t line)
{
	int low = 0, high = t->n;

	while (low < high) {
		int mid = low + (high - low) / 2;
		const Spot *s = &t->spot[mid];
		int c = s->file == file ? 0 : strcmp(s->file, file);

		if (c < 0 || (c == 0 && s->line < line))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool
sameplace(const Spot *a, const Spot *b)
{
	return a->file == b->file && a->line == b->line;
}

/* wake - functions that never ran themselves, but where they were inlined: a line of theirs without a
 * row there may have run. */
static void
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

/* isbroken - whether a line of spots i to end has lost rows on ways that were taken: not if it ran in the copy as often as that was entered. */
static bool
isbroken(const Tally *t, int i, int end)
{
	const Spot *s = &t->spot[i];
	const Broken *x = NULL;

	while ((x = nextbroken(&t->copies, x, s->file, s->line))) {
		uint64_t most = 0;
		bool its = !x->head;
		int k;

		for (k = i; k < end; k++) {
			if (t->spot[k].fn == x->fn && t->spot[k].inst == x->inst
			    && t->spot[k].count > most)
				most = t->spot[k].count;
			its = its
			      || sameorigin(&t->copies, t->spot[k].fn, t->spot[k].inst, x->fn,
					    x->inst);
		}
		if (its && most < x->entries)
			return true;
	}
	return false;
}

/* missed - lines of which copies are. */
static void
missed(Tally *t, Lines *lines)
{
	int i, k, l;

	for (i = l = 0; i < t->n; i = k, l++) {
		for (k = i; k < t->n && sameplace(&t->spot[k], &t->spot[i]); k++)
			if (k == i || t->spot[k].fn != t->spot[k - 1].fn
			    || t->spot[k].inst != t->spot[k - 1].inst)
				onaline(&t->copies, l, t->spot[k].fn, t->spot[k].inst);
		lines->line[l].sure &= !lines->line[l].vanished || lines->line[l].count;
		lines->line[l].missed =
			lines->line[l].counted && !lines->line[l].told && isbroken(t, i, k);
		for (k = i; k < t->n && sameplace(&t->spot[k], &t->spot[i]); k++)
			lines->line[l].missed |=
				lines->line[l].counted && !lines->line[l].told
				&& ismissed(&t->copies, l, t->spot[k].fn, t->spot[k].inst);
	}
}

/* mayrun - whether a copy without rows may have run: not if the line where it is called has rows in its function, and none of them did. */
static bool
mayrun(const Tally *t, const Inlined *x)
{
	int i = firstat(t, x->callfile, x->callline);
	bool any = false;

	for (; i < t->n && t->spot[i].line == x->callline
	       && strcmp(t->spot[i].file, x->callfile) == 0;
	     i++)
		if (t->spot[i].fn == x->fn && (t->spot[i].stmt || t->spot[i].told)) {
			if (t->spot[i].count || t->spot[i].other)
				return true;
			any = true;
		}
	return !any;
}

/* findmissing - note which copies ran. */
static void
findmissing(Tally *t)
{
	int i;

	for (i = 0; i < t->n; i++) {
		const Spot *s = &t->spot[i];

		noterow(&t->copies, s->fn, s->inst, s->count || s->other || s->extra || s->insns);
	}
	for (i = 0; i < t->copies.n; i++) {
		Inlined *x = &t->copies.copy[i];

		if (x->inst && !x->rows && x->ran && x->callfile)
			x->ran = mayrun(t, x);
	}
	sumcopies(&t->copies);
}

/* addcopy - one copy of a line: spots s to end, of which the last stands for the line. */
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

		/* It ran, though control came to no row of it from another line: to the
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
byplace(const void *a, const void *b)
{
	const Branch *x = a, *y = b;
	int c = x->file == y->file ? 0 : strcmp(x->file, y->file);

	if (c)
		return c;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->column < y->column ? -1 : x->column > y->column;
}

static bool
isbefore(const Branch *b, const Line *l)
{
	int c = b->file == l->file ? 0 : strcmp(b->file, l->file);

	return c < 0 || (c == 0 && b->line < l->line);
}

static int
bycolumn(const void *a, const void *b)
{
	const Piece *x = a, *y = b;

	return x->column < y->column ? -1 : x->column > y->column;
}

void
preparelines(Choice *of, Arena *run)
{
	countsources(of, run);
	joinfiles(of, run);
	findtwins(of);
	sourcenames(of, run);
}

Lines
countlines(const Choice *of, Arena *run)
{
	Tally t = {.of = of,
		   .run = run,
		   .files = {.arena = run},
		   .told = {.arena = run},
		   .branches = {.arena = run}};
	Lines lines = {0};
	int i, k, c, b = 0;

	t.index.arena = &t.one;
	t.used.arena = run;
	findused(&t);
	t.copies = (Copies){.run = run, .files.arena = run, .origins.arena = run};
	addtexts(&t);
	for (i = 0; i < of->nmodule; i++)
		for (k = 0; k < of->module[i].nfn; k++, nextone(&t)) {
			t.named = chosenname(of, &of->module[i].fn[k]);
			if (!of->module[i].fn[k].flow || of->module[i].fn[k].calls)
				continue;
			idleness(&t, &of->module[i], &of->module[i].fn[k]);
			addrows(&t, &of->module[i].fn[k]);
			if (of->module[i].fn[k].flow && !of->module[i].fn[k].plain)
				notecopies(&t.copies, &of->module[i], &of->module[i].fn[k], t.fn);
		}
	if (t.n)
		qsort(t.spot, (size_t)t.n, sizeof *t.spot, bycopy);
	wake(&t);
	findmissing(&t);
	if (t.nbranch)
		qsort(t.branch, (size_t)t.nbranch, sizeof *t.branch, byplace);
	for (i = k = 0; i < t.n; i++)
		k += i == 0 || !sameplace(&t.spot[i], &t.spot[i - 1]);
	lines.line = anew(run, Line, k);
	for (i = 0; i < t.n; i = k) {
		Line *line = &lines.line[lines.n++];

		*line = (Line){.file = t.spot[i].file, .line = t.spot[i].line, .sure = true};
		for (k = i; k < t.n && sameplace(&t.spot[k], &t.spot[i]); k++)
			;
		line->piece = anew(run, Piece, k - i);
		for (; i < k; i = c) {
			for (c = i; c < k && t.spot[c].fn == t.spot[i].fn
				    && t.spot[c].inst == t.spot[i].inst
				    && t.spot[c].part == t.spot[i].part;
			     c++)
				;
			addcopy(line, &t.spot[i], &t.spot[c]);
		}
		qsort(line->piece, (size_t)line->npiece, sizeof *line->piece, bycolumn);
		while (b < t.nbranch && isbefore(&t.branch[b], line))
			b++;
		line->branch = &t.branch[b];
		for (; b < t.nbranch && t.branch[b].file == line->file
		       && t.branch[b].line == line->line;
		     b++)
			line->nbranch++;
	}
	missed(&t, &lines);
	reckon(of, &lines, run);
	for (i = 0; i < lines.n; i++)
		lines.line[i].sure &= !lines.line[i].missed;
	return lines;
}
