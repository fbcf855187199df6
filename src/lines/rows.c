/* rows.c - the rows of a function: where it begins, where a cut is in the source, which line a row
 * counts for, and how many instructions were executed for each row. */

#include "lines.h"

/* begin - the first row of a function that names a line; NULL if there is none. */
static const Coderow *
begin(const Fn *fn)
{
	int i;

	for (i = 0; i < fn->code.nrow; i++)
		if (fn->code.row[i].line && fn->code.row[i].file < (uint32_t)fn->nfile)
			return &fn->code.row[i];
	return NULL;
}

const char *
fileof(const Fn *fn)
{
	const Coderow *row = begin(fn);

	return row ? fn->file[row->file] : fn->nfile && !fn->live ? fn->file[0] : "?";
}

uint32_t
lineof(const Fn *fn)
{
	const Coderow *row = begin(fn);

	return row ? linefor(fn, row) : 0;
}

/* The first rows of a function have the position of its opening brace or of what follows.  Without
 * columns nothing tells such a row from later ones of the same line, so only the very first
 * counts. */
uint32_t
linefor(const Fn *fn, const Coderow *row)
{
	const Coderow *first = fn->code.row;

	if (fn->head.line && !row->inst && row->file == first->file && row->line == first->line
	    && row->column == first->column && (row->column || row->insn == first->insn)
	    && row->file == fn->head.file && row->line > fn->head.line)
		return fn->head.line;
	return row->line;
}

void
eachrow(const Fn *fn, void (*tell)(void *, const Coderow *, uint64_t insns), void *to)
{
	const Graph *g = fn->g;
	const Coderow *row = fn->code.row, *last = row + fn->code.nrow, *force = NULL;
	uint32_t at = 0, first, end, next;
	int b, k;

	for (b = FIRST; b < g->nblock; b++) {
		uint64_t count = fn->flow->count[b], pad = 0;

		if (fn->code.block[b].part == CODENONE)
			continue;
		first = at;
		end = at + fn->code.block[b].ninsn;
		for (; at < end; at = next) {
			uint64_t insns;
			uint32_t i;

			for (; row < last && row->insn <= at; row++)
				if (row->line && row->file < (uint32_t)fn->nfile)
					force = row;
			next = row < last && row->insn < end ? row->insn : end;
			insns = count * (next - at);
			for (i = at; fn->ncut && i < next; i++)
				insns += ran(fn, b, i - first) - count;
			tell(to, force, insns > INT64_MAX ? 0 : insns);
		}
		for (k = g->outat[b]; k < g->outat[b + 1]; k++) {
			int e = g->out[k].edge, p = edgeplace(g, e);

			if ((fn->code.edge[e].flags & EDGEFALLS) && fn->flow->known[p])
				pad += fn->flow->count[p] * fn->code.block[b].npad;
		}
		/* Rows before the label that follows the padding begin before the padding. */
		for (; pad && row < last && row->insn == end && (row->flags & ROWFALLS); row++)
			if (row->line && row->file < (uint32_t)fn->nfile)
				force = row;
		if (pad)
			tell(to, force, pad);
	}
}

bool
placeof(Module *m, const Modcut *c, Arena *run, Place *place)
{
	int block, b, i;
	uint32_t insn;
	const Fn *fn = cutin(m, c, run, &block, &insn);

	if (!fn)
		return false;
	*place = (Place){.fn = fn};
	for (b = FIRST; b < block; b++)
		place->begin += fn->code.block[b].ninsn;
	place->end = place->begin + fn->code.block[block].ninsn;
	place->insn = place->begin + insn;
	for (i = 0; i < fn->code.nrow && fn->code.row[i].insn <= place->insn; i++)
		if (fn->code.row[i].line) {
			place->line = fn->code.row[i].line;
			place->column = fn->code.row[i].column;
			place->file = fn->file[fn->code.row[i].file];
		}
	return true;
}
