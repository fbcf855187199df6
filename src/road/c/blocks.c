/* blocks.c - where source blocks begin in the statements of a function.
 *
 * A source block begins wherever a statement may run a different number of times than the one
 * before it:
 *
 *	while (n > 1) {                 BODY
 *		if (n & 1)
 *			n = 3 * n + 1;  THEN
 *		else
 *			n /= 2;         ELSE
 *		show(n);                AFTER the if
 *		steps++;                AFTERCALL the call: show() may exit
 *	}
 *	return steps;                   AFTER the loop
 *
 * With ZPROFBLOCKS, blocks begin exactly where the table of "Designing a Basic Block Profiler" has
 * a ^; after an if or a loop only if another statement follows.  LINES adds blocks after whatever
 * may not continue with the next statement: a call, a jump, a switch.  So every statement has one
 * block, `now', that is entered exactly as often as the statement runs.
 *
 * An operand that is not always evaluated begins a block if a line begins in it; with BRANCHES,
 * every such operand does.
 *
 * The condition of a loop needs no block: other blocks tell how often it was evaluated (pieces.c).
 * But a call in it may not return, and statements in it may jump elsewhere.  Such a condition
 * begins a block, and so does such a third part of a `for'; next to a call, a counter costs little.
 *
 * Nothing is inserted between the last call of a function and its return: a compiler may turn such
 * a call into a jump, and programs rely on that (statements.c).  The lines there have no block;
 * shape.c says how often they ran.
 *
 * With SHAPE nothing is counted, and a block extends as far as possible: see shape.c. */

#include "walk.h"

static void walkitems(Walk *, const List *);
static void walkvalue(Walk *, const Node *, bool always);

int
newblock(Walk *w, Kind kind, int first)
{
	Source *s = w->s;

	apush(s->run, s->block, s->nblock, s->capblock);
	s->block[s->nblock] = (Sblock){kind, first, first, w->fn};
	return s->nblock++;
}

/* insert - something to be written after a token. */
static void
insert(Walk *w, int token, Insertion form, int block, int other)
{
	Source *s = w->s;

	apush(s->run, s->insert, s->ninsert, s->capinsert);
	s->insert[s->ninsert] = (Insert){s->token[token].end, s->ninsert, form, block, other};
	s->ninsert++;
}

/* enter - from here on, statements belong to this block. */
void
enter(Walk *w, int block)
{
	w->now = block;
	w->need = NKIND;
}

/* reach - extend the current block to a token. */
static void
reach(Walk *w, int token)
{
	if (w->now != NONE && token > w->s->block[w->now].last)
		w->s->block[w->now].last = token;
}

/* wants - a block of this kind is to begin at the next statement, if the extent has such blocks. */
static void
wants(Walk *w, Kind kind)
{
	if (kind < NZPROFBLOCK || (w->extent != ZPROFBLOCKS && w->need == NKIND))
		w->need = kind;
}

/* settle - if a block is wanted, it begins at a token. */
static void
settle(Walk *w, int token)
{
	int b;

	if (w->need == NKIND)
		return;
	b = newblock(w, w->need, token);
	insert(w, token - 1, STATEMENT, b, NONE);
	enter(w, b);
}

/* falls - whether a counter before n would be a statement from which a switch falls through into a
 * case. */
static bool
falls(const Node *n)
{
	while (n && n->op == COMPOUND)
		n = n->body.first;
	return n && n->op == CASE;
}

/* nowhere - control cannot get here except by a label. */
void
nowhere(Walk *w)
{
	if (w->extent == SHAPE)
		w->now = NONE;
	w->need = NKIND;
	wants(w, AFTERCALL);
}

void
push(Walk *w, Blocks *l, int block)
{
	apush(w->s->run, l->block, l->n, l->cap);
	l->block[l->n++] = block;
}

/* isoperand - whether a node is within an operand, of another node, that is not always
 * evaluated. */
