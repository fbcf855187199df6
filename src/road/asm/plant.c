/* plant.c - write the text again, with counters.
 *
 * Labels of ours: .Ltally_bF_B begins block B of function F, .Ltally_sF_E is the
 * stub of edge E, .Ltally_nF the first counter of F. */

#include "asm.h"

#include "runtime/names.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

const char *const wayname[NWAY] = {
	[GUESSES] = "guesses",
	[DETOURS] = "detours",
	[TRIPLES] = "triples",
};

typedef struct Planter Planter;

/* What to write around each statement. */
struct Planter {
	Unit *u;
	const Order *how;
	Buf **before; /* by statement: what goes before it; NULL */
	Buf **after;
	Plan **plan;  /* by function; NULL if it is not counted */
	Plan **check; /* likewise */
	Buf *stubs;   /* by function */
	char **rules; /* by function: unwind information of the last of them, whose procedure is open; NULL */
	int *cfiend;  /* by function: statement behind which its stubs go */
	char **shown; /* by function: what its source calls it, if that matters */
	bool *tight;  /* by block of the function at hand: it is in a tight loop */
	bool quick;   /* the counter at hand is: three instructions for one, if they can be had */
	Buf midway; /* what the runtime is told of the places where control comes from other stacks */
	int nmidway;
	Buf *out;
};

/* at - what goes before or after a statement. */
static Buf *
at(Planter *pl, Buf **where, int stmt)
{
	if (!where[stmt]) {
		where[stmt] = anew(pl->u->run, Buf, 1);
		where[stmt]->arena = pl->u->run;
	}
	return where[stmt];
}

/* spare - a register of a function that is not live; NULL. */
static const char *
spare(const Func *fn, Regs live)
{
	static const char *const name[] = {"rax", "rcx", "rdx", NULL, NULL,  NULL,
					   "rsi", "rdi", "r8",  "r9", "r10", "r11"};
	Regs r = fn->scratch & ~live;

	return r ? name[__builtin_ctz(r)] : NULL;
}

/* count - code that adds one to a counter.  Three instructions in a spare register are quicker
 * than one if the last time was a moment ago, and leave the flags alone; but a handler of a
 * signal may come between them, and only the runtime can see to that. */
static void
count(const Planter *pl, Buf *b, int f, int slot, Regs live)
{
	const Order *how = pl->how;
	const char *gs = how->flat ? "" : "%gs:", *r = spare(&pl->u->func[f], live);
	bool flags = live & FLAGS;

	if (r && !how->flat && !how->bare && !how->without[TRIPLES] && (flags || pl->quick)) {
		bprintf(b, "\tmovq\t%s.Ltally_n%d+%d(%%rip), %%%s\n", gs, f, 8 * slot, r);
		bprintf(b, "\tleaq\t1(%%%s), %%%s\n", r, r);
		bprintf(b, "\tmovq\t%%%s, %s.Ltally_n%d+%d(%%rip)\n", r, gs, f, 8 * slot);
		return;
	}
	if (flags) /* step over the red zone, which a push would overwrite */
		bprintf(b, "\tleaq\t-128(%%rsp), %%rsp\n\tpushfq\n");
	bprintf(b, "\tincq\t%s.Ltally_n%d+%d(%%rip)\n", gs, f, 8 * slot);
	if (flags)
		bprintf(b, "\tpopfq\n\tleaq\t128(%%rsp), %%rsp\n");
}

static const Item *
itemat(const Unit *u, const Func *fn, int i)
{
	return &u->item[fn->item[i]];
}

/* putat - a counter before item i of block b, which may be one past its last.  Code may stand there. */
static void
putat(Planter *pl, int f, int b, int i, int slot)
{
	const Unit *u = pl->u;
	const Func *fn = &u->func[f];
	Regs live = livebefore(u, fn, b, i);

	if (i > fn->last[b])
		count(pl, at(pl, pl->after, itemat(u, fn, fn->last[b])->stmt), f, slot, live);
	else if (i > fn->first[b])
		count(pl, at(pl, pl->before, standsat(u, fn, i)), f, slot, live);
	else
		count(pl, at(pl, pl->before, itemat(u, fn, i)->stmt), f, slot, live);
}

