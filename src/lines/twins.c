/* twins.c - code that several programs have counts once.
 *
 * An object that is linked into two programs is in both maps, and its functions are two Fns: what was executed adds up, but
 * there are as many instructions and blocks as in one, and what ran in either has run.  Copies in different
 * modules are the same code if their units have one source, and they have one name, place and shape, which knows how many
 * instructions and bytes each block has.  Copies in one module are code of their own (a header's
 * function in several units): the first of a module goes with the first of another, the second with the second. */

#include "spots.h"

#include <string.h>

/* codekey - what is the same for all copies of some code. */
static void
codekey(Buf *key, const Fn *fn)
{
	uint64_t shape[] = {fn->hash, (uint64_t)fn->code.nblock, (uint64_t)fn->code.nedge,
			    lineof(fn)};

	key->n = 0;
	bprintf(key, "%s%c%s%c%s%c%s%c", fn->name, 0, fileof(fn), 0, fn->nfile ? fn->file[0] : "",
		0, fn->odd ? fn->odd : "", 0);
	bput(key, (char *)shape, sizeof shape);
}

/* tally - how often a module has had that code before. */
static int
tally(Table *seen, const Buf *key, int module)
{
	Arena *a = seen->arena;
	Buf own = {.arena = a};

	bput(&own, (char *)&module, sizeof module);
	bput(&own, key->s, key->n);
	return intern(seen, own.s, own.n, 0)->value++;
}

void
findtwins(const Choice *of)
{
	Arena tmp = {0};
	Table seen = {.arena = &tmp}, codes = {.arena = &tmp};
	Buf key = {.arena = &tmp};
	Fn **last = NULL;
	size_t cap = 0;
	int i, k, n = 0, nth;
	const Entry *e;

	for (i = 0; of->nmodule > 1 && i < of->nmodule; i++)
		for (k = 0; k < of->module[i].nfn; k++) {
			Fn *fn = &of->module[i].fn[k];

			fn->twin = NULL;
			fn->sameas = NULL;
			if (fn->g && !fn->flow)
				continue;
			codekey(&key, fn);
			nth = tally(&seen, &key, i);
			bput(&key, (char *)&nth, sizeof nth);
			e = intern(&codes, key.s, key.n, n);
			if (e->value == n) {
				apush(&tmp, last, n, cap);
				n++;
			} else {
				Fn *before = last[e->value];

				before->twin = fn;
				fn->sameas = before->sameas ? before->sameas : before;
			}
			last[e->value] = fn;
		}
	areset(&tmp);
}

bool
hasrunat(const Fn *fn, int b)
{
	for (; fn; fn = fn->twin)
		if (fn->flow->count[b])
			return true;
	return false;
}
