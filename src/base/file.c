/* file.c - whole files in and out, standard output. */

#include "base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int
openfile(const char *path, struct stat *st)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), e;
	struct stat own = {0};

	if (fd < 0) {
		errno = errno == ENXIO ? 0 : errno; /* it is a socket */
		return -1;
	}
	st = st ? st : &own;
	e = fstat(fd, st) != 0 ? errno : S_ISREG(st->st_mode) ? -1 : 0;
	if (e < 0)
		return fd;
	close(fd);
	errno = e;
	return -1;
}

const char *
whynot(void)
{
	return errno ? strerror(errno) : "is not a regular file";
}

bool
canread(const char *path)
{
	int fd = openfile(path, NULL);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

const char *
lastpart(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* readfile - the bytes of path (`-` is standard input), followed by a NUL. */
char *
readfile(Arena *a, const char *path, size_t *len)
{
	bool in = strcmp(path, "-") == 0;
	FILE *f = in ? stdin : fopen(path, "rb");
	size_t n = 0, cap = 0, got;
	char *p = NULL;

	if (!f)
		syserr("open %s", path);
	do {
		p = agrow(a, p, n + 4096, &cap, 1);
		got = fread(p + n, 1, cap - 1 - n, f);
		n += got;
	} while (got > 0);
	if (ferror(f))
		syserr("read %s", path);
	if (!in)
		fclose(f);
	p[n] = 0;
	*len = n;
	return p;
}

/* readslice - *len bytes of a file from `at' on, or all if *len is 0; fewer if the file ends
 * before.  A NUL follows them. */
char *
readslice(Arena *a, const char *path, uint64_t at, size_t *len)
{
	size_t n = 0, want = *len, have;
	ssize_t got = 1;
	struct stat st;
	int fd = openfile(path, &st);
	char *p;

	if (fd < 0)
		noerr(path);
	have = at < (uint64_t)st.st_size ? (size_t)((uint64_t)st.st_size - at) : 0;
	if (!want || want > have)
		want = have;
	p = anew(a, char, want + 1);
	while (n < want && got > 0) {
		got = pread(fd, p + n, want - n, (off_t)(at + n));
		n += got > 0 ? (size_t)got : 0;
	}
	close(fd);
	if (got < 0)
		syserr("read %s", path);
	*len = n;
	return p;
}

bool
stampof(const char *path, uint64_t *size, uint64_t *hash)
{
	char block[65536] __attribute__((aligned(8)));
	uint64_t word, h = HASHBEGIN;
	size_t have = 0, i;
	ssize_t got;
	int fd = openfile(path, NULL);

	if (fd < 0)
		return false;
	*size = 0;
	while ((got = read(fd, block + have, sizeof block - have)) > 0 || have) {
		have += got > 0 ? (size_t)got : 0;
		if (got > 0 && have < sizeof block)
			continue; /* only the last block may end within a word */
		memset(block + have, 0, -have & 7);
		for (i = 0; i < have; i += 8) {
			memcpy(&word, block + i, sizeof word);
			h = hashnumber(h, word);
		}
		*size += have;
		have = 0;
	}
	close(fd);
	*hash = h;
	return got == 0;
}

/* flushout - make sure that what was printed has arrived: a full disk is an error.  If the reader
 * is gone, there is nobody to tell: SIGPIPE kills us, unless our parent ignored it. */
void
flushout(void)
{
	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return;
	if (errno == EPIPE)
		exit(1);
	syserr("standard output");
}

/* create - a new file beside its final path. */
static FILE *
create(Newfile *n, mode_t mode, Arena *run)
{
	n->tmp = tempbeside(n->path, false, run);
	n->f = fopen(n->tmp, "w");
	if (!n->f || fchmod(fileno(n->f), mode) != 0)
		syserr("create %s", n->tmp);
	return n->f;
}

/* usual - the mode of new files. */
static mode_t
usual(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

FILE *
newfile(Newfile *n, const char *path, Arena *run)
{
	char *real = realpath(path, NULL); /* replace the target of a link */
	mode_t mode = usual();
	struct stat st;

	*n = (Newfile){.path = real ? astrndup(run, real, strlen(real)) : path};
	free(real);
	if (stat(n->path, &st) == 0) {
		mode = st.st_mode & 0777;
		if (!S_ISREG(st.st_mode)) {
			if (!(n->f = fopen(n->path, "w")))
				syserr("open %s", n->path);
			return n->f;
		}
	}
	return create(n, mode, run);
}

FILE *
ownfile(Newfile *n, const char *path, Arena *run)
{
	*n = (Newfile){.path = path};
	return create(n, usual(), run);
}

void
endfile(Newfile *n)
{
	errno = 0;
	if (fflush(n->f) != 0 || ferror(n->f) || fclose(n->f) != 0)
		syserr("write %s", n->path);
	if (n->tmp && rename(n->tmp, n->path) != 0)
		syserr("rename %s to %s", n->tmp, n->path);
	if (n->tmp)
		keeptemp(n->tmp);
	n->tmp = NULL;
}
