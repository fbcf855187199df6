/* source.c - what the C road knows of a text, packed for the map.
 *
 * "Since" is the distance from the same number of the thing before: the block before for a block,
 * and so on.
 *
 *   block  kind, function since, file since, line since (all signed), column, lines to its
 *          end (signed), column there
 *   piece  file since, line since (both signed), column, terms, how many of these are for
 *          taken; then for each term its block since (signed), twice, plus 1 if it is to be
 *          subtracted
 *   copy   inst since, inst less that of its whole, inst less that of the copy around it,
 *          origin since, line since (both signed), twice the file, plus 1 if it was inlined
 *          somewhere, column, file of the call, line of the call since (signed)
 *   mark   (a marker) block since (signed), twice the instructions of that block before the
 *          marker, plus 1 if it is of another text than the one before; [id of that text],
 *          number since (signed) */

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
packmarkers(Buf *b, const Marker *m, int n)
{
	Marker last = {0};
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
unpackmarkers(Marker *m, int n, int nblock, const void *data, size_t len)
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
		m[i] = (Marker){(int)block, (uint32_t)(insn >> 1), id, number};
	}
	return !u.damaged && u.p == u.end;
}