static bool
isoperand(const Node *it, const List *all)
{
	const Node *e;

	for (e = all->first; e && e != it; e = e->next)
		if (e->op != VALUE
		    && ((it->first >= e->right.first && it->last <= e->right.last)
			|| (e->op == CHOICE && it->first >= e->third.first
			    && it->last <= e->third.last)))
			return true;
	return false;
}

/* operands - the blocks of operands in an expression: two for each node, or NONE. */
static int *
operands(Walk *w, const List *l)
{
	Source *s = w->s;
	int n = 0, i, *b;
	const Node *e, **back;
	const bool *need;

	for (e = l->first; e; e = e->next)
		n++;
	need = needed(w, l, n);
	b = anew(s->run, int, 2 * n + 1);
	back = anew(s->run, const Node *, n + 1);
	for (e = l->first, i = 0; e; e = e->next, i++) {
		back[i] = e;
		b[2 * i] = b[2 * i + 1] = NONE;
		if (!need[2 * i] && !need[2 * i + 1])
			continue;
		if (e->op == CHOICE) {
			b[2 * i] = newblock(w, TRUE, e->right.first);
			b[2 * i + 1] = newblock(w, FALSE, e->third.first);
			insert(w, e->left.first - 1, CONDITION, NONE, NONE);
			if (s->token[e->left.first].gap & GAPATTR) /* of the statement itself */
				s->insert[s->ninsert - 1].at = s->token[e->left.first].begin;
		} else if (e->op == ELVIS && !e->plain) {
			b[2 * i] = newblock(w, FALSE, e->right.first);
		} else if (e->op == AND || e->op == OR) {
			b[2 * i] = newblock(w, e->op == AND ? ANDRIGHT : ORRIGHT, e->right.first);
		}
		if (b[2 * i] != NONE)
			s->block[b[2 * i]].last = e->right.last;
		if (b[2 * i + 1] != NONE)
			s->block[b[2 * i + 1]].last = e->third.last;
		if (b[2 * i] != NONE && e->op != CHOICE)
			insert(w, e->right.first - 1, COMMA, b[2 * i], NONE);
	}
	for (i = n - 1; i >= 0; i--) { /* inner ones are closed first */
		if (b[2 * i] == NONE)
			continue;
		if (back[i]->op == CHOICE)
			insert(w, back[i]->left.last, CHOOSING, b[2 * i], b[2 * i + 1]);
		else
			insert(w, back[i]->right.last, PAREN, NONE, NONE);
	}
	return b;
}

/* expression - the blocks of its operands, and the statements in it. */
static int *
expression(Walk *w, const List *l)
{
	int *b = operands(w, l);
	const Node *e;

	for (e = l->first; e; e = e->next)
		if (e->op == VALUE)
			walkvalue(w, e, !isoperand(e, l));
	return b;
}

/* simple - a statement, or the head of one: the tokens from..to. */
static void
simple(Walk *w, const Node *n, int from, int to)
{
	int first, now, *b;

	settle(w, n->first);
	now = w->now;
	reach(w, to);
	b = expression(w, &n->head);
	first = w->s->nterm;
	addterm(w, now, 1);
	lines(w, from, to, &n->head, b, first, 1);
	choices(w, &n->head, b, first, 1);
	if (n->call && w->extent != SHAPE)
		wants(w, AFTERCALL);
}

/* isopen - whether statements can be inserted after the opening brace; not if a pragma applies to
 * the compound statement. */
static bool
isopen(const Walk *w, const List *l)
{
	return l->first && l->first == l->last && l->first->op == COMPOUND
	       && !(w->s->token[l->first->first].gap & GAPPRAGMA);
}

/* sub - the substatement after a token, with a block of its own unless kind is NKIND; returns that
 * block. */
