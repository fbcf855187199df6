/* plant.c - put counters between the statements of a text.
 *
 * A block's counter stands before one of its instructions, if possible where no flags are live.
 * An edge's counter stands where no other edge passes: at the head of the target if nothing else
 * leads there, after the source if control falls through.  Otherwise the branch goes to a stub,
 * which follows the function:
 *
 *	jne	.L5		jne	.Ltally_s0_3
 *				...
 *			.Ltally_s0_3:
 *				incq	%gs:.Ltally_n0+8(%rip)
 *				jmp	.Ltally_b0_7
 *
 * Our labels: .Ltally_bF_B begins block B of function F, .Ltally_sF_E is the stub of edge E,
 * .Ltally_nF is the first counter of F. */

#include "plant.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

const char *const wayname[NWAY] = {
	[GUESSES] = "guesses",
	[DETOURS] = "detours",
	[TRIPLES] = "triples",
};

void
plantours(Planter *pl, int f, Buf *b, int stmt, const Ours *o, int slot)
{
	Bed *bed = &pl->u->func[f].bed;

	apush(pl->u->run, bed->planted, bed->n, bed->cap);
	bed->planted[bed->n] = (Planted){.part = (uint32_t)pl->u->stmt[stmt].sect,
					 .form = mapform(o),
					 .slot = slot == NONE ? CODENONE : (uint32_t)slot};
	bprintf(b, ".Ltally_o%d_%d:\n", f, bed->n);
	putours(b, o);
	if (!formsize(mapform(o)))
		bprintf(b, ".Ltally_e%d_%d:\n", f, bed->n);
	bed->n++;
}

/* count - write code that adds one to a counter, in the section of a statement.  A signal
 * handler may count between the instructions of a triple, so triples require the runtime, which
 * takes care of that. */
static void
count(Planter *pl, Buf *b, int stmt, int f, int slot, Regs live)
{
	const Counting *how = pl->how;
	Buf word = {.arena = pl->u->run};
	Ours o = {.flat = how->flat};

	formfor(&pl->u->func[f].body, live, !how->flat && !how->bare && !how->without[TRIPLES],
		pl->quick, &o);
	bprintf(&word, ".Ltally_n%d+%d", f, 8 * slot);
	o.word = word.s;
	plantours(pl, f, b, stmt, &o, slot);
}

/* countbefore, countafter - put a counter before or after a statement. */
static void
countbefore(Planter *pl, int stmt, int f, int slot, Regs live)
{
	count(pl, at(pl, pl->before, stmt), stmt, f, slot, live);
}

static void
countafter(Planter *pl, int stmt, int f, int slot, Regs live)
{
	count(pl, at(pl, pl->after, stmt), stmt, f, slot, live);
}

/* putat - put a counter before item i of block b, which may be one past its last.  requires:
 * code may stand there. */
static void
putat(Planter *pl, int f, int b, int i, int slot)
{
	const Unit *u = pl->u;
	const Func *fn = &u->func[f];
	Regs live = livebefore(&fn->body, b, i);

	if (i > fn->body.last[b])
		countafter(pl, itemat(u, fn, fn->body.last[b])->stmt, f, slot, live);
	else if (i > fn->body.first[b])
		countbefore(pl, standsat(u, fn, i), f, slot, live);
	else
		countbefore(pl, itemat(u, fn, i)->stmt, f, slot, live);
}

/* putblock - put a counter into block b: at the first position where no flags are live, else at
 * its head. */
static void
putblock(Planter *pl, int f, int b, int slot)
{
	const Unit *u = pl->u;
	const Func *fn = &u->func[f];
	int head = headat(u, fn, b), i;

	for (i = head; i <= fn->body.last[b]; i++)
		if ((i == head || standsat(u, fn, i) != NONE)
		    && !(livebefore(&fn->body, b, i) & FLAGS)) {
			putat(pl, f, b, i, slot);
			return;
		}
	putat(pl, f, b, head, slot);
}

/* putentry - put a counter where the function begins, before any label that its own code jumps
 * to. */
static void
putentry(Planter *pl, int f, int slot)
{
	const Unit *u = pl->u;
	const Func *fn = &u->func[f];

	countafter(pl, entryat(u, fn), f, slot,
		   u->byhand ? fn->body.live[FIRST] : fn->body.live[FIRST] & ~FLAGS);
}

/* putend - put a counter before the last instruction of block b. */
static void
putend(Planter *pl, int f, int b, int slot)
{
	putat(pl, f, b, endat(pl->u, &pl->u->func[f], b), slot);
}

