/* write.c - write the text with what belongs before and after each statement, and with the stubs
 * after functions.
 *
 * Control must not fall through into a stub.  After a compiler's function it cannot; a
 * hand-written one may run into the next, and then its stubs go after that one. */

#include "plant.h"

#include <string.h>

/* findends - find where stubs can go: after the function's unwind information, or else after its
 * last item. */
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
				pl->end[f] = i;
		} else if (begins(st, ".cfi_endproc") && sect[st->sect] != NONE) {
			pl->end[sect[st->sect]] = i;
		}
	}
}

/* closestubs - end the procedure of the last stub, if one is open. */
void
closestubs(Planter *pl, int f)
{
	if (pl->rules[f])
		bprintf(&pl->stubs[f], "\t.cfi_endproc\n");
	pl->rules[f] = NULL;
}

/* unwindable - have the assembler write unwind information where a running program finds it, and
 * not only for debuggers, as compilers ask with -fno-asynchronous-unwind-tables. */
void
unwindable(Planter *pl)
{
	static char both[] = ".cfi_sections\t.eh_frame, .debug_frame";
	int i;

	for (i = 0; i < pl->u->nstmt; i++) {
		const Stmt *st = &pl->u->stmt[i];

		if (begins(st, ".cfi_sections") && !memmem(st->s, (size_t)st->len, ".eh_frame", 9))
			pl->instead[i] = both;
	}
}

typedef struct Writer Writer;

struct Writer {
	const Planter *pl;
	Buf *out;
	bool signs; /* each line begins with a sign that says where it is from */
};

/* begin - begin a line for a statement: with a sign, which tells people that it is ours (+) or
 * replaces another (!); or with a line number for the assembler's line table. */
static void
begin(const Writer *w, const Stmt *st, char sign)
{
	if (w->signs)
		bprintf(w->out, "%c ", sign);
	else if (w->pl->how->marklines && st->line && !st->debug)
		bprintf(w->out, "# %d \"%s\"\n", st->line, w->pl->u->source[st->file]);
}

/* insert - write code of ours around a statement, on the statement's line. */
static void
insert(const Writer *w, const Stmt *st, const Buf *b)
{
	const char *s, *end, *eol;

	if (!b || !b->n)
		return;
	s = b->s;
	end = s + b->n;
	if (!w->pl->how->marklines && !w->signs) {
		bput(w->out, s, b->n);
		return;
	}
	for (; s < end; s = eol + 1) {
		eol = memchr(s, '\n', (size_t)(end - s));
		begin(w, st, '+');
		bput(w->out, s, (size_t)(eol + 1 - s));
	}
}

/* endsat - by statement: the function whose stubs go there, if it has any, + 1; 0 for none. */
static int *
endsat(const Planter *pl)
{
	const Unit *u = pl->u;
	int *ends = anew(u->run, int, u->nstmt), f;

	for (f = 0; f < u->nfunc; f++)
		if (u->func[f].nitem)
			ends[pl->end[f]] = f + 1;
	return ends;
}

/* goeson - whether control falls through from an item into another function that begins at the
 * next one. */
static bool
goeson(const Item *it, const Item *next)
{
	return next->entry && next->func != it->func
	       && (it->insn.turn == PLAIN || it->insn.turn == COND || it->insn.turn == CALL);
}

/* continuations - by function: the function into which it runs where its stubs would be; NONE. */
static int *
continuations(const Planter *pl)
{
	const Unit *u = pl->u;
	const int *ends = endsat(pl);
	const Item **last = anew(u->run, const Item *, u->nsect);
	int *into = anew(u->run, int, u->nfunc), *ended = anew(u->run, int, u->nsect),
	    i; /* ended: by section, + 1 */

	for (i = 0; i < u->nfunc; i++)
		into[i] = NONE;
	for (i = 0; i < u->nstmt; i++) {
		const Stmt *st = &u->stmt[i];
		const Item *it = st->kind == CODE ? &u->item[st->item] : NULL;
		int *f = &ended[st->sect];

		if (it && it->sect != NONE) {
			if (*f && last[st->sect] && goeson(last[st->sect], it))
				into[*f - 1] = it->func;
			*f = 0;
			last[st->sect] = it;
		}
		if (ends[i])
			*f = ends[i];
	}
	return into;
}

void
movestubs(Planter *pl)
{
	const int *into;
	int f;

	if (!pl->u->byhand)
		return;
	into = continuations(pl);
	for (f = 0; f < pl->u->nfunc; f++) {
		Buf *to = into[f] == NONE ? NULL : &pl->stubs[into[f]];

		if (into[f] <= f || !pl->stubs[f].n)
			continue;
		to->arena = pl->u->run;
		bput(to, pl->stubs[f].s, pl->stubs[f].n);
		pl->stubs[f].n = 0;
	}
}

void
copytext(const Planter *pl, bool signs, Buf *out)
{
	const Unit *u = pl->u;
	const int *ends = endsat(pl);
	Writer w = {.pl = pl, .out = out, .signs = signs};
	int i;

	for (i = 0; i < u->nstmt; i++) {
		const Stmt *st = &u->stmt[i];
		Words text = wordsof(pl, i);

		if (st->debug && !pl->how->keeplines)
			continue;
		insert(&w, st, pl->before[i]);
		begin(&w, st, pl->instead[i] ? '!' : ' ');
		bput(out, text.s, (size_t)text.len);
		if (st->kind == LABEL)
			bput(out, ":", 1);
		bput(out, "\n", 1);
		insert(&w, st, pl->after[i]);
		if (ends[i])
			insert(&w, st, &pl->stubs[ends[i] - 1]);
	}
}

void
writetext(const Unit *u, Buf *out)
{
	const Planter *pl = u->planter;

	if (!pl->how->bare)
		counterpages(out);
	copytext(pl, false, out);
	if (pl->how->marklines)
		bprintf(out, "# 1 \"tally\"\n");
	putleads(pl->leads, out);
	putnotes(pl, out);
}
