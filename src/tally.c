/* tally.c - main: a table of verbs. */

#include "cmd/cmd.h"
#include "standin/standin.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *effect;
} verb[] = {
	{"build", cmdbuild, "run a compiler or a whole build with counting on"},
	{"run", cmdrun, "count in an unmodified program"},
	{"attach", cmdattach, "count in a running process"},
	{"print", cmdprint, "show what was counted"},
	{"html", cmdhtml, "write the counts as HTML pages"},
	{"export", cmdexport, "write the counts in formats of other tools"},
	{"merge", cmdmerge, "add up profiles into one file"},
	{"tests", cmdtests, "show which tests reach a line"},
	{"diff", cmddiff, "compare two runs, or show how much of a change ran"},
	{"mix", cmdmix, "show which kinds of instructions were executed"},
	{"stats", cmdstats, "show what counting cost, and what other placements would"},
	{"graph", cmdgraph, "weigh, instrument and solve a flow graph written as text"},
};

enum { NVERB = sizeof verb / sizeof *verb };

/* Other names that tally goes by, as links to it.  Users call the commands, whose messages begin
 * with their names; compilers call the others. */
static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	bool command;
} alias[] = {
	{"as", cmdas, false},        {"cc1", cmdcc1, false},    {"cc1plus", cmdcc1, false},
	{"f951", cmdcc1, false},     {"gnat1", cmdcc1, false},  {"ld.gold", cmdgold, false},
	{"zprof", cmdzprof, true},   {"lcomp", cmdlcomp, true}, {"lcc", cmdlcc, true},
	{"lprint", cmdlprint, true}, {"bb", cmdbb, true},       {"ctrace", cmdctrace, true},
};

enum { NALIAS = sizeof alias / sizeof *alias };

static char *
helptext(Arena *run)
{
	char *text = anew(run, char, 1024 + NVERB * 128);
	int n, i;

	n = sprintf(text, "usage: tally VERB ...\n");
	for (i = 0; i < NVERB; i++)
		n += sprintf(text + n, "  %-10s %.100s\n", verb[i].name, verb[i].effect);
	sprintf(text + n,
		"See `tally VERB --help' and the manual pages tally(1) and tally-VERB(1).\n");
	return text;
}

/* finish - the exit status of a verb, which may have left something out. */
static int
finish(int status)
{
	return status ? status : anyfailed();
}

int
main(int argc, char **argv)
{
	Arena run = {0};
	const char *name = argc ? strrchr(argv[0], '/') : NULL;
	int i;

	name = name ? name + 1 : argc ? argv[0] : "";
	for (i = 0; i < NALIAS; i++)
		if (strcmp(name, alias[i].name) == 0) {
			if (alias[i].command)
				callself(name);
			return finish(alias[i].run(argc, argv));
		}
	if (argc < 2)
		usage(helptext(&run), "no verb is given");
	for (i = 0; i < NVERB; i++)
		if (strcmp(argv[1], verb[i].name) == 0)
			return finish(verb[i].run(argc - 1, argv + 1));
	if (strcmp(argv[1], "--version") == 0)
		puts("tally " VERSION);
	else if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0)
		fputs(helptext(&run), stdout);
	else
		usage(helptext(&run), "%s: no such verb", argv[1]);
	flushout();
	areset(&run);
	return 0;
}
