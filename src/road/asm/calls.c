/* calls.c - calls of the runtime, beside counters: where files are first used, where a program without a C
 * library begins, before calls through pointers, and where control goes to another stack. */

#include "plant.h"

#include <ctype.h>
#include <string.h>

/* displace - code that moves the stack pointer, and what that is to the unwinder. */
static void
displace(Buf *b, const char *code, int by, bool unwound)
{
	bprintf(b, "\t%s\n", code);
	if (unwound)
		bprintf(b, "\t.cfi_adjust_cfa_offset\t%d\n", by);
}

/* look - whether the file has been used, and tell the runtime if it has not.  A compiler
 * needs neither flags nor the red zone where a function begins; people may. */
static void
look(const Unit *u, Buf *b, int stmt)
{
	bool unwound = isunwound(u, stmt);

	if (u->byhand) {
		displace(b, "leaq\t-128(%rsp), %rsp", 128, unwound);
		displace(b, "pushfq", 8, unwound);
	}
	bprintf(b, "\tcmpl\t$0, .Ltally_used(%%rip)\n\tjne\t.+7\n\tcall\t" GUEST("first") "\n");
	if (u->byhand) {
		displace(b, "popfq", -8, unwound);
		displace(b, "leaq\t128(%rsp), %rsp", -128, unwound);
	}
}

/* putlook - where the function begins; before anything can jump there, and behind a landing. */
void
putlook(Planter *pl, int f)
{
	const Unit *u = pl->u;
	const Func *fn = &u->func[f];
	bool alone = fn->g->inat[FIRST + 1] - fn->g->inat[FIRST] == 1;
	int i = alone ? headat(u, fn, FIRST) : NONE, stmt;
	Buf **where = pl->after;

	if (i == NONE) {
		stmt = entryat(u, fn);
	} else if (i > fn->last[FIRST]) {
		stmt = itemat(u, fn, fn->last[FIRST])->stmt;
	} else {
		stmt = i > fn->first[FIRST] ? standsat(u, fn, i) : itemat(u, fn, i)->stmt;
		where = pl->before;
	}
	if (stmt != NONE)
		look(u, at(pl, where, stmt), stmt);
}

/* isbegin - whether the function is where a program without a C library begins. */
bool
isbegin(const Func *fn)
{
	return strcmp(fn->name, "_start") == 0 || strcmp(fn->name, "PASCALMAIN") == 0;
}

/* putbegin - start the runtime, which nobody else does there. */
void
putbegin(Planter *pl, int f)
{
	bprintf(at(pl, pl->after, pl->u->func[f].label), "\tcall\t" GUEST("begin") "\n");
}

/* pointer - the operand through which a statement calls a function, or jumps to one; its length, or
 * 0 if there is none, or it is one that cannot be loaded into r11 before: r11 takes part in
 * it, or memory that a call overwrites.  A word that the linker fills is no pointer. */
static int
pointer(const Stmt *st, const char **operand)
{
	const char *s = st->s, *end = s + st->len;
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
 * whom they call.  By the ABI nothing is in r11 then, nor in the flags. */
void
putrecords(Planter *pl, int f)
{
	const Unit *u = pl->u;
	const Func *fn = &u->func[f];
	const char *operand;
	int i, n, to;

	for (i = 0; i < fn->nitem && !u->byhand; i++) {
		const Item *it = itemat(u, fn, i);
		const Stmt *st = &u->stmt[it->stmt];
		bool jump = it->insn.turn == INDIR && fn->hub == NONE;

		if (it->block == NONE || it->ninsn != 1 || it->glued || st->user || it->insn.direct
		    || (it->insn.turn != CALL && !jump) || !(n = pointer(st, &operand)))
			continue;
		to = i > fn->first[it->block] || it->fixed == NONE ? standsat(u, fn, i) : NONE;
		if (to == NONE)
			continue;
		bprintf(at(pl, pl->before, to), "\tmovq\t%.*s, %%r11\n\tcall\t" GUEST("called") "\n",
			n, operand);
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
		bprintf(at(pl, it->insn.landing ? pl->after : pl->before, it->stmt),
			"\tcall\t" GUEST("depart") "\n");
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

/* putgoing - calls of the runtime where a function goes to another stack: before, where its frame
 * is whole, and where it goes there, which is by its last instruction.  See switches.h. */
void
putgoing(Planter *pl, int f)
{
	Unit *u = pl->u;
	const Func *fn = &u->func[f];
	const char *operand;
	int i, n;

	for (i = 0; i < fn->nitem; i++) /* nothing may come in between */
		if (!pl->plan[f] && itemat(u, fn, i)->refers != NONE) {
			u->switches |= fn->parts;
			return;
		}
	if (!pl->plan[f])
		putdepart(pl, f);
	for (i = 0; i < fn->nitem; i++) {
		const Item *it = itemat(u, fn, i);
		const Stmt *st = &u->stmt[it->stmt];
		Buf *b = it->goes || it->parts ? at(pl, pl->before, it->stmt) : NULL;

		if (it->midway)
			putmidway(pl, it);
		if (it->parts && isunwound(u, it->stmt)) {
			bool relative = isrelative(u, it->stmt);

			displace(b, "leaq\t-128(%rsp), %rsp", 128, relative);
			bprintf(b, "\tcall\t" GUEST("depart") "\n");
			displace(b, "leaq\t128(%rsp), %rsp", -128, relative);
		} else if (it->parts) {
			u->switches = true;
		}
		if (!it->goes)
			continue;
		n = it->insn.turn == INDIR ? pointer(st, &operand) : 0;
		if (it->insn.turn != INDIR)
			bprintf(b, "\tcall\t" GUEST("arrive") "\n");
		else if (n && memmem(operand, (size_t)n, "%rsp", 4))
			bprintf(b,
				"\tpushq\t%.*s\n\tcall\t" GUEST("arrive") "\n"
				"\tleaq\t8(%%rsp), %%rsp\n",
				n, operand);
		else if (n)
			bprintf(b,
				"\tleaq\t-128(%%rsp), %%rsp\n\tpushq\t%.*s\n"
				"\tcall\t" GUEST("arrive") "\n\tleaq\t136(%%rsp), %%rsp\n",
				n, operand);
		else
			u->switches = true;
	}
}

/* note - what the runtime is to know of the program, once in it. */
static void
note(Buf *out, const char *name, unsigned what)
{
	bprintf(out,
		"\t.section\t" CALLSECTION ",\"aG\",@progbits," GUEST("%s") ",comdat\n"
		"\t.balign\t8\n\t.long\t%u, 0\n",
		name, what);
}

void
putnotes(const Planter *pl)
{
	if (pl->nmidway)
		bprintf(pl->out,
			"\t.section\t" CALLSECTION ",\"a\",@progbits\n\t.balign\t8\n%s",
			pl->midway.s);
	if (pl->how->flat && !pl->how->bare)
		note(pl->out, "flat", FLAT);
	if (pl->how->calls)
		note(pl->out, "callsall", CALLSALL);
}
