/* draw.c - the layout of a flow graph: where blocks are and edges pass.
 *
 * Blocks are put into layers so that all edges lead down, except those that close a cycle.  An edge
 * that passes a layer gets a bend there.  An edge that leads back up gets bends beside both its
 * ends, too, where it turns: so it leaves its block below and arrives above, like any other.
 * Within each layer, blocks and bends are ordered by where their neighbours are, in several sweeps,
 * and the order with the fewest crossings wins.  Then they move to where their neighbours are, as
 * far as those beside them permit.
 *
 * Sugiyama, Tagawa and Toda, Methods for Visual Understanding of Hierarchical System Structures,
 * 1981.  Nothing recurses. */

#include "draw.h"

#include <stdlib.h>
#include <string.h>

enum { MOSTSPOTS = 40000, SWEEPS = 12, MOVES = 20, LAST = 8, STRAIGHT = 8 };

static const double GAP = 30, BENDGAP = 16, LABELGAP = 16, PORTGAP = 12, ROWGAP = 48, MOSTGAP = 130;

typedef struct Lists Lists;
typedef struct Spot Spot;
typedef struct Paper Paper;

/* Numbers by key: those of key i are list[at[i]] to list[at[i + 1] - 1]. */
struct Lists {
	int *at, *list;
};

/* A block, or a bend of a wire. */
struct Spot {
	int layer;
	int wire; /* whose bend it is; NONE */
	int tie;  /* where the wire turns: the block beside it; NONE */
	double width;
	double key; /* position in the layer */
	double x;   /* of its middle */
};

/* All are numbered: blocks in their order, then bends. */
struct Paper {
	Picture *l;
	Arena *tmp;
	Spot *spot;
	int n;
	int *bend;  /* by wire: its first, topmost one; the others follow it */
	int *nbend; /* by wire */
	bool *back; /* by wire: it leads up, or back to the same block */
	int *post;  /* blocks in the postorder of the search */
	int nlayer;
	Lists out, in;        /* wires, by the block where they begin, and where they end */
	Lists layer;          /* spots by layer, in their order */
	Lists up, down;       /* by spot: its neighbours above and below along wires */
	double *mean;         /* by wire: average x of its bends */
	double *top, *height; /* by layer */
};

/* lists - the numbers below n by their keys, which are below nkey. */
static Lists
lists(const int *key, int n, int nkey, Arena *tmp)
{
	Lists l = {anew(tmp, int, nkey + 2), anew(tmp, int, n)};
	int *next = anew(tmp, int, nkey + 1), i;

	for (i = 0; i < n; i++)
		l.at[key[i] + 1]++;
	for (i = 0; i < nkey; i++)
		l.at[i + 1] += l.at[i];
	memcpy(next, l.at, (size_t)(nkey + 1) * sizeof *next);
	for (i = 0; i < n; i++)
		l.list[next[key[i]]++] = i;
	return l;
}

/* search - depth first, from block 0 and then from any block not yet reached: which wires lead
 * back. */
static void
search(Paper *p)
{
	const Picture *l = p->l;
	int *next = anew(p->tmp, int, l->n + 1), *stack = anew(p->tmp, int, l->n + 1);
	char *state = anew(p->tmp, char, l->n + 1); /* 1 on the stack, 2 done */
	int i, root, depth, npost = 0;

	memcpy(next, p->out.at, (size_t)(l->n + 1) * sizeof *next);
	for (root = 0; root < l->n; root++) {
		if (state[root])
			continue;
		depth = 0;
		stack[depth++] = root;
		state[root] = 1;
		while (depth > 0) {
			int b = stack[depth - 1], w, dst;

			if (next[b] == p->out.at[b + 1]) {
				state[b] = 2;
				p->post[npost++] = b;
				depth--;
				continue;
			}
			w = p->out.list[next[b]++];
			dst = l->wire[w].dst;
			p->back[w] = state[dst] == 1;
			if (!state[dst]) {
				state[dst] = 1;
				stack[depth++] = dst;
			}
		}
	}
	for (i = 0; i < l->n; i++)
		p->spot[p->post[i]].key = l->n - i;
}

/* layers - put each block as far down as the longest way to it; a block to which no way leads goes
 * just above its successors. */
