/* form.c - which instructions count at a given place.
 *
 * A counter is either one instruction or three:
 *
 *	incq counter	movq counter, %r
 *			leaq 1(%r), %r
 *			movq %r, counter
 *
 * `incq' is shorter, but it waits for the previous store to the same counter, and it changes
 * flags.  The three instructions do neither, but need a spare register.  So they are used in
 * short loops and where flags are live. */

#include "body.h"

/* TIGHT - a loop of fewer instructions than this takes no longer than the wait of an increment
 * for the previous one. */
enum { TIGHT = 32 };

/* The size of a loop is the number of instructions that run in one iteration, on average, by the
 * weights of its blocks: a loop whose text is long may still have short iterations.  A loop with
 * a call on a path that runs is not tight, nor is a loop that never runs. */
bool *
findtight(const Body *bd, Arena *a)
{
	const Graph *g = bd->g;
	Loops l = findnest(g, a);
	double *size = anew(a, double, g->nblock); /* by head of a loop */
	bool *tight = anew(a, bool, g->nblock);
	int b, i, h;

	for (b = FIRST; b < g->nblock; b++) {
		int n = 0;

		for (i = bd->first[b]; i != NONE && i <= bd->last[b]; i++)
			n += bd->op[i].in->turn == CALL ? TIGHT + 1 : bd->op[i].ninsn;
		for (h = l.of[b]; h != NONE; h = l.outer[h])
			size[h] += n * g->block[b].weight;
	}
	for (b = FIRST; b < g->nblock; b++)
		tight[b] = l.of[b] != NONE && size[l.of[b]] < TIGHT * g->block[l.of[b]].weight;
	return tight;
}

void
formfor(const Body *bd, Regs live, bool triples, bool quick, Ours *o)
{
	bool flags = live & FLAGS;

	o->scratch = bd->scratch & ~live;
	o->form = o->scratch && triples && (flags || quick) ? TRIPLE : INCREMENT;
	o->saves = flags && o->form == INCREMENT;
}
