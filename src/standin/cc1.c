/* cc1.c - tally in the place of a compiler proper: ask for line tables, and mark C.
 *
 * With --lines=source a C text is preprocessed, marked (road/c) and compiled.  Whatever there is to say about it is
 * said by the compiler about the text as it is: if it has a word to say about the marked one,
 * it compiles the other, too, and that decides.  What cannot be marked is compiled as
 * it came.  With --lines=tables that is done with all, and of optimised C we say what it looks like. */

#include "standin.h"

#include "guest/guest.h"
#include "road/c/c.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

		if (!getenv("TALLY_BARE")) {
			counterpages(&text);
			putruntime(&text, builddir(), true);
		}
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

void
shapesource(const char *path, const char *text, size_t len, const char *std, Buf *out)
{
	Source s = {.run = out->arena};

	if (readsource(&s, path, text, len, std))
		return;
	placeblocks(&s, SHAPE);
	writeshape(&s, true, out);
}

bool
includesfiles(const Buf *text)
{
	const char *s = text->s, *end = s + text->n, *eol;
	Table seen = {.arena = text->arena};

	for (; s < end; s = eol + 1) {
		Buf name = {.arena = text->arena};

		eol = memchr(s, '\n', (size_t)(end - s));
		eol = eol ? eol : end;
		if (s[0] != '#' || eol - s < 5 || s[1] != ' ')
			continue;
		s = memchr(s, '"', (size_t)(eol - s));
		if (!s || !bunquote(&name, s + 1, eol) || lookup(&seen, name.s, name.n))
			continue;
		intern(&seen, name.s, name.n, 0);
		if (access(name.s, F_OK) == 0 && !rereadable(name.s))
			return false;
	}
	return true;
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
	char *std;    /* of -std=; NULL */
	bool C;       /* it is C, and is to be compiled */
	bool ready;   /* it is preprocessed */
	bool macros;  /* debug information is to know of macros */
	bool text;    /* what comes of it is assembly */
	bool once;    /* what it reads may not be there a second time */
	Buf expanded; /* the input, preprocessed */
	Call *as;     /* the assembler to which that goes, if it is not ours; NULL */
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

	c->text = true;
	for (i = 1; i < c->argc; i++) {
		char *a = c->argv[i];

		if (oneof(a, others) || strncmp(a, "--output-pch", 12) == 0)
			c->text = false;
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
		if ((strcmp(a, "-include") == 0 || strcmp(a, "-imacros") == 0) && i + 1 < c->argc)
			c->once |= access(c->argv[i + 1], F_OK) == 0 && !rereadable(c->argv[i + 1]);
		if (takes(a) || ismd(a))
			i++;
	}
	c->C = c->text && strcmp(name, "cc1") == 0;
	if (!c->input || strcmp(c->input, "-") == 0 || istrial(c->input))
		c->C = false;
	else
		c->once |= !rereadable(c->input);
}

/* preprocess - the text, and whether something was said, which is not shown if it can be said again; the wait
 * status. */
static int
preprocess(Compile *c, bool *said)
{
	char **a = anew(c->run, char *, c->argc + 3);
	int i, n = 0, status;

	*said = false;
	c->expanded = (Buf){.arena = c->run};
	if (c->ready) {
		size_t len;
		char *s = readfile(c->run, c->input, &len);

		bput(&c->expanded, s, len);
		return 0;
	}
	for (i = 0; i < c->argc; i++)
		if (strcmp(c->argv[i], "-o") == 0)
			i++;
		else
			a[n++] = c->argv[i];
	a[n++] = "-E";
	if (c->macros)
		a[n++] = "-dD";
	status = runinto(a, NULL, 0, &c->expanded, c->once ? NULL : said);
	c->once |= !includesfiles(&c->expanded);
	return status;
}

/* compile - a preprocessed text, to a file; the wait status.  With said it has marks, and nobody is to hear of
 * them. */
static int
compile(const Compile *c, const Buf *text, char *to, bool *said)
{
	char **a = anew(c->run, char *, c->argc + 6);
	int i, n = 0;

	for (i = 0; i < c->argc; i++) {
		char *s = c->argv[i];

		if (oneof(s, pairs) || ismd(s) || strcmp(s, "-o") == 0)
			i++;
		else if (!oneof(s, alone) && s != c->input)
			a[n++] = said && strcmp(s, "-pedantic-errors") == 0 ? "-pedantic" : s;
		if (takes(s) && !oneof(s, pairs) && strcmp(s, "-o") != 0 && i + 1 < c->argc)
			a[n++] = c->argv[++i];
	}
	if (!c->ready)
		a[n++] = "-fpreprocessed";
	if (said)
		a[n++] = "-Wno-error";
	a[n++] = "-";
	a[n++] = "-o";
	a[n++] = to;
	return runwith(a, text->s, text->n, said);
}

/* asis - compile what there is without marks, to a file, and have the compiler say what it has to say; the wait
 * status. */
