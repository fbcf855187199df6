/* runs.c - how processes ended. */

#include "report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* wheredied - where the last process was that died of a signal; false if that is unknown. */
static bool
wheredied(const Report *r, Place *place)
{
	int i;

	for (i = 0; i < r->of.nmodule; i++)
		if (r->of.module[i].died
		    && placeof(&r->of.module[i], &r->of.module[i].place, r->run, place))
			return true;
	return false;
}

void
describedeath(FILE *f, const Report *r, const Module *m)
{
	const char *name = sigabbrev_np(m->signal);
	Place at;

	if (name)
		fprintf(f, "SIG%s", name);
	else
		fprintf(f, "signal %d", m->signal);
	if (!wheredied(r, &at))
		return;
	fprintf(f, " in %s", nameof(r, at.fn));
	if (at.line)
		fprintf(f, ", %s:%" PRIu32, sourcefile(r, at.file), at.line);
}

/* ending - so many processes ended in this way. */
static void
ending(const Report *r, Grid *grid, uint64_t n, const char *how)
{
	if (!n)
		return;
	if (!r->rows)
		fprintf(r->f, "%10" PRIu64 "  %s\n", n, how);
	cell(grid, "%" PRIu64, n);
	cell(grid, "%s", how);
}

static void
program(const Report *r, const Module *m)
{
	Grid grid = {.arena = r->run, .ncol = 2, .left = 1};
	const uint64_t *n = m->endings;
	char *death = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&death, &len);
	Buf failed = {.arena = r->run};

	if (!f)
		syserr("open a stream");
	fprintf(f, "a signal, the last ");
	describedeath(f, r, m);
	fclose(f);
	bprintf(&failed, "exit with another status%s%.0d", m->status ? ", the last " : "",
		m->status);
	cell(&grid, "processes");
	cell(&grid, "ending");
	if (!r->rows)
		fprintf(r->f, "%s:\n", m->path);
	ending(r, &grid, n[ENDEXIT], "exit with status 0");
	ending(r, &grid, n[ENDFAILED], failed.s);
	ending(r, &grid, n[ENDSOMEHOW], "exit");
	ending(r, &grid, n[ENDSIGNAL], death);
	ending(r, &grid, n[ENDEXEC], "exec of another program");
	ending(r, &grid, n[ENDGONE], "killed, or still running");
	if (r->rows)
		table(r, &grid, "program", m->path);
	free(death);
}

void
runs(const Report *r)
{
	int i, k;

	for (i = 0; i < r->of.nmodule; i++)
		for (k = 0; k < NENDING; k++)
			if (r->of.module[i].endings[k]) {
				program(r, &r->of.module[i]);
				break;
			}
}
