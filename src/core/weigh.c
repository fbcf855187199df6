/* weigh.c - how often will it run?  Ball and Larus 1994, section 5.
 *
 * A depth-first search finds the back edges; the natural loops of their targets
 * (Aho, Sethi and Ullman 1986) nest, and make a tree.  Then one walk over the
 * blocks, each after those before it, applies three rules:
 *
 *   1. a block weighs what its incoming edges weigh, back edges aside;
 *   2. the edges that leave a loop share the weight of its head;
 *   3. the other edges out of a block share what those of rule 2 leave of the
 *      block's weight, which for a loop head is taken LOOP_MULTIPLIER times.
 *
 * `Share' is equally, unless hints say otherwise.
 *
 * We depart from the paper where it would break its own law of flow.  An edge that
 * leaves several loops at once gets its weight from the outermost, whose head comes
 * first; by the letter the other exits of an inner loop would still get W/N each,
 * and more or less would leave that loop than enters it.  They share what is left
 * of W instead.  Where rule 2 or 3 would go below 0 it gives 0.  In irreducible
 * graphs natural loops do not nest; there a loop consists of what the depth-first
 * search reached through its head and what leads back to it (Havlak 1997,
 * Ramalingam 1999). */

#include "core.h"

#include <assert.h>

#define HEAVIEST 1e150 /* ten to the depth of loops: keep clear of infinity */

typedef struct Node Node;
typedef struct Nest Nest;

/* What is found out about a block.  A loop is named by its head, and the fields
 * from `outer' on are those of the loop that a head names. */
struct Node {
	int pre;   /* when the search met it, from 1; 0 if it cannot be reached */
	int last;  /* pre of the last block met below it; 0 while it is open */
	int loop;  /* innermost loop around it, its own for a head; NONE */
	int outer; /* the loop around this one; NONE */
	int jump;  /* some loop further out, for skipping many at a time; NONE */
	int at;    /* its number among loops, so that those inside follow it */
	int size;  /* loops in it, itself included */
	int exits; /* the first edge it weighs by rule 2; NONE */
};

struct Nest {
	Node *node;  /* by block */
	int n;       /* blocks that can be reached */
	int *order;  /* those, by pre */
	int *after;  /* those, each after its predecessors, back edges aside */
	int *pred;   /* by block: the first edge of a list of those that lead there; NONE */
	int *late;   /* by block: a list of edges that wait for it, see findloops() */
	int *link;   /* by edge: the next in its list; NONE */
	int *exited; /* by edge: the outermost loop it leaves; NONE */
	int *next;   /* by edge: the next one of the same loop; NONE */
	int nloop;
	double *sum; /* see spent(): a tree of sums over at, root 1, leaves from nloop */
	bool cold;   /* there are cold blocks */
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

/* search - depth-first from ENTRY: pre, last, order, after, loop of heads.  Edges of
 * the search's tree and back edges go into pred; others, across the tree or down
 * it, into late, at the lowest block above both ends.  That is the lowest open
 * block above the destination: each block joins the set of the one above it when
 * it is done, and open[] has the one open block of a set (Tarjan 1979). */
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
			t->after[--nafter] = b; /* what it leads to is there already */
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

/* below - whether the search reached b through top. */
static bool
below(const Nest *t, int b, int top)
{
	int pre = t->node[b].pre;

	return t->node[top].pre <= pre && pre <= t->node[top].last;
}

/* body - collect the loop of head h: what reaches a back edge to h without
 * passing h.  Inner loops are single nodes by now, known by their heads. */
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

/* findloops - loops from the innermost outwards, by falling pre of their heads.  An
 * edge of late is of no concern to loops below the block at which it waits, since
 * only one of its ends is in them; there it joins the edges to the loop that its
 * destination is in by now, as if it led to the head of that. */
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

/* nestloops - size, at, jump.  Jumps make a climb through d loops take log d
 * steps (Myers 1983). */
static void
nestloops(Nest *t, Arena *tmp, int nblock)
{
	Node *node = t->node;
	int *fill = anew(tmp, int, nblock);  /* by head: the next number inside */
	int *depth = anew(tmp, int, nblock); /* by head: how many loops are around */
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

/* outermost - the outermost of the loops from h outwards that are not around b;
 * h itself is not. */
static int
outermost(const Nest *t, int h, int b)
{
	while (t->node[h].outer != NONE && !inloop(t, t->node[h].outer, b))
		h = inloop(t, t->node[h].jump, b) ? t->node[h].outer : t->node[h].jump;
	return h;
}

/* findexits - which loop weighs an edge by rule 2: the outermost that it leaves. */
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

/* around - the loop around b; if b is a head, the one around that loop. */
static int
around(const Nest *t, int b)
{
	return ishead(t, b) ? t->node[b].outer : t->node[b].loop;
}

/* bend - the law of flow is broken at b, and so at the head of the loop around
 * it, which balances what its loop takes and gives; outside loops, at EXIT. */
static void
bend(Graph *g, const Nest *t, int b)
{
	int h = around(t, b);

	g->block[b].bent = true;
	g->block[h == NONE ? EXIT : h].bent = true;
}

/* bendsides - loops that an edge enters past their head get more than the rules
 * give away. */
static void
bendsides(Graph *g, const Nest *t, Arena *tmp)
{
	int *side = anew(tmp, int, g->nblock); /* by head; of a loop and those in it */
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

/* spend, spent - the weight of exits that was given away so far.  Asked when h is
 * weighed, after the loops around it and before those inside it, spent(h) is the
 * weight of the edges that leave h together with loops around it. */
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

/* give - edge e its part of rest, nothing if there is no rest; and to the block
 * it leads to, by rule 1.  Over a back edge that comes too late to matter: the
 * head was weighed before its loop. */
static void
give(Graph *g, const Nest *t, int e, double rest, double total)
{
	Edge *ed = &g->edge[e];

	ed->weight = rest > 0 ? rest * (odds(g, t, e) / total) : 0;
	g->block[ed->dst].weight += ed->weight;
}

/* Less than nothing is left, and not just by rounding. */
static bool
overdrawn(double rest, double weight)
{
	return rest < -1e-9 * weight;
}

/* shareexits - rule 2 for the loop of head h. */
static int
shareexits(Graph *g, Nest *t, int h)
{
	double rest = g->block[h].weight - spent(t, h), total = 0;
	int e;

	for (e = t->node[h].exits; e != NONE; e = t->next[e])
		total += odds(g, t, e);
	assert(total > 0); /* a loop reaches EXIT, or the loop around it */
	for (e = t->node[h].exits; e != NONE; e = t->next[e]) {
		give(g, t, e, rest, total);
		spend(t, t->node[g->edge[e].src].loop, g->edge[e].weight);
	}
	if (!overdrawn(rest, g->block[h].weight))
		return 0;
	bend(g, t, h);
	return 1;
}

/* shareflow - rule 3 for block b. */
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
		/* Where edges cannot be told apart, a solution of the law of flow
		 * may have negative ones. */
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
