/* run.c - tally run, tally attach: count in a program that nobody prepared. */

#include "cmd.h"

#include "road/live/live.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#define COMMON                                                                                    \
	"  --lines         count lines, by the blocks they are made of; this is usual if there "  \
	"is\n"                                                                                    \
	"                  debug information\n"                                                   \
	"  --functions     count calls of functions: needs only symbols\n"                        \
	"  --blocks        count blocks, by the machine code alone\n"                             \
	"  --instructions  count each instruction by itself\n"                                    \
	"  --times         and how long functions take\n"                                         \
	"  --coverage      stop counting a place when it has been reached once\n"                 \
	"  --only=WHAT     count only there: a glob of files, functions or modules, FILE:LINE,\n" \
	"                  FILE:FROM-TO, an address or ADDRESS-ADDRESS; may be repeated\n"        \
	"  --skip=WHAT     do not count there; may be repeated\n"                                 \
	"  --follow=HOW    all: children, too; exec: the process alone, whatever programs it\n"   \
	"                  becomes; none: only this program\n"                                    \
	"  --spread        leave the program on all processors, which makes counting slower\n"

static const char runhelp[] =
	"usage: tally run [OPTIONS] PROGRAM ARGUMENTS ...\n" COMMON
	"Counts go to tally.out, or where TALLY_DIR says; tally print shows them.\n";

static const char attachhelp[] =
	"usage: tally attach [OPTIONS] PID\n" COMMON
	"  --for=SECONDS   let the process go after that time; ^C does, too\n"
	"Counts go to tally.out, or where TALLY_DIR says; tally print shows them.\n";

bool
wishfor(Wish *w, int c, const char *help, Arena *run)
{
	switch (c) {
	case 'L': w->unit = LINES; break;
	case 'F': w->unit = FUNCTIONS; break;
	case 'B': w->unit = BLOCKS; break;
	case 'I': w->unit = INSTRUCTIONS; break;
	case 'C': w->coverage = true; break;
	case 'T': w->times = true; break;
	case 'W': w->spread = true; break;
	case 'O':
		apush(run, w->only, w->nonly, w->caponly);
		w->only[w->nonly++] = optarg;
		break;
	case 'S':
		apush(run, w->skip, w->nskip, w->capskip);
		w->skip[w->nskip++] = optarg;
		break;
	case 'f':
		if (strcmp(optarg, "all") == 0)
			w->follow = FOLLOWALL;
		else if (strcmp(optarg, "none") == 0)
			w->follow = FOLLOWNONE;
		else if (strcmp(optarg, "exec") == 0)
			w->follow = FOLLOWEXEC;
		else
			usage(help, "--follow=%s: choose all, exec or none", optarg);
		break;
	case 'h':
		fputs(help, stdout);
		flushout();
		exit(0);
	default: return false;
	}
	if (strchr("LFBI", c))
		w->given = true;
	return true;
}

static double
options(int argc, char **argv, Wish *w, const char *help, Arena *run)
{
	static const struct option longs[] = {
		{"lines", no_argument, NULL, 'L'},
		{"functions", no_argument, NULL, 'F'},
		{"blocks", no_argument, NULL, 'B'},
		{"instructions", no_argument, NULL, 'I'},
		{"coverage", no_argument, NULL, 'C'},
		{"only", required_argument, NULL, 'O'},
		{"skip", required_argument, NULL, 'S'},
		{"follow", required_argument, NULL, 'f'},
		{"spread", no_argument, NULL, 'W'},
		{"for", required_argument, NULL, 's'},
		{"times", no_argument, NULL, 'T'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	double seconds = 0;
	char *end;
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, "+:h", longs, NULL)) != -1) {
		if (c == 's' && help == attachhelp) {
			seconds = strtod(optarg, &end);
			if (*end || end == optarg || !(seconds > 0))
				usage(help, "--for=%s: want seconds", optarg);
		} else if (c == ':') {
			usage(help, "%s: wants a value", argv[optind - 1]);
		} else if (!wishfor(w, c, help, run)) {
			usage(help, "%s: no such option", argv[optind - 1]);
		}
	}
	return seconds;
}

int
cmdrun(int argc, char **argv)
{
	Arena run = {0};
	Wish w = {0};
	int status;

	options(argc, argv, &w, runhelp, &run);
	if (optind == argc)
		usage(runhelp, "no program is given");
	status = traceprogram(argv + optind, &w, &run);
	areset(&run);
	return endas(status);
}

int
cmdattach(int argc, char **argv)
{
	Arena run = {0};
	Wish w = {0};
	double seconds = options(argc, argv, &w, attachhelp, &run);
	char *last;
	long pid;

	if (optind + 1 != argc)
		usage(attachhelp, "want one process");
	pid = strtol(argv[optind], &last, 10);
	if (*last || pid <= 0)
		usage(attachhelp, "%s: want the number of a process", argv[optind]);
	traceprocess((pid_t)pid, seconds, &w, &run);
	areset(&run);
	return 0;
}
