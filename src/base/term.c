/* term.c - manners on a terminal. */

#include "base.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE = 1000, EVERY = 100 }; /* milliseconds */

static bool shown; /* there is a line of progress */

/* now - milliseconds, of a clock that nobody sets. */
static int64_t
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void
progress(const char *what, int done, int of)
{
	static int64_t begun, last;
	static const char *before;
	int64_t t = now();

	if (what != before) {
		before = what;
		begun = last = t;
	}
	if (t - begun < PATIENCE || t - last < EVERY || !isatty(STDERR_FILENO))
		return;
	last = t;
	shown = true;
	fprintf(stderr, "\r%s: %d of %d\033[K", what, done, of);
}

void
progressed(void)
{
	if (shown)
		fputs("\r\033[K", stderr);
	shown = false;
}
