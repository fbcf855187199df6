/* trace.c - what tally graph shows about tracing: for each scheme the places with witnesses, and
 * how many bits they take; what the walks in the file write, and that the walks can be regenerated
 * from it. */

#include "cmd.h"

#include "core/trace.h"
#include "graphtext/graphtext.h"
#include "report/grid.h"

#include <string.h>

typedef struct Job Job;
typedef struct Tape Tape;

/* Function 0 is the one in the file.  Blocks of it that call, call function 1, which has no
 * witnesses. */
struct Job {
	const Graphfile *gf;
	Proc proc[2];
	Plan *plan[NTRACING]; /* NULL if it is not sound */
	Plan *quiet;          /* of function 1 */
	Arena *run;
};

/* A walk as a sequence of tokens. */
struct Tape {
	const Path *path;
	const Graph *g;
	const Plan *plan;
	int next; /* twice its edges passed, and 1 if the last block was not */
	Frame end;
};

static Proc
quietproc(Arena *run)
{
	Graph *g = newgraph(run);
	int b = addblock(g);

	addedge(g, ENTRY, b);
	addedge(g, b, EXIT);
	closeflow(g, run);
	return (Proc){.g = g};
}

static Proc
fileproc(const Graphfile *gf, Arena *run)
{
	int *at = anew(run, int, gf->g->nblock + 1), *callee = anew(run, int, gf->ncall), b, n = 0;

	for (b = 0; b < gf->g->nblock; b++) {
		at[b] = n;
		if (gf->call[b])
			callee[n++] = 1;
	}
	at[b] = n;
	return (Proc){gf->g, at, callee, !gf->ncall};
}

static Token
tokenof(void *from)
{
	Tape *t = from;
	const Path *path = t->path;
	const Graph *g = t->g;

	while (t->next < 2 * path->nedge) {
		int e = path->edge[t->next / 2], i = t->next++;
		int p = i % 2 ? g->edge[e].dst : edgeplace(g, e);

		if (i == 2 * path->nedge - 1 && path->before)
			break;
		if (t->plan->slot[p] != NOSLOT)
			return (Token){.kind = WITNESS, .witness = t->plan->slot[p]};
	}
	return (Token){.kind = END, .frame = &t->end, .nframe = path->end != EXIT};
}

static Tape
tape(const Job *j, const Path *path, const Plan *plan)
{
	return (Tape){path, j->gf->g, plan, 0, {0, path->end, path->before ? BEFORE : ncalls(&j->proc[0], path->end)}};
}

/* replayed - NULL if the walk can be regenerated from its tokens; else why not. */
static const char *
replayed(const Job *j, const Path *path, Plan *plan)
{
	Plan *plans[] = {plan, j->quiet};
	Tape t = tape(j, path, plan);
	Replay *r = newreplay(j->proc, plans, 2, 0, tokenof, &t, j->run);
	int i = 0, n = path->nedge - (path->end == EXIT || path->before);
	Step s;

	while (step(r, &s)) {
		if (s.proc != 0)
			continue;
		if (i == n || s.block != j->gf->g->edge[path->edge[i]].dst)
			return "another path comes out of it";
		if (s.edge != NONE && plan->edges && s.edge != path->edge[i])
			return "another path comes out of it";
		i++;
	}
	return lost(r) ? lost(r) : i < n ? "it ends too early" : NULL;
}

/* printwalk - what a walk writes in each scheme; false if it cannot be regenerated. */
static bool
printwalk(const Job *j, int walk)
{
	const Path *path = &j->gf->walk[walk];
	Grid grid = {.arena = j->run, .ncol = 2, .more = 1};
	bool right = true;
	Tracing how;

	printf("\nwalk %d\n", walk + 1);
	if (path->late) {
		printf("  is not traced: it does not begin with a call\n");
		return true;
	}
	for (how = 0; how < NTRACING; how++) {
		Buf b = {.arena = j->run};
		const char *why;
		Token k;
		Tape t;

		if (!j->plan[how])
			continue;
		t = tape(j, path, j->plan[how]);
		while ((k = tokenof(&t)).kind == WITNESS)
			bprintf(&b, "%d ", k.witness);
		why = replayed(j, path, j->plan[how]);
		bprintf(&b, "%s", why ? why : "end");
		cell(&grid, "  %s", tracingname[how]);
		cell(&grid, "%s", b.s);
		right &= !why;
	}
	printgrid(stdout, &grid);
	return right;
}

/* weightof - how often a place is passed in a call of the function. */
static double
weightof(const Graph *g, int p)
{
	return isblock(g, p) ? g->block[p].weight : placeedge(g, p)->weight;
}

/* waybits - bits that distinguish the ways out of the predicate that a place follows; one where there
 * is none: there each round of an endless loop is written. */