/* wordlen - the length of a branch up to its operand. */
static int
wordlen(Words w)
{
	int n = (int)(mnemonic(w.s, w.s + w.len) - w.s);

	while (n < w.len && w.s[n] != ' ' && w.s[n] != '\t')
		n++;
	return n;
}

/* divert - point a branch, which may be written as data, to one of our labels. */
static void
divert(Planter *pl, const Item *it, char kind, int f, int k)
{
	static const char *const condition[] = {"o", "no", "b", "ae", "e", "ne", "be", "a",
						"s", "ns", "p", "np", "l", "ge", "le", "g"};
	int cc = it->insn.turn == COND ? it->insn.cc : -1;
	Words words = wordsof(pl, it->stmt);
	Buf jump = {.arena = pl->u->run};

	if (pl->u->stmt[it->stmt].data)
		bprintf(&jump, "j%s", cc == -1 ? "mp" : condition[cc]);
	else
		bprintf(&jump, "%.*s", wordlen(words), words.s);
	bprintf(&jump, "\t.Ltally_%c%d_%d", kind, f, k);
	pl->instead[it->stmt] = jump.s;
}

/* unwindstub - give a stub the unwind information of a statement; consecutive stubs with the
 * same rules share a procedure. */
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

/* putstub - count a branch out of line: it goes to a stub, and the stub to where the branch
 * went.  For a target outside of the function the stub keeps the branch's own operand. */
static void
putstub(Planter *pl, int f, int e, int slot)
{
	const Unit *u = pl->u;
	const Func *fn = &u->func[f];
	const Edge *ed = &fn->body.g->edge[e];
	const Item *it = itemat(u, fn, fn->body.last[ed->src]);
	Words words = wordsof(pl, it->stmt);
	Buf *b = &pl->stubs[f];
	int word = wordlen(words);

	b->arena = u->run;
	unwindstub(pl, f, it->stmt);
	bprintf(b, ".Ltally_s%d_%d:\n", f, e);
	count(pl, b, pl->end[f], f, slot, liveon(&fn->body, e));
	if (ed->dst == EXIT)
		bprintf(b, "\tjmp%.*s\n", words.len - word, words.s + word);
	else
		bprintf(b, "\tjmp\t.Ltally_b%d_%d\n", f, ed->dst);
	divert(pl, it, 's', f, e);
}

static void
putedge(Planter *pl, int f, int e, int slot)
{
	const Unit *u = pl->u;
	const Func *fn = &u->func[f];
	const Graph *g = fn->body.g;
	const Edge *ed = &g->edge[e];
	bool alone = ed->dst >= FIRST && g->inat[ed->dst + 1] - g->inat[ed->dst] == 1;
	bool head = alone && fn->body.first[ed->dst] != NONE && headat(u, fn, ed->dst) != NONE;

	switch (fn->body.how[e]) {
	case INTO:
		if (head)
			putat(pl, f, ed->dst, headat(u, fn, ed->dst), slot);
		else
			putentry(pl, f, slot);
		break;
	case FALLS:
		countafter(pl, itemat(u, fn, fn->body.last[ed->src])->stmt, f, slot, liveon(&fn->body, e));
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
	case REENTERS:
	case NOWHERE: break;
	}
}

/* istight - whether a place is in a tight loop. */
static bool
istight(const Planter *pl, const Graph *g, int p)
{
	return isblock(g, p) ? pl->tight[p]
			     : pl->tight[placeedge(g, p)->src] && pl->tight[placeedge(g, p)->dst];
}

/* putplan - put the counters of a plan: those at ends of blocks, or all others. */
static void
putplan(Planter *pl, int f, const Plan *plan, int base, bool ends)
{
	const Func *fn = &pl->u->func[f];
	const Graph *g = fn->body.g;
	int p;

	for (p = 0; p < nplace(g); p++) {
		int slot = plan->slot[p], e = isblock(g, p) ? NONE : p - g->nblock;

		if (slot == NOSLOT
		    || ends != (e != NONE && (fn->body.how[e] == LEAVES || fn->body.how[e] == TOHUB)))
			continue;
		pl->quick = pl->how->check || istight(pl, g, p); /* to test triples */
		if (p == ENTRY)
			putedge(pl, f, g->out[g->outat[ENTRY]].edge, base + slot);
		else if (e == NONE)
			putblock(pl, f, p, base + slot);
		else
			putedge(pl, f, e, base + slot);
	}
}

