/* inlined.c - which rows of the line table are in inlined copies of functions, and where
 * functions are declared.
 *
 * The answer is in the debug information, which is data directives here.  .debug_abbrev gives
 * the format of the entries of .debug_info.  An entry for an inlined subroutine names the labels
 * between which the copy is, or a list of such pairs in .debug_rnglists:
 *
 *	.uleb128 0x7		number of its format
 *	.long	0x51		DW_AT_abstract_origin: offset of the function's entry
 *	.quad	.LBB4		DW_AT_low_pc
 *	.quad	.LBE4-.LBB4	DW_AT_high_pc
 *
 * The entry of a function has the same, and its file and line, or the offset of another entry
 * that has them.  Where the text is not as expected we stop reading.  Then copies are missing,
 * and rows of several copies are taken for one. */

#include "asm.h"

#include <stdlib.h>
#include <string.h>

enum { INLINED = 0x1d, SUBPROGRAM = 0x2e }; /* DW_TAG_ */
enum {                                      /* DW_AT_ */
       HIGHPC = 0x12,
       INLINE = 0x20,
       CALLFILE = 0x58,
       CALLLINE = 0x59,
       ORIGIN = 0x31,
       COLUMN = 0x39,
       FILENO = 0x3a,
       LINE = 0x3b,
       SPECIFICATION = 0x47,
       RANGES = 0x55
};
enum { /* DW_FORM_ */
       FBLOCK2 = 0x03,
       FBLOCK4 = 0x04,
       FSTRING = 0x08,
       FBLOCK = 0x09,
       FBLOCK1 = 0x0a,
       FEXPRLOC = 0x18,
       FPRESENT = 0x19,
       FCONST = 0x21,
       FRNGLISTX = 0x23
};

typedef struct Attr Attr;
typedef struct Abbrev Abbrev;
typedef struct Die Die;
typedef struct Inst Inst;
typedef struct Search Search;

struct Attr {
	uint64_t at, form;
	Value always; /* of DW_FORM_implicit_const */
};

struct Abbrev {
	uint64_t code, tag;
	bool children;
	Attr *attr;
	int nattr;
};

/* What an entry says. */
struct Die {
	Value high; /* END-BEGIN */
	Value ranges;
	bool indexed;    /* ranges is an index */
	uint64_t origin; /* offset of the entry that has the rest; 0 */
	Head head;
	bool hasfile; /* head.file is valid: 0 is a file, too */
	Head call;    /* where a copy was called */
	bool inlined; /* it was inlined somewhere */
};

/* An inlined copy of a function. */
struct Inst {
	uint64_t origin; /* offset of the function's entry */
	int in;          /* function it is in, an index into die[] */
	int outer;       /* copy that it is in; 0 */
	uint32_t of;     /* the function's number, set by addcopies() */
	uint32_t whole;  /* copy of which it is a part, likewise */
	Head call;
};

struct Search {
	Unit *u;
	Abbrev *abbrev;
	int nabbrev;
	Table labels; /* names to statements */
	int *rnglist; /* by index of DW_FORM_rnglistx: a label */
	int nrnglist;
	int *depth; /* by statement: depth of the copy it is in */
	int *inst;  /* by statement: that copy, from 1 */
	int ninst;
	Inst *origin; /* by copy, from 1 */
	size_t caporigin;
	int *outer; /* by depth: the copy that the entry there is, or is in */
	size_t capouter;
	uint64_t at; /* offset in .debug_info */
	Die *die;    /* functions */
	int ndie;
	size_t capdie;
	Table offset; /* offsets of entries to indices into die[] */
};

/* readabbrevs - read the formats of entries; returns false if the text is not as expected. */
static bool
readabbrevs(Search *s)
{
	Cursor c = {.u = s->u, .sect = sectnamed(s->u, ".debug_abbrev"), .stmt = -1};
	size_t cap = 0;
	Value v, w;

	if (c.sect == NONE)
		return false;
	while (value(&c, &v) && v.literal && v.n) {
		Abbrev *a;
		size_t capattr = 0;

		apush(s->u->run, s->abbrev, s->nabbrev, cap);
		a = &s->abbrev[s->nabbrev++];
		*a = (Abbrev){.code = v.n};
		if (!value(&c, &v) || !value(&c, &w))
			return false;
		a->tag = v.n;
		a->children = w.n;
		while (value(&c, &v) && value(&c, &w) && (v.n || w.n)) {
			apush(s->u->run, a->attr, a->nattr, capattr);
			a->attr[a->nattr++] = (Attr){.at = v.n, .form = w.n};
			if (w.n == FCONST && !value(&c, &a->attr[a->nattr - 1].always))
				return false;
		}
	}
	return s->nabbrev > 0;
}

