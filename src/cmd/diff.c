/* diff.c - tally diff: what ran more or less than before, and how much of a patch ran. */

#include "cmd.h"

#include "report/diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Asked Asked;

struct Asked {
	Choosing choosing;
	Argv oldprefix;
	Output out;
	Diffby by;
	const char *patch;
	double under; /* negative if not given */
};

static const char *const keys[] = {
	[BYFILE] = "file", [BYFUNCTION] = "function", [BYLINE] = "line", NULL};
static const char *const formats[] = {[TEXT] = "text", [JSON] = "json", [HTML] = "html", NULL};

/* setpercent - a number from 0 to 100. */
static void
setpercent(const Got *g)
{
	char *end;
	double x = strtod(g->value, &end);

	if (end == g->value || (*end && strcmp(end, "%") != 0) || !(x >= 0 && x <= 100))
		wrong(g->syntax, "--%s=%s: expected a number from 0 to 100", g->option->name,
		      g->value);
	*(double *)g->to = x;
}

static const Option option[] = {
	{"by", 0, "KEY", setword, AT(by), keys, "print only the table by file, function or line"},
	{"patch", 0, "CHANGE", settext, AT(patch), NULL,
	 "a file with a unified diff, - for standard input, or a revision range for git diff, such "
	 "as main..HEAD"},
	{"fail-under", 0, "PERCENT", setpercent, AT(under), NULL,
	 "exit with status 1 if less of the change's lines with code ran"},
	{.with = &onlyoption, .at = AT(choosing.only)},
	{.with = &mangledoption, .at = AT(choosing.mangled)},
	{.with = &prefixoption, .at = AT(choosing.prefix)},
	{"old-prefix-map", 0, "OLD=NEW", addpair, AT(oldprefix), NULL,
	 "the same, for the sources of OLD"},
	{"format", 0, "FORM", setword, AT(out.format), formats,
	 "text, json (an array with an object for each row) or html (a page)"},
	{.with = &nopageroption, .at = AT(out.nopager)},
	{0},
};

static const Syntax syntax = {
	.usage = "tally diff [OPTIONS] OLD NEW\n"
		 "tally diff [OPTIONS] --patch=CHANGE [PROGRAM | PROFILE ...]",
	.about = "Shows what ran more, less, newly or no longer in NEW compared with OLD, which "
		 "are\n"
		 "profiles, directories of them, or programs.  With --patch, shows how much of a "
		 "change\n"
		 "of the sources ran.\n",
	.option = option,
};

static void
options(int argc, char **argv, Report *r, Asked *a)
{
	readoptions(&syntax, argc, argv, a, r->run);
	choose(r, &a->choosing);
	if (!a->patch && argc - optind != 2)
		wrong(&syntax, "expected OLD and NEW, or --patch=CHANGE");
	if (!a->patch && a->under >= 0)
		wrong(&syntax, "--fail-under needs --patch");
	if (a->patch && (a->by != BYALL || a->oldprefix.n))
		wrong(&syntax, "--by and --old-prefix-map do not go with --patch");
}

/* ask - the output of a git command; git itself prints what is wrong. */
static char *
ask(char *const *argv, const char *range, size_t *len, Arena *run)
{
	Buf out = {.arena = run};
	int status = runinto(argv, NULL, 0, &out, NULL);

	if (status < 0)
		err(range, "is not a file, and git cannot be run: %s", strerror(errno));
	if (status != 0)
		err(range, "is neither a file nor a revision range that git knows");
	if (len)
		*len = out.n;
	return out.s;
}

/* gitdiff - the diff of a range; *top is the directory where its paths begin. */
static char *
gitdiff(const char *range, size_t *len, const char **top, Arena *run)
{
	char *where[] = {"git", "rev-parse", "--show-toplevel", NULL};
	Argv argv = {.arena = run};
	char *s;
	int i;

	argsplit(&argv,
		 "git -c core.quotePath=on diff --no-color --no-ext-diff --no-textconv --unified=0 "
		 "--src-prefix=a/ --dst-prefix=b/ --find-renames",
		 " ");
	i = argv.n;
	argsplit(&argv, range, " ");
	for (; i < argv.n; i++)
		if (argv.v[i][0] == '-')
			err(range, "is not a file, and not a range for git: it contains an option");
	argput(&argv, "--");
	s = ask(where, range, NULL, run);
	s[strcspn(s, "\n")] = 0;
	*top = s;
	return ask(argv.v, range, len, run);
}

/* refuse - fail if a file of the patch has changed since it was compiled. */
static void
refuse(void *with, const char *path, bool younger)
{
	const Patch *p = with;
	int i;

	for (i = 0; i < p->n && !younger; i++)
		if (commonparts(path, p->file[i].name) > 0)
			err(path, "has changed since it was compiled: rebuild and rerun to "
				  "see how much of the change runs");
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
	r->of.module = readinput(name, n, &r->of.nmodule, r->run);
	if (!r->of.nmodule)
		err("diff", "no counts were found");
	preparelines(&r->of, r->run);
	eachchanged(r, refuse, &patch);
	openoutput(&a->out, r);
	sum = patchcover(r, &patch, top);
	below = a->under >= 0 && 100.0 * sum.ran < a->under * sum.n;
	if (!r->rows && !sum.n)
		fprintf(r->f, "the change has no line with code\n");
	else if (!r->rows)
		fprintf(r->f, "%d of %d lines of the change ran: %.1f%%\n", sum.ran, sum.n,
			100.0 * sum.ran / sum.n);
	for (i = 0; i < r->of.nmodule; i++)
		status |= remarks(r, &r->of.module[i]);
	if (below)
		remark("less than %g%% of the change ran", a->under);
	return status | below;
}

static int
diffview(Report *new, const Asked *a, char **name)
{
	Report old = *new;
	Comparison c;
	int i, status = 0;

	old.sources = anew(new->run, Sources, 1);
	if (a->oldprefix.n) {
		Argv prefix = a->oldprefix;

		argputall(&prefix, new->of.prefix, new->of.nprefix);
		old.of.prefix = prefix.v;
		old.of.nprefix = prefix.n;
	}
	old.of.module = readinput(&name[0], 1, &old.of.nmodule, new->run);
	new->of.module = readinput(&name[1], 1, &new->of.nmodule, new->run);
	if (!old.of.nmodule || !new->of.nmodule)
		err(name[old.of.nmodule != 0], "no counts were found");
	preparelines(&old.of, old.run);
	if (!a->oldprefix.n)
		new->of.paths = old.of.paths;
	preparelines(&new->of, new->run);
	openoutput(&a->out, new);
	c = comparereports(&old, new);
	diff(new, &c, a->by);
	for (i = 0; i < old.of.nmodule; i++)
		status |= remarks(&old, &old.of.module[i]);
	for (i = 0; i < new->of.nmodule; i++)
		status |= remarks(new, &new->of.module[i]);
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
