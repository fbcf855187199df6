/* markers.c - how often source blocks ran that the C road marked.
 *
 * The count of a block is the sum over the copies of its marker.  But a signal may end a frame, or
 * begin one, in the middle of a block: then lines later in the block ran less often, or more often,
 * than the block was entered.  Sums are corrected for that where the position is known, and are
 * unsure otherwise. */

#include "spots.h"

#include <string.h>

/* Frames that signals ended, or resumed, in the middle of a block or of a loop's condition. */
struct Srcend {
	uint32_t piece;        /* control was in this one of all[] */
	uint32_t line, column; /* at this position; column 0 if unknown */
	int64_t left;          /* how many ended here, less those that began here */
	bool sure;             /* the position is exact, and lines run in order */
	uint32_t *before;      /* else: lines that had begun by then for sure */
	int nbefore;
	size_t capbefore;
};

/* isbefore - returns whether a line and column are before others, or equal. */
static bool
isbefore(uint32_t line, uint32_t column, uint32_t otherline, uint32_t other)
{
	return line < otherline || (line == otherline && column <= other);
}

/* samesum - returns whether the first n terms of two pieces are the same. */
static bool
samesum(const Srctext *t, const Srcpiece *p, const Srcpiece *q, uint32_t n)
{
	const Srcterm *x = &t->term[p->term], *y = &t->term[q->term];
	uint32_t k;

	for (k = 0; k < n; k++)
		if (x[k].block != y[k].block || x[k].minus != y[k].minus)
			return false;
	return true;
}

/* isloops - returns whether a piece is the condition of a loop or the third part of a `for', and
 * its count is computed: from blocks after it, or by subtracting terms. */
static bool
isloops(const Srctext *t, const Srcpiece *p)
{
	const Srcblock *b = &t->block[t->term[p->term].block];
	uint32_t k;

	for (k = p->term; k < p->term + p->nterm; k++)
		if (t->term[k].minus)
			return true;
	return p->nterm > 1 && isbefore(p->line, p->column + 1, b->line, b->column);
}

/* lastline - the last line of a function. */
static uint32_t
lastline(const Srctext *t, uint32_t fn)
{
	uint32_t line = 0, i;

	for (i = 0; i < t->nblock; i++)
		if (t->block[i].fn == fn && t->block[i].endline > line)
			line = t->block[i].endline;
	for (i = 0; i < t->nall; i++)
		if (t->all[i].nterm && t->block[t->term[t->all[i].term].block].fn == fn
		    && t->all[i].line > line)
			line = t->all[i].line;
	return line;
}

/* pieceat - the piece that a position is in: the last that begins at or before it; nall if there is
 * none. */
static uint32_t
pieceat(const Srctext *t, uint32_t file, uint32_t line, uint32_t column)
{
	uint32_t best = t->nall, i;

	for (i = 0; i < t->nall; i++) {
		const Srcpiece *p = &t->all[i];

		if (p->file == file && !p->ntaken && p->nterm
		    && isbefore(p->line, p->column, line, column ? column : UINT32_MAX)
		    && (best == t->nall
			|| isbefore(t->all[best].line, t->all[best].column, p->line, p->column)))
			best = i;
	}
	if (best < t->nall && lastline(t, t->block[t->term[t->all[best].term].block].fn) < line)
		return t->nall;
	return best;
}

/* isalone - returns whether it is certain which piece of its line a position is in.  A marker put
 * into the line moves the columns after it. */
static bool
isalone(const Srctext *t, const Srcpiece *p, uint32_t line, uint32_t column)
{
	bool several = false, moved = column == 0;
	uint32_t i;

	for (i = 0; i < t->nall; i++) {
		const Srcpiece *q = &t->all[i];

		several |= q->file == p->file && q->line == line && !q->ntaken && q->nterm
			   && (q->nterm != p->nterm || !samesum(t, p, q, p->nterm));
	}
	for (i = 0; i < t->nblock; i++)
		moved |= t->block[i].file == p->file && t->block[i].line == line
			 && t->block[i].column <= p->column;
	return !several || !moved;
}

/* beginsbefore - returns whether a line of optimised code has begun for sure when control is at a
 * position: all its rows are in that block, and none is after the position. */
static bool
beginsbefore(const Place *at, uint32_t line)
{
	const Code *c = &at->fn->code;
	bool some = false;
	int i;

	for (i = 0; i < c->nrow; i++) {
		const Coderow *row = &c->row[i];

		if (row->line != line || row->file >= (uint32_t)at->fn->nfile
		    || strcmp(at->fn->file[row->file], at->file) != 0)
			continue;
		if (row->insn < at->begin || row->insn > at->insn)
			return false;
		some = true;
	}
	return some;
}

/* linesbefore - notes the lines that have begun for sure, in optimised code. */
static void
linesbefore(Srcend *e, const Place *at, Arena *run)
{
	const Code *c = &at->fn->code;
	int i;

	for (i = 0; i < c->nrow; i++)
		if (c->row[i].line && beginsbefore(at, c->row[i].line)) {
			apush(run, e->before, e->nbefore, e->capbefore);
			e->before[e->nbefore++] = c->row[i].line;
		}
}

/* hasbegun - returns whether the line of a piece had begun when the frames ended. */
static bool
hasbegun(const Srctext *t, const Srcpiece *p, const Srcend *e)
{
	int i;

	for (i = 0; i < e->nbefore && e->before[i] != p->line; i++)
		;
	return i < e->nbefore || p->line <= t->block[t->term[p->term].block].line;
}

