/* design.c - which counters a function gets: runs the core's passes over all functions of a
 * unit. */

#include "asm.h"

#include <string.h>

/* shownames - the demangled names of all functions. */
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

/* among - whether one of these globs matches function f, by one of its names or its file. */
static bool
among(char *const *glob, int n, const Unit *u, int f, const char *shown)
{
	return n
	       && (matches(glob, n, u->func[f].name) || matches(glob, n, shown)
		   || matchespath(glob, n, funcfile(u, f)));
}

void
chooseall(Unit *u, const Counting *how)
{
	char **shown;
	int f;

	if (!how->nonly && !how->nskip)
		return;
	shown = shownames(u);
	for (f = 0; f < u->nfunc; f++)
		if (u->func[f].body.g
		    && ((how->nonly && !among(how->only, how->nonly, u, f, shown[f]))
			|| among(how->skip, how->nskip, u, f, shown[f])))
			u->func[f].reason = "left out by --only or --skip";
}

/* isplanned - whether a function gets counters. */
static bool
isplanned(const Func *fn)
{
	return fn->body.g && !fn->reason;
}

/* known - weigh a function by what an earlier run counted; returns false if there are no counts,
 * or if the function has changed since. */
static bool
known(const Unit *u, Func *fn, const Weights *w, Arena *tmp)
{
	Flow flow = {0};

	flow.count = w ? findweights(w, fn->name, codehash(u, fn), nplace(fn->body.g), tmp) : NULL;
	if (!flow.count)
		return false;
	weighexact(fn->body.g, &flow);
	return true;
}

static void
weighfn(const Unit *u, Func *fn, const Counting *how)
{
	Graph *g = fn->body.g;
	Arena tmp = {0};
	int e;

	for (e = 0; e < g->nedge && how->without[DETOURS]; e++)
		g->edge[e].cost = 1;
	if (!known(u, fn, how->weights, &tmp)) {
		if (!how->without[GUESSES])
			guess(&fn->body);
		weigh(g, &tmp);
	}
	areset(&tmp);
}

void
weighall(Unit *u, const Counting *how)
{
	int f;

	for (f = 0; f < u->nfunc; f++)
		if (isplanned(&u->func[f]))
			weighfn(u, &u->func[f], how);
}

/* entryplan - count a second time how often a function is entered.  For main this shows whether
 * the program ended inside a call: then main was entered and did not reach its end. */
static Plan *
entryplan(const Graph *g, Arena *a)
{
	bool *counted = anew(a, bool, nplace(g));

	counted[ENTRY] = true;
	return handplan(g, counted, a);
}

/* refuse - do not count a function: no counters determine all its counts. */
static void
refuse(Func *fn)
{
	fn->reason = "no counters suffice";
	fn->plan = fn->check = NULL;
}

static void
placefn(Func *fn, const Counting *how, Arena *run)
{
	const Graph *g = fn->body.g;
	Arena tmp = {0};

	fn->plan = place(g, how->scheme, run);
	if (how->check)
		fn->check = place(g, REDUNDANT, run);
	else if (!g->block[ENTRY].pinned && (strcmp(fn->name, "main") == 0 || isbegin(fn)))
		fn->check = entryplan(g, run);
	if (!tellcalls(g, fn->plan, &tmp))
		refuse(fn);
	areset(&tmp);
}

void
placeall(Unit *u, const Counting *how)
{
	int f;

	for (f = 0; f < u->nfunc; f++)
		if (isplanned(&u->func[f]))
			placefn(&u->func[f], how, u->run);
}

void
checkall(Unit *u)
{
	int f;

	for (f = 0; f < u->nfunc; f++) {
		Func *fn = &u->func[f];
		Arena tmp = {0};

		if (fn->plan && checkplan(fn->body.g, fn->plan, &tmp) != NONE)
			refuse(fn);
		areset(&tmp);
	}
}
