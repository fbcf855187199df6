/* lcomp.c - lcomp and lcc: compile with counting on, like the shell scripts of those names.
 *
 * The arguments go to a compiler under tally build --order. */

#include "cmd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Options are the compiler's.  Ours is only --help, by itself. */
static const Option option[] = {{0}};

static const Syntax lcompsyntax = {
	.usage = "lcomp [COMPILER'S OPTIONS] FILE ...",
	.about = "Compiles C, Fortran and assembly (.s, .S) and links it with objects and "
		 "libraries to a\n"
		 "program that counts: a.out, unless -o names another.  It leaves no objects, and "
		 "removes\n"
		 "earlier counts of the program.\n",
	.option = option,
};

static const Syntax lccsyntax = {
	.usage = "lcc [COMPILER'S OPTIONS] FILE ...",
	.about = "Compiles each source to an object, for lcomp to link.\n",
	.option = option,
};

typedef struct Job Job;

struct Job {
	char **argv;
	int argc;
	const char *output; /* a.out if NULL */
	bool links;
	bool fortran; /* a source is in Fortran, or an object was made from one */
	int nfile;
};

/* suffixed - whether a name ends with one of the suffixes. */
static bool
suffixed(const char *name, const char *const *suffix)
{
	const char *dot = strrchr(name, '.');

	for (; dot && *suffix; suffix++)
		if (strcmp(dot, *suffix) == 0)
			return true;
	return false;
}

/* isfortran - whether a file is a source in Fortran, or code made from one: such code refers to the
 * compiler's library. */
static bool
isfortran(const char *path, Arena *run)
{
	static const char *const source[] = {".f",   ".F",   ".for", ".FOR", ".ftn", ".FTN", ".f77",
					     ".F77", ".f90", ".F90", ".f95", ".F95", ".f03", ".F03",
					     ".f08", ".F08", ".fpp", ".FPP", NULL};
	static const char *const object[] = {".o", ".a", NULL};
	const char *data;
	size_t len;

	if (suffixed(path, source))
		return true;
	if (!suffixed(path, object) || access(path, R_OK) != 0)
		return false;
	data = readfile(run, path, &len);
	return memmem(data, len, "_gfortran_", 10) != NULL;
}

/* readjob - read those arguments that matter to us. */
static void
readjob(Job *j, Arena *run)
{
	static const char *const takes[] = {
		"-I",       "-L",       "-D",         "-U",       "-l",          "-x",
		"-include", "-imacros", "-idirafter", "-iquote",  "-isystem",    "-iprefix",
		"-MF",      "-MT",      "-MQ",        "-T",       "-u",          "-z",
		"-e",       "-J",       "-aux-info",  "-Xlinker", "-Xassembler", "-Xpreprocessor",
		"--param",  NULL};
	static const char *const stops[] = {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", NULL};
	int i, k;

	j->links = true;
	for (i = 1; i < j->argc; i++) {
		const char *a = j->argv[i];

		if (strncmp(a, "-o", 2) == 0 && (a[2] || i + 1 < j->argc))
			j->output = a[2] ? a + 2 : j->argv[++i];
		else if (a[0] != '-') {
			j->nfile++;
			j->fortran |= isfortran(a, run);
		}
		for (k = 0; stops[k]; k++)
			j->links &= strcmp(a, stops[k]) != 0;
		for (k = 0; takes[k]; k++)
			i += strcmp(a, takes[k]) == 0;
	}
}

/* build - run the compiler under tally build; option, unless NULL, precedes the arguments. */
static int
build(const Job *j, const char *option, Arena *run)
{
	const char *compiler = getenv(j->fortran ? "FC" : "CC");
	Argv argv = {.arena = run};

	if (!compiler || !compiler[strspn(compiler, " \t")])
		compiler = j->fortran ? "gfortran" : "gcc";
	/* The classic listing is based on line tables. */
	argsplit(&argv, "build --order --terse --lines=tables", " ");
	argsplit(&argv, compiler, " \t");
	if (option)
		argput(&argv, option);
	argputall(&argv, j->argv + 1, j->argc - 1);
	return cmdbuild(argv.n, argv.v);
}

/* begin - show the help if asked; else read the arguments. */
static void
begin(Job *j, const Syntax *syntax, Arena *run)
{
	if (j->argc == 2 && strcmp(j->argv[1], "--help") == 0)
		showhelp(syntax);
	readjob(j, run);
	if (!j->nfile)
		wrong(syntax, "no file is given");
}

/* forgetruns - remove the profiles of the program that was replaced. */
static void
forgetruns(const char *program, Arena *run)
{
	int n, i;
	const char **dir = profilesof(program, &n, run);

	for (i = 0; i < n; i++)
		if (i == 0 || access(dir[i], W_OK | X_OK) == 0)
			forget(dir[i], program);
}

int
cmdlcomp(int argc, char **argv)
{
	Arena run = {0};
	Job j = {.argc = argc, .argv = argv};
	char *program;
	int status;

	begin(&j, &lcompsyntax, &run);
	status = build(&j, NULL, &run);
	program = status == 0 && j.links ? realpath(j.output ? j.output : "a.out", NULL) : NULL;
	if (program)
		forgetruns(program, &run);
	free(program);
	areset(&run);
	return status;
}

int
cmdlcc(int argc, char **argv)
{
	Arena run = {0};
	Job j = {.argc = argc, .argv = argv};
	int status;

	begin(&j, &lccsyntax, &run);
	status = build(&j, "-c", &run);
	areset(&run);
	return status;
}
