/* calls.c - calls of the runtime, beside counters: where files are first used, where a program without a C
 * library begins, before calls through pointers, and where control goes to another stack. */

#include "plant.h"

#include <ctype.h>
#include <string.h>

/* look - whether the file has been used, and tell the runtime if it has not.  A compiler
 * needs neither flags nor the red zone where a function begins; people may. */
static void
look(Planter *pl, int f, Buf **where, int stmt)
{
	const Unit *u = pl->u;
	Ours o = {.form = LOOK,
		  .saves = u->byhand,
		  .unwound = isunwound(u, stmt),
		  .word = ".Ltally_used",
		  .callee = GUEST("first")};

	plantours(pl, f, at(pl, where, stmt), stmt, &o, NONE);
}

/* inform - call the runtime before or after a statement. */
static void
inform(Planter *pl, int f, Buf **where, int stmt, const char *callee)
{
	Ours o = {.form = INFORM, .callee = callee};

	plantours(pl, f, at(pl, where, stmt), stmt, &o, NONE);
}

/* putlook - where the function begins; before anything can jump there, and after a landing. */
void
putlook(Planter *pl, int f)
{
	const Unit *u = pl->u;
	const Func *fn = &u->func[f];
	bool alone = fn->body.g->inat[FIRST + 1] - fn->body.g->inat[FIRST] == 1;
	int i = alone ? headat(u, fn, FIRST) : NONE, stmt;
	Buf **where = pl->after;

	if (i == NONE) {
		stmt = entryat(u, fn);
	} else if (i > fn->body.last[FIRST]) {
		stmt = itemat(u, fn, fn->body.last[FIRST])->stmt;
	} else {
		stmt = i > fn->body.first[FIRST] ? standsat(u, fn, i) : itemat(u, fn, i)->stmt;
		where = pl->before;
	}
	if (stmt != NONE)
		look(pl, f, where, stmt);
}

/* putbegin - start the runtime, which nobody else does there. */
void
putbegin(Planter *pl, int f)
{
	inform(pl, f, pl->after, pl->u->func[f].label, GUEST("begin"));
}

/* pointer - the operand through which a statement calls a function, or jumps to one; its length, or
 * 0 if there is none, or it is one that cannot be loaded into r11 before: r11 takes part in
 * it, or memory that a call overwrites.  A word that the linker fills is no pointer. */
static int
pointer(const Planter *pl, int stmt, const char **operand)
{
	Words w = wordsof(pl, stmt);
	const char *s = w.s, *end = s + w.len;
	int n;

	if (end - s > 8 && (memcmp(s, "notrack", 7) == 0 || memcmp(s, "bnd", 3) == 0)) {
		while (s < end && *s != ' ' && *s != '\t')
			s++;
		while (s < end && (*s == ' ' || *s == '\t'))
			s++;
	}
	if (end - s > 4 && memcmp(s, "call", 4) == 0)
		s += 4;
	else if (end - s > 3 && memcmp(s, "jmp", 3) == 0)
		s += 3;
	else
		return 0;
	s += *s == 'q';
	while (s < end && (*s == ' ' || *s == '\t'))
		s++;
	if (s == end || *s++ != '*')
		return 0;
	n = (int)(end - s);
	*operand = s;
	if (memchr(s, '@', (size_t)n) || (*s == '-' && memmem(s, (size_t)n, "%rsp", 4)))
		return 0;
	if (memmem(s, (size_t)n, "%r11", 4) && !(n == 4 && memcmp(s, "%r11", 4) == 0))
		return 0;
	return n;
}

/* putrecords - before calls through pointers, and jumps through such that leave the function:
 * which function they call.  By the ABI nothing is in r11 then, nor in the flags. */
void
putrecords(Planter *pl, int f)
{
	const Unit *u = pl->u;
	const Func *fn = &u->func[f];
	Ours o = {.form = RECORD, .callee = GUEST("called")};
	int i, to;

	for (i = 0; i < fn->nitem && !u->byhand; i++) {
		const Item *it = itemat(u, fn, i);
		const Stmt *st = &u->stmt[it->stmt];
		bool jump = it->insn.turn == INDIR && fn->body.hub == NONE;

		if (it->block == NONE || it->ninsn != 1 || it->glued || st->user || it->insn.direct
		    || (it->insn.turn != CALL && !jump)
		    || !(o.len = pointer(pl, it->stmt, &o.operand)))
			continue;
		to = i > fn->body.first[it->block] || it->fixed == NONE ? standsat(u, fn, i) : NONE;
		if (to == NONE)
			continue;
		plantours(pl, f, at(pl, pl->before, to), to, &o, NONE);
	}
}