static int
sub(Walk *w, const List *l, Kind kind, int after)
{
	const Node *first = l->first;
	int b = NONE;

	if (isopen(w, l)) {
		const Node *item = first->body.first;
		bool nests =
			kind != NKIND && item && (item->op == DECLARATION || item->op == FUNCTION);

		if (kind != NKIND) {
			b = newblock(w, kind, first->first + 1);
			insert(w, first->first,
			       nests         ? NESTING
			       : falls(item) ? FALLING
					     : STATEMENT,
			       b, NONE);
			enter(w, b);
		}
		walkitems(w, &first->body);
		if (nests)
			insert(w, first->last - 1, SHUT, NONE, NONE);
		return b;
	}
	if (kind != NKIND) {
		b = newblock(w, kind, after + 1);
		if (falls(first)) {
			insert(w, after, BRACE, NONE, NONE);
			insert(w, after, FALLING, b, NONE);
		} else {
			insert(w, after, OPENING, b, NONE);
		}
		enter(w, b);
	} else {
		insert(w, after, BRACE, NONE, NONE);
	}
	walkitems(w, l);
	insert(w, l->last->last, SHUT, NONE, NONE);
	return b;
}

/* loopend - the block after a loop.  Except with ZPROFBLOCKS it always exists, since the count of
 * the condition depends on it. */
static int
loopend(Walk *w, const Node *n)
{
	int b;

	if (w->extent == ZPROFBLOCKS) {
		w->since = n->first;
		wants(w, AFTER);
		return NONE;
	}
	b = newblock(w, AFTER, n->last + 1);
	insert(w, n->last, STATEMENT, b, NONE);
	enter(w, b);
	return b;
}

/* iselseif - whether an if is followed by `else if'.  The block of that one is counted within its
 * condition: compilers limit the depth of braces, but not the length of such chains. */
static bool
iselseif(const Walk *w, const Node *n)
{
	const Node *next = n->other.first;

	return next && next->op == IF && !(w->s->token[next->first].gap & (GAPPRAGMA | GAPATTR));
}

/* isflat - whether this is one statement without others in it. */
static bool
isflat(const List *l)
{
	Op op = l->first->op;

	return l->first == l->last
	       && (op == EXPRESSION || op == GOTO || op == BREAK || op == CONTINUE);
}

static void
walkif(Walk *w, const Node *n)
{
	int now, first, then, last, b = NONE, from = n->first, before = NONE;
	Arms arms = {.all = true};

	for (;;) {
		simple(w, n, n->first, n->at);
		if (b != NONE)
			insert(w, n->test.last, PAREN, NONE, NONE);
		now = w->now;
		before = before == NONE ? now : before;
		then = sub(w, &n->body, THEN, n->at);
		last = w->now;
		arm(w, &arms, then);
		first = w->s->nterm;
		addterm(w, now, 1);
		branch(w, n->first, then, first, 1);
		if (!iselseif(w, n))
			break;
		n = n->other.first;
		b = newblock(w, ELSE, n->first);
		insert(w, n->test.first - 1, COMMA, b, NONE);
		splits(w, now, then, b);
		enter(w, b);
	}
	if (n->otherwise != NONE) {
		b = sub(w, &n->other, ELSE, n->otherwise);
		splits(w, now, then, b);
		arm(w, &arms, b);
		if (isflat(&n->body) && last != NONE
		    && sameline(w->s, n->body.first->last, n->other.first->first)
		    && !sameline(w->s, n->at, n->other.first->first))
			either(w, n->other.first->first, last, b);
	}
	w->since = from;
	if (w->extent == SHAPE)
		meets(w, n, &arms, before, now, then);
	else
		wants(w, AFTER);
}

/* branchback - the branch at the condition of a loop: into the body or, for `do', back to it. */
static void
branchback(Walk *w, const Node *n, int body, int entry, int term, int nterm)
{
	int first = w->s->nterm, k;

	if (isempty(n->test))
		return;
	if (n->op != DO) {
		branch(w, n->first, body, term, nterm);
		return;
	}
	addterm(w, body, 1);
	addterm(w, entry, -1);
	k = w->s->nterm - first;
	addterms(w, term, nterm);
	if (w->extent == BRANCHES)
		addpiece(w, n->at, first, k);
}

