/* remarks.c - what keeps the counts of a module from being exact. */

#include "report.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct Doubt Doubt;

/* What a flag of the profile says of the counts. */
struct Doubt {
	uint32_t flag; /* 0 ends a table */
	const char *text;
};

#define ACTIVE "counts of the functions active then may be off by one "
#define EACHCALL "for each call that had not returned"

/* Counts may be wrong. */
static const Doubt frames[] = {
	{PROFTHREADS, "threads or processes shared counters: any count may be wrong, by any amount"},
	{PROFMIDWAY, "counting began or ended in the middle, by tally.h: " ACTIVE EACHCALL},
	{PROFFORKED, "forked: " ACTIVE "in the child " EACHCALL},
	{PROFALIVE, "ended while threads ran: " ACTIVE EACHCALL},
	{0},
};

static const Doubt unseen[] = {
	{PROFLOSTCUTS, "some frames were left early and not found: counts of their functions may be "
		       "off by one for each of them"},
	{PROFUNSEEN, "set signal handlers by direct system calls: if one ran, counts of the functions "
		     "that it interrupted may be wrong"},
	{0},
};

/* Counts are missing. */
static const Doubt missing[] = {
	{PROFLOST, "some counts are missing: no room, or no permission to write"},
	{PROFGS, "the program changed the gs register, through which it counts: counts may be too "
		 "low, or lost; build it with --threads=off"},
	{PROFEVICTED, "the program took the memory of counters: what ran after that was not counted"},
	{PROFFOREIGN, "some modules were built by another version of tally and not counted: rebuild "
		      "them"},
	{0},
};

/* doubts - remark on the flags of a table that are set. */
static void
doubts(const Module *m, const Doubt *d)
{
	for (; d->flag; d++)
		if (m->flags & d->flag)
			remark("%s: %s", m->path, d->text);
}

/* deaths - remark on processes that died of a signal. */
static void
deaths(const Report *r, const Module *m)
{
	char *death = NULL;
	size_t len = 0;
	FILE *f;

	if (!m->endings[ENDSIGNAL])
		return;
	f = open_memstream(&death, &len);
	if (!f)
		syserr("open a stream");
	describedeath(f, r, m);
	fclose(f);
	remark("%s: %" PRIu64 " of %" PRIu64 " processes died of a signal, the last of %s", m->path,
	       m->endings[ENDSIGNAL], m->nrun, death);
	free(death);
}

/* lefts - remark on frames that nobody saw being left. */
static void
lefts(const Module *m)
{
	if (m->endings[ENDGONE] && !m->live)
		remark("%s: %" PRIu64 " of %" PRIu64 " processes still run or were killed: " ACTIVE
		       EACHCALL ", and lines after such calls",
		       m->path, m->endings[ENDGONE], m->nrun);
	else if (m->midcall && !(m->flags & PROFHASCUTS))
		remark("%s: ended inside a call of main (by exit or the like): " ACTIVE EACHCALL,
		       m->path);
	if (m->jumps && !(m->flags & PROFHASCUTS))
		remark("%s: calls longjmp: counts of the functions it leaves may be off by one for "
		       "each call of it",
		       m->path);
	if (m->dump)
		remark("%s: counts are too low if several processors or threads counted at the "
		       "same time",
		       m->path);
}

int
remarks(const Report *r, const Module *m)
{
	int i, uncounted = 0, doubtful = 0;
	bool some = false;

	for (i = 0; i < m->nfn; i++) {
		uncounted += m->fn[i].reason != NULL;
		doubtful += m->fn[i].doubtful;
		some |= m->fn[i].partial && !m->fn[i].calls && !m->once;
	}
	if (uncounted)
		remark("%s: %d of %d functions are not counted; tally print -f shows why", m->path,
		       uncounted, m->nfn);
	deaths(r, m);
	lefts(m);
	doubts(m, frames);
	if (m->switched)
		remark("%s: switches stacks in its own code: counts of the functions that "
		       "wait there, or were left, may be wrong",
		       m->path);
	doubts(m, unseen);
	if (doubtful)
		remark("%s: the counts of %d functions may be wrong, and are marked", m->path,
		       doubtful);
	doubts(m, missing);
	if (some)
		remark("%s: only the code that --only and --skip selected was counted", m->path);
	if (m->once)
		remark("%s: was run with --coverage: counts say only whether code ran", m->path);
	if (m->nbad)
		remark("%s: the counts of %d functions contradict each other%s", m->path, m->nbad,
		       m->dump ? ", as those of functions still active may" : "");
	return m->nbad > 0 && !m->dump;
}
