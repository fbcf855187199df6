/* gold.c - tally in the place of ld.gold: it takes a map that speaks of code which it has thrown away for an error, so
 * it must not throw any away. */

#include "standin.h"

#include <string.h>
#include <unistd.h>

int
cmdgold(int argc, char **argv)
{
	Arena run = {0};
	char *ld = realtool("ld.gold", &run);
	char **a = anew(&run, char *, argc + 1);
	Buf note = {.arena = &run};
	int i, n = 0;

	for (i = 0; i < argc; i++)
		if (strcmp(argv[i], "--gc-sections") != 0)
			a[n++] = argv[i];
	if (n < argc) {
		bprintf(&note, "note\tgold\tlinked without --gc-sections\n");
		writelog(&note);
	}
	a[0] = ld;
	execv(ld, a);
	syserr("exec %s", ld);
}
