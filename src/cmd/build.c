/* build.c - tally build: run a compiler or a whole build with counting on. */

#include "cmd.h"

#include "road/asm/asm.h"
#include "standin/standin.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char help[] =
	"usage: tally build [OPTIONS] COMMAND ...\n"
	"  --counters=KIND edges (or optimal), vertices, vertices-by-edges, redundant, or\n"
	"                  check (redundant and edges, to be compared); with `,calls' behind it "
	"also\n"
	"                  whom functions call through pointers\n"
	"  --only=GLOB     count only in these files and functions; may be repeated\n"
	"  --skip=GLOB     do not count in these; may be repeated\n"
	"  --weights=FILE  place counters by what an earlier run counted: a profile, or the\n"
	"                  program that ran\n"
	"  --road=c        put counters into the C text; the assembler is left alone\n"
	"  --lines=HOW     source: counts of C lines are those of the source, at any -O;\n"
	"                  tables: from the compiler's line tables, the code is as it would be\n"
	"  --without=WAY   do without a way to count cheaper: guesses (which way branches go),\n"
	"                  detours (avoid counters that need a jump), triples (three quick\n"
	"                  instructions in short loops); may be repeated\n"
	"  --branches      count operands of ?:, && and ||, too\n"
	"  --threads=off   for programs that use the gs register themselves; threads then\n"
	"                  share counters\n"
	"  --order         record in what order files are used first\n"
	"  --runtime=none  for programs without a C library, such as kernels: counters stay in\n"
	"                  their memory, for tally print --memory\n"
	"  --verbose       name every file, and every function that is not counted\n"
	"  --terse         a word at the end only if something is not counted\n"
	"  --quiet         no word at the end\n"
	"COMMAND is a compiler's command line, or whatever calls compilers.\n";

/* What the options say goes to the parts of compilers by the environment. */
static const char *const setting[] = {"TALLY_COUNTERS", "TALLY_ONLY",    "TALLY_SKIP",
				      "TALLY_FLAT",     "TALLY_LINES",   "TALLY_BRANCHES",
				      "TALLY_ROAD",     "TALLY_BARE",    "TALLY_CALLS",
				      "TALLY_ORDER",    "TALLY_WITHOUT", "TALLY_WEIGHTS"};
enum { NSETTING = sizeof setting / sizeof *setting };

/* stamp - of this very tally and of everything that changes what it makes. */
static uint64_t
stamp(const char *self, Arena *run)
{
	const char *weights = getenv("TALLY_WEIGHTS"), *dir = getenv("TALLY_BUILD_DIR");
	uint64_t h = hashbytes(HASHBEGIN, VERSION, sizeof VERSION);
	struct stat st;
	size_t len;
	int i;

	if (stat(self, &st) != 0)
		syserr("stat %s", self);
	h = hashbytes(h, self, strlen(self));
	h = hashbytes(h, &st.st_size, sizeof st.st_size);
	h = hashbytes(h, &st.st_mtim, sizeof st.st_mtim);
	h = hashbytes(h, dir, strlen(dir));
	for (i = 0; i < NSETTING; i++) {
		const char *value = getenv(setting[i]);

		if (strcmp(setting[i], "TALLY_WEIGHTS") == 0)
			continue;
		h = hashbytes(h, setting[i], strlen(setting[i]));
		h = hashbytes(h, value ? value : "", value ? strlen(value) + 1 : 0);
	}
	if (weights) {
		const char *data = readfile(run, weights, &len);

		h = hashbytes(h, data, len);
	}
	return h;
}

/* setcounters - KIND or KIND,calls, if there is such a form of counting. */
static void
setcounters(char *s)
{
	char *comma = strchr(s, ',');
	int i;

	unsetenv("TALLY_CALLS");
	if (comma && strcmp(comma, ",calls") == 0) {
		setenv("TALLY_CALLS", "1", 1);
		*comma = 0;
	}
	setenv("TALLY_COUNTERS", s, 1);
	if (strcmp(s, "check") == 0 || strcmp(s, "optimal") == 0)
		return;
	for (i = 0; i < NSCHEME; i++)
		if (strcmp(s, schemename[i]) == 0)
			return;
	usage(help, "--counters=%s: no such placement", s);
}

