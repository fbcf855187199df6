/* weigh.c - how often will it run?  Ball and Larus 1994, section 5.
 *
 * A depth-first search finds the back edges.  The natural loops of their targets (Aho, Sethi and
 * Ullman 1986) nest and form a tree.  Then one walk over the blocks, predecessors first, applies
 * three rules:
 *
 *   1. a block weighs as much as its incoming edges, back edges aside;
 *   2. the edges that leave a loop share the weight of its head;
 *   3. the other edges out of a block share the rest: the block's weight (times LOOP_MULTIPLIER for
 *      a loop head) minus the edges that rule 2 has weighed.
 *
 * Shares are equal unless hints say otherwise.  So if W enters a loop, its body weighs 10 W, and
 * its exits together W.
 *
 * We depart from the paper where it would break its own law of flow.  An edge that leaves several
 * loops gets its weight from the outermost, whose head comes first.  By the letter, the other exits
 * of an inner loop would still get W/N each, so that more or less would leave that loop than enters
 * it.  We let them share what is left of W.  Where rule 2 or 3 would make a weight negative it
 * becomes 0.  In irreducible graphs natural loops do not nest; there a loop is what the search
 * reached through its head and what leads back to it (Havlak 1997, Ramalingam 1999). */

#include "core.h"

#include <assert.h>

#define HEAVIEST 1e150 /* weights grow tenfold with each loop: stop before infinity */

typedef struct Node Node;
typedef struct Nest Nest;

/* What we learn about a block.  A loop is identified by its head; the fields from `outer' on are
 * about the loop of a head. */
struct Node {
	int pre;   /* preorder number in the search, from 1; 0 if unreachable */
	int last;  /* pre of the last block reached below it; 0 while the search is below it */
	int loop;  /* the innermost loop around it, its own for a head; or NONE */
	int outer; /* the loop around its loop, or NONE */
	int jump;  /* some loop further out, for skipping many at a time; or NONE */
	int at;    /* preorder number in the tree of loops: those inside follow it */
	int size;  /* number of loops in it, itself included */
	int exits; /* the first edge of the list that it weighs by rule 2; or NONE */
};

struct Nest {
	Node *node;  /* by block */
	int n;       /* number of reachable blocks */
	int *order;  /* these in preorder */
	int *after;  /* these with predecessors first, back edges aside */
	int *pred;   /* by block: first edge of a list of edges that lead there; or NONE */
	int *late;   /* by block: first edge of a list of edges that wait for it: findloops() */
	int *link;   /* by edge: the next in its list of pred[] or late[]; or NONE */
	int *exited; /* by edge: the outermost loop that it leaves, or NONE */
	int *next;   /* by edge: the next exit of the same loop, or NONE */
	int nloop;
	double *sum; /* a segment tree over Node.at, root 1, leaves from nloop: see spend() */
	bool cold;   /* some block is cold */
};

static bool
ishead(const Nest *t, int b)
{
	return t->node[b].loop == b;
}

static Nest
newnest(const Graph *g, Arena *tmp)
{
	Nest t = {
		.node = anew(tmp, Node, g->nblock),
		.order = anew(tmp, int, g->nblock),
		.after = anew(tmp, int, g->nblock),
		.pred = anew(tmp, int, g->nblock),
		.late = anew(tmp, int, g->nblock),
		.link = anew(tmp, int, g->nedge),
		.exited = anew(tmp, int, g->nedge),
		.next = anew(tmp, int, g->nedge),
	};
	int i;

	for (i = 0; i < g->nblock; i++) {
		t.pred[i] = t.late[i] = NONE;
		t.node[i] = (Node){.loop = NONE, .outer = NONE, .jump = NONE, .exits = NONE};
	}
	for (i = 0; i < g->nedge; i++)
		t.next[i] = t.exited[i] = NONE;
	return t;
}

static void
hang(int *list, int *link, int e)
{
	link[e] = *list;
	*list = e;
}

/* search - depth-first from ENTRY: finds pre, last, order, after, and loop of heads.
 *
 * Tree edges and back edges go into pred[].  Forward and cross edges go into late[], at the nearest
 * common ancestor of their ends.  That is the lowest open ancestor of the destination: a block that
 * is done joins the set of its parent, and open[] has the one open block of each set (Tarjan
 * 1979). */
