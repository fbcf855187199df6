/* cfi.c - unwind information of the places that our code out of line belongs to. */

#include "asm.h"

#include <string.h>

/* The directives of a unit. */
struct Unwind {
	int *cfi;   /* their statements */
	int *start; /* by directive: that of the .cfi_startproc in force after it; NONE */
	int n;
	int *upto; /* by statement: how many come before it */
};

static bool
iscfi(const Stmt *st)
{
	return st->len > 5 && memcmp(st->s, ".cfi_", 5) == 0;
}

void
indexcfi(Unit *u)
{
	Unwind *w = u->unwind = anew(u->run, Unwind, 1);
	int i, now = NONE;

	w->upto = anew(u->run, int, u->nstmt + 1);
	for (i = 0; i < u->nstmt; i++)
		w->n += iscfi(&u->stmt[i]);
	w->cfi = anew(u->run, int, w->n);
	w->start = anew(u->run, int, w->n);
	for (w->n = i = 0; i < u->nstmt; i++) {
		const Stmt *st = &u->stmt[i];

		w->upto[i] = w->n;
		if (!iscfi(st))
			continue;
		if (begins(st, ".cfi_startproc"))
			now = w->n;
		else if (begins(st, ".cfi_endproc"))
			now = NONE;
		w->start[w->n] = now;
		w->cfi[w->n++] = i;
	}
}

/* startof - the .cfi_startproc of what holds at a statement, or by it: a directive; NONE. */
static int
startof(const Unit *u, int stmt)
{
	const Unwind *w = u->unwind;
	int n = w->upto[stmt] + iscfi(&u->stmt[stmt]);

	return n ? w->start[n - 1] : NONE;
}

bool
isunwound(const Unit *u, int stmt)
{
	return startof(u, stmt) != NONE;
}

/* unwindas - all that was said before the statement. */
bool
unwindas(const Unit *u, int stmt, Buf *b)
{
	const Unwind *w = u->unwind;
	int i;

	if (!isunwound(u, stmt))
		return false;
	for (i = startof(u, stmt); i < w->upto[stmt]; i++) {
		const Stmt *st = &u->stmt[w->cfi[i]];

		if (st->sect == u->stmt[stmt].sect && !begins(st, ".cfi_personality")
		    && !begins(st, ".cfi_lsda"))
			bprintf(b, "\t%.*s\n", st->len, st->s);
	}
	return true;
}

bool
isrelative(const Unit *u, int stmt)
{
	const Unwind *w = u->unwind;
	bool now = true, was[16] = {false};
	int i, n = 0;

	if (!isunwound(u, stmt))
		return false;
	for (i = startof(u, stmt); i < w->upto[stmt]; i++) {
		const Stmt *st = &u->stmt[w->cfi[i]];

		if (begins(st, ".cfi_def_cfa") || begins(st, ".cfi_def_cfa_register"))
			now = memmem(st->s, (size_t)st->len, " 7", 2)
			      || memmem(st->s, (size_t)st->len, "rsp", 3);
		else if (begins(st, ".cfi_remember_state") && n < 16)
			was[n++] = now;
		else if (begins(st, ".cfi_restore_state") && n > 0)
			now = was[--n];
	}
	return now;
}
