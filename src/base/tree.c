/* tree.c - a directory that replaces another once it is complete. */

#include "base.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int
removeone(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

int
removetree(const char *path)
{
	return nftw(path, removeone, 16, FTW_DEPTH | FTW_PHYS);
}

void
newdir(Newdir *d, const char *path, Arena *run)
{
	char *real = realpath(path, NULL); /* replace the target of a link */
	mode_t mask = umask(0);
	size_t n = strlen(path);

	umask(mask);
	while (n > 1 && path[n - 1] == '/')
		n--;
	*d = (Newdir){.path = real ? astrndup(run, real, strlen(real)) : astrndup(run, path, n)};
	free(real);
	d->tmp = tempbeside(d->path, true, run);
	if (chmod(d->tmp, 0777 & ~mask) != 0)
		syserr("create %s", d->tmp);
}

void
enddir(Newdir *d, Arena *run)
{
	Buf old = {.arena = run};

	if (renameat2(AT_FDCWD, d->tmp, AT_FDCWD, d->path, RENAME_EXCHANGE) == 0) {
		bprintf(&old, "%s", d->tmp);
	} else if (rename(d->tmp, d->path) != 0) {
		/* The old one is not empty, and the file system cannot exchange them. */
		bprintf(&old, "%s.old", d->tmp);
		if (rename(d->path, old.s) != 0)
			syserr("rename %s to %s", d->path, old.s);
		if (rename(d->tmp, d->path) != 0) {
			int e = errno;

			rename(old.s, d->path);
			errno = e;
			syserr("rename %s to %s", d->tmp, d->path);
		}
	}
	keeptemp(d->tmp);
	d->tmp = NULL;
	if (old.n && removetree(old.s) != 0)
		syserr("%s is there, but could not remove what it was before, %s", d->path, old.s);
}

/* makeone - make a directory if it is missing. */
static bool
makeone(const char *path)
{
	struct stat st;

	if (mkdir(path, 0777) == 0)
		return true;
	if (errno != EEXIST || stat(path, &st) != 0)
		return false;
	errno = ENOTDIR;
	return S_ISDIR(st.st_mode);
}

bool
makedirs(const char *path)
{
	char *s, *slash;

	if (makeone(path))
		return true;
	if (errno != ENOENT || !(s = strdup(path)))
		return false;
	for (slash = s; *slash && (slash = strchr(slash + 1, '/'));) {
		*slash = 0;
		mkdir(s, 0777); /* if this fails, so will the last one */
		*slash = '/';
	}
	free(s);
	return makeone(path);
}

void
makeabove(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dir = slash && slash > path ? strndup(path, (size_t)(slash - path)) : NULL;

	if (dir && !makedirs(dir))
		syserr("mkdir %s", dir);
	free(dir);
}
