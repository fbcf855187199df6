/* fold.c - what the runtime does to the profile directory, on request: the same code that runs
 * inside counted programs. */

#include "profile.h"

#include "runtime/fold.h"
#include "runtime/where.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

/* openlocked - opens and locks the directory; returns whether it exists. */
static bool
openlocked(Dir *d, const char *path)
{
	if (access(path, F_OK) != 0 && errno == ENOENT)
		return false;
	if (strlen(path) >= sizeof d->path)
		err(path, "the name is too long");
	strcpy(d->path, path);
	if (lock(d, LOCKTRIES) != 0)
		err(path,
		    "cannot be locked: it is not writable, or another process holds the lock");
	return true;
}

int
foldall(const char *path)
{
	static Dir d;
	struct Profhdr self = {0};
	int failed;

	if (!openlocked(&d, path))
		syserr("open %s", path);
	identify(&self);
	failed = sweep(&d, NULL, &self);
	unlock(&d);
	return failed;
}

/* forgetone - removes a file if it belongs to that program and no process counts in it. */
static void
forgetone(const Dir *d, const char *name, const char *program, const struct Profhdr *self)
{
	size_t size;
	struct Profhdr *h = mapat(d->fd, name, &size);
	View v;

	if (!h)
		return;
	if (view(&v, h, size) == 0 && strcmp((const char *)(v.module[0] + 1), program) == 0
	    && isgone(h, self) && unlinkat((int)d->fd, name, 0) != 0)
		syserr("remove %s/%s", d->path, name);
	unview(&v);
}

void
forget(const char *path, const char *program)
{
	static Dir d;
	struct Profhdr self = {0};
	const struct dirent *e;
	DIR *dir;
	int fd;

	if (!openlocked(&d, path))
		return;
	fd = openat((int)d.fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || !(dir = fdopendir(fd)))
		syserr("open %s", path);
	identify(&self);
	while ((e = readdir(dir)))
		if (isof(e->d_name, NULL))
			forgetone(&d, e->d_name, program, &self);
	closedir(dir);
	unlock(&d);
}

const char *
choosewhere(const char *begin, const char *end, const char *program, char *buf, size_t cap)
{
	return choosedir(begin, end, program, buf, cap);
}
