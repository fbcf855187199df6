/* trace.c - random programs, and random walks through them that may end early: from the trace of
 * every scheme the walk is regenerated.  On small graphs the checker agrees with a search of all
 * paths, and placement is compared with the cheapest plan.
 *
 * TALLY_SEED=N repeats a run. */

#include "core/trace.h"

#include "../gen.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { PROGRAMS = 12000, PROCS = 3, SMALL = 8000, MOSTEDGES = 9, MOSTSTEPS = 3000 };

static uint64_t first;
static int number;

static void
fail(const Graph *g, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "seed %" PRIu64 ", number %d: ", first, number);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	writegraph(stderr, g);
	exit(1);
}

/* A place that a walk passed. */
typedef struct Pass {
	int proc, place, depth;
} Pass;

typedef struct Walk {
	Arena *a;
	Pass *pass;
	int npass;
	size_t cappass;
	Token end;
} Walk;

static void
passed(Walk *w, int proc, int place, int depth)
{
	apush(w->a, w->pass, w->npass, w->cappass);
	w->pass[w->npass++] = (Pass){proc, place, depth};
}

/* anyway - a random way out of a block; NONE if there is none. */
static int
anyway(const Graph *g, int b, Rng *r)
{
	int n = nways(g, b), k;

	if (n == 0)
		return NONE;
	n = pick(r, n);
	for (k = g->outat[b];; k++)
		if (istaken(g, g->out[k].edge) && n-- == 0)
			return g->out[k].edge;
}

/* walk - walk from the start of function 0 until it returns, or not as far. */
static void
walk(const Proc *proc, Rng *r, Walk *w)
{
	enum { DEEP = 200 };
	Frame *stack = anew(w->a, Frame, DEEP);
	int n = 0, left = pick(r, 3) ? MOSTSTEPS : pick(r, 60), e;

	stack[n++] = (Frame){0, ENTRY, 0};
	while (n > 0) {
		Frame *s = &stack[n - 1];
		const Proc *pr = &proc[s->proc];

		if (s->block == EXIT) {
			if (--n > 0)
				stack[n - 1].done++;
			continue;
		}
		if (s->block != ENTRY
		    && (left-- <= 0 || (n == DEEP && s->done < ncalls(pr, s->block))
			|| oneof(r, 2000)))
			break;
		if (s->done < ncalls(pr, s->block)) {
			stack[n++] = (Frame){pr->callee[pr->callat[s->block] + s->done], ENTRY, 0};
			continue;
		}
		e = anyway(pr->g, s->block, r);
		if (e == NONE)
			break;
		passed(w, s->proc, edgeplace(pr->g, e), n - 1);
		*s = (Frame){s->proc, pr->g->edge[e].dst, 0};
		if (s->block != EXIT && oneof(r, 500)) {
			s->done = BEFORE;
			break;
		}
		passed(w, s->proc, s->block, n - 1);
	}
	w->end = (Token){END, 0, stack, n};
}

/* A trace: the witnesses of the places that a walk passed. */
typedef struct Tape {
	const Walk *w;
	Plan *const *plan;
	int at;
	long n;
} Tape;

static Token
tokenof(void *from)
{
	Tape *t = from;

	while (t->at < t->w->npass) {
		const Pass *p = &t->w->pass[t->at++];
		int slot = t->plan[p->proc]->slot[p->place];

		if (slot == NOSLOT)
			continue;
		t->n++;
		return (Token){.kind = WITNESS, .witness = slot};
	}
	return t->w->end;
}

static long nblocks, nwritten[NTRACING], ncut, ndepth;

/* regenerated - check that a walk is regenerated from its trace. */
static void
regenerated(const Proc *proc, int nproc, Plan *const *plan, const Walk *w, Tracing how)
{
	Arena a = {0};
	Tape tape = {w, plan, 0, 0};
	Replay *r = newreplay(proc, plan, nproc, 0, tokenof, &tape, &a);
	int i = 0, e = NONE;
	Step s;

	while (step(r, &s)) {
		const Graph *g = proc[s.proc].g;

		for (; i < w->npass
		       && (!isblock(proc[w->pass[i].proc].g, w->pass[i].place)
			   || w->pass[i].place == EXIT);
		     i++)
			e = w->pass[i].place - proc[w->pass[i].proc].g->nblock;
		if (i == w->npass)
			fail(g, "%s: goes on in block %d, where the walk has ended",
			     tracingname[how], s.block);
		if (s.proc != w->pass[i].proc || s.block != w->pass[i].place
		    || s.depth != w->pass[i].depth)
			fail(proc[w->pass[i].proc].g,
			     "%s: step %d is block %d of %d, and was block %d of %d",
			     tracingname[how], i, s.block, s.proc, w->pass[i].place,
			     w->pass[i].proc);
		if (s.edge != NONE && s.edge != e && plan[s.proc]->edges)
			fail(g, "%s: block %d by another way", tracingname[how], s.block);
		i++;
		nblocks++;
		if (s.depth > ndepth)
			ndepth = s.depth;
	}
	for (; i < w->npass
	       && (!isblock(proc[w->pass[i].proc].g, w->pass[i].place) || w->pass[i].place == EXIT);
	     i++)
		;
	if (lost(r) || i < w->npass)
		fail(proc[0].g, "%s: ends after %d of %d: %s", tracingname[how], i, w->npass,
		     lost(r) ? lost(r) : "too early");
	nwritten[how] += tape.n;
	areset(&a);
}

