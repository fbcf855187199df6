/* plant.c - write the text again, with counters.
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
	Bed *bed = &pl->bed[f];

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
	const Edge *ed = &fn->body.g->edge[e];
	Stmt *st = &u->stmt[itemat(u, fn, fn->body.last[ed->src])->stmt];
	Buf *b = &pl->stubs[f];
	int word = wordlen(st);

	b->arena = u->run;
	unwindstub(pl, f, (int)(st - u->stmt));
	bprintf(b, ".Ltally_s%d_%d:\n", f, e);
	count(pl, b, pl->cfiend[f], f, slot, liveon(&fn->body, e));
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

/* again - jumps to where the function begins go behind the counter of its calls, although
 * they may name the function.  Jumps by distance go where they went. */
static void
again(Planter *pl, int f)
{
	Unit *u = pl->u;
	const Func *fn = &u->func[f];
	int b;

	for (b = FIRST; b < fn->body.g->nblock; b++) {
		const Item *it = fn->body.last[b] == NONE ? NULL : itemat(u, fn, fn->body.last[b]);

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

	flow.count = w ? findweights(w, fn->name, shape(u, fn), nplace(fn->body.g), tmp) : NULL;
	if (!flow.count)
		return false;
	weighexact(fn->body.g, &flow);
	return true;
}

static void
design(Planter *pl, int f)
{
	Unit *u = pl->u;
	Func *fn = &u->func[f];
	Arena tmp = {0};
	int e;

	if (!fn->body.g)
		return;
	if (!wanted(pl, f)) {
		fn->odd = "left out by --only or --skip";
		return;
	}
	for (e = 0; e < fn->body.g->nedge && pl->how->without[DETOURS]; e++)
		fn->body.g->edge[e].cost = 1;
	if (!known(u, fn, pl->how->weights, &tmp)) {
		if (!pl->how->without[GUESSES])
			guess(&fn->body);
		weigh(fn->body.g, &tmp);
	}
	pl->plan[f] = place(fn->body.g, pl->how->scheme, u->run);
	if (!tellcalls(fn->body.g, pl->plan[f], &tmp) || checkplan(fn->body.g, pl->plan[f], &tmp) != NONE) {
		fn->odd = "no counters suffice";
		pl->plan[f] = NULL;
	} else {
		pl->tight = findtight(&fn->body, &tmp);
		labels(pl, f);
		again(pl, f);
		unfix(pl, f);
		if (!pl->how->bare)
			putdepart(pl, f);
		if (pl->how->firsts)
			putlook(pl, f);
		putplan(pl, f, pl->plan[f], 0, false);
		if (pl->how->check)
			pl->check[f] = place(fn->body.g, REDUNDANT, u->run);
		else if (!fn->body.g->block[ENTRY].pinned
			 && (strcmp(fn->name, "main") == 0 || isbegin(fn)))
			pl->check[f] = entryplan(fn->body.g, u->run);
		if (pl->check[f])
			putplan(pl, f, pl->check[f], pl->plan[f]->nslot, false);
		putplan(pl, f, pl->plan[f], 0, true);
		if (pl->how->calls)
			putrecords(pl, f);
	}
	areset(&tmp);
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
		.bed = anew(u->run, Bed, u->nfunc),
		.out = out,
		.midway = {.arena = u->run},
	};
	Leads *leads = NULL;
	int f;

	readlines(u);
	indexcfi(u);
	findends(&pl);
	if (!how->bare) {
		leads = lead(&pl);
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
			putbegin(&pl, f);
		design(&pl, f);
		if (!how->bare)
			putgoing(&pl, f);
	}
	if (!how->bare)
		counterpages(out);
	copytext(&pl);
	if (how->marklines)
		bprintf(out, "# 1 \"tally\"\n");
	putleads(leads, out);
	putnotes(&pl);
	forgetcfi(u);
	writemap(u, how, pl.plan, pl.check, pl.bed, out);
}