/* cover - assign statements between two labels to the current copy. */
static void
cover(Search *s, int from, int to, int depth)
{
	int i;

	if (from == NONE || to == NONE)
		return;
	for (i = from; i < to; i++)
		if (s->u->stmt[i].sect == s->u->stmt[from].sect && depth > s->depth[i]) {
			s->depth[i] = depth;
			s->inst[i] = s->ninst;
		}
}

/* coverlist - assign all ranges of a list. */
static void
coverlist(Search *s, int label, int depth)
{
	Cursor c = {.u = s->u, .stmt = label};
	Value kind, a, b;

	if (label == NONE)
		return;
	c.sect = s->u->stmt[label].sect;
	while (value(&c, &kind) && kind.literal && kind.n) {
		if (!value(&c, &a) || (kind.n != 1 && kind.n != 5 && !value(&c, &b)))
			return;
		if (kind.n != 1 && kind.n != 5) /* not a base address: two labels */
			cover(s, labelat(&s->labels, a.s, a.s + a.len),
			      labelat(&s->labels, b.s, b.s + b.len), depth);
	}
}

/* copy - add an inlined copy, from its entry. */
static void
copy(Search *s, const Die *k, int depth)
{
	const Value *high = &k->high, *ranges = &k->ranges;
	const char *minus = high->len ? memchr(high->s, '-', (size_t)high->len) : NULL;
	bool indexed = k->indexed;

	s->ninst++;
	s->origin =
		agrow(s->u->run, s->origin, (size_t)s->ninst + 1, &s->caporigin, sizeof *s->origin);
	s->origin[s->ninst] = (Inst){
		.origin = k->origin, .in = s->ndie - 1, .outer = s->outer[depth], .call = k->call};
	s->outer[depth] = s->ninst;
	if (minus)
		cover(s, labelat(&s->labels, minus + 1, high->s + high->len),
		      labelat(&s->labels, high->s, minus), depth);
	else if (ranges->s && indexed && ranges->n < (uint64_t)s->nrnglist)
		coverlist(s, s->rnglist[ranges->n], depth);
	else if (ranges->s && !indexed)
		coverlist(s, labelat(&s->labels, ranges->s, ranges->s + ranges->len), depth);
}

static bool
isblockform(uint64_t form)
{
	return form == FEXPRLOC || form == FBLOCK || form == FBLOCK1 || form == FBLOCK2
	       || form == FBLOCK4;
}

/* next - read the next value of .debug_info. */
static bool
next(Search *s, Cursor *c, Value *v)
{
	if (!value(c, v))
		return false;
	s->at += (uint64_t)v->bytes;
	return true;
}

/* take - keep an attribute of an entry if we need it. */
static void
take(Die *k, const Attr *a, const Value *v)
{
	switch (a->at) {
	case HIGHPC: k->high = *v; break;
	case RANGES:
		k->ranges = *v;
		k->indexed = a->form == FRNGLISTX;
		break;
	case ORIGIN:
	case SPECIFICATION: k->origin = v->n; break;
	case FILENO:
		k->head.file = (uint32_t)v->n;
		k->hasfile = true;
		break;
	case CALLFILE: k->call.file = (uint32_t)v->n; break;
	case CALLLINE: k->call.line = (uint32_t)v->n; break;
	case INLINE: k->inlined = v->n & 1; break; /* DW_INL_inlined, DW_INL_declared_inlined */
	case LINE: k->head.line = (uint32_t)v->n; break;
	case COLUMN: k->head.column = (uint32_t)v->n; break;
	default: break;
	}
}

/* entry - read an entry of .debug_info in this format, which begins at this offset; returns
 * false at the end. */
