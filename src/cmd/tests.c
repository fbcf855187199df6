/* tests.c - tally tests: which tests reached a line. */

#include "cmd.h"

#include "report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Asked Asked;

struct Asked {
	Choosing choosing;
	Output out;
};

static const Option option[] = {
	{.with = &prefixoption, .at = AT(choosing.prefix)},
	{.with = &formatoption, .at = AT(out.format)},
	{.with = &nopageroption, .at = AT(out.nopager)},
	{0},
};

static const Syntax syntax = {
	.usage = "tally tests [OPTIONS] FILE:LINE [PROGRAM | PROFILE ...]",
	.about = "Shows the labels (TALLY_LABEL, tally_label()) under which a line ran, how often "
		 "it ran,\n"
		 "and how many processes had each label.\n",
	.option = option,
	.note = inputnote,
};

/* split - FILE:LINE into the file and the line. */
static uint32_t
split(char *place)
{
	char *colon = strrchr(place, ':'), *end;
	unsigned long line = colon ? strtoul(colon + 1, &end, 10) : 0;

	if (!colon || colon == place || line == 0 || line > UINT32_MAX || *end)
		wrong(&syntax, "%s: expected FILE:LINE", place);
	*colon = 0;
	return (uint32_t)line;
}

/* same - the same module, among n others; NULL if it is not there. */
static Module *
same(Module *module, int n, const Module *m)
{
	int i;

	for (i = 0; i < n; i++)
		if (strcmp(module[i].path, m->path) == 0 && module[i].ncount == m->ncount
		    && memcmp(module[i].id, m->id, sizeof m->id) == 0
		    && module[i].maplen == m->maplen
		    && (!m->map || memcmp(module[i].map, m->map, m->maplen) == 0))
			return &module[i];
	return NULL;
}

/* takecounts - give the report the counts of a label, and no others; false if it has none. */
static bool
takecounts(Report *r, const Profile *p)
{
	bool any = false;
	int i, k;

	for (i = 0; i < r->of.nmodule; i++) {
		Module *m = &r->of.module[i];
		const Module *from = same(p->module, p->nmodule, m);

		for (k = 0; k < m->nfn; k++) {
			m->fn[k].flow = NULL;
			m->fn[k].cut = NULL;
			m->fn[k].ncut = 0;
			m->fn[k].capcut = 0;
		}
		m->ncut = m->ncall = 0;
		m->nrun = 0;
		if (!from)
			continue;
		any = true;
		m->count = from->count;
		m->cut = from->cut;
		m->ncut = from->ncut;
		m->nrun = from->nrun;
		m->flags = from->flags;
		m->inflight = from->inflight;
	}
	return any;
}

/* fill - fill a table with the labels that reach the line to which the report is narrowed. */
static int
fill(Grid *grid, Input *in, Report *r, Place at, bool json)
{
	int i, k, nlabel, n = 0;
	const char **label = labelsof(in, &nlabel, r->run);

	for (i = 0; i < nlabel; i++) {
		Arena run = {0};
		Report one = *r;
		Profile p = readcounts(in, label[i], &run);
		const Line *l;
		uint64_t nrun = 0;

		progress("asking labels", i, nlabel);
		one.run = &run;
		if (takecounts(&one, &p)) {
			for (k = 0; k < r->of.nmodule; k++)
				if (!r->of.module[k].nrun)
					r->of.module[k].count =
						anew(&run, uint64_t, r->of.module[k].ncount);
			findswitched(r->of.module, r->of.nmodule);
			for (k = 0; k < r->of.nmodule; k++)
				solvemodule(&r->of.module[k], &run);
			l = lineat(&one.of, at, &run);
			for (k = 0; k < r->of.nmodule; k++)
				if (r->of.module[k].nrun > nrun && touches(&r->of.module[k]))
					nrun = r->of.module[k].nrun;
			if (l && l->count) {
				cell(grid, "%s%llu", l->sure ? "" : "~",
				     (unsigned long long)l->count);
				cell(grid, "%" PRIu64, nrun);
				cell(grid, "%s", *label[i] || json ? label[i] : "(no label)");
				n++;
			}
		}
		areset(&run);
	}
	progressed();
	return n;
}

int
cmdtests(int argc, char **argv)
{
	Arena run = {0};
	Report report = {.f = stdout, .run = &run, .sources = anew(&run, Sources, 1)};
	Grid grid = {.arena = &run, .ncol = 3, .left = 2};
	Asked a = {0};
	Place at = {0};
	Input in;
	int n;

	readoptions(&syntax, argc, argv, &a, &run);
	choose(&report, &a.choosing);
	if (optind == argc)
		wrong(&syntax, "no FILE:LINE is given");
	at.line = split(argv[optind]);
	at.file = argv[optind];
	openinput(&in, argv + optind + 1, argc - optind - 1, &run);
	report.of.module = readlabel(&in, NULL, false, &report.of.nmodule, &run);
	preparelines(&report.of, &run);
	changeremarks(&report);
	at = narrow(&report.of, at, &run);
	cell(&grid, "times");
	cell(&grid, "runs");
	cell(&grid, "label");
	n = fill(&grid, &in, &report, at, a.out.format == JSON);
	closeinput(&in);
	openoutput(&a.out, &report);
	if (n || report.rows)
		table(&report, &grid, NULL, NULL);
	else
		remark("%s:%u: no test reaches it", at.file, at.line);
	closeoutput(&report);
	areset(&run);
	return 0;
}
