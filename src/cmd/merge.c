/* merge.c - tally merge: many profiles in one file. */

#include "cmd.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char help[] =
	"usage: tally merge -o FILE [PROFILE | DIRECTORY ...]\n"
	"  -o FILE         write the sums to FILE, all or nothing\n"
	"Profiles of one program, build and label become one sum; others are kept apart in FILE,\n"
	"which is a profile for every verb.  Without PROFILE or DIRECTORY all in tally.out.\n";

/* checkplace - the new file must not be where it would be added to what it holds. */
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
			err(out, "is in %s, where it would be counted again: choose another place",
			    name[i]);
}

int
cmdmerge(int argc, char **argv)
{
	static const struct option longs[] = {{"help", no_argument, NULL, 'h'}, {0}};
	Arena run = {0};
	Parts parts = {.run = &run};
	char *all[] = {(char *)profiles()}, **name;
	const char *out = NULL;
	Newfile file = {0};
	int c, i, n;

	opterr = 0;
	while ((c = getopt_long(argc, argv, ":o:h", longs, NULL)) != -1)
		switch (c) {
		case 'o': out = optarg; break;
		default: otheroption(c, argv, help);
		}
	if (!out)
		usage(help, "no file is given to write to: -o FILE");
	name = optind < argc ? argv + optind : all;
	n = optind < argc ? argc - optind : 1;
	checkplace(out, name, n, &run);
	for (i = 0; i < n; i++)
		addparts(&parts, name[i]);
	settleparts(&parts);
	groupparts(&parts);
	if (!parts.n)
		err(name[0], "has no profiles: nothing is written");
	makeabove(out);
	if (!writemerged(newfile(&file, out, &run), &parts))
		err(name[0], "has no profiles: nothing is written");
	endfile(&file);
	partsdone(&parts);
	progressed();
	areset(&run);
	return 0;
}