static bool
entry(Search *s, Cursor *c, const Abbrev *a, int depth, uint64_t begin)
{
	Die k = {0};
	Value v;
	int i;

	for (i = 0; i < a->nattr; i++) {
		uint64_t form = a->attr[i].form, n;

		if (form == FCONST)
			take(&k, &a->attr[i], &a->attr[i].always);
		if (form == FPRESENT || form == FCONST)
			continue;
		if (!next(s, c, &v))
			return false;
		s->at += form == FSTRING; /* its NUL */
		if (isblockform(form))
			for (n = v.n; n > 0; n -= (uint64_t)v.bytes < n ? (uint64_t)v.bytes : n)
				if (!next(s, c, &v))
					return false;
		take(&k, &a->attr[i], &v);
	}
	s->outer = agrow(s->u->run, s->outer, (size_t)depth + 1, &s->capouter, sizeof *s->outer);
	s->outer[depth] = depth > 0 && a->tag != SUBPROGRAM ? s->outer[depth - 1] : 0;
	if (a->tag == INLINED)
		copy(s, &k, depth);
	if (a->tag == SUBPROGRAM) {
		intern(&s->offset, (char *)&begin, sizeof begin, s->ndie);
		apush(s->u->run, s->die, s->ndie, s->capdie);
		s->die[s->ndie++] = k;
	}
	return true;
}

/* entries - read all of .debug_info. */
static void
entries(Search *s)
{
	Cursor c = {.u = s->u, .sect = sectnamed(s->u, ".debug_info"), .stmt = -1};
	uint64_t version, begin;
	int i, n, depth = 0;
	Value v;

	if (c.sect == NONE || !next(s, &c, &v) || !next(s, &c, &v))
		return;
	version = v.n;
	for (n = version >= 5 ? 3 : 2, i = 0; i < n; i++)
		if (!next(s, &c, &v))
			return;
	for (begin = s->at; next(s, &c, &v) && v.literal; begin = s->at) {
		if (v.n == 0) {
			if (--depth <= 0)
				return;
			continue;
		}
		for (i = 0; i < s->nabbrev && s->abbrev[i].code != v.n; i++)
			;
		if (i == s->nabbrev || !entry(s, &c, &s->abbrev[i], depth, begin))
			return;
		depth += s->abbrev[i].children;
	}
}

/* findlabels - index the labels, and read the table of range lists, which clang begins with a
 * label of its own. */
static void
findlabels(Search *s)
{
	static const char base[] = ".Lrnglists_table_base";
	Unit *u = s->u;
	size_t cap = 0;
	int i, table = NONE;
	Cursor c = {.u = u};
	Value v;

	indexlabels(u, &s->labels);
	for (i = 0; i < u->nstmt; i++)
		if (u->stmt[i].kind == LABEL && u->stmt[i].len > (int)sizeof base
		    && memcmp(u->stmt[i].s, base, sizeof base - 1) == 0)
			table = i;
	if (table == NONE)
		return;
	c.stmt = table;
	c.sect = u->stmt[table].sect;
	while (value(&c, &v) && !v.literal) {
		apush(u->run, s->rnglist, s->nrnglist, cap);
		s->rnglist[s->nrnglist++] = labelat(&s->labels, v.s, v.s + v.len);
	}
}

/* firstlabel - the label where a function begins: if it has several parts, the first of its
 * list. */
static int
firstlabel(Search *s, const Die *k)
{
	const char *minus = k->high.len ? memchr(k->high.s, '-', (size_t)k->high.len) : NULL;
	int list = NONE;
	Cursor c = {.u = s->u};
	Value v;

	if (minus)
		return labelat(&s->labels, minus + 1, k->high.s + k->high.len);
	if (k->ranges.s && k->indexed && k->ranges.n < (uint64_t)s->nrnglist)
		list = s->rnglist[k->ranges.n];
	else if (k->ranges.s && !k->indexed && !memchr(k->ranges.s, '+', (size_t)k->ranges.len))
		list = labelat(&s->labels, k->ranges.s, k->ranges.s + k->ranges.len);
	if (list == NONE)
		return NONE; /* in DWARF 4 they have no labels */
	c.stmt = list;
	c.sect = s->u->stmt[list].sect;
	if (!value(&c, &v) || !value(&c, &v)) /* its kind, then BEGIN */
		return NONE;
	return labelat(&s->labels, v.s, v.s + v.len);
}

