/* merge.c - tally merge: add up many profiles into one file. */

#include "cmd.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Asked Asked;

struct Asked {
	const char *out;
};

static const Option option[] = {
	{NULL, 'o', "FILE", settext, AT(out), NULL, "write the sums to FILE, all or nothing"},
	{0},
};

static const Syntax syntax = {
	.usage = "tally merge -o FILE [PROFILE | DIRECTORY ...]",
	.option = option,
	.note = "Profiles of the same program, build and label become one sum.  Every verb reads "
		"FILE as\n"
		"a profile.  The default input is all profiles in tally.out.\n",
};

/* checkplace - die if the new file would be in one of the directories that it sums up. */
static void
checkplace(const char *out, char **name, int n, Arena *run)
{
	const char *slash = strrchr(out, '/');
	const char *dir = slash ? astrndup(run, out, (size_t)(slash + 1 - out)) : ".";
	struct stat to, from;
	int i;

	for (i = 0; i < n; i++)
		if (stat(dir, &to) == 0 && stat(name[i], &from) == 0 && to.st_dev == from.st_dev
		    && to.st_ino == from.st_ino)
			err(out, "is in %s and would be counted again: choose another directory",
			    name[i]);
}

int
cmdmerge(int argc, char **argv)
{
	Arena run = {0};
	Parts parts = {.run = &run};
	char *all[] = {(char *)profiles()}, **name;
	Newfile file = {0};
	Asked a = {0};
	int i, n;

	readoptions(&syntax, argc, argv, &a, &run);
	if (!a.out)
		wrong(&syntax, "no output file: give -o FILE");
	name = optind < argc ? argv + optind : all;
	n = optind < argc ? argc - optind : 1;
	checkplace(a.out, name, n, &run);
	for (i = 0; i < n; i++)
		addparts(&parts, name[i]);
	settleparts(&parts);
	groupparts(&parts);
	if (!parts.n)
		err(name[0], "has no profiles: nothing is written");
	makeabove(a.out);
	if (!writemerged(newfile(&file, a.out, &run), &parts))
		err(name[0], "has no profiles: nothing is written");
	endfile(&file);
	partsdone(&parts);
	progressed();
	areset(&run);
	return 0;
}
