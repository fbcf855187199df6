/* copies.c - copies of functions that the compiler has dropped.
 *
 * A compiler copies a function to where it is called, and then drops from each copy what it can:
 * rows of the line table, or all of it.  Copies of a line add up, so a missing copy makes the sum
 * too small.  If a copy has no row of a line, it is unknown how often the line ran there: never, if
 * no path in the copy leads to it, or as often as the lines around it.
 *
 * So a line is unsure if a copy of its function ran and has none of its rows, or if a copy has no
 * rows at all and the line where it is called may have run.  Control that enters a copy past its
 * begin is another reason: see broken.c. */

#include "spots.h"

#include <stdlib.h>
#include <string.h>

/* numberof - the number of a copy's origin: by where it is declared, or by its number in its unit
 * if `alone'. */
static int
numberof(Copies *c, const Inlined *x, bool alone)
{
	struct {
		const void *in;
		uint64_t unit;
		uint32_t line, column;
	} key;
	Entry *e;

	memset(&key, 0, sizeof key);
	if (!x->head.line && !x->number) { /* of an unknown function */
		key.in = x;
	} else if (alone || !x->head.line) {
		key.in = x->in;
		key.unit = x->unit;
		key.line = x->number;
	} else {
		key.in = x->headfile;
		key.line = x->head.line;
		key.column = x->head.column;
	}
	e = intern(&c->origins, (char *)&key, sizeof key, c->norigin);
	if (e->value == c->norigin) {
		apush(c->run, c->origin, c->norigin, c->caporigin);
		c->origin[c->norigin++] = (Origin){.line = -1};
	}
	return e->value;
}

void
notecopies(Copies *c, const Module *m, const Fn *fn, int number)
{
	int i;

	for (i = 0; i < fn->ncopied; i++) {
		const Copied *x = &fn->copied[i];
		const Head *call = &x->call;
		bool known = x->head.line && x->head.file < (uint32_t)fn->nfile;
		const char *file = known ? fn->file[x->head.file] : "";

		apush(c->run, c->copy, c->n, c->cap);
		c->copy[c->n++] = (Inlined){
			.fn = number,
			.inst = x->inst,
			.whole = x->whole,
			.line = -1,
			.part = !x->inst && strstr(fn->name, ".part."),
			.in = m,
			.unit = fn->unit,
			.number = x->origin,
			.headfile = intern(&c->files, file, strlen(file), 0)->key,
			.head = known ? x->head : (Head){0},
			.callfile = call->file < (uint32_t)fn->nfile && call->line
					    ? fn->file[call->file]
					    : NULL,
			.callline = call->line,
			.ran = fn->flow->count[ENTRY] > 0,
		};
	}
}

/* findorigins - finds what each copy is a copy of.  Functions of a header, which several units may
 * have, are the same if they are declared at the same position.  If a unit has several that are
 * declared at one position, made by macros or templates, each is a function of its own. */
static void
findorigins(Copies *c)
{
	struct {
		const void *in;
		uint64_t unit;
		int origin;
	} key;
	Table seen = {.arena = c->run};
	bool *several = anew(c->run, bool, c->n + 1);
	int i;

	memset(&key, 0, sizeof key);
	for (i = 0; i < c->n; i++) {
		Inlined *x = &c->copy[i];
		Entry *e;

		key.in = x->in;
		key.unit = x->unit;
		key.origin = x->origin = numberof(c, x, false);
		e = intern(&seen, (char *)&key, sizeof key, (int)x->number);
		several[x->origin] |= e->value != (int)x->number;
	}
	for (i = 0; i < c->n; i++)
		if (several[c->copy[i].origin])
			c->copy[i].origin = numberof(c, &c->copy[i], true);
}

static int
bycopy(const void *a, const void *b)
{
	const Inlined *x = a, *y = b;

	if (x->fn != y->fn)
		return x->fn < y->fn ? -1 : 1;
	return x->inst < y->inst ? -1 : x->inst > y->inst;
}

/* copyat - the copy that rows with that inst belong to, as a whole, not a part of it; NULL if there
 * is none. */
static Inlined *
copyat(const Copies *c, int fn, uint32_t inst)
{
	Inlined key = {.fn = fn, .inst = inst}, *x = NULL;

	if (c->n)
		x = bsearch(&key, c->copy, (size_t)c->n, sizeof *c->copy, bycopy);
	if (!x || x->whole == inst)
		return x;
	key.inst = x->whole;
	return bsearch(&key, c->copy, (size_t)c->n, sizeof *c->copy, bycopy);
}

/* noterow - a copy has a row, and the row ran or not. */
static void
noterow(Copies *c, int fn, uint32_t inst, bool ran)
{
	Inlined *x = copyat(c, fn, inst);

	if (!x || x->inst == 0)
		return;
	x->ran = (x->rows && x->ran) || ran;
	x->rows = true;
}

/* sumcopies - counts the copies of each function that ran. */
static void
sumcopies(Copies *c)
{
	int i;

	findorigins(c);
	for (i = 0; i < c->n; i++)
		c->origin[c->copy[i].origin].ran +=
			c->copy[i].ran && !c->copy[i].part && c->copy[i].whole == c->copy[i].inst;
}

/* onaline - a copy has rows of a line. */
static void
onaline(Copies *c, int line, int fn, uint32_t inst)
{
	Inlined *x = copyat(c, fn, inst);
	Origin *o = x ? &c->origin[x->origin] : NULL;

	if (!o || x->line == line)
		return;
	if (o->line != line) {
		o->line = line;
		o->there = 0;
	}
	x->line = line;
	if (x->part)
		o->there = o->ran;
	else
		o->there += x->ran;
}

/* ismissed - returns whether a line with rows in a copy has none in another copy that may have
 * run. */
static bool
ismissed(const Copies *c, int line, int fn, uint32_t inst)
{
	const Inlined *x = copyat(c, fn, inst);

	return x && c->origin[x->origin].line == line
	       && c->origin[x->origin].there < c->origin[x->origin].ran;
}

bool
sameorigin(const Copies *c, int fn, uint32_t inst, int other, uint32_t otherinst)
{
	const Inlined *x = copyat(c, fn, inst), *y = copyat(c, other, otherinst);

	return x && y && x->origin == y->origin;
}

/* mayrun - returns whether a copy without rows may have run: not if the line where it is called has
 * rows in its function, and none of them ran. */
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

void
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

void
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
