/* choice.c - which files and functions are wanted. */

#include "spots.h"

#include <string.h>

void
sourcenames(const Choice *of, Arena *run)
{
	int i, k;

	for (i = 0; i < of->nmodule; i++) {
		const Module *m = &of->module[i];
		char **name = anew(run, char *, m->nfn);

		for (k = 0; k < m->nfn; k++)
			name[k] = m->fn[k].name;
		demangle(name, m->nfn, run);
		for (k = 0; k < m->nfn; k++)
			m->fn[k].source = name[k];
	}
}

/* iscopy - returns whether a name is chosen once the suffix is cut off that compilers append for a
 * copy or part of a function.  Only known suffixes are: in other languages a dot may mean
 * anything. */
static bool
iscopy(const Choice *of, const char *name)
{
	static const char *const mark[] = {".constprop.", ".isra.", ".part.",  ".cold",
					   ".lto_priv.",  ".llvm.", " [clone "};
	Arena tmp = {0};
	bool is = false;
	const char *end;
	size_t i;

	for (i = 0; of->nonly && i < sizeof mark / sizeof *mark && !is; i++)
		is = (end = strstr(name, mark[i]))
		     && matches(of->only, of->nonly, astrndup(&tmp, name, (size_t)(end - name)));
	areset(&tmp);
	return is;
}

bool
chosenname(const Choice *of, const Fn *fn)
{
	return matches(of->only, of->nonly, fn->source) || matches(of->only, of->nonly, fn->name)
	       || iscopy(of, fn->name) || iscopy(of, fn->source);
}

bool
chosentext(const Choice *of, const char *name)
{
	return matches(of->only, of->nonly, name);
}

bool
chosenfile(const Choice *of, const char *path)
{
	return matchesfile(of, of->only, of->nonly, path);
}

bool
chosen(const Choice *of, const Fn *fn)
{
	return !of->nonly || chosenname(of, fn) || chosenfile(of, fileof(fn));
}
