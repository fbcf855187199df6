/* stats.c - tally stats: what counting cost, and would have cost with counters elsewhere. */

#include "cmd.h"

#include "report/report.h"

#include <getopt.h>

static const char help[] =
	"usage: tally stats [OPTIONS] [PROGRAM | PROFILE ...]\n"
	"The tables of Ball and Larus 1994 for programs that ran: edges with counters, increments\n"
	"with them in every block and where they are fewest, and how good guesses at weights are.\n"
	"  --functions     a row for each function instead, those with most increments first\n"
	"  --memory=FILE, --base=ADDR   take the counts out of PROGRAM's memory, as in tally "
	"print\n"
	"  --only=GLOB     only these files or functions; may be repeated\n"
	"  --mangled       call functions by their symbols\n" MANNERSHELP
	"PROFILE may be a directory.  Without PROGRAM or PROFILE all in tally.out; of a PROGRAM\n"
	"its runs, there or where it was built.\n";

int
cmdstats(int argc, char **argv)
{
	static const struct option longs[] = {
		{"functions", no_argument, NULL, 'f'},  {"memory", required_argument, NULL, 'm'},
		{"base", required_argument, NULL, 'A'}, {"only", required_argument, NULL, 'O'},
		{"mangled", no_argument, NULL, 'N'},    MANNERS,
		{"help", no_argument, NULL, 'h'},       {0},
	};
	Arena run = {0};
	Report report = {.f = stdout, .run = &run};
	const char *memory = NULL, *base = NULL;
	bool byfunction = false;
	Output out = {0};
	int c, i, status = 0;

	opterr = 0;
	while ((c = getopt_long(argc, argv, ":h", longs, NULL)) != -1)
		switch (c) {
		case 'f': byfunction = true; break;
		case 'm': memory = optarg; break;
		case 'A': base = optarg; break;
		case 'O':
		case 'N': choose(&report, c, help); break;
		case 'F':
		case 'G': manners(&out, c, help); break;
		default: otheroption(c, argv, help);
		}
	if (base && !memory)
		usage(help, "--base is for --memory");
	if (memory && optind == argc)
		usage(help, "--memory wants the PROGRAM whose memory it was");
	if (memory)
		report.module =
			readdump(memory, base, argv + optind, argc - optind, &report.nmodule, &run);
	else
		report.module = readinput(argv + optind, argc - optind, &report.nmodule, &run);
	joinfiles(&report);
	sourcenames(&report);
	openoutput(&out, &report);
	stats(&report, byfunction);
	for (i = 0; i < report.nmodule; i++)
		status |= remarks(&report, &report.module[i]);
	closeoutput(&report);
	status |= !report.nmodule;
	areset(&run);
	return status;
}
