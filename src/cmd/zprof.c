/* zprof.c - zprof: turn C into C that counts its own basic blocks. */

#include "cmd.h"

#include "road/c/c.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Asked Asked;

struct Asked {
	const char *cpp, *out;
	Dialect dialect;
	Argv opts; /* for the preprocessor */
	bool raw;
};

static void setdialect(const Got *);
static void passon(const Got *);

static const Option option[] = {
	{NULL, 'o', "OUT.c", settext, AT(out), NULL, "write to OUT.c instead of standard output"},
	{NULL, 'P', NULL, setflag, AT(raw), NULL, "do not preprocess FILE.c"},
	{"cpp", 0, "COMMAND", settext, AT(cpp), NULL,
	 "the preprocessor; default: the variable CPP, or `cc -E -C'"},
	{NULL, 's', "td=NAME", setdialect, 0, NULL,
	 "the language: c89, gnu89, ..., gnu2x; default: gnu17"},
	{NULL, 'D', "MACRO", passon, AT(opts), NULL, "for the preprocessor"},
	{NULL, 'U', "MACRO", passon, AT(opts), NULL, "for the preprocessor"},
	{NULL, 'I', "DIR", passon, AT(opts), NULL, "for the preprocessor"},
	{0},
};

static const Syntax syntax = {
	.usage = "zprof [OPTIONS] FILE.c [-o OUT.c]",
	.option = option,
	.note = "Link the program with libzprof.a; when it exits, it appends its counts to "
		"zprof.out.\n",
};

/* passon - pass an option on to the preprocessor. */
static void
passon(const Got *g)
{
	Argv *opts = g->to;
	Buf b = {.arena = g->run};

	bprintf(&b, "-%c%s", g->option->letter, g->value);
	opts->arena = g->run;
	argput(opts, b.s);
}

/* setdialect - -std=NAME, which the preprocessor gets, too. */
static void
setdialect(const Got *g)
{
	Asked *a = g->to;
	Got opts = *g;

	if (strncmp(g->value, "td=", 3) != 0 || !dialect(&a->dialect, g->value + 3))
		wrong(g->syntax, "-s%s: no such language", g->value);
	opts.to = &a->opts;
	passon(&opts);
}

/* preprocessed - the preprocessed text of a file. */
static char *
preprocessed(const char *cpp, const Argv *opts, const char *path, size_t *len, Arena *run)
{
	Argv argv = {.arena = run};

	argsplit(&argv, cpp && *cpp ? cpp : "cc -E -C", " \t");
	argputall(&argv, opts->v, opts->n);
	argput(&argv, path);
	return capture(argv.v, len, run);
}

/* writeout - write everything, or remove the file; a device is left alone. */
static void
writeout(const char *path, const Buf *b)
{
	FILE *f = path ? fopen(path, "w") : stdout;
	struct stat st;

	if (!f)
		syserr("open %s", path);
	if (fstat(fileno(f), &st) != 0 || !S_ISREG(st.st_mode))
		st.st_mode = 0;
	if (fwrite(b->s, 1, b->n, f) != b->n || fflush(f) != 0 || (path && fclose(f) != 0)) {
		int e = errno;

		if (path && st.st_mode)
			unlink(path);
		errno = e;
		syserr("write %s", path ? path : "standard output");
	}
}

int
cmdzprof(int argc, char **argv)
{
	Arena run = {0};
	Source s = {.run = &run};
	Asked a = {.cpp = getenv("CPP"), .dialect = {2017, true}};
	Buf out = {.arena = &run};
	char *text, *path;
	size_t len;

	readoptions(&syntax, argc, argv, &a, &run);
	if (optind != argc - 1)
		wrong(&syntax, optind == argc ? "no file is given" : "one file at a time");
	path = argv[optind];
	text = a.raw ? readfile(&run, path, &len) : preprocessed(a.cpp, &a.opts, path, &len, &run);
	if (!parse(&s, path, text, len, &a.dialect)) {
		fprintf(stderr, "%s\n", s.error);
		areset(&run);
		return 1;
	}
	placeblocks(&s, ZPROFBLOCKS);
	writec(&s, ZPROF, false, &out);
	writeout(a.out, &out);
	areset(&run);
	return 0;
}
