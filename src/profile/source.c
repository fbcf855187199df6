/* source.c - what the C road knows of a text: packed for the map, and counted.
 *
 *   block  kind, function since that of the block before it, file and line likewise (all
 *          signed), column, lines to its end (signed), column there
 *   piece  file and line since those of the piece before it (signed), column, terms, of these
 *          taken; then for each term its block since that of the term before it (signed),
 *          twice, plus 1 if it is to be subtracted
 *   copy   inst since that of the copy before it, less that of the whole, less that of the one around it, origin and line since
 *          those of the copy before it (signed), twice the file, plus 1 if it was inlined somewhere, column, file of the
 *          call, line of that since that of the copy before it (signed)
 *   mark   block since that of the mark before it (signed), twice the instructions of that
 *          block before the mark, plus 1 if it is of another text than the one before it;
 *          [id of that], number since that of the mark before it (signed) */

#include "profile.h"

#include <string.h>

void
packsource(Buf *b, const Srctext *t)
{
	Srcblock was = {0};
	Srcpiece last = {0};
	uint32_t i, k, block = 0;

	for (i = 0; i < t->nblock; i++) {
		const Srcblock *s = &t->block[i];

		putnumber(b, s->kind);
		putsigned(b, (int64_t)s->fn - was.fn);
		putsigned(b, (int64_t)s->file - was.file);
		putsigned(b, (int64_t)s->line - was.line);
		putnumber(b, s->column);
		putsigned(b, (int64_t)s->endline - s->line);
		putnumber(b, s->endcolumn);
		was = *s;
	}
	for (i = 0; i < t->npiece; i++) {
		const Srcpiece *p = &t->piece[i];

		putsigned(b, (int64_t)p->file - last.file);
		putsigned(b, (int64_t)p->line - last.line);
		putnumber(b, p->column);
		putnumber(b, p->nterm);
		putnumber(b, p->ntaken);
		for (k = p->term; k < p->term + p->nterm; k++) {
			int64_t since = (int64_t)t->term[k].block - block;

			putnumber(b, (since < 0 ? ~((uint64_t)since << 1) : (uint64_t)since << 1)
						     << 1
					     | t->term[k].minus);
			block = t->term[k].block;
		}
		last = *p;
	}
}

static bool
unpackpiece(Unpacker *u, Srctext *t, Srcpiece *p, uint32_t *term, uint32_t *block)
{
	uint32_t k;

	p->column = (uint32_t)getnumber(u, UINT16_MAX);
	p->term = *term;
	p->nterm = (uint32_t)getnumber(u, t->nterm - *term);
	p->ntaken = (uint32_t)getnumber(u, p->nterm);
	for (k = 0; k < p->nterm; k++) {
		uint64_t x = getnumber(u, 1ull << 35), since = x >> 1;
		int64_t n = (int64_t)*block + (int64_t)(since >> 1 ^ -(since & 1));

		if (n < 0 || n >= t->nblock)
			return false;
		*block = (uint32_t)n;
		t->term[(*term)++] = (Srcterm){*block, x & 1};
	}
	return p->file < t->nfile;
}

bool
unpacksource(Srctext *t, const void *data, size_t len, Arena *a)
{
	Unpacker u = {.p = data, .end = (const uint8_t *)data + len};
	uint32_t fn = 0, file = 0, line = 0, i, term = 0, block = 0;

	t->block = anew(a, Srcblock, t->nblock);
	t->piece = anew(a, Srcpiece, t->npiece);
	t->term = anew(a, Srcterm, t->nterm);
	for (i = 0; i < t->nblock; i++) {
		Srcblock *s = &t->block[i];

		s->kind = (uint32_t)getnumber(&u, 255);
		s->fn = fn = getsince(&u, fn);
		s->file = file = getsince(&u, file);
		s->line = line = getsince(&u, line);
		s->column = (uint32_t)getnumber(&u, UINT16_MAX);
		s->endline = getsince(&u, line);
		s->endcolumn = (uint32_t)getnumber(&u, UINT16_MAX);
		u.damaged |= fn >= t->nfn || file >= t->nfile;
	}
	file = line = 0;
	for (i = 0; i < t->npiece && !u.damaged; i++) {
		Srcpiece *p = &t->piece[i];

		p->file = file = getsince(&u, file);
		p->line = line = getsince(&u, line);
		u.damaged |= !unpackpiece(&u, t, p, &term, &block);
	}
	t->all = t->piece;
	t->nall = t->npiece;
	return !u.damaged && u.p == u.end && term == t->nterm;
}

