/* measure.c - learn from the assembler what each statement is.
 *
 * We have neither a parser for instructions nor a table of mnemonics.  The assembler assembles
 * the text with a label before each item (an instruction, macro call, or data among code):
 *
 *	T$17:
 *		jne	.L5
 *
 * The symbol table of the object tells where each item is, and Zydis decodes its bytes: length,
 * branch target, flags and registers.  So whatever the assembler accepts is understood, and
 * macros and .rept need no care: their instructions are between two labels.  It costs one more
 * run of the assembler, without the debug sections. */

#include "asm.h"

#include "image/file.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#define MARK "T$" /* prefix of an item's label; its number follows */

typedef struct Object Object;
typedef struct Text Text;

struct Object {
	const File *file;
	const Symbol *sym;
	int nsym;
	int *sorted; /* items by section and offset */
	int nsorted;
	Text *code; /* by section */
	uint32_t nsect;
};

/* The bytes of a section; NULL if it is no code. */
struct Text {
	const uint8_t *at;
	size_t len;
};

/* measuredtext - number the items, and write the text with a label before each. */
static void
measuredtext(Unit *u, Buf *b)
{
	int i;

	for (i = 0; i < u->nstmt; i++)
		if (u->stmt[i].kind == CODE)
			u->stmt[i].item = u->nitem++;
	u->item = anew(u->run, Item, u->nitem);
	for (i = 0; i < u->nstmt; i++) {
		Stmt *st = &u->stmt[i];

		if (st->debug)
			continue;
		if (st->kind == CODE) {
			u->item[st->item] = (Item){.stmt = i,
						   .sect = NONE,
						   .target = NONE,
						   .refers = NONE,
						   .func = NONE,
						   .fixed = NONE,
						   .listed = NONE,
						   .block = NONE};
			bprintf(b, MARK "%d:\n", st->item);
		}
		bput(b, st->s, (size_t)st->len);
		bput(b, st->kind == LABEL ? ":\n" : "\n", st->kind == LABEL ? 2 : 1);
	}
}

/* openobject - find the symbols and code of the object. */
static void
openobject(Object *o, const File *f, Arena *a)
{
	int i;

	o->file = f;
	for (i = 0; i < f->nsect; i++)
		if (f->sect[i].number >= o->nsect)
			o->nsect = f->sect[i].number + 1;
	o->code = anew(a, Text, o->nsect);
	for (i = 0; i < f->nsect; i++) {
		const Section *s = &f->sect[i];
		Text *code = &o->code[s->number];

		if (s->type == SHT_SYMTAB)
			o->sym = readsymbols(f, s, &o->nsym, a);
		else if (s->type == SHT_PROGBITS && (s->flags & SHF_EXECINSTR))
			code->at = sectionbytes(s, &code->len);
	}
}

static bool
iscode(const Object *o, uint32_t sect)
{
	return sect < o->nsect && o->code[sect].at;
}

/* locate - set the section and offset of each item, from its label. */
static void
locate(Unit *u, const Object *o)
{
	int i;

	for (i = 0; i < o->nsym; i++) {
		const Symbol *sym = &o->sym[i];
		long n;

		if (strncmp(sym->name, MARK, sizeof MARK - 1) != 0)
			continue;
		n = strtol(sym->name + sizeof MARK - 1, NULL, 10);
		if (n >= 0 && n < u->nitem && iscode(o, sym->sect)) {
			u->item[n].sect = (int)sym->sect;
			u->item[n].off = sym->addr;
		}
	}
}

/* order - sort items by section and offset.  Within a section they already have the order of the
 * text, so sorting is by counting. */
static void
order(Unit *u, Object *o)
{
	int *count = anew(u->run, int, o->nsect + 1), i;

	o->sorted = anew(u->run, int, u->nitem);
	for (i = 0; i < u->nitem; i++)
		if (u->item[i].sect != NONE) {
			count[u->item[i].sect + 1]++;
			o->nsorted++;
		}
	for (i = 1; i <= (int)o->nsect; i++)
		count[i] += count[i - 1];
	for (i = 0; i < u->nitem; i++)
		if (u->item[i].sect != NONE)
			o->sorted[count[u->item[i].sect]++] = i;
}

