/* asm.c - the passes of the assembly road, in order.
 *
 * asm.h says what each requires and ensures; dump.c can print what it made.  If the text cannot
 * be counted, the list ends early: nothing is written, and the caller uses the text unchanged. */

#include "asm.h"

#include <string.h>

bool
hascode(const Unit *u)
{
	int i;

	for (i = 0; i < u->nstmt; i++)
		if (u->stmt[i].kind == CODE)
			return true;
	return false;
}

bool
hassection(const Unit *u, const char *prefix)
{
	int i;

	for (i = 0; i < u->nsect; i++)
		if (strncmp(u->sect[i].name, prefix, strlen(prefix)) == 0)
			return true;
	return false;
}

/* understand - find the functions and what their code does; returns why that is not possible, or
 * NULL. */
static const char *
understand(Unit *u, const Counting *how)
{
	if (u->reason)
		return u->reason;
	u->empty = !hascode(u);
	if (!u->empty && !measure(u, how))
		return "the assembler rejects it";
	dump(u, how, 'p');
	if (!u->empty)
		scan(u);
	dump(u, how, 's');
	u->empty |= u->nfunc == 0;
	if (u->empty)
		return hassection(u, ".gnu.lto_") ? "for LTO: counted when it is linked"
						  : "no code";
	liveness(u);
	dump(u, how, 'r');
	readlines(u);
	dump(u, how, 'l');
	return NULL;
}

/* hiding - why the runtime cannot be linked with this text; NULL if it can. */
static const char *
hiding(const Unit *u)
{
	const char *name = hides(u);
	Buf why = {.arena = u->run};

	if (name)
		bprintf(&why, "its own %s hides the C library's, which the runtime needs", name);
	return why.s;
}

const char *
countunit(Unit *u, const Counting *how, Buf *out)
{
	const char *why;

	u->bare = how->bare;
	dump(u, how, 't'); /* split() ran before: the caller looks at the statements, too */
	why = understand(u, how);
	if (!why && !how->bare)
		why = hiding(u);
	if (why)
		return why;
	chooseall(u, how);
	weighall(u, how);
	dump(u, how, 'w');
	placeall(u, how);
	checkall(u);
	dump(u, how, 'c');
	indexcfi(u);
	plant(u, how);
	forgetcfi(u);
	dump(u, how, 'o');
	writetext(u, out);
	writemap(u, how, out);
	return NULL;
}