void
packmarks(Buf *b, const Srcmark *m, int n)
{
	Srcmark last = {0};
	int i;

	for (i = 0; i < n; i++) {
		putsigned(b, (int64_t)m[i].block - last.block);
		putnumber(b, (uint64_t)m[i].insn << 1 | (m[i].id != last.id));
		if (m[i].id != last.id)
			putnumber(b, m[i].id);
		putsigned(b, (int64_t)m[i].number - last.number);
		last = m[i];
	}
}

void
packcopies(Buf *b, const Copied *c, int n)
{
	Copied last = {0};
	int i;

	for (i = 0; i < n; i++) {
		putnumber(b, c[i].inst - last.inst);
		putnumber(b, c[i].inst - c[i].whole);
		putnumber(b, c[i].inst - c[i].outer);
		putsigned(b, (int64_t)c[i].origin - last.origin);
		putsigned(b, (int64_t)c[i].head.line - last.head.line);
		putnumber(b, (uint64_t)c[i].head.file << 1 | c[i].inlined);
		putnumber(b, c[i].head.column);
		putnumber(b, c[i].call.file);
		putsigned(b, (int64_t)c[i].call.line - last.call.line);
		last = c[i];
	}
}

bool
unpackcopies(Copied *c, int n, const void *data, size_t len)
{
	Unpacker u = {.p = data, .end = (const uint8_t *)data + len};
	uint32_t inst = 0, whole, outer, origin = 0, line = 0, call = 0;
	int i;

	for (i = 0; i < n; i++) {
		uint64_t file;

		inst += (uint32_t)getnumber(&u, UINT32_MAX - inst);
		whole = inst - (uint32_t)getnumber(&u, inst);
		outer = inst - (uint32_t)getnumber(&u, inst);
		u.damaged |= inst && outer == inst;
		origin = getsince(&u, origin);
		line = getsince(&u, line);
		file = getnumber(&u, 2ull * UINT32_MAX + 1);
		c[i] = (Copied){.inst = inst,
				.whole = whole,
				.outer = outer,
				.origin = origin,
				.head = {.file = (uint32_t)(file >> 1), .line = line},
				.inlined = file & 1};
		c[i].head.column = (uint32_t)getnumber(&u, UINT16_MAX);
		c[i].call.file = (uint32_t)getnumber(&u, UINT32_MAX);
		c[i].call.line = call = getsince(&u, call);
	}
	return !u.damaged && u.p == u.end;
}

bool
unpackmarks(Srcmark *m, int n, int nblock, const void *data, size_t len)
{
	Unpacker u = {.p = data, .end = (const uint8_t *)data + len};
	uint32_t block = 0, id = 0, number = 0;
	int i;

	for (i = 0; i < n; i++) {
		uint64_t insn;

		block = getsince(&u, block);
		insn = getnumber(&u, 2ull * UINT32_MAX);
		if (insn & 1)
			id = (uint32_t)getnumber(&u, UINT32_MAX);
		number = getsince(&u, number);
		u.damaged |= block && block >= (uint32_t)nblock;
		m[i] = (Srcmark){(int)block, (uint32_t)(insn >> 1), id, number};
	}
	return !u.damaged && u.p == u.end;
}

/* isbefore - whether a line and column are before others, or the same. */
static bool
isbefore(uint32_t line, uint32_t column, uint32_t otherline, uint32_t other)
{
	return line < otherline || (line == otherline && column <= other);
}

/* samesum - whether the first n terms of two pieces are the same. */
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

/* isloops - whether a piece is a condition of a loop, or the third part of a `for', whose count is computed: from what
 * follows it, or less what came before it. */
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

/* lastline - of a function. */
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

/* pieceat - the one that a place is in: the last that begins before it; nall if there is none. */
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