static void
layers(Paper *p)
{
	const Picture *l = p->l;
	int *least = anew(p->tmp, int, l->n + 1), i, k;
	char *entered = anew(p->tmp, char, l->n + 1);

	for (i = l->n - 1; i >= 0; i--) {
		int b = p->post[i];

		for (k = p->out.at[b]; k < p->out.at[b + 1]; k++) {
			int w = p->out.list[k];
			Spot *to = &p->spot[l->wire[w].dst];

			if (p->back[w])
				continue;
			entered[to - p->spot] = 1;
			if (to->layer <= p->spot[b].layer)
				to->layer = p->spot[b].layer + 1;
		}
	}
	for (i = 0; i < l->nwire; i++) {
		int src = l->wire[i].src, below = p->spot[l->wire[i].dst].layer;

		if (!p->back[i] && (!least[src] || below < least[src]))
			least[src] = below;
	}
	for (i = 1; i < l->n; i++)
		if (!entered[i] && least[i])
			p->spot[i].layer = least[i] - 1;
	for (i = 0; i < l->n; i++)
		if (p->spot[i].layer >= p->nlayer)
			p->nlayer = p->spot[i].layer + 1;
}

/* bends - add the bends where wires pass layers or turn; false if there are too many. */
static bool
bends(Paper *p)
{
	const Picture *l = p->l;
	long all = l->n;
	Spot *spot;
	int i, k;

	for (i = 0; i < l->nwire; i++) {
		int down = p->spot[l->wire[i].dst].layer - p->spot[l->wire[i].src].layer;

		p->nbend[i] = p->back[i] ? 1 - down : down - 1;
		all += p->nbend[i];
	}
	if (all > MOSTSPOTS)
		return false;
	spot = anew(p->tmp, Spot, all);
	memcpy(spot, p->spot, (size_t)l->n * sizeof *spot);
	p->spot = spot;
	p->n = l->n;
	for (i = 0; i < l->nwire; i++) {
		const Wire *w = &l->wire[i];
		int upper = p->back[i] ? w->dst : w->src, lower = p->back[i] ? w->src : w->dst;

		p->bend[i] = p->n;
		for (k = 0; k < p->nbend[i]; k++) {
			Spot *s = &spot[p->n++];

			*s = (Spot){.layer = spot[upper].layer + k + !p->back[i],
				    .wire = i,
				    .tie = NONE,
				    .width = 2,
				    .key = spot[lower].key};
			if (p->back[i] && (k == 0 || k == p->nbend[i] - 1))
				s->tie = k ? lower : upper;
		}
	}
	return true;
}

/* neighbours - fill in up and down. */
static void
neighbours(Paper *p)
{
	const Picture *l = p->l;
	int *up = anew(p->tmp, int, p->n + l->nwire), *down = anew(p->tmp, int, p->n + l->nwire);
	int i, k, n = 0;

	for (i = 0; i < l->nwire; i++) {
		int first = p->bend[i], last = first + p->nbend[i] - 1;

		if (!p->back[i]) {
			up[n] = l->wire[i].src;
			down[n++] = p->nbend[i] ? first : l->wire[i].dst;
		}
		for (k = first; k < last; k++) {
			up[n] = k;
			down[n++] = k + 1;
		}
		if (!p->back[i] && p->nbend[i]) {
			up[n] = last;
			down[n++] = l->wire[i].dst;
		}
	}
	p->down = lists(up, n, p->n, p->tmp);
	p->up = lists(down, n, p->n, p->tmp);
	for (i = 0; i < n; i++) {
		p->down.list[i] = down[p->down.list[i]];
		p->up.list[i] = up[p->up.list[i]];
	}
}

static const Spot *sortspots;

static int
bykey(const void *a, const void *b)
{
	int i = *(const int *)a, k = *(const int *)b;
	double x = sortspots[i].key, y = sortspots[k].key;

	return x < y ? -1 : x > y ? 1 : i - k;
}

/* sortlayer - sort by key, and set keys to the positions. */
static void
sortlayer(Paper *p, int layer)
{
	int i, *list = p->layer.list + p->layer.at[layer],
	       n = p->layer.at[layer + 1] - p->layer.at[layer];

	sortspots = p->spot;
	if (n)
		qsort(list, (size_t)n, sizeof *list, bykey);
	for (i = 0; i < n; i++)
		p->spot[list[i]].key = i;
}

