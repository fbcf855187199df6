/* real.c - find the programs that we stand in for. */

#include "standin.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool
isourselves(const char *path)
{
	struct stat self, st;

	return stat(path, &st) == 0 && stat("/proc/self/exe", &self) == 0
	       && st.st_ino == self.st_ino && st.st_dev == self.st_dev;
}

/* lookfor - the first program of a name in a list of directories, other than ourselves; NULL if
 * there is none. */
static char *
lookfor(const char *list, const char *name, Arena *run)
{
	Buf b = {.arena = run};
	const char *end;
	struct stat st;

	for (; *list; list = *end ? end + 1 : end) {
		end = strchrnul(list, ':');
		b.n = 0;
		bprintf(&b, "%.*s/%s", (int)(end - list), list, name);
		if (access(b.s, X_OK) == 0 && stat(b.s, &st) == 0 && !S_ISDIR(st.st_mode)
		    && !isourselves(b.s))
			return b.s;
	}
	return NULL;
}

const char *
oldpath(const Settings *s)
{
	const char *path = getenv("PATH");
	size_t n = s->folder ? strlen(s->folder) : 0;

	if (n && path && strncmp(path, s->folder, n) == 0 && path[n] == ':')
		path += n + 1;
	return path ? path : "/usr/bin:/bin";
}

char *
realtool(const Settings *s, const char *name, Arena *run)
{
	const char *first = s->old[COMPILERPATH];
	Buf b = {.arena = run};
	char *found;

	found = lookfor(first ? first : "", name, run);
	if (!found)
		found = lookfor(oldpath(s), name, run);
	bprintf(&b, "/usr/bin/%s", name);
	return found ? found : b.s;
}

bool
iscountable(const Settings *s, const char *machine)
{
	static const char *const other[] = {"windows", "mingw", "cygwin", "msys",  "darwin",
					    "macos",   "apple", "uefi",   "gnux32"};
	size_t i;

	if (strncmp(machine, "x86_64-", 7) != 0 && strncmp(machine, "amd64-", 6) != 0)
		return false;
	for (i = 0; i < sizeof other / sizeof *other; i++)
		if (strstr(machine, other[i]))
			return false;
	return s->bare || strstr(machine, "linux");
}