/* addline - to a list in the environment. */
static void
addline(const char *name, const char *line, Arena *run)
{
	const char *old = getenv(name);
	Buf b = {.arena = run};

	bprintf(&b, "%s%s%s", old ? old : "", old ? "\n" : "", line);
	setenv(name, b.s, 1);
}

/* newin - a new file in the directory of this build; named to the stand-ins by a variable. */
static FILE *
newin(const char *tmp, const char *name, const char *variable, Arena *run)
{
	Buf path = {.arena = run};
	FILE *f;

	bprintf(&path, "%s/%s", tmp, name);
	f = fopen(path.s, "wb");
	if (!f)
		syserr("open %s", path.s);
	setenv(variable, path.s, 1);
	return f;
}

/* leaveweights - what an earlier run counted, for the assembler's wrapper. */
static void
leaveweights(char *profile, const char *tmp, Arena *run)
{
	Module *m;
	FILE *f;
	int n;

	m = readinput(&profile, 1, &n, run);
	f = newin(tmp, "weights", "TALLY_WEIGHTS", run);
	if (!writeweights(f, m, n, run))
		fprintf(stderr, "tally: %s: no counts in it: weights are guessed\n", profile);
	if (fclose(f) != 0)
		syserr("write %s", getenv("TALLY_WEIGHTS"));
}

/* checkoptions - that do not go together. */
static void
checkoptions(void)
{
	const char *road = getenv("TALLY_ROAD");
	bool intext = road && strcmp(road, "c") == 0;

	if (getenv("TALLY_CALLS") && getenv("TALLY_BARE"))
		usage(help, "--counters=...,calls needs a runtime: not with --runtime=none");
	if (getenv("TALLY_ORDER") && (getenv("TALLY_BARE") || intext))
		usage(help, "--order: neither with --runtime=none nor with --road=c");
	if (getenv("TALLY_CALLS") && intext)
		usage(help, "--counters=...,calls is for --road=asm");
	if (getenv("TALLY_BARE") && intext)
		usage(help, "--runtime=none is for --road=asm");
}

/* setwithout - a way to count less cheaply. */
static void
setwithout(const char *s, Arena *run)
{
	int i;

	for (i = 0; i < NWAY; i++)
		if (strcmp(s, wayname[i]) == 0) {
			addline("TALLY_WITHOUT", s, run);
			return;
		}
	usage(help, "--without=%s: no such way", s);
}

/* choice - the value of an option is one of two words; whether it is the second. */
static bool
choice(const char *option, const char *value, const char *one, const char *two)
{
	if (strcmp(value, one) != 0 && strcmp(value, two) != 0)
		usage(help, "--%s=%s: choose %s or %s", option, value, one, two);
	return strcmp(value, two) == 0;
}

typedef struct Wishes Wishes;

/* What the parts of compilers need not know. */
struct Wishes {
	char *weights; /* a profile, or a program; NULL */
	Logwords say;
	bool quiet;
};

