/* gold.c - tally in the place of ld.gold, which calls it an error if a map refers to code that
 * --gc-sections removed: link without that option. */

#include "standin.h"

#include <string.h>
#include <unistd.h>

int
cmdgold(int argc, char **argv)
{
	Arena run = {0};
	Settings settings = getsettings(&run);
	char *ld = realtool(&settings, "ld.gold", &run);
	Argv a = {.arena = &run};
	Buf note = {.arena = &run};
	int i;

	argput(&a, ld);
	for (i = 1; i < argc; i++)
		if (strcmp(argv[i], "--gc-sections") != 0)
			argput(&a, argv[i]);
	if (a.n < argc) {
		bprintf(&note, "note\tgold\tlinked without --gc-sections\n");
		writelog(&settings, &note);
	}
	execv(ld, a.v);
	syserr("exec %s", ld);
}