/* addend - notes that a signal ended a frame, or resumed it, in the middle of something. */
static void
addend(const Srctext *t, const Modcut *c, const Place *at, Arena *run)
{
	Srccounts *n = t->counts;
	uint32_t f, piece, again;

	for (f = 0; f < t->nfile && strcmp(t->file[f], at->file) != 0; f++)
		;
	for (again = f + 1; again < t->nfile && strcmp(t->file[again], at->file) != 0; again++)
		; /* included twice: nobody knows in which */
	piece = f < t->nfile ? pieceat(t, f, at->line, at->column) : t->nall;
	if (piece == t->nall)
		return;
	apush(run, n->end, n->nend, n->capend);
	n->end[n->nend++] = (Srcend){
		.piece = piece,
		.line = at->line,
		.column = at->column,
		.left = c->kind & CUTENTERED ? -(int64_t)c->times : (int64_t)c->times,
		.sure = at->fn->plain && again >= t->nfile
			&& isalone(t, &t->all[piece], at->line, at->column),
	};
	if (!at->fn->plain)
		linesbefore(&n->end[n->nend - 1], at, run);
}

/* correction - what n terms of a piece, from one on, have to be corrected by, because frames ended
 * within one of their blocks: what comes later in the block was not reached, nor was the block's
 * end, which subtracted terms stand for.  A frame that ended in the header of a loop is in none of
 * the terms.  *touched becomes true if the frames concern the piece. */
static int64_t
correction(const Srctext *t, const Srcpiece *p, uint32_t from, uint32_t n, const Srcend *e,
	   bool *touched)
{
	const Srcpiece *in = &t->all[e->piece];
	uint32_t block = t->term[in->term].block, k;
	bool later = p->line > e->line
		     || (p->line == e->line && p->nterm == 1 && e->column && p->column > e->column);
	int64_t d = 0;

	if (isloops(t, in)) {
		bool same = n >= in->nterm && samesum(t, p, in, in->nterm);

		if (!same || n > in->nterm + 1
		    || (n == in->nterm ? p->line > e->line : !t->term[p->term + n - 1].minus))
			return 0;
		*touched = true;
		return e->left;
	}
	for (k = p->term + from; in->nterm == 1 && k < p->term + from + n; k++)
		if (t->term[k].block == block) {
			*touched = true;
			if (t->term[k].minus)
				d += e->left;
			else if (later && !isloops(t, p))
				d -= e->left;
		}
	return d;
}

uint64_t
sumterms(const Srctext *t, const Srcpiece *p, uint32_t from, uint32_t n, bool *sure)
{
	const Srccounts *c = t->counts;
	__int128 sum = 0;
	uint32_t k;
	int i;

	for (k = p->term + from; k < p->term + from + n; k++) {
		const Srcterm *x = &t->term[k];

		sum += x->minus ? -(__int128)c->count[x->block] : (__int128)c->count[x->block];
		*sure &= !c->unknown[x->block] && !c->doubtful[x->block];
	}
	for (i = 0; i < c->nend; i++) {
		const Srcend *e = &c->end[i];
		bool touched = false, past = !e->sure && p->nterm == 1 && hasbegun(t, p, e);
		int64_t d = correction(t, p, from, n, e, &touched);

		sum += past ? 0 : d;
		*sure &= !touched || past || e->sure || (d == 0 && p->nterm > 1);
	}
	if (sum >= 0 && sum <= INT64_MAX)
		return (uint64_t)sum;
	*sure = false;
	return 0;
}

/* findends - gives the cuts of a module to its texts. */
static void
findends(Module *m, Arena *run)
{
	int i, k;

	for (k = 0; m->ntext && k < m->ncut; k++) {
		Place place = {0};

		if (!(m->cut[k].kind & CUTINTERRUPTED) || !placeof(m, &m->cut[k], run, &place)
		    || !place.line)
			continue;
		if ((m->cut[k].kind & CUTENTERED) && place.insn == place.begin)
			continue; /* its block is still to run, and is counted there */
		for (i = 0; i < m->ntext; i++)
			addend(&m->text[i], &m->cut[k], &place, run);
	}
}

/* addmarks - adds how often control came to the markers of a function, to the blocks of the texts
 * that ids knows. */
static void
addmarks(const Module *m, const Fn *fn, Table *ids)
{
	int k;

	for (k = 0; !fn->skip && k < fn->nmarker; k++) {
		const Marker *mark = &fn->marker[k];
		const Entry *e = lookup(ids, (const char *)&mark->id, sizeof mark->id);
		const Srctext *t = e ? &m->text[e->value] : NULL;

		if (!t || mark->number >= t->nblock)
			continue;
		if (fn->flow && mark->block != ENTRY)
			t->counts->count[mark->number] += passed(fn, mark->block, mark->insn);
		else
			t->counts->unknown[mark->number] = true;
		t->counts->doubtful[mark->number] |= fn->doubtful;
	}
}

void
countsources(const Choice *of, Arena *run)
{
	int i, k;

	for (i = 0; i < of->nmodule; i++) {
		Module *m = &of->module[i];
		Table ids = {.arena = run};

		for (k = 0; k < m->ntext; k++) {
			Srctext *t = &m->text[k];

			intern(&ids, (char *)&t->id, sizeof t->id, k);
			t->counts = anew(run, Srccounts, 1);
			*t->counts = (Srccounts){.count = anew(run, uint64_t, t->nblock + 1),
						 .unknown = anew(run, bool, t->nblock + 1),
						 .doubtful = anew(run, bool, t->nblock + 1)};
		}
		findends(m, run);
		for (k = 0; k < m->nfn; k++)
			addmarks(m, &m->fn[k], &ids);
	}
}