/* header - a block for an expression of a loop that may not finish; NONE if it needs none.  A loop
 * under a pragma is left as it is. */
static int
header(Walk *w, const Node *n, const List *l, Span where)
{
	const Node *e;
	bool leaves = l->call;
	int b;

	for (e = l->first; e; e = e->next)
		leaves |= e->op == VALUE;
	if (!leaves || isempty(where) || (w->extent != LINES && w->extent != BRANCHES)
	    || (w->s->token[n->first].gap & GAPPRAGMA))
		return NONE;
	b = newblock(w, HEADER, where.first);
	w->s->block[b].last = where.last;
	insert(w, where.first - 1, COMMA, b, NONE);
	return b;
}

/* again - an expression of a loop, which may be evaluated more often than what precedes the loop;
 * *own is its block, or NONE. */
static int *
again(Walk *w, const Node *n, const List *l, Span where, int *own)
{
	int *b;

	*own = header(w, n, l, where);
	w->need = NKIND;
	wants(w, AFTERCALL);
	b = expression(w, l);
	w->need = NKIND;
	if (*own != NONE)
		insert(w, where.last, PAREN, NONE, NONE);
	return b;
}

/* walkstep - the third part of a `for', which runs before each evaluation of the condition but the
 * first.  How often that was is unknown if the initialization may not finish. */
static void
walkstep(Walk *w, const Node *n, const int *b, int own, int term, int nterm, int entry)
{
	int first = w->s->nterm;

	if (own != NONE) {
		addterm(w, own, 1);
	} else if (!n->init.call) {
		addterms(w, term, nterm);
		addterm(w, entry, -1);
	} else {
		return;
	}
	nterm = w->s->nterm - first;
	lines(w, n->again.first, n->again.last, &n->step, b, first, nterm);
	choices(w, &n->step, b, first, nterm);
}

/* walkloop - while, do, for. */
static void
walkloop(Walk *w, const Node *n)
{
	Blocks breaks = {0}, *outer = w->breaks;
	bool breaktail = w->breaktail;
	Source *s = w->s;
	int entry, body, after, first, nterm, own, ownstep = NONE, *b = NULL, *b2 = NULL;
	int nleave = w->nleave, nlabel = w->nlabel;

	settle(w, n->first);
	entry = w->now;
	reach(w, n->op == DO ? n->first : n->op == FOR ? n->test.first - 1 : n->at);
	if (n->op == FOR) {
		b = expression(w, &n->init);
		first = s->nterm;
		addterm(w, entry, 1);
		lines(w, n->start.first, n->start.last, &n->init, b, first, 1);
		choices(w, &n->init, b, first, 1);
	}
	if (n->op != DO)
		b = again(w, n, &n->head, n->test, &own);
	if (n->op == FOR)
		b2 = again(w, n, &n->step, n->again, &ownstep);
	w->breaks = &breaks;
	w->tail = w->breaktail = false;
	body = sub(w, &n->body, BODY, n->op == DO ? n->first : n->at);
	if (n->op == DO)
		b = again(w, n, &n->head, n->test, &own);
	w->breaks = outer;
	w->breaktail = breaktail;
	after = w->extent == SHAPE ? afterloop(w, n, entry, nleave, nlabel, &breaks)
				   : loopend(w, n);
	first = evaluated(w, own, body, after, &breaks);
	if (n->op == DO && own == NONE)
		addterm(w, entry, -1);
	nterm = s->nterm - first;
	if (n->op == FOR) {
		if (isempty(n->test))
			lines(w, n->first, n->first, &n->head, b, first, nterm);
		lines(w, n->test.first, n->test.last, &n->head, b, first, nterm);
		walkstep(w, n, b2, ownstep, first, nterm, entry);
	} else {
		lines(w, n->op == DO ? n->at : n->first, n->op == DO ? n->last : n->at, &n->head, b,
		      first, nterm);
	}
	choices(w, &n->head, b, first, nterm);
	if (own != NONE) { /* the branch was decided as often as the condition finished */
		first = evaluations(w, body, after, &breaks);
		if (n->op == DO)
			addterm(w, entry, -1);
		nterm = s->nterm - first;
	}
	branchback(w, n, body, entry, first, nterm);
}