static void
search(const Graph *g, Nest *t, Arena *tmp)
{
	Node *node = t->node;
	Forest f = newforest(g->nblock, tmp);
	int *open = anew(tmp, int, g->nblock); /* by root of f */
	int *stack = anew(tmp, int, g->nblock);
	int *next = anew(tmp, int, g->nblock);
	int n = 0, nafter = g->nblock, b;

	for (b = 0; b < g->nblock; b++)
		open[b] = b;
	t->order[t->n] = stack[n++] = ENTRY;
	node[ENTRY].pre = ++t->n;
	while (n > 0) {
		Way way;

		b = stack[n - 1];
		if (g->outat[b] + next[b] == g->outat[b + 1]) {
			node[b].last = t->n;
			t->after[--nafter] = b; /* reverse postorder */
			if (--n > 0) {
				unite(&f, b, stack[n - 1]);
				open[find(&f, b)] = stack[n - 1];
			}
			continue;
		}
		way = g->out[g->outat[b] + next[b]++];
		if (!node[way.block].pre) {
			t->order[t->n] = stack[n++] = way.block;
			node[way.block].pre = ++t->n;
			hang(&t->pred[way.block], t->link, way.edge);
		} else if (node[way.block].last) {
			hang(&t->late[open[find(&f, way.block)]], t->link, way.edge);
		} else if (way.edge != CLOSING) {
			node[way.block].loop = way.block; /* a back edge: it is a head */
			hang(&t->pred[way.block], t->link, way.edge);
		}
	}
	t->after += nafter;
}

/* below - whether b is top or a descendant of it in the search tree. */
static bool
below(const Nest *t, int b, int top)
{
	int pre = t->node[b].pre;

	return t->node[top].pre <= pre && pre <= t->node[top].last;
}

/* body - collect the loop of head h: what reaches a back edge to h without passing h.  Each inner
 * loop is a single node by now, represented by its head.  Returns the number of members. */
static int
body(const Graph *g, Nest *t, Forest *f, const int *headof, int h, int *member)
{
	Node *node = t->node;
	int n = 0, e, k;

	for (k = -1; k < n; k++) {
		int b = k < 0 ? h : member[k];

		for (e = t->pred[b]; e != NONE; e = t->link[e]) {
			int src = g->edge[e].src, top, *outside;

			if (b == h && !below(t, src, h))
				continue; /* the way in */
			top = headof[find(f, src)];
			outside = ishead(t, top) ? &node[top].outer : &node[top].loop;
			if (top != h && *outside == NONE) {
				*outside = h;
				member[n++] = top;
			}
		}
	}
	return n;
}

/* findloops - find the loops from the innermost outwards: heads by falling pre.
 *
 * An edge in late[] does not matter to loops below the block where it waits, since at most one of
 * its ends is in them.  When that block's turn comes the edge moves to pred[] of the loop that its
 * destination is in by then, as if it led to the head. */
static void
findloops(const Graph *g, Nest *t, Arena *tmp)
{
	Forest f = newforest(g->nblock, tmp);
	int *headof = anew(tmp, int, g->nblock); /* by root of f */
	int *member = anew(tmp, int, g->nblock);
	int i, k, n, e, next;

	for (i = 0; i < g->nblock; i++)
		headof[i] = i;
	for (i = t->n - 1; i >= 0; i--) {
		int h = t->order[i];

		for (e = t->late[h]; e != NONE; e = next) {
			next = t->link[e];
			hang(&t->pred[headof[find(&f, g->edge[e].dst)]], t->link, e);
		}
		if (!ishead(t, h))
			continue;
		t->nloop++;
		n = body(g, t, &f, headof, h, member);
		for (k = 0; k < n; k++)
			unite(&f, member[k], h);
		headof[find(&f, h)] = h;
	}
}

/* nestloops - compute size, at and jump.  With jumps a climb through d loops takes O(log d) steps
 * (Myers 1983). */
static void
nestloops(Nest *t, Arena *tmp, int nblock)
{
	Node *node = t->node;
	int *fill = anew(tmp, int, nblock);  /* by head: the next free number inside */
	int *depth = anew(tmp, int, nblock); /* by head: the number of loops around it */
	int i, top = 0;

	for (i = t->n - 1; i >= 0; i--) {
		Node *h = &node[t->order[i]];

		if (!ishead(t, t->order[i]))
			continue;
		h->size++;
		if (h->outer != NONE)
			node[h->outer].size += h->size;
	}
	for (i = 0; i < t->n; i++) {
		Node *h = &node[t->order[i]];
		int *number = h->outer == NONE ? &top : &fill[h->outer];
		int far;

		if (!ishead(t, t->order[i]))
			continue;
		h->at = *number;
		*number += h->size;
		fill[t->order[i]] = h->at + 1;
		h->jump = h->outer;
		if (h->outer == NONE)
			continue;
		depth[t->order[i]] = depth[h->outer] + 1;
		far = node[h->outer].jump;
		if (far != NONE && node[far].jump != NONE
		    && depth[h->outer] - depth[far] == depth[far] - depth[node[far].jump])
			h->jump = node[far].jump;
	}
}

