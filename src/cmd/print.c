/* print.c - tally print: show what was counted. */

#include "cmd.h"

#include "profile/profile.h"
#include "report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Asked Asked;
typedef struct View View;

struct Asked {
	Choosing choosing;
	Dump dump;
	Output out;
	const View *view; /* NULL for the listing */
	const char *sort;
	bool insns, counts, pieces, branches, table, each, bylabel;
	Bars bars;
};

/* What can be shown. */
struct View {
	void (*view)(const Report *);
	void (*table)(const Report *); /* with --table; or NULL */
	bool sorts;                    /* by any column */
};

static const View lines = {listing, linetable, false}, code = {insns, NULL, false},
		  bynames = {functions, functiontable, true}, byfiles = {summary, NULL, true},
		  flow = {blocks, blocktable, false}, pieces = {regions, NULL, false},
		  callers = {calls, NULL, false}, ends = {runs, NULL, false},
		  clocks = {functiontimes, NULL, false}, checked = {NULL, NULL, false};

static const Bars fullbars = FULLBARS, scaledbars = SCALEDBARS;

static const Option option[] = {
	{.help = "without options: source lines with their counts"},
	{NULL, 'i', NULL, setflag, AT(insns), NULL,
	 "instructions executed for each line instead of its count"},
	{NULL, 'p', NULL, setflag, AT(counts), NULL, "how often each line ran; with -i, both"},
	{"pieces", 0, NULL, setflag, AT(pieces), NULL, "also the pieces of each line, by column"},
	{"branches", 0, NULL, setflag, AT(branches), NULL,
	 "also how often branches were taken (after tally build --branches)"},
	{NULL, 'a', NULL, setone, AT(view), &code, "every machine instruction with its count"},
	{NULL, 'f', NULL, setone, AT(view), &bynames, "a table of functions"},
	{NULL, 's', NULL, setone, AT(view), &byfiles,
	 "a line for each file: instructions executed (ie), present (i), never executed (ine); "
	 "basic blocks executed (bbe), present (bb), never executed (bbne)"},
	{NULL, 'b', NULL, setone, AT(view), &flow, "every block and edge with its count"},
	{"regions", 0, NULL, setone, AT(view), &pieces,
	 "every basic block of the C sources, with its range"},
	{"calls", 0, NULL, setone, AT(view), &callers,
	 "which function called which, and how often"},
	{"table", 0, NULL, setflag, AT(table), NULL,
	 "a table with FILE, LINE, COUNT and the text; with -f of functions, with -b of blocks"},
	{"histogram", 0, NULL, setnumber, AT(bars), &fullbars,
	 "the table, with a star for each execution under the line"},
	{"scaled", 0, NULL, setnumber, AT(bars), &scaledbars,
	 "the table, with a bar in proportion to the largest count"},
	{"runs", 0, NULL, setone, AT(view), &ends, "how the processes ended"},
	{"times", 0, NULL, setone, AT(view), &clocks,
	 "how long functions took (after tally run --times)"},
	{"by-label", 0, NULL, setflag, AT(bylabel), NULL,
	 "each label (TALLY_LABEL, tally_label()) separately"},
	{"compare", 0, NULL, setone, AT(view), &checked,
	 "compare redundant with optimal counters (after tally build --counters=check)"},
	{.with = &memoryoption, .at = AT(dump.memory)},
	{.with = &baseoption, .at = AT(dump.base)},
	{.with = &onlyoption, .at = AT(choosing.only)},
	{.with = &mangledoption, .at = AT(choosing.mangled)},
	{"instantiations", 0, NULL, setflag, AT(each), NULL,
	 "with -f, list each instantiation of a template separately"},
	{"sort", 0, "COLUMN", settext, AT(sort), NULL,
	 "with -f: name, calls, instructions, run, blocks;\nwith -s: name, use, ie, i, ine, bbe, "
	 "bb, bbne; in a listing: use, the order of first use (after tally build --order)"},
	{.with = &prefixoption, .at = AT(choosing.prefix)},
	{.with = &formatoption, .at = AT(out.format)},
	{.with = &nopageroption, .at = AT(out.nopager)},
	{.with = &coloroption, .at = AT(out.color)},
	{0},
};

