/* write.c - the text again, with what belongs before and after each statement, and the stubs behind functions. */

#include "plant.h"

#include <string.h>

/* findends - where stubs can go: behind the function's unwind information, or behind
 * its last item. */
void
findends(Planter *pl)
{
	const Unit *u = pl->u;
	int *sect = anew(u->run, int, u->nsect), i, f;

	for (i = 0; i < u->nsect; i++)
		sect[i] = NONE;
	for (i = 0; i < u->nstmt; i++) {
		const Stmt *st = &u->stmt[i];

		if (st->kind == CODE) {
			f = u->item[st->item].func;
			sect[st->sect] = f;
			if (f != NONE)
				pl->cfiend[f] = i;
		} else if (begins(st, ".cfi_endproc") && sect[st->sect] != NONE) {
			pl->cfiend[sect[st->sect]] = i;
		}
	}
}

/* closestubs - the procedure of the last stub, if there is one. */
void
closestubs(Planter *pl, int f)
{
	if (pl->rules[f])
		bprintf(&pl->stubs[f], "\t.cfi_endproc\n");
	pl->rules[f] = NULL;
}

/* unwindable - have the assembler write what it is told of frames where a running program finds it, too, and
 * not only for debuggers: compilers ask for the latter with -fno-asynchronous-unwind-tables. */
void
unwindable(Unit *u)
{
	static const char both[] = ".cfi_sections\t.eh_frame, .debug_frame";
	int i;

	for (i = 0; i < u->nstmt; i++) {
		Stmt *st = &u->stmt[i];

		if (!begins(st, ".cfi_sections") || memmem(st->s, (size_t)st->len, ".eh_frame", 9))
			continue;
		st->s = both;
		st->len = sizeof both - 1;
	}
}

/* mark - tell the assembler which line of the source comes next. */
static void
mark(Planter *pl, const Stmt *st)
{
	if (pl->how->marklines && st->line && !st->debug)
		bprintf(pl->out, "# %d \"%s\"\n", st->line, pl->u->source[st->file]);
}

/* insert - code of ours around a statement; it is on the statement's line. */
static void
insert(Planter *pl, const Stmt *st, const Buf *b)
{
	const char *s, *end, *eol;

	if (!b)
		return;
	s = b->s;
	end = s + b->n;
	if (!pl->how->marklines) {
		bput(pl->out, s, b->n);
		return;
	}
	for (; s < end; s = eol + 1) {
		eol = memchr(s, '\n', (size_t)(end - s));
		mark(pl, st);
		bput(pl->out, s, (size_t)(eol + 1 - s));
	}
}

/* runsinto - the function into which a function runs at its end, where its stubs would be; NONE. */
static int
runsinto(const Planter *pl, int f)
{
	const Unit *u = pl->u;
	const Item *last = NULL;
	int i;

	for (i = 0; i < u->nitem; i++) {
		const Item *it = &u->item[i];

		if (it->sect == NONE || u->stmt[it->stmt].sect != u->stmt[pl->cfiend[f]].sect)
			continue;
		if (it->stmt > pl->cfiend[f])
			break;
		last = it;
	}
	if (i == u->nitem || !last || u->item[i].func == f || !u->item[i].entry)
		return NONE;
	return last->insn.turn == PLAIN || last->insn.turn == COND || last->insn.turn == CALL
		       ? u->item[i].func
		       : NONE;
}

/* movestubs - of functions that run into the next one behind that. */
static void
movestubs(Planter *pl)
{
	int f, g;

	for (f = 0; f < pl->u->nfunc; f++) {
		if (!pl->stubs[f].n || !pl->u->byhand || (g = runsinto(pl, f)) == NONE || g < f)
			continue;
		pl->stubs[g].arena = pl->u->run;
		bput(&pl->stubs[g], pl->stubs[f].s, pl->stubs[f].n);
		pl->stubs[f].n = 0;
	}
}

void
copytext(Planter *pl)
{
	Unit *u = pl->u;
	int *ends = anew(u->run, int, u->nstmt), i, f; /* by statement: function + 1 */

	for (f = 0; f < pl->u->nfunc; f++)
		closestubs(pl, f);
	movestubs(pl);
	for (f = 0; f < u->nfunc; f++)
		if (pl->stubs[f].n)
			ends[pl->cfiend[f]] = f + 1;
	for (i = 0; i < u->nstmt; i++) {
		const Stmt *st = &u->stmt[i];

		if (st->debug && !pl->how->keeplines)
			continue;
		insert(pl, st, pl->before[i]);
		mark(pl, st);
		bput(pl->out, st->s, (size_t)st->len);
		if (st->kind == LABEL)
			bput(pl->out, ":", 1);
		bput(pl->out, "\n", 1);
		insert(pl, st, pl->after[i]);
		if (ends[i])
			insert(pl, st, &pl->stubs[ends[i] - 1]);
	}
}
