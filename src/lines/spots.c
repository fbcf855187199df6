/* spots.c - the table of spots.  A spot is a column of a line in one copy of a function, or in a
 * source that the C road read. */

#include "spots.h"

#include <stdlib.h>
#include <string.h>

Spot *
spotin(Tally *t, const char *file, uint32_t line, uint32_t inst, uint16_t column)
{
	struct {
		const char *file;
		uint32_t line, inst, part;
		int fn;
		int column;
	} key;
	Entry *e;

	memset(&key, 0, sizeof key);
	key.file = intern(&t->files, file, strlen(file), 0)->key;
	key.line = line;
	key.inst = inst;
	key.part = t->part;
	key.fn = t->fn;
	key.column = column;
	e = intern(&t->index, (char *)&key, sizeof key, t->n);
	if (e->value == t->n) {
		apush(t->run, t->spot, t->n, t->cap);
		t->spot[t->n++] = (Spot){.file = key.file,
					 .line = key.line,
					 .fn = key.fn,
					 .inst = key.inst,
					 .part = key.part,
					 .column = column,
					 .named = t->named};
	}
	return &t->spot[e->value];
}

Spot *
spotof(Tally *t, const Fn *fn, const Coderow *row, uint16_t column)
{
	uint32_t line = linefor(fn, row);

	if (line != row->line && column != WHOLE)
		column = (uint16_t)fn->head.column;
	return spotin(t, fn->file[row->file], line, row->inst, column);
}

bool
istold(Tally *t, const Fn *fn, const Coderow *row)
{
	const char *file = fn->file[row->file];

	return fn->nmarker && lookup(&t->told, file, strlen(file));
}

void
nextone(Tally *t)
{
	areset(&t->one);
	t->index = (Table){.arena = &t->one};
	t->part = 0;
	t->fn++;
}

static int
bycopy(const void *a, const void *b)
{
	const Spot *x = a, *y = b;
	int c = x->file == y->file ? 0 : strcmp(x->file, y->file);

	if (c)
		return c;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (x->fn != y->fn)
		return x->fn < y->fn ? -1 : 1;
	if (x->inst != y->inst)
		return x->inst < y->inst ? -1 : 1;
	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	return x->column < y->column ? -1 : x->column > y->column;
}

void
sortspots(Tally *t)
{
	if (t->n)
		qsort(t->spot, (size_t)t->n, sizeof *t->spot, bycopy);
}

int
firstat(const Tally *t, const char *file, uint32_t line)
{
	int low = 0, high = t->n;

	while (low < high) {
		int mid = low + (high - low) / 2;
		const Spot *s = &t->spot[mid];
		int c = s->file == file ? 0 : strcmp(s->file, file);

		if (c < 0 || (c == 0 && s->line < line))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

bool
sameplace(const Spot *a, const Spot *b)
{
	return a->file == b->file && a->line == b->line;
}
