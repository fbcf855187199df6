/* weights.c - counts of an earlier run, from which counters are placed: a file that `tally build'
 * leaves for the stand-in for as.
 *
 *   8 bytes     the number of functions
 *   24 each     key (hash of name and shape), number of places, where their counts begin
 *   8 each      counts
 *
 * The keys are sorted. */

#include "profile.h"

#include <stdlib.h>
#include <string.h>

typedef struct Weight Weight;

struct Weight {
	uint64_t key;
	uint64_t nplace;
	uint64_t first;
};

struct Weights {
	const Weight *fn;
	uint64_t n;
	const uint64_t *count;
	uint64_t ncount;
};

static uint64_t
keyof(const char *name, uint64_t hash)
{
	return hashbytes(hash, name, strlen(name));
}

static int
bykey(const void *a, const void *b)
{
	const Weight *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

bool
hasrun(const Fn *fn)
{
	return fn->flow && fn->flow->count[ENTRY];
}

int
writeweights(FILE *f, const Module *m, int nmodule, Arena *run)
{
	Weight *w;
	uint64_t n = 0, first = 0;
	int k, j, most = 0;

	for (k = 0; k < nmodule; k++)
		most += m[k].nfn;
	w = anew(run, Weight, most);
	for (k = 0; k < nmodule; k++)
		for (j = 0; j < m[k].nfn; j++) {
			const Fn *fn = &m[k].fn[j];

			if (!hasrun(fn))
				continue;
			w[n++] =
				(Weight){keyof(fn->name, fn->hash), (uint64_t)nplace(fn->g), first};
			first += (uint64_t)nplace(fn->g);
		}
	qsort(w, n, sizeof *w, bykey);
	fwrite(&n, sizeof n, 1, f);
	fwrite(w, sizeof *w, n, f);
	for (k = 0; k < nmodule; k++)
		for (j = 0; j < m[k].nfn; j++)
			if (hasrun(&m[k].fn[j]))
				fwrite(m[k].fn[j].flow->count, 8, (size_t)nplace(m[k].fn[j].g), f);
	return (int)n;
}

Weights *
readweights(const char *path, Arena *run)
{
	size_t size;
	const char *data = readfile(run, path, &size);
	Weights *w = anew(run, Weights, 1);

	if (size >= 8)
		memcpy(&w->n, data, 8);
	if (size < 8 || w->n > (size - 8) / sizeof *w->fn)
		err(path, "is not a weights file");
	w->fn = (const void *)(data + 8);
	w->count = (const void *)(w->fn + w->n);
	w->ncount = (size - 8 - w->n * sizeof *w->fn) / 8;
	return w;
}

uint64_t *
findweights(const Weights *w, const char *name, uint64_t hash, int nplace, Arena *a)
{
	Weight key = {.key = keyof(name, hash)};
	const Weight *f = w->n ? bsearch(&key, w->fn, w->n, sizeof key, bykey) : NULL;

	if (!f || f->nplace != (uint64_t)nplace || f->first > w->ncount
	    || f->nplace > w->ncount - f->first)
		return NULL;
	return memcpy(anew(a, uint64_t, nplace), w->count + f->first, 8 * (size_t)nplace);
}
