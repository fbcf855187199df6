/* cc1.c - tally in the place of a compiler proper: ask for line tables, and mark C.
 *
 * With --lines=source a C text is preprocessed, marked (road/c) and compiled.  Whatever there is to say about it is
 * said by the compiler about the text as it is: if it has a word to say about the marked one,
 * it compiles the other, too, and that decides.  What cannot be marked is compiled as
 * it came.  With --lines=tables that is done with all, and of optimised C we say what it looks like. */

#include "cmd.h"

#include "road/c/c.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

bool
istrial(const char *path)
{
	static char *const glob[] = {"conftest.*", "*/CMakeTmp/*", "*/CMakeScratch/*",
				     "*/CompilerId*/*", "*/meson-private/*"};

	return matchespath(glob, sizeof glob / sizeof *glob, path);
}

bool
isroadc(void)
{
	const char *road = getenv("TALLY_ROAD");

	return road && strcmp(road, "c") == 0;
}

/* absolute - a path from here. */
static char *
absolute(char *path, Arena *run)
{
	char cwd[4096];
	Buf b = {.arena = run};

	if (path[0] == '/' || path[0] == '<' || !getcwd(cwd, sizeof cwd))
		return path;
	bprintf(&b, "%s/%s", cwd, path);
	return b.s;
}

/* readsource - parse a text; why that cannot be done, or NULL. */
static const char *
readsource(Source *s, const char *path, const char *text, size_t len, const char *std)
{
	Dialect d = {2017, true};
	int i;

	if (std && !dialect(&d, std))
		return "a language of which we do not know";
	if (!parse(s, path, text, len, &d))
		return s->error;
	for (i = 0; i < s->nfile; i++)
		if (strchr(s->file[i], '\n'))
			return "the name of a file has several lines"; /* and would end a comment */
	return NULL;
}

const char *
marksource(const char *path, const char *text, size_t len, const char *std, Buf *out)
{
	Source s = {.run = out->arena};
	const char *why = readsource(&s, path, text, len, std);
	int i;

	if (why)
		return why;
	for (i = 0; isroadc() && i < s.nfile; i++)
		s.file[i] = absolute(s.file[i], out->arena);
	placeblocks(&s, getenv("TALLY_BRANCHES") ? BRANCHES : LINES);
	writec(&s, isroadc() ? COUNTERS : MARKS, getenv("TALLY_FLAT") != NULL, out);
	if (isroadc() && s.nblock) {
		Buf text = {.arena = out->arena}, note = {.arena = out->arena};

		if (!getenv("TALLY_BARE"))
			putruntime(&text);
		bprintf(out, "__asm__(\"");
		cstring(out, text.s, text.n);
		bprintf(out, "\");\n");
		bprintf(&note, "counted\t%s\t%d\t0\n", path, s.nfn);
		writelog(&note);
	}
	if (!isroadc()) {
		placeblocks(&s, SHAPE);
		writeshape(&s, false, out);
	}
	return NULL;
}

/* shapesource - what the text looks like, for the assembly that is made of it; nothing if it is not
 * understood. */
static void
shapesource(const char *path, const char *text, size_t len, const char *std, Buf *out)
{
	Source s = {.run = out->arena};

	if (readsource(&s, path, text, len, std))
		return;
	placeblocks(&s, SHAPE);
	writeshape(&s, true, out);
}

static bool
oneof(const char *s, const char *const *list)
{
	for (; *list; list++)
		if (strcmp(s, *list) == 0)
			return true;
	return false;
}

/* takes - options whose argument is the next word: of cc1, and of clang as it is called. */
static bool
takes(const char *s)
{
	static const char *const list[] = {
		"-o",
		"-D",
		"-U",
		"-I",
		"-A",
		"-isystem",
		"-iquote",
		"-include",
		"-idirafter",
		"-imacros",
		"-iprefix",
		"-iwithprefix",
		"-isysroot",
		"-imultiarch",
		"-imultilib",
		"-iwithprefixbefore",
		"-MF",
		"-MT",
		"-MQ",
		"-dumpbase",
		"-dumpbase-ext",
		"-dumpdir",
		"-auxbase",
		"-auxbase-strip",
		"--param",
		"-aux-info",
		"-x",
		"-Xclang",
		"-mllvm",
		"-target",
		"--target",
		"-arch",
		"-L",
		"-l",
		"-T",
		"-u",
		"-z",
		"-Xlinker",
		"-Xassembler",
		"-Xpreprocessor",
		"-e",
		"-rpath",
		"--sysroot",
		"-B",
		"-F",
		NULL,
	};

	return oneof(s, list);
}

/* Options that only concern the preprocessor, alone and with an argument in the next word. */
static const char *const alone[] = {"-MD", "-MMD", "-M", "-MM", "-MG", "-MP", "-H", "-dD", NULL};
static const char *const pairs[] = {"-MF", "-MT", "-MQ", "-include", "-imacros", NULL};