/* putblock - a counter in block b: at its head, or at the first place where it need
 * not keep the flags. */
static void
putblock(Planter *pl, int f, int b, int slot)
{
	const Unit *u = pl->u;
	const Func *fn = &u->func[f];
	int head = headat(u, fn, b), i;

	for (i = head; i <= fn->last[b]; i++)
		if ((i == head || standsat(u, fn, i) != NONE)
		    && !(livebefore(u, fn, b, i) & FLAGS)) {
			putat(pl, f, b, i, slot);
			return;
		}
	putat(pl, f, b, head, slot);
}

/* putentry - a counter where the function begins, before anything can jump there. */
static void
putentry(Planter *pl, int f, int slot)
{
	const Unit *u = pl->u;
	const Func *fn = &u->func[f];

	count(pl, at(pl, pl->after, entryat(u, fn)), f, slot,
	      u->byhand ? fn->live[FIRST] : fn->live[FIRST] & ~FLAGS);
}

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
static void
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

/* putend - a counter before the last instruction of block b. */
static void
putend(Planter *pl, int f, int b, int slot)
{
	putat(pl, f, b, endat(pl->u, &pl->u->func[f], b), slot);
}

/* wordlen - of the statement's first word. */
static int
wordlen(const Stmt *st)
{
	int n = 0;

	while (n < st->len && st->s[n] != ' ' && st->s[n] != '\t')
		n++;
	return n;
}

/* divert - a branch to a label of ours; it may be written as data. */
static void
divert(Unit *u, Stmt *st, char kind, int f, int k)
{
	static const char *const condition[] = {"o", "no", "b", "ae", "e", "ne", "be", "a",
						"s", "ns", "p", "np", "l", "ge", "le", "g"};
	int cc = u->item[st->item].insn.turn == COND ? u->item[st->item].insn.cc : -1;
	Buf jump = {.arena = u->run};

	if (st->data)
		bprintf(&jump, "j%s", cc == -1 ? "mp" : condition[cc]);
	else
		bprintf(&jump, "%.*s", wordlen(st), st->s);
	bprintf(&jump, "\t.Ltally_%c%d_%d", kind, f, k);
	st->s = jump.s;
	st->len = (int)jump.n;
}

/* closestubs - the procedure of the last stub, if there is one. */
static void
closestubs(Planter *pl, int f)
{
	if (pl->rules[f])
		bprintf(&pl->stubs[f], "\t.cfi_endproc\n");
	pl->rules[f] = NULL;
}

/* unwindstub - see to it that a stub is in a procedure with the unwind information of a statement: that of the stub
 * before it, if that has the same. */
static void
unwindstub(Planter *pl, int f, int stmt)
{
	Buf rules = {.arena = pl->u->run};

	if (!unwindas(pl->u, stmt, &rules)) {
		closestubs(pl, f);
		return;
	}
	if (pl->rules[f] && strcmp(pl->rules[f], rules.s) == 0)
		return;
	closestubs(pl, f);
	bput(&pl->stubs[f], rules.s, rules.n);
	pl->rules[f] = rules.s;
}

/* putstub - count a branch out of line: the branch goes to the stub, the stub to where
 * the branch went.  The statement's own words are kept for a target outside. */
static void
putstub(Planter *pl, int f, int e, int slot)
{
	Unit *u = pl->u;
	const Func *fn = &u->func[f];
	const Edge *ed = &fn->g->edge[e];
	Stmt *st = &u->stmt[itemat(u, fn, fn->last[ed->src])->stmt];
	Buf *b = &pl->stubs[f];
	int word = wordlen(st);

	b->arena = u->run;
	unwindstub(pl, f, (int)(st - u->stmt));
	bprintf(b, ".Ltally_s%d_%d:\n", f, e);
	count(pl, b, f, slot, liveon(u, fn, e));
	if (ed->dst == EXIT)
		bprintf(b, "\tjmp%.*s\n", st->len - word, st->s + word);
	else
		bprintf(b, "\tjmp\t.Ltally_b%d_%d\n", f, ed->dst);
	divert(u, st, 's', f, e);
}

