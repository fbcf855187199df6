/* runs.c - how the processes ended whose counts are shown. */

#include "report.h"

#include <inttypes.h>
#include <string.h>

/* wheredied - where the last process was that a signal ended; false if nobody knows. */
static bool
wheredied(const Report *r, Place *place)
{
	int i;

	for (i = 0; i < r->nmodule; i++)
		if (r->module[i].died && placeof(&r->module[i], &r->module[i].place, r->run, place))
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

static void
program(const Report *r, const Module *m)
{
	const uint64_t *n = m->endings;

	fprintf(r->f, "%s:\n", m->path);
	if (n[ENDEXIT])
		fprintf(r->f, "%10" PRIu64 "  exit with status 0\n", n[ENDEXIT]);
	if (n[ENDFAILED])
		fprintf(r->f, "%10" PRIu64 "  exit with another status%s%.0d\n", n[ENDFAILED],
			m->status ? ", the last " : "", m->status);
	if (n[ENDSOMEHOW])
		fprintf(r->f, "%10" PRIu64 "  exit\n", n[ENDSOMEHOW]);
	if (n[ENDSIGNAL]) {
		fprintf(r->f, "%10" PRIu64 "  a signal, the last ", n[ENDSIGNAL]);
		describedeath(r->f, r, m);
		fprintf(r->f, "\n");
	}
	if (n[ENDEXEC])
		fprintf(r->f, "%10" PRIu64 "  exec of another program\n", n[ENDEXEC]);
	if (n[ENDGONE])
		fprintf(r->f, "%10" PRIu64 "  killed, or still running\n", n[ENDGONE]);
}

void
runs(const Report *r)
{
	int i, k;

	for (i = 0; i < r->nmodule; i++)
		for (k = 0; k < NENDING; k++)
			if (r->module[i].endings[k]) {
				program(r, &r->module[i]);
				break;
			}
}