/* fill - fill the layers, in the order of the search. */
static void
fill(Paper *p)
{
	int *layer = anew(p->tmp, int, p->n), i;

	for (i = 0; i < p->n; i++)
		layer[i] = p->spot[i].layer;
	p->layer = lists(layer, p->n, p->nlayer, p->tmp);
	for (i = 0; i < p->nlayer; i++)
		sortlayer(p, i);
}

/* crossings - the number of crossings of wires between a layer and the next: inversions, counted
 * with a Fenwick tree. */
static long
crossings(const Paper *p, int layer, int *tree)
{
	int n = p->layer.at[layer + 2] - p->layer.at[layer + 1], i, k, j;
	long sum = 0, seen = 0;

	memset(tree, 0, (size_t)(n + 2) * sizeof *tree);
	for (i = p->layer.at[layer]; i < p->layer.at[layer + 1]; i++) {
		int s = p->layer.list[i];

		for (k = p->down.at[s]; k < p->down.at[s + 1]; k++) {
			long before = 0;

			for (j = (int)p->spot[p->down.list[k]].key + 1; j > 0; j -= j & -j)
				before += tree[j];
			sum += seen - before;
		}
		for (k = p->down.at[s]; k < p->down.at[s + 1]; k++, seen++)
			for (j = (int)p->spot[p->down.list[k]].key + 1; j <= n; j += j & -j)
				tree[j]++;
	}
	return sum;
}

/* sweep - order each layer by the one above or below it.  A bend where a wire turns goes beside its
 * block. */
static void
sweep(Paper *p, bool downwards)
{
	const int *at = downwards ? p->up.at : p->down.at;
	const int *list = downwards ? p->up.list : p->down.list;
	int n, i, k, layer;

	for (n = 1; n < p->nlayer; n++) {
		layer = downwards ? n : p->nlayer - 1 - n;
		for (i = p->layer.at[layer]; i < p->layer.at[layer + 1]; i++) {
			Spot *s = &p->spot[p->layer.list[i]];
			int from = at[p->layer.list[i]], to = at[p->layer.list[i] + 1];
			double sum = 0;

			for (k = from; k < to; k++)
				sum += p->spot[list[k]].key;
			if (to > from)
				s->key = sum / (to - from);
		}
		for (i = p->layer.at[layer]; i < p->layer.at[layer + 1]; i++) {
			Spot *s = &p->spot[p->layer.list[i]];

			if (s->tie != NONE && at[p->layer.list[i]] == at[p->layer.list[i] + 1])
				s->key = p->spot[s->tie].key - 0.3;
		}
		sortlayer(p, layer);
	}
}

/* order - keep the best of several sweeps. */
static void
order(Paper *p)
{
	int *best = anew(p->tmp, int, p->n), *tree = anew(p->tmp, int, p->n + 3), i, k;
	long least = -1;

	for (k = 0; k <= SWEEPS; k++) {
		long sum = 0;

		if (k > 0)
			sweep(p, k % 2);
		for (i = 0; i + 1 < p->nlayer; i++)
			sum += crossings(p, i, tree);
		if (least < 0 || sum < least) {
			least = sum;
			memcpy(best, p->layer.list, (size_t)p->n * sizeof *best);
		}
	}
	memcpy(p->layer.list, best, (size_t)p->n * sizeof *best);
}

typedef struct Run Run;

/* Several spots that touch each other and move together. */
struct Run {
	double sum, weight;
	int n;
};

/* settle - x[i] as near to want[i] as possible, by weighted least squares, where x[i + 1] is at
 * least room[i] after x[i]: pool adjacent violators. */
