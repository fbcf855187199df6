/* regenerate.c - from a trace to the blocks that ran: figure 15 of the paper, with a stack for
 * calls.
 *
 * Control is followed block by block.  At a predicate the next witness in the trace says which way
 * was taken; on the way, each place with a slot must find its own witness next in the trace, and
 * consumes it.  What does not fit is reported, never guessed. */

#include "trace.h"

#include <stdlib.h>

typedef struct Row Row;

/* Which way a predicate takes: edge[i] if the next witness is wit[i].  Sorted by witness. */
struct Row {
	int *wit, *edge;
	int n; /* 0 if not made yet */
};

struct Replay {
	const Proc *proc;
	Plan *const *plan;
	Row **row; /* by function and block */
	Frame *frame;
	int nframe;
	size_t capframe;
	Token token; /* the next one, not yet consumed */
	int base;    /* the fewest frames since the last one was consumed */
	Nexttoken *next;
	void *from;
	const char *lost;
	bool over;
	int nproc;
	Arena *run;
};

Replay *
newreplay(const Proc *proc, Plan *const *plan, int nproc, int first, Nexttoken *next, void *from,
	  Arena *run)
{
	Replay *r = anew(run, Replay, 1);
	int i;

	*r = (Replay){
		.proc = proc, .plan = plan, .next = next, .from = from, .nproc = nproc, .run = run};
	r->row = anew(run, Row *, nproc);
	for (i = 0; i < nproc; i++)
		r->row[i] = anew(run, Row, proc[i].g->nblock);
	apush(run, r->frame, r->nframe, r->capframe);
	r->frame[r->nframe++] = (Frame){.proc = first, .block = ENTRY};
	r->token = next(from);
	return r;
}

const char *
lost(const Replay *r)
{
	return r->lost;
}

static int
lose(Replay *r, const char *why)
{
	r->lost = why;
	r->over = true;
	return NONE;
}

typedef struct Pair Pair;

struct Pair {
	int wit, edge;
};

static int
bywitness(const void *a, const void *b)
{
	const Pair *x = a, *y = b;

	return (x->wit > y->wit) - (x->wit < y->wit);
}

/* rowof - the row of the predicate at which a frame is; made when first needed. */
static const Row *
rowof(Replay *r, const Frame *f)
{
	const Proc *pr = &r->proc[f->proc];
	const Graph *g = pr->g;
	Row *row = &r->row[f->proc][f->block];
	Arena tmp = {0};
	Pair *pair = NULL;
	size_t cap = 0;
	int k, i, n = 0;

	if (row->n)
		return row;
	for (k = g->outat[f->block]; k < g->outat[f->block + 1]; k++) {
		int nwit, *wit;

		if (!istaken(g, g->out[k].edge))
			continue;
		wit = witnesses(pr, r->plan[f->proc], g->out[k].edge, &nwit, &tmp);
		for (i = 0; i < nwit; i++) {
			apush(&tmp, pair, n, cap);
			pair[n++] = (Pair){wit[i], g->out[k].edge};
		}
	}
	qsort(pair, (size_t)n, sizeof *pair, bywitness);
	row->wit = anew(r->run, int, n);
	row->edge = anew(r->run, int, n);
	for (i = 0; i < n; i++) {
		row->wit[i] = pair[i].wit;
		row->edge[i] = pair[i].edge;
	}
	row->n = n;
	areset(&tmp);
	return row;
}

/* toend - the way out of a predicate if nothing more was written before the end. */
static int
toend(Replay *r, const Frame *f)
{
	const Token *t = &r->token;
	const Frame *last = t->nframe ? &t->frame[t->nframe - 1] : NULL;
	Arena tmp = {0};
	int e;

	if (t->nframe != r->nframe && (last || !r->proc[f->proc].alone))
		return lose(r, "it ends elsewhere");
	e = wayto(r->proc[f->proc].g, r->plan[f->proc], f->block, last ? last->block : EXIT,
		  last && last->done == BEFORE, &tmp);
	areset(&tmp);
	return e != NONE ? e : lose(r, "it ends where control cannot get");
}

