/* times.c - how long functions took, measured by the live road. */

#include "report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct Timed Timed;

struct Timed {
	const struct Proftime *time;
	const Fn *fn;
};

/* byself - the longest first. */
static int
byself(const void *a, const void *b)
{
	const Timed *x = a, *y = b;

	if (x->time->selfwall != y->time->selfwall)
		return x->time->selfwall > y->time->selfwall ? -1 : 1;
	return x->time->addr < y->time->addr ? -1 : x->time->addr > y->time->addr;
}

/* fnat - the function that begins at an address; NULL if there is none. */
static const Fn *
fnat(const Module *m, uint64_t addr)
{
	int i;

	for (i = 0; i < m->nfn; i++)
		if (m->fn[i].part[0] == addr)
			return &m->fn[i];
	return NULL;
}

static void
milliseconds(Grid *grid, uint64_t ns)
{
	cell(grid, "%" PRIu64 ".%03" PRIu64, ns / 1000000, ns / 1000 % 1000);
}

static void
module(const Report *r, const Module *m)
{
	static const char *const title[] = {"calls",      "self ms",  "self cpu ms", "all ms",
					    "all cpu ms", "function", NULL};
	Grid grid = {.arena = r->run, .ncol = 6, .left = 5};
	Timed *t = anew(r->run, Timed, m->ntime + 1);
	int i, n = 0;

	for (i = 0; i < m->ntime; i++) {
		const Fn *fn = fnat(m, m->time[i].addr);

		if (fn && chosen(&r->of, fn))
			t[n++] = (Timed){&m->time[i], fn};
	}
	if (!n)
		return;
	qsort(t, (size_t)n, sizeof *t, byself);
	titles(&grid, title);
	for (i = 0; i < n; i++) {
		cell(&grid, "%" PRIu64, t[i].time->calls);
		milliseconds(&grid, t[i].time->selfwall);
		milliseconds(&grid, t[i].time->selfcpu);
		milliseconds(&grid, t[i].time->wall);
		milliseconds(&grid, t[i].time->cpu);
		cell(&grid, "%s", nameof(r, t[i].fn));
	}
	table(r, &grid, "program", m->path);
}

void
functiontimes(const Report *r)
{
	bool any = false;
	int i;

	for (i = 0; i < r->of.nmodule; i++) {
		const Module *m = &r->of.module[i];

		any |= m->ntime > 0;
		module(r, m);
		if (m->ntime)
			fprintf(stderr,
				"%s: the program stopped %" PRIu64
				" times; a stop took at least %" PRIu64 ".%" PRIu64
				" us, and %" PRIu64 ".%" PRIu64
				" us of its processor time, which is taken off: short "
				"functions are "
				"not exact\n",
				m->path, m->stops.stops, m->stops.wall / 1000,
				m->stops.wall / 100 % 10, m->stops.cpu / 1000,
				m->stops.cpu / 100 % 10);
	}
	if (!any)
		notice("no times were recorded: run the program by tally run --times");
}