static void
settle(double *x, const double *want, const double *weight, const double *room, int n, Run *run)
{
	double before = 0;
	int i, k, at = 0, nrun = 0;

	for (i = 0; i < n; i++) {
		Run *r = &run[nrun++];

		*r = (Run){(want[i] - before) * weight[i], weight[i], 1};
		if (i + 1 < n)
			before += room[i];
		for (; r > run && r[-1].sum * r->weight > r->sum * r[-1].weight; r--, nrun--) {
			r[-1].sum += r->sum;
			r[-1].weight += r->weight;
			r[-1].n += r->n;
		}
	}
	before = 0;
	for (i = 0; i < nrun; i++)
		for (k = 0; k < run[i].n; k++, at++) {
			x[at] = run[i].sum / run[i].weight + before;
			if (at + 1 < n)
				before += room[at];
		}
}

/* means - by wire: the average x of its bends. */
static void
means(Paper *p)
{
	int i, k;

	for (i = 0; i < p->l->nwire; i++) {
		double sum = 0;

		for (k = 0; k < p->nbend[i]; k++)
			sum += p->spot[p->bend[i] + k].x;
		p->mean[i] = sum / (p->nbend[i] ? p->nbend[i] : 1);
	}
}

/* wish - where a spot should be: the average of its neighbours above or below.  If both, a bend
 * goes to the average of its wire. */
static double
wish(const Paper *p, int s, bool up, bool down, double *weight)
{
	const Spot *spot = &p->spot[s];
	double sum = 0, n = 0;
	int k;

	*weight = STRAIGHT;
	if (up && down && spot->wire != NONE)
		return p->mean[spot->wire];
	*weight = 1;
	for (k = p->up.at[s]; up && k < p->up.at[s + 1]; k++) {
		const Spot *o = &p->spot[p->up.list[k]];
		double w = spot->wire != NONE && o->wire != NONE ? STRAIGHT : 1;

		sum += w * o->x;
		n += w;
	}
	for (k = p->down.at[s]; down && k < p->down.at[s + 1]; k++) {
		const Spot *o = &p->spot[p->down.list[k]];
		double w = spot->wire != NONE && o->wire != NONE ? STRAIGHT : 1;

		sum += w * o->x;
		n += w;
	}
	if (spot->tie != NONE) {
		const Spot *o = &p->spot[spot->tie];
		double side = spot->x < o->x ? -1 : 1;

		sum += o->x + side * (o->width / 2 + BENDGAP);
		n += 1;
	}
	if (n == 0)
		return spot->x;
	*weight = n;
	return sum / n;
}

static double
room(const Spot *a, const Spot *b)
{
	bool bends = a->wire != NONE || b->wire != NONE;

	return (a->width + b->width) / 2 + (bends ? BENDGAP : GAP);
}

/* move - the spots of a layer, toward where they should be. */
static void
move(Paper *p, int layer, bool up, bool down, double *work, Run *run)
{
	const int *list = p->layer.list + p->layer.at[layer];
	int n = p->layer.at[layer + 1] - p->layer.at[layer], i;
	double *want = work, *weight = want + p->n, *rooms = weight + p->n, *x = rooms + p->n;

	for (i = 0; i < n; i++) {
		want[i] = wish(p, list[i], up, down, &weight[i]);
		if (i + 1 < n)
			rooms[i] = room(&p->spot[list[i]], &p->spot[list[i + 1]]);
	}
	settle(x, want, weight, rooms, n, run);
	for (i = 0; i < n; i++)
		p->spot[list[i]].x = x[i];
}

/* spread - compute all x. */
static void
spread(Paper *p)
{
	double *work = anew(p->tmp, double, 4 * p->n), least = 0, most = 0;
	Run *run = anew(p->tmp, Run, p->n);
	int i, k;

	for (k = 0; k < p->nlayer; k++) {
		double x = 0;

		for (i = p->layer.at[k]; i < p->layer.at[k + 1]; i++) {
			Spot *s = &p->spot[p->layer.list[i]];

			if (i > p->layer.at[k])
				x += room(&p->spot[p->layer.list[i - 1]], s);
			s->x = x;
		}
		for (i = p->layer.at[k]; i < p->layer.at[k + 1]; i++)
			p->spot[p->layer.list[i]].x -= x / 2;
	}
	p->mean = anew(p->tmp, double, p->l->nwire);
	for (k = 0; k < MOVES; k++) {
		means(p);
		for (i = 0; i < p->nlayer; i++) {
			bool both = k >= MOVES - LAST, down = k % 2 != 0;

			move(p, down ? p->nlayer - 1 - i : i, both || !down, both || down, work,
			     run);
		}
	}
	for (i = 0; i < p->n; i++) {
		const Spot *s = &p->spot[i];

		if (i == 0 || s->x - s->width / 2 < least)
			least = s->x - s->width / 2;
		if (i == 0 || s->x + s->width / 2 > most)
			most = s->x + s->width / 2;
	}
	for (i = 0; i < p->n; i++)
		p->spot[i].x -= least;
	p->l->w = most - least;
}