static bool
inloop(const Nest *t, int h, int b)
{
	int l = t->node[b].loop;

	if (l == h || l == NONE)
		return l == h;
	return (unsigned)(t->node[l].at - t->node[h].at) < (unsigned)t->node[h].size;
}

/* outermost - of h and the loops around it, the outermost that does not contain b.
 * requires: h does not contain b. */
static int
outermost(const Nest *t, int h, int b)
{
	while (t->node[h].outer != NONE && !inloop(t, t->node[h].outer, b))
		h = inloop(t, t->node[h].jump, b) ? t->node[h].outer : t->node[h].jump;
	return h;
}

/* findexits - give each edge that leaves loops to the outermost of them, which weighs it. */
static void
findexits(const Graph *g, Nest *t)
{
	int e, h;

	for (e = g->nedge - 1; e >= 0; e--) {
		h = t->node[g->edge[e].src].loop;
		if (h == NONE || inloop(t, h, g->edge[e].dst))
			continue;
		h = outermost(t, h, g->edge[e].dst);
		t->exited[e] = h;
		t->next[e] = t->node[h].exits;
		t->node[h].exits = e;
	}
}

/* around - the loop around b; for a head, the one around its loop. */
static int
around(const Nest *t, int b)
{
	return ishead(t, b) ? t->node[b].outer : t->node[b].loop;
}

/* bend - note that the weights break the law of flow at b, and so, too, at the head of the loop
 * around it, or at EXIT if there is none. */
static void
bend(Graph *g, const Nest *t, int b)
{
	int h = around(t, b);

	g->block[b].bent = true; /* invariant 8 */
	g->block[h == NONE ? EXIT : h].bent = true;
}

/* bendsides - bend the loops that an edge enters other than at the head: they get more than the
 * rules let out. */
static void
bendsides(Graph *g, const Nest *t, Arena *tmp)
{
	int *side = anew(tmp, int, g->nblock); /* by head: such edges into the loop or one inside */
	int e, h, i;

	for (e = 0; e < g->nedge; e++) {
		int src = g->edge[e].src;

		h = around(t, g->edge[e].dst);
		if (h == NONE || !t->node[src].pre || inloop(t, h, src))
			continue;
		side[h]++;
		h = t->node[outermost(t, h, src)].outer;
		if (h != NONE)
			side[h]--;
	}
	for (i = t->n - 1; i >= 0; i--) {
		h = t->order[i];
		if (!side[h])
			continue;
		bend(g, t, h);
		if (t->node[h].outer != NONE)
			side[t->node[h].outer] += side[h];
	}
}

/* spend - add to the weight of the exits from loop h.
 *
 * spent - the weight of all exits so far from h and the loops in it.  When h is weighed, the loops
 * around it have been weighed, those inside have not: so it is the weight of the edges that leave h
 * together with a loop around it. */
static void
spend(Nest *t, int h, double weight)
{
	int i;

	for (i = t->node[h].at + t->nloop; i > 0; i /= 2)
		t->sum[i] += weight;
}

static double
spent(const Nest *t, int h)
{
	int lo = t->node[h].at + t->nloop, hi = lo + t->node[h].size;
	double sum = 0;

	for (; lo < hi; lo /= 2, hi /= 2) {
		if (lo & 1)
			sum += t->sum[lo++];
		if (hi & 1)
			sum += t->sum[--hi];
	}
	return sum;
}

static double
odds(const Graph *g, const Nest *t, int e)
{
	return g->edge[e].odds * (t->cold && g->block[g->edge[e].dst].cold ? COLD_ODDS : 1);
}

/* give - give edge e its share of rest (0 if that is negative), and the same to the block there, by
 * rule 1.  A back edge comes too late to matter: its head has been weighed. */
static void
give(Graph *g, const Nest *t, int e, double rest, double total)
{
	Edge *ed = &g->edge[e];

	ed->weight = rest > 0 ? rest * (odds(g, t, e) / total) : 0;
	g->block[ed->dst].weight += ed->weight;
}