/* aligned - whether an alignment directive stands between two statements of a section. */
static bool
aligned(const Unit *u, int from, int to)
{
	int sect = u->stmt[from].sect;

	while (++from < to) {
		const Stmt *st = &u->stmt[from];

		if (st->kind == DIRECTIVE && st->sect == sect
		    && (begins(st, ".p2align") || begins(st, ".align") || begins(st, ".balign")))
			return true;
	}
	return false;
}

/* decodeitem - decode the bytes of an item up to end, where the next one begins.  Returns how
 * many bytes of the next item belong to this one's instruction: a prefix written as a statement
 * of its own is glued to what follows. */
static int
decodeitem(Unit *u, Item *it, const unsigned char *code, uint64_t size, uint64_t end, int nextstmt)
{
	uint64_t pos = it->off;
	bool padded = aligned(u, it->stmt, nextstmt);
	bool mark = u->stmt[it->stmt].marker != NONE;
	Insn in;

	while (pos < end) {
		if (!decode(code + pos, size - pos, &in)) {
			it->odd = true;
			return 0;
		}
		if (pos == it->off && pos + (uint64_t)in.len > end) {
			it->insn = in;
			it->bytes = (int)(end - pos);
			return (int)(pos + (uint64_t)in.len - end);
		}
		if ((it->ninsn > 0 || mark) && padded) {
			it->npad++;
		} else {
			if (it->ninsn > 0) {
				/* A macro or a repetition: understood as long as control goes
				 * straight through. */
				in.reads |=
					it->insn.turn == CALL ? ALLREGS & ~FLAGS : it->insn.reads;
				in.writes |= it->insn.writes;
				in.base |= it->insn.base;
				if (in.stack == STAYS)
					in.stack = it->insn.stack;
				in.kills = 0;
				it->odd |= it->insn.turn != PLAIN && it->insn.turn != CALL;
				it->odd |= in.turn != PLAIN && in.turn != CALL;
			}
			it->nops = in.nop && (it->ninsn == 0 || it->nops);
			it->insn = in;
			it->ninsn++;
			it->bytes = (int)(pos - it->off) + in.len;
		}
		pos += (uint64_t)in.len;
	}
	it->odd |= pos > end;
	return 0;
}

static void
decodeall(Unit *u, const Object *o)
{
	int i, glue = 0;

	for (i = 0; i < o->nsorted; i++) {
		Item *it = &u->item[o->sorted[i]], *next = NULL;
		Text code = o->code[it->sect];
		Insn whole = it->insn;

		if (i + 1 < o->nsorted && u->item[o->sorted[i + 1]].sect == it->sect)
			next = &u->item[o->sorted[i + 1]];
		it->glued = glue > 0;
		it->insn = (Insn){0};
		glue = decodeitem(u, it, code.at, code.len, next ? next->off : code.len,
				  next ? next->stmt : u->nstmt);
		if (it->glued) /* the prefix was decoded with the whole instruction */
			it->insn = whole;
		if (glue && next)
			next->insn = it->insn;
		else
			it->odd |= glue > 0;
		if (glue) /* the next item has the target */
			it->insn.direct = false;
	}
}

