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

/* isclone - whether a name without what compilers append for a copy or a part of a function is chosen. */
static bool
isclone(const Report *r, const char *name, const char *mark)
{
	const char *end = strstr(name, mark);

	return end && end > name
	       && matches(r->only, r->nonly, astrndup(r->run, name, (size_t)(end - name)));
}

bool
chosenname(const Report *r, const Fn *fn)
{
	return matches(r->only, r->nonly, fn->source) || matches(r->only, r->nonly, fn->name)
	       || isclone(r, fn->name, ".") || isclone(r, fn->source, " [clone ");
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