static void
walkswitch(Walk *w, const Node *n)
{
	Blocks breaks = {0}, *outer = w->breaks;
	Labels own = {0}, *around = w->labels;
	bool breaktail = w->breaktail;
	int before, nleave = w->nleave, nlabel = w->nlabel;

	simple(w, n, n->first, n->at);
	before = w->now;
	nowhere(w); /* until the first label */
	w->labels = &own;
	w->breaks = &breaks;
	w->breaktail = w->tail && w->extent != ZPROFBLOCKS;
	sub(w, &n->body, NKIND, n->at);
	w->breaks = outer;
	w->breaktail = breaktail;
	w->labels = around;
	nowhere(w);
	if (w->extent == SHAPE)
		afterswitch(w, n, before, nleave, nlabel, &own);
}

/* walklabel - a block begins after a label: before attributes of the statement that follows, after
 * those of the label. */
static void
walklabel(Walk *w, const Node *n)
{
	Source *s = w->s;
	const Node *next = n->next;
	int b;

	if (w->tail && w->extent != ZPROFBLOCKS && n->op == LABEL) {
		w->gap = true;
		nowhere(w);
		return;
	}
	if (w->extent == ZPROFBLOCKS && w->need != NKIND && !(n->op == CASE && w->fell > w->since)) {
		b = newblock(w, w->need, n->first);
		insert(w, n->first - 1, n->op == CASE ? FALLING : STATEMENT, b, NONE);
	}
	b = newblock(w, LABELED, n->last + 1);
	labels(w, n, b);
	insert(w, n->last, falls(next) ? FALLING : STATEMENT, b, NONE);
	if (n->op == LABEL && next && next->op != DECLARATION
	    && (s->token[next->first].gap & (GAPATTR | GAPPRAGMA | GAPFALL)) == GAPATTR)
		s->insert[s->ninsert - 1].at = s->token[next->first].begin;
	enter(w, b);
	piece(w, n->first, b);
}

static void walkfunction(Walk *, const Node *);

static void
walkitem(Walk *w, const Node *n)
{
	switch (n->op) {
	case COMPOUND:
		if (w->extent == ZPROFBLOCKS)
			settle(w, n->first); /* its declarations stay first */
		walkitems(w, &n->body);
		break;
	case IF: walkif(w, n); break;
	case WHILE:
	case DO:
	case FOR: walkloop(w, n); break;
	case SWITCH: walkswitch(w, n); break;
	case LABEL:
	case CASE: walklabel(w, n); break;
	case FUNCTION: {
		Walk inner = {.s = w->s, .extent = w->extent, .need = NKIND};

		walkfunction(&inner, n);
		break;
	}
	case EMPTY:
		if (w->s->token[n->first].gap & GAPFALL)
			w->fell = n->first;
		if (w->extent == ZPROFBLOCKS)
			settle(w, n->first);
		break;
	case DECLARATION:
		if (n->code)
			simple(w, n, n->first, n->last);
		break;
	case BREAK:
		if (w->breaktail && w->need != NKIND) {
			w->gap = true;
			break;
		}
		settle(w, n->first);
		if (w->breaks && w->now != NONE)
			push(w, w->breaks, w->now);
		/* fallthrough */
	case GOTO:
		if ((n->plain || n->handed) && w->need != NKIND && w->extent != ZPROFBLOCKS) {
			w->gap = true;
			break;
		}
		/* fallthrough */
	case CONTINUE:
		simple(w, n, n->first, n->last);
		if (n->plain)
			push(w, &w->returns, w->now);
		if (n->op != BREAK)
			leaves(w, n);
		nowhere(w);
		break;
	default: simple(w, n, n->first, n->last);
	}
}