static void
putedge(Planter *pl, int f, int e, int slot)
{
	const Unit *u = pl->u;
	const Func *fn = &u->func[f];
	const Graph *g = fn->g;
	const Edge *ed = &g->edge[e];
	bool alone = ed->dst >= FIRST && g->inat[ed->dst + 1] - g->inat[ed->dst] == 1;
	bool head = alone && fn->first[ed->dst] != NONE && headat(u, fn, ed->dst) != NONE;

	switch (fn->how[e]) {
	case INTO:
		if (head)
			putat(pl, f, ed->dst, headat(u, fn, ed->dst), slot);
		else
			putentry(pl, f, slot);
		break;
	case FALLS:
		count(pl, at(pl, pl->after, itemat(u, fn, fn->last[ed->src])->stmt), f, slot,
		      liveon(u, fn, e));
		break;
	case BRANCH:
		if (head)
			putat(pl, f, ed->dst, headat(u, fn, ed->dst), slot);
		else
			putstub(pl, f, e, slot);
		break;
	case LEAVES:
	case TOHUB: putend(pl, f, ed->src, slot); break;
	case FROMHUB: putat(pl, f, ed->dst, headat(u, fn, ed->dst), slot); break;
	case ENTERS:
	case NOWHERE: break;
	}
}

/* TIGHT - of a loop: instructions that take no longer than an increment of what was stored a
 * moment ago. */
enum { TIGHT = 32 };

/* findtight - the blocks of loops that are shorter each time around, by their weights.  No call is, nor what
 * never ran. */
static bool *
findtight(const Unit *u, const Func *fn, Arena *a)
{
	const Graph *g = fn->g;
	Loops l = findnest(g, a);
	double *size = anew(a, double, g->nblock); /* by head */
	bool *tight = anew(a, bool, g->nblock);
	int b, i, h;

	for (b = FIRST; b < g->nblock; b++) {
		int n = 0;

		for (i = fn->first[b]; i != NONE && i <= fn->last[b]; i++)
			n += itemat(u, fn, i)->insn.turn == CALL ? TIGHT + 1
								 : itemat(u, fn, i)->ninsn;
		for (h = l.of[b]; h != NONE; h = l.outer[h])
			size[h] += n * g->block[b].weight;
	}
	for (b = FIRST; b < g->nblock; b++)
		tight[b] = l.of[b] != NONE && size[l.of[b]] < TIGHT * g->block[l.of[b]].weight;
	return tight;
}

/* istight - whether a place is in such a loop. */
static bool
istight(const Planter *pl, const Graph *g, int p)
{
	return isblock(g, p) ? pl->tight[p]
			     : pl->tight[placeedge(g, p)->src] && pl->tight[placeedge(g, p)->dst];
}

/* putplan - counters that stand where blocks begin, or those that stand where they end. */
static void
putplan(Planter *pl, int f, const Plan *plan, int base, bool ends)
{
	const Func *fn = &pl->u->func[f];
	const Graph *g = fn->g;
	int p;

	for (p = 0; p < nplace(g); p++) {
		int slot = plan->slot[p], e = isblock(g, p) ? NONE : p - g->nblock;

		if (slot == NOSLOT
		    || ends != (e != NONE && (fn->how[e] == LEAVES || fn->how[e] == TOHUB)))
			continue;
		pl->quick = pl->how->check || istight(pl, g, p); /* check all that can be */
		if (p == ENTRY)
			putedge(pl, f, g->out[g->outat[ENTRY]].edge, base + slot);
		else if (e == NONE)
			putblock(pl, f, p, base + slot);
		else
			putedge(pl, f, e, base + slot);
	}
}

/* labels - one at the begin of each block. */
static void
labels(Planter *pl, int f)
{
	const Func *fn = &pl->u->func[f];
	int b;

	for (b = FIRST; b < fn->g->nblock; b++)
		if (fn->first[b] != NONE) {
			Buf *buf = at(pl, pl->before, itemat(pl->u, fn, fn->first[b])->stmt);

			bprintf(buf, ".Ltally_b%d_%d:\n", f, b);
		}
}

/* again - jumps to where the function begins go behind the counter of its calls, although
 * they may name the function.  Jumps by distance go where they went. */
