/* names.c - what functions are called. */

#include "report.h"

void
sourcenames(const Report *r)
{
	int i, k;

	for (i = 0; i < r->nmodule; i++) {
		const Module *m = &r->module[i];
		char **name = anew(r->run, char *, m->nfn);

		for (k = 0; k < m->nfn; k++)
			name[k] = m->fn[k].name;
		demangle(name, m->nfn, r->run);
		for (k = 0; k < m->nfn; k++)
			m->fn[k].source = name[k];
	}
}

const char *
nameof(const Report *r, const Fn *fn)
{
	return r->mangled ? fn->name : fn->source;
}

void
codenames(const Report *r, Module *m)
{
	char **name = anew(r->run, char *, m->nname);
	int k;

	for (k = 0; k < m->nname; k++)
		name[k] = m->name[k].name;
	if (!r->mangled)
		demangle(name, m->nname, r->run);
	for (k = 0; k < m->nname; k++)
		m->name[k].name = name[k];
}