/* pile - compute all y.  There is more room between layers where wires go far to the side. */
static void
pile(Paper *p)
{
	const Picture *l = p->l;
	int i, k;

	p->top = anew(p->tmp, double, p->nlayer + 1);
	p->height = anew(p->tmp, double, p->nlayer + 1);
	for (i = 0; i < l->n; i++)
		if (l->box[i].h > p->height[p->spot[i].layer])
			p->height[p->spot[i].layer] = l->box[i].h;
	for (i = 0; i < p->nlayer; i++) {
		double far = 0, gap;
		int s;

		for (k = p->layer.at[i]; k < p->layer.at[i + 1]; k++) {
			int j;

			s = p->layer.list[k];
			for (j = p->down.at[s]; j < p->down.at[s + 1]; j++) {
				double dx = p->spot[p->down.list[j]].x - p->spot[s].x;

				if ((dx < 0 ? -dx : dx) > far)
					far = dx < 0 ? -dx : dx;
			}
		}
		gap = ROWGAP + far / 10;
		p->top[i + 1] = p->top[i] + p->height[i] + (gap > MOSTGAP ? MOSTGAP : gap);
	}
	for (i = 0; i < l->n; i++) {
		l->box[i].x = p->spot[i].x - l->box[i].w / 2;
		l->box[i].y = p->top[p->spot[i].layer];
	}
	p->l->h = p->top[p->nlayer - 1] + p->height[p->nlayer - 1];
}

typedef struct Port Port;

/* Where a wire begins or ends at a block. */
struct Port {
	int wire;
	double want; /* x of its next bend or block */
	double room; /* that it needs to its right */
	double x;
};

static int
bywant(const void *a, const void *b)
{
	const Port *x = a, *y = b;

	return x->want < y->want ? -1 : x->want > y->want ? 1 : x->wire - y->wire;
}

/* ports - place those on one side of a block so that wires are as straight as possible, within a
 * fraction `reach' of the block's width from its middle. */
static void
ports(const Rect *box, Port *port, int n, double reach, Arena *tmp)
{
	double *want = anew(tmp, double, 4 * n), *weight = want + n, *rooms = weight + n,
	       *x = rooms + n, edge;
	Run *run = anew(tmp, Run, n);
	int i;

	qsort(port, (size_t)n, sizeof *port, bywant);
	for (i = 0; i < n; i++) {
		double middle = box->x + box->w / 2, far = port[i].want - middle;

		far = far > reach * box->w    ? reach * box->w
		      : far < -reach * box->w ? -reach * box->w
					      : far;
		want[i] = middle + far;
		weight[i] = 1;
		rooms[i] = port[i].room;
	}
	settle(x, want, weight, rooms, n, run);
	edge = box->x + PORTGAP / 2;
	for (i = 0; i < n; i++) {
		if (x[i] < edge)
			x[i] = edge;
		edge = x[i] + rooms[i];
	}
	edge = box->x + box->w - PORTGAP / 2;
	for (i = n - 1; i >= 0; i--) {
		if (x[i] > edge - rooms[i])
			x[i] = edge - rooms[i];
		edge = x[i];
	}
	for (i = 0; i < n; i++)
		port[i].x = x[i];
}

/* allports - by wire, the x of its end, given those of the beginnings; or if `leave' is NULL, of
 * its beginning. */