/* aprogram - make functions that call each other in random blocks; returns how many. */
static int
aprogram(Proc *proc, Rng *r, Arena *a)
{
	int n = oneof(r, 3) ? 1 : 1 + pick(r, PROCS), i, b,
	    calls = n > 1 || oneof(r, 4) ? 1 + pick(r, 12) : 0;

	for (i = 0; i < n; i++) {
		Graph *g = randomgraph(a, r, (Kind)pick(r, NKINDS), 1 + pick(r, 60));
		int *at, *callee, ncall = 0;

		closeflow(g, a);
		weigh(g, a);
		at = anew(a, int, g->nblock + 1);
		callee = anew(a, int, 3 * g->nblock);
		for (b = FIRST; b < g->nblock; b++) {
			int k = calls && oneof(r, calls) ? 1 + pick(r, 3) : 0;

			at[b] = ncall;
			while (k-- > 0)
				callee[ncall++] = pick(r, n);
		}
		at[g->nblock] = ncall;
		proc[i] = (Proc){g, at, callee, n == 1 && ncall == 0 && oneof(r, 2)};
	}
	return n;
}

static long nrefused, nspared;

/* without - try a plan without one of its witnesses: is it refused, or still sound? */

static void
without(const Proc *pr, Plan *plan, Rng *r, Arena *a)
{
	int p = pick(r, nplace(pr->g)), slot = plan->slot[p];

	if (slot == NOSLOT)
		return;
	plan->slot[p] = NOSLOT;
	if (checktrace(pr, plan, a).kind != SOUND)
		nrefused++;
	else
		nspared++;
	plan->slot[p] = slot;
}

static void
programs(Rng *r)
{
	for (number = 0; number < PROGRAMS; number++) {
		Arena a = {0};
		Proc proc[PROCS];
		int n = aprogram(proc, r, &a), i;
		Walk w = {.a = &a};
		Tracing how;

		walk(proc, r, &w);
		ncut += w.end.nframe > 0;
		for (how = 0; how < NTRACING; how++) {
			Plan *plan[PROCS];

			for (i = 0; i < n; i++) {
				Fault f;

				plan[i] = witness(&proc[i], how, &a);
				if (how == WITNESSES) {
					without(&proc[i], plan[i], r, &a);
					if (oneof(r, 2))
						ahead(&proc[i], plan[i]);
				}
				if (how != BITS && oneof(r, 2))
					reuse(&proc[i], plan[i], &a);
				f = checktrace(&proc[i], plan[i], &a);
				if (f.kind != SOUND)
					fail(proc[i].g, "%s: fault %d in block %d (%d)",
					     tracingname[how], f.kind, f.block, f.other);
			}
			regenerated(proc, n, plan, &w, how);
		}
		areset(&a);
	}
}

/* paths - count the free paths from block b to each block, up to 2; a cycle counts as 2. */
static void
paths(const Graph *g, const bool *wit, int b, int deep, int *count)
{
	int k;

	if (count[b] < 2)
		count[b]++;
	if (deep > g->nblock) {
		count[b] = 2;
		return;
	}
	for (k = g->outat[b]; k < g->outat[b + 1]; k++)
		if (istaken(g, g->out[k].edge) && !wit[g->out[k].edge])
			paths(g, wit, g->out[k].block, deep + 1, count);
}

/* solves - whether the graph without the witnesses has no diamond and no directed cycle: what the
 * paper requires of E - Ewit. */
static bool
solves(const Graph *g, const bool *wit)
{
	int count[64], b, c;

	for (b = 0; b < g->nblock; b++) {
		memset(count, 0, sizeof count);
		paths(g, wit, b, 0, count);
		for (c = 0; c < g->nblock; c++)
			if (count[c] > 1)
				return false;
	}
	return true;
}

