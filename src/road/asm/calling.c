/* calling.c - what the analysis of live registers must know about calls, exits and callers.
 *
 * body/live.c works on decoded instructions and knows no names.  Names tell which calls follow
 * the calling convention, and which functions are called from within the file, by code that may
 * know which registers they leave alone.  This file translates that into Ops. */

#include "asm.h"

#include <string.h>

/* mentions - whether a statement contains this text. */
static bool
mentions(const Stmt *st, const char *word)
{
	return memmem(st->s, (size_t)st->len, word, strlen(word)) != NULL;
}

/* leaves - the registers that the target of a call, or of a jump out of the function, may need.
 * Calls in the user's asm statements, and calls that the compiler does not know of (mcount and
 * the like), may need any. */
static Regs
leaves(const Unit *u, const Item *it)
{
	const Stmt *st = &u->stmt[it->stmt];

	if (u->byhand || it->away)
		return ALLREGS;
	if (st->user || mentions(st, "thunk") || mentions(st, "mcount") || mentions(st, "fentry")
	    || mentions(st, "morestack") || mentions(st, "tlscall") || mentions(st, "TLSCALL"))
		return ALLREGS & ~FLAGS;
	return ARGUMENTS;
}

/* named - the operand of a direct call or jump; returns its length. */
static int
named(const Stmt *st, const char **name)
{
	const char *s = st->s, *end = s + st->len;

	word(&s, end, name);
	return word(&s, end, name);
}

/* indexfuncs - map each name in the file to the function it is in, counted from 1; 0 for
 * anything else.  A function that has an alias (.set) is taken to be called. */
static void
indexfuncs(const Unit *u, Table *names, bool *called)
{
	const char *name;
	int i, n;

	for (i = 0; i < u->nstmt; i++) {
		const Stmt *st = &u->stmt[i];

		if (st->kind == LABEL && (n = labelname(st, &name)) > 0)
			intern(names, name, (size_t)n,
			       st->item == NONE ? 0 : u->item[st->item].func + 1);
	}
	for (i = 0; i < u->nstmt; i++)
		if (begins(&u->stmt[i], ".set")) {
			const char *s = u->stmt[i].s, *end = s + u->stmt[i].len;
			const Entry *e;

			word(&s, end, &name); /* the directive */
			if ((n = word(&s, end, &name)) > 0)
				intern(names, name, (size_t)n, 0);
			n = word(&s, end, &name);
			e = lookup(names, name, (size_t)n);
			if (e && e->value)
				called[e->value - 1] = true;
		}
}

/* findcalled - by function, whether code of the file calls it by name, or another function jumps
 * to it. */
static void
findcalled(const Unit *u, Table *names, bool *called)
{
	int i;

	indexfuncs(u, names, called);
	for (i = 0; i < u->nitem; i++) {
		const Item *it = &u->item[i];
		const Entry *e;
		const char *s;
		int n;

		if (!it->insn.direct)
			continue;
		n = named(&u->stmt[it->stmt], &s);
		e = lookup(names, s, (size_t)n);
		if (e && e->value && (it->insn.turn == CALL || e->value - 1 != it->func))
			called[e->value - 1] = true;
	}
}

/* isopen - whether an item is a call whose callee the compiler does not know. */
static bool
isopen(const Unit *u, Table *names, const Item *it)
{
	const char *s;
	int n = named(&u->stmt[it->stmt], &s);

	return it->insn.turn == CALL && it->ninsn == 1
	       && (!it->insn.direct || !lookup(names, s, (size_t)n));
}

/* makeops - describe the items of a function as Ops. */
static void
makeops(Unit *u, Table *names, Func *fn)
{
	Body *bd = &fn->body;
	int i;

	bd->byhand = u->byhand;
	bd->nop = fn->nitem;
	bd->op = anew(u->run, Op, bd->nop);
	for (i = 0; i < fn->nitem; i++) {
		const Item *it = itemat(u, fn, i);

		bd->op[i] = (Op){.in = &it->insn,
				 .ninsn = it->ninsn,
				 .odd = it->odd,
				 .lost = it->lost,
				 .open = isopen(u, names, it),
				 .leaves = leaves(u, it)};
	}
}

/* iskept - whether no register is free in a function: it is hand-written, or it can be entered
 * in the middle by unknown code. */
static bool
iskept(const Unit *u, const Func *fn)
{
	const Graph *g = fn->body.g;

	return u->byhand || g->outat[ENTRY + 1] - g->outat[ENTRY] > 1
	       || u->stmt[itemat(u, fn, fn->body.first[FIRST])->stmt].user;
}

void
liveness(Unit *u)
{
	Arena tmp = {0};
	bool *called = anew(&tmp, bool, u->nfunc);
	Table names = {.arena = &tmp};
	Regs kept = 0; /* global register variables, seen as r10 or r11 live at an entry */
	int f;

	findcalled(u, &names, called);
	for (f = 0; f < u->nfunc; f++) {
		Func *fn = &u->func[f];

		if (!fn->body.g)
			continue;
		makeops(u, &names, fn);
		findlive(&fn->body, u->run);
		if (!iskept(u, fn))
			fn->body.scratch = scratchregs(&fn->body, called[f]);
		kept |= fn->body.live[FIRST] & (R10 | R11);
	}
	for (f = 0; f < u->nfunc; f++)
		u->func[f].body.scratch &= ~kept;
	areset(&tmp);
}
