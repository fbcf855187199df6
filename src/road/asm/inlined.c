/* inlined.c - which rows of the line table are in inlined copies of functions.
 *
 * The compiler says it in the debugging information, which is text here: .debug_abbrev
 * gives the form of each entry of .debug_info, an entry for an inlined subroutine names
 * the labels between which it lies, or a list of such in .debug_rnglists.  Where the text is
 * not as expected, we stop looking: then there are fewer copies, and rows of several
 * are taken for one. */

#include "asm.h"

#include <stdlib.h>
#include <string.h>

enum { INLINED = 0x1d };                             /* DW_TAG_ */
enum { LOWPC = 0x11, HIGHPC = 0x12, RANGES = 0x55 }; /* DW_AT_ */
enum {                                               /* DW_FORM_ */
       FBLOCK2 = 0x03,
       FBLOCK4 = 0x04,
       FBLOCK = 0x09,
       FBLOCK1 = 0x0a,
       FEXPRLOC = 0x18,
       FPRESENT = 0x19,
       FCONST = 0x21,
       FRNGLISTX = 0x23
};

typedef struct Attr Attr;
typedef struct Abbrev Abbrev;
typedef struct Search Search;

struct Attr {
	uint64_t at, form;
};

struct Abbrev {
	uint64_t code, tag;
	bool children;
	Attr *attr;
	int nattr;
};

struct Search {
	Unit *u;
	Abbrev *abbrev;
	int nabbrev;
	Table labels; /* names to statements */
	int *rnglist; /* by index of DW_FORM_rnglistx: a label */
	int nrnglist;
	int *depth; /* by statement: of the copy it is in */
	int *inst;  /* by statement: that copy, from 1 */
	int ninst;
};

/* readabbrevs - the table of forms; false if it is not one. */
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
			a->attr[a->nattr++] = (Attr){v.n, w.n};
			if (w.n == FCONST && !value(&c, &v))
				return false;
		}
	}
	return s->nabbrev > 0;
}

/* cover - the copy at work on lies from one label to another. */
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

/* coverlist - all ranges of a list. */
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
		if (kind.n != 1 && kind.n != 5) /* not a base address: END-BEGIN, or the like */
			cover(s, labelat(&s->labels, a.s, a.s + a.len),
			      labelat(&s->labels, b.s, b.s + b.len), depth);
	}
}

/* copy - an entry of an inlined subroutine: high is END-BEGIN, ranges a label or an
 * index. */
static void
copy(Search *s, const Value *high, const Value *ranges, bool indexed, int depth)
{
	const char *minus = high->len ? memchr(high->s, '-', (size_t)high->len) : NULL;

	s->ninst++;
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

/* entry - one of .debug_info, whose form is known; false at the end. */
static bool
entry(Search *s, Cursor *c, const Abbrev *a, int depth)
{
	Value v, high = {0}, ranges = {0};
	bool indexed = false;
	int i;

	for (i = 0; i < a->nattr; i++) {
		uint64_t form = a->attr[i].form, n;

		if (form == FPRESENT || form == FCONST)
			continue;
		if (!value(c, &v))
			return false;
		if (isblockform(form))
			for (n = v.n; n > 0; n -= (uint64_t)v.bytes < n ? (uint64_t)v.bytes : n)
				if (!value(c, &v))
					return false;
		if (a->attr[i].at == HIGHPC)
			high = v;
		if (a->attr[i].at == RANGES) {
			ranges = v;
			indexed = form == FRNGLISTX;
		}
	}
	if (a->tag == INLINED)
		copy(s, &high, &ranges, indexed, depth);
	return true;
}

/* entries - all of .debug_info, behind its header. */
static void
entries(Search *s)
{
	Cursor c = {.u = s->u, .sect = sectnamed(s->u, ".debug_info"), .stmt = -1};
	uint64_t version;
	int i, n, depth = 0;
	Value v;

	if (c.sect == NONE || !value(&c, &v) || !value(&c, &v))
		return;
	version = v.n;
	for (n = version >= 5 ? 3 : 2, i = 0; i < n; i++)
		if (!value(&c, &v))
			return;
	while (value(&c, &v) && v.literal) {
		if (v.n == 0) {
			if (--depth <= 0)
				return;
			continue;
		}
		for (i = 0; i < s->nabbrev && s->abbrev[i].code != v.n; i++)
			;
		if (i == s->nabbrev || !entry(s, &c, &s->abbrev[i], depth))
			return;
		depth += s->abbrev[i].children;
	}
}

/* findlabels - by name; and the table that indices of lists go by, which clang begins
 * with a label of its own. */
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

const int *
findcopies(Unit *u)
{
	Search s = {.u = u, .labels = {.arena = u->run}};

	s.inst = anew(u->run, int, u->nstmt);
	s.depth = anew(u->run, int, u->nstmt);
	if (!readabbrevs(&s))
		return s.inst;
	findlabels(&s);
	entries(&s);
	return s.inst;
}
