/* ctrace.c - ctrace: run a program under a monitor and print how often its lines ran, as the
 * program of that name did. */

#include "cmd.h"

#include "report/report.h"
#include "road/live/live.h"

#include <dirent.h>
#include <getopt.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
	"usage: ctrace [OPTIONS] PROGRAM ARGUMENTS ...\n"
	"                  without options: how often each line ran\n"
	"  --functions     how often each function was called\n"
	"  --blocks        how often each block ran\n"
	"  --histogram     and a star for each time\n"
	"  --scaled        and a bar that says how often next to the others\n"
	"  --only=WHAT     only there, as tally run has it; may be repeated\n"
	"  --skip=WHAT     not there; may be repeated\n"
	"  --prefix-map=OLD=NEW   sources whose paths begin with OLD are under NEW\n"
	"The table comes behind what the program prints.\n";

/* On their way from the monitor to the printer, counts are in a directory of their own, of which the
 * program does not learn. */
static char *dir;    /* NULL when it is gone */
static char *before; /* what is in TALLY_DIR otherwise; NULL */

/* unsee - in the program that is about to begin. */
static void
unsee(void)
{
	if (before)
		setenv("TALLY_DIR", before, 1);
	else
		unsetenv("TALLY_DIR");
}

/* each - profile in that directory: remove them if wanted; returns how many there are. */
static int
each(bool gone)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	int n = 0;

	while (d && (e = readdir(d))) {
		n += e->d_name[0] != '.';
		if (gone)
			unlinkat(dirfd(d), e->d_name, 0);
	}
	if (d)
		closedir(d);
	return n;
}

/* clean - leave nothing behind. */
static void
clean(void)
{
	if (!dir)
		return;
	each(true);
	rmdir(dir);
	dir = NULL;
}

/* hide - have the counts go there. */
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
	atexit(clean);
}

/* options - what is to be counted, and printed. */
static void
options(int argc, char **argv, Wish *w, Report *r)
{
	static const struct option longs[] = {
		{"lines", no_argument, NULL, 'L'},
		{"functions", no_argument, NULL, 'F'},
		{"blocks", no_argument, NULL, 'B'},
		{"histogram", no_argument, NULL, 'H'},
		{"scaled", no_argument, NULL, 'Z'},
		{"only", required_argument, NULL, 'O'},
		{"skip", required_argument, NULL, 'S'},
		{"prefix-map", required_argument, NULL, 'M'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, "+:h", longs, NULL)) != -1)
		switch (c) {
		case 'H': r->bars = FULLBARS; break;
		case 'Z': r->bars = SCALEDBARS; break;
		case 'M': choose(r, c, help); break;
		case ':': usage(help, "%s: wants a value", argv[optind - 1]);
		default:
			if (!wishfor(w, c, help, r->run))
				usage(help, "%s: no such option", argv[optind - 1]);
		}
	if (optind == argc)
		usage(help, "no program is given");
}

/* print - what was counted, and what is to be said of it. */
static void
print(Report *r, const Wish *w)
{
	int i;

	r->module = readinput(NULL, 0, &r->nmodule, r->run);
	joinfiles(r);
	sourcenames(r);
	classicheads(r);
	fprintf(r->f, "CTRACE (tally " VERSION ")\n\n");
	(w->unit == FUNCTIONS ? functiontable : w->unit == BLOCKS ? blocktable : linetable)(r);
	for (i = 0; i < r->nmodule; i++)
		remarks(r, &r->module[i]);
	sourceremarks(r);
	changeremarks(r);
	flushout();
}

int
cmdctrace(int argc, char **argv)
{
	Arena run = {0};
	Wish w = {0};
	Report r = {.f = stdout, .run = &run, .classic = true, .sources = anew(&run, Sources, 1)};
	int status;

	options(argc, argv, &w, &r);
	r.zero = !w.nonly && !w.nskip; /* else nobody knows */
	hide(&run);
	status = traceprogram(argv + optind, &w, &run);
	if (each(false))
		print(&r, &w);
	else
		fprintf(stderr, "ctrace: %s: nothing was counted\n", argv[optind]);
	clean(); /* before a signal ends us */
	areset(&run);
	return endas(status);
}
