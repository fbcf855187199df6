/* diff.c - tally diff: what ran more or less than before, and how much of a change ran. */

#include "cmd.h"

#include "report/report.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char help[] =
	"usage: tally diff [OPTIONS] OLD NEW\n"
	"       tally diff [OPTIONS] --patch=CHANGE [PROGRAM | PROFILE ...]\n"
	"OLD and NEW are profiles, directories of them, or programs: what ran more, less, newly, "
	"or no\n"
	"longer.  With --patch, how much of a change of the sources ran.\n"
	"  --by=KEY        only by file, function or line\n"
	"  --patch=CHANGE  a file with a unified diff, - for standard input, or what git diff "
	"takes,\n"
	"                  such as main..HEAD\n"
	"  --fail-under=PERCENT   of the change's lines that have code; status 1 if fewer ran\n"
	"  --only=GLOB     only these files or functions; may be repeated\n"
	"  --mangled       call functions by their symbols\n"
	"  --prefix-map=OLD=NEW   sources whose paths begin with OLD are under NEW\n"
	"  --old-prefix-map=OLD=NEW   the same for those of OLD\n" MANNERSHELP
	"                  --format=html: a page\n";

typedef struct Asked Asked;

struct Asked {
	Diffby by;
	const char *patch;
	double under; /* negative if it is not asked for */
	char **oldprefix;
	int noldprefix;
	size_t capoldprefix;
	Output out;
};

/* percent - a number from 0 to 100. */
static double
percent(const char *s)
{
	char *end;
	double x = strtod(s, &end);

	if (end == s || (*end && strcmp(end, "%") != 0) || !(x >= 0 && x <= 100))
		usage(help, "--fail-under=%s: want a number from 0 to 100", s);
	return x;
}

static Diffby
keyof(const char *s)
{
	if (strcmp(s, "file") == 0)
		return BYFILE;
	if (strcmp(s, "function") == 0)
		return BYFUNCTION;
	if (strcmp(s, "line") == 0)
		return BYLINE;
	usage(help, "--by=%s: choose file, function or line", s);
}

static void
options(int argc, char **argv, Report *r, Asked *a)
{
	static const struct option longs[] = {
		{"by", required_argument, NULL, 'b'},
		{"patch", required_argument, NULL, 'p'},
		{"fail-under", required_argument, NULL, 'u'},
		{"only", required_argument, NULL, 'O'},
		{"mangled", no_argument, NULL, 'N'},
		{"prefix-map", required_argument, NULL, 'M'},
		{"old-prefix-map", required_argument, NULL, 'o'},
		MANNERS,
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, ":h", longs, NULL)) != -1)
		switch (c) {
		case 'b': a->by = keyof(optarg); break;
		case 'p': a->patch = optarg; break;
		case 'u': a->under = percent(optarg); break;
		case 'o':
			if (!strchr(optarg, '='))
				usage(help, "--old-prefix-map=%s: want OLD=NEW", optarg);
			apush(r->run, a->oldprefix, a->noldprefix, a->capoldprefix);
			a->oldprefix[a->noldprefix++] = optarg;
			break;
		case 'O':
		case 'N':
		case 'M': choose(r, c, help); break;
		case 'F':
			a->out.html = strcmp(optarg, "html") == 0;
			if (a->out.html)
				break;
			/* fall through */
		case 'G': manners(&a->out, c, help); break;
		default: otheroption(c, argv, help);
		}
	if (!a->patch && argc - optind != 2)
		usage(help, "want OLD and NEW, or --patch=CHANGE");
	if (!a->patch && a->under >= 0)
		usage(help, "--fail-under is for --patch");
	if (a->patch && (a->by != BYALL || a->noldprefix))
		usage(help, "--by and --old-prefix-map are not for --patch");
}

/* ask - what git prints; it says itself what it does not like. */
static char *
ask(char *const *argv, const char *range, size_t *len, Arena *run)
{
	Buf out = {.arena = run};
	int status = runinto(argv, NULL, 0, &out, NULL);

	if (status < 0)
		err(range, "is no file that is there, and git cannot be asked: %s",
		    strerror(errno));
	if (status != 0)
		err(range, "is no file that is there, and no change that git knows");
	if (len)
		*len = out.n;
	return out.s;
}

