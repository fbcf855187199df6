/* statements.c - properties of statements that depend on their tokens.
 *
 * This is the last step that knows C: the steps after it do not look at the spelling of tokens.
 *
 * If a function returns the value of a call, compilers may turn the call into a jump, and programs
 * rely on that; also in `r = f(x); return r;'.  Such a return is `handed' its value, if the
 * statement before it may end with such a call.  (f may be an expression: (*p->f[i])(x, y).) */

#include "c.h"

#include <ctype.h>
#include <string.h>

/* istext - whether a token is spelled so. */
static bool
istext(const Source *s, int token, const char *text)
{
	const Token *t = &s->token[token];

	return t->end - t->begin == strlen(text)
	       && memcmp(s->text + t->begin, text, strlen(text)) == 0;
}

/* samename - whether two tokens are the same name. */
static bool
samename(const Source *s, int a, int b)
{
	const Token *x = &s->token[a], *y = &s->token[b];
	char c = s->text[x->begin];

	return (c == '_' || isalpha((unsigned char)c)) && x->end - x->begin == y->end - y->begin
	       && memcmp(s->text + x->begin, s->text + y->begin, x->end - x->begin) == 0;
}

/* iscall - whether the tokens from..to are a call and nothing else: f(x), (*p->f[i])(x, y). */
static bool
iscall(const Source *s, int from, int to)
{
	int depth = 0, open, i;

	for (open = to; open > from; open--) { /* find that of its arguments */
		depth += istext(s, open, ")");
		depth -= istext(s, open, "(");
		if (depth <= 0)
			break;
	}
	if (from >= to || depth || !istext(s, to, ")"))
		return false;
	for (i = from; i < open; i++) {
		char c = s->text[s->token[i].begin];

		if (!isalnum((unsigned char)c) && !strchr("_.[]()*", c) && !istext(s, i, "->"))
			return false;
	}
	return open > from;
}

/* hands - whether a statement may end by assigning the value of a call to the variable that token
 * names. */
static bool
hands(const Source *s, const Node *n, int name)
{
	int i;

	switch (n->op) {
	case COMPOUND: return n->body.last && hands(s, n->body.last, name);
	case IF:
		return (n->body.last && hands(s, n->body.last, name))
		       || (n->other.last && hands(s, n->other.last, name));
	case EXPRESSION:
	case DECLARATION:
		for (i = n->first; i + 2 < n->last; i++)
			if (samename(s, i, name) && istext(s, i + 1, "="))
				return iscall(s, i + 2, n->last - 1);
		return false;
	default: return false;
	}
}

/* returned - the token of the variable in `return NAME;', or NONE. */
static int
returned(const Source *s, const Node *n)
{
	return n && n->op == GOTO && n->last == n->first + 2 && istext(s, n->first, "return")
		       ? n->first + 1
		       : NONE;
}

/* isforever - whether a loop has no condition; or, of while and do, 1 for one. */
static bool
isforever(const Source *s, const Node *n)
{
	if (isempty(n->test))
		return true;
	return n->op != FOR && n->test.first == n->test.last && istext(s, n->test.first, "1");
}

/* isours - whether a function is to be counted: it is not in a system header and not `naked',
 * without prologue. */
static bool
isours(const Source *s, const Node *n)
{
	int i;

	for (i = n->first; i <= n->body.first->first; i++)
		if (s->token[i].gap & GAPNAKED)
			return false;
	return !s->token[n->at].system;
}

static void
findfunction(Source *s, Node *n)
{
	const Token *t = &s->token[n->at];

	n->ours = isours(s, n);
	if (n->ours)
		n->name = astrndup(s->run, s->text + t->begin, t->end - t->begin);
}

static void findlist(Source *, const List *);

static void
findnode(Source *s, Node *n)
{
	int name = returned(s, n->next);

	switch (n->op) {
	case FUNCTION: findfunction(s, n); break;
	case CASE: n->rest = istext(s, n->first, "default"); break;
	case WHILE:
	case DO:
	case FOR: n->endless = isforever(s, n); break;
	default: break;
	}
	if (name != NONE)
		n->next->handed = hands(s, n, name);
	findlist(s, &n->init);
	findlist(s, &n->head);
	findlist(s, &n->step);
	findlist(s, &n->body);
	findlist(s, &n->other);
}

static void
findlist(Source *s, const List *l)
{
	Node *n;

	for (n = l->first; n; n = n->next)
		findnode(s, n);
}

void
findstatements(Source *s)
{
	Node *n;

	for (n = s->function; n; n = n->next)
		findnode(s, n);
}