/* labels - put a label at the start of each block. */
static void
labels(Planter *pl, int f)
{
	const Func *fn = &pl->u->func[f];
	int b;

	for (b = FIRST; b < fn->body.g->nblock; b++)
		if (fn->body.first[b] != NONE) {
			Buf *buf = at(pl, pl->before, itemat(pl->u, fn, fn->body.first[b])->stmt);

			bprintf(buf, ".Ltally_b%d_%d:\n", f, b);
		}
}

/* again - point jumps to the function's start to its first block, after the counter of calls,
 * although they may name the function; and give branches by distance a label. */
static void
again(Planter *pl, int f)
{
	const Unit *u = pl->u;
	const Func *fn = &u->func[f];
	int b;

	for (b = FIRST; b < fn->body.g->nblock; b++) {
		const Item *it = fn->body.last[b] == NONE ? NULL : itemat(u, fn, fn->body.last[b]);

		if (it && it->target != NONE && it->insn.turn != CALL
		    && (u->item[it->target].block == FIRST || !isplain(&u->stmt[it->stmt])))
			divert(pl, it, 'b', f, u->item[it->target].block);
	}
}

/* unfix - replace addresses that are written as distances by labels. */
static void
unfix(Planter *pl, int f)
{
	const Unit *u = pl->u;
	const Func *fn = &u->func[f];
	int i;

	for (i = 0; i < fn->nitem; i++) {
		const Item *it = itemat(u, fn, i);
		Words w = wordsof(pl, it->stmt);
		Buf b = {.arena = u->run};
		const char *rip, *s;

		if (it->refers == NONE)
			continue;
		rip = s = memmem(w.s, (size_t)w.len, "(%rip)", 6);
		while (isalnum((unsigned char)s[-1]) || s[-1] == '-')
			s--;
		bprintf(&b, "%.*s.Ltally_b%d_%d%.*s", (int)(s - w.s), w.s, f,
			u->item[it->refers].block, (int)(w.s + w.len - rip), rip);
		pl->instead[it->stmt] = b.s;
	}
}

/* plantfn - plant everything in a function that is counted. */
static void
plantfn(Planter *pl, int f)
{
	const Counting *how = pl->how;
	const Func *fn = &pl->u->func[f];
	Arena tmp = {0};

	pl->tight = findtight(&fn->body, &tmp);
	labels(pl, f);
	again(pl, f);
	unfix(pl, f);
	if (!how->bare)
		putdepart(pl, f);
	if (how->firsts)
		putlook(pl, f);
	putplan(pl, f, fn->plan, 0, false);
	if (fn->check)
		putplan(pl, f, fn->check, fn->plan->nslot, false);
	putplan(pl, f, fn->plan, 0, true);
	if (how->calls)
		putrecords(pl, f);
	areset(&tmp);
}

/* keepmap - make --gc-sections keep the map of a function with the function, and the data that
 * says where the program is built. */
static void
keepmap(Planter *pl, int f)
{
	Buf *b = at(pl, pl->after, pl->u->func[f].label);

	bprintf(b, "\t.reloc\t., R_X86_64_NONE, .Ltally_f%d\n", f);
	if (pl->how->place)
		bprintf(b, "\t.reloc\t., R_X86_64_NONE, %s\n", pl->how->place);
}

static Planter *
newplanter(Unit *u, const Counting *how)
{
	Planter *pl = anew(u->run, Planter, 1);

	*pl = (Planter){
		.u = u,
		.how = how,
		.before = anew(u->run, Buf *, u->nstmt),
		.after = anew(u->run, Buf *, u->nstmt),
		.instead = anew(u->run, char *, u->nstmt),
		.stubs = anew(u->run, Buf, u->nfunc),
		.rules = anew(u->run, char *, u->nfunc),
		.end = anew(u->run, int, u->nfunc),
		.midway = {.arena = u->run},
	};
	return pl;
}

void
plant(Unit *u, const Counting *how)
{
	Planter *pl = u->planter = newplanter(u, how);
	int f;

	findends(pl);
	if (!how->bare) {
		pl->leads = lead(pl);
		unwindable(pl);
	}
	for (f = 0; f < u->nfunc; f++) {
		keepmap(pl, f);
		if (isbegin(&u->func[f]) && !how->bare)
			putbegin(pl, f);
		if (u->func[f].plan)
			plantfn(pl, f);
		if (!how->bare)
			putgoing(pl, f);
		closestubs(pl, f);
	}
	movestubs(pl);
}
