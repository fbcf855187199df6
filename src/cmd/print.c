/* print.c - tally print: what was counted. */

#include "cmd.h"

#include "profile/profile.h"
#include "report/report.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char help[] =
	"usage: tally print [OPTIONS] [PROGRAM | PROFILE ...]\n"
	"                  without options: source lines and how often they ran\n"
	"  -i              instructions executed for each line\n"
	"  -i -p           both\n"
	"  --pieces        and the pieces of each line, by column\n"
	"  --branches      and how often its branches were taken, if it was built so\n"
	"  -a              every machine instruction\n"
	"  -f              a table of functions\n"
	"  -s              a line for each file: instructions executed (ie), there (i), never\n"
	"                  executed (ine); basic blocks executed (bbe), there (bb), never (bbne)\n"
	"  -b              every block and edge\n"
	"  --regions       every basic block of C sources, from where to where\n"
	"  --calls         which function called which, and how often\n"
	"  --table         FILE, LINE, COUNT and the text, of lines; with -f of functions, with\n"
	"                  -b of blocks\n"
	"  --histogram     and a star for each time\n"
	"  --scaled        and a bar that says how often next to the others\n"
	"  --runs          how processes ended\n"
	"  --times         how long functions took, in a run of tally run --times\n"
	"  --by-label      all that for each label by itself: TALLY_LABEL, tally_label()\n"
	"  --compare       compare redundant with optimal counters, in a program that was\n"
	"                  built with --counters=check\n"
	"  --memory=FILE   take the counts out of PROGRAM's memory: a core, or plain bytes\n"
	"  --base=ADDR     the address that the first byte of FILE has in PROGRAM; without it\n"
	"                  the lowest one\n"
	"  --only=GLOB     only these files or functions; may be repeated\n"
	"  --mangled       call functions by their symbols\n"
	"  --instantiations   in -f, each instantiation of a template by itself\n"
	"  --sort=COLUMN   of -f: name, calls, instructions, run, blocks;\n"
	"                  of -s: name, use, ie, i, ine, bbe, bb, bbne; of a listing: use,\n"
	"                  the order in which files were used first (tally build --order)\n"
	"  --prefix-map=OLD=NEW   sources whose paths begin with OLD are under NEW\n" MANNERSHELP
	"  --color=WHEN    always, never, or auto: on a terminal\n"
	"PROFILE may be a directory.  Without PROGRAM or PROFILE all in tally.out; of a PROGRAM "
	"its\n"
	"runs, there or where it was built.\n";

/* isordered - whether the order in which files were used was recorded. */
static bool
isordered(const Report *r)
{
	int i;

	for (i = 0; i < r->nmodule; i++)
		if (r->module[i].rank)
			return true;
	return false;
}

/* Views, by option. */
static const struct {
	int option;
	void (*view)(const Report *);
	void (*table)(const Report *); /* --table; NULL */
} views[] = {{0, listing, linetable}, {'a', insns, NULL}, {'f', functions, functiontable},
	     {'s', summary, NULL},    {'R', runs, NULL},  {'b', blocks, blocktable},
	     {'r', regions, NULL},    {'K', calls, NULL}, {'T', functiontimes, NULL}};

void
choose(Report *r, int option, const char *text)
{
	switch (option) {
	case 'O':
		apush(r->run, r->only, r->nonly, r->caponly);
		r->only[r->nonly++] = optarg;
		break;
	case 'N': r->mangled = true; break;
	default:
		if (!optarg || !strchr(optarg, '='))
			usage(text, "--prefix-map=%s: want OLD=NEW", optarg);
		apush(r->run, r->prefix, r->nprefix, r->capprefix);
		r->prefix[r->nprefix++] = optarg;
	}
}

typedef struct Asked Asked;

/* What the command line says beside what a Report holds. */
struct Asked {
	int view; /* by option */
	const char *memory, *base;
	bool bylabel;
	Output out;
};

