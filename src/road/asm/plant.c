/* plant.c - what to write around the statements of a text, and in their places, so that it counts.
 *
 * Labels of ours: .Ltally_bF_B begins block B of function F, .Ltally_sF_E is the
 * stub of edge E, .Ltally_nF the first counter of F. */

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

/* count - code that adds one to a counter, in the section of a statement.  A handler of a signal may come between the
 * instructions of a triple, and only the runtime can see to that. */
static void
count(Planter *pl, Buf *b, int stmt, int f, int slot, Regs live)
{
	const Order *how = pl->how;
	Buf word = {.arena = pl->u->run};
	Ours o = {.flat = how->flat};

	formfor(&pl->u->func[f].body, live, !how->flat && !how->bare && !how->without[TRIPLES],
		pl->quick, &o);
	bprintf(&word, ".Ltally_n%d+%d", f, 8 * slot);
	o.word = word.s;
	plantours(pl, f, b, stmt, &o, slot);
}

/* countbefore, countafter - a statement. */
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

/* putat - a counter before item i of block b, which may be one past its last.  Code may stand there. */
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

/* putblock - a counter in block b: at its head, or at the first place where it need
 * not keep the flags. */
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

/* putentry - a counter where the function begins, before anything can jump there. */
static void
putentry(Planter *pl, int f, int slot)
{
	const Unit *u = pl->u;
	const Func *fn = &u->func[f];

	countafter(pl, entryat(u, fn), f, slot,
		   u->byhand ? fn->body.live[FIRST] : fn->body.live[FIRST] & ~FLAGS);
}

/* putend - a counter before the last instruction of block b. */
static void
putend(Planter *pl, int f, int b, int slot)
{
	putat(pl, f, b, endat(pl->u, &pl->u->func[f], b), slot);
}

/* wordlen - of a statement's first word. */
static int
wordlen(Words w)
{
	int n = 0;

	while (n < w.len && w.s[n] != ' ' && w.s[n] != '\t')
		n++;
	return n;
}

/* divert - a branch to a label of ours; it may be written as data. */
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
	const Graph *g = fn->body.g;
	int p;

	for (p = 0; p < nplace(g); p++) {
		int slot = plan->slot[p], e = isblock(g, p) ? NONE : p - g->nblock;

		if (slot == NOSLOT
		    || ends != (e != NONE && (fn->body.how[e] == LEAVES || fn->body.how[e] == TOHUB)))
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

	for (b = FIRST; b < fn->body.g->nblock; b++)
		if (fn->body.first[b] != NONE) {
			Buf *buf = at(pl, pl->before, itemat(pl->u, fn, fn->body.first[b])->stmt);

			bprintf(buf, ".Ltally_b%d_%d:\n", f, b);
		}
}

/* again - jumps to where the function begins go to after the counter of its calls, although
 * they may name the function.  Jumps by distance go where they went. */
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

/* unfix - addresses by distance become names. */
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

/* plantfn - all that belongs into a function that is counted. */
static void
plantfn(Planter *pl, int f)
{
	const Order *how = pl->how;
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

/* keepmap - --gc-sections keeps the map of a function that it keeps, and where that was made. */
static void
keepmap(Planter *pl, int f)
{
	Buf *b = at(pl, pl->after, pl->u->func[f].label);

	bprintf(b, "\t.reloc\t., R_X86_64_NONE, .Ltally_f%d\n", f);
	if (pl->how->place)
		bprintf(b, "\t.reloc\t., R_X86_64_NONE, %s\n", pl->how->place);
}

static Planter *
newplanter(Unit *u, const Order *how)
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
plant(Unit *u, const Order *how)
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
