/* graph.c - tally graph: try the algorithms of the core on a graph in a file. */

#include "cmd.h"

#include "graphtext/graphtext.h"
#include "report/grid.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef enum Weighting { HEURISTIC, GIVEN, EXACT, UNSET } Weighting;

static const char *const weightingname[] = {
	[HEURISTIC] = "heuristic",
	[GIVEN] = "given",
	[EXACT] = "exact",
	[UNSET] = NULL,
};

enum { HAND = NSCHEME, NKIND }; /* besides the schemes: counters given in the file */

typedef struct Job Job;

struct Job {
	bool weights, plans, counts, traces, dot;
	bool want[NKIND]; /* the placements asked for */
	Weighting weighting;
	Graphfile *gf;
	Plan *plan[NKIND];
	Flow *flow[NKIND]; /* NULL if counts are missing */
	FILE *words;       /* for messages, besides the tables */
	Arena *run;
	int status;
};

static const char *
kindname(int kind)
{
	return kind == HAND ? "given" : schemename[kind];
}

static const char *
blockname(const Job *j, int b)
{
	return j->gf->stated[b].name;
}

/* saying - the name of place p for a message. */
static const char *
saying(const Job *j, int p)
{
	return nameplace(j->gf, p, j->run);
}

static void
setweights(Job *j)
{
	const Graphfile *gf = j->gf;

	if (j->weighting == UNSET)
		j->weighting = gf->nweight ? GIVEN : HEURISTIC;
	if (j->weighting == GIVEN)
		weighgiven(gf, j->run);
	else if (j->weighting == EXACT)
		weighcounted(gf, j->run);
	else
		weigh(gf->g, j->run);
}

static void
makeplans(Job *j)
{
	int kind;

	for (kind = 0; kind < NKIND; kind++)
		if (j->want[kind])
			j->plan[kind] = kind == HAND ? givenplan(j->gf, j->run)
						     : place(j->gf->g, kind, j->run);
}

/* A row of a table is a block, or an edge below the block that it leaves. */
typedef void Rowfn(Grid *, Job *, int place);

static void
rows(Grid *grid, Job *j, Rowfn *row)
{
	const int *place = inrows(j->gf->g, j->run);
	int i;

	for (i = 0; i < nplace(j->gf->g); i++) {
		cell(grid, "%s", rowname(j->gf, place[i], j->run));
		row(grid, j, place[i]);
	}
}

static int
nwanted(const Job *j)
{
	int kind, n = 0;

	for (kind = 0; kind < NKIND; kind++)
		n += j->want[kind];
	return n;
}

static void
kindcells(Grid *grid, const Job *j, const char *suffix)
{
	int kind;

	for (kind = 0; kind < NKIND; kind++)
		if (j->want[kind])
			cell(grid, "%s%s", kindname(kind), suffix);
}

/* weightcell - a weight; ~ marks blocks at which weights violate the law of flow. */
static void
weightcell(Grid *grid, Job *j, int p)
{
	const Graph *g = j->gf->g;

	if (isblock(g, p))
		cell(grid, "%.10g%s", g->block[p].weight, g->block[p].bent ? "~" : " ");
	else
		cell(grid, "%.10g ", placeedge(g, p)->weight);
}

static void
printweights(Job *j)
{
	Grid grid = {.arena = j->run, .ncol = 2};

	cell(&grid, "weights: %s", weightingname[j->weighting]);
	cell(&grid, "%s", "");
	rows(&grid, j, weightcell);
	printgrid(stdout, &grid);
}

static void
planrow(Grid *grid, Job *j, int p)
{
	int kind;

	weightcell(grid, j, p);
	for (kind = 0; kind < NKIND; kind++)
		if (j->want[kind])
			cell(grid, "%s", j->plan[kind]->slot[p] == NOSLOT ? "" : "*");
}

/* reportplans - say which plans do not determine all counts, and what a given plan determines. */
static void
reportplans(Job *j)
{
	const Graph *g = j->gf->g;
	int kind, p;

	for (kind = 0; kind < NKIND; kind++) {
		Plan *plan = j->plan[kind];

		if (!j->want[kind])
			continue;
		p = checkplan(g, plan, j->run);
		if (p != NONE) {
			fprintf(j->words,
				"%s: not enough counters, the count of %s does not follow\n",
				kindname(kind), saying(j, p));
			j->status = 1;
		} else if (kind == HAND || (kind == EDGES && !plan->edges)) {
			plan->edges = true;
			p = checkplan(g, plan, j->run);
			plan->edges = p == NONE;
			if (p == NONE)
				fprintf(j->words, "%s: tells every block and every edge\n",
					kindname(kind));
			else
				fprintf(j->words, "%s: tells every block, but not %s\n",
					kindname(kind), saying(j, p));
		}
	}
}