static void
walkitems(Walk *w, const List *l)
{
	bool tail = w->tail;
	const Node *n;

	for (n = l->first; n; n = n->next) {
		w->tail = tail && (!n->next || (n->next->op == GOTO && n->next->plain));
		walkitem(w, n);
	}
	w->tail = tail;
}

/* walkvalue - the statements in a statement expression.  If it is not always evaluated, they begin
 * a block, and so does what follows. */
static void
walkvalue(Walk *w, const Node *n, bool always)
{
	bool tail = w->tail;
	int now = w->now, nleave = w->nleave;

	w->tail = false;
	if (!always)
		wants(w, AFTERCALL);
	walkitems(w, &n->body);
	w->tail = tail;
	if (always)
		return;
	w->now = now;
	if (w->extent == SHAPE && w->nleave == nleave)
		w->need = NKIND;
	else
		wants(w, AFTERCALL);
}

/* endpiece - the piece of a function's closing brace: control gets there from the last statement
 * and from each `return;'. */
static void
endpiece(Walk *w, const Node *n)
{
	const Node *end = n->body.first->body.last;
	bool none =
		end && end->op == GOTO && !end->plain && !w->returns.n; /* all have values */
	int i, first = w->s->nterm;

	w->gap |= w->extent != SHAPE && w->need != NKIND && !none;
	if (none || w->gap)
		return;
	addterm(w, w->now, 1);
	for (i = 0; i < w->returns.n; i++)
		addterm(w, w->returns.block[i], 1);
	if (w->s->nterm > first)
		addpiece(w, n->last, first, 0);
}

static void
walkfunction(Walk *w, const Node *n)
{
	Source *s = w->s;
	int b;

	if (!n->ours)
		return;
	apush(s->run, s->fn, s->nfn, s->capfn);
	s->fn[s->nfn] = n->name;
	w->fn = s->nfn++;
	w->tail = w->extent != SHAPE;
	b = sub(w, &n->body, ENTERED, n->body.first->first - 1);
	piece(w, n->at, b);
	endpiece(w, n);
}

/* renumber - blocks in the order of the text. */
static void
renumber(Source *s)
{
	int *next = anew(s->run, int, s->ntoken + 1), *new = anew(s->run, int, s->nblock + 1), i, n;
	Sblock *block = anew(s->run, Sblock, s->nblock + 1);

	for (i = 0; i < s->nblock; i++)
		next[s->block[i].first]++;
	for (i = 0, n = 0; i <= s->ntoken; i++) {
		int k = next[i];

		next[i] = n;
		n += k;
	}
	for (i = 0; i < s->nblock; i++) {
		new[i] = next[s->block[i].first]++;
		block[new[i]] = s->block[i];
	}
	s->block = block;
	for (i = 0; i < s->nterm; i++)
		s->term[i].block = new[s->term[i].block];
	for (i = 0; i < s->ninsert; i++) {
		if (s->insert[i].block != NONE)
			s->insert[i].block = new[s->insert[i].block];
		if (s->insert[i].other != NONE)
			s->insert[i].other = new[s->insert[i].other];
	}
}

void
placeblocks(Source *s, Extent extent)
{
	Node *n;

	s->nblock = s->nterm = s->npiece = s->nfn = 0;
	if (extent == SHAPE)
		s->ninsert = 0; /* of another extent; with SHAPE nothing is inserted */
	for (n = s->function; n; n = n->next) {
		Walk w = {.s = s, .extent = extent, .need = NKIND, .now = NONE};

		if (extent == SHAPE && n->whole)
			continue;
		walkfunction(&w, n);
		n->whole = !w.gap;
	}
	renumber(s);
}