typedef struct Compile Compile;

/* The compiler proper, as it is called. */
struct Compile {
	char **argv; /* with a NULL */
	int argc;
	char *input; /* NULL */
	char *output;
	char *std;   /* of -std=; NULL */
	bool C;      /* it is C, and is to be compiled */
	bool ready;  /* it is preprocessed */
	bool macros; /* debug information is to know of macros */
	Arena *run;
};

/* ismd - -MD and -MMD have an argument for cc1, though none for drivers. */
static bool
ismd(const char *s)
{
	return strcmp(s, "-MD") == 0 || strcmp(s, "-MMD") == 0;
}

/* readcompile - what is asked. */
static void
readcompile(Compile *c, const char *name)
{
	static const char *const others[] = {"-E", "-M", "-MM", "-fsyntax-only", "-fpch-preprocess",
					     NULL};
	int i;

	c->C = strcmp(name, "cc1") == 0;
	for (i = 1; i < c->argc; i++) {
		char *a = c->argv[i];

		if (oneof(a, others) || strncmp(a, "--output-pch", 12) == 0)
			c->C = false;
		else if (strcmp(a, "-fpreprocessed") == 0)
			c->ready = true;
		else if (strncmp(a, "-std=", 5) == 0)
			c->std = a + 5;
		else if (strcmp(a, "-ansi") == 0)
			c->std = "c89";
		else if (strncmp(a, "-g3", 3) == 0 || strncmp(a, "-ggdb3", 6) == 0)
			c->macros = true;
		else if (strcmp(a, "-o") == 0 && i + 1 < c->argc)
			c->output = c->argv[i + 1];
		else if (a[0] != '-' || !a[1])
			c->input = a;
		if (takes(a) || ismd(a))
			i++;
	}
	if (!c->input || strcmp(c->input, "-") == 0 || istrial(c->input))
		c->C = false;
}

/* preprocess - the text; false if that fails. */
static bool
preprocess(const Compile *c, Buf *text, bool *said)
{
	char **a = anew(c->run, char *, c->argc + 3);
	int i, n = 0;

	*said = false;
	if (c->ready) {
		size_t len;
		char *s = readfile(c->run, c->input, &len);

		bput(text, s, len);
		return true;
	}
	for (i = 0; i < c->argc; i++)
		if (strcmp(c->argv[i], "-o") == 0)
			i++;
		else
			a[n++] = c->argv[i];
	a[n++] = "-E";
	if (c->macros)
		a[n++] = "-dD";
	return runinto(a, NULL, 0, text, said) == 0;
}

/* compile - a preprocessed text, to a file. */
static bool
compile(const Compile *c, const Buf *text, char *to, bool *said)
{
	char **a = anew(c->run, char *, c->argc + 6);
	int i, n = 0;

	for (i = 0; i < c->argc; i++) {
		char *s = c->argv[i];

		if (oneof(s, pairs) || ismd(s) || strcmp(s, "-o") == 0)
			i++;
		else if (!oneof(s, alone) && s != c->input)
			a[n++] = strcmp(s, "-pedantic-errors") == 0 ? "-pedantic" : s;
		if (takes(s) && !oneof(s, pairs) && strcmp(s, "-o") != 0 && i + 1 < c->argc)
			a[n++] = c->argv[++i];
	}
	if (!c->ready)
		a[n++] = "-fpreprocessed";
	a[n++] = "-Wno-error";
	a[n++] = "-";
	a[n++] = "-o";
	a[n++] = to;
	return runwith(a, text->s, text->n, said) == 0;
}

/* asis - the compiler's words about the text as it is, and whether it takes it. */
static int
asis(const Compile *c)
{
	char **a = anew(c->run, char *, c->argc + 3);
	int i, n = 0, status;

	for (i = 0; i < c->argc; i++)
		if (strcmp(c->argv[i], "-o") == 0)
			i++;
		else
			a[n++] = c->argv[i];
	a[n++] = "-o";
	a[n++] = "/dev/null";
	status = runwith(a, NULL, 0, NULL);
	return endas(status);
}

/* pass - a file to standard output. */
static void
passon(const char *path, Arena *run)
{
	size_t len;
	char *s = readfile(run, path, &len);

	fwrite(s, 1, len, stdout);
	flushout();
}

/* marked - compile the text with marks; why not, or NULL and the status. */
static const char *
marked(const Compile *c, int *status)
{
	const char *why;
	Buf text = {.arena = c->run}, out = {.arena = c->run};
	bool said, more, pipe = !c->output || strcmp(c->output, "-") == 0;
	char *path;

	if (!preprocess(c, &text, &said))
		return ""; /* it will say why */
	why = marksource(c->input, text.s, text.n, c->std, &out);
	if (why)
		return why;
	path = pipe ? tempfile(c->run) : c->output;
	if (!path)
		return "no directory for temporary files";
	*status = 0;
	if (!compile(c, &out, path, &more))
		why = "the compiler does not take it with marks";
	else if (said || more)
		*status = asis(c);
	if (pipe && !why && *status == 0)
		passon(path, c->run);
	if (pipe || why || *status != 0)
		unlink(path);
	return why;
}