static int
waybits(const Graph *g, int p)
{
	int bits = isblock(g, p) ? 0 : bitsfor(nways(g, placeedge(g, p)->src));

	return bits ? bits : 1;
}

/* bitcount - bits that a call is expected to write, with `each' bits for a witness; if that is 0,
 * as many as distinguish the ways out of its predicate. */
static double
bitcount(const Graph *g, const Plan *plan, int each)
{
	double sum = 0;
	int p;

	for (p = 0; p < nplace(g); p++)
		if (plan->slot[p] != NOSLOT)
			sum += weightof(g, p) * (each ? each : waybits(g, p));
	return sum;
}

/* leastbits - bits for a witness; if the function is alone, its end needs a code, too. */
static int
leastbits(const Proc *pr, const Plan *plan)
{
	int bits = bitsfor(plan->nslot + pr->alone);

	return bits ? bits : 1;
}

static void
sizes(Grid *grid, const Job *j, const char *title, bool again, int each)
{
	Tracing how;

	cell(grid, "%s", title);
	cell(grid, "%s", "");
	for (how = 0; how < NTRACING; how++) {
		Plan copy;

		if (!j->plan[how]) {
			cell(grid, "-");
			continue;
		}
		copy = *j->plan[how];
		copy.slot = anew(j->run, int, nplace(j->gf->g));
		memcpy(copy.slot, j->plan[how]->slot, sizeof(int) * (size_t)nplace(j->gf->g));
		if (again && how != BITS)
			reuse(&j->proc[0], &copy, j->run);
		if (!each && how != BITS)
			cell(grid, "%.10g", bitcount(j->gf->g, &copy, leastbits(&j->proc[0], &copy)));
		else
			cell(grid, "%.10g", bitcount(j->gf->g, &copy, each));
	}
}

/* printwitnesses - a table of all places. */
static void
printwitnesses(const Job *j)
{
	const Graph *g = j->gf->g;
	const int *place = inrows(g, j->run);
	Grid grid = {.arena = j->run, .ncol = 2 + NTRACING};
	Tracing how;
	int i;

	cell(&grid, "witnesses");
	cell(&grid, "weight");
	for (how = 0; how < NTRACING; how++)
		cell(&grid, "%s", tracingname[how]);
	for (i = 0; i < nplace(g); i++) {
		if (place[i] == edgeplace(g, CLOSING) || isnever(g, place[i]))
			continue;
		cell(&grid, "%s%s", rowname(j->gf, place[i], j->run),
		     isblock(g, place[i]) && j->gf->call[place[i]] ? " (calls)" : "");
		cell(&grid, "%.10g", weightof(g, place[i]));
		for (how = 0; how < NTRACING; how++) {
			int slot = j->plan[how] ? j->plan[how]->slot[place[i]] : NOSLOT;

			if (slot == NOSLOT)
				cell(&grid, "%s", "");
			else
				cell(&grid, "%d", slot);
		}
	}
	sizes(&grid, j, "bits, a byte each", false, 8);
	sizes(&grid, j, "bits, as few as tell them apart", false, 0);
	sizes(&grid, j, "bits, numbers used again", true, 0);
	printgrid(stdout, &grid);
}

/* sayfault - print why a plan is not sound. */
static void
sayfault(const Job *j, Tracing how, Fault f)
{
	const char *block = nameplace(j->gf, f.block, j->run);

	printf("%s: ", tracingname[how]);
	switch (f.kind) {
	case ENDLESS: printf("control can go around from %s and write nothing\n", block); break;
	case UNBLOCKED:
		printf("from %s control can come to %s and write nothing\n", block,
		       nameplace(j->gf, f.other, j->run));
		break;
	case AMBIGUOUS: printf("two ways out of %s can be followed by the same witness\n", block); break;
	case SOUND: break;
	}
}

int
printtraces(const Graphfile *gf, Arena *run)
{
	Job j = {.gf = gf, .run = run};
	int i, status = 0;
	Tracing how;

	j.proc[0] = fileproc(gf, run);
	j.proc[1] = quietproc(run);
	j.quiet = handplan(j.proc[1].g, anew(run, bool, nplace(j.proc[1].g)), run);
	for (how = 0; how < NTRACING; how++) {
		Plan *plan = witness(&j.proc[0], how, run);
		Fault f = checktrace(&j.proc[0], plan, run);

		if (f.kind == SOUND) {
			j.plan[how] = plan;
			continue;
		}
		sayfault(&j, how, f);
		status = 1;
	}
	printwitnesses(&j);
	for (i = 0; i < gf->nwalk; i++)
		if (!printwalk(&j, i))
			status = 1;
	return status;
}