/* shapes - look at all undirected simple cycles of edges.  *piped: whether each has a pipe, that
 * is, a block that one of its edges enters and another leaves.  *plain: whether each is a diamond
 * or directed. */
static void
shapes(const Graph *g, bool *piped, bool *plain)
{
	int n = g->nedge - 1, set, e, b;

	*piped = *plain = true;
	for (set = 1; set < 1 << n; set++) {
		int in[64] = {0}, out[64] = {0}, members = 0, pipes = 0, sources = 0, blocks = 0;
		Arena tmp = {0};
		Forest f = newforest(g->nblock, &tmp);
		bool cycle = true;

		for (e = 1; e <= n; e++)
			if (set >> (e - 1) & 1) {
				if (!istaken(g, e))
					cycle = false;
				out[g->edge[e].src]++;
				in[g->edge[e].dst]++;
				members += unite(&f, g->edge[e].src, g->edge[e].dst);
			}
		for (b = 0; b < g->nblock; b++) {
			cycle &= in[b] + out[b] == 0 || in[b] + out[b] == 2;
			blocks += in[b] + out[b] > 0;
			pipes += in[b] == 1 && out[b] == 1;
			sources += out[b] == 2;
		}
		cycle &= members == blocks - 1;
		if (cycle && pipes == 0)
			*piped = false;
		if (cycle && sources > 1)
			*plain = false;
		areset(&tmp);
	}
}

static Plan *
planof(const Graph *g, const bool *wit, Arena *a)
{
	bool *place = anew(a, bool, nplace(g));
	Plan *plan;
	int e;

	for (e = 0; e < g->nedge; e++)
		place[edgeplace(g, e)] = wit[e];
	plan = handplan(g, place, a);
	plan->edges = true;
	return plan;
}

static long nsame[2], nclass[3], ndear[3];
static double ratio[3];

/* cheapest - the cost of the cheapest set of witnesses that the checker accepts. */
static double
cheapest(const Proc *pr, Arena *a)
{
	const Graph *g = pr->g;
	int set, e;
	double best = INFINITY;

	for (set = 0; set < 1 << (g->nedge - 1); set++) {
		bool wit[64] = {false};
		double cost = 0;

		for (e = 1; e < g->nedge; e++)
			if ((wit[e] = set >> (e - 1) & 1))
				cost += g->edge[e].weight;
		if (cost < best && checktrace(pr, planof(g, wit, a), a).kind == SOUND)
			best = cost;
	}
	return best;
}

static bool
isparallel(const Graph *g)
{
	int e, f;

	for (e = 1; e < g->nedge; e++)
		for (f = 1; f < e; f++)
			if (g->edge[e].src == g->edge[f].src && g->edge[e].dst == g->edge[f].dst)
				return true;
	return false;
}

/* counting - check that plans for counts also tell the path (4.1), if nothing is called. */
static void
counting(const Proc *pr, Arena *a)
{
	Scheme s;

	for (s = 0; s < NSCHEME; s++) {
		Plan *plan = place(pr->g, s, a);

		if (checktrace(pr, plan, a).kind != SOUND)
			fail(pr->g, "the plan %s, for counts, does not tell the path",
			     schemename[s]);
	}
}

/* knot - a graph of few blocks with random edges, hardly a structured program. */
static Graph *
knot(Arena *a, Rng *r)
{
	Graph *g = newgraph(a);
	int n = 3 + pick(r, 3), i, e, b, dst;

	for (i = 0; i < n; i++)
		addblock(g);
	addedge(g, ENTRY, FIRST);
	for (i = 0; i < 2 * n; i++) {
		b = FIRST + pick(r, n);
		dst = oneof(r, 4) ? EXIT : FIRST + pick(r, n);
		for (e = 1; e < g->nedge && (g->edge[e].src != b || g->edge[e].dst != dst); e++)
			;
		if (e == g->nedge && g->nedge <= MOSTEDGES)
			addedge(g, b, dst);
	}
	return g;
}

