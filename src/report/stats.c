/* stats.c - what counting cost, and would cost with other placements of counters: table II and
 * figures 20, 21 and 24 of Ball and Larus, Optimally Profiling and Tracing Programs, 1994, from our
 * own counts.
 *
 * As in the paper, counters are placed anew in each way.  The counts of the runs tell how often
 * each counter would be passed, and how often a jump that leads to it and back. */

#include "report.h"

#include <inttypes.h>
#include <stdlib.h>

/* Placements: the schemes, with heuristic weights; then EDGES with other weights or trees. */
enum { EXACTMAX = NSCHEME, HEURISTICMIN, EXACTMIN, NWAY };

typedef struct Passes Passes;
typedef struct Stat Stat;
typedef struct Stats Stats;

/* What a placement would execute. */
struct Passes {
	uint64_t increments;
	uint64_t jumps;
	bool vague; /* depends on unknown counts */
};

/* A function, or the sum of a program. */
struct Stat {
	const char *name;
	int at;                 /* index in program order */
	int edges;              /* that can be taken */
	int profiled;           /* edges that have a counter with EDGES; of these, */
	int nojump;             /* those that need no jump for it */
	int inblocks;           /* blocks that have a counter with EDGES */
	uint64_t blocks, insns; /* executed */
	bool vague;
	Passes way[NWAY];
};

struct Stats {
	const Report *r;
	Table codes; /* indices of fn[], by function */
	Stat *fn, *program;
	int nfn, nprogram;
	size_t capfn, capprogram;
};

/* As in the paper, an increment costs five instructions, and a jump one. */
static double
instrumentation(const Passes *p)
{
	return 5 * (double)p->increments + (double)p->jumps;
}

/* countof - how often a place was passed. */
static uint64_t
countof(const Fn *fn, int p, bool *vague)
{
	int64_t n = (int64_t)fn->flow->count[p];

	*vague |= !fn->flow->known[p] || n < 0;
	return n > 0 ? (uint64_t)n : 0;
}

/* pass - add up how often counters would be passed. */
static void
pass(Passes *sum, const Fn *fn, const Plan *plan, const bool *jump)
{
	const Graph *g = fn->g;
	int p;

	for (p = 0; p < nplace(g); p++) {
		uint64_t n;

		if (plan->slot[p] == NOSLOT)
			continue;
		n = countof(fn, p, &sum->vague);
		sum->increments += n;
		if (!isblock(g, p) && jump[p - g->nblock])
			sum->jumps += n;
	}
}

/* survey - count the counters. */
static void
survey(Stat *s, const Graph *g, const Plan *plan, const bool *jump)
{
	int p;

	for (p = 0; p < nplace(g); p++) {
		bool edge = !isblock(g, p);

		s->edges += edge && p != edgeplace(g, CLOSING) && !isnever(g, p);
		if (plan->slot[p] == NOSLOT)
			continue;
		s->profiled += edge;
		s->nojump += edge && !jump[p - g->nblock];
		s->inblocks += !edge;
	}
}

/* overturn - invert weights so that place() makes a minimum spanning tree, whatever counters cost.
 * Blocks come before all edges, since in the paper they have no counters. */
static void
overturn(Graph *g)
{
	const double light = 1e-30, heavy = 1e60;
	int b, e;

	for (e = 0; e < g->nedge; e++) {
		Edge *ed = &g->edge[e];

		ed->weight = 1 / (ed->weight > light ? ed->weight : light) / ed->cost;
	}
	for (b = 0; b < g->nblock; b++)
		g->block[b].weight = heavy / g->block[b].cost;
}

/* weighcounts - weigh by the counts; if there are none, by the heuristic, like `tally build
 * --weights'. */
static void
weighcounts(const Fn *fn, Arena *tmp)
{
	if (hasrun(fn))
		weighexact(fn->g, fn->flow);
	else
		weigh(fn->g, tmp);
}

