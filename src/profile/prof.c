/* prof.c - read profiles, add them up, solve them. */

#include "profile.h"

#include <stdlib.h>
#include <string.h>

/* moduleof - the module of this path and build, new if need be. */
static Module *
moduleof(Profile *p, const struct Profmodule *m)
{
	Module *mod;
	int i;

	for (i = 0; i < p->nmodule; i++) {
		mod = &p->module[i];
		if (strcmp(mod->path, m->path) == 0 && mod->idlen == (int)m->idlen
		    && memcmp(mod->id, m->id, sizeof m->id) == 0 && mod->ncount == m->ncount)
			return mod;
	}
	apush(p->run, p->module, p->nmodule, p->capmodule);
	mod = &p->module[p->nmodule++];
	*mod = (Module){.path = astrndup(p->run, m->path, strlen(m->path)),
			.idlen = (int)m->idlen,
			.ncount = m->ncount};
	memcpy(mod->id, m->id, sizeof m->id);
	mod->count = anew(p->run, uint64_t, m->ncount);
	return mod;
}

void
readprofile(Profile *p, const char *path)
{
	Arena tmp = {0};
	size_t size;
	char *data = readfile(&tmp, path, &size);
	const struct Profhdr *h = (const void *)data;
	uint64_t i;
	uint32_t k;

	if (size < sizeof *h || memcmp(h->magic, PROFMAGIC, 8) != 0)
		err(path, "is not a profile");
	if (h->nmodule > (size - sizeof *h) / sizeof(struct Profmodule))
		err(path, "damaged profile: it ends among its modules");
	for (k = 0; k < h->nmodule; k++) {
		const struct Profmodule *m = (const struct Profmodule *)(h + 1) + k;
		const uint64_t *count = (const void *)(data + m->counts);
		Module *mod;

		if (m->counts % 8 || m->counts > size || m->ncount > (size - m->counts) / 8
		    || !memchr(m->path, 0, sizeof m->path) || m->idlen > sizeof m->id)
			err(path, "damaged profile: it ends among its counts");
		mod = moduleof(p, m);
		for (i = 0; i < m->ncount; i++)
			if (__builtin_add_overflow(mod->count[i], count[i], &mod->count[i])
			    || mod->count[i] > INT64_MAX)
				err(path, "damaged profile: counts are too large");
		mod->nrun++;
		mod->flags |= h->flags;
		mod->nalive += h->state != PROFCLOSED;
	}
	areset(&tmp);
}

void
solvemodule(Module *m, Arena *run)
{
	int i;

	for (i = 0; i < m->nfn; i++) {
		Fn *fn = &m->fn[i];

		if (!fn->g)
			continue;
		fn->flow = solve(fn->g, fn->plan, m->count + fn->first, NULL, 0, run);
		m->nbad += fn->flow->bad > 0;
		if (fn->check && fn->check->slot[ENTRY] != NOSLOT && strcmp(fn->name, "main") == 0)
			m->midcall |= m->count[fn->first + fn->code.block[ENTRY].check]
				      != fn->flow->count[ENTRY];
	}
}
