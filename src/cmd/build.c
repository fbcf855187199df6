/* build.c - tally build: run a compiler or a whole build with counting on. */

#include "cmd.h"

#include "road/asm/asm.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

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

static uint64_t
mix(uint64_t h, const void *data, size_t n)
{
	const unsigned char *s = data;

	while (n--)
		h = (h ^ *s++) * 0x100000001b3;
	return h;
}

/* What the options say goes to the parts of compilers by the environment. */
static const char *const setting[] = {"TALLY_COUNTERS", "TALLY_ONLY",    "TALLY_SKIP",
				      "TALLY_FLAT",     "TALLY_LINES",   "TALLY_BRANCHES",
				      "TALLY_ROAD",     "TALLY_BARE",    "TALLY_CALLS",
				      "TALLY_ORDER",    "TALLY_WITHOUT", "TALLY_WEIGHTS"};
enum { NSETTING = sizeof setting / sizeof *setting };

/* stamp - of this very tally and of everything that changes what it makes: ccache takes
 * the name of the folder for part of what an object depends on. */
static uint32_t
stamp(const char *self, Arena *run)
{
	const char *weights = getenv("TALLY_WEIGHTS"), *dir = getenv("TALLY_BUILD_DIR");
	uint64_t h = 0xcbf29ce484222325;
	struct stat st;
	size_t len;
	int i;

	if (stat(self, &st) != 0)
		syserr("stat %s", self);
	h = mix(h, self, strlen(self));
	h = mix(h, &st.st_size, sizeof st.st_size);
	h = mix(h, &st.st_mtim, sizeof st.st_mtim);
	h = mix(h, dir ? dir : "", dir ? strlen(dir) : 0);
	for (i = 0; i < NSETTING; i++) {
		const char *value = getenv(setting[i]);

		if (strcmp(setting[i], "TALLY_WEIGHTS") == 0)
			continue;
		h = mix(h, setting[i], strlen(setting[i]));
		h = mix(h, value ? value : "", value ? strlen(value) + 1 : 0);
	}
	if (weights) {
		const char *data = readfile(run, weights, &len);

		h = mix(h, data, len);
	}
	return (uint32_t)(h ^ h >> 32);
}

/* helpers - a folder with our stand-ins for parts of compilers; ours alone, since
 * whoever can write there can run code as us. */
static char *
helpers(Arena *run)
{
	static const char *const name[] = {"as", "cc1", "cc1plus", "f951", "gnat1", "ld.gold"};
	const char *tmp = getenv("TMPDIR");
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	Buf dir = {.arena = run};
	struct stat st;
	size_t i;

	if (n < 0)
		syserr("readlink /proc/self/exe");
	self[n] = 0;
	bprintf(&dir, "%s/tally-" VERSION "-%ld-%08x", tmp && *tmp ? tmp : "/tmp", (long)getuid(),
		stamp(self, run));
	if (mkdir(dir.s, 0700) != 0 && errno != EEXIST)
		syserr("mkdir %s", dir.s);
	if (lstat(dir.s, &st) != 0)
		syserr("stat %s", dir.s);
	if (!S_ISDIR(st.st_mode) || st.st_uid != getuid() || (st.st_mode & 022))
		err(dir.s, "belongs to somebody else, or others can write there: remove it");
	for (i = 0; i < sizeof name / sizeof *name; i++) {
		Buf link = {.arena = run}, new = {.arena = run};

		bprintf(&link, "%s/%s", dir.s, name[i]);
		bprintf(&new, "%s.%ld", link.s, (long)getpid());
		if (symlink(self, new.s) != 0 || rename(new.s, link.s) != 0)
			syserr("link %s", link.s);
	}
	return dir.s;
}

/* pascal - have Free Pascal call an assembler, which it does not by itself: a configuration that
 * says so and includes the usual one. */