/* bytoken - the way out of a predicate, by the next token. */
static int
bytoken(Replay *r, const Frame *f)
{
	const Token *t = &r->token;
	const Row *row;
	int lo = 0, hi;

	if (t->kind == END)
		return toend(r, f);
	row = rowof(r, f);
	for (hi = row->n; lo < hi;) {
		int mid = lo + (hi - lo) / 2;

		if (row->wit[mid] < t->witness)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == row->n || row->wit[lo] != t->witness)
		return lose(r, "the next witness cannot be met from here");
	return row->edge[lo];
}

static int
onlyway(const Graph *g, int b)
{
	int k;

	for (k = g->outat[b]; k < g->outat[b + 1]; k++)
		if (istaken(g, g->out[k].edge))
			return g->out[k].edge;
	return NONE;
}

/* pass - control passes a place: if that has a slot, its witness must be next in the trace. */
static void
pass(Replay *r, const Plan *plan, int place)
{
	if (plan->slot[place] == NOSLOT || r->over)
		return;
	if (r->token.kind != WITNESS || r->token.witness != plan->slot[place])
		lose(r, "another witness is next than what is written here");
	else {
		r->token = r->next(r->from);
		r->base = r->nframe;
	}
}

/* ended - whether this is where the trace ends: all frames are as the END says.  That happens only
 * once, because no free path leads from a block back to it. */
static bool
ended(const Replay *r)
{
	const Token *t = &r->token;
	int i = r->nframe;

	if (t->kind != END || t->nframe != r->nframe)
		return false;
	while (i > 0 && r->frame[i - 1].proc == t->frame[i - 1].proc
	       && r->frame[i - 1].block == t->frame[i - 1].block
	       && r->frame[i - 1].done == t->frame[i - 1].done)
		i--;
	return i == 0;
}

/* leave - the innermost function returns. */
static void
leave(Replay *r)
{
	r->nframe--;
	if (r->nframe < r->base)
		r->base = r->nframe;
	if (r->nframe > 0)
		r->frame[r->nframe - 1].done++;
	else if (r->token.kind != END || r->token.nframe)
		lose(r, "it goes on after the end");
	else
		r->over = true;
}

/* go - from a block to the next; returns the edge, or NONE when lost. */
static int
go(Replay *r, Frame *f)
{
	const Graph *g = r->proc[f->proc].g;
	const Plan *plan = r->plan[f->proc];
	int n = nways(g, f->block), e;

	if (n == 0)
		return lose(r, "nothing goes on from here");
	e = n == 1 ? onlyway(g, f->block) : bytoken(r, f);
	if (e == NONE)
		return NONE;
	pass(r, plan, edgeplace(g, e));
	f->block = g->edge[e].dst;
	f->done = BEFORE;
	if (ended(r))
		r->over = true;
	pass(r, plan, f->block);
	f->done = 0;
	return e;
}

/* call - do the next call of a block.
 *
 * If more than nproc calls are nested without a witness between them, some function has called
 * itself without passing a predicate (a free path from a predicate to a call is a fault), so it
 * will do the same for ever: the trace does not fit.  The depth of the END, if it is next, is
 * allowed. */
static void
call(Replay *r, const Frame *f)
{
	const Proc *pr = &r->proc[f->proc];
	int callee = pr->callee[pr->callat[f->block] + f->done];

	int least = r->token.kind == END && r->token.nframe > r->base ? r->token.nframe : r->base;

	if (r->nframe - least > r->nproc) {
		lose(r, "functions call each other for ever");
		return;
	}
	apush(r->run, r->frame, r->nframe, r->capframe);
	r->frame[r->nframe++] = (Frame){.proc = callee, .block = ENTRY};
}

bool
step(Replay *r, Step *s)
{
	while (!r->over) {
		Frame *f = &r->frame[r->nframe - 1];
		const Proc *pr = &r->proc[f->proc];
		int from = f->block, e;

		if (f->block != ENTRY && ended(r)) {
			r->over = true;
		} else if (f->done < ncalls(pr, f->block)) {
			call(r, f);
		} else {
			e = go(r, f);
			if (r->over)
				break;
			if (f->block == EXIT) {
				leave(r);
				continue;
			}
			*s = (Step){f->proc, f->block, from == ENTRY ? NONE : e, r->nframe - 1};
			return true;
		}
	}
	return false;
}
