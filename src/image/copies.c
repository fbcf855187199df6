/* copies.c - which source functions were inlined into a function of the program, and which rows of
 * the line table belong to them.
 *
 * The debug information has an entry for each inlined copy, within the entry of the function or
 * copy around it, with the addresses of its code.  An address may have several rows: all but the
 * last are for code of which no instruction is left.  Where a copy begins, the first of these rows
 * may belong to the code around it; gcc records how many do (DW_AT_GNU_entry_view).  Where a copy
 * ends, the first of them may still belong to the copy; nothing records that, so we take those
 * whose lines are in its source function. */

#include "image.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <string.h>

typedef struct Search Search;

/* Where a copy begins. */
struct Began {
	uint64_t addr;
	uint64_t view; /* the number of rows of that address before it */
};

struct Search {
	Image *im;
	Arena *run;
	Inlines *in;
	size_t capcopied, capbegan;
};

enum { ENTRYVIEW = 0x2138, MOSTDEPTH = 1000, MOSTHOPS = 4 };

/* fileof - the file that an attribute of an entry names; UINT32_MAX if there is none. */
static uint32_t
fileof(Search *s, Dwarf_Die *d, unsigned attr)
{
	Dwarf_Attribute at;
	Dwarf_Files *files;
	Dwarf_Die cu;
	Dwarf_Word number;
	const char *name;
	size_t n;

	if (dwarf_formudata(dwarf_attr(d, attr, &at), &number) != 0
	    || !dwarf_diecu(d, &cu, NULL, NULL) || dwarf_getsrcfiles(&cu, &files, &n) != 0
	    || !(name = dwarf_filesrc(files, number, NULL, NULL)))
		return UINT32_MAX;
	return numberfile(s->im, name, dwarf_formstring(dwarf_attr(&cu, DW_AT_comp_dir, &at)));
}

static uint32_t
numberin(Dwarf_Die *d, unsigned attr)
{
	Dwarf_Attribute at;
	Dwarf_Word n;

	return dwarf_formudata(dwarf_attr(d, attr, &at), &n) == 0 && n <= INT32_MAX ? (uint32_t)n
										    : 0;
}

/* describe - what a function is, or a copy of one: where it is declared, whether it was inlined,
 * and its number.  Follows the entry to that of the abstract function and of its declaration. */
static void
describe(Search *s, Dwarf_Die *die, Copied *c)
{
	Dwarf_Die d = *die, next;
	Dwarf_Attribute at;
	bool hasfile = false;
	int i;

	for (i = 0; i < MOSTHOPS; i++) {
		uint32_t how = numberin(&d, DW_AT_inline);
		uint32_t file = hasfile ? UINT32_MAX : fileof(s, &d, DW_AT_decl_file);

		c->inlined |= how == DW_INL_inlined || how == DW_INL_declared_inlined;
		if (!c->head.line) {
			c->head.line = numberin(&d, DW_AT_decl_line);
			c->head.column = numberin(&d, DW_AT_decl_column);
		}
		if (file != UINT32_MAX) {
			c->head.file = file;
			hasfile = true;
		}
		if (!dwarf_attr(&d, DW_AT_abstract_origin, &at)
		    && !dwarf_attr(&d, DW_AT_specification, &at))
			break;
		if (!dwarf_formref_die(&at, &next))
			break;
		d = next;
	}
	if (!hasfile)
		c->head = (Head){0};
	if (c->head.column > UINT16_MAX)
		c->head.column = 0;
	c->origin = (uint32_t)intern(&s->im->origins, (char *)&d.addr, sizeof d.addr,
				     (int)s->im->origins.n + 1)
			    ->value;
}

/* cover - note that the code from one address to another belongs to a copy. */
static void
cover(Search *s, uint64_t from, uint64_t to, uint32_t inst)
{
	const Func *f = s->in->fn;
	int i;

	for (i = 0; i < f->nrange; i++) {
		const Range *r = &f->range[i];
		uint64_t at = from > r->begin ? from : r->begin;

		for (; at < to && at < r->end; at++)
			s->in->at[i][at - r->begin] = inst;
	}
}

/* wholeof - the copy of which a copy is a part: compilers split functions and inline the parts. */
static uint32_t
wholeof(const Inlines *in, const Copied *c)
{
	const Copied *x;

	for (x = &in->copied[c->outer]; x->inst; x = &in->copied[x->outer])
		if (x->origin == c->origin)
			return x->whole;
	return c->origin == in->copied->origin ? 0 : c->inst;
}

