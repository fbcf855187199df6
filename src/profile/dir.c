/* dir.c - all profiles of a directory, while processes may add to it. */

#include "profile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { PATIENCE = 10 }; /* seconds */

static void
wake(int sig)
{
	(void)sig;
}

/* lockdir - keep processes from folding their profiles meanwhile: a file could be missed,
 * or met twice.  Where that cannot be, they cannot fold either.  We stand in line, since
 * there may be hundreds of them, and each tries again and again. */
static int
lockdir(const char *dir, Arena *run)
{
	struct sigaction interrupt = {.sa_handler = wake}, was;
	Buf path = {.arena = run};
	int fd;

	bprintf(&path, "%s/.lock", dir);
	fd = open(path.s, O_RDONLY | O_CLOEXEC);
	sigaction(SIGALRM, &interrupt, &was);
	alarm(PATIENCE);
	if (fd >= 0 && flock(fd, LOCK_SH) != 0 && errno == EINTR)
		remark("%s: a process holds its lock and does not go on: counts may be missing",
		       dir);
	alarm(0);
	sigaction(SIGALRM, &was, NULL);
	return fd;
}

static int
byname(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* list - the names of profiles in a directory, in order. */
static char **
list(const char *dir, int *n, Arena *run)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	char **name = NULL;
	size_t cap = 0;

	if (!d)
		syserr("open %s", dir);
	*n = 0;
	while ((e = readdir(d))) {
		size_t len = strlen(e->d_name);

		if (len < 6 || e->d_name[0] == '.' || strcmp(e->d_name + len - 6, ".tally") != 0)
			continue;
		apush(run, name, *n, cap);
		name[(*n)++] = astrndup(run, e->d_name, len);
	}
	closedir(d);
	if (*n)
		qsort(name, (size_t)*n, sizeof *name, byname);
	return name;
}

void
readprofiles(Profile *p, const char *dir)
{
	int n, i, begun = 0, fd = lockdir(dir, p->run);
	char **name = list(dir, &n, p->run);

	for (i = 0; i < n; i++) {
		Buf path = {.arena = p->run};

		bprintf(&path, "%s/%s", dir, name[i]);
		if (readlast(p, path.s))
			name[begun++] = path.s;
	}
	for (i = 0; i < begun; i++)
		readprofile(p, name[i]);
	if (fd >= 0)
		close(fd);
}
