/* check.c - programs built with --counters=check: a block that is counted twice must have the same
 * count by both. */

#include "report.h"

#include <inttypes.h>

int
checkcounts(const Report *r, const Module *m)
{
	long blocks = 0, wrong = 0;
	int i, b, k, doubtful = 0;

	for (i = 0; i < m->nfn; i++) {
		const Fn *fn = &m->fn[i];
		bool unsure = fn->doubtful && !fn->inflight;

		doubtful += fn->check && unsure;
		for (b = 0; fn->check && !unsure && b < fn->g->nblock; b++) {
			uint64_t n;

			if (fn->check->slot[b] == NOSLOT)
				continue;
			n = m->count[fn->first + fn->code.block[b].check];
			for (k = 0; k < fn->ncut; k++)
				if (fn->cut[k].block == b) /* it was left between the two */
					n += (uint64_t)fn->cut[k].uneven * fn->cut[k].left;
			blocks++;
			if (n != fn->flow->count[b]) {
				printf("%s: block %d: solved %" PRId64 ", counted %" PRIu64 "\n",
				       nameof(r, fn), b, (int64_t)fn->flow->count[b], n);
				wrong++;
			}
		}
	}
	if (doubtful)
		remark("%s: %d functions are not compared, because their counts may be wrong",
		       m->path, doubtful);
	printf("%s: %ld blocks compared, %ld differences\n", m->path, blocks, wrong);
	return wrong != 0;
}
