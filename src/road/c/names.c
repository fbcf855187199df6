/* names.c - identifiers: keywords, names of types, others. */

#include "c.h"

/* nameid - the number of an identifier, which is added if it is new. */
int
nameid(Names *n, const char *s, size_t len)
{
	Entry *e;

	n->table.arena = n->run;
	e = intern(&n->table, s, len, n->nname);
	if (e->value == n->nname) {
		apush(n->run, n->name, n->nname, n->capname);
		n->name[n->nname++] = (Word){.s = e->key, .len = len};
	}
	return e->value;
}

/* declare - from here on, the name is a type's or not. */
void
declare(Names *n, int name, bool type)
{
	Word *it = &n->name[name];

	if (it->type == type)
		return;
	apush(n->run, n->undo, n->nundo, n->capundo);
	n->undo[n->nundo++] = (struct Undo){name, it->type};
	it->type = type;
}

int
mark(const Names *n)
{
	return n->nundo;
}

/* undo - forget what was declared since mark() returned this number. */
void
undo(Names *n, int mark)
{
	while (n->nundo > mark) {
		struct Undo u = n->undo[--n->nundo];

		n->name[u.name].type = u.type;
	}
}

void
openscope(Names *n)
{
	apush(n->run, n->scope, n->nscope, n->capscope);
	n->scope[n->nscope++] = n->nundo;
}

void
closescope(Names *n)
{
	undo(n, n->scope[--n->nscope]);
}
