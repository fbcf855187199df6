/* fold.c - what the runtime does to the profile directory, for those who ask for it: the very
 * code that runs inside counted programs. */

#include "profile.h"

#include "runtime/fold.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* openlocked - the directory, and lock it; false if it is not there. */
static bool
openlocked(Dir *d, const char *path)
{
	if (access(path, F_OK) != 0 && errno == ENOENT)
		return false;
	if (strlen(path) >= sizeof d->path)
		err(path, "its name is too long");
	strcpy(d->path, path);
	if (lock(d, LOCKTRIES) != 0)
		err(path, "it cannot be locked: may we write there, or does a process hold it?");
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
