/* lprint.c - lprint: what was counted, as the program of that name printed it. */

#include "cmd.h"

#include "report/report.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
	"usage: lprint [-i] [-p] [-a | -f | -s] [-c] [PROGRAM | PROFILE ...]\n"
	"                  without options: source lines and how often they ran\n"
	"  -i              instructions executed for each line\n"
	"  -p              how often it ran; with -i both\n"
	"  -a              every machine instruction\n"
	"  -f              a line for each function: instructions executed (ie), calls,\n"
	"                  instructions there (i), never executed (ine)\n"
	"  -s              a line for each file: the same, and basic blocks executed (bbe),\n"
	"                  there (bb), never executed (bbne)\n"
	"  -c              compress the profiles to one for each program; alone, print nothing\n"
	"Without PROGRAM or PROFILE all in tally.out; of a PROGRAM its runs, there or where it was "
	"built.\n";

static const struct {
	int option;
	void (*view)(const Report *);
} views[] = {{0, classiclisting}, {'a', insns}, {'f', classicfunctions}, {'s', summary}};

/* compressone - what ended processes have left in a directory. */
static int
compressone(const char *dir)
{
	int left = foldall(dir);

	if (left)
		fprintf(stderr,
			"%s: %d file%s could not be added up: damaged, or we may not write there\n",
			dir, left, left == 1 ? "" : "s");
	return left != 0;
}

/* compress - where profiles are, of programs that are named, too. */
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

/* print - one of the views; the exit status. */
static int
print(Report *r, int chosen, char **name, int n)
{
	int status = 0, i;
	size_t k;

	r->module = readinput(name, n, &r->nmodule, r->run);
	joinfiles(r);
	sourcenames(r);
	classicheads(r);
	for (k = 0; k < sizeof views / sizeof *views; k++)
		if (views[k].option == chosen)
			views[k].view(r);
	for (i = 0; i < r->nmodule; i++)
		status |= remarks(r, &r->module[i]);
	sourceremarks(r);
	changeremarks(r);
	return status || !r->nmodule;
}

int
cmdlprint(int argc, char **argv)
{
	static const struct option longs[] = {{"help", no_argument, NULL, 'h'}, {0}};
	Arena run = {0};
	Report r = {.f = stdout,
		    .run = &run,
		    .classic = true,
		    .sort = "use",
		    .sources = anew(&run, Sources, 1)};
	int c, chosen = 0, status = 0;
	bool compressing = false;

	opterr = 0;
	while ((c = getopt_long(argc, argv, "acfhips", longs, NULL)) != -1)
		switch (c) {
		case 'a':
		case 'f':
		case 's':
			if (chosen && chosen != c)
				usage(help, "choose one of -a, -f and -s");
			chosen = c;
			break;
		case 'i': r.insns = true; break;
		case 'p': r.counts = true; break;
		case 'c': compressing = true; break;
		case 'h':
			fputs(help, stdout);
			flushout();
			return 0;
		default:
			if (optopt)
				usage(help, "-%c: no such option", optopt);
			usage(help, "%s: no such option", argv[optind - 1]);
		}
	if (chosen && (r.insns || r.counts))
		usage(help, "-i and -p are for listings only");
	if (compressing)
		status = compress(argv + optind, argc - optind, &run);
	if (!compressing || chosen || r.insns || r.counts || optind < argc) {
		r.counts |= !r.insns;
		status |= print(&r, chosen, argv + optind, argc - optind);
	}
	flushout();
	areset(&run);
	return status;
}
