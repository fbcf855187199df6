/* build.c - tally build: run a compiler or a whole build with counting on. */

#include "cmd.h"

#include "road/asm/asm.h"
#include "standin/standin.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef struct Asked Asked;

struct Asked {
	Settings settings;
	char *weights; /* a profile or a program; NULL if not given */
	Logwords say;
	bool quiet;
};

/* setcounters - KIND or KIND,calls. */
static void
setcounters(const Got *g)
{
	Settings *s = g->to;
	char *comma = strchr(g->value, ',');

	s->calls = comma && strcmp(comma, ",calls") == 0;
	if (s->calls)
		*comma = 0;
	s->counters = countersof(g->value);
	if (!countersname(s->counters))
		wrong(g->syntax, "--counters=%s: no such placement", g->value);
}

/* setwithout - the name of a cheaper way of counting not to use. */
static void
setwithout(const Got *g)
{
	int i;

	for (i = 0; i < NWAY && strcmp(g->value, wayname[i]) != 0; i++)
		;
	if (i == NWAY)
		wrong(g->syntax, "--without=%s: no such way", g->value);
	addtext(g);
}

static const char *const threads[] = {"on", "off", NULL};

/* setthreads - on or off, the last one given; without a runtime they always share counters. */
static void
setthreads(const Got *g)
{
	Settings *s = g->to;
	Got flat = *g;
	int off;

	flat.to = &off;
	setword(&flat);
	s->flat = off || s->bare;
}

/* setruntime - none; without a runtime threads share counters. */
static void
setruntime(const Got *g)
{
	Settings *s = g->to;

	if (strcmp(g->value, "none") != 0)
		wrong(g->syntax, "--runtime=%s: choose none", g->value);
	s->bare = s->flat = true;
}

static const int all = LOGALL, odd = LOGODD;

static const Option option[] = {
	{"counters", 0, "KIND", setcounters, AT(settings), NULL,
	 "edges (or optimal; the default), vertices, vertices-by-edges, redundant, or check "
	 "(redundant and edges, for tally print --compare); append `,calls' to record the callees "
	 "of calls through pointers"},
	{"only", 0, "GLOB", addtext, AT(settings.only), NULL,
	 "count only in these files and functions; may be repeated"},
	{"skip", 0, "GLOB", addtext, AT(settings.skip), NULL,
	 "do not count in these; may be repeated"},
	{"weights", 0, "FILE", settext, AT(weights), NULL,
	 "place counters according to an earlier run: a profile, or the program that ran"},
	{"road", 0, "ROAD", setword, AT(settings.road), roadname,
	 "where counters go: asm, the assembly (the default), or c, the C text"},
	{"lines", 0, "HOW", setword, AT(settings.lines), linesname,
	 "source (the default): exact counts of C lines at any -O;\ntables: counts from the "
	 "compiler's line tables; does not affect optimisation"},
	{"without", 0, "WAY", setwithout, AT(settings.without), NULL,
	 "disable a way of reducing the cost: guesses (of which way branches go), detours (avoid "
	 "counters that need a jump), triples (three quick instructions in short loops); may be "
	 "repeated"},
	{"branches", 0, NULL, setflag, AT(settings.branches), NULL,
	 "also count the operands of ?:, && and ||"},
	{"threads", 0, "off", setthreads, AT(settings), threads,
	 "do not use the gs register, for programs that use it; threads then share counters"},
	{"order", 0, NULL, setflag, AT(settings.order), NULL,
	 "record the order in which files are first used"},
	{"runtime", 0, "none", setruntime, AT(settings), NULL,
	 "for programs without a C library, such as kernels: the counts stay in memory, for "
	 "tally print --memory"},
	{"verbose", 0, NULL, setnumber, AT(say), &all,
	 "report every file, and every function that is not counted"},
	{"terse", 0, NULL, setnumber, AT(say), &odd,
	 "print the summary only if something was not counted"},
	{"quiet", 0, NULL, setflag, AT(quiet), NULL, "print no summary"},
	{0},
};

static const Syntax syntax = {
	.usage = "tally build [OPTIONS] COMMAND ...",
	.option = option,
	.note = "COMMAND is a compiler's command line, or anything that runs compilers, such as "
		"make.\n",
	.command = true,
};

/* checkoptions - reject options that exclude each other. */
static void
checkoptions(const Settings *s)
{
	bool intext = s->road == INTEXT;

	if (s->calls && s->bare)
		wrong(&syntax, "--counters=...,calls does not go with --runtime=none");
	if (s->order && (s->bare || intext))
		wrong(&syntax, "--order goes neither with --runtime=none nor with --road=c");
	if (s->calls && intext)
		wrong(&syntax, "--counters=...,calls needs --road=asm");
	if (s->bare && intext)
		wrong(&syntax, "--runtime=none needs --road=asm");
}

/* The command while it runs; else 0. */
static volatile pid_t command;

/* hand - pass on a signal that a process has sent to us; the command gets those from a terminal by
 * itself.  We end when it does. */
static void
hand(int sig, siginfo_t *info, void *context)
{
	(void)context;
	if (command > 0 && info->si_code <= 0)
		kill(command, sig);
}

/* handsignals - pass on signals from now on, except those that are ignored. */
static void
handsignals(sigset_t *which)
{
	static const int sig[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
	struct sigaction new = {.sa_sigaction = hand, .sa_flags = SA_SIGINFO | SA_RESTART}, old;
	size_t i;

	sigemptyset(which);
	for (i = 0; i < sizeof sig / sizeof *sig; i++)
		if (sigaction(sig[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN
		    && sigaction(sig[i], &new, NULL) == 0)
			sigaddset(which, sig[i]);
}

/* obey - run the command; returns its wait status, or -1 with errno if it cannot be started. */
static int
obey(char **argv)
{
	posix_spawnattr_t attr;
	sigset_t handed, before;
	int status = -1, e;
	pid_t pid;

	handsignals(&handed);
	sigprocmask(SIG_BLOCK, &handed, &before);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(&attr, &before);
	e = posix_spawnp(&pid, argv[0], NULL, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	command = e == 0 ? pid : 0;
	sigprocmask(SIG_SETMASK, &before, NULL);
	while (e == 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	command = 0;
	errno = e;
	return e ? -1 : status;
}

int
cmdbuild(int argc, char **argv)
{
	Arena run = {0};
	Asked a = {.settings.counters = EDGES, .say = LOGSUM};
	const Settings *s = &a.settings;
	int status;

	readoptions(&syntax, argc, argv, &a, &run);
	checkoptions(s);
	if (optind == argc)
		wrong(&syntax, "no command is given");
	standin(&a.settings, a.weights, &run);
	status = obey(argv + optind);
	if (!a.quiet && status >= 0)
		readlog(s->log, a.say, status != 0, &run);
	if (status < 0)
		syserr("%s", argv[optind]);
	areset(&run);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
