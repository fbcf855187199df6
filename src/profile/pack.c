/* pack.c - the code of a function in few bytes, for the map.
 *
 * Unsigned numbers are in LEB128.  Signed ones are folded first, so that the sign is the lowest
 * bit.  A number in [] is there only if the flags before it say so.
 *
 *   block  flags: 1 has code, 2 in another part than the block before, 4 counter,
 *          8 second counter, 16 padding after it; then, if it has code, [part],
 *          bytes since the end of the block before (signed), bytes, instructions,
 *          [instructions of padding]
 *   edge   source, as distance from that of the edge before (signed), destination, as
 *          distance from the source (signed), flags, with 8 for a counter
 *   row    instruction and line, as distances from the row before (both signed), column,
 *          flags, with 256 for another file and 512 for another copy than before;
 *          [file], [copy]
 *   planted  form, with 32 for another part than the snippet before, 64 for a counter;
 *          [part], [counter, as distance from the one before (signed)]
 *
 * Slots are numbered in the order in which they come: those of blocks, of edges, then second
 * counters. */

#include "profile.h"

enum { HASCODE = 1, NEWPART = 2, COUNTER = 4, SECOND = 8, PADDED = 16 };
enum { EDGECOUNTER = 8, EDGEFLAGS = EDGENEVER | EDGEFALLS | EDGEPINNED | EDGENET | EDGEAGAIN };
enum { OTHERPART = 32, COUNTS = 64, FORMBITS = 31 };
enum { NEWFILE = 256, NEWINST = 512, ROWFLAGS = 255 };

void
putnumber(Buf *b, uint64_t x)
{
	char c;

	do {
		c = (char)((x & 0x7f) | (x > 0x7f ? 0x80 : 0));
		bput(b, &c, 1);
	} while (x >>= 7);
}

void
putsigned(Buf *b, int64_t x)
{
	putnumber(b, x < 0 ? ~((uint64_t)x << 1) : (uint64_t)x << 1);
}

void
pack(Buf *b, const Code *c)
{
	const Codeblock *lastblock = NULL;
	Coderow last = {0};
	uint32_t end = 0;
	int i, src = 0;

	for (i = 0; i < c->nblock; i++) {
		const Codeblock *m = &c->block[i];
		bool newpart = m->part != (lastblock ? lastblock->part : 0);

		putnumber(b, (m->part != CODENONE ? HASCODE | (newpart ? NEWPART : 0) : 0)
				     | (m->slot != CODENONE ? COUNTER : 0)
				     | (m->check != CODENONE ? SECOND : 0)
				     | (m->npad ? PADDED : 0));
		if (m->part == CODENONE)
			continue;
		if (newpart)
			putnumber(b, m->part);
		putsigned(b, (int64_t)m->off - (int64_t)end);
		putnumber(b, m->bytes);
		putnumber(b, m->ninsn);
		if (m->npad)
			putnumber(b, m->npad);
		end = m->off + m->bytes;
		lastblock = m;
	}
	for (i = 0; i < c->nedge; i++) {
		const Codeedge *e = &c->edge[i];

		putsigned(b, (int64_t)e->src - src);
		putsigned(b, (int64_t)e->dst - (int64_t)e->src);
		putnumber(b, e->flags | (e->slot != CODENONE ? EDGECOUNTER : 0));
		src = (int)e->src;
	}
	for (i = 0; i < c->nrow; i++) {
		const Coderow *r = &c->row[i];

		putsigned(b, (int64_t)r->insn - (int64_t)last.insn);
		putsigned(b, (int64_t)r->line - (int64_t)last.line);
		putnumber(b, r->column);
		putnumber(b, r->flags | (r->file != last.file ? NEWFILE : 0)
				     | (r->inst != last.inst ? NEWINST : 0));
		if (r->file != last.file)
			putnumber(b, r->file);
		if (r->inst != last.inst)
			putnumber(b, r->inst);
		last = *r;
	}
}

void
packplanted(Buf *b, const Code *c)
{
	uint32_t part = 0, slot = 0;
	int i;

	for (i = 0; i < c->nplanted; i++) {
		const Planted *p = &c->planted[i];

		putnumber(b, p->form | (p->part != part ? OTHERPART : 0)
				     | (p->slot != CODENONE ? COUNTS : 0));
		if (p->part != part)
			putnumber(b, p->part);
		if (p->slot != CODENONE) {
			putsigned(b, (int64_t)p->slot - (int64_t)slot);
			slot = p->slot;
		}
		part = p->part;
	}
}

