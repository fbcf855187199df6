/* choose.c - which files and functions are wanted. */

#include "report.h"

#include <string.h>

/* begin - the first row of a function that names a line; NULL. */
static const Maprow *
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
	const Maprow *row = begin(fn);

	return row ? fn->file[row->file] : fn->nfile && !fn->live ? fn->file[0] : "?";
}

uint32_t
lineof(const Fn *fn)
{
	const Maprow *row = begin(fn);

	return row ? linefor(fn, row) : 0;
}

bool
chosenname(const Report *r, const Fn *fn)
{
	return matches(r->only, r->nonly, fn->source) || matches(r->only, r->nonly, fn->name);
}

bool
chosentext(const Report *r, const char *name)
{
	return matches(r->only, r->nonly, name);
}

bool
chosenfile(const Report *r, const char *path)
{
	return matchespath(r->only, r->nonly, path);
}

bool
chosen(const Report *r, const Fn *fn)
{
	return !r->nonly || chosenname(r, fn) || chosenfile(r, fileof(fn));
}
