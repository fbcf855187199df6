/* run.c - tally run, tally attach: count in an unmodified program. */

#include "cmd.h"

#include "road/live/live.h"

#include <stdlib.h>
#include <unistd.h>

typedef struct Asked Asked;

struct Asked {
	Wish wish;
	Argv only, skip;
	double seconds; /* 0 for no limit */
};

static const char *const follows[] = {
	[FOLLOWALL] = "all", [FOLLOWNONE] = "none", [FOLLOWEXEC] = "exec", NULL};
static const Unitkind lines = LINES, functions = FUNCTIONS, blocks = BLOCKS, insns = INSTRUCTIONS;

/* setseconds - a positive number of seconds. */
static void
setseconds(const Got *g)
{
	double *seconds = g->to;
	char *end;

	*seconds = strtod(g->value, &end);
	if (*end || end == g->value || !(*seconds > 0))
		wrong(g->syntax, "--%s=%s: expected seconds", g->option->name, g->value);
}

/* The options of tally attach; without the first, those of tally run. */
static const Option option[] = {
	{"for", 0, "SECONDS", setseconds, AT(seconds), NULL,
	 "let the process go after that time; ^C does, too"},
	{"lines", 0, NULL, setkind, AT(wish), &lines,
	 "count lines, by the blocks that they are made of: the default if there is debug "
	 "information"},
	{"functions", 0, NULL, setkind, AT(wish), &functions,
	 "count calls of functions: needs no debug information"},
	{"blocks", 0, NULL, setkind, AT(wish), &blocks, "count blocks, by the machine code alone"},
	{"instructions", 0, NULL, setkind, AT(wish), &insns, "count each instruction by itself"},
	{"times", 0, NULL, setflag, AT(wish.times), NULL, "and how long functions take"},
	{"coverage", 0, NULL, setflag, AT(wish.coverage), NULL,
	 "stop counting a place when it has been reached once"},
	{"only", 0, "WHAT", addtext, AT(only), NULL,
	 "count only there: a glob of files, functions or modules, FILE:LINE, FILE:FROM-TO, an "
	 "address or ADDRESS-ADDRESS; may be repeated"},
	{"skip", 0, "WHAT", addtext, AT(skip), NULL, "do not count there; may be repeated"},
	{"follow", 0, "HOW", setword, AT(wish.follow), follows,
	 "all: children, too; exec: the process alone, whatever programs it becomes; none: only "
	 "this program"},
	{"spread", 0, NULL, setflag, AT(wish.spread), NULL,
	 "leave the program on all processors, which makes counting slower"},
	{0},
};

static const char note[] =
	"Counts go to tally.out, or where TALLY_DIR says; tally print shows them.\n";

static const Syntax runsyntax = {
	.usage = "tally run [OPTIONS] PROGRAM ARGUMENTS ...",
	.option = option + 1,
	.note = note,
	.command = true,
};

static const Syntax attachsyntax = {
	.usage = "tally attach [OPTIONS] PID",
	.option = option,
	.note = note,
	.command = true,
};

void
setkind(const Got *g)
{
	Wish *w = g->to;

	w->unit = *(const Unitkind *)g->option->with;
	w->given = true;
}

void
setwish(Wish *w, const Argv *only, const Argv *skip)
{
	w->only = only->v;
	w->nonly = only->n;
	w->skip = skip->v;
	w->nskip = skip->n;
}

int
cmdrun(int argc, char **argv)
{
	Arena run = {0};
	Asked a = {0};
	int status;

	readoptions(&runsyntax, argc, argv, &a, &run);
	setwish(&a.wish, &a.only, &a.skip);
	if (optind == argc)
		wrong(&runsyntax, "no program is given");
	status = traceprogram(argv + optind, &a.wish, &run);
	areset(&run);
	return endas(status);
}

int
cmdattach(int argc, char **argv)
{
	Arena run = {0};
	Asked a = {0};
	char *last;
	long pid;

	readoptions(&attachsyntax, argc, argv, &a, &run);
	setwish(&a.wish, &a.only, &a.skip);
	if (optind + 1 != argc)
		wrong(&attachsyntax, "expected one PID");
	pid = strtol(argv[optind], &last, 10);
	if (*last || pid <= 0)
		wrong(&attachsyntax, "%s: expected a process id", argv[optind]);
	traceprocess((pid_t)pid, a.seconds, &a.wish, &run);
	areset(&run);
	return 0;
}
