/* cc1.c - tally in the place of one of gcc's compilers proper: ask for line tables, and mark C.
 *
 * With --lines=source, C is preprocessed, marked (road/c; with --road=c it gets counters) and
 * compiled from that text.  The user must see only what the compiler says about the text as it is.
 * So the diagnostics of the marked text are not shown; if there are any, the unmarked text is
 * compiled, too, and its diagnostics and status count.  C that cannot be marked is compiled as it
 * came.
 *
 * With --lines=tables everything is; after the assembly of optimized C we append the shape of its
 * source (road/c/shape.c). */

#include "standin.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* takes - whether the argument of an option is the next word. */
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

	return isamong(s, list);
}

/* Options that concern only the preprocessor, without an argument, and with one in the next
 * word. */
static const char *const alone[] = {"-MD", "-MMD", "-M", "-MM", "-MG", "-MP", "-H", "-dD", NULL};
static const char *const pairs[] = {"-MF", "-MT", "-MQ", "-include", "-imacros", NULL};

typedef struct Compile Compile;

/* A call of a compiler proper. */
struct Compile {
	const Settings *settings;
	Argv argv;
	char *input; /* NULL if there is none */
	char *output;
	char *std;    /* of -std=; NULL if there is none */
	bool plain;   /* no optimization */
	bool C;       /* C, to be compiled */
	bool ready;   /* already preprocessed */
	bool macros;  /* macros are wanted in debug information */
	bool text;    /* the output is assembly */
	bool once;    /* what it reads may not be readable twice */
	Buf expanded; /* the input, preprocessed */
	Argv as; /* the assembler for the output, as it is called; empty if that is tally */
	Arena *run;
};

/* ismd - whether this is -MD or -MMD: for cc1 they have an argument, for drivers none. */
static bool
ismd(const char *s)
{
	return strcmp(s, "-MD") == 0 || strcmp(s, "-MMD") == 0;
}

/* readcompile - read the command line. */
static void
readcompile(Compile *c, const char *name)
{
	static const char *const others[] = {"-E", "-M", "-MM", "-fsyntax-only", "-fpch-preprocess",
					     NULL};
	int i;

	c->text = true;
	for (i = 1; i < c->argv.n; i++) {
		char *a = c->argv.v[i];

		if (isamong(a, others) || strncmp(a, "--output-pch", 12) == 0)
			c->text = false;
		else if (strcmp(a, "-fpreprocessed") == 0)
			c->ready = true;
		else if (strncmp(a, "-std=", 5) == 0)
			c->std = a + 5;
		else if (strcmp(a, "-ansi") == 0)
			c->std = "c89";
		else if (strncmp(a, "-g3", 3) == 0 || strncmp(a, "-ggdb3", 6) == 0)
			c->macros = true;
		else if (strcmp(a, "-o") == 0 && i + 1 < c->argv.n)
			c->output = c->argv.v[i + 1];
		else if (a[0] != '-' || !a[1])
			c->input = a;
		if ((strcmp(a, "-include") == 0 || strcmp(a, "-imacros") == 0) && i + 1 < c->argv.n)
			c->once |= access(c->argv.v[i + 1], F_OK) == 0
				   && !rereadable(c->argv.v[i + 1]);
		if (takes(a) || ismd(a))
			i++;
	}
	c->C = c->text && strcmp(name, "cc1") == 0;
	if (!c->input || strcmp(c->input, "-") == 0 || istrial(c->input))
		c->C = false;
	else
		c->once |= !rereadable(c->input);
}

/* withoutput - the command line with another output; with none if NULL. */
static Argv
withoutput(const Compile *c, const char *output)
{
	Argv a = {.arena = c->run};
	int i;

	for (i = 0; i < c->argv.n; i++)
		if (strcmp(c->argv.v[i], "-o") == 0)
			i++;
		else
			argput(&a, c->argv.v[i]);
	if (output) {
		argput(&a, "-o");
		argput(&a, output);
	}
	return a;
}

/* preprocess - the text, and whether there were diagnostics; they are shown only if they cannot be
 * repeated.  Returns the wait status. */
static int
preprocess(Compile *c, bool *said)
{
	Argv a;
	int status;

	*said = false;
	c->expanded = (Buf){.arena = c->run};
	if (c->ready) {
		size_t len;
		char *s = readfile(c->run, c->input, &len);

		bput(&c->expanded, s, len);
		return 0;
	}
	a = withoutput(c, NULL);
	argput(&a, "-E");
	if (c->macros)
		argput(&a, "-dD");
	status = runinto(a.v, NULL, 0, &c->expanded, c->once ? NULL : said);
	c->once |= !includesfiles(&c->expanded);
	return status;
}

/* compile - a preprocessed text, to a file; returns the wait status.  If `said' is not NULL, the
 * text has markers: diagnostics are not shown, and *said tells whether there were any. */
