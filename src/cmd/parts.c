/* parts.c - tally in the place of other parts of compilers. */

#include "cmd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* lookfor - the first program of a name in a list of directories that is not ourselves, or NULL. */
static char *
lookfor(const char *list, const char *name, const struct stat *self, Arena *run)
{
	Buf b = {.arena = run};
	const char *end;
	struct stat st;

	for (; *list; list = *end ? end + 1 : end) {
		end = strchrnul(list, ':');
		b.n = 0;
		bprintf(&b, "%.*s/%s", (int)(end - list), list, name);
		if (access(b.s, X_OK) == 0 && stat(b.s, &st) == 0 && !S_ISDIR(st.st_mode)
		    && (st.st_ino != self->st_ino || st.st_dev != self->st_dev))
			return b.s;
	}
	return NULL;
}

char *
realtool(const char *name, Arena *run)
{
	const char *first = getenv("TALLY_OLD_COMPILER_PATH");
	Buf b = {.arena = run};
	struct stat self;
	char *found;

	if (stat("/proc/self/exe", &self) != 0)
		syserr("stat /proc/self/exe");
	found = lookfor(first ? first : "", name, &self, run);
	if (!found)
		found = lookfor(oldpath(), name, &self, run);
	bprintf(&b, "/usr/bin/%s", name);
	return found ? found : b.s;
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
