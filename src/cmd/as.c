/* as.c - tally in the place of the assembler: count what goes by.
 *
 * Whatever cannot be counted is given to the real assembler as it came. */

#include "cmd.h"

#include "road/asm/asm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern const char runtimetext[];

typedef struct Call Call;

/* The assembler's command line. */
struct Call {
	char **argv;
	int argc;
	const char *input;  /* NULL: standard input */
	const char *output; /* a.out if nothing is said */
	bool odd;           /* something that we leave alone */
	bool debug;         /* asks for a line table of the text */
	char **opts;        /* without input and output; room for three more */
	int nopt;
};

static const char *
after(const char *s, const char *prefix)
{
	size_t n = strlen(prefix);

	return strncmp(s, prefix, n) == 0 ? s + n : NULL;
}

/* readcall - sort out the arguments. */
static void
readcall(Call *c, Arena *run)
{
	static const char *const takes[] = {"-I",   "--defsym", "--debug-prefix-map",
					    "--MD", "-MD",      NULL};
	int i, k;

	c->opts = anew(run, char *, c->argc + 4);
	c->output = "a.out";
	c->opts[c->nopt++] = c->argv[0];
	for (i = 1; i < c->argc; i++) {
		char *a = c->argv[i];

		if (strcmp(a, "-o") == 0 && i + 1 < c->argc) {
			c->output = c->argv[++i];
			continue;
		}
		if (strcmp(a, "--") == 0 || strcmp(a, "-") == 0)
			continue;
		if (a[0] != '-') {
			c->odd |= c->input != NULL;
			c->input = a;
			continue;
		}
		c->odd |= strcmp(a, "--32") == 0 || strcmp(a, "--x32") == 0
			  || strncmp(a, "-a", 2) == 0 || strcmp(a, "--version") == 0
			  || strcmp(a, "--help") == 0 || strcmp(a, "-v") == 0
			  || strcmp(a, "--target-help") == 0;
		c->debug |= strncmp(a, "-g", 2) == 0 || strncmp(a, "--g", 3) == 0;
		c->opts[c->nopt++] = a;
		for (k = 0; takes[k]; k++)
			if (strcmp(a, takes[k]) == 0 && i + 1 < c->argc)
				c->opts[c->nopt++] = c->argv[++i];
	}
}

/* realas - the assembler that would have been called: the first on PATH that is not
 * ourselves. */
static char *
realas(Arena *run, const char *self)
{
	const char *path = getenv("PATH"), *end;
	Buf b = {.arena = run};

	for (path = path ? path : "/usr/bin:/bin"; *path; path = *end ? end + 1 : end) {
		end = strchrnul(path, ':');
		b.n = 0;
		bprintf(&b, "%.*s/as", (int)(end - path), path);
		if (access(b.s, X_OK) == 0 && strcmp(b.s, self) != 0)
			return b.s;
	}
	return "/usr/bin/as";
}

/* driver - the options of the compiler that calls the assembler, each between NULs:
 * gcc leaves them in the environment, of clang there is the command line. */
static char *
driver(Arena *run, size_t *len)
{
	const char *opts = getenv("COLLECT_GCC_OPTIONS");
	Buf path = {.arena = run};
	char *s;
	size_t i, n = 0;

	if (!opts) {
		bprintf(&path, "/proc/%d/cmdline", (int)getppid());
		return access(path.s, R_OK) == 0 ? readfile(run, path.s, len) : NULL;
	}
	s = anew(run, char, strlen(opts) + 1); /* 'a' 'b' 'c' */
	for (i = 0; opts[i]; i++)
		if (opts[i] != '\'')
			s[n++] = opts[i] == ' ' ? 0 : opts[i];
	*len = n;
	return s;
}

/* askdriver - whether line tables were asked for, and optimisation. */
static void
askdriver(Order *how, Arena *run)
{
	size_t len = 0, i;
	char *opts = driver(run, &len);

	how->keeplines = !opts;
	how->plain = opts != NULL;
	for (i = 0; opts && i < len; i += strlen(opts + i) + 1) {
		const char *g = after(opts + i, "-g"), *o = after(opts + i, "-O");

		if (g && !after(g, "no-") && *g != '0')
			how->keeplines = true;
		if (o)
			how->plain = *o == '0';
		if (after(opts + i, "-mcmodel=") && !after(opts + i, "-mcmodel=small"))
			how->faraway = true;
	}
}

/* list - the lines of an environment variable, and how many. */
static char **
list(const char *name, int *n, Arena *run)
{
	const char *s = getenv(name), *end;
	char **v = NULL;
	size_t cap = 0;

	for (*n = 0; s && *s; s = *end ? end + 1 : end) {
		end = strchrnul(s, '\n');
		apush(run, v, *n, cap);
		v[(*n)++] = astrndup(run, s, (size_t)(end - s));
	}
	return v;
}

