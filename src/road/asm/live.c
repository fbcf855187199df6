/* live.c - which flags and registers hold something that is still needed.
 *
 * Compilers keep to the ABI, and where they do not, the text must show it.  Who calls a function
 * of the same file may know which registers of everybody's it leaves alone, and count on that
 * (gcc's -fipa-ra): then only those that it writes itself are free in it, unless it calls
 * somebody else who may change them all.  A call is taken to keep all of them, so that whatever
 * is needed behind it is needed before it, too, and to need all that can carry arguments. */

#include "asm.h"

#include <string.h>

enum {
	ARGUMENTS =
		DI | SI | DX | CX | R8 | R9 | AX | R10, /* AX: how many vectors; R10: the chain */
	RESULTS = AX | DX | CX | R8,                    /* the last two are LLVM's */
	EVERYBODYS = DI | SI | DX | CX | R8 | R9 | AX | R10 | R11,
	WINDOWS = EVERYBODYS & ~(DI | SI), /* of them, those that are so there, too */
};

/* mentions - whether a statement has a word in it. */
static bool
mentions(const Stmt *st, const char *word)
{
	return memmem(st->s, (size_t)st->len, word, strlen(word)) != NULL;
}

/* leaves - what the target of a call, or of a jump out of the function, needs.  Nothing is known
 * of people's own calls, and of those that are made behind the compiler's back. */
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

/* isexit - whether one of the ways out of a block is out of the function. */
static bool
isexit(const Graph *g, int b)
{
	int k;

	for (k = g->outat[b]; k < g->outat[b + 1]; k++)
		if (g->out[k].block == EXIT)
			return true;
	return false;
}

/* over - what is live before an item, given what is behind it. */
static Regs
over(const Unit *u, const Func *fn, const Item *it, Regs live)
{
	if (it->ninsn == 0) /* the begin of one, or nothing */
		return live | (it->insn.reads & ~FLAGS);
	if (it->odd)
		return ALLREGS;
	live = (live & ~it->insn.kills) | it->insn.reads;
	switch (it->insn.turn) {
	case CALL: return (live & ~FLAGS) | leaves(u, it);
	case RETURN: return (live & ~FLAGS) | (it->lost || u->byhand ? leaves(u, it) : RESULTS);
	case COND:
	case JUMP:
	case INDIR: return isexit(fn->g, it->block) ? live | leaves(u, it) : live;
	default: return live;
	}
}

/* behind - what is live behind the last item of a block.  Code that runs into another function
 * may leave it anything. */
static Regs
behind(const Unit *u, const Func *fn, int b)
{
	const Graph *g = fn->g;
	Regs live = 0;
	int k;

	for (k = g->outat[b]; k < g->outat[b + 1]; k++)
		if (g->out[k].block != EXIT)
			live |= fn->live[g->out[k].block];
		else if (b == fn->hub)
			live |= ARGUMENTS; /* some of the jumps may be tail calls */
		else if (fn->how[g->out[k].edge] == FALLS)
			live |= ALLREGS & ~FLAGS;
	if (u->byhand && (b == fn->hub || isexit(g, b)))
		live = ALLREGS;
	return live;
}

Regs
livebefore(const Unit *u, const Func *fn, int b, int i)
{
	Regs live = behind(u, fn, b);
	int k;

	for (k = fn->last[b]; k != NONE && k >= i; k--)
		live = over(u, fn, &u->item[fn->item[k]], live);
	return live;
}

Regs
liveon(const Unit *u, const Func *fn, int e)
{
	const Edge *ed = &fn->g->edge[e];

	if (ed->dst != EXIT)
		return fn->live[ed->dst];
	if (fn->how[e] == FALLS)
		return u->byhand ? ALLREGS : ALLREGS & ~FLAGS;
	return leaves(u, &u->item[fn->item[fn->last[ed->src]]]);
}

/* flow - backwards until nothing changes. */
static void
flow(const Unit *u, Func *fn)
{
	const Graph *g = fn->g;
	bool changed = true;
	int b;

	fn->live = anew(u->run, Regs, g->nblock);
	while (changed) {
		changed = false;
		for (b = g->nblock - 1; b >= FIRST; b--) {
			Regs live = livebefore(u, fn, b, fn->first[b] == NONE ? 0 : fn->first[b]);

			changed |= (live & ~fn->live[b]) != 0;
			fn->live[b] |= live;
		}
	}
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

	return it->insn.turn == CALL && it->ninsn == 1 && leaves(u, it) == ARGUMENTS
	       && (!it->insn.direct || !lookup(names, s, (size_t)n));
}

/* scratch - registers that a function may change: those that it writes and does not save.  Others
 * only if no caller can know better, and the function shows by one that it keeps to the ABI:
 * some functions save all, others all but results and r11. */
static Regs
scratch(const Unit *u, Table *names, const Func *fn, bool called)
{
	Regs written = 0, pushed = 0, popped = 0, own;
	bool open = !called;
	int i;

	for (i = 0; i < fn->nitem; i++) {
		const Item *it = &u->item[fn->item[i]];
		const Stmt *st = &u->stmt[it->stmt];

		if (it->block == NONE)
			continue;
		if (it->odd || (i == fn->first[FIRST] && st->user))
			return 0;
		written |= it->insn.writes;
		open |= isopen(u, names, it);
		if (begins(st, "push") || begins(st, "pushq"))
			pushed |= it->insn.reads;
		if (begins(st, "pop") || begins(st, "popq"))
			popped |= it->insn.writes;
	}
	own = written & EVERYBODYS & ~(pushed & popped);
	if (open && (own & (CX | R8 | R9 | R10)))
		own |= WINDOWS & ~(pushed & popped);
	return own;
}

void
findlive(Unit *u)
{
	Arena tmp = {0};
	bool *called = anew(&tmp, bool, u->nfunc);
	Table names = {.arena = &tmp};
	Regs kept = 0; /* of registers that are no arguments: variables of the whole program */
	int f;

	findcalled(u, &names, called);
	for (f = 0; f < u->nfunc; f++) {
		Func *fn = &u->func[f];

		if (!fn->g)
			continue;
		flow(u, fn);
		fn->scratch = u->byhand || fn->g->outat[ENTRY + 1] - fn->g->outat[ENTRY] > 1
				      ? 0 /* who comes to the middle may be anybody */
				      : scratch(u, &names, fn, called[f]);
		kept |= fn->live[FIRST] & (R10 | R11);
	}
	for (f = 0; f < u->nfunc; f++)
		u->func[f].scratch &= ~kept;
	areset(&tmp);
}
