/* lprint.c - lprint: print what was counted, like the program of that name. */

#include "cmd.h"

#include "report/report.h"

#include <stdio.h>
#include <unistd.h>

typedef struct Asked Asked;
typedef struct View View;

struct Asked {
	const View *view; /* NULL for the listing */
	bool insns, counts, compress;
};

struct View {
	void (*print)(const Report *);
};

static const View lines = {classiclisting}, code = {insns}, byfunction = {classicfunctions},
		  byfile = {summary};

static const Option option[] = {
	{.help = "without options: source lines with their counts"},
	{NULL, 'i', NULL, setflag, AT(insns), NULL,
	 "instructions executed for each line instead of its count"},
	{NULL, 'p', NULL, setflag, AT(counts), NULL, "how often each line ran; with -i, both"},
	{NULL, 'a', NULL, setone, AT(view), &code, "every machine instruction with its count"},
	{NULL, 'f', NULL, setone, AT(view), &byfunction,
	 "a line for each function: instructions executed (ie), calls, instructions present (i), "
	 "never executed (ine)"},
	{NULL, 's', NULL, setone, AT(view), &byfile,
	 "a line for each file: the same, and basic blocks executed (bbe), present (bb), never "
	 "executed (bbne)"},
	{NULL, 'c', NULL, setflag, AT(compress), NULL,
	 "first compress the profiles to one for each program; alone, print nothing"},
	{0},
};

static const Syntax syntax = {
	.usage = "lprint [-i] [-p] [-a | -f | -s] [-c] [PROGRAM | PROFILE ...]",
	.option = option,
	.note = inputnote,
};

/* compressone - compress the profiles of ended processes in a directory. */
static int
compressone(const char *dir)
{
	int left = foldall(dir);

	if (left)
		notice("%s: %d file%s could not be added up: damaged, or the directory is not "
		       "writable",
		       dir, left, left == 1 ? "" : "s");
	return left != 0;
}

/* compress - all directories with profiles of the programs named; without any, the usual one.
 * Returns the exit status. */
static int
compress(char **name, int n, Arena *run)
{
	int status = 0, done = 0, i, k, ndir;

	for (i = 0; i < n; i++) {
		const char **dir;

		if (!isprogram(name[i]))
			continue;
		dir = profilesof(name[i], &ndir, run);
		for (k = 0; k < ndir; k++)
			if (access(dir[k], W_OK | X_OK) == 0) {
				status |= compressone(dir[k]);
				done++;
			}
	}
	return done ? status : compressone(profiles());
}

/* print - print a view; returns the exit status. */
static int
print(Report *r, const View *view, char **name, int n)
{
	int status = 0, i;

	r->of.module = readinput(name, n, &r->of.nmodule, r->run);
	preparelines(&r->of, r->run);
	classicheads(r);
	view->print(r);
	for (i = 0; i < r->of.nmodule; i++)
		status |= remarks(r, &r->of.module[i]);
	sourceremarks(r);
	changeremarks(r);
	return status || !r->of.nmodule;
}

int
cmdlprint(int argc, char **argv)
{
	Arena run = {0};
	Report r = {.f = stdout,
		    .run = &run,
		    .classic = true,
		    .sort = "use",
		    .sources = anew(&run, Sources, 1)};
	Asked a = {0};
	int status = 0;

	readoptions(&syntax, argc, argv, &a, &run);
	if (a.view && (a.insns || a.counts))
		wrong(&syntax, "-i and -p apply only to listings");
	if (a.compress)
		status = compress(argv + optind, argc - optind, &run);
	if (!a.compress || a.view || a.insns || a.counts || optind < argc) {
		r.insns = a.insns;
		r.counts = a.counts || !a.insns;
		status |= print(&r, a.view ? a.view : &lines, argv + optind, argc - optind);
	}
	flushout();
	areset(&run);
	return status;
}
