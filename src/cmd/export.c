/* export.c - tally export: what was counted, for other programs. */

#include "cmd.h"

#include "report/report.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
	"usage: tally export FORMAT [OPTIONS] [PROGRAM | PROFILE ...]\n"
	"  --lcov          a tracefile of lcov: for genhtml, editors, services\n"
	"  --cobertura     XML as Cobertura writes it: for CI servers, diff-cover\n"
	"  --gcov-json     JSON as gcov writes it, which gcovr reads, too\n"
	"  --json          everything that is known of lines and functions, in JSON\n"
	"  --callgrind     instructions executed: for callgrind_annotate, kcachegrind\n"
	"  -o FILE         write to FILE, all or nothing; otherwise to standard output\n"
	"  --only=GLOB     only these files or functions; may be repeated\n"
	"  --mangled       call functions by their symbols\n"
	"  --prefix-map=OLD=NEW   sources whose paths begin with OLD are under NEW\n"
	"Without PROGRAM or PROFILE all in tally.out; of a PROGRAM its runs, there or where it was "
	"built.\n";

typedef void (*Format)(const Report *);

/* By option. */
static const Format formats[] = {
	['l'] = lcov, ['c'] = cobertura, ['g'] = gcovjson, ['j'] = json, ['k'] = callgrind};

static Format
options(int argc, char **argv, Report *r, const char **out)
{
	static const struct option longs[] = {
		{"lcov", no_argument, NULL, 'l'},      {"cobertura", no_argument, NULL, 'c'},
		{"gcov-json", no_argument, NULL, 'g'}, {"json", no_argument, NULL, 'j'},
		{"callgrind", no_argument, NULL, 'k'}, {"only", required_argument, NULL, 'O'},
		{"mangled", no_argument, NULL, 'N'},   {"prefix-map", required_argument, NULL, 'M'},
		{"help", no_argument, NULL, 'h'},      {0},
	};
	Format format = NULL;
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, ":o:h", longs, NULL)) != -1)
		switch (c) {
		case 'l':
		case 'c':
		case 'g':
		case 'j':
		case 'k':
			if (format && format != formats[c])
				usage(help, "choose one format");
			format = formats[c];
			break;
		case 'o': *out = optarg; break;
		case 'O':
		case 'N':
		case 'M': choose(r, c, help); break;
		default: otheroption(c, argv, help);
		}
	if (!format)
		usage(help, "no format is given");
	return format;
}

int
cmdexport(int argc, char **argv)
{
	Arena run = {0};
	Report report = {
		.f = stdout, .run = &run, .sources = anew(&run, Sources, 1), .version = VERSION};
	const char *out = NULL;
	Format format = options(argc, argv, &report, &out);
	Newfile file = {0};
	int i, status = 0;

	report.module = readinput(argv + optind, argc - optind, &report.nmodule, &run);
	if (!report.nmodule)
		err("export", "no counts of a program are there: nothing is written");
	joinfiles(&report);
	sourcenames(&report);
	if (out)
		report.f = newfile(&file, out, &run);
	format(&report);
	if (out)
		endfile(&file);
	for (i = 0; i < report.nmodule; i++)
		status |= remarks(&report, &report.module[i]);
	sourceremarks(&report);
	changeremarks(&report);
	flushout();
	areset(&run);
	return status;
}
