/* glob.c - names that match patterns. */

#include "base.h"

#include <fnmatch.h>
#include <string.h>

bool
matches(char *const *glob, int n, const char *name)
{
	int i;

	for (i = 0; i < n; i++)
		if (fnmatch(glob[i], name, 0) == 0 || strcmp(glob[i], name) == 0)
			return true;
	return false;
}

bool
matchespath(char *const *glob, int n, const char *path)
{
	for (;;) {
		if (matches(glob, n, path))
			return true;
		if (!(path = strchr(path, '/')))
			return false;
		path++;
	}
}