/* gitdiff - what git says of a range; *top gets where its paths begin. */
static char *
gitdiff(const char *range, size_t *len, const char **top, Arena *run)
{
	char *where[] = {"git", "rev-parse", "--show-toplevel", NULL};
	char *words = astrndup(run, range, strlen(range)), *word;
	char **argv = anew(run, char *, strlen(range) + 16), *s;
	static const char *const fixed[] = {"git",
					    "-c",
					    "core.quotePath=on",
					    "diff",
					    "--no-color",
					    "--no-ext-diff",
					    "--no-textconv",
					    "--unified=0",
					    "--src-prefix=a/",
					    "--dst-prefix=b/",
					    "--find-renames",
					    NULL};
	int n;

	for (n = 0; fixed[n]; n++)
		argv[n] = (char *)fixed[n];
	for (word = strtok(words, " "); word; word = strtok(NULL, " ")) {
		if (*word == '-')
			err(range, "is no file, and no range for git: it has an option in it");
		argv[n++] = word;
	}
	argv[n] = "--";
	s = ask(where, range, NULL, run);
	s[strcspn(s, "\n")] = 0;
	*top = s;
	return ask(argv, range, len, run);
}

/* refuse - a patch whose files are not what was compiled. */
static void
refuse(void *with, const char *path, bool younger)
{
	const Patch *p = with;
	int i;

	for (i = 0; i < p->n && !younger; i++)
		if (commonparts(path, p->file[i].name) > 0)
			err(path, "has changed since it was compiled: build and run it again to see what of the change runs");
}

static int
patchview(Report *r, const Asked *a, char **name, int n)
{
	const char *top = NULL;
	struct stat st;
	Patchsum sum;
	Patch patch;
	size_t len;
	char *text;
	bool below, isgit;
	int i, status = 0;

	isgit = strcmp(a->patch, "-") != 0 && stat(a->patch, &st) != 0;
	if (!isgit)
		text = readfile(r->run, a->patch, &len);
	else
		text = gitdiff(a->patch, &len, &top, r->run);
	patch = readpatch(a->patch, text, len, isgit, r->run);
	r->module = readinput(name, n, &r->nmodule, r->run);
	if (!r->nmodule)
		err("diff", "no counts of a program are there");
	joinfiles(r);
	sourcenames(r);
	eachchanged(r, refuse, &patch);
	openoutput(&a->out, r);
	sum = patchcover(r, &patch, top);
	below = a->under >= 0 && 100.0 * sum.ran < a->under * sum.n;
	if (!r->rows && !sum.n)
		fprintf(r->f, "the change has no line with code\n");
	else if (!r->rows)
		fprintf(r->f, "%d of %d lines of the change ran: %.1f%%\n", sum.ran, sum.n,
			100.0 * sum.ran / sum.n);
	for (i = 0; i < r->nmodule; i++)
		status |= remarks(r, &r->module[i]);
	if (below)
		remark("tally: fewer than %g%% of the change ran", a->under);
	return status | below;
}

static int
diffview(Report *new, const Asked *a, char **name)
{
	Report old = *new;
	Comparison c;
	int i, status = 0;

	old.sources = anew(new->run, Sources, 1);
	if (a->noldprefix) {
		old.prefix = anew(new->run, char *, a->noldprefix + new->nprefix);
		memcpy(old.prefix, a->oldprefix, sizeof *old.prefix * (size_t)a->noldprefix);
		if (new->nprefix)
			memcpy(old.prefix + a->noldprefix, new->prefix,
			       sizeof *old.prefix * (size_t) new->nprefix);
		old.nprefix = a->noldprefix + new->nprefix;
	}
	old.module = readinput(&name[0], 1, &old.nmodule, new->run);
	new->module = readinput(&name[1], 1, &new->nmodule, new->run);
	if (!old.nmodule || !new->nmodule)
		err(name[old.nmodule != 0], "no counts of a program are there");
	joinfiles(&old);
	if (!a->noldprefix)
		new->paths = old.paths;
	sourcenames(&old);
	joinfiles(new);
	sourcenames(new);
	openoutput(&a->out, new);
	c = comparereports(&old, new);
	diff(new, &c, a->by);
	for (i = 0; i < old.nmodule; i++)
		status |= remarks(&old, &old.module[i]);
	for (i = 0; i < new->nmodule; i++)
		status |= remarks(new, &new->module[i]);
	if (new->sources->nodd)
		old.sources->nodd = 0;
	if (old.sources->nguess || !new->sources->nmissing)
		sourceremarks(&old);
	return status;
}

int
cmddiff(int argc, char **argv)
{
	Arena run = {0};
	Report report = {.f = stdout, .run = &run, .sources = anew(&run, Sources, 1)};
	Asked a = {.by = BYALL, .under = -1};
	int status;

	options(argc, argv, &report, &a);
	if (a.patch)
		status = patchview(&report, &a, argv + optind, argc - optind);
	else
		status = diffview(&report, &a, argv + optind);
	sourceremarks(&report);
	changeremarks(&report);
	closeoutput(&report);
	areset(&run);
	return status;
}
