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
	 "detach after that time; ^C also detaches"},
	{"lines", 0, NULL, setkind, AT(wish), &lines,
	 "count lines (the default if there is debug information)"},
	{"functions", 0, NULL, setkind, AT(wish), &functions,
	 "count function calls (needs no debug information)"},
	{"blocks", 0, NULL, setkind, AT(wish), &blocks, "count blocks of machine code"},
	{"instructions", 0, NULL, setkind, AT(wish), &insns, "count each instruction separately"},
	{"times", 0, NULL, setflag, AT(wish.times), NULL, "also measure how long functions take"},
	{"coverage", 0, NULL, setflag, AT(wish.coverage), NULL, "record only whether code ran"},
	{"only", 0, "WHAT", addtext, AT(only), NULL,
	 "count only in WHAT: a glob of files, functions or modules, FILE:LINE, FILE:FROM-TO, an "
	 "address or ADDRESS-ADDRESS; may be repeated"},
	{"skip", 0, "WHAT", addtext, AT(skip), NULL, "do not count in WHAT; may be repeated"},
	{"follow", 0, "HOW", setword, AT(wish.follow), follows,
	 "all (the default): also child processes; exec: this process, also after exec; none: "
	 "only this program"},
	{"spread", 0, NULL, setflag, AT(wish.spread), NULL,
	 "do not bind the program to one processor (slower counting)"},
	{0},
};

static const char note[] =
	"The profile goes to tally.out, or to the directory TALLY_DIR; tally print shows it.\n";

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