static void
small(Rng *r)
{
	for (number = 0; number < SMALL; number++) {
		Arena a = {0};
		Graph *g = oneof(r, 2) ? randomgraph(&a, r, (Kind)pick(r, NKINDS), 1 + pick(r, 6))
				       : knot(&a, r);
		bool wit[64] = {false}, never = false, sound, piped, plain;
		Proc pr = {.g = g, .alone = true};
		double best, cost;
		int e, class;

		closeflow(g, &a);
		weigh(g, &a);
		for (e = 1; e < g->nedge; e++) {
			never |= g->edge[e].never;
			wit[e % 64] = oneof(r, 2);
		}
		if (g->nedge - 1 > MOSTEDGES || never || isparallel(g)) {
			areset(&a);
			continue;
		}
		sound = checktrace(&pr, planof(g, wit, &a), &a).kind == SOUND;
		if (sound != solves(g, wit))
			fail(g, "the checker says %s", sound ? "sound" : "fault");
		nsame[sound]++;
		counting(&pr, &a);
		shapes(g, &piped, &plain);
		class = plain ? 0 : piped ? 1 : 2;
		best = cheapest(&pr, &a);
		cost = witness(&pr, WITNESSES, &a)->cost;
		nclass[class]++;
		if (cost > best * (1 + 1e-9)) {
			if (class == 0)
				fail(g, "the tree costs %g, the cheapest %g", cost, best);
			ndear[class]++;
			ratio[class] += cost / best;
		}
		areset(&a);
	}
}

/* An edge of a graph in the paper. */
typedef struct Drawn {
	int src, dst;
	double weight;
	char wit; /* its witness; 0 if it has none */
} Drawn;

static Graph *
drawn(const Drawn *d, int n, int nblock, Arena *a)
{
	Graph *g = newgraph(a);
	int i;

	while (g->nblock < nblock)
		addblock(g);
	for (i = 0; i < n; i++)
		addedge(g, d[i].src, d[i].dst);
	closeflow(g, a);
	for (i = 0; i < n; i++)
		g->edge[i + 1].weight = d[i].weight;
	weighblocks(g, a);
	return g;
}

typedef struct Letters {
	const char *s;
	const int *number; /* by letter */
} Letters;

static Token
letter(void *from)
{
	Letters *l = from;

	return *l->s ? (Token){.kind = WITNESS, .witness = l->number[(int)*l->s++]}
		     : (Token){.kind = END};
}

/* figure14 - the trace (t, u, v, EOF) gives its path; without t on P->A the checker refuses. */
static void
figure14(void)
{
	enum { P = FIRST, A, B, C, N };
	static const Drawn d[] = {{ENTRY, P, 1, 0}, {P, A, 1, 't'}, {P, B, 1, 0}, {B, A, 1, 'u'},
				  {B, C, 1, 'v'},   {A, C, 1, 0},   {C, P, 1, 0}, {C, EXIT, 1, 0}};
	static const char name[] = "..PABC";
	Arena a = {0};
	Graph *g = drawn(d, 8, N, &a);
	Proc pr = {.g = g, .alone = true};
	bool wit[16] = {false};
	int number[128] = {0}, e, n, *w;
	char path[32];
	Letters l = {"tuv", number};
	Plan *plan;
	Replay *r;
	Fault f;
	Step s;

	for (e = 1; e < g->nedge; e++)
		wit[e] = d[e - 1].wit;
	plan = planof(g, wit, &a);
	for (e = 1; e < g->nedge; e++)
		if (wit[e])
			number[(int)d[e - 1].wit] = plan->slot[edgeplace(g, e)];
	if (checktrace(&pr, plan, &a).kind != SOUND)
		fail(g, "figure 14 is refused");
	w = witnesses(&pr, plan, 7, &n, &a); /* witness(C, P) */
	if (n != 3 || w[0] != number['t'] || w[1] != number['u'] || w[2] != number['v'])
		fail(g, "figure 14: another set for C and P");
	r = newreplay(&pr, &plan, 1, 0, letter, &l, &a);
	for (n = 0; step(r, &s) && n < 31; n++)
		path[n] = name[s.block];
	path[n] = 0;
	if (lost(r) || strcmp(path, "PACPBACPBC") != 0)
		fail(g, "figure 14: %s", path);
	wit[2] = false;
	f = checktrace(&pr, planof(g, wit, &a), &a);
	if (f.kind == SOUND)
		fail(g, "figure 14 without t is not refused");
	areset(&a);
}

/* figure16 - blockers far from calls cost less than those on edges to calls.  B, H and I call. */
static void
figure16(void)
{
	enum { A = FIRST, B, H, D, E, G, I, N };
	static const Drawn d[] = {{ENTRY, A, 3, 0}, {A, B, 2, 0},   {A, H, 1, 0}, {B, D, 1, 0},
				  {B, E, 1, 0},     {D, G, 1, 0},   {E, G, 1, 0}, {G, I, 2, 0},
				  {H, I, 1, 0},     {I, EXIT, 3, 0}};
	Arena a = {0};
	Graph *g = drawn(d, 10, N, &a);
	int at[N + 1] = {0}, callee[3] = {0}, b, n = 0;
	Proc pr = {g, at, callee, false};
	Plan *far, *near;

	for (b = 0; b <= N; b++) {
		at[b] = n;
		n += b == B || b == H || b == I;
	}
	far = witness(&pr, WITNESSES, &a);
	near = witness(&pr, NEARBY, &a);
	if (far->cost != 5 || far->slot[edgeplace(g, 4)] == NOSLOT
	    || far->slot[edgeplace(g, 5)] == NOSLOT)
		fail(g, "figure 16: %g", far->cost);
	/* H->I, G->I and one of B's ways, where B's two would suffice; and the edge to EXIT */
	if (near->cost != 2 + 1 + 1 + 2 + 1 + 3 || near->slot[edgeplace(g, 8)] == NOSLOT)
		fail(g, "figure 16, nearby: %g", near->cost);
	areset(&a);
}

