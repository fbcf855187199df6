/* choice.c - which files and functions are wanted. */

#include "report/report.h"

#include <string.h>

/* begin - the first row of a function that names a line; NULL. */
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

/* iscopy - whether a name is chosen without what compilers append for a copy or a part of a function: in
 * other languages a point may be anything. */
static bool
iscopy(const Report *r, const char *name)
{
	static const char *const mark[] = {".constprop.", ".isra.", ".part.",  ".cold",
					   ".lto_priv.",  ".llvm.", " [clone "};
	const char *end;
	size_t i;

	for (i = 0; i < sizeof mark / sizeof *mark; i++)
		if ((end = strstr(name, mark[i]))
		    && matches(r->only, r->nonly, astrndup(r->run, name, (size_t)(end - name))))
			return true;
	return false;
}

bool
chosenname(const Report *r, const Fn *fn)
{
	return matches(r->only, r->nonly, fn->source) || matches(r->only, r->nonly, fn->name)
	       || iscopy(r, fn->name) || iscopy(r, fn->source);
}

bool
chosentext(const Report *r, const char *name)
{
	return matches(r->only, r->nonly, name);
}

bool
chosenfile(const Report *r, const char *path)
{
	return matchesfile(r, r->only, r->nonly, path);
}

bool
chosen(const Report *r, const Fn *fn)
{
	return !r->nonly || chosenname(r, fn) || chosenfile(r, fileof(fn));
}
