/* pieces.c - how often pieces of lines were executed and branches taken: sums of counts of blocks.
 *
 * A line that is one statement ran as often as its block.  If an expression spans several lines,
 * some may be in operands that are not always evaluated.  So each token is painted with its owner,
 * the block that tells how often it was evaluated, and where the owner changes on a line another
 * piece begins.
 *
 * The condition of a loop has no block of its own: it would be the hottest of all.  It was true as
 * often as the body was entered, and false as often as the block after the loop was entered other
 * than by a break:
 *
 *	evaluated = BODY + AFTER - breaks */

#include "walk.h"

#include <limits.h>

/* addterm - to the piece that is being made; nothing if the block is NONE. */
void
addterm(Walk *w, int block, int sign)
{
	Source *s = w->s;

	if (block == NONE)
		return;
	apush(s->run, s->term, s->nterm, s->capterm);
	s->term[s->nterm++] = (Term){block, sign};
}

/* addpiece - with the terms from `first' on. */
void
addpiece(Walk *w, int token, int first, int ntaken)
{
	Source *s = w->s;

	if (w->extent == ZPROFBLOCKS)
		return;
	apush(s->run, s->piece, s->npiece, s->cappiece);
	s->piece[s->npiece++] = (Piece){token, first, s->nterm - first, ntaken};
}

/* piece - a piece that was executed as often as a block. */
void
piece(Walk *w, int token, int block)
{
	int first = w->s->nterm;

	addterm(w, block, 1);
	addpiece(w, token, first, 0);
}

/* Owners that are not blocks: evaluated with the whole; it is unknown how often; counted
 * elsewhere. */
enum { ALWAYS = -1, MAYBE = -2, ELSEWHERE = -3 };

/* paint - say who owns the tokens from..to; owner[0] is that of the token base. */
static void
paint(int *owner, int base, int n, int from, int to, int who)
{
	int i;

	for (i = from - base; i <= to - base; i++)
		if (i >= 0 && i < n)
			owner[i] = who;
}

bool
sameline(const Source *s, int token, int other)
{
	return s->token[token].line == s->token[other].line;
}

/* beginsline - whether a token that `means' something is the first such on its line. */
static bool
beginsline(const Source *s, int token)
{
	int i;

	for (i = token; sameline(s, i, i - 1); i--)
		if (s->token[i - 1].means)
			return false;
	return s->token[token].means;
}

/* paintoperator - an operator belongs to the operand after it; at the end of a line to neither. */
static void
paintoperator(const Source *s, int *owner, int base, int n, int token, int who)
{
	if (!beginsline(s, token) && !sameline(s, token, token + 1))
		who = MAYBE;
	paint(owner, base, n, token, token, who);
}

/* paintoperands - the operands of a node, and their operators. */
static void
paintoperands(const Source *s, int *owner, int base, int n, const Node *e, int right, int third)
{
	paintoperator(s, owner, base, n, e->left.last + 1, right);
	paint(owner, base, n, e->right.first, e->right.last, right);
	if (e->op != CHOICE)
		return;
	paintoperator(s, owner, base, n, e->right.last + 1, third);
	paint(owner, base, n, e->third.first, e->third.last, third);
}

/* either - a piece that was executed as often as two blocks together. */
void
either(Walk *w, int token, int block, int other)
{
	int first = w->s->nterm;

	addterm(w, block, 1);
	addterm(w, other, 1);
	addpiece(w, token, first, 0);
}

/* lines - the pieces of the lines between two tokens.  Operands that are not always evaluated have
 * pieces of their own; the others were executed as often as the terms say. */
void
lines(Walk *w, int from, int to, const List *inside, const int *operand, int term, int nterm)
{
	Source *s = w->s;
	int n = to - from + 1, i, k, *owner, last = ALWAYS; /* owner of the last piece there */
	const Node *e;

	if (w->extent == ZPROFBLOCKS || n <= 0)
		return;
	s->piece = agrow(s->run, s->piece, (size_t)s->npiece + 1, &s->cappiece, sizeof *s->piece);
	s->piece[s->npiece++] = (Piece){from, term, nterm, 0};
	if (sameline(s, from, to))
		return;
	owner = anew(s->run, int, n);
	for (i = 0; i < n; i++)
		owner[i] = ALWAYS;
	for (e = inside->first, k = 0; e; e = e->next, k += 2) {
		if (e->op == VALUE)
			paint(owner, from, n, e->first, e->last, ELSEWHERE);
		else
			paintoperands(s, owner, from, n, e, operand[k] == NONE ? MAYBE : operand[k],
				      operand[k + 1] == NONE ? MAYBE : operand[k + 1]);
		if (e->op == CHOICE && operand[k] != NONE && e->first >= from && e->last <= to
		    && sameline(s, e->right.last, e->third.first)
		    && !sameline(s, e->left.last, e->third.first))
			either(w, e->third.first, operand[k], operand[k + 1]);
	}
	for (i = 1; i < n; i++) {
		if (!sameline(s, from + i, from + i - 1))
			last = MAYBE;
		if (last == ALWAYS || owner[i] == last || owner[i] < ALWAYS
		    || !s->token[from + i].means)
			continue;
		last = owner[i];
		if (last != ALWAYS) {
			piece(w, from + i, last);
		} else {
			apush(s->run, s->piece, s->npiece, s->cappiece);
			s->piece[s->npiece++] = (Piece){from + i, term, nterm, 0};
		}
	}
}