static void
printplans(Job *j)
{
	Grid grid = {.arena = j->run, .ncol = 2 + nwanted(j)};
	int kind;

	cell(&grid, "weights: %s", weightingname[j->weighting]);
	cell(&grid, "weight ");
	kindcells(&grid, j, "");
	rows(&grid, j, planrow);
	cell(&grid, "counters");
	cell(&grid, "%s", "");
	for (kind = 0; kind < NKIND; kind++)
		if (j->want[kind])
			cell(&grid, "%d", j->plan[kind]->nslot);
	cell(&grid, "cost");
	cell(&grid, "%s", "");
	for (kind = 0; kind < NKIND; kind++)
		if (j->want[kind])
			cell(&grid, "%.10g", j->plan[kind]->cost);
	printgrid(stdout, &grid);
}

static void
countrow(Grid *grid, Job *j, int p)
{
	int kind;

	if (j->gf->nwalk)
		cell(grid, "%" PRIu64, j->gf->stated[p].count);
	for (kind = 0; kind < NKIND; kind++) {
		const Flow *flow = j->flow[kind];
		const char *star;

		if (!j->want[kind])
			continue;
		star = j->plan[kind]->slot[p] == NOSLOT ? " " : "*";
		if (!flow || !flow->known[p])
			cell(grid, "?%s", star);
		else
			cell(grid, "%" PRId64 "%s", (int64_t)flow->count[p], star);
	}
}

/* judge - check that a solution obeys the law of flow, and agrees with the counts in the file. */
static void
judge(Job *j, int kind)
{
	const Flow *flow = j->flow[kind];
	const Graph *g = j->gf->g;
	const char *name = kindname(kind);
	int p;

	if (flow->badplace != NONE)
		fprintf(j->words, "%s: the counts contradict each other, %s comes out %s\n", name,
			saying(j, flow->badplace),
			flow->count[flow->badplace] > INT64_MAX ? "negative or too large"
								: "too large");
	else if (flow->badpoint != NONE)
		fprintf(j->words,
			"%s: the counts contradict each other, more or less comes to %s than "
			"goes\n",
			name, blockname(j, flow->badpoint / 2));
	for (p = 0; p < nplace(g); p++) {
		const Stated *m = &j->gf->stated[p];

		if (flow->known[p] && (j->gf->nwalk || m->counted) && flow->count[p] != m->count) {
			fprintf(j->words, "%s: %s differs from the %s\n", name, saying(j, p),
				j->gf->nwalk ? "walk" : "count given");
			j->status = 1;
		}
	}
	if (flow->bad)
		j->status = 1;
}

static void
solveplans(Job *j)
{
	const Graphfile *gf = j->gf;
	uint64_t *counter;
	int kind, missing;

	for (kind = 0; kind < NKIND; kind++) {
		if (!j->want[kind])
			continue;
		counter = givencounts(gf, j->plan[kind], &missing, j->run);
		if (counter)
			j->flow[kind] =
				solve(gf->g, j->plan[kind], counter, gf->cut, gf->ncut, j->run);
		else if (j->counts)
			fprintf(j->words, "%s: not solved, since no count is given for %s\n",
				kindname(kind), saying(j, missing));
	}
}

static void
judgeall(Job *j)
{
	int kind;

	for (kind = 0; kind < NKIND; kind++)
		if (j->flow[kind])
			judge(j, kind);
}

static void
printcounts(Job *j)
{
	Grid grid = {.arena = j->run, .ncol = 1 + nwanted(j) + (j->gf->nwalk > 0)};

	cell(&grid, "counts");
	if (j->gf->nwalk)
		cell(&grid, "walked");
	kindcells(&grid, j, " "); /* room for the star of a counter */
	rows(&grid, j, countrow);
	printgrid(stdout, &grid);
}

