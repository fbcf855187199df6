/* form.c - by which instructions a place is counted.
 *
 * Three instructions in a spare register are quicker than one if the last time was a moment ago, since an increment
 * waits for what was stored in its place; and they leave the flags alone. */

#include "body.h"

/* TIGHT - of a loop: instructions that take no longer than an increment of what was stored a
 * moment ago. */
enum { TIGHT = 32 };

/* By the weights of blocks: a loop may be long, and what it takes each time around short.  No loop with a call
 * is, nor what never ran. */
bool *
findtight(const Body *bd, Arena *a)
{
	const Graph *g = bd->g;
	Loops l = findnest(g, a);
	double *size = anew(a, double, g->nblock); /* by head */
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
