/* parts.c - tally in the place of other parts of compilers. */

#include "cmd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *
realtool(const char *name, Arena *run)
{
	const char *path = getenv("PATH"), *end;
	struct stat self, st;
	Buf b = {.arena = run};

	if (stat("/proc/self/exe", &self) != 0)
		syserr("stat /proc/self/exe");
	for (path = path ? path : "/usr/bin:/bin"; *path; path = *end ? end + 1 : end) {
		end = strchrnul(path, ':');
		b.n = 0;
		bprintf(&b, "%.*s/%s", (int)(end - path), path, name);
		if (access(b.s, X_OK) == 0 && stat(b.s, &st) == 0
		    && (st.st_ino != self.st_ino || st.st_dev != self.st_dev))
			return b.s;
	}
	b.n = 0;
	bprintf(&b, "/usr/bin/%s", name);
	return b.s;
}

bool
asksdebug(const char *option)
{
	return strncmp(option, "-g", 2) == 0 && option[2] != '0' && strncmp(option, "-gno-", 5) != 0
	       && strncmp(option, "-gnat", 5) != 0;
}

/* cmdgold - in the place of ld.gold: it takes a map that speaks of code which it has
 * thrown away for an error, so it must not throw any away. */
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