static int
bystmt(const void *a, const void *b)
{
	const Named *x = a, *y = b;

	return x->stmt < y->stmt ? -1 : x->stmt > y->stmt;
}

/* originof - the source function of a function or copy: its number, where it is declared, and
 * whether it was inlined. */
static Copied
originof(Search *s, const Die *d, uint64_t origin)
{
	Copied c = {0};
	bool hasfile = false;
	int k;

	for (k = 0; k < 4; k++) {
		const Entry *e;

		if (!d) {
			e = origin ? lookup(&s->offset, (char *)&origin, sizeof origin) : NULL;
			if (!e)
				break;
			d = &s->die[e->value];
		}
		c.origin = (uint32_t)(d - s->die) + 1;
		c.inlined |= d->inlined;
		if (!c.head.line) {
			c.head.line = d->head.line;
			c.head.column = d->head.column;
		}
		if (!hasfile)
			c.head.file = d->head.file;
		hasfile |= d->hasfile;
		origin = d->origin;
		d = NULL;
	}
	if (!hasfile)
		c.head = (Head){0};
	if (c.head.column > UINT16_MAX)
		c.head.column = 0;
	return c;
}

/* wholeof - the copy of which another is a part: compilers split functions, and inline the parts
 * again.  own is the origin of the function that both are in. */
static uint32_t
wholeof(const Search *s, int inst, uint32_t own)
{
	uint32_t of = s->origin[inst].of;
	int i;

	for (i = s->origin[inst].outer; i; i = s->origin[i].outer)
		if (s->origin[i].of == of)
			return s->origin[i].whole;
	return of == own ? 0 : (uint32_t)inst;
}

/* addcopies - list the copies that were inlined in a function. */
static void
addcopies(Search *s, Named *x, int die, const int *first, const int *next)
{
	size_t cap = 0;
	int i;

	apush(s->u->run, x->copied, x->ncopied, cap);
	x->copied[x->ncopied++] = originof(s, &s->die[die], 0);
	for (i = first[die]; i; i = next[i]) {
		Copied c = originof(s, NULL, s->origin[i].origin);

		c.inst = (uint32_t)i;
		c.outer = (uint32_t)s->origin[i].outer;
		c.call = s->origin[i].call;
		s->origin[i].of = c.origin;
		s->origin[i].whole = c.whole = wholeof(s, i, x->copied->origin);
		apush(s->u->run, x->copied, x->ncopied, cap);
		x->copied[x->ncopied++] = c;
	}
}

/* findnamed - list the functions in the order of the text. */
static Named *
findnamed(Search *s, int *n)
{
	Named *list = anew(s->u->run, Named, s->ndie + 1);
	int *first = anew(s->u->run, int, s->ndie + 1); /* by function: copies in it */
	int *next = anew(s->u->run, int, s->ninst + 1);
	int i;

	for (i = s->ninst; i > 0; i--)
		if (s->origin[i].in >= 0) {
			next[i] = first[s->origin[i].in];
			first[s->origin[i].in] = i;
		}
	for (*n = 0, i = 0; i < s->ndie; i++) {
		Named x = {.stmt = firstlabel(s, &s->die[i])};

		if (x.stmt == NONE)
			continue;
		addcopies(s, &x, i, first, next);
		x.head = x.copied->head;
		list[(*n)++] = x;
	}
	if (*n)
		qsort(list, (size_t)*n, sizeof *list, bystmt);
	return list;
}

const int *
findcopies(Unit *u, Named **named, int *nnamed)
{
	Search s = {.u = u, .labels = {.arena = u->run}, .offset = {.arena = u->run}};

	s.inst = anew(u->run, int, u->nstmt);
	s.depth = anew(u->run, int, u->nstmt);
	*nnamed = 0;
	if (!readabbrevs(&s))
		return s.inst;
	findlabels(&s);
	entries(&s);
	*named = findnamed(&s, nnamed);
	return s.inst;
}
