/* choose.c - which files and functions are wanted, and where sources are. */

#include "report.h"

#include <string.h>

const char *
fileof(const Fn *fn)
{
	int i;

	for (i = 0; i < fn->code.nrow; i++)
		if (fn->code.row[i].line && fn->code.row[i].file < (uint32_t)fn->nfile)
			return fn->file[fn->code.row[i].file];
	return fn->nfile ? fn->file[0] : "?";
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

const char *
sourcefile(const Report *r, const char *path)
{
	int i;

	for (i = 0; i < r->nprefix; i++) {
		const char *new = strchr(r->prefix[i], '=') + 1;
		size_t n = (size_t)(new - 1 - r->prefix[i]);
		Buf b = {.arena = r->run};

		if (strncmp(path, r->prefix[i], n) != 0
		    || (path[n] && path[n] != '/' && n && path[n - 1] != '/'))
			continue;
		bprintf(&b, "%s%s", new, path + n);
		return b.s;
	}
	return path;
}
