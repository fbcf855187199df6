/* as.c - tally in the place of the assembler: count what goes by.
 *
 * Whatever cannot be counted is given to the real assembler as it came. */

#include "standin.h"

#include "guest/guest.h"
#include "road/asm/asm.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The assembler's command line. */
struct Call {
	char **argv;
	int argc;
	char *input;     /* NULL: standard input */
	char *output;    /* a.out if nothing is said */
	const char *odd; /* an option with which we leave it alone; NULL */
	bool asks;       /* nothing is to be assembled */
	bool debug;      /* asks for a line table of the text */
	char **opts;     /* without input and output; room for three more */
	int nopt;
	Clang *clang; /* who calls us; NULL if another does */
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
		if (strncmp(a, "-o", 2) == 0 && a[2]) {
			c->output = a + 2;
			continue;
		}
		if (a[0] == '@') { /* more options are in a file */
			c->asks = true; /* the real one reads it */
			continue;
		}
		if (strcmp(a, "--") == 0 || strcmp(a, "-") == 0)
			continue;
		if (a[0] != '-') {
			if (c->input)
				c->odd = a;
			c->input = a;
			continue;
		}
		c->asks |= strcmp(a, "--version") == 0 || strcmp(a, "--help") == 0
			   || strcmp(a, "--target-help") == 0;
		if (strcmp(a, "--32") == 0 || strcmp(a, "--x32") == 0 || strncmp(a, "-a", 2) == 0
		    || strcmp(a, "-v") == 0)
			c->odd = a;
		c->debug |= strncmp(a, "-g", 2) == 0 || strncmp(a, "--g", 3) == 0;
		c->opts[c->nopt++] = a;
		for (k = 0; takes[k]; k++)
			if (strcmp(a, takes[k]) == 0 && i + 1 < c->argc)
				c->opts[c->nopt++] = c->argv[++i];
	}
}

/* driver - the options of the compiler that calls the assembler, each between NULs:
 * gcc leaves them in the environment, of clang there is the command line. */
static char *
driver(Arena *run, size_t *len)
{
	const char *opts = getenv("COLLECT_GCC_OPTIONS");
	Buf path = {.arena = run};
	char *s;
	bool quoted = false;
	size_t i, n = 0;

	if (!opts) {
		bprintf(&path, "/proc/%d/cmdline", (int)getppid());
		return access(path.s, R_OK) == 0 ? readfile(run, path.s, len) : NULL;
	}
	s = anew(run, char, strlen(opts) + 1); /* 'a' 'b' 'it'\''s' */
	for (i = 0; opts[i]; i++) {
		if (opts[i] == '\'')
			quoted = !quoted;
		else if (opts[i] == '\\' && opts[i + 1] && !quoted)
			s[n++] = opts[++i];
		else
			s[n++] = opts[i] == ' ' && !quoted ? 0 : opts[i];
	}
	*len = n;
	return s;
}