static int
asis(const Compile *c, char *to)
{
	char **a = anew(c->run, char *, c->argc + 3);
	int i, n = 0;

	if (c->once)
		return compile(c, &c->expanded, to, NULL);
	for (i = 0; i < c->argc; i++)
		if (strcmp(c->argv[i], "-o") == 0)
			i++;
		else
			a[n++] = c->argv[i];
	a[n++] = "-o";
	a[n++] = to;
	return runwith(a, NULL, 0, NULL);
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

/* withmarks - compile the text with marks to a file, and let the compiler speak of the unmarked one if it has something
 * to say; why not, or NULL and the wait status. */
static const char *
withmarks(const Compile *c, bool said, char *to, int *status)
{
	Buf out = {.arena = c->run};
	const char *why = marksource(c->input, c->expanded.s, c->expanded.n, c->std, &out);
	bool more;

	if (why)
		return why;
	if (compile(c, &out, to, &more) != 0)
		return "the compiler does not take it with marks";
	*status = said || more ? asis(c, "/dev/null") : 0;
	return NULL;
}

/* withshape - compile the text as it is to a file, and say after the assembly what it looks like; the wait status. */
static int
withshape(const Compile *c, char *to)
{
	Buf out = {.arena = c->run};
	int status = asis(c, to);
	FILE *f;

	if (status != 0)
		return status;
	shapesource(c->input, c->expanded.s, c->expanded.n, c->std, &out);
	f = out.n ? fopen(to, "a") : NULL;
	if (out.n && (!f || fwrite(out.s, 1, out.n, f) != out.n || fclose(f) != 0))
		syserr("write %s", to);
	return 0;
}

/* compilec - C, with marks or as it is, to a file; the wait status. */
static int
compilec(Compile *c, bool marks, char *to)
{
	const char *why = NULL;
	Buf b = {.arena = c->run};
	bool said;
	int status = preprocess(c, &said);

	if (status != 0)
		return c->once ? status : asis(c, to); /* says why */
	if (!marks)
		return withshape(c, to);
	why = withmarks(c, said, to, &status);
	if (!why)
		return status;
	status = asis(c, to);
	bprintf(&b, "tables\t%s\t%s\n", c->input, why);
	if (status == 0 && !isroadc())
		writelog(&b);
	return status;
}

/* How to compile. */
typedef enum How { MARKED, SHAPED, PLAIN } How;

/* produce - the assembly, where it is wanted; the wait status. */
static int
produce(Compile *c, How how)
{
	bool pipe = !c->output || strcmp(c->output, "-") == 0;
	char *to = pipe ? tempfile(c->run) : c->output;
	struct stat st;
	int status;

	if (!to)
		syserr("no directory for temporary files");
	status = how == PLAIN ? asis(c, to) : compilec(c, how == MARKED, to);
	if (c->as && status == 0)
		countfile(c->as, to, c->run);
	if (pipe && status == 0)
		passon(to, c->run);
	if (pipe || (status != 0 && lstat(to, &st) == 0 && S_ISREG(st.st_mode)))
		unlink(to);
	return status;
}

int
cmdcc1(int argc, char **argv)
{
	Arena run = {0};
	Compile c = {.argc = argc, .run = &run};
	const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];
	bool lines = false, plain = true, marks, counts = inbuild(&run) >= 0;
	const char *how = getenv("TALLY_LINES"), *machine;
	Call *other = counts ? otheras(&run) : NULL;
	How to = PLAIN;
	int i, status;

	c.argv = anew(&run, char *, argc + 4);
	for (i = 0; i < argc; i++) {
		c.argv[i] = argv[i];
		lines |= asksdebug(argv[i]) || strcmp(argv[i], "-E") == 0;
		if (strncmp(argv[i], "-O", 2) == 0)
			plain = strcmp(argv[i], "-O0") == 0;
	}
	c.argv[0] = gccpart(name, &run);
	machine = counts ? gccmachine(&run) : NULL;
	if (!counts || (machine && !iscountable(machine))) {
		execv(c.argv[0], c.argv);
		syserr("exec %s", c.argv[0]);
	}
	if (!lines) {
		c.argv[c.argc++] = "-g1";
		c.argv[c.argc++] = "-gstatement-frontiers";
		if (!plain) /* rows where inlined functions begin */
			c.argv[c.argc++] = "-ginline-points";
	}
	readcompile(&c, name);
	marks = isroadc() || (how && strcmp(how, "source") == 0);
	if (c.text && !isroadc() && !istrial(c.input ? c.input : "-"))
		c.as = other;
	if (c.C && (marks || (!plain && how && strcmp(how, "tables") == 0)))
		to = marks ? MARKED : SHAPED;
	if (to != PLAIN || c.as) {
		status = produce(&c, to);
		areset(&run);
		return endas(status);
	}
	execv(c.argv[0], c.argv);
	syserr("exec %s", c.argv[0]);
}
