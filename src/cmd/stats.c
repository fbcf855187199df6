/* stats.c - tally stats: what counting cost, and would cost with other placements of counters. */

#include "cmd.h"

#include "report/report.h"

#include <unistd.h>

typedef struct Asked Asked;

struct Asked {
	Choosing choosing;
	Dump dump;
	Output out;
	bool byfunction;
};

static const Option option[] = {
	{"functions", 0, NULL, setflag, AT(byfunction), NULL,
	 "one row for each function, most increments first"},
	{.with = &memoryoption, .at = AT(dump.memory)},
	{.with = &baseoption, .at = AT(dump.base)},
	{.with = &onlyoption, .at = AT(choosing.only)},
	{.with = &mangledoption, .at = AT(choosing.mangled)},
	{.with = &formatoption, .at = AT(out.format)},
	{.with = &nopageroption, .at = AT(out.nopager)},
	{0},
};

static const Syntax syntax = {
	.usage = "tally stats [OPTIONS] [PROGRAM | PROFILE ...]",
	.about = "The tables of Ball and Larus 1994 for programs that ran: the edges with "
		 "counters, the\n"
		 "increments of several placements, and the quality of guessed weights.\n",
	.option = option,
	.note = inputnote,
};

int
cmdstats(int argc, char **argv)
{
	Arena run = {0};
	Report report = {.f = stdout, .run = &run};
	Asked a = {0};
	int i, status = 0;

	readoptions(&syntax, argc, argv, &a, &run);
	choose(&report, &a.choosing);
	readcounted(&report, &a.dump, &syntax, argv + optind, argc - optind);
	preparelines(&report.of, &run);
	openoutput(&a.out, &report);
	stats(&report, a.byfunction);
	for (i = 0; i < report.of.nmodule; i++)
		status |= remarks(&report, &report.of.module[i]);
	closeoutput(&report);
	status |= !report.of.nmodule;
	areset(&run);
	return status;
}