/* shaped - compile the text as it is, and say behind the assembly what it looks like; the status. */
static int
shaped(const Compile *c)
{
	bool said, pipe = !c->output || strcmp(c->output, "-") == 0;
	Buf text = {.arena = c->run}, out = {.arena = c->run};
	int status = runwith(c->argv, NULL, 0, NULL);
	FILE *f;

	if (status < 0)
		syserr("exec %s", c->argv[0]);
	if (status != 0)
		return endas(status);
	if (!preprocess(c, &text, &said))
		return 0;
	shapesource(c->input, text.s, text.n, c->std, &out);
	if (!out.n)
		return 0;
	f = pipe ? stdout : fopen(c->output, "a");
	if (!f || fwrite(out.s, 1, out.n, f) != out.n || fflush(f) != 0)
		syserr("write %s", pipe ? "the assembly" : c->output);
	if (!pipe)
		fclose(f);
	return 0;
}

/* realcc1 - the compiler proper in whose place we are. */
static char *
realcc1(const char *name, Arena *run)
{
	char *gcc = getenv("COLLECT_GCC"), *path;
	char *ask[] = {gcc ? gcc : "gcc", NULL, NULL};
	Buf which = {.arena = run};

	bprintf(&which, "-print-prog-name=%s", name);
	ask[1] = which.s;
	if (getenv("TALLY_OLD_COMPILER_PATH"))
		setenv("COMPILER_PATH", getenv("TALLY_OLD_COMPILER_PATH"), 1);
	else
		unsetenv("COMPILER_PATH"); /* or it would name us */
	path = capture(ask, NULL, run);
	path[strcspn(path, "\n")] = 0;
	return path;
}

int
cmdcc1(int argc, char **argv)
{
	Arena run = {0};
	Compile c = {.argc = argc, .run = &run};
	const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0], *why;
	const char *how = getenv("TALLY_LINES");
	bool lines = false, plain = true;
	int i, status;

	c.argv = anew(&run, char *, argc + 4);
	for (i = 0; i < argc; i++) {
		c.argv[i] = argv[i];
		lines |= asksdebug(argv[i]) || strcmp(argv[i], "-E") == 0;
		if (strncmp(argv[i], "-O", 2) == 0)
			plain = strcmp(argv[i], "-O0") == 0;
	}
	c.argv[0] = realcc1(name, &run);
	if (!lines) {
		c.argv[c.argc++] = "-g1";
		c.argv[c.argc++] = "-gstatement-frontiers";
		if (!plain) /* rows where inlined functions begin */
			c.argv[c.argc++] = "-ginline-points";
	}
	readcompile(&c, name);
	if (c.C && (isroadc() || (how && strcmp(how, "source") == 0))) {
		Buf b = {.arena = &run};

		why = marked(&c, &status);
		if (!why) {
			areset(&run);
			return status;
		}
		if (*why && !isroadc()) {
			bprintf(&b, "tables\t%s\t%s\n", c.input, why);
			writelog(&b);
		}
	}
	if (c.C && !plain && how && strcmp(how, "tables") == 0) {
		status = shaped(&c);
		areset(&run);
		return status;
	}
	execv(c.argv[0], c.argv);
	syserr("exec %s", c.argv[0]);
}

/* commandline - that of a process; its words, ended by NULL. */
static char **
commandline(long pid, int *n, Arena *run)
{
	Buf path = {.arena = run};
	char **v = NULL, *s;
	size_t len = 0, i, cap = 0;

	*n = 0;
	bprintf(&path, "/proc/%ld/cmdline", pid);
	if (access(path.s, R_OK) != 0)
		return NULL;
	s = readfile(run, path.s, &len);
	for (i = 0; i < len; i += strlen(s + i) + 1) {
		apush(run, v, *n, cap);
		v[(*n)++] = s + i;
	}
	return v;
}

/* isc - whether clang takes its input for C. */
static bool
isc(char **v, int n, const char *input)
{
	const char *dot = strrchr(input, '.'), *slash = strrchr(v[0], '/'), *as = NULL;
	int i;

	for (i = 1; i < n; i++)
		if (strncmp(v[i], "-x", 2) == 0)
			as = v[i][2] ? v[i] + 2 : i + 1 < n ? v[i + 1] : NULL;
	if (as)
		return strcmp(as, "c") == 0;
	return dot && (strcmp(dot, ".c") == 0 || strcmp(dot, ".i") == 0)
	       && !strstr(slash ? slash : v[0], "++");
}