static const Syntax syntax = {
	.usage = "tally print [OPTIONS] [PROGRAM | PROFILE ...]",
	.option = option,
	.note = inputnote,
};

/* isordered - whether the order in which files were used was recorded. */
static bool
isordered(const Report *r)
{
	int i;

	for (i = 0; i < r->of.nmodule; i++)
		if (r->of.module[i].rank)
			return true;
	return false;
}

/* checkoptions - reject options that exclude each other. */
static void
checkoptions(const Asked *a)
{
	bool inlisting = a->insns || a->pieces || a->branches;

	if (a->view != &lines && (inlisting || a->counts))
		wrong(&syntax, "-i, -p, --pieces and --branches apply only to listings");
	if (a->table && (!a->view->table || (a->view == &lines ? inlisting : a->sort != NULL)))
		wrong(&syntax, "--table, --histogram and --scaled go only with -f, -b and --only");
	if (a->sort && !a->view->sorts && (a->view != &lines || strcmp(a->sort, "use") != 0))
		wrong(&syntax, "--sort applies to -f and -s, and --sort=use to listings");
	if (a->each && a->view != &bynames)
		wrong(&syntax, "--instantiations needs -f");
	if (a->bylabel && a->dump.memory)
		wrong(&syntax, "--by-label does not go with --memory: memory has no labels");
	if (a->out.format == JSON && a->view == &checked)
		wrong(&syntax, "--compare prints only text");
}

/* options - read the command line, and put it into the report. */
static void
options(int argc, char **argv, Report *r, Asked *a)
{
	readoptions(&syntax, argc, argv, a, r->run);
	a->table |= a->bars != NOBARS;
	if (!a->view)
		a->view = &lines;
	checkoptions(a);
	choose(r, &a->choosing);
	r->each = a->each;
	r->insns = a->insns;
	r->counts = a->counts || !a->insns;
	r->pieces = a->pieces;
	r->branches = a->branches;
	r->table = a->table;
	r->bars = a->bars;
	r->sort = a->sort;
}

/* show - print a view, and remarks on its counts; returns the exit status. */
static int
show(Report *r, const View *view)
{
	void (*print)(const Report *) = r->table ? view->table : view->view;
	int i, status = 0;

	preparelines(&r->of, r->run);
	if (print)
		print(r);
	for (i = 0; i < r->of.nmodule; i++) {
		if (view == &checked)
			status |= checkcounts(r, &r->of.module[i]);
		status |= remarks(r, &r->of.module[i]);
	}
	return status || !r->of.nmodule;
}

/* leftout - report what is left out once, rather than for each label. */
static void
leftout(Input *in)
{
	Arena tmp = {0};
	Profile p = readcounts(in, NULL, &tmp);

	mapmodules(p.module, p.nmodule, false, &tmp);
	areset(&tmp);
}

/* bylabel - print the view for each label. */
static int
bylabel(Report *r, const View *view, char **name, int n)
{
	int i, nlabel, status = 0;
	const char **label;
	Input in;

	openinput(&in, name, n, r->run);
	leftout(&in);
	label = labelsof(&in, &nlabel, r->run);
	r->sources->run = r->run;
	preparelines(&r->of, r->run);
	for (i = 0; i < nlabel; i++) {
		Arena run = {0};
		Report one = *r;

		one.run = &run;
		one.of.module = readlabel(&in, label[i], true, &one.of.nmodule, &run);
		if (r->rows)
			r->rows->label = label[i];
		if (one.of.nmodule) {
			if (!r->rows)
				fprintf(r->f, "%s%s%s:\n", i ? "\n" : "",
					*label[i] ? "label " : "no label", label[i]);
			status |= show(&one, view);
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
		if (a.view == &checked && !a.dump.memory)
			report.of.module =
				readended(argv + optind, argc - optind, &report.of.nmodule, &run);
		else
			readcounted(&report, &a.dump, &syntax, argv + optind, argc - optind);
		if (report.sort && strcmp(report.sort, "use") == 0 && !isordered(&report))
			remark("the order of first use was not recorded: build with tally "
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