static void
pascal(const char *dir, Arena *run)
{
	const char *old = getenv("PPC_CONFIG_PATH");
	Buf path = {.arena = run}, new = {.arena = run}, own = {.arena = run};
	FILE *f;

	if (old && strcmp(old, dir) == 0)
		return;
	if (old)
		bprintf(&own, "%s/fpc.cfg", old);
	else
		bprintf(&own, "/etc/fpc.cfg");
	bprintf(&path, "%s/fpc.cfg", dir);
	bprintf(&new, "%s.%ld", path.s, (long)getpid());
	f = fopen(new.s, "w");
	if (!f)
		syserr("open %s", new.s);
	fprintf(f, "%s%s\n-Aas\n-g\n", access(own.s, R_OK) == 0 ? "#INCLUDE " : "# no ", own.s);
	if (fclose(f) != 0 || rename(new.s, path.s) != 0)
		syserr("write %s", path.s);
	setenv("PPC_CONFIG_PATH", dir, 1);
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

/* tempfile - a new file, empty. */
static char *
tempfile(Arena *run)
{
	const char *tmp = getenv("TMPDIR");
	Buf path = {.arena = run};
	int fd;

	bprintf(&path, "%s/tallyXXXXXX", tmp && *tmp ? tmp : "/tmp");
	fd = mkstemp(path.s);
	if (fd < 0)
		syserr("open %s", path.s);
	close(fd);
	return path.s;
}

/* leaveweights - what an earlier run counted, for the assembler's wrapper; returns the
 * file. */
static char *
leaveweights(char *profile, Arena *run)
{
	char *path = tempfile(run);
	FILE *f = fopen(path, "wb");
	Module *m;
	int n;

	if (!f)
		syserr("open %s", path);
	m = readinput(&profile, 1, &n, run);
	if (!writeweights(f, m, n, run))
		fprintf(stderr, "tally: %s: no counts in it: weights are guessed\n", profile);
	if (fclose(f) != 0)
		syserr("write %s", path);
	setenv("TALLY_WEIGHTS", path, 1);
	return path;
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

/* standin - have compilers call us where they would call their parts. */
static void
standin(Arena *run)
{
	const char *old = getenv("PATH"), *outer = getenv("COMPILER_PATH");
	Buf path = {.arena = run};
	char *folder = helpers(run);

	if (old && outer && strncmp(old, outer, strlen(outer)) == 0 && old[strlen(outer)] == ':')
		old += strlen(outer) + 1; /* of a build around this one */
	setenv("COMPILER_PATH", folder, 1);
	pascal(folder, run);
	bprintf(&path, "%s:%s", folder, old ? old : "/usr/bin:/bin");
	setenv("PATH", path.s, 1); /* for those who call an assembler by name */
	setenv("CCC_OVERRIDE_OPTIONS",
	       "# ^-gline-tables-only ^-Qunused-arguments +-fno-integrated-as", 1);
}

int
cmdbuild(int argc, char **argv)
{
	Arena run = {0};
	Buf out = {.arena = &run};
	char cwd[4096], *weights = NULL, *log;
	Wishes w;
	int i, status;

	for (i = 0; i < NSETTING; i++)
		unsetenv(setting[i]); /* of a build around this one */
	setenv("TALLY_LINES", "source", 1);
	w = options(argc, argv, &run);
	if (!getcwd(cwd, sizeof cwd))
		syserr("getcwd");
	bprintf(&out, "%s/tally.out", cwd);
	setenv("TALLY_BUILD_DIR", out.s, 1);
	if (w.weights)
		weights = leaveweights(w.weights, &run);
	standin(&run);
	log = tempfile(&run);
	setenv("TALLY_LOG", log, 1);
	status = runwith(argv + optind, NULL, 0, NULL);
	if (weights)
		unlink(weights);
	if (!w.quiet && status >= 0)
		readlog(log, w.say, &run);
	unlink(log);
	if (status < 0)
		syserr("%s", argv[optind]);
	areset(&run);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
