/* file.c - whole files in, standard output out. */

#include "base.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* readfile - the bytes of path (`-` is standard input) and a NUL after them. */
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

/* flushout - make sure that what was printed has arrived: a full disk is an
 * error.  A reader that has gone away has killed us by SIGPIPE already. */
void
flushout(void)
{
	errno = 0;
	if (fflush(stdout) != 0 || ferror(stdout))
		syserr("standard output");
}
