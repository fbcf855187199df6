/* live.c - which registers and flags hold a value that is still needed.
 *
 * Ordinary liveness: within a block backwards from its end, over the graph until nothing
 * changes.  What matters is what to assume at calls and where control leaves the function.
 * Compilers keep to the ABI, or else the deviation shows in the code:
 * - a call is taken to preserve all registers, so whatever is needed after it is needed before
 *   it, too, and to need every register that can carry arguments;
 * - a caller in the same file may know which caller-saved registers a function leaves alone, and
 *   keep values in them (gcc's -fipa-ra).  In such a function only the registers that it writes
 *   itself are free, unless it calls unknown functions, which may change them all. */

#include "body.h"

/* isexit - whether a block has an edge to EXIT. */
static bool
isexit(const Graph *g, int b)
{
	int k;

	for (k = g->outat[b]; k < g->outat[b + 1]; k++)
		if (g->out[k].block == EXIT)
			return true;
	return false;
}

/* over - what is live before an op of a block, given what is live after it. */
static Regs
over(const Body *bd, int b, const Op *op, Regs live)
{
	const Insn *in = op->in;

	if (op->ninsn == 0)
		return live | (in->reads & ~FLAGS);
	if (op->odd)
		return ALLREGS;
	live = (live & ~in->kills) | in->reads;
	switch (in->turn) {
	case CALL: return (live & ~FLAGS) | op->leaves;
	case RETURN: return (live & ~FLAGS) | (op->lost || bd->byhand ? op->leaves : RESULTS);
	case COND:
	case JUMP:
	case INDIR: return isexit(bd->g, b) ? live | op->leaves : live;
	default: return live;
	}
}

/* after - what is live after the last op of a block.  Code that falls through into another
 * function may pass anything to it. */
static Regs
after(const Body *bd, int b)
{
	const Graph *g = bd->g;
	Regs live = 0;
	int k;

	for (k = g->outat[b]; k < g->outat[b + 1]; k++)
		if (g->out[k].block != EXIT)
			live |= bd->live[g->out[k].block];
		else if (b == bd->hub)
			live |= ARGUMENTS; /* some of the indirect jumps may be tail calls */
		else if (bd->how[g->out[k].edge] == FALLS)
			live |= ALLREGS & ~FLAGS;
	if (bd->byhand && (b == bd->hub || isexit(g, b)))
		live = ALLREGS;
	return live;
}

Regs
livebefore(const Body *bd, int b, int i)
{
	Regs live = after(bd, b);
	int k;

	for (k = bd->last[b]; k != NONE && k >= i; k--)
		live = over(bd, b, &bd->op[k], live);
	return live;
}

Regs
liveon(const Body *bd, int e)
{
	const Edge *ed = &bd->g->edge[e];

	if (ed->dst != EXIT)
		return bd->live[ed->dst];
	if (bd->how[e] == FALLS)
		return bd->byhand ? ALLREGS : ALLREGS & ~FLAGS;
	return bd->op[bd->last[ed->src]].leaves;
}

/* Blocks are visited backwards until nothing changes. */
void
findlive(Body *bd, Arena *run)
{
	const Graph *g = bd->g;
	bool changed = true;
	int b;

	bd->live = anew(run, Regs, g->nblock);
	while (changed) {
		changed = false;
		for (b = g->nblock - 1; b >= FIRST; b--) {
			Regs live = livebefore(bd, b, bd->first[b] == NONE ? 0 : bd->first[b]);

			changed |= (live & ~bd->live[b]) != 0;
			bd->live[b] |= live;
		}
	}
}

/* The registers that the function writes and does not save.  If no caller can know which
 * registers it changes, then also the other caller-saved ones, provided that it writes at least
 * one of them.  That shows that it follows the ABI: there are conventions in which a function
 * saves all registers, or all but results and r11. */
Regs
scratchregs(const Body *bd, bool known)
{
	Regs written = 0, pushed = 0, popped = 0, own;
	bool open = !known;
	int b, i;

	for (b = FIRST; b < bd->g->nblock; b++)
		for (i = bd->first[b]; i != NONE && i <= bd->last[b]; i++) {
			const Op *op = &bd->op[i];

			if (op->odd)
				return 0;
			written |= op->in->writes;
			open |= op->open && op->leaves == ARGUMENTS;
			pushed |= op->in->pushes ? op->in->reads : 0;
			popped |= op->in->pops ? op->in->writes : 0;
		}
	own = written & EVERYBODYS & ~(pushed & popped);
	if (open && (own & (CX | R8 | R9 | R10)))
		own |= WINDOWS & ~(pushed & popped);
	return own;
}