static void
again(Planter *pl, int f)
{
	Unit *u = pl->u;
	const Func *fn = &u->func[f];
	int b;

	for (b = FIRST; b < fn->g->nblock; b++) {
		const Item *it = fn->last[b] == NONE ? NULL : itemat(u, fn, fn->last[b]);

		if (it && it->target != NONE && it->insn.turn != CALL
		    && (u->item[it->target].block == FIRST || !isplain(&u->stmt[it->stmt])))
			divert(u, &u->stmt[it->stmt], 'b', f, u->item[it->target].block);
	}
}

/* unfix - addresses by distance become names. */
static void
unfix(Planter *pl, int f)
{
	Unit *u = pl->u;
	const Func *fn = &u->func[f];
	int i;

	for (i = 0; i < fn->nitem; i++) {
		const Item *it = itemat(u, fn, i);
		Stmt *st = &u->stmt[it->stmt];
		Buf b = {.arena = u->run};
		const char *rip, *s;

		if (it->refers == NONE)
			continue;
		rip = s = memmem(st->s, (size_t)st->len, "(%rip)", 6);
		while (isalnum((unsigned char)s[-1]) || s[-1] == '-')
			s--;
		bprintf(&b, "%.*s.Ltally_b%d_%d%.*s", (int)(s - st->s), st->s, f,
			u->item[it->refers].block, (int)(st->s + st->len - rip), rip);
		st->s = b.s;
		st->len = (int)b.n;
	}
}

/* findends - where stubs can go: behind the function's unwind information, or behind
 * its last item. */
static void
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

/* isbegin - whether the function is where a program without a C library begins. */
static bool
isbegin(const Func *fn)
{
	return strcmp(fn->name, "_start") == 0 || strcmp(fn->name, "PASCALMAIN") == 0;
}

/* begin - start the runtime, which nobody else does there. */
static void
begin(Planter *pl, int f)
{
	bprintf(at(pl, pl->after, pl->u->func[f].label), "\tcall\t" GUEST("begin") "\n");
}

/* entryplan - a second count of how often a function is entered.  For main it shows
 * whether the program ended inside a call: then main was entered and did not come
 * to its end. */
static Plan *
entryplan(const Graph *g, Arena *a)
{
	bool *counted = anew(a, bool, nplace(g));

	counted[ENTRY] = true;
	return handplan(g, counted, a);
}