static double *
allports(Paper *p, const double *leave)
{
	const Picture *l = p->l;
	bool leaving = !leave;
	const Lists *at = leaving ? &p->out : &p->in;
	double *x = anew(p->tmp, double, l->nwire);
	Port *port = anew(p->tmp, Port, l->nwire);
	int i, k;

	for (k = 0; k < l->nwire; k++) {
		const Wire *w = &l->wire[i = at->list[k]];
		int first = p->bend[i], last = first + p->nbend[i] - 1;
		int to = leaving == p->back[i] ? last : first; /* the bend at this end */

		if (!p->nbend[i])
			to = leaving ? w->dst : w->src;
		port[k] = (Port){.wire = i,
				 .want = leave && !p->nbend[i] ? leave[i] : p->spot[to].x,
				 .room = leaving ? w->label + LABELGAP : PORTGAP};
	}
	for (i = 0; i < l->n; i++)
		if (at->at[i + 1] > at->at[i])
			ports(&l->box[i], port + at->at[i], at->at[i + 1] - at->at[i],
			      leaving ? 0.35 : 0.25, p->tmp);
	for (k = 0; k < l->nwire; k++)
		x[port[k].wire] = port[k].x;
	return x;
}

static void
point(Wire *w, double x, double y, double turn)
{
	w->point[w->npoint++] = (Point){x, y, turn};
}

/* draw - compute the points of the wires. */
static void
draw(Paper *p)
{
	const Picture *l = p->l;
	const double *leave = allports(p, NULL), *arrive = allports(p, leave);
	int i, k;

	for (i = 0; i < l->nwire; i++) {
		Wire *w = &l->wire[i];
		const Rect *src = &l->box[w->src], *dst = &l->box[w->dst];
		int below = p->spot[w->src].layer, n = p->nbend[i];
		double floor = p->top[below] + p->height[below], far;

		w->back = p->back[i];
		w->point = anew(p->tmp, Point, 2 * n + 4);
		point(w, leave[i], src->y + src->h, 0);
		if (floor > src->y + src->h)
			point(w, leave[i], floor, 0);
		for (k = 0; k < n; k++) {
			const Spot *s = &p->spot[p->bend[i] + (w->back ? n - 1 - k : k)];
			double up = p->top[s->layer], down = up + p->height[s->layer];

			far = s->x < leave[i] ? leave[i] - s->x : s->x - leave[i];
			point(w, s->x, w->back ? down : up,
			      w->back && k == 0 ? 14 + (far > 200 ? 20 : far / 10) : 0);
			if (down > up)
				point(w, s->x, w->back ? up : down, 0);
		}
		far = w->point[w->npoint - 1].x - arrive[i];
		far = far < 0 ? -far : far;
		point(w, arrive[i], dst->y, w->back ? -14 - (far > 200 ? 20 : far / 10) : 0);
	}
}

/* begin - make blocks wide enough for their wires. */
static void
begin(Paper *p)
{
	const Picture *l = p->l;
	double *out = anew(p->tmp, double, l->n), *in = anew(p->tmp, double, l->n);
	int *src = anew(p->tmp, int, l->nwire), *dst = anew(p->tmp, int, l->nwire), i;

	for (i = 0; i < l->nwire; i++) {
		src[i] = l->wire[i].src;
		dst[i] = l->wire[i].dst;
		out[l->wire[i].src] += l->wire[i].label + LABELGAP;
		in[l->wire[i].dst] += PORTGAP;
	}
	for (i = 0; i < l->n; i++) {
		double most = (out[i] > in[i] ? out[i] : in[i]) + PORTGAP;

		if (l->box[i].w < most)
			l->box[i].w = most;
		p->spot[i].width = l->box[i].w;
		p->spot[i].wire = p->spot[i].tie = NONE;
	}
	p->out = lists(src, l->nwire, l->n, p->tmp);
	p->in = lists(dst, l->nwire, l->n, p->tmp);
}

bool
arrange(Picture *l, Arena *tmp)
{
	Paper p = {.l = l,
		   .tmp = tmp,
		   .spot = anew(tmp, Spot, l->n),
		   .bend = anew(tmp, int, l->nwire),
		   .nbend = anew(tmp, int, l->nwire),
		   .back = anew(tmp, bool, l->nwire),
		   .post = anew(tmp, int, l->n)};

	if (l->n == 0 || l->n > MOSTSPOTS)
		return false;
	begin(&p);
	search(&p);
	layers(&p);
	if (!bends(&p))
		return false;
	neighbours(&p);
	fill(&p);
	order(&p);
	spread(&p);
	pile(&p);
	draw(&p);
	return true;
}