/* upto - the number of items in sorted order that begin at this address or before it. */
static int
upto(const Unit *u, const Object *o, int sect, uint64_t off)
{
	int lo = 0, hi = o->nsorted;

	while (lo < hi) {
		int mid = lo + (hi - lo) / 2;
		const Item *it = &u->item[o->sorted[mid]];

		if (it->sect < sect || (it->sect == sect && it->off <= off))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* at - the item that begins at this address; NONE. */
static int
at(const Unit *u, const Object *o, int sect, uint64_t off)
{
	int n = upto(u, o, sect, off), i = n ? o->sorted[n - 1] : NONE;

	/* Of several items that begin here, the last one has the bytes, or is a marker before
	 * padding. */
	if (i == NONE || u->item[i].sect != sect || u->item[i].off != off
	    || (u->item[i].bytes == 0 && u->stmt[u->item[i].stmt].marker == NONE))
		return NONE;
	return i;
}

/* endsat - whether this address is right after the bytes of an item; next gets the item that
 * follows in its section, or NONE. */
static bool
endsat(const Unit *u, const Object *o, int sect, uint64_t off, int *next)
{
	int n = upto(u, o, sect, off);
	const Item *it = n ? &u->item[o->sorted[n - 1]] : NULL;

	if (!it || it->sect != sect || it->off + (uint64_t)it->bytes != off)
		return false;
	*next = n < o->nsorted && u->item[o->sorted[n]].sect == sect ? o->sorted[n] : NONE;
	return true;
}

static void
settarget(Unit *u, const Object *o, Item *it, int sect, uint64_t off)
{
	it->target = at(u, o, sect, off);
	if (it->target == NONE && endsat(u, o, sect, off, &it->target))
		it->gap = true;
	else if (it->target == NONE)
		it->odd = true; /* into the middle of an instruction */
}

/* relocate - set the target of a branch that the assembler left to the linker.  A target in
 * another section of the file is known; others are outside. */
static void
relocate(Unit *u, const Object *o, const Reloc *r, int sect, bool *external)
{
	int n = upto(u, o, sect, r->addr);
	Item *it = n ? &u->item[o->sorted[n - 1]] : NULL;
	const Symbol *sym;

	if (!it || it->sect != sect || !it->insn.direct || r->symbol >= (uint32_t)o->nsym)
		return;
	external[o->sorted[n - 1]] = true;
	sym = &o->sym[r->symbol];
	if (sym->bind == STB_LOCAL && iscode(o, sym->sect))
		settarget(u, o, it, (int)sym->sect, sym->addr + (uint64_t)r->addend + 4);
}

static void
relocateall(Unit *u, const Object *o, bool *external)
{
	int i, k, n;

	for (i = 0; i < o->file->nsect; i++) {
		const Section *s = &o->file->sect[i];
		Arena tmp = {0};
		Reloc *r;

		if (s->type != SHT_RELA || !iscode(o, s->info))
			continue;
		r = readrelocs(o->file, s, &n, &tmp);
		for (k = 0; k < n; k++)
			relocate(u, o, &r[k], (int)s->info, external);
		areset(&tmp);
	}
}

static void
findtargets(Unit *u, const Object *o)
{
	bool *external = anew(u->run, bool, u->nitem);
	int i;

	relocateall(u, o, external);
	for (i = 0; i < u->nitem; i++) {
		Item *it = &u->item[i];

		if (it->sect != NONE && it->insn.direct && !external[i])
			settarget(u, o, it, it->sect,
				  it->off + (uint64_t)it->bytes - (uint64_t)it->insn.len
					  + (uint64_t)it->insn.target);
	}
}

/* assemble - assemble a text; returns whether that worked. */
static bool
assemble(const Unit *u, const Counting *how, const Buf *text, char *object)
{
	Argv argv = {.arena = u->run};
	char *const *word;
	bool said;

	for (word = how->as; *word; word++)
		argput(&argv, *word);
	argput(&argv, "-o");
	argput(&argv, object);
	return runwith(argv.v, text->s ? text->s : "", text->n, &said) == 0;
}

/* learn - read the items from the object; returns false if it is not usable. */
static bool
learn(Unit *u, const char *object)
{
	Object o = {0};
	File *f = openelf(object, u->run);

	if (!f)
		return false;
	openobject(&o, f, u->run);
	if (o.sym) {
		locate(u, &o);
		order(u, &o);
		decodeall(u, &o);
		findtargets(u, &o);
	}
	closeelf(f);
	return o.sym != NULL;
}

bool
measure(Unit *u, const Counting *how)
{
	char *object = tempfile(u->run);
	Buf text = {.arena = u->run};
	bool good;

	if (!object)
		return false;
	measuredtext(u, &text);
	good = assemble(u, how, &text, object) && learn(u, object);
	endtemp(object);
	return good;
}