/* isalone - whether there is no doubt which piece of its line a place is in.  A mark that was put into the line moves the
 * columns after it. */
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

/* beginsbefore - whether a line has begun for sure when control is at a place of optimised code: all its rows are in that
 * block, and none is after the place. */
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

/* linesbefore - those of optimised code of which that is known. */
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

/* hasbegun - whether a line of a block had when frames ended there. */
static bool
hasbegun(const Srctext *t, const Srcpiece *p, const Srcend *e)
{
	int i;

	for (i = 0; i < e->nbefore && e->before[i] != p->line; i++)
		;
	return i < e->nbefore || p->line <= t->block[t->term[p->term].block].line;
}

/* addend - a signal left a frame, or entered it, in the middle of something. */
static void
addend(Srctext *t, const Modcut *c, const Place *at, Arena *run)
{
	uint32_t f, piece, again;

	for (f = 0; f < t->nfile && strcmp(t->file[f], at->file) != 0; f++)
		;
	for (again = f + 1; again < t->nfile && strcmp(t->file[again], at->file) != 0; again++)
		; /* it is included twice: nobody knows in which */
	piece = f < t->nfile ? pieceat(t, f, at->line, at->column) : t->nall;
	if (piece == t->nall)
		return;
	apush(run, t->end, t->nend, t->capend);
	t->end[t->nend++] = (Srcend){
		.piece = piece,
		.line = at->line,
		.column = at->column,
		.left = c->kind & CUTENTERED ? -(int64_t)c->times : (int64_t)c->times,
		.sure = at->fn->plain && again >= t->nfile
			&& isalone(t, &t->all[piece], at->line, at->column),
	};
	if (!at->fn->plain)
		linesbefore(&t->end[t->nend - 1], at, run);
}

/* correction - what n terms of a piece, from one on, miss because of frames that ended within one of their blocks: what
 * comes later in that was not reached, nor was its end, which terms to be subtracted stand for.  A frame that
 * ended in a loop's header is in none of them.  *touched becomes true if the frames have to do with the piece at all. */
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
	__int128 sum = 0;
	uint32_t k;
	int i;

	for (k = p->term + from; k < p->term + from + n; k++) {
		const Srcterm *x = &t->term[k];

		sum += x->minus ? -(__int128)t->count[x->block] : (__int128)t->count[x->block];
		*sure &= !t->unknown[x->block] && !t->doubtful[x->block];
	}
	for (i = 0; i < t->nend; i++) {
		const Srcend *e = &t->end[i];
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

void
countsources(Module *m, Arena *run)
{
	Table index = {.arena = run};
	int i, k;

	for (i = 0; i < m->ntext; i++) {
		Srctext *t = &m->text[i];

		intern(&index, (char *)&t->id, sizeof t->id, i);
		t->count = anew(run, uint64_t, t->nblock + 1);
		t->unknown = anew(run, bool, t->nblock + 1);
		t->doubtful = anew(run, bool, t->nblock + 1);
	}
	for (k = 0; m->ntext && k < m->ncut; k++) {
		Place place = {0};

		if (!(m->cut[k].kind & CUTINTERRUPTED) || !placeof(m, &m->cut[k], run, &place)
		    || !place.line)
			continue;
		if ((m->cut[k].kind & CUTENTERED) && place.insn == place.begin)
			continue; /* it has all of its block to run, and is counted there */
		for (i = 0; i < m->ntext; i++)
			addend(&m->text[i], &m->cut[k], &place, run);
	}
	for (i = 0; i < m->nfn; i++)
		for (k = 0; !m->fn[i].skip && k < m->fn[i].nmark; k++) {
			const Srcmark *mark = &m->fn[i].mark[k];
			const Entry *e = lookup(&index, (char *)&mark->id, sizeof mark->id);
			Srctext *t = e ? &m->text[e->value] : NULL;

			if (!t || mark->number >= t->nblock)
				continue;
			if (m->fn[i].flow && mark->block != ENTRY)
				t->count[mark->number] +=
					passed(&m->fn[i], mark->block, mark->insn);
			else
				t->unknown[mark->number] = true;
			t->doubtful[mark->number] |= m->fn[i].doubtful;
		}
}