/* shownames - of all functions. */
static char **
shownames(Unit *u)
{
	char **name = anew(u->run, char *, u->nfunc);
	int f;

	for (f = 0; f < u->nfunc; f++)
		name[f] = u->func[f].name;
	demangle(name, u->nfunc, u->run);
	return name;
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
static void
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
static void
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
static void
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

/* among - whether function f is, by one of its names or its file. */
static bool
among(char *const *glob, int n, const Planter *pl, int f)
{
	return n
	       && (matches(glob, n, pl->u->func[f].name) || matches(glob, n, pl->shown[f])
		   || matchespath(glob, n, funcfile(pl->u, f)));
}

/* wanted - whether function f is to be counted. */
static bool
wanted(const Planter *pl, int f)
{
	const Order *how = pl->how;

	return (!how->nonly || among(how->only, how->nonly, pl, f))
	       && !among(how->skip, how->nskip, pl, f);
}

/* known - weigh a function by what an earlier run counted; false if it did not run, or
 * has changed since. */
static bool
known(const Unit *u, Func *fn, const Weights *w, Arena *tmp)
{
	Flow flow = {0};

	flow.count = w ? findweights(w, fn->name, shape(u, fn), nplace(fn->g), tmp) : NULL;
	if (!flow.count)
		return false;
	weighexact(fn->g, &flow);
	return true;
}

static void
design(Planter *pl, int f)
{
	Unit *u = pl->u;
	Func *fn = &u->func[f];
	Arena tmp = {0};
	int e;

	if (!fn->g)
		return;
	if (!wanted(pl, f)) {
		fn->odd = "left out by --only or --skip";
		return;
	}
	for (e = 0; e < fn->g->nedge && pl->how->without[DETOURS]; e++)
		fn->g->edge[e].cost = 1;
	if (!known(u, fn, pl->how->weights, &tmp)) {
		if (!pl->how->without[GUESSES])
			guess(u, fn);
		weigh(fn->g, &tmp);
	}
	pl->plan[f] = place(fn->g, pl->how->scheme, u->run);
	if (!tellcalls(fn->g, pl->plan[f], &tmp) || checkplan(fn->g, pl->plan[f], &tmp) != NONE) {
		fn->odd = "no counters suffice";
		pl->plan[f] = NULL;
	} else {
		pl->tight = findtight(u, fn, &tmp);
		labels(pl, f);
		again(pl, f);
		unfix(pl, f);
		if (!pl->how->bare)
			putdepart(pl, f);
		if (pl->how->firsts)
			putlook(pl, f);
		putplan(pl, f, pl->plan[f], 0, false);
		if (pl->how->check)
			pl->check[f] = place(fn->g, REDUNDANT, u->run);
		else if (!fn->g->block[ENTRY].pinned
			 && (strcmp(fn->name, "main") == 0 || isbegin(fn)))
			pl->check[f] = entryplan(fn->g, u->run);
		if (pl->check[f])
			putplan(pl, f, pl->check[f], pl->plan[f]->nslot, false);
		putplan(pl, f, pl->plan[f], 0, true);
		if (pl->how->calls)
			putrecords(pl, f);
	}
	areset(&tmp);
}

/* mark - tell the assembler which line of the source comes next. */
static void
mark(Planter *pl, const Stmt *st)
{
	if (pl->how->marklines && st->line && !st->debug)
		bprintf(pl->out, "# %d \"%s\"\n", st->line, pl->u->source[st->file]);
}

#define NAME(number, name) name,
static const char *const hooked[] = {HOOKS(NAME) STATICHOOKS(NAME)};
enum { NHOOKED = sizeof hooked / sizeof *hooked };

/* hookof - the function in whose place the runtime may be called, if the statement calls one:
 * NAME, NAME@PLT, *NAME@GOTPCREL(%rip); NONE. */
static int
hookof(const Unit *u, const Stmt *st)
{
	const char *s = st->s, *end = s + st->len, *name;
	const Item *it = st->kind == CODE && !st->data ? &u->item[st->item] : NULL;
	int i;

	if (!it || it->ninsn != 1 || it->glued
	    || (strncmp(s, "call", 4) != 0 && strncmp(s, "jmp", 3) != 0))
		return NONE;
	while (s < end && *s != ' ' && *s != '\t')
		s++;
	while (s < end && (*s == ' ' || *s == '\t' || *s == '*'))
		s++;
	for (name = s; s < end && *s != '@' && *s != ' ' && *s != '(' && *s != '+' && *s != '-';
	     s++)
		;
	if (s < end && *s != '@')
		return NONE;
	for (i = 0; i < NHOOKED; i++)
		if (strlen(hooked[i]) == (size_t)(s - name)
		    && memcmp(hooked[i], name, (size_t)(s - name)) == 0)
			return i;
	return NONE;
}

typedef struct Leads Leads;

struct Leads {
	bool own[NHOOKED];   /* functions of the file itself */
	bool all[NHOOKED];   /* that others see, too */
	bool need[NHOOKED];  /* that it calls, or has pointers to */
	bool taken[NHOOKED]; /* whose address it takes otherwise than for a word of data */
	Buf pointers;        /* what is said of such words */
	int npointer;
	bool calls; /* there are system calls */
};

/* isglobal - whether a statement makes that name one of the whole program. */
static bool
isglobal(const Stmt *st, const char *name)
{
	size_t n = strlen(name);

	return (begins(st, ".globl") || begins(st, ".global") || begins(st, ".weak"))
	       && (size_t)st->len > n && memcmp(st->s + st->len - n, name, n) == 0
	       && (st->s[st->len - n - 1] == ' ' || st->s[st->len - n - 1] == '\t');
}

/* namein - the next of such functions that a statement names, from *s on; NONE. */
static int
namein(Table *names, const char **s, const char *end)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$";
	const Entry *e;
	size_t n;

	while (*s < end) {
		for (n = 0; *s + n < end && strchr(letters, (*s)[n]); n++)
			;
		e = n ? lookup(names, *s, n) : NULL;
		*s += n ? n : 1;
		if (e)
			return e->value;
	}
	return NONE;
}