/* askbuild - what the options of tally build say; they come by the environment. */
static void
askbuild(Order *how, Arena *run)
{
	const char *counters = getenv("TALLY_COUNTERS"), *weights = getenv("TALLY_WEIGHTS");
	int i;

	how->scheme = EDGES;
	how->check = counters && strcmp(counters, "check") == 0;
	for (i = 0; counters && i < NSCHEME; i++)
		if (strcmp(counters, schemename[i]) == 0)
			how->scheme = (Scheme)i;
	how->only = list("TALLY_ONLY", &how->nonly, run);
	how->skip = list("TALLY_SKIP", &how->nskip, run);
	if (weights)
		how->weights = readweights(weights, run);
}

/* counted - the text with counters; false if it stays as it is. */
static bool
counted(const Call *c, char *as, const char *text, size_t len, Arena *run, Buf *out)
{
	Unit u = {.run = run};
	Order how = {0};
	const char *dir = getenv("TALLY_BUILD_DIR"), *tmp = getenv("TMPDIR");
	Buf object = {.arena = run};
	char **argv = anew(run, char *, c->nopt + 4), cwd[4096];
	int fd, i, n = 0;
	bool good;

	askbuild(&how, run);
	askdriver(&how, run);
	how.marklines = c->debug;
	u.dir = getcwd(cwd, sizeof cwd);
	split(&u, c->input ? c->input : "-", text, len);
	if (u.odd || how.faraway)
		return false;
	bprintf(&object, "%s/tallyXXXXXX", tmp && *tmp ? tmp : "/tmp");
	fd = mkstemp(object.s);
	if (fd < 0)
		return false;
	close(fd);
	argv[n++] = as;
	for (i = 1; i < c->nopt; i++)
		argv[n++] = c->opts[i];
	argv[n++] = "-o";
	argv[n++] = object.s;
	good = probe(&u, argv, object.s);
	unlink(object.s);
	if (!good)
		return false;
	scan(&u);
	plant(&u, &how, out);
	bput(out, runtimetext, strlen(runtimetext));
	bprintf(out, "\t.section\t.rodata.tally,\"aG\",@progbits,__tally_runtime_1,comdat\n"
		     ".Ltally_rt___tally_dir:\n");
	asciz(out, dir ? dir : "tally.out");
	return true;
}

/* repeat - the assembler's warnings, which speak of lines: let it see the text as it
 * came. */
static void
repeat(const Call *c, char *as, const char *text, size_t len, Arena *run)
{
	char **a = anew(run, char *, c->nopt + 4);
	int n;

	for (n = 0; n < c->nopt; n++)
		a[n] = c->opts[n];
	a[0] = as;
	a[n++] = "-o";
	a[n++] = "/dev/null";
	a[n] = (char *)c->input;
	runwith(a, c->input ? NULL : text, len, NULL);
}

int
cmdas(int argc, char **argv)
{
	Arena run = {0};
	Call c = {.argc = argc, .argv = argv};
	Buf out = {.arena = &run};
	char *as = realas(&run, argv[0]), *text;
	size_t len;
	int status;
	bool said;

	readcall(&c, &run);
	if (c.odd) {
		argv[0] = as;
		execv(as, argv);
		syserr("exec %s", as);
	}
	text = readfile(&run, c.input ? c.input : "-", &len);
	status = -1;
	if (counted(&c, as, text, len, &run, &out)) {
		char **a = anew(&run, char *, c.nopt + 4);
		int n;

		for (n = 0; n < c.nopt; n++)
			a[n] = c.opts[n];
		a[0] = as;
		a[n++] = "-o";
		a[n] = (char *)c.output;
		status = runwith(a, out.s, out.n, &said);
		if (status == 0 && said)
			repeat(&c, as, text, len, &run);
	}
	if (status != 0) {
		argv[0] = as;
		status = runwith(argv, c.input ? NULL : text, len, NULL);
		if (status < 0)
			syserr("exec %s", as);
	}
	areset(&run);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* cmdcc1 - in the place of the C compiler proper: ask for line tables if nobody did. */
int
cmdcc1(int argc, char **argv)
{
	Arena run = {0};
	char *gcc = getenv("COLLECT_GCC");
	char *ask[] = {gcc ? gcc : "gcc", "-print-prog-name=cc1", NULL};
	char **a = anew(&run, char *, argc + 3), *path;
	bool lines = false;
	int i;

	unsetenv("COMPILER_PATH"); /* or it would name us */
	path = capture(ask, &run);
	path[strcspn(path, "\n")] = 0;
	for (i = 0; i < argc; i++) {
		a[i] = argv[i];
		if (strcmp(argv[i], "-E") == 0
		    || (after(argv[i], "-g") && strcmp(argv[i], "-g0") != 0))
			lines = true;
	}
	a[0] = path;
	if (!lines) {
		a[argc] = "-g1";
		a[argc + 1] = "-gstatement-frontiers";
	}
	execv(path, a);
	syserr("exec %s, which %s calls its cc1", path, ask[0]);
}