/* options - into the environment. */
static Wishes
options(int argc, char **argv, Arena *run)
{
	static const struct option longs[] = {
		{"counters", required_argument, NULL, 'C'},
		{"only", required_argument, NULL, 'O'},
		{"skip", required_argument, NULL, 'S'},
		{"weights", required_argument, NULL, 'W'},
		{"without", required_argument, NULL, 'w'},
		{"threads", required_argument, NULL, 'T'},
		{"lines", required_argument, NULL, 'L'},
		{"branches", no_argument, NULL, 'B'},
		{"road", required_argument, NULL, 'R'},
		{"order", no_argument, NULL, 'o'},
		{"runtime", required_argument, NULL, 'N'},
		{"verbose", no_argument, NULL, 'v'},
		{"terse", no_argument, NULL, 't'},
		{"quiet", no_argument, NULL, 'q'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	Wishes w = {.say = LOGSUM};
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, "+:h", longs, NULL)) != -1)
		switch (c) {
		case 'C': setcounters(optarg); break;
		case 'O': addline("TALLY_ONLY", optarg, run); break;
		case 'S': addline("TALLY_SKIP", optarg, run); break;
		case 'W': w.weights = optarg; break;
		case 'w': setwithout(optarg, run); break;
		case 'T':
			if (choice("threads", optarg, "on", "off"))
				setenv("TALLY_FLAT", "1", 1);
			break;
		case 'L':
			choice("lines", optarg, "source", "tables");
			setenv("TALLY_LINES", optarg, 1);
			break;
		case 'B': setenv("TALLY_BRANCHES", "1", 1); break;
		case 'R':
			choice("road", optarg, "asm", "c");
			setenv("TALLY_ROAD", optarg, 1);
			break;
		case 'o': setenv("TALLY_ORDER", "1", 1); break;
		case 'N':
			if (strcmp(optarg, "none") != 0)
				usage(help, "--runtime=%s: none is the only choice", optarg);
			setenv("TALLY_BARE", "1", 1);
			setenv("TALLY_FLAT", "1", 1);
			break;
		case 'v': w.say = LOGALL; break;
		case 't': w.say = LOGODD; break;
		case 'q': w.quiet = true; break;
		case 'h':
			fputs(help, stdout);
			flushout();
			exit(0);
		case ':': usage(help, "%s: wants a value", argv[optind - 1]);
		default: usage(help, "%s: no such option", argv[optind - 1]);
		}
	checkoptions();
	if (optind == argc)
		usage(help, "no command is given");
	return w;
}

/* The command, while it runs. */
static volatile pid_t command;

/* hand - a signal that somebody has sent to us to the command; those of a terminal it gets itself.  We end
 * when it does. */
static void
hand(int sig, siginfo_t *info, void *context)
{
	(void)context;
	if (command > 0 && info->si_code <= 0)
		kill(command, sig);
}

/* handsignals - from now on, those that are not ignored. */
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

/* obey - run the command; its wait status, or -1 with errno if it cannot be started. */
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

/* The directory of this build; NULL when it is gone. */
static char *tmp;

static void
removetmp(void)
{
	if (tmp)
		removetree(tmp);
	tmp = NULL;
}

/* prepare - what the stand-ins want to know, in the environment and in a directory of this build.  Its
 * path must not be cut where a list of directories is. */
static void
prepare(const Wishes *w, Arena *run)
{
	Buf out = {.arena = run};
	char cwd[4096], self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

	if (n < 0)
		syserr("readlink /proc/self/exe");
	self[n] = 0;
	if (!getcwd(cwd, sizeof cwd))
		syserr("getcwd");
	bprintf(&out, "%s/tally.out", cwd);
	setenv("TALLY_BUILD_DIR", out.s, 1);
	tmp = tempdir(":\n", run);
	if (!tmp)
		syserr("no directory for temporary files");
	atexit(removetmp);
	if (w->weights)
		leaveweights(w->weights, tmp, run);
	standin(self, tmp, stamp(self, run), run);
	fclose(newin(tmp, "log", "TALLY_LOG", run));
}

int
cmdbuild(int argc, char **argv)
{
	Arena run = {0};
	Wishes w;
	int i, status;

	for (i = 0; i < NSETTING; i++)
		unsetenv(setting[i]); /* of a build around this one */
	setenv("TALLY_LINES", "source", 1);
	w = options(argc, argv, &run);
	prepare(&w, &run);
	status = obey(argv + optind);
	if (!w.quiet && status >= 0)
		readlog(getenv("TALLY_LOG"), w.say, status != 0, &run);
	if (status < 0)
		syserr("%s", argv[optind]);
	removetmp();
	areset(&run);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