/* ispointer - whether a statement is a word of data that holds the address of a function, and nothing else,
 * where it can be told of without keeping what the linker would drop. */
static bool
ispointer(const Unit *u, const Stmt *st, const char *name)
{
	static const char *const kept[] = {".data",        ".data.rel",          ".data.rel.local",
					   ".data.rel.ro", ".data.rel.ro.local", ".rodata"};
	const Sect *sect = &u->sect[st->sect];
	size_t n = strlen(name), i;
	bool known = false;

	for (i = 0; i < sizeof kept / sizeof *kept; i++)
		known |= strcmp(sect->name, kept[i]) == 0;
	return known && !sect->group && (begins(st, ".quad") || begins(st, ".8byte"))
	       && (size_t)st->len == strcspn(st->s, " \t") + 1 + n
	       && memcmp(st->s + st->len - n, name, n) == 0;
}

/* point - note who has the address of such functions: in a static program calls by it go through
 * nothing else that could be led elsewhere. */
static void
point(Planter *pl, Leads *l, Table *names, int i)
{
	Unit *u = pl->u;
	const Stmt *st = &u->stmt[i];
	const char *s = st->s, *end = s + st->len;
	int k;

	if (st->debug || u->sect[st->sect].debug
	    || (st->kind != CODE && !begins(st, ".quad") && !begins(st, ".8byte")
		&& !begins(st, ".long")))
		return;
	while ((k = namein(names, &s, end)) != NONE) {
		if (l->own[k])
			continue;
		if (!ispointer(u, st, hooked[k])) {
			l->taken[k] = true;
			continue;
		}
		l->need[k] = true;
		bprintf(at(pl, pl->before, i), ".Ltally_p%d:\n", l->npointer);
		bprintf(&l->pointers, "\t.long\t%u, .Ltally_p%d-.\n", (unsigned)k | POINTER,
			l->npointer++);
	}
}

/* lead - calls of such functions to stubs. */
static void
lead(Planter *pl, Leads *l)
{
	Unit *u = pl->u;
	Table labels = {.arena = u->run}, names = {.arena = u->run};
	int i, k;

	l->pointers.arena = u->run;
	indexlabels(u, &labels);
	for (k = 0; k < NHOOKED; k++) {
		intern(&names, hooked[k], strlen(hooked[k]), k);
		l->own[k] = lookup(&labels, hooked[k], strlen(hooked[k])) != NULL;
	}
	for (i = 0; i < u->nstmt; i++) {
		Stmt *st = &u->stmt[i];
		Buf b = {.arena = u->run};

		for (k = 0; k < NHOOKED; k++)
			l->all[k] |= l->own[k] && isglobal(st, hooked[k]);
		k = hookof(u, st);
		l->calls |= st->kind == CODE && begins(st, "syscall");
		if (k == NONE)
			point(pl, l, &names, i);
		if (k == NONE || l->own[k])
			continue;
		l->need[k] = true;
		bprintf(&b, "%s\t" GUEST("%s"), st->s[0] == 'c' ? "call" : "jmp", hooked[k]);
		st->s = b.s;
		st->len = (int)b.n;
	}
}