/* addterms - a copy of these terms, to the piece that is being made. */
void
addterms(Walk *w, int term, int nterm)
{
	int i;

	for (i = 0; i < nterm; i++)
		addterm(w, w->s->term[term + i].block, w->s->term[term + i].sign);
}

/* choices - the branches in an expression that is evaluated as often as the terms say; those in an
 * operand are reached as often as its block. */
void
choices(Walk *w, const List *l, const int *operand, int term, int nterm)
{
	Source *s = w->s;
	const Node *e, *outer;
	int i, k;

	for (e = l->first, i = 0; w->extent == BRANCHES && e; e = e->next, i += 2) {
		int reached = term, nreached = nterm, first;

		if (e->op == VALUE || operand[i] == NONE)
			continue;
		for (outer = l->first, k = 0; outer != e; outer = outer->next, k += 2) {
			bool third = outer->op == CHOICE && e->first >= outer->third.first
				     && e->last <= outer->third.last;
			int block = operand[k + third];

			if (outer->op == VALUE || block == NONE
			    || (!third
				&& (e->first < outer->right.first || e->last > outer->right.last)))
				continue;
			reached = s->nterm;
			nreached = 1;
			addterm(w, block, 1);
		}
		first = s->nterm;
		if (e->op == AND || e->op == CHOICE)
			addterm(w, operand[i], 1);
		else {
			addterms(w, reached, nreached);
			addterm(w, operand[i], -1);
		}
		k = s->nterm - first;
		addterms(w, reached, nreached);
		addpiece(w, e->left.last + 1, first, k); /* at the operator */
	}
}

/* needed - which operands in an expression of n nodes need a block: two flags for each node.  An
 * operand needs one if a line begins in it, outside of operands of its own. */
bool *
needed(Walk *w, const List *l, int n)
{
	Source *s = w->s;
	bool *need = anew(s->run, bool, 2 * n + 1);
	int from = INT_MAX, to = 0, i, *owner;
	const Node *e;

	for (e = l->first, i = 0; e; e = e->next, i++) {
		need[2 * i] = need[2 * i + 1] =
			w->extent == BRANCHES
			|| (w->extent == ZPROFBLOCKS && (e->op == CHOICE || e->op == ELVIS));
		from = e->first < from ? e->first : from;
		to = e->last > to ? e->last : to;
	}
	if (w->extent == ZPROFBLOCKS || w->extent == BRANCHES || !n || sameline(s, from, to))
		return need;
	owner = anew(s->run, int, to - from + 1);
	for (i = from; i <= to; i++)
		owner[i - from] = ALWAYS;
	for (e = l->first, i = 0; e; e = e->next, i += 2)
		if (e->op == VALUE)
			paint(owner, from, to - from + 1, e->first, e->last, ELSEWHERE);
		else
			paintoperands(s, owner, from, to - from + 1, e, i, i + 1);
	for (i = from + 1; i <= to; i++)
		if (owner[i - from] >= 0 && beginsline(s, i))
			need[owner[i - from]] = true;
	return need;
}

/* evaluations - terms: how often the condition of a loop was true and how often false; returns the
 * first. */
int
evaluations(Walk *w, int body, int after, const Blocks *breaks)
{
	int first = w->s->nterm, i;

	addterm(w, body, 1);
	addterm(w, after, 1);
	for (i = 0; i < breaks->n; i++)
		addterm(w, breaks->block[i], -1);
	return first;
}

/* branch - a branch at a token: taken as often as a block, reached as the terms say. */
void
branch(Walk *w, int token, int taken, int term, int nterm)
{
	int first = w->s->nterm;

	if (w->extent != BRANCHES || taken == NONE)
		return;
	addterm(w, taken, 1);
	addterms(w, term, nterm);
	addpiece(w, token, first, 1);
}

/* evaluated - terms: how often the condition of a loop was evaluated; own is its block, or NONE. */
int
evaluated(Walk *w, int own, int body, int after, const Blocks *breaks)
{
	int first = w->s->nterm;

	if (own == NONE)
		return evaluations(w, body, after, breaks);
	addterm(w, own, 1);
	return first;
}
