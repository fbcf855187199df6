/* html.c - tally html: what was counted, as a site of pages. */

#include "cmd.h"

#include "report/html.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Asked Asked;

struct Asked {
	Choosing choosing;
	const char *dir;
};

static const Option option[] = {
	{NULL, 'o', "DIR", settext, AT(dir), NULL,
	 "where the pages go: DIR/index.html is the first.  DIR is made, or replaced if it holds "
	 "nothing but what tally html wrote"},
	{.with = &onlyoption, .at = AT(choosing.only)},
	{.with = &mangledoption, .at = AT(choosing.mangled)},
	{.with = &prefixoption, .at = AT(choosing.prefix)},
	{0},
};

static const Syntax syntax = {
	.usage = "tally html -o DIR [OPTIONS] [PROGRAM | PROFILE ...]",
	.option = option,
	.note = inputnote,
};

/* ends - whether a name has a suffix. */
static bool
ends(const char *name, const char *with)
{
	size_t n = strlen(name), k = strlen(with);

	return n > k && strcmp(name + n - k, with) == 0;
}

/* isours - whether a name in a directory is one of those that we write. */
static bool
isours(const char *name, bool top)
{
	static const char *const names[] = {"index.html", "style.css", "script.js", "files.js",
					    "functions.js"};
	size_t i;

	for (i = 0; top && i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return !top && ends(name, ".html");
}

/* check - die if a directory, which will be removed, contains anything that is not ours; returns
 * whether it contains anything. */
static bool
check(const char *dir, bool top, Arena *run)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	bool any = false;

	if (!d && errno == ENOENT && top)
		return false;
	if (!d)
		syserr("open %s", dir);
	while ((e = readdir(d))) {
		Buf path = {.arena = run};
		struct stat st;
		bool inner = strcmp(e->d_name, "file") == 0 || strcmp(e->d_name, "flow") == 0;

		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		bprintf(&path, "%s/%s", dir, e->d_name);
		if (lstat(path.s, &st) != 0)
			syserr("stat %s", path.s);
		if (top && inner && S_ISDIR(st.st_mode))
			check(path.s, false, run);
		else if (!S_ISREG(st.st_mode) || !isours(e->d_name, top))
			err(path.s, "was not written by tally html: choose another directory, or "
				    "move it");
		any = true;
	}
	closedir(d);
	return any;
}

/* checkdir - die unless the directory is missing or empty, or contains a site. */
static void
checkdir(const char *dir, Arena *run)
{
	Buf path = {.arena = run};
	char head[512] = "";
	FILE *f;

	if (!check(dir, true, run))
		return;
	bprintf(&path, "%s/index.html", dir);
	if ((f = fopen(path.s, "r"))) {
		head[fread(head, 1, sizeof head - 1, f)] = 0;
		fclose(f);
	}
	if (!strstr(head, "<meta name=\"generator\" content=\"tally "))
		err(path.s, "was not written by tally html: choose another directory, or move it");
}

static volatile sig_atomic_t stopped;

static void
stop(int sig)
{
	stopped = sig;
}

/* catchstops - catch signals of users who stop us, to remove what is half written. */
static void
catchstops(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction act = {.sa_handler = stop}, was;
	size_t i;

	for (i = 0; i < sizeof signals / sizeof *signals; i++)
		if (sigaction(signals[i], NULL, &was) == 0 && was.sa_handler == SIG_DFL)
			sigaction(signals[i], &act, NULL);
}

/* written - called after each page: stop if asked to. */
static void
written(void)
{
	if (stopped) {
		progressed();
		exit(128 + stopped);
	}
}

/* subdir - make a directory for pages. */
static void
subdir(const char *dir, const char *name, Arena *run)
{
	Buf path = {.arena = run};

	bprintf(&path, "%s/%s", dir, name);
	if (mkdir(path.s, 0777) != 0)
		syserr("create %s", path.s);
}

int
cmdhtml(int argc, char **argv)
{
	Arena run = {0};
	Report report = {.f = stdout,
			 .run = &run,
			 .sources = anew(&run, Sources, 1),
			 .insns = true,
			 .version = VERSION};
	Asked a = {0};
	Site site = {.r = &report, .written = written};
	char *said = NULL;
	size_t len = 0;
	FILE *notes = open_memstream(&said, &len);
	Newdir new = {0};
	int i, status = 0;

	if (!notes)
		syserr("open a stream");
	readoptions(&syntax, argc, argv, &a, &run);
	if (!a.dir || !*a.dir)
		wrong(&syntax, "no output directory: give -o DIR");
	choose(&report, &a.choosing);
	checkdir(a.dir, &run);
	keepremarks(notes);
	report.of.module = readinput(argv + optind, argc - optind, &report.of.nmodule, &run);
	if (!report.of.nmodule)
		err("html", "no counts were found: nothing is written");
	preparelines(&report.of, &run);
	site.cover = cover(&report);
	for (i = 0; i < report.of.nmodule; i++)
		status |= remarks(&report, &report.of.module[i]);
	sourceremarks(&report);
	changeremarks(&report);
	keepremarks(NULL);
	fclose(notes);
	site.remarks = said;
	catchstops();
	newdir(&new, a.dir, &run);
	site.dir = new.tmp;
	subdir(new.tmp, "file", &run);
	subdir(new.tmp, "flow", &run);
	html(&site);
	enddir(&new, &run);
	free(said);
	areset(&run);
	return status;
}
