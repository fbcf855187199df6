/* guess.c - which way will a branch go?
 *
 * Ball and Larus, Branch Prediction for Free, 1993, as far as it can be seen in what a compiler
 * wrote, and one witness that they had not: the compiler itself, which has guessed by more than
 * we can see and lays out the likely way straight on.  What several say multiplies (Wu and
 * Larus 1994). */

#include "asm.h"

#include <string.h>

/* Odds of a way, by what speaks against it; by hand, from branches of bzip2, zlib and lua.  The
 * map has their products: few bits serve. */
#define AHEAD 0.625        /* a branch to further down */
#define NULLTEST 0.375     /* if a pointer is null */
#define NEGATIVE 0.5       /* if a number is negative, or not positive */
#define CALLS 0.75         /* to a block that calls somebody */
#define RETURNS 0.625      /* to one that leaves the function */
#define FAILS (1.0 / 64.0) /* to one that calls somebody who does not return */

/* only - the one block that a block goes on to; NONE. */
static int
only(const Graph *g, int b)
{
	return g->outat[b + 1] - g->outat[b] == 1 ? g->out[g->outat[b]].block : NONE;
}

typedef struct Side Side;

/* One way out of a branch. */
struct Side {
	int block;
	bool own;     /* it is reached from there only */
	bool calls;   /* as long as it goes straight on */
	bool returns; /* likewise */
	bool fails;
};

static Side
side(const Unit *u, const Func *fn, int b)
{
	const Graph *g = fn->g;
	Side s = {.block = b};
	int n, i, k;

	if (b == EXIT)
		s.returns = true;
	for (n = 0; b >= FIRST && fn->first[b] != NONE && n < 4; n++) {
		const Item *last = &u->item[fn->item[fn->last[b]]];

		for (i = fn->first[b]; i <= fn->last[b] && n == 0; i++)
			s.calls |= u->item[fn->item[i]].insn.turn == CALL;
		k = only(g, b);
		s.fails = last->lost || last->insn.turn == STOP
			  || (last->insn.turn == CALL && k == EXIT);
		s.returns = k == EXIT && !s.fails;
		b = k;
	}
	s.own = s.block >= FIRST && g->inat[s.block + 1] - g->inat[s.block] == 1;
	return s;
}

/* istest - whether a statement compares a register with itself, of that size. */
static bool
istest(const Stmt *st, const char *word)
{
	const char *s, *comma;
	size_t n;

	if (!begins(st, word))
		return false;
	s = st->s + strlen(word);
	while (*s == ' ' || *s == '\t')
		s++;
	comma = memchr(s, ',', (size_t)(st->s + st->len - s));
	n = comma ? (size_t)(comma - s) : 0;
	while (comma && ++comma < st->s + st->len && (*comma == ' ' || *comma == '\t'))
		;
	return n && (size_t)(st->s + st->len - comma) == n && memcmp(s, comma, n) == 0;
}

/* opcode - what the comparison says of the branch at the end of block b. */
static void
opcode(const Unit *u, const Func *fn, int b, Edge *taken, Edge *on)
{
	int i = fn->last[b], cc = u->item[fn->item[i]].insn.cc;
	Edge *against = cc & 1 ? on : taken; /* an odd code is the one before it, negated */
	const Stmt *st;
	bool pointer, number;

	while (--i >= fn->first[b] && !(u->item[fn->item[i]].insn.kills & FLAGS))
		;
	if (i < fn->first[b])
		return;
	st = &u->stmt[u->item[fn->item[i]].stmt];
	pointer = istest(st, "testq");
	number = pointer || istest(st, "testl");
	switch (cc & ~1) {
	case 4: against->odds *= pointer ? NULLTEST : 1; break; /* e */
	case 8: against->odds *= NEGATIVE; break;               /* s */
	case 12:                                                /* l */
	case 14: against->odds *= number ? NEGATIVE : 1; break; /* le */
	default: break;
	}
}

/* judge - the two ways out of block b. */
static void
judge(const Unit *u, const Func *fn, int b, Edge *taken, Edge *on)
{
	Side t = side(u, fn, taken->dst), f = side(u, fn, on->dst);

	if (t.block == EXIT || fn->first[t.block] > fn->last[b])
		taken->odds *= AHEAD;
	opcode(u, fn, b, taken, on);
	if (t.fails != f.fails)
		(t.fails ? taken : on)->odds *= FAILS;
	else if (t.returns != f.returns)
		(t.returns ? taken : on)->odds *= RETURNS;
	if ((t.calls && t.own) != (f.calls && f.own))
		(t.calls && t.own ? taken : on)->odds *= CALLS;
}

void
guess(const Unit *u, Func *fn)
{
	Graph *g = fn->g;
	int b, k;

	for (b = FIRST; b < g->nblock; b++) {
		Edge *taken = NULL, *on = NULL;

		if (fn->first[b] == NONE || u->item[fn->item[fn->last[b]]].insn.turn != COND)
			continue;
		for (k = g->outat[b]; k < g->outat[b + 1]; k++)
			if (fn->how[g->out[k].edge] == BRANCH)
				taken = &g->edge[g->out[k].edge];
			else if (fn->how[g->out[k].edge] == FALLS)
				on = &g->edge[g->out[k].edge];
		if (taken && on)
			judge(u, fn, b, taken, on);
	}
}