/* options - the command line. */
static void
options(int argc, char **argv, Report *r, Asked *a)
{
	static const struct option longs[] = {
		{"compare", no_argument, NULL, 'c'},
		{"calls", no_argument, NULL, 'K'},
		{"runs", no_argument, NULL, 'R'},
		{"times", no_argument, NULL, 'T'},
		{"regions", no_argument, NULL, 'r'},
		{"table", no_argument, NULL, 't'},
		{"histogram", no_argument, NULL, 'H'},
		{"scaled", no_argument, NULL, 'Z'},
		{"pieces", no_argument, NULL, 'P'},
		{"branches", no_argument, NULL, 'B'},
		{"by-label", no_argument, NULL, 'L'},
		{"memory", required_argument, NULL, 'm'},
		{"base", required_argument, NULL, 'A'},
		{"only", required_argument, NULL, 'O'},
		{"mangled", no_argument, NULL, 'N'},
		{"instantiations", no_argument, NULL, 'I'},
		{"sort", required_argument, NULL, 'S'},
		{"prefix-map", required_argument, NULL, 'M'},
		MANNERS,
		{"color", required_argument, NULL, 'C'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, ":aipfsbh", longs, NULL)) != -1)
		switch (c) {
		case 'a':
		case 'f':
		case 's':
		case 'b':
		case 'c':
		case 'R':
		case 'T':
		case 'r':
		case 'K':
			if (a->view && a->view != c)
				usage(help, "choose one of -a, -f, -s, -b, --regions, --calls, "
					    "--runs and "
					    "--compare");
			a->view = c;
			break;
		case 'I': r->each = true; break;
		case 'i': r->insns = true; break;
		case 'p': r->counts = true; break;
		case 'P': r->pieces = true; break;
		case 't': r->table = true; break;
		case 'H':
		case 'Z':
			r->table = true;
			r->bars = c == 'H' ? FULLBARS : SCALEDBARS;
			break;
		case 'B': r->branches = true; break;
		case 'L': a->bylabel = true; break;
		case 'm': a->memory = optarg; break;
		case 'A': a->base = optarg; break;
		case 'O':
		case 'N':
		case 'M': choose(r, c, help); break;
		case 'S': r->sort = optarg; break;
		case 'F':
		case 'C':
		case 'G': manners(&a->out, c, help); break;
		default: otheroption(c, argv, help);
		}
	if (a->view && (r->insns || r->counts || r->pieces || r->branches))
		usage(help, "-i, -p, --pieces and --branches are for listings only");
	if (r->table
	    && (a->view ? !strchr("fb", a->view) || r->sort : r->insns || r->pieces || r->branches))
		usage(help, "--table, --histogram and --scaled go with -f, -b and --only");
	if (r->sort && a->view != 'f' && a->view != 's' && (a->view || strcmp(r->sort, "use") != 0))
		usage(help, "--sort is for -f and -s, and --sort=use for listings");
	if (r->each && a->view != 'f')
		usage(help, "--instantiations is for -f");
	if (a->base && !a->memory)
		usage(help, "--base is for --memory");
	if (a->bylabel && a->memory)
		usage(help, "--by-label is for profiles: memory has no labels");
	if (a->memory && optind == argc)
		usage(help, "--memory wants the PROGRAM whose memory it was");
	if (!r->insns)
		r->counts = true;
	if (a->out.json && a->view == 'c')
		usage(help, "--compare has no other form than text");
}

/* show - one of the views, and what is to be said about its counts; the exit status. */
static int
show(Report *r, int chosen)
{
	int i, status = 0;
	size_t k;

	joinfiles(r);
	sourcenames(r);
	for (k = 0; k < sizeof views / sizeof *views; k++)
		if (views[k].option == chosen)
			(r->table ? views[k].table : views[k].view)(r);
	for (i = 0; i < r->nmodule; i++) {
		if (chosen == 'c')
			status |= checkcounts(r, &r->module[i]);
		status |= remarks(r, &r->module[i]);
	}
	return status || !r->nmodule;
}

/* leftout - say of all labels what is. */
static void
leftout(Input *in)
{
	Arena tmp = {0};
	Profile p = readcounts(in, NULL, &tmp);

	mapmodules(p.module, p.nmodule, false, &tmp);
	areset(&tmp);
}

/* bylabel - the view of each label. */
static int
bylabel(Report *r, int chosen, char **name, int n)
{
	int i, nlabel, status = 0;
	const char **label;
	Input in;

	openinput(&in, name, n, r->run);
	leftout(&in);
	label = labelsof(&in, &nlabel, r->run);
	r->sources->run = r->run;
	joinfiles(r);
	for (i = 0; i < nlabel; i++) {
		Arena run = {0};
		Report one = *r;

		one.run = &run;
		one.module = readlabel(&in, label[i], true, &one.nmodule, &run);
		if (r->rows)
			r->rows->label = label[i];
		if (one.nmodule) {
			if (!r->rows)
				fprintf(r->f, "%s%s%s:\n", i ? "\n" : "",
					*label[i] ? "label " : "no label", label[i]);
			status |= show(&one, chosen);
		}
		if (i == 0)
			changeremarks(&one);
		areset(&run);
	}
	closeinput(&in);
	return status;
}

int
cmdprint(int argc, char **argv)
{
	Arena run = {0};
	Report report = {.f = stdout, .run = &run, .sources = anew(&run, Sources, 1)};
	Asked a = {0};
	int status;

	options(argc, argv, &report, &a);
	if (a.bylabel) {
		openoutput(&a.out, &report);
		status = bylabel(&report, a.view, argv + optind, argc - optind);
	} else {
		if (a.memory)
			report.module = readdump(a.memory, a.base, argv + optind, argc - optind,
						 &report.nmodule, &run);
		else
			report.module = (a.view == 'c' ? readended : readinput)(
				argv + optind, argc - optind, &report.nmodule, &run);
		if (report.sort && strcmp(report.sort, "use") == 0 && !isordered(&report))
			remark("tally: the order of first use was not recorded: build with tally "
			       "build --order");
		openoutput(&a.out, &report);
		status = show(&report, a.view);
	}
	sourceremarks(&report);
	changeremarks(&report);
	closeoutput(&report);
	areset(&run);
	return status;
}
