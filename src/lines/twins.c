/* twins.c - code that several programs have counts once.
 *
 * An object that is linked into two programs is in both maps, so each of its functions is there
 * twice.  What was executed adds up, but there are only as many instructions and blocks as in one,
 * and what ran in either program has run.
 *
 * Functions of different modules are the same code if they have the same source, name, line and
 * hash of their shape, which covers the instructions and bytes of each block.  Functions of one
 * module are never the same code (several units may have a function of a header): the first such
 * function of a module corresponds to the first of another, the second to the second. */

#include "spots.h"

#include <string.h>

/* codekey - what is the same for all copies of the code of a function. */
static void
codekey(Buf *key, const Fn *fn)
{
	uint64_t shape[] = {fn->hash, (uint64_t)fn->code.nblock, (uint64_t)fn->code.nedge,
			    lineof(fn)};

	key->n = 0;
	bprintf(key, "%s%c%s%c%s%c%s%c", fn->name, 0, fileof(fn), 0, fn->nfile ? fn->file[0] : "",
		0, fn->reason ? fn->reason : "", 0);
	bput(key, (char *)shape, sizeof shape);
}

/* tally - how often a module had that code before. */
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