static void
printdot(Job *j)
{
	const Graphfile *gf = j->gf;
	char **name = anew(j->run, char *, gf->g->nblock);
	Drawing d = {.g = gf->g, .name = name, .cut = gf->cut, .ncut = gf->ncut};
	int b, kind = 0;

	for (b = 0; b < gf->g->nblock; b++)
		name[b] = gf->stated[b].name;
	while (!j->want[kind])
		kind++;
	d.plan = j->plan[kind];
	d.flow = j->flow[kind];
	dot(stdout, &d);
}

/* wantkind - ask for a placement. */
static void
wantkind(const Got *g)
{
	bool *want = g->to;
	int kind;

	for (kind = 0; kind < NKIND && strcmp(g->value, kindname(kind)) != 0; kind++)
		;
	if (strcmp(g->value, "optimal") == 0)
		kind = EDGES;
	if (kind == NKIND)
		wrong(g->syntax, "--counters=%s: no such placement", g->value);
	want[kind] = true;
}

typedef Job Asked;

static const Option option[] = {
	{NULL, 'w', NULL, setflag, AT(weights), NULL, "print the weights"},
	{NULL, 'p', NULL, setflag, AT(plans), NULL,
	 "print where each placement puts counters, and their cost"},
	{NULL, 'c', NULL, setflag, AT(counts), NULL,
	 "print the counts that follow from the counters (default: -p, and -c if FILE has counts)"},
	{NULL, 't', NULL, setflag, AT(traces), NULL,
	 "print the witnesses of each tracing scheme, the trace of each walk, and whether it "
	 "regenerates the walk"},
	{NULL, 'd', NULL, setflag, AT(dot), NULL,
	 "print the graph for Graphviz, with counters as dots"},
	{"counters", 0, "KIND", wantkind, AT(want), NULL,
	 "redundant, edges (or optimal), vertices, vertices-by-edges, or given (by FILE); default: "
	 "all but given"},
	{"weights", 0, "HOW", setword, AT(weighting), weightingname,
	 "heuristic, given (by FILE), or exact (from its walks or counts)"},
	{0},
};

static const Syntax syntax = {
	.usage = "tally graph [-wpctd] [--counters=KIND] [--weights=HOW] FILE",
	.option = option,
	.note = "tally-graph(1) describes the format of FILE; - is standard input.\n",
};

/* checkoptions - reject options that exclude each other. */
static void
checkoptions(Job *j, int nfile)
{
	int kind;

	if (nfile != 1)
		wrong(&syntax, nfile ? "more than one file is named" : "no file is named");
	if (j->dot && (j->weights || j->plans || j->counts || j->traces))
		wrong(&syntax, "-d does not go with -w, -p, -c or -t");
	if (j->dot && nwanted(j) > 1)
		wrong(&syntax, "-d shows only one placement");
	if (!nwanted(j))
		for (kind = 0; kind < NSCHEME; kind++)
			j->want[kind] = !j->dot || kind == EDGES;
}

int
cmdgraph(int argc, char **argv)
{
	Arena run = {0};
	Job j = {.run = &run, .weighting = UNSET};
	const char *path;

	readoptions(&syntax, argc, argv, &j, &run);
	checkoptions(&j, argc - optind);
	path = argv[optind];
	j.gf = readgraph(path, &run);
	if (!j.weights && !j.plans && !j.counts && !j.traces && !j.dot) {
		j.plans = true;
		j.counts = j.gf->nwalk || j.gf->ncount;
	}
	if (j.counts && !j.gf->nwalk && !j.gf->ncount)
		err(path, "gives neither walks nor counts, so there is nothing to solve");
	j.words = j.dot ? stderr : stdout;
	setweights(&j);
	makeplans(&j);
	if (j.weights)
		printweights(&j);
	if (j.weights && j.plans)
		putchar('\n');
	if (j.plans)
		printplans(&j);
	if (j.plans || j.counts || j.dot)
		reportplans(&j);
	if (j.counts && (j.weights || j.plans))
		putchar('\n');
	if (j.counts || j.dot)
		solveplans(&j);
	if (j.counts)
		printcounts(&j);
	if (j.traces) {
		if (j.weights || j.plans || j.counts)
			putchar('\n');
		j.status |= printtraces(j.gf, &run);
	}
	if (j.dot)
		printdot(&j);
	judgeall(&j);
	flushout();
	areset(&run);
	return j.status;
}
