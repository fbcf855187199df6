/* ctrace.c - ctrace: run a program under a monitor and print how often its lines ran, like the
 * program of that name. */

#include "cmd.h"

#include "report/report.h"
#include "road/live/live.h"

#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Asked Asked;

struct Asked {
	Wish wish;
	Argv only, skip;
	Choosing choosing;
	Bars bars;
};

static const Unitkind bylines = LINES, byfunctions = FUNCTIONS, byblocks = BLOCKS;
static const Bars full = FULLBARS, scaled = SCALEDBARS;

static const Option option[] = {
	{"lines", 0, NULL, setkind, AT(wish), &bylines, "how often each line ran (the default)"},
	{"functions", 0, NULL, setkind, AT(wish), &byfunctions,
	 "how often each function was called"},
	{"blocks", 0, NULL, setkind, AT(wish), &byblocks, "how often each block ran"},
	{"histogram", 0, NULL, setnumber, AT(bars), &full,
	 "also a star for each execution under the line"},
	{"scaled", 0, NULL, setnumber, AT(bars), &scaled,
	 "also a bar in proportion to the largest count"},
	{"only", 0, "WHAT", addtext, AT(only), NULL,
	 "count only in WHAT, as in tally run; may be repeated"},
	{"skip", 0, "WHAT", addtext, AT(skip), NULL, "do not count in WHAT; may be repeated"},
	{.with = &prefixoption, .at = AT(choosing.prefix)},
	{0},
};

static const Syntax syntax = {
	.usage = "ctrace [OPTIONS] PROGRAM ARGUMENTS ...",
	.option = option,
	.note = "Runs PROGRAM, then prints a table of the counts.\n",
	.command = true,
};

/* A temporary directory for the profile; the program does not see it. */
static char *dir;
static char *before; /* the user's TALLY_DIR; NULL if there is none */

/* unsee - restore TALLY_DIR in the child that becomes the program. */
static void
unsee(void)
{
	if (before)
		setenv("TALLY_DIR", before, 1);
	else
		unsetenv("TALLY_DIR");
}

/* isempty - whether the directory has no profile. */
static bool
isempty(void)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	int n = 0;

	while (d && (e = readdir(d)))
		n += e->d_name[0] != '.';
	if (d)
		closedir(d);
	return n == 0;
}

/* hide - have the profile written to the directory. */
static void
hide(Arena *run)
{
	const char *old = getenv("TALLY_DIR");

	dir = tempdir("", run);
	if (!dir)
		syserr("no directory for temporary files");
	before = old ? astrndup(run, old, strlen(old)) : NULL;
	setenv("TALLY_DIR", dir, 1);
	pthread_atfork(NULL, NULL, unsee);
}

/* print - the counts, and remarks on them. */
static void
print(Report *r, const Wish *w)
{
	int i;

	r->of.module = readinput(NULL, 0, &r->of.nmodule, r->run);
	preparelines(&r->of, r->run);
	classicheads(r);
	fprintf(r->f, "CTRACE (tally " VERSION ")\n\n");
	(w->unit == FUNCTIONS ? functiontable : w->unit == BLOCKS ? blocktable : linetable)(r);
	for (i = 0; i < r->of.nmodule; i++)
		remarks(r, &r->of.module[i]);
	sourceremarks(r);
	changeremarks(r);
	flushout();
}

int
cmdctrace(int argc, char **argv)
{
	Arena run = {0};
	Asked a = {0};
	Report r = {.f = stdout, .run = &run, .classic = true, .sources = anew(&run, Sources, 1)};
	int status;

	readoptions(&syntax, argc, argv, &a, &run);
	if (optind == argc)
		wrong(&syntax, "no program is given");
	setwish(&a.wish, &a.only, &a.skip);
	choose(&r, &a.choosing);
	r.bars = a.bars;
	r.zero = !a.only.n && !a.skip.n; /* otherwise a line may have run uncounted */
	hide(&run);
	status = traceprogram(argv + optind, &a.wish, &run);
	if (!isempty())
		print(&r, &a.wish);
	else
		notice("%s: nothing was counted", argv[optind]);
	endtemp(dir); /* endas() may kill us */
	areset(&run);
	return endas(status);
}