/* putdepart - a call of the runtime where a function begins that goes to another stack: before
 * anything else of ours, for nobody could tell where its frame is. */
void
putdepart(Planter *pl, int f)
{
	const Func *fn = &pl->u->func[f];
	const Item *it = fn->parts ? itemat(pl->u, fn, 0) : NULL;

	if (it)
		inform(pl, f, it->insn.landing ? pl->after : pl->before, it->stmt, GUEST("depart"));
}

/* putmidway - tell the runtime that control may come to an item, by one of its labels, from another stack,
 * and nothing is known of the frame there: it waits for the end of the function. */
static void
putmidway(Planter *pl, const Item *it)
{
	const Unit *u = pl->u;
	int i;

	for (i = it->stmt - 1; i >= 0 && u->stmt[i].kind != CODE; i--) {
		if (u->stmt[i].kind != LABEL)
			continue;
		bprintf(at(pl, pl->before, i), ".Ltally_w%d:\n", pl->nmidway);
		bprintf(&pl->midway, "\t.long\t%u, .Ltally_w%d-.\n", MIDWAY, pl->nmidway);
		pl->nmidway++;
	}
}

/* depart - before an instruction where the frame is whole, in a function that goes to another stack. */
static void
depart(Planter *pl, int f, const Item *it)
{
	Unit *u = pl->u;
	Ours o = {.form = INFORM,
		  .saves = true,
		  .unwound = isrelative(u, it->stmt),
		  .callee = GUEST("depart")};

	if (isunwound(u, it->stmt))
		plantours(pl, f, at(pl, pl->before, it->stmt), it->stmt, &o, NONE);
	else
		u->switches = true;
}

/* arrive - before the last instruction of such a function: a return, or a jump to what its operand
 * says, which may be relative to the stack pointer. */
static void
arrive(Planter *pl, int f, const Item *it)
{
	Unit *u = pl->u;
	Ours o = {.form = INFORM, .callee = GUEST("arrive")};

	if (it->insn.turn == INDIR) {
		if (!(o.len = pointer(pl, it->stmt, &o.operand))) {
			u->switches = true;
			return;
		}
		o.saves = !memmem(o.operand, (size_t)o.len, "%rsp", 4);
	}
	plantours(pl, f, at(pl, pl->before, it->stmt), it->stmt, &o, NONE);
}

/* putgoing - calls of the runtime where a function goes to another stack: before, where its frame
 * is whole, and where it goes there, which is by its last instruction.  See switches.h. */
void
putgoing(Planter *pl, int f)
{
	Unit *u = pl->u;
	const Func *fn = &u->func[f];
	int i;

	for (i = 0; i < fn->nitem; i++) /* nothing may come in between */
		if (!fn->plan && itemat(u, fn, i)->refers != NONE) {
			u->switches |= fn->parts;
			return;
		}
	if (!fn->plan)
		putdepart(pl, f);
	for (i = 0; i < fn->nitem; i++) {
		const Item *it = itemat(u, fn, i);

		if (it->midway)
			putmidway(pl, it);
		if (it->parts)
			depart(pl, f, it);
		if (it->goes)
			arrive(pl, f, it);
	}
}

/* note - what the runtime is to know of the program, once in it. */
static void
note(Buf *out, const char *name, unsigned what)
{
	bprintf(out,
		"\t.section\t" CALLSECTION
		",\"aG\",@progbits," GUEST("%s") ",comdat\n"
						 "\t.balign\t8\n\t.long\t%u, 0\n",
		name, what);
}

void
putnotes(const Planter *pl, Buf *out)
{
	if (pl->nmidway)
		bprintf(out, "\t.section\t" CALLSECTION ",\"a\",@progbits\n\t.balign\t8\n%s",
			pl->midway.s);
	if (pl->how->flat && !pl->how->bare)
		note(out, "flat", FLAT);
	if (pl->how->calls)
		note(out, "callsall", CALLSALL);
}