/* try - place counters by the current weights of the graph. */
static const Plan *
try(Stat *s, int way, const Fn *fn, const bool *jump, Arena *tmp)
{
	Plan *plan = place(fn->g, way < NSCHEME ? (Scheme)way : EDGES, tmp);

	s->way[way].vague |= !tellcalls(fn->g, plan, tmp);
	s->way[way].vague |= checkplan(fn->g, plan, tmp) != NONE; /* it would need more */
	pass(&s->way[way], fn, plan, jump);
	return plan;
}

static Stat
statof(const Fn *fn)
{
	Stat s = {0};
	Arena tmp = {0};
	const bool *jump = jumpedges(fn->g, &fn->code, &tmp);
	bool sure = true;
	int b;

	weigh(fn->g, &tmp);
	survey(&s, fn->g, try(&s, EDGES, fn, jump, &tmp), jump);
	try(&s, REDUNDANT, fn, jump, &tmp);
	try(&s, VERTICES, fn, jump, &tmp);
	try(&s, BYEDGES, fn, jump, &tmp);
	overturn(fn->g);
	try(&s, HEURISTICMIN, fn, jump, &tmp);
	weighcounts(fn, &tmp);
	try(&s, EXACTMAX, fn, jump, &tmp);
	overturn(fn->g);
	try(&s, EXACTMIN, fn, jump, &tmp);
	for (b = FIRST; b < fn->g->nblock; b++)
		if (isplace(fn, b))
			s.blocks += countof(fn, b, &s.vague);
	s.insns = executed(fn, &sure);
	s.vague |= !sure;
	areset(&tmp);
	return s;
}

static void
add(Stat *to, const Stat *s)
{
	int k;

	to->edges += s->edges;
	to->profiled += s->profiled;
	to->nojump += s->nojump;
	to->inblocks += s->inblocks;
	to->blocks += s->blocks;
	to->insns += s->insns;
	to->vague |= s->vague;
	for (k = 0; k < NWAY; k++) {
		to->way[k].increments += s->way[k].increments;
		to->way[k].jumps += s->way[k].jumps;
		to->way[k].vague |= s->way[k].vague;
	}
}

/* isvague - whether a placement depends on unknown counts. */
static bool
isvague(const Stat *s)
{
	int k;

	for (k = 0; k < NWAY; k++)
		if (s->way[k].vague)
			return true;
	return false;
}

/* hasflow - whether the map has the flow of a function: not of one that is partly counted, nor of
 * one with counters in the C text. */
static bool
hasflow(const Fn *fn)
{
	return !fn->partial && fn->code.block[FIRST].part != CODENONE;
}

/* addfn - add a function; if another program has the same code, add only what was executed here. */
static void
addfn(Stats *all, const Fn *fn, Stat s)
{
	const Fn *own = fn->sameas ? fn->sameas : fn;
	const Entry *e = intern(&all->codes, (char *)&own, sizeof own, all->nfn);

	if (e->value == all->nfn) {
		apush(all->r->run, all->fn, all->nfn, all->capfn);
		all->fn[all->nfn++] = s;
		return;
	}
	s.edges = s.profiled = s.nojump = s.inblocks = 0;
	add(&all->fn[e->value], &s);
}

/* collect - add all functions of a module. */
static void
collect(Stats *all, const Module *m)
{
	Stat sum = {.name = m->path};
	int i, without = 0, old = 0;

	for (i = 0; i < m->nfn; i++) {
		const Fn *fn = &m->fn[i];
		Stat s;

		if (!fn->flow || !chosen(&all->r->of, fn))
			continue;
		if (!hasflow(fn)) {
			without++;
			continue;
		}
		old += !fn->hinted && !fn->live;
		s = statof(fn);
		s.name = nameof(all->r, fn);
		s.at = all->nfn;
		add(&sum, &s);
		addfn(all, fn, s);
	}
	apush(all->r->run, all->program, all->nprogram, all->capprogram);
	all->program[all->nprogram++] = sum;
	if (without)
		remark("%s: %d functions are omitted: their flow was not counted", m->path,
		       without);
	if (old)
		remark("%s: was built by an older tally, which did not tell what code is unlikely: "
		       "build it again to see its own placement",
		       m->path);
	if (m->live)
		remark("%s: was counted from outside: tally build would see more of its code, and "
		       "may "
		       "place counters elsewhere",
		       m->path);
	if (isvague(&sum))
		remark("%s: its counters do not tell every edge, ~ marks what that concerns: build "
		       "it "
		       "with --counters=edges",
		       m->path);
}

