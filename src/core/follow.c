/* follow.c - which witnesses can come next, and the proof that a plan suffices.
 *
 * Each way out of a block has a set of witnesses that can come next: the one on the edge if there
 * is one, else the one in the block to which it leads, else all that can come next after that
 * block.  A block with one way out has the set of that way.  A predicate has the union of its ways'
 * sets; if two of these have a witness in common, the plan is ambiguous.
 *
 * If the free places are a forest and all witnesses differ, the sets need not be compared: two free
 * paths from one predicate to one witness would close a cycle. */

#include "trace.h"

#include <stdlib.h>
#include <string.h>

typedef struct Set Set;
typedef struct Follow Follow;

/* Witnesses, in no order. */
struct Set {
	int *wit;
	int n;
};

struct Follow {
	const Graph *g;
	const Plan *plan;
	const Proc *pr;
	Set *after; /* by block: what can come next when control has left it */
	int *one;   /* by place: its slot; for a block without one BARRIER, or nslot for the end */
	int *order; /* blocks in postorder over free paths: successors first */
	int norder;
	Arena *tmp;
};

/* passes - whether control that takes edge e reaches the end of the block there without writing
 * anything. */
static bool
passes(const Graph *g, const Plan *plan, int e)
{
	return istaken(g, e) && plan->slot[edgeplace(g, e)] == NOSLOT
	       && plan->slot[g->edge[e].dst] == NOSLOT;
}

/* postorder - put the blocks into postorder over free paths; returns a block on a free cycle, or
 * NONE if there is none. */
static int
postorder(Follow *fl)
{
	enum { NEW, OPEN, DONE };
	const Graph *g = fl->g;
	char *state = anew(fl->tmp, char, g->nblock);
	int *stack = anew(fl->tmp, int, g->nblock), *next = anew(fl->tmp, int, g->nblock);
	int n = 0, root, b, dst;

	fl->order = anew(fl->tmp, int, g->nblock);
	for (root = 0; root < g->nblock; root++) {
		if (state[root] == NEW) {
			state[root] = OPEN;
			stack[n++] = root;
		}
		while (n > 0) {
			b = stack[n - 1];
			if (g->outat[b] + next[b] == g->outat[b + 1]) {
				state[b] = DONE;
				fl->order[fl->norder++] = b;
				n--;
				continue;
			}
			dst = g->out[g->outat[b] + next[b]].block;
			if (!passes(g, fl->plan, g->out[g->outat[b] + next[b]++].edge))
				continue;
			if (state[dst] == OPEN)
				return dst;
			if (state[dst] == NEW) {
				state[dst] = OPEN;
				stack[n++] = dst;
			}
		}
	}
	return NONE;
}

/* over - what can come next when control takes edge e. */
static Set
over(const Follow *fl, int e)
{
	const Graph *g = fl->g;
	int dst = g->edge[e].dst, p = edgeplace(g, e);

	if (fl->one[p] != NOSLOT)
		return (Set){&fl->one[p], 1};
	if (fl->one[dst] != NOSLOT)
		return (Set){&fl->one[dst], 1};
	return fl->after[dst];
}

/* same - whether edge e, at k in g->out, need not be told apart from an earlier parallel edge. */
static bool
same(const Follow *fl, int e, int k)
{
	const Graph *g = fl->g;
	int b = g->edge[e].src, i;

	if (fl->plan->edges || fl->plan->slot[edgeplace(g, e)] != NOSLOT)
		return false;
	for (i = g->outat[b]; i < k; i++)
		if (g->out[i].block == g->edge[e].dst && istaken(g, g->out[i].edge)
		    && fl->plan->slot[edgeplace(g, g->out[i].edge)] == NOSLOT)
			return true;
	return false;
}

/* join - the set of a predicate: the union over its ways out.  If two of these share a witness,
 * *shared gets it. */
static Set
join(const Follow *fl, int b, int *seen, int *shared)
{
	const Graph *g = fl->g;
	Set sum = {0};
	int k, i;

	for (k = g->outat[b]; k < g->outat[b + 1]; k++)
		if (istaken(g, g->out[k].edge) && !same(fl, g->out[k].edge, k))
			sum.n += over(fl, g->out[k].edge).n;
	sum.wit = anew(fl->tmp, int, sum.n);
	sum.n = 0;
	for (k = g->outat[b]; k < g->outat[b + 1]; k++) {
		Set s;

		if (!istaken(g, g->out[k].edge) || same(fl, g->out[k].edge, k))
			continue;
		s = over(fl, g->out[k].edge);
		for (i = 0; i < s.n; i++) {
			if (s.wit[i] >= 0 && seen[s.wit[i]] == b)
				*shared = s.wit[i];
			if (s.wit[i] >= 0)
				seen[s.wit[i]] = b;
			sum.wit[sum.n++] = s.wit[i];
		}
	}
	return sum;
}

