/* export.c - tally export: what was counted, for other programs. */

#include "cmd.h"

#include "report/report.h"

#include <unistd.h>

typedef struct Asked Asked;
typedef struct Format Format;

struct Asked {
	Choosing choosing;
	const Format *format;
	const char *out;
};

struct Format {
	void (*write)(const Report *);
};

static const Format tolcov = {lcov}, tocobertura = {cobertura}, togcov = {gcovjson},
		    tojson = {json}, tocallgrind = {callgrind};

static const Option option[] = {
	{"lcov", 0, NULL, setone, AT(format), &tolcov,
	 "an lcov tracefile: for genhtml, editors, services"},
	{"cobertura", 0, NULL, setone, AT(format), &tocobertura,
	 "Cobertura's XML: for CI servers, diff-cover"},
	{"gcov-json", 0, NULL, setone, AT(format), &togcov, "gcov's JSON, which gcovr reads, too"},
	{"json", 0, NULL, setone, AT(format), &tojson,
	 "tally's own JSON: everything known of lines and functions"},
	{"callgrind", 0, NULL, setone, AT(format), &tocallgrind,
	 "callgrind's format: for callgrind_annotate, kcachegrind"},
	{NULL, 'o', "FILE", settext, AT(out), NULL,
	 "write to FILE, all or nothing; default: standard output"},
	{.with = &onlyoption, .at = AT(choosing.only)},
	{.with = &mangledoption, .at = AT(choosing.mangled)},
	{.with = &prefixoption, .at = AT(choosing.prefix)},
	{0},
};

static const Syntax syntax = {
	.usage = "tally export FORMAT [OPTIONS] [PROGRAM | PROFILE ...]",
	.option = option,
	.note = inputnote,
};

int
cmdexport(int argc, char **argv)
{
	Arena run = {0};
	Report report = {
		.f = stdout, .run = &run, .sources = anew(&run, Sources, 1), .version = VERSION};
	Newfile file = {0};
	Asked a = {0};
	int i, status = 0;

	readoptions(&syntax, argc, argv, &a, &run);
	if (!a.format)
		wrong(&syntax, "no format is given");
	choose(&report, &a.choosing);
	report.of.module = readinput(argv + optind, argc - optind, &report.of.nmodule, &run);
	if (!report.of.nmodule)
		err("export", "no counts were found: nothing is written");
	preparelines(&report.of, &run);
	if (a.out)
		report.f = newfile(&file, a.out, &run);
	a.format->write(&report);
	if (a.out)
		endfile(&file);
	for (i = 0; i < report.of.nmodule; i++)
		status |= remarks(&report, &report.of.module[i]);
	sourceremarks(&report);
	changeremarks(&report);
	flushout();
	areset(&run);
	return status;
}