/* number, percent, ratio - cells; a ~ precedes what depends on unknown counts. */
static void
number(Grid *g, uint64_t n, bool vague)
{
	cell(g, "%s%" PRIu64, vague ? "~" : "", n);
}

static void
percent(Grid *g, int part, int all)
{
	if (all)
		cell(g, "%.0f%%", 100.0 * part / all);
	else
		cell(g, "-");
}

static void
ratio(Grid *g, double a, double b, bool vague)
{
	if (b > 0)
		cell(g, "%s%.2f", vague ? "~" : "", a / b);
	else
		cell(g, "-");
}

/* increments - the ratio of redundant increments to those of another placement. */
static void
increments(Grid *g, const Stat *s, int way)
{
	ratio(g, (double)s->way[REDUNDANT].increments, (double)s->way[way].increments,
	      s->way[REDUNDANT].vague || s->way[way].vague);
}

/* reduction - the same with jumps. */
static void
reduction(Grid *g, const Stat *s, int way)
{
	ratio(g, instrumentation(&s->way[REDUNDANT]), instrumentation(&s->way[way]),
	      s->way[REDUNDANT].vague || s->way[way].vague);
}

/* Rows of the tables. */

static void
edgerow(Grid *g, const Stat *s)
{
	cell(g, "%d", s->edges);
	cell(g, "%d", s->profiled);
	percent(g, s->profiled, s->edges);
	cell(g, "%d", s->nojump);
	percent(g, s->nojump, s->profiled);
	cell(g, "%d", s->inblocks);
}

static void
incrementrow(Grid *g, const Stat *s)
{
	const Passes *edges = &s->way[EDGES];

	number(g, s->way[REDUNDANT].increments, s->way[REDUNDANT].vague);
	number(g, edges->increments, edges->vague);
	number(g, edges->jumps, edges->vague);
	increments(g, s, EDGES);
	reduction(g, s, EDGES);
	ratio(g, (double)s->insns, (double)s->blocks, s->vague);
}

static void
schemerow(Grid *g, const Stat *s)
{
	reduction(g, s, EDGES);
	reduction(g, s, BYEDGES);
	reduction(g, s, VERTICES);
}

static void
treerow(Grid *g, const Stat *s)
{
	const Passes *exact = &s->way[EXACTMAX], *guess = &s->way[EDGES];

	increments(g, s, EXACTMAX);
	increments(g, s, EDGES);
	increments(g, s, HEURISTICMIN);
	increments(g, s, EXACTMIN);
	if (guess->increments)
		cell(g, "%s%.0f%%", exact->vague || guess->vague ? "~" : "",
		     100 * (1 - (double)exact->increments / (double)guess->increments));
	else
		cell(g, "-");
}

enum { MOSTCOLS = 7 };

/* Tables, and the paper's own figures; for its diagrams, the ranges in its text. */
static const struct {
	const char *id, *about;
	void (*row)(Grid *, const Stat *);
	const char *title[MOSTCOLS], *paper[MOSTCOLS], *papers;
} tables[] = {
	{"II",
	 "edges, those with counters, and those of them that need no jump (table II)",
	 edgerow,
	 {"edges", "profiled", "of edges", "no jump", "of profiled", "in blocks"},
	 {"3095-48398", "1296-20577", "39-46%", "756-10533", "51-58%", "-"},
	 "Ball and Larus 1994"},
	{"20",
	 "increments, and how many times fewer than redundant ones; the same with jumps (figure "
	 "20)",
	 incrementrow,
	 {"redundant", "edges", "jumps", "reduction", "with jumps", "block size"},
	 {"-", "-", "-", "3-4", "-", "-"},
	 "Ball and Larus 1994, programs in C; of their overhead in time 2-3"},
	{"21",
	 "how many times less instrumentation than redundant counters take (figure 21)",
	 schemerow,
	 {"Eprof(Ecnt)", "Vprof(Ecnt)", "Vprof(Vcnt)"},
	 {"-", "hardly more", "less"},
	 "Ball and Larus 1994, all programs"},
	{"24",
	 "how many times fewer increments, by weights and spanning trees (figure 24)",
	 treerow,
	 {"exact max", "heuristic max", "heuristic min", "exact min", "off exact"},
	 {"most", "-", "less", "least", "1-34%"},
	 "Ball and Larus 1994; less: than heuristic max, in all programs"},
};