/* overdrawn - whether rest is negative by more than rounding. */
static bool
overdrawn(double rest, double weight)
{
	return rest < -1e-9 * weight;
}

/* shareexits - rule 2 for the loop of head h; returns 1 if shares were negative and set to 0. */
static int
shareexits(Graph *g, Nest *t, int h)
{
	double rest = g->block[h].weight - spent(t, h), total = 0;
	int e;

	for (e = t->node[h].exits; e != NONE; e = t->next[e])
		total += odds(g, t, e);
	assert(total > 0); /* a loop reaches the loop around it, or EXIT */
	for (e = t->node[h].exits; e != NONE; e = t->next[e]) {
		give(g, t, e, rest, total);
		spend(t, t->node[g->edge[e].src].loop, g->edge[e].weight);
	}
	if (!overdrawn(rest, g->block[h].weight))
		return 0;
	bend(g, t, h);
	return 1;
}

/* shareflow - rule 3 for block b; returns as shareexits(). */
static int
shareflow(Graph *g, const Nest *t, int b)
{
	double weight = g->block[b].weight, rest, total = 0;
	int i, e;

	if (ishead(t, b) && weight < HEAVIEST)
		weight *= LOOP_MULTIPLIER;
	rest = weight;
	for (i = g->outat[b]; i < g->outat[b + 1]; i++) {
		e = g->out[i].edge;
		if (t->exited[e] == NONE)
			total += odds(g, t, e);
		else
			rest -= g->edge[e].weight;
	}
	for (i = g->outat[b]; i < g->outat[b + 1]; i++) {
		e = g->out[i].edge;
		if (t->exited[e] == NONE)
			give(g, t, e, rest, total);
	}
	if (!overdrawn(rest, weight))
		return 0;
	bend(g, t, b);
	return 1;
}

int
weigh(Graph *g, Arena *tmp)
{
	Nest t = newnest(g, tmp);
	int i, nclamp = 0;

	for (i = 0; i < g->nblock; i++) {
		g->block[i].weight = 0;
		g->block[i].bent = false;
		t.cold |= g->block[i].cold;
	}
	for (i = 0; i < g->nedge; i++)
		g->edge[i].weight = 0;
	search(g, &t, tmp);
	findloops(g, &t, tmp);
	nestloops(&t, tmp, g->nblock);
	findexits(g, &t);
	bendsides(g, &t, tmp);

	t.sum = anew(tmp, double, 2 * (size_t)t.nloop);
	g->block[ENTRY].weight = g->edge[CLOSING].weight = 1;
	for (i = 0; i < t.n; i++) {
		int b = t.after[i];

		if (ishead(&t, b))
			nclamp += shareexits(g, &t, b);
		if (b != EXIT)
			nclamp += shareflow(g, &t, b);
	}
	weighblocks(g, tmp);
	return nclamp;
}

void
weighblocks(Graph *g, Arena *tmp)
{
	double *came = anew(tmp, double, g->nblock);
	int i;

	for (i = 0; i < g->nblock; i++)
		g->block[i].weight = 0;
	for (i = 0; i < g->nedge; i++) {
		came[g->edge[i].dst] += g->edge[i].weight;
		g->block[g->edge[i].src].weight += g->edge[i].weight;
	}
	for (i = 0; i < g->nblock; i++)
		if (came[i] > g->block[i].weight)
			g->block[i].weight = came[i];
}

void
weighexact(Graph *g, const Flow *flow)
{
	int p;

	for (p = 0; p < nplace(g); p++) {
		/* where edges cannot be told apart, a count may be negative */
		int64_t n = (int64_t)flow->count[p];
		double weight = n > 0 ? (double)n : 0;

		if (isblock(g, p)) {
			g->block[p].weight = weight;
			g->block[p].bent = false;
		} else {
			placeedge(g, p)->weight = weight;
		}
	}
}

Loops
findnest(const Graph *g, Arena *a)
{
	Loops l = {.of = anew(a, int, g->nblock), .outer = anew(a, int, g->nblock)};
	Arena tmp = {0};
	Nest t = newnest(g, &tmp);
	int b;

	search(g, &t, &tmp);
	findloops(g, &t, &tmp);
	for (b = 0; b < g->nblock; b++) {
		l.of[b] = t.node[b].loop;
		l.outer[b] = t.node[b].outer;
	}
	areset(&tmp);
	return l;
}
