/* calling.c - what a function's body is to know of the text: what calls need, and who knows which registers
 * a function changes.  Names tell that, which a body has not. */

#include "asm.h"

#include <string.h>

/* mentions - whether a statement has a word in it. */
static bool
mentions(const Stmt *st, const char *word)
{
	return memmem(st->s, (size_t)st->len, word, strlen(word)) != NULL;
}

/* leaves - what the target of a call, or of a jump out of the function, needs.  Nothing is known
 * of people's own calls, and of those of which the compiler does not know. */
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

/* named - what a direct call or jump names; its length. */
static int
named(const Stmt *st, const char **name)
{
	const char *s = st->s, *end = s + st->len;

	word(&s, end, name);
	return word(&s, end, name);
}

/* indexfuncs - by names of the file, the functions that they are in, from 1; 0 for other things.
 * Where a name is made another's, nobody looks for that one: it is called. */
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

/* findcalled - by function, whether its own file calls it by name, or jumps there from another. */
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

/* isopen - whether an item calls somebody of whom the compiler knows nothing. */
static bool
isopen(const Unit *u, Table *names, const Item *it)
{
	const char *s;
	int n = named(&u->stmt[it->stmt], &s);

	return it->insn.turn == CALL && it->ninsn == 1
	       && (!it->insn.direct || !lookup(names, s, (size_t)n));
}

/* makeops - the items of a function, as its body has them. */
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

/* iskept - whether nothing is free in a function: people wrote it, or who comes to its middle may be
 * anybody. */
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
	Regs kept = 0; /* of registers that are no arguments: variables of the whole program */
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