/* askdriver - whether line tables were asked for, and of what kind, and optimisation. */
static void
askdriver(Order *how, Unit *u)
{
	size_t len = 0, i;
	char *opts = driver(u->run, &len);

	how->keeplines = !opts;
	how->plain = opts != NULL;
	for (i = 0; opts && i < len; i += strlen(opts + i) + 1) {
		const char *o = after(opts + i, "-O");

		how->keeplines |= asksdebug(opts + i);
		if (after(opts + i, "-gno-statement-frontiers"))
			u->nofrontiers = true;
		else if (after(opts + i, "-gstatement-frontiers"))
			u->nofrontiers = false;
		if (o)
			how->plain = *o == '0' || *o == '-'; /* the latter is Free Pascal's */
		if (after(opts + i, "-mcmodel="))
			how->faraway = !after(opts + i, "-mcmodel=small")
				       && !(how->bare && after(opts + i, "-mcmodel=kernel"));
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
	char **without;
	int i, k, n;

	how->scheme = EDGES;
	how->calls = getenv("TALLY_CALLS") != NULL;
	how->check = counters && strcmp(counters, "check") == 0;
	for (i = 0; counters && i < NSCHEME; i++)
		if (strcmp(counters, schemename[i]) == 0)
			how->scheme = (Scheme)i;
	how->flat = getenv("TALLY_FLAT") != NULL;
	how->firsts = getenv("TALLY_ORDER") != NULL;
	how->bare = getenv("TALLY_BARE") != NULL;
	how->only = list("TALLY_ONLY", &how->nonly, run);
	how->skip = list("TALLY_SKIP", &how->nskip, run);
	without = list("TALLY_WITHOUT", &n, run);
	for (k = 0; k < n; k++)
		for (i = 0; i < NWAY; i++)
			how->without[i] |= strcmp(without[k], wayname[i]) == 0;
	if (weights)
		how->weights = readweights(weights, run);
}

/* realas - the assembler that would have been called. */
static char *
realas(Arena *run)
{
	return getenv("COLLECT_GCC_OPTIONS") ? gccpart("as", run) : realtool("as", run);
}

/* withoutfiles - the real assembler's command line, without input and output. */
static char **
withoutfiles(const Call *c, char *as, Arena *run)
{
	char **a = anew(run, char *, c->nopt + 1);

	memcpy(a, c->opts, (size_t)c->nopt * sizeof *a);
	a[0] = as;
	return a;
}

/* count - the text with counters, in out; why it stays as it is, or NULL. */
static const char *
count(Unit *u, const Call *c, char *as, Buf *out)
{
	Order how = {.as = withoutfiles(c, as, u->run)};
	const char *why;

	askbuild(&how, u->run);
	askdriver(&how, u);
	how.marklines = c->debug;
	how.place = how.bare ? NULL : PLACE;
	if (istrial(mainfile(u)))
		return "a trial of a configuration";
	if (!u->odd && how.faraway)
		return "a code model that is not small";
	why = countunit(u, &how, out);
	if (!why && !how.bare)
		putruntime(out, builddir(), isroadc());
	return why;
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* note - in the log what became of the file. */
static void
note(Unit *u, const char *why, double took)
{
	Buf b = {.arena = u->run};
	const char *file = mainfile(u);
	int f;

	if (why) {
		bprintf(&b, "%s\t%s\t%s\n", u->empty ? "empty" : "passed", file, why);
	} else {
		bprintf(&b, "counted\t%s\t%d\t%.0f\n", file, u->nfunc, took);
		for (f = 0; f < u->nfunc; f++)
			if (u->func[f].odd)
				bprintf(&b, "function\t%s\t%s\t%s\n", file, u->func[f].name,
					u->func[f].odd);
	}
	writelog(&b);
}

/* isusers - whether the text is the user's, not a compiler's: clang would not let an assembler speak about that. */
static bool
isusers(const Call *c)
{
	int i;

	for (i = 1; c->clang && c->input && i < c->clang->argc; i++)
		if (strcmp(c->clang->argv[i], c->input) == 0)
			return true;
	return !c->clang;
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
	a[n] = c->input;
	runwith(a, c->input ? NULL : text, len, NULL);
}

/* again - clang compiles in one go: have it compile the source once more, marked; or look at it at least,
 * if it is to be optimised. */
static void
again(Unit *u, const Call *c)
{
	const char *why = NULL, *lines = getenv("TALLY_LINES"), *end, *s;
	Unit marked = {.run = u->run, .dir = u->dir};
	Buf b = {.arena = u->run};
	Order how = {0};
	size_t len;
	char *text;
	bool item;

	if (!lines || !c->clang || u->nmark || istrial(mainfile(u)))
		return;
	if (strcmp(lines, "tables") == 0) {
		askdriver(&how, u);
		if (how.plain)
			return;
		reshape(c->clang, mainfile(u), c->input, &b);
		for (s = b.s; s && s < b.s + b.n; s = end + 1) {
			end = strchr(s, '\n');
			isremark(u, s, end, &item);
		}
		return;
	}
	text = recompile(c->clang, mainfile(u), c->input, &len, &why);
	if (text) {
		split(&marked, c->input ? c->input : "-", text, len);
		*u = marked;
	} else if (why) {
		bprintf(&b, "tables\t%s\t%s\n", mainfile(u), why);
		writelog(&b);
	}
}

/* pass - make the object as it would be without us; the wait status.  clang would not have called an assembler, and
 * another one may not take what it takes. */
static int
pass(Unit *u, const Call *c, char *as, const char *text, size_t len)
{
	Buf words = {.arena = u->run};
	bool cheap = u->empty || istrial(mainfile(u)); /* that makes no difference then */
	int status = -1;

	c->argv[0] = as;
	if (c->clang && !cheap)
		status = plainly(c->clang, mainfile(u), c->input, c->output);
	if (status == -1)
		status = runfor(c->argv, c->input ? NULL : text, len, NULL,
				c->clang ? &words : NULL);
	if (status != 0 && c->clang && cheap) {
		int other = plainly(c->clang, mainfile(u), c->input, c->output);

		if (other != -1)
			return other;
	}
	if (words.n)
		fwrite(words.s, 1, words.n, stderr);
	return status;
}

/* leave - the assembly alone: the counters are in the C text that it comes from. */
static int
leave(Unit *u, const Call *c, char *as, const char *text, size_t len)
{
	char **a = anew(u->run, char *, c->nopt + 4), *marked = NULL;
	const char *why = NULL;
	int n, status;

	if (c->clang && !istrial(mainfile(u)))
		marked = recompile(c->clang, mainfile(u), c->input, &len, &why);
	for (n = 0; n < c->nopt; n++)
		a[n] = c->opts[n];
	a[0] = as;
	a[n++] = "-o";
	a[n] = c->output;
	status = runwith(a, marked ? marked : text, len, NULL);
	u->empty = !hascode(u);
	if (c->clang && status == 0)
		bringhome(c->clang, mainfile(u), c->input, c->output);
	if (status == 0 && !memmem(marked ? marked : text, len, "__tally_c_", 10))
		note(u, why ? why : "not C", 0);
	return endas(status);
}

/* shellwords - those of a line of gcc -###, as a call; it quotes only what needs it. */
static void
shellwords(Call *c, const char *s, Arena *run)
{
	size_t cap = 0;

	while (*s == ' ')
		s++;
	while (*s && *s != '\n') {
		Buf b = {.arena = run};
		bool quoted = *s == '"';

		bput(&b, "", 0);
		for (s += quoted; *s && (quoted ? *s != '"' : *s != ' ' && *s != '\n'); s++) {
			if (*s == '\\' && s[1])
				s++;
			bput(&b, s, 1);
		}
		s += quoted && *s == '"';
		apush(run, c->argv, c->argc + 1, cap);
		c->argv[c->argc++] = b.s;
		c->argv[c->argc] = NULL;
		while (*s == ' ')
			s++;
	}
}

/* foreignas - the assembler's command line if gcc is told to call another than us, by -B or specs; false if not. */
static bool
foreignas(Call *c, Arena *run)
{
	size_t len = 0, i;
	char *opts = getenv("COLLECT_GCC_OPTIONS") ? driver(run, &len) : NULL, **a;
	Buf words = {.arena = run}, out = {.arena = run};
	struct stat self, st;
	bool odd = false;
	char *line;
	int n = 0;

	a = anew(run, char *, len + 6);
	a[n++] = getenv("COLLECT_GCC") ? getenv("COLLECT_GCC") : "gcc";
	for (i = 0; opts && i < len; i += strlen(opts + i) + 1) {
		odd |= after(opts + i, "-B") || after(opts + i, "-specs")
		       || after(opts + i, "--specs");
		a[n++] = opts + i;
	}
	a[n++] = "-###";
	a[n++] = "-x";
	a[n++] = "assembler";
	a[n++] = "/dev/null";
	if (!odd || runfor(a, NULL, 0, &out, &words) != 0)
		return false;
	line = strstr(words.s, "\n ");
	if (line)
		shellwords(c, line + 1, run);
	return c->argc > 1 && stat("/proc/self/exe", &self) == 0 && stat(c->argv[0], &st) == 0
	       && (st.st_ino != self.st_ino || st.st_dev != self.st_dev);
}

Call *
otheras(Arena *run)
{
	Call *c = anew(run, Call, 1);

	if (!foreignas(c, run))
		return NULL;
	readcall(c, run);
	c->input = NULL;
	c->output = "/dev/null";
	return c;
}

/* isforlto - whether it is for the linker to compile, and no assembler of ours will see what comes of that. */
static bool
isforlto(const Unit *u)
{
	return hassection(u, ".gnu.lto_");
}

void
countfile(const Call *c, const char *path, Arena *run)
{
	Unit u = {.run = run};
	Buf out = {.arena = run}, reason = {.arena = run};
	char **a = anew(run, char *, c->nopt + 4), cwd[4096], *text;
	const char *why;
	double began = now();
	size_t len;
	FILE *f;
	bool said;
	int n;

	text = readfile(run, path, &len);
	u.dir = getcwd(cwd, sizeof cwd);
	split(&u, path, text, len);
	bprintf(&reason, "it is for %s, which -B or -specs names", c->argv[0]);
	why = c->odd ? reason.s : count(&u, c, c->argv[0], &out);
	if (isforlto(&u)) {
		u.empty = false;
		why = reason.s;
	}
	for (n = 0; n < c->nopt; n++)
		a[n] = c->opts[n];
	a[n++] = "-o";
	a[n] = c->output;
	if (!why && runwith(a, out.s, out.n, &said) != 0)
		why = "the assembler does not take it with counters";
	if (!why) {
		f = fopen(path, "w");
		if (!f || fwrite(out.s, 1, out.n, f) != out.n || fclose(f) != 0)
			syserr("write %s", path);
	}
	note(&u, why, now() - began);
}

/* otherwise - why nothing of this is counted, whatever the text is; NULL if it may be. */
static const char *
otherwise(const Call *c, int distance, Arena *run)
{
	const char *machine = NULL;
	Buf b = {.arena = run};
	int i;

	if (c->clang)
		machine = target(c->clang);
	else if (getenv("COLLECT_GCC_OPTIONS")) {
		for (i = 1; i < c->argc && strcmp(c->argv[i], "--64") != 0; i++)
			;
		if (i == c->argc)
			machine = gccmachine(run);
	}
	if (machine && !iscountable(machine))
		bprintf(&b, "code for another machine, %s", machine);
	else if (c->odd)
		bprintf(&b, "%s for the assembler", c->odd);
	else if (distance > 1)
		bprintf(&b, "something has cleared the environment of its compiler");
	return b.s;
}

int
cmdas(int argc, char **argv)
{
	Arena run = {0};
	Call c = {.argc = argc, .argv = argv};
	Unit u = {.run = &run};
	Buf out = {.arena = &run};
	int distance = inbuild(&run), status = -1;
	Clang clang;
	char *as = realas(&run), *text, cwd[4096];
	const char *why;
	double began = now(), ready;
	size_t len;
	bool said;

	readcall(&c, &run);
	if (c.asks || distance < 0) {
		argv[0] = as;
		execv(as, argv);
		syserr("exec %s", as);
	}
	if (openclang(&clang, &run))
		c.clang = &clang;
	text = readfile(&run, c.input ? c.input : "-", &len);
	u.dir = getcwd(cwd, sizeof cwd);
	split(&u, c.input ? c.input : "-", text, len);
	why = otherwise(&c, distance, &run);
	if (!why && isroadc()) {
		status = leave(&u, &c, as, text, len);
		areset(&run);
		return status;
	}
	if (!why) {
		again(&u, &c);
		why = count(&u, &c, as, &out);
	}
	if (!why) {
		char **a = anew(&run, char *, c.nopt + 4);
		int n;

		for (n = 0; n < c.nopt; n++)
			a[n] = c.opts[n];
		a[0] = as;
		a[n++] = "-o";
		a[n] = c.output;
		ready = now();
		status = runwith(a, out.s, out.n, &said);
		if (status == 0 && said && isusers(&c))
			repeat(&c, as, text, len, &run);
		if (status == 0)
			note(&u, NULL, ready - began);
		else
			why = "the assembler does not take it with counters";
	}
	if (why) {
		status = pass(&u, &c, as, text, len);
		if (status < 0)
			syserr("exec %s", as);
		if (status == 0)
			note(&u, why, 0);
	}
	if (c.clang && status == 0)
		bringhome(c.clang, mainfile(&u), c.input, c.output);
	areset(&run);
	return endas(status);
}