uint64_t
getnumber(Unpacker *c, uint64_t most)
{
	uint64_t x = 0;
	int shift;

	for (shift = 0; c->p < c->end && shift < 63; shift += 7) {
		x |= (uint64_t)(*c->p & 0x7f) << shift;
		if (!(*c->p++ & 0x80)) {
			c->damaged |= x > most;
			return x > most ? 0 : x;
		}
	}
	c->damaged = true;
	return 0;
}

int64_t
getsigned(Unpacker *c, uint64_t most)
{
	uint64_t x = getnumber(c, most);

	return (int64_t)(x >> 1 ^ -(x & 1));
}

uint32_t
getsince(Unpacker *c, uint32_t from)
{
	int64_t n = (int64_t)from + getsigned(c, 1ull << 34);

	c->damaged |= n < 0 || n >= CODENONE;
	return n < 0 || n >= CODENONE ? 0 : (uint32_t)n;
}

bool
unpack(Code *code, const void *data, size_t len, Arena *a)
{
	Unpacker c = {.p = data, .end = (const uint8_t *)data + len};
	uint32_t part = 0, end = 0, slot = 0, src = 0;
	Coderow last = {0};
	int i;

	/* Each takes at least a byte; so a damaged number cannot take all memory. */
	if ((uint64_t)code->nblock + (uint64_t)code->nedge + (uint64_t)code->nrow > len)
		return false;
	code->block = anew(a, Codeblock, code->nblock);
	code->edge = anew(a, Codeedge, code->nedge);
	code->row = anew(a, Coderow, code->nrow);
	for (i = 0; i < code->nblock; i++) {
		Codeblock *m = &code->block[i];
		uint64_t what = getnumber(&c, 31);

		m->slot = what & COUNTER ? slot++ : CODENONE;
		m->check = what & SECOND ? 0 : CODENONE; /* numbered below */
		m->part = CODENONE;
		if (!(what & HASCODE))
			continue;
		if (what & NEWPART)
			part = (uint32_t)getnumber(&c, CODENONE - 1);
		m->part = part;
		m->off = getsince(&c, end);
		m->bytes = (uint32_t)getnumber(&c, INT32_MAX);
		m->ninsn = (uint32_t)getnumber(&c, INT32_MAX);
		m->npad = what & PADDED ? (uint32_t)getnumber(&c, INT32_MAX) : 0;
		end = m->off + m->bytes;
	}
	for (i = 0; i < code->nedge; i++) {
		Codeedge *e = &code->edge[i];
		uint64_t flags;

		e->src = src = getsince(&c, src);
		e->dst = getsince(&c, src);
		flags = getnumber(&c, EDGEFLAGS | EDGECOUNTER);
		e->flags = flags & EDGEFLAGS;
		e->slot = flags & EDGECOUNTER ? slot++ : CODENONE;
	}
	for (i = 0; i < code->nrow; i++) {
		Coderow *r = &code->row[i];
		uint64_t flags;

		r->insn = getsince(&c, last.insn);
		r->line = getsince(&c, last.line);
		r->column = (uint16_t)getnumber(&c, UINT16_MAX);
		flags = getnumber(&c, ROWFLAGS | NEWFILE | NEWINST);
		r->flags = flags & ROWFLAGS;
		r->file = flags & NEWFILE ? (uint32_t)getnumber(&c, CODENONE) : last.file;
		r->inst = flags & NEWINST ? (uint32_t)getnumber(&c, CODENONE) : last.inst;
		last = *r;
	}
	for (i = 0; i < code->nblock; i++)
		if (code->block[i].check != CODENONE)
			code->block[i].check = slot++;
	code->nslot = slot;
	return !c.damaged && c.p == c.end;
}

bool
unpackplanted(Code *code, const void *data, size_t len)
{
	Unpacker c = {.p = data, .end = (const uint8_t *)data + len};
	uint32_t part = 0, slot = 0;
	int i;

	for (i = 0; i < code->nplanted; i++) {
		Planted *p = &code->planted[i];
		uint64_t what = getnumber(&c, 127);

		p->form = what & FORMBITS;
		if (what & OTHERPART)
			part = (uint32_t)getnumber(&c, CODENONE - 1);
		p->part = part;
		p->slot = what & COUNTS ? (slot = getsince(&c, slot)) : CODENONE;
	}
	return !c.damaged && c.p == c.end;
}