enum { NTABLE = sizeof tables / sizeof *tables };

/* show - print one of the tables. */
static void
show(const Stats *all, int k)
{
	const Report *r = all->r;
	Grid grid = {.arena = r->run, .ncol = 1};
	Stat sum = {.name = "all"};
	int i;

	while (tables[k].title[grid.ncol - 1])
		grid.ncol++;
	grid.left = grid.ncol - 1;
	titles(&grid, tables[k].title);
	cell(&grid, "program");
	for (i = 0; i < all->nprogram; i++) {
		tables[k].row(&grid, &all->program[i]);
		cell(&grid, "%s", all->program[i].name);
		add(&sum, &all->program[i]);
	}
	if (!r->rows) { /* programs can add up, and know the paper */
		if (all->nprogram > 1) {
			tables[k].row(&grid, &sum);
			cell(&grid, "%s", sum.name);
		}
		titles(&grid, tables[k].paper);
		cell(&grid, "%s", tables[k].papers);
		fprintf(r->f, "%s%s:\n", k ? "\n" : "", tables[k].about);
	}
	table(r, &grid, "table", tables[k].id);
}

/* byincrements - most first. */
static int
byincrements(const void *a, const void *b)
{
	const Stat *x = a, *y = b;
	uint64_t m = x->way[EDGES].increments, n = y->way[EDGES].increments;

	return m != n ? (m > n ? -1 : 1) : x->at < y->at ? -1 : x->at > y->at;
}

/* functionstats - a row for each function. */
static void
functionstats(const Stats *all)
{
	static const char *const title[] = {
		"profiled",  "no jump",           "in blocks", "redundant", "edges",
		"jumps",     "vertices by edges", "vertices",  "exact max", "heuristic min",
		"exact min", "function",          NULL};
	static const int way[] = {BYEDGES, VERTICES, EXACTMAX, HEURISTICMIN, EXACTMIN};
	Grid grid = {.arena = all->r->run, .ncol = 12, .left = 11};
	size_t k;
	int i;

	titles(&grid, title);
	for (i = 0; i < all->nfn; i++) {
		const Stat *s = &all->fn[i];
		const Passes *edges = &s->way[EDGES];

		cell(&grid, "%d", s->profiled);
		cell(&grid, "%d", s->nojump);
		cell(&grid, "%d", s->inblocks);
		number(&grid, s->way[REDUNDANT].increments, s->way[REDUNDANT].vague);
		number(&grid, edges->increments, edges->vague);
		number(&grid, edges->jumps, edges->vague);
		for (k = 0; k < sizeof way / sizeof *way; k++)
			number(&grid, s->way[way[k]].increments, s->way[way[k]].vague);
		cell(&grid, "%s", s->name);
	}
	table(all->r, &grid, NULL, NULL);
}

void
stats(const Report *r, bool byfunction)
{
	Stats all = {.r = r, .codes = {.arena = r->run}};
	int i;

	for (i = 0; i < r->of.nmodule; i++)
		collect(&all, &r->of.module[i]);
	if (byfunction) {
		if (all.nfn)
			qsort(all.fn, (size_t)all.nfn, sizeof *all.fn, byincrements);
		functionstats(&all);
		return;
	}
	for (i = 0; i < NTABLE; i++)
		show(&all, i);
}