/* follow - make the sets of all blocks; returns the first fault. */
static Fault
follow(Follow *fl)
{
	const Graph *g = fl->g;
	int *seen = anew(fl->tmp, int, fl->plan->nslot + 1); /* by witness: last one that has it */
	int i, k, b, shared = NONE;

	fl->after = anew(fl->tmp, Set, g->nblock);
	for (i = 0; i <= fl->plan->nslot; i++)
		seen[i] = NONE;
	for (i = 0; i < fl->norder; i++) {
		b = fl->order[i];
		if (nways(g, b) > 1) {
			fl->after[b] = join(fl, b, seen, &shared);
			if (shared != NONE)
				return (Fault){AMBIGUOUS, b, shared};
			continue;
		}
		for (k = g->outat[b]; k < g->outat[b + 1]; k++)
			if (istaken(g, g->out[k].edge))
				fl->after[b] = over(fl, g->out[k].edge);
	}
	return (Fault){SOUND, NONE, NONE};
}

static Follow
newfollow(const Proc *pr, const Plan *plan, Arena *tmp)
{
	const Graph *g = pr->g;
	Follow fl = {.g = g, .plan = plan, .pr = pr, .tmp = tmp, .one = anew(tmp, int, nplace(g))};
	int p;

	for (p = 0; p < nplace(g); p++)
		fl.one[p] = isblock(g, p) && plan->slot[p] == NOSLOT && isbarrier(pr, p)
				    ? BARRIER
				    : plan->slot[p];
	if (pr->alone && plan->slot[EXIT] == NOSLOT)
		fl.one[EXIT] = plan->nslot;
	return fl;
}

/* unblocked - search back from all barriers over free paths; a predicate there is a fault. */
static Fault
unblocked(const Proc *pr, const Plan *plan, Arena *tmp)
{
	const Graph *g = pr->g;
	int *goal = anew(tmp, int, g->nblock); /* by block: a barrier it can reach, plus 1; or 0 */
	int *stack = anew(tmp, int, g->nblock);
	int n = 0, b, k;

	for (b = 0; b < g->nblock; b++)
		if (isbarrier(pr, b) && plan->slot[b] == NOSLOT) {
			goal[b] = b + 1;
			stack[n++] = b;
		}
	while (n > 0) {
		b = stack[--n];
		for (k = g->inat[b]; k < g->inat[b + 1]; k++) {
			Way w = g->in[k];

			if (!passes(g, plan, w.edge))
				continue;
			if (nways(g, w.block) > 1)
				return (Fault){UNBLOCKED, w.block, goal[b] - 1};
			if (!goal[w.block] && plan->slot[w.block] == NOSLOT) {
				goal[w.block] = goal[b];
				stack[n++] = w.block;
			}
		}
	}
	return (Fault){SOUND, NONE, NONE};
}

/* isforest - whether the free places have no cycle, directed or not, and no two places write the
 * same witness. */
static bool
isforest(const Graph *g, const Plan *plan, Arena *tmp)
{
	Forest f = newforest(npoint(g), tmp);
	bool *used = anew(tmp, bool, plan->nslot);
	int p;

	for (p = 0; p < nplace(g); p++) {
		if (!isblock(g, p) && !istaken(g, p - g->nblock))
			continue;
		if (plan->slot[p] == NOSLOT ? !unite(&f, from(g, p), to(g, p))
					    : used[plan->slot[p]])
			return false;
		if (plan->slot[p] != NOSLOT)
			used[plan->slot[p]] = true;
	}
	return true;
}

Fault
checktrace(const Proc *pr, const Plan *plan, Arena *tmp)
{
	Follow fl = newfollow(pr, plan, tmp);
	Fault fault;
	int b = postorder(&fl);

	if (b != NONE)
		return (Fault){ENDLESS, b, NONE};
	fault = unblocked(pr, plan, tmp);
	if (fault.kind != SOUND || isforest(pr->g, plan, tmp))
		return fault;
	return follow(&fl);
}

