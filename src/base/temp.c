/* temp.c - files and directories that are gone when the work is done. */

#include "base.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* usable - the absolute path of a directory where we may make files; NULL if it is none, or its path has
 * one of the letters to avoid. */
static char *
usable(const char *dir, const char *avoid, char real[PATH_MAX])
{
	struct stat st;

	if (!dir || !*dir || access(dir, R_OK | W_OK | X_OK) != 0 || stat(dir, &st) != 0
	    || !S_ISDIR(st.st_mode) || !realpath(dir, real) || strpbrk(real, avoid))
		return NULL;
	return real;
}

/* make - a new file, or a directory, where gcc would have its own; NULL if there is no room. */
static char *
make(const char *avoid, bool isdir, Arena *run)
{
	const char *const place[] = {getenv("TMPDIR"), getenv("TMP"), getenv("TEMP"),
				     P_tmpdir,         "/var/tmp",    "."};
	char real[PATH_MAX];
	size_t i;
	int fd;

	for (i = 0; i < sizeof place / sizeof *place; i++) {
		Buf path = {.arena = run};

		if (!usable(place[i], avoid, real))
			continue;
		bprintf(&path, "%s/tallyXXXXXX", real);
		if (isdir && mkdtemp(path.s))
			return path.s;
		fd = isdir ? -1 : mkstemp(path.s);
		if (fd >= 0) {
			close(fd);
			return path.s;
		}
	}
	return NULL;
}

char *
tempfile(Arena *run)
{
	return make("", false, run);
}

char *
tempdir(const char *avoid, Arena *run)
{
	return make(avoid, true, run);
}
