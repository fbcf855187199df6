/* stand.c - where code of ours may stand.
 *
 * Nearly everywhere, but some code must stay together.  Tools and kernels look for an instruction where a
 * label is that they have the address of, to put something else in its place:
 *
 *   .Lsled:	jmp	.+9		a sled, over which a tracer writes two instructions;
 *		nopw	512(%rax,%rax)	its label is in a table of all sleds
 *
 * or five nops where a function begins, or a call there.  So nothing comes between such a label and its
 * instruction (Item.fixed), nor between that and the nops that follow it or that it jumps over
 * (Item.sealed, Item.solid).  Linkers look for the address of thread-local data and the call that follows it, to make
 * something shorter of both: they stay together, too.  A counter that belongs there goes before the label, if nobody jumps to it, or
 * after the sled, or the core is told that there can be none (pinned) and counts elsewhere. */

#include "asm.h"

#include <string.h>

/* isnop - whether an item does nothing; marks of the C road do not, either. */
static bool
isnop(const Unit *u, const Item *it)
{
	return it->nops || u->stmt[it->stmt].mark != NONE;
}

/* overnops - whether a jump leads over nothing but nops. */
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

/* By section. */
struct Sled {
	int before; /* the last item; NONE */
	int until;  /* the item after the nops that a jump leads over; NONE */
	bool nops;  /* nops belong to a sled */
};

/* extend - a sled by the item, if it belongs to it. */
static void
extend(Unit *u, Sled *s, int i)
{
	Item *it = &u->item[i];
	bool end = i == s->until;

	if (s->nops && it->entry && !it->nops)
		u->item[s->before].sealed = true; /* it is found by where its function begins */
	s->nops &= isnop(u, it);
	if (s->until == NONE && !s->nops)
		return;
	it->solid = !end; /* where the jump leads counters of the block may stand */
	if (s->before != NONE)
		u->item[s->before].sealed = true;
	if (end)
		s->until = NONE;
}

/* islocal - whether a statement takes the address of thread-local data for the call that is to follow. */
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

/* aligns - whether a statement aligns what follows. */
static bool
aligns(const Stmt *st)
{
	return begins(st, ".p2align") || begins(st, ".balign") || begins(st, ".align");
}

/* beforelabels - the first statement of those that only name or align an item, if its fixed label is among
 * them; NONE. */
static int
beforelabels(const Unit *u, const Item *it)
{
	int i, first = it->stmt;

	for (i = it->stmt - 1; i >= 0; i--) {
		const Stmt *st = &u->stmt[i];

		if (st->kind == LABEL || st->kind == BLANK || aligns(st))
			first = st->sect == u->stmt[it->stmt].sect ? i : first;
		else if (!st->debug) /* which may be left out, and what we put there */
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

/* standsfirst - whether code may stand before the first item of a block, and after its labels. */
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

/* Jumps of the function itself go past what stands there (plant.c), but for indirect ones. */
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