static int
byvalue(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

int *
witnesses(const Proc *pr, const Plan *plan, int e, int *n, Arena *a)
{
	const Graph *g = pr->g;
	Arena tmp = {0};
	Follow fl = newfollow(pr, plan, &tmp);
	bool *seen = anew(&tmp, bool, g->nblock);
	int *stack = anew(&tmp, int, g->nblock), *wit = anew(a, int, g->nedge + g->nblock);
	int nstack = 0, k, i, b;

	*n = 0;
	for (b = NONE;;) {
		for (k = b == NONE ? 0 : g->outat[b]; k < (b == NONE ? 1 : g->outat[b + 1]); k++) {
			int w = b == NONE ? e : g->out[k].edge, dst = g->edge[w].dst;

			if (!istaken(g, w))
				continue;
			if (fl.one[edgeplace(g, w)] != NOSLOT) {
				wit[(*n)++] = fl.one[edgeplace(g, w)];
			} else if (fl.one[dst] != NOSLOT) {
				wit[(*n)++] = fl.one[dst];
			} else if (!seen[dst]) {
				seen[dst] = true;
				stack[nstack++] = dst;
			}
		}
		if (nstack == 0)
			break;
		b = stack[--nstack];
	}
	qsort(wit, (size_t)*n, sizeof *wit, byvalue);
	for (i = k = 0; i < *n; i++)
		if (i == 0 || wit[i] != wit[i - 1])
			wit[k++] = wit[i];
	*n = k;
	areset(&tmp);
	return wit;
}

int
wayto(const Graph *g, const Plan *plan, int b, int dst, bool before, Arena *tmp)
{
	int *first = anew(tmp, int, g->nblock); /* by block: edge out of b, plus 1; 0 if unseen */
	int *stack = anew(tmp, int, g->nblock);
	int n = 0, k, at = b;

	for (;;) {
		for (k = g->outat[at]; k < g->outat[at + 1]; k++) {
			int e = g->out[k].edge, x = g->out[k].block;

			if (x == dst && before && istaken(g, e) && plan->slot[edgeplace(g, e)] == NOSLOT)
				return at == b ? e : first[at] - 1;
			if (!passes(g, plan, e) || first[x])
				continue;
			first[x] = at == b ? e + 1 : first[at];
			stack[n++] = x;
		}
		if (first[dst] || n == 0)
			return first[dst] ? first[dst] - 1 : NONE;
		at = stack[--n];
	}
}

/* The sets of all predicates, for reuse(). */
typedef struct Rivals Rivals;

struct Rivals {
	Set *set;
	int nset;
	int **in; /* by witness: numbers of the sets that have it */
	int *nin;
	size_t *capin;
	size_t work; /* pairs of witnesses in one set, over all sets */
};

static void
rivals(Rivals *r, const Follow *fl)
{
	int b, i;

	r->set = anew(fl->tmp, Set, fl->g->nblock);
	r->in = anew(fl->tmp, int *, fl->plan->nslot);
	r->nin = anew(fl->tmp, int, fl->plan->nslot);
	r->capin = anew(fl->tmp, size_t, fl->plan->nslot);
	for (b = 0; b < fl->g->nblock; b++) {
		Set s = fl->after[b];

		if (nways(fl->g, b) < 2)
			continue;
		r->work += (size_t)s.n * (size_t)s.n;
		for (i = 0; i < s.n; i++) {
			int w = s.wit[i];

			if (w < 0 || w == fl->plan->nslot)
				continue;
			apush(fl->tmp, r->in[w], r->nin[w], r->capin[w]);
			r->in[w][r->nin[w]++] = r->nset;
		}
		r->set[r->nset++] = s;
	}
}

/* smallest - the smallest number that no rival of witness w has. */
static int
smallest(const Rivals *r, const int *number, int w, int *taken)
{
	int i, k, n;

	for (i = 0; i < r->nin[w]; i++) {
		const Set *s = &r->set[r->in[w][i]];

		for (k = 0; k < s->n; k++)
			if (s->wit[k] >= 0 && number[s->wit[k]] != NONE)
				taken[number[s->wit[k]]] = w + 1;
	}
	for (n = 0; taken[n] == w + 1; n++)
		;
	return n;
}

/* Witnesses that can come next after the same predicate are rivals and must have different numbers.
 * Each in turn gets the smallest number that no rival has: greedy colouring. */
void
reuse(const Proc *pr, Plan *plan, Arena *tmp)
{
	enum { WORK = 1000 }; /* most pairs to look at, per place */
	Follow fl = newfollow(pr, plan, tmp);
	Rivals r = {0};
	int *number, *taken, p, w, n = 0;

	if (postorder(&fl) != NONE || follow(&fl).kind != SOUND)
		return;
	rivals(&r, &fl);
	if (r.work > (size_t)WORK * (size_t)nplace(pr->g))
		return;
	number = anew(tmp, int, plan->nslot + 1);
	taken = anew(tmp, int, plan->nslot + 1);
	for (w = 0; w <= plan->nslot; w++)
		number[w] = NONE;
	for (w = 0; w < plan->nslot; w++) {
		number[w] = smallest(&r, number, w, taken);
		if (number[w] >= n)
			n = number[w] + 1;
	}
	for (p = 0; p < nplace(pr->g); p++)
		if (plan->slot[p] != NOSLOT)
			plan->slot[p] = number[plan->slot[p]];
	plan->nslot = n;
}