typedef struct Clang Clang;

/* clang's command line, taken apart. */
struct Clang {
	char **expand;  /* the same to preprocess, and */
	char **compile; /* to compile what comes of that; both without input and output */
	int nexpand, ncompile;
	char *input; /* the one that the assembly was made of; NULL */
	char *std;
};

/* isnamed - whether a path ends with a name as it was given. */
static bool
isnamed(const char *path, const char *name)
{
	size_t l = strlen(name), m = strlen(path);

	return m >= l && strcmp(path + m - l, name) == 0 && (m == l || path[m - l - 1] == '/');
}

/* ismade - whether assembly may have been made of that C file: its name begins as the other's
 * does.  What has been preprocessed before may come from a source of any name. */
static bool
ismade(const char *input, const char *source, const char *assembly)
{
	const char *base = strrchr(input, '/') ? strrchr(input, '/') + 1 : input;
	const char *dot = strrchr(base, '.'), *made;
	size_t n = dot ? (size_t)(dot - base) : strlen(base);

	if (!isnamed(source, input) && !(dot && strcmp(dot, ".i") == 0 && assembly))
		return false;
	if (!assembly)
		return true;
	made = strrchr(assembly, '/') ? strrchr(assembly, '/') + 1 : assembly;
	return strncmp(made, base, n) == 0 && (made[n] == '-' || made[n] == '.');
}

static void
takeapart(Clang *c, char **v, int n, const char *source, const char *assembly, Arena *run)
{
	int i;

	c->expand = anew(run, char *, n + 16);
	c->compile = anew(run, char *, n + 16);
	c->expand[c->nexpand++] = c->compile[c->ncompile++] = v[0];
	for (i = 1; i < n; i++) {
		char *a = v[i];
		bool pair = takes(a) && i + 1 < n, both = !oneof(a, pairs);

		if (a[0] != '-' && isc(v, n, a) && ismade(a, source, assembly))
			c->input = a;
		if (strncmp(a, "-std=", 5) == 0)
			c->std = a + 5;
		else if (strcmp(a, "-ansi") == 0)
			c->std = "c89";
		i += pair;
		if (a[0] != '-' || strcmp(a, "-c") == 0 || strcmp(a, "-S") == 0
		    || strcmp(a, "-o") == 0 || strncmp(a, "-M", 2) == 0 || strncmp(a, "-x", 2) == 0
		    || strncmp(a, "-save-temps", 11) == 0 || strncmp(a, "-pedantic", 9) == 0)
			continue;
		c->expand[c->nexpand++] = a;
		if (both)
			c->compile[c->ncompile++] = a;
		if (pair)
			c->expand[c->nexpand++] = v[i];
		if (pair && both)
			c->compile[c->ncompile++] = v[i];
	}
}

/* expand - preprocess again what clang has made that assembly of; false, and perhaps why. */
static bool
expand(Clang *c, const char *source, const char *input, Buf *text, const char **why)
{
	char **v;
	int n;
	bool said;

	v = commandline(getppid(), &n, text->arena);
	if (n < 2 || !strstr(v[0], "clang"))
		return false;
	takeapart(c, v, n, source, input, text->arena);
	if (!c->input)
		return false;
	c->expand[c->nexpand++] = "-E";
	c->expand[c->nexpand++] = "-x";
	c->expand[c->nexpand++] = "c";
	c->expand[c->nexpand++] = c->input;
	if (runinto(c->expand, NULL, 0, text, &said) == 0)
		return true;
	*why = "it cannot be preprocessed again";
	return false;
}

char *
recompile(const char *source, const char *input, size_t *len, const char **why, Arena *run)
{
	Buf text = {.arena = run}, marks = {.arena = run}, code = {.arena = run};
	Clang c = {0};
	int status, i;
	bool said;

	if (!expand(&c, source, input, &text, why))
		return NULL;
	*why = marksource(c.input, text.s, text.n, c.std, &marks);
	if (*why)
		return NULL;
	{
		char *last[] = {"-S",         "-Xclang", "-main-file-name",
				"-Xclang",    c.input,   "-x",
				"cpp-output", "-w",      "-o",
				"-",          "-",       NULL};

		for (i = 0; last[i]; i++)
			c.compile[c.ncompile++] = last[i];
	}
	status = runinto(c.compile, marks.s, marks.n, &code, &said);
	if (status != 0) {
		*why = "the compiler does not take it with marks";
		return NULL;
	}
	*len = code.n;
	return code.s;
}

void
reshape(const char *source, const char *input, Buf *out)
{
	Buf text = {.arena = out->arena};
	const char *why;
	Clang c = {0};

	if (expand(&c, source, input, &text, &why))
		shapesource(c.input, text.s, text.n, c.std, out);
}
