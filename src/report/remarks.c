/* remarks.c - what keeps the counts of a module from being exact. */

#include "report.h"

#include <inttypes.h>
#include <stdlib.h>

int
remarks(const Report *r, const Module *m)
{
	const uint64_t *ends = m->endings;
	char *death = NULL;
	size_t len = 0;
	bool some = false;
	int i, odd = 0, doubtful = 0;

	for (i = 0; i < m->nfn; i++) {
		odd += m->fn[i].reason != NULL;
		doubtful += m->fn[i].doubtful;
		some |= m->fn[i].partial && !m->fn[i].calls && !m->once;
	}
	if (odd)
		remark("%s: %d of %d functions are not counted; tally print -f shows why", m->path,
		       odd, m->nfn);
	if (ends[ENDSIGNAL]) {
		FILE *f = open_memstream(&death, &len);

		if (!f)
			syserr("open a stream");
		describedeath(f, r, m);
		fclose(f);
		remark("%s: %" PRIu64 " of %" PRIu64 " processes died of a signal, the last of %s",
		       m->path, ends[ENDSIGNAL], m->nrun, death);
		free(death);
	}
	if (ends[ENDGONE] && !m->live)
		remark("%s: %" PRIu64 " of %" PRIu64
		       " processes still run or were killed: counts of the "
		       "functions active then may be off by one for each call that had not "
		       "returned, "
		       "and lines after "
		       "such calls",
		       m->path, ends[ENDGONE], m->nrun);
	else if (m->midcall && !(m->flags & PROFHASCUTS))
		remark("%s: ended inside a call of main (by exit or the like): counts of the "
		       "functions active then may be off by one for each call that had not "
		       "returned",
		       m->path);
	if (m->jumps && !(m->flags & PROFHASCUTS))
		remark("%s: calls longjmp: counts of the functions it leaves may be off by one for "
		       "each call of it",
		       m->path);
	if (m->dump)
		remark("%s: counts are too low if several processors or threads counted at the "
		       "same time",
		       m->path);
	if (m->flags & PROFTHREADS)
		remark("%s: threads or processes shared counters: any count may be wrong, "
		       "by any amount",
		       m->path);
	if (m->flags & PROFMIDWAY)
		remark("%s: counting began or ended in the middle, by tally.h: counts of the "
		       "functions active then may be off by one for each call that had not "
		       "returned",
		       m->path);
	if (m->flags & PROFFORKED)
		remark("%s: forked: counts of the functions active then may be off by one in the "
		       "child for each call that had not returned",
		       m->path);
	if (m->flags & PROFALIVE)
		remark("%s: ended while threads ran: counts of the functions active then may be "
		       "one off for each call that had not returned",
		       m->path);
	if (m->switched)
		remark("%s: switches stacks in its own code: counts of the functions that "
		       "wait there, or were left, may be wrong",
		       m->path);
	if (m->flags & PROFLOSTCUTS)
		remark("%s: some frames were left early and not found: counts of their functions "
		       "may be off by one for each of them",
		       m->path);
	if (m->flags & PROFUNSEEN)
		remark("%s: set signal handlers by direct system calls: if one ran, counts of "
		       "the functions that it interrupted may be wrong",
		       m->path);
	if (doubtful)
		remark("%s: the counts of %d functions may be wrong, and are marked", m->path,
		       doubtful);
	if (m->flags & PROFLOST)
		remark("%s: some counts are missing: no room, or no permission to write", m->path);
	if (m->flags & PROFGS)
		remark("%s: the program changed the gs register, through which it counts: counts "
		       "may "
		       "be too low, or lost; build it with --threads=off",
		       m->path);
	if (m->flags & PROFEVICTED)
		remark("%s: the program took the memory of counters: what ran after that was not "
		       "counted",
		       m->path);
	if (m->flags & PROFFOREIGN)
		remark("%s: some modules were built by another version of tally and not counted: "
		       "rebuild them",
		       m->path);
	if (some)
		remark("%s: only the code that --only and --skip selected was counted", m->path);
	if (m->once)
		remark("%s: was run with --coverage: counts say only whether code ran", m->path);
	if (m->nbad)
		remark("%s: the counts of %d functions contradict each other%s", m->path, m->nbad,
		       m->dump ? ", as those of functions still active may" : "");
	return m->nbad > 0 && !m->dump;
}
