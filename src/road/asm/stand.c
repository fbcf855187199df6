/* stand.c - where our code may stand.
 *
 * Nearly everywhere, but some code must stay together.  Tools and kernels keep the address of a
 * label, and later overwrite the instruction there:
 *
 * .Lsled:	jmp	.+9		a sled, over which a tracer writes two instructions;
 *		nopw	512(%rax,%rax)	its label is in a table of all sleds
 *
 * or five nops at the start of a function, or a call there.  So nothing may come between such a
 * label and its instruction (Item.fixed), nor between that and the nops that follow it or that
 * it jumps over (Item.sealed, Item.solid).  The linker, too, matches an instruction that takes
 * the address of thread-local data together with the call after it, to replace both by something
 * shorter.
 *
 * A counter that belongs there goes before the label, if nothing jumps to it, or after the sled;
 * or else the place is pinned, and the core counts elsewhere. */

#include "asm.h"

#include <string.h>

/* isnop - whether an item does nothing.  Markers of the C road do not, either. */
static bool
isnop(const Unit *u, const Item *it)
{
	return it->nops || u->stmt[it->stmt].marker != NONE;
}

/* overnops - whether an item is a jump over nothing but nops. */
static bool
overnops(const Unit *u, int i)
{
	const Item *it = &u->item[i];
	int sect = u->stmt[it->stmt].sect, k;

	if (it->insn.turn != JUMP || it->target <= i
	    || u->stmt[u->item[it->target].stmt].sect != sect)
		return false;
	for (k = i + 1; k < it->target; k++)
		if (u->stmt[u->item[k].stmt].sect == sect && !isnop(u, &u->item[k]))
			return false;
	return true;
}

typedef struct Sled Sled;

/* The state of the search in a section. */
struct Sled {
	int before; /* the last item; NONE */
	int until;  /* the item after the nops that are jumped over; NONE */
	bool nops;  /* nops that follow belong to a sled */
};

/* extend - add an item to a sled, if it belongs to it. */
static void
extend(Unit *u, Sled *s, int i)
{
	Item *it = &u->item[i];
	bool end = i == s->until;

	if (s->nops && it->entry && !it->nops)
		u->item[s->before].sealed = true; /* found from the function's start */
	s->nops &= isnop(u, it);
	if (s->until == NONE && !s->nops)
		return;
	it->solid |= !end; /* the target of the jump may have counters before it */
	if (s->before != NONE)
		u->item[s->before].sealed = true;
	if (end)
		s->until = NONE;
}

/* islocal - whether a statement takes the address of thread-local data for the call that
 * follows. */
static bool
islocal(const Stmt *st)
{
	return memmem(st->s, (size_t)st->len, "@tls", 4) || memmem(st->s, (size_t)st->len, "@TLS", 4);
}

void
seal(Unit *u)
{
	Sled *sled = anew(u->run, Sled, u->nsect);
	int i;

	for (i = 0; i < u->nsect; i++)
		sled[i] = (Sled){.before = NONE, .until = NONE};
	for (i = 0; i < u->nitem; i++) {
		const Item *it = &u->item[i];
		Sled *s = &sled[u->stmt[it->stmt].sect];

		if (it->sect == NONE)
			continue;
		if (s->before != NONE && islocal(&u->stmt[u->item[s->before].stmt]))
			u->item[i].solid = true;
		extend(u, s, i);
		if (it->fixed != NONE && overnops(u, i))
			s->until = it->target;
		else if (it->fixed != NONE)
			s->nops = it->nops || it->insn.turn == RETURN;
		s->before = i;
	}
}

/* aligns - whether a statement is an alignment directive. */
static bool
aligns(const Stmt *st)
{
	return begins(st, ".p2align") || begins(st, ".balign") || begins(st, ".align");
}

/* beforelabels - the first of the labels and alignments right before an item, if its fixed label
 * is among them; else NONE. */
static int
beforelabels(const Unit *u, const Item *it)
{
	int i, first = it->stmt;

	for (i = it->stmt - 1; i >= 0; i--) {
		const Stmt *st = &u->stmt[i];

		if (st->kind == LABEL || st->kind == BLANK || aligns(st))
			first = st->sect == u->stmt[it->stmt].sect ? i : first;
		else if (!st->debug) /* which may be omitted, and what we put there with it */
			break;
	}
	return first <= it->fixed ? first : NONE;
}

int
standsat(const Unit *u, const Func *fn, int i)
{
	const Item *it = itemat(u, fn, i);

	if (it->glued || it->solid)
		return NONE;
	return it->fixed == NONE ? it->stmt : beforelabels(u, it);
}

/* standsfirst - whether code may stand before the first item of a block, after its labels. */
static bool
standsfirst(const Unit *u, const Func *fn, int b)
{
	const Item *it = itemat(u, fn, fn->body.first[b]);

	return !it->glued && !it->solid && it->fixed == NONE && !it->insn.landing;
}

bool
standsafter(const Unit *u, const Func *fn, int b)
{
	return !itemat(u, fn, fn->body.last[b])->sealed;
}

int
headat(const Unit *u, const Func *fn, int b)
{
	int i;

	for (i = fn->body.first[b]; i <= fn->body.last[b]; i++) {
		if (i == fn->body.first[b] ? standsfirst(u, fn, b) : standsat(u, fn, i) != NONE)
			return i;
		if (itemat(u, fn, i)->insn.turn != PLAIN && itemat(u, fn, i)->insn.turn != CALL)
			return NONE;
	}
	return standsafter(u, fn, b) ? i : NONE;
}

int
endat(const Unit *u, const Func *fn, int b)
{
	int i = fn->body.last[b];

	while (i > fn->body.first[b] && itemat(u, fn, i)->glued)
		i--;
	for (; i > fn->body.first[b]; i--) {
		if (standsat(u, fn, i) != NONE)
			return i;
		if (itemat(u, fn, i - 1)->insn.turn != PLAIN)
			return NONE;
	}
	return standsfirst(u, fn, b) ? i : NONE;
}

/* Direct jumps of the function itself bypass what stands there (again() in plant.c), indirect
 * ones do not. */
int
entryat(const Unit *u, const Func *fn)
{
	const Item *it = itemat(u, fn, fn->body.first[FIRST]);
	bool taken = it->taken && fn->body.hub != NONE && !fn->open;
	int i, after = fn->label, end = it->stmt;

	if (it->solid)
		return NONE;
	if (it->fixed != NONE)
		end = beforelabels(u, it);
	for (i = fn->label; i < end; i++)
		if (begins(&u->stmt[i], ".cfi_startproc") || (u->stmt[i].kind == LABEL && !taken))
			after = i;
	return it->fixed == NONE || end > fn->label ? after
	       : it->fixed > fn->label              ? fn->label
						    : NONE;
}
