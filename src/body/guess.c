/* guess.c - which way will a branch go?
 *
 * Ball and Larus, Branch Prediction for Free, 1993, as far as their heuristics can be seen in
 * compiled code; and one hint that they did not use: the compiler's own layout.  It has guessed
 * from more than we can see, and puts the likely way where control falls through.  When several
 * heuristics apply, their odds multiply (Wu and Larus 1994). */

#include "body.h"

/* The odds of a way against the other one, if something speaks against it.  Chosen by hand from
 * branches of bzip2, zlib and lua.  The map stores products of these: they need few bits. */
#define AHEAD 0.625        /* forward, or out of the function */
#define NULLTEST 0.375     /* the way taken if a pointer is null */
#define NEGATIVE 0.5       /* the way taken if a number is negative, or not positive */
#define CALLS 0.75         /* to a block with a call */
#define RETURNS 0.625      /* to one that leaves the function */
#define FAILS (1.0 / 64.0) /* to one whose call does not return */

/* only - the single successor of a block; NONE if it has none or several. */
static int
only(const Graph *g, int b)
{
	return g->outat[b + 1] - g->outat[b] == 1 ? g->out[g->outat[b]].block : NONE;
}

typedef struct Side Side;

/* One way out of a branch. */
struct Side {
	int block;
	bool own;     /* nothing else leads to the block */
	bool calls;   /* the block calls a function */
	bool returns; /* followed while there is one way on, it leaves the function */
	bool fails;
};

static Side
side(const Body *bd, int b)
{
	const Graph *g = bd->g;
	Side s = {.block = b};
	int n, i, k;

	if (b == EXIT)
		s.returns = true;
	for (n = 0; b >= FIRST && bd->first[b] != NONE && n < 4; n++) {
		const Op *last = &bd->op[bd->last[b]];

		for (i = bd->first[b]; i <= bd->last[b] && n == 0; i++)
			s.calls |= bd->op[i].in->turn == CALL;
		k = only(g, b);
		s.fails = last->lost || last->in->turn == STOP
			  || (last->in->turn == CALL && k == EXIT);
		s.returns = k == EXIT && !s.fails;
		b = k;
	}
	s.own = s.block >= FIRST && g->inat[s.block + 1] - g->inat[s.block] == 1;
	return s;
}

/* opcode - apply what the comparison before the branch at the end of block b tells. */
static void
opcode(const Body *bd, int b, Edge *taken, Edge *on)
{
	int i = bd->last[b], cc = bd->op[i].in->cc;
	Edge *against = cc & 1 ? on : taken; /* an odd condition code negates the one before it */
	bool pointer, number;

	while (--i >= bd->first[b] && !(bd->op[i].in->kills & FLAGS))
		;
	if (i < bd->first[b])
		return;
	pointer = bd->op[i].in->tests == 8;
	number = pointer || bd->op[i].in->tests == 4;
	switch (cc & ~1) {
	case 4: against->odds *= pointer ? NULLTEST : 1; break; /* e */
	case 8: against->odds *= NEGATIVE; break;               /* s */
	case 12:                                                /* l */
	case 14: against->odds *= number ? NEGATIVE : 1; break; /* le */
	default: break;
	}
}

/* judge - set the odds of the two ways out of block b. */
static void
judge(const Body *bd, int b, Edge *taken, Edge *on)
{
	Side t = side(bd, taken->dst), f = side(bd, on->dst);

	if (t.block == EXIT || bd->first[t.block] > bd->last[b])
		taken->odds *= AHEAD;
	opcode(bd, b, taken, on);
	if (t.fails != f.fails)
		(t.fails ? taken : on)->odds *= FAILS;
	else if (t.returns != f.returns)
		(t.returns ? taken : on)->odds *= RETURNS;
	if ((t.calls && t.own) != (f.calls && f.own))
		(t.calls && t.own ? taken : on)->odds *= CALLS;
}

void
guess(Body *bd)
{
	Graph *g = bd->g;
	int b, k;

	for (b = FIRST; b < g->nblock; b++) {
		Edge *taken = NULL, *on = NULL;

		if (bd->first[b] == NONE || bd->op[bd->last[b]].in->turn != COND)
			continue;
		for (k = g->outat[b]; k < g->outat[b + 1]; k++)
			if (bd->how[g->out[k].edge] == BRANCH)
				taken = &g->edge[g->out[k].edge];
			else if (bd->how[g->out[k].edge] == FALLS)
				on = &g->edge[g->out[k].edge];
		if (taken && on)
			judge(bd, b, taken, on);
	}
}