static int
compile(const Compile *c, const Buf *text, char *to, bool *said)
{
	Argv a = {.arena = c->run};
	int i;

	for (i = 0; i < c->argv.n; i++) {
		const char *s = c->argv.v[i];

		if (isamong(s, pairs) || ismd(s) || strcmp(s, "-o") == 0)
			i++;
		else if (!isamong(s, alone) && s != c->input)
			argput(&a, said && strcmp(s, "-pedantic-errors") == 0 ? "-pedantic" : s);
		if (takes(s) && !isamong(s, pairs) && strcmp(s, "-o") != 0 && i + 1 < c->argv.n)
			argput(&a, c->argv.v[++i]);
	}
	if (!c->ready)
		argput(&a, "-fpreprocessed");
	if (said)
		argput(&a, "-Wno-error");
	argput(&a, "-");
	argput(&a, "-o");
	argput(&a, to);
	return runwith(a.v, text->s, text->n, said);
}

/* asis - compile the unmarked text to a file, with all diagnostics; returns the wait status. */
static int
asis(const Compile *c, char *to)
{
	return c->once ? compile(c, &c->expanded, to, NULL)
		       : runwith(withoutput(c, to).v, NULL, 0, NULL);
}

/* passon - copy a file to standard output. */
static void
passon(const char *path, Arena *run)
{
	size_t len;
	char *s = readfile(run, path, &len);

	fwrite(s, 1, len, stdout);
	flushout();
}

/* withmarks - compile the text with markers to a file.  If there are diagnostics, compile the
 * unmarked text, too, to show its own.  Why it cannot be done, or NULL and the wait status. */
static const char *
withmarks(const Compile *c, bool said, char *to, int *status)
{
	Buf out = {.arena = c->run};
	const char *why =
		marksource(c->settings, c->input, c->expanded.s, c->expanded.n, c->std, &out);
	bool more;

	if (why)
		return why;
	if (compile(c, &out, to, &more) != 0)
		return "the compiler rejects it with markers";
	*status = said || more ? asis(c, "/dev/null") : 0;
	return NULL;
}

/* withshape - compile the unmarked text to a file, and append the shape of the source; returns the
 * wait status. */
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

/* compilec - compile C to a file, with markers or as it is; returns the wait status. */
static int
compilec(Compile *c, bool marks, char *to)
{
	const char *why = NULL;
	Buf b = {.arena = c->run};
	bool said;
	int status = preprocess(c, &said);

	if (status != 0)
		return c->once ? status : asis(c, to); /* repeats the diagnostics */
	if (!marks)
		return withshape(c, to);
	why = withmarks(c, said, to, &status);
	if (!why)
		return status;
	status = asis(c, to);
	bprintf(&b, "tables\t%s\t%s\n", c->input, why);
	if (status == 0 && c->settings->road == ASM)
		writelog(c->settings, &b);
	return status;
}

/* How to compile. */
typedef enum How { MARKED, SHAPED, PLAIN } How;

/* produce - the assembly, where it is wanted; returns the wait status. */
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
	if (c->as.n && status == 0)
		countfile(c->settings, &c->as, to);
	if (pipe && status == 0)
		passon(to, c->run);
	if (pipe)
		endtemp(to);
	else if (status != 0 && lstat(to, &st) == 0 && S_ISREG(st.st_mode))
		unlink(to);
	return status;
}

/* tables - ask for the line tables that maps are made from, unless the user asks for more. */
static void
tables(Compile *c, char **argv, int argc)
{
	bool lines = false;
	int i;

	c->plain = true;
	for (i = 1; i < argc; i++) {
		argput(&c->argv, argv[i]);
		lines |= asksdebug(argv[i]) || strcmp(argv[i], "-E") == 0;
		if (strncmp(argv[i], "-O", 2) == 0)
			c->plain = strcmp(argv[i], "-O0") == 0;
	}
	if (lines)
		return;
	argput(&c->argv, "-g1");
	if (!c->plain) /* and rows where statements and inlined functions begin; without optimisation all do, and more rows mislead */
		argsplit(&c->argv, "-gstatement-frontiers -ginline-points", " ");
}

/* howto - decide how to compile. */
static How
howto(const Compile *c)
{
	if (!c->C)
		return PLAIN;
	if (c->settings->road == INTEXT || c->settings->lines == SOURCE)
		return MARKED;
	return c->plain ? PLAIN : SHAPED;
}

int
cmdcc1(int argc, char **argv)
{
	Arena run = {0};
	Settings settings;
	bool counts = inbuild(&settings, &run) >= 0;
	const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0], *machine;
	Argv other = {0};
	Compile c = {.settings = &settings, .argv = {.arena = &run}, .run = &run};
	How how = PLAIN;
	int status;

	if (counts)
		other = otheras(&run);
	argput(&c.argv, gccpart(&settings, name, &run));
	machine = counts ? gccmachine(&settings, &run) : NULL;
	if (counts && (!machine || iscountable(&settings, machine))) {
		tables(&c, argv, argc);
		readcompile(&c, name);
		if (c.text && settings.road == ASM && !istrial(c.input ? c.input : "-"))
			c.as = other;
		how = howto(&c);
	} else {
		argputall(&c.argv, argv + 1, argc - 1);
	}
	if (how != PLAIN || c.as.n) {
		status = produce(&c, how);
		areset(&run);
		return endas(status);
	}
	execv(c.argv.v[0], c.argv.v);
	syserr("exec %s", c.argv.v[0]);
}