/* addcopy - add the copy that an entry describes, inside copy `outer'; returns its inst. */
static uint32_t
addcopy(Search *s, Dwarf_Die *die, uint32_t outer)
{
	Inlines *in = s->in;
	Copied c = {.inst = (uint32_t)in->ncopied, .outer = outer};
	Began b = {0};
	Dwarf_Addr base, from, to;
	ptrdiff_t at = 0;

	describe(s, die, &c);
	if (c.inst) {
		uint32_t file = fileof(s, die, DW_AT_call_file);

		c.call.line = file == UINT32_MAX ? 0 : numberin(die, DW_AT_call_line);
		c.call.file = c.call.line ? file : 0;
		c.whole = wholeof(in, &c);
		while ((at = dwarf_ranges(die, at, &base, &from, &to)) > 0)
			cover(s, from, to, c.inst);
		if (dwarf_entrypc(die, &b.addr) == 0)
			b.view = numberin(die, ENTRYVIEW);
	}
	apush(s->run, in->copied, in->ncopied, s->capcopied);
	apush(s->run, in->began, in->ncopied, s->capbegan);
	in->copied[in->ncopied] = c;
	in->began[in->ncopied++] = b;
	return c.inst;
}

/* children - add the copies described inside an entry, which itself is in copy `outer'. */
static void
children(Search *s, Dwarf_Die *of, uint32_t outer, int depth)
{
	Dwarf_Die d;

	if (depth == MOSTDEPTH || dwarf_child(of, &d) != 0)
		return;
	do {
		int tag = dwarf_tag(&d);

		if (tag == DW_TAG_inlined_subroutine)
			children(s, &d, addcopy(s, &d, outer), depth + 1);
		else if (tag == DW_TAG_lexical_block)
			children(s, &d, outer, depth + 1);
	} while (dwarf_siblingof(&d, &d) == 0);
}

Inlines
readcopies(Image *im, const Func *f, Arena *run)
{
	Inlines in = {.fn = f};
	Search s = {.im = im, .run = run, .in = &in};
	int i;

	if (!im->dwfl || !f->die)
		return in;
	in.at = anew(run, uint32_t *, f->nrange); /* NOLINT(bugprone-sizeof-expression) */
	for (i = 0; i < f->nrange; i++)
		in.at[i] = anew(run, uint32_t, f->range[i].end - f->range[i].begin + 1);
	addcopy(&s, f->die, 0);
	children(&s, f->die, 0, 0);
	return in;
}

/* viewof - the number of rows of the same address before a row. */
static uint64_t
viewof(const Image *im, const Row *r)
{
	uint64_t n = 0;

	for (; r > im->row && r[-1].addr == r->addr && !r[-1].end; r--)
		n++;
	return n;
}

/* at - the innermost copy at an address; 0 if there is none. */
static uint32_t
at(const Inlines *in, uint64_t addr)
{
	int i;

	for (i = 0; i < in->fn->nrange; i++)
		if (addr >= in->fn->range[i].begin && addr < in->fn->range[i].end)
			return in->at[i][addr - in->fn->range[i].begin];
	return 0;
}

/* isof - whether a row may belong to a copy: its line is in the copy's source function. */
static bool
isof(const Image *im, const Copied *c, const Row *r)
{
	const Head *h = headof(im, r->file, r->line);

	return h && c->head.line == h->line && c->head.file == h->file;
}

uint32_t
copyof(const Image *im, const Inlines *in, const Row *r)
{
	bool empty = r + 1 < im->row + im->nrow && r[1].addr == r->addr && !r[1].end;
	uint32_t inst, ended, x;

	if (in->ncopied < 2)
		return 0;
	inst = at(in, r->addr);
	while (inst && in->began[inst].addr == r->addr && viewof(im, r) < in->began[inst].view)
		inst = in->copied[inst].outer;
	ended = empty ? at(in, r->addr - 1) : 0;
	for (x = inst; x && x != ended; x = in->copied[x].outer)
		;
	if (x == ended
	    || (r->stmt && isof(im, &in->copied[inst], r))) /* no copy ends, or another begins */
		return inst;
	for (x = ended; x && x != inst; x = in->copied[x].outer)
		if (isof(im, &in->copied[x], r))
			return x;
	return inst;
}