static long nworse, nbetter, nequal;

/* otherorder - the cost if the forest comes first, then blockers where needed (figure 17). */
static double
otherorder(const Proc *pr, Arena *a)
{
	Proc alone = {.g = pr->g, .alone = true};
	Plan *both = witness(&alone, WITNESSES, a);
	Fault f;
	int e;

	while ((f = checktrace(pr, both, a)).kind == UNBLOCKED) {
		e = wayto(pr->g, both, f.block, f.other, false, a);
		both->slot[edgeplace(pr->g, e)] = both->nslot++;
		both->cost += price(pr->g, edgeplace(pr->g, e));
	}
	if (f.kind != SOUND)
		fail(pr->g, "the forest does not tell the path");
	return both->cost;
}

/* figure17 - the smallest graph of its kind: P goes to A, or to B, which calls; both go to C. */
static void
figure17(void)
{
	enum { P = FIRST, A, B, C, N };
	static const Drawn d[] = {{ENTRY, P, 1, 0}, {P, A, 0.5, 0}, {P, B, 0.5, 0},
				  {A, C, 0.5, 0},   {B, C, 0.5, 0}, {C, EXIT, 1, 0}};
	static const int at[N + 1] = {0, 0, 0, 0, 0, 1, 1}, callee[] = {0};
	Arena a = {0};
	Graph *g = drawn(d, 6, N, &a);
	Proc pr = {g, at, callee, false};

	if (witness(&pr, WITNESSES, &a)->cost != 1 || otherorder(&pr, &a) != 1.5)
		fail(g, "figure 17: %g, %g in the other order", witness(&pr, WITNESSES, &a)->cost,
		     otherorder(&pr, &a));
	areset(&a);
}

static void
orders(Rng *r)
{
	for (number = 0; number < SMALL; number++) {
		Arena a = {0};
		Proc proc[PROCS];
		int n = aprogram(proc, r, &a), i;

		for (i = 0; i < n && !proc[i].alone; i++) {
			double one = witness(&proc[i], WITNESSES, &a)->cost,
			       other = otherorder(&proc[i], &a);

			*(other > one * (1 + 1e-9)   ? &nworse
			  : other < one * (1 - 1e-9) ? &nbetter
						     : &nequal) += 1;
		}
		areset(&a);
	}
}

int
main(void)
{
	Rng r;
	Tracing how;

	first = seed();
	printf("# seed %" PRIu64 "\n", first);
	fflush(stdout);
	r = (Rng){first};
	figure14();
	figure16();
	figure17();
	programs(&r);
	small(&r);
	orders(&r);
	printf("%ld blocks regenerated, %ld walks cut, %ld calls deep\n", nblocks, ncut, ndepth);
	for (how = 0; how < NTRACING; how++)
		printf("%s: %.3f for each block\n", tracingname[how],
		       (double)nwritten[how] * NTRACING / (double)nblocks);
	printf("a witness less: %ld refused, %ld as good\n", nrefused, nspared);
	printf("checker and all paths: %ld sound, %ld not\n", nsame[1], nsame[0]);
	printf("dearer than the cheapest: %ld of %ld (diamonds and directed cycles), %ld of %ld "
	       "(other piped cycles), %ld of %ld (others), by %.2f\n",
	       ndear[0], nclass[0], ndear[1], nclass[1], ndear[2], nclass[2],
	       (ratio[1] + ratio[2]) / (double)(ndear[1] + ndear[2] ? ndear[1] + ndear[2] : 1));
	if (!nsame[0] || !nsame[1] || !nclass[0] || !nclass[1] || !nclass[2] || !nworse
	    || !nrefused) {
		fprintf(stderr, "seed %" PRIu64 ": not all was tried\n", first);
		return 1;
	}
	printf("forest first: %ld worse, %ld better, %ld equal\n", nworse, nbetter, nequal);
	return 0;
}
