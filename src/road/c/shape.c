/* shape.c - how counts of blocks depend on each other, where nothing counts them.
 *
 * Where there are no markers, only the compiler's line table says how often lines ran, and it has
 * lost some of them.  The structure of the source says what follows for the others
 * (lines/reckon.c):
 *
 *	before();
 *	if (x)
 *		one();                  THEN
 *	else
 *		two();                  ELSE:  before = THEN + ELSE
 *
 * So there are few blocks: calls are taken to return, and a block continues after a statement
 * unless something in the statement leaves it.  Where a block cannot continue, a new one begins,
 * with an equation between it and the others: a piece whose terms add up to 0.
 *
 * Control may come to a label from anywhere: a loop or switch that contains a label, other than
 * those of the switch itself, has no equation for the block after it. */

#include "walk.h"

/* equation - the terms from `first' on add up to 0. */
static void
equation(Walk *w, int first)
{
	addpiece(w, NONE, first, 0);
}

void
leaves(Walk *w, const Node *n)
{
	Source *s = w->s;

	if (w->extent != SHAPE || w->now == NONE)
		return;
	apush(s->run, w->leave, w->nleave, w->capleave);
	w->leave[w->nleave++] = (Leave){w->now, n->op == CONTINUE};
}

void
splits(Walk *w, int block, int one, int other)
{
	int first = w->s->nterm;

	if (w->extent != SHAPE)
		return;
	addterm(w, block, 1);
	addterm(w, one, -1);
	addterm(w, other, -1);
	equation(w, first);
}

void
arm(Walk *w, Arms *arms, int from)
{
	arms->all &= w->now == from;
	if (w->extent == SHAPE && w->now != NONE)
		push(w, &arms->end, w->now);
}

void
meets(Walk *w, const Node *n, const Arms *arms, int before, int block, int then)
{
	int i, b, first = w->s->nterm;

	if (arms->all) {
		enter(w, before);
		return;
	}
	if (n->otherwise == NONE) {
		addterm(w, block, 1);
		addterm(w, then, -1);
	}
	for (i = 0; i < arms->end.n; i++)
		addterm(w, arms->end.block[i], 1);
	if (w->s->nterm == first) {
		nowhere(w);
		return;
	}
	b = newblock(w, AFTER, n->last + 1);
	addterm(w, b, -1);
	equation(w, first);
	enter(w, b);
}

/* after - the block after a loop or switch: the block before it, less what leaves it. */
static int
after(Walk *w, const Node *n, int before, int nleave, int nlabel)
{
	int i, b = before, first = w->s->nterm;

	if (w->nleave > nleave || w->nlabel > nlabel)
		b = newblock(w, AFTER, n->last + 1);
	if (w->nleave > nleave && w->nlabel == nlabel) {
		addterm(w, before, 1);
		addterm(w, b, -1);
		for (i = nleave; i < w->nleave; i++)
			addterm(w, w->leave[i].block, -1);
		equation(w, first);
	}
	enter(w, b);
	return b;
}

/* keep - continues of a loop stay within it, so they do not leave it. */
static void
keep(Walk *w, int nleave)
{
	int i, n = nleave;

	for (i = nleave; i < w->nleave; i++)
		if (!w->leave[i].on)
			w->leave[n++] = w->leave[i];
	w->nleave = n;
}

int
afterloop(Walk *w, const Node *n, int before, int nleave, int nlabel, const Blocks *breaks)
{
	int i, b, first;

	keep(w, nleave);
	if (!n->endless)
		return after(w, n, before, nleave, nlabel);
	if (!breaks->n) {
		nowhere(w);
		return NONE;
	}
	b = after(w, n, before, nleave, nlabel);
	first = w->s->nterm;
	addterm(w, b, -1);
	for (i = 0; i < breaks->n; i++)
		addterm(w, breaks->block[i], 1);
	equation(w, first);
	return b;
}

void
afterswitch(Walk *w, const Node *n, int before, int nleave, int nlabel, const Labels *l)
{
	int i, first = w->s->nterm;

	w->nlabel -= l->n;
	if (l->all) {
		addterm(w, before, -1);
		for (i = 0; i < l->to.n; i++)
			addterm(w, l->to.block[i], 1);
		for (i = 0; i < l->above.n; i++)
			addterm(w, l->above.block[i], -1);
		equation(w, first);
	}
	after(w, n, before, nleave, nlabel);
}

void
labels(Walk *w, const Node *n, int block)
{
	Labels *l = n->op == CASE ? w->labels : NULL;

	w->nlabel++;
	if (!l || w->extent != SHAPE)
		return;
	l->n++;
	l->all |= n->rest;
	push(w, &l->to, block);
	if (w->now != NONE)
		push(w, &l->above, w->now);
}
