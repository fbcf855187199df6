/* calls.c - calls of the runtime besides counters: where files are first used, where a program
 * without a C library begins, before calls through pointers, and where control goes to another
 * stack. */

#include "plant.h"

#include <ctype.h>
#include <string.h>

/* look - test whether the file has been used, and call the runtime if not.  In compiled code
 * flags and red zone are free where a function begins; in hand-written code perhaps not. */
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

/* putlook - where the function begins: after a landing (endbr64), and before any label that a
 * loop jumps to. */
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

/* putbegin - start the runtime: without a C library nothing else does. */
void
putbegin(Planter *pl, int f)
{
	inform(pl, f, pl->after, pl->u->func[f].label, GUEST("begin"));
}

/* pointer - the operand of an indirect call or jump; returns its length, or 0 if there is none,
 * or if it cannot be loaded into r11 first: because it uses r11, or memory that the call would
 * overwrite.  A word that the linker fills in (@GOTPCREL) is not a pointer. */
static int
pointer(const Planter *pl, int stmt, const char **operand)
{
	Words w = wordsof(pl, stmt);
	const char *end = w.s + w.len, *s = mnemonic(w.s, end);
	int n;

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

/* putrecords - record the callee of calls through pointers and of indirect jumps that leave the
 * function.  By the ABI neither r11 nor the flags hold anything there. */
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

/* putdepart - call the runtime where a function begins that goes to another stack.  It comes
 * before any other code of ours: only at the function's start it is known where the frame is. */
void
putdepart(Planter *pl, int f)
{
	const Func *fn = &pl->u->func[f];
	const Item *it = fn->departs ? itemat(pl->u, fn, 0) : NULL;

	if (it)
		inform(pl, f, it->insn.landing ? pl->after : pl->before, it->stmt, GUEST("depart"));
}

/* putmidway - tell the runtime that control may arrive at this item from another stack, with
 * nothing known about the frame: the runtime then waits for the end of the function. */
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

/* depart - call the runtime before an instruction where the frame is intact, in a compiled
 * function that goes to another stack. */
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

/* arrive - call the runtime before the last instruction of such a function: a return, or an
 * indirect jump, whose operand may be relative to the stack pointer. */
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

/* putgoing - call the runtime where a function goes to another stack: earlier, where its frame
 * is intact, and at the instruction that goes there, which is its last.  See runtime/switches.h. */
void
putgoing(Planter *pl, int f)
{
	Unit *u = pl->u;
	const Func *fn = &u->func[f];
	int i;

	for (i = 0; i < fn->nitem; i++) /* a written distance forbids adding code */
		if (!fn->plan && itemat(u, fn, i)->refers != NONE) {
			u->switches |= fn->departs;
			return;
		}
	if (!fn->plan)
		putdepart(pl, f);
	for (i = 0; i < fn->nitem; i++) {
		const Item *it = itemat(u, fn, i);

		if (it->midway)
			putmidway(pl, it);
		if (it->departs)
			depart(pl, f, it);
		if (it->goes)
			arrive(pl, f, it);
	}
}

/* note - write a fact about the program for the runtime, once per program. */
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
