/* temp.c - files and directories that are removed when we exit. */

#include "base.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Temp Temp;

struct Temp {
	char *path;
	pid_t owner; /* its children remove nothing */
	Temp *next;
};

static Temp *first; /* of a list */

void
keeptemp(const char *path)
{
	Temp **at = &first, *t;

	while (*at && strcmp((*at)->path, path) != 0)
		at = &(*at)->next;
	t = *at;
	if (!t)
		return;
	*at = t->next;
	free(t->path);
	free(t);
}

/* removeall - called at exit. */
static void
removeall(void)
{
	Temp *t;

	for (t = first; t; t = t->next)
		if (t->owner == getpid())
			removetree(t->path);
}

/* note - have a path removed at exit; returns it. */
static char *
note(char *path)
{
	Temp *t = malloc(sizeof *t);
	static bool registered;

	if (!t || !(t->path = strdup(path)))
		syserr("no memory");
	if (!registered)
		atexit(removeall);
	registered = true;
	t->owner = getpid();
	t->next = first;
	first = t;
	return path;
}

/* make - a file or directory, with other characters for the last six X of its path; NULL with errno
 * if that is impossible. */
static char *
make(char *path, bool isdir)
{
	int fd;

	if (isdir)
		return mkdtemp(path) ? note(path) : NULL;
	fd = mkstemp(path);
	if (fd < 0)
		return NULL;
	close(fd);
	return note(path);
}

/* usable - the absolute path of a directory in which we may make files; NULL if it is none, or has
 * one of the characters to avoid. */
static char *
usable(const char *dir, const char *avoid, char real[PATH_MAX])
{
	struct stat st;

	if (!dir || !*dir || access(dir, R_OK | W_OK | X_OK) != 0 || stat(dir, &st) != 0
	    || !S_ISDIR(st.st_mode) || !realpath(dir, real) || strpbrk(real, avoid))
		return NULL;
	return real;
}

/* somewhere - a new file or directory where gcc would make its own; NULL if there is no such
 * place. */
static char *
somewhere(const char *avoid, bool isdir, Arena *run)
{
	const char *const place[] = {getenv("TMPDIR"), getenv("TMP"), getenv("TEMP"),
				     P_tmpdir,         "/var/tmp",    "."};
	char real[PATH_MAX];
	size_t i;

	for (i = 0; i < sizeof place / sizeof *place; i++) {
		Buf path = {.arena = run};

		if (!usable(place[i], avoid, real))
			continue;
		bprintf(&path, "%s/tallyXXXXXX", real);
		if (make(path.s, isdir))
			return path.s;
	}
	return NULL;
}

char *
tempfile(Arena *run)
{
	return somewhere("", false, run);
}

char *
tempdir(const char *avoid, Arena *run)
{
	return somewhere(avoid, true, run);
}

char *
tempbeside(const char *path, bool isdir, Arena *run)
{
	Buf tmp = {.arena = run};

	bprintf(&tmp, "%s.XXXXXX", path);
	if (!make(tmp.s, isdir))
		syserr("create %s", tmp.s);
	return tmp.s;
}

void
endtemp(const char *path)
{
	removetree(path);
	keeptemp(path);
}