/* putleads - the stubs, one of each in a program. */
static void
putleads(const Leads *l, Buf *out)
{
	int k;

	for (k = 0; k < NHOOKED; k++) {
		const char *s = hooked[k];

		if (l->all[k])
			bprintf(out,
				"\t.section\t" CALLSECTION ",\"a\",@progbits\n\t.balign\t8\n"
				"\t.long\t%u, 0\n",
				(unsigned)k | OWNNAME);
		if (l->taken[k])
			bprintf(out,
				"\t.section\t" CALLSECTION ",\"a\",@progbits\n\t.balign\t8\n"
				"\t.long\t%u, 0\n",
				(unsigned)k | TAKEN);
		if (!l->need[k])
			continue;
		bprintf(out,
			"\t.section\t.text.tally,\"axG\",@progbits," GUEST(
				"%s") ",comdat\n"
				      "\t.globl\t" GUEST("%s") "\n\t.hidden\t" GUEST(
					      "%s") "\n"
						    "\t.type\t" GUEST("%s") ", @function\n" GUEST(
							    "%s") ":\n\t.cfi_startproc\n"
								  "\tmovq\t" GUEST(
									  "standins") "+%d(%%rip), "
										      "%%r11\n"
										      "\ttestq\t%%"
										      "r11, "
										      "%%"
										      "r11\n\tjne\t"
										      "1f\n\tjmp\t%"
										      "s@PLT\n1:"
										      "\tjmp\t*%%"
										      "r11\n"
										      "\t.cfi_"
										      "endproc\n"
										      "\t."
										      "section"
										      "\t" CALLSECTION
										      ",\"aG\",@"
										      "progbits"
										      "," GUEST(
											      "%s") ",comdat\n"
												    "\t.balign\t8\n\t.long\t%d\n\t.reloc\t., R_X86_64_PLT32, %s\n\t.long\t0\n",
			s, s, s, s, s, 8 * k, s, s, k, s);
	}
	if (l->calls)
		bprintf(out,
			"\t.section\t" CALLSECTION ",\"aG\",@progbits," GUEST("owncalls") ",comdat\n"
			"\t.balign\t8\n\t.long\t%u, 0\n",
			OWNCALLS);
	if (l->npointer)
		bprintf(out, "\t.section\t" CALLSECTION ",\"a\",@progbits\n\t.balign\t8\n%s",
			l->pointers.s);
}

/* unwindable - have the assembler write what it is told of frames where a running program finds it, too, and
 * not only for debuggers: compilers ask for the latter with -fno-asynchronous-unwind-tables. */
static void
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

static void
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

void
plant(Unit *u, const Order *how, Buf *out)
{
	Planter pl = {
		.u = u,
		.how = how,
		.before = anew(u->run, Buf *, u->nstmt),
		.after = anew(u->run, Buf *, u->nstmt),
		.plan = anew(u->run, Plan *, u->nfunc),
		.check = anew(u->run, Plan *, u->nfunc),
		.stubs = anew(u->run, Buf, u->nfunc),
		.rules = anew(u->run, char *, u->nfunc),
		.cfiend = anew(u->run, int, u->nfunc),
		.out = out,
		.midway = {.arena = u->run},
	};
	Leads leads = {0};
	int f;

	readlines(u);
	indexcfi(u);
	findends(&pl);
	if (!how->bare) {
		lead(&pl, &leads);
		unwindable(u);
	}
	if (how->nonly || how->nskip)
		pl.shown = shownames(u);
	for (f = 0; f < u->nfunc; f++) {
		Buf *b = at(&pl, pl.after, u->func[f].label);

		/* --gc-sections keeps the map of what it keeps, and where that was made. */
		bprintf(b, "\t.reloc\t., R_X86_64_NONE, .Ltally_f%d\n", f);
		if (how->place)
			bprintf(b, "\t.reloc\t., R_X86_64_NONE, %s\n", how->place);
		if (isbegin(&u->func[f]) && !how->bare)
			begin(&pl, f);
		design(&pl, f);
		if (!how->bare)
			putgoing(&pl, f);
	}
	if (!how->bare)
		counterpages(out);
	copytext(&pl);
	if (how->marklines)
		bprintf(out, "# 1 \"tally\"\n");
	putleads(&leads, out);
	if (pl.nmidway)
		bprintf(out, "\t.section\t" CALLSECTION ",\"a\",@progbits\n\t.balign\t8\n%s", pl.midway.s);
	if (how->flat && !how->bare)
		bprintf(out,
			"\t.section\t" CALLSECTION
			",\"aG\",@progbits," GUEST("flat") ",comdat\n"
							   "\t.balign\t8\n\t.long\t%u, 0\n",
			FLAT);
	if (how->calls)
		bprintf(out,
			"\t.section\t" CALLSECTION
			",\"aG\",@progbits," GUEST("callsall") ",comdat\n"
							       "\t.balign\t8\n\t.long\t%u, 0\n",
			CALLSALL);
	forgetcfi(u);
	writemap(u, how, pl.plan, pl.check, out);
}
