/* msg.c - the voices: wrong usage, wrong input, wrong world; and remarks. */

#include "base.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* SAY - the caller's own message.  Macro, since va_start belongs into the caller. */
#define SAY()                              \
	do {                               \
		va_list ap;                \
		va_start(ap, fmt);         \
		vfprintf(stderr, fmt, ap); \
		va_end(ap);                \
	} while (0)

_Noreturn void
usage(const char *text, const char *fmt, ...)
{
	fputs("tally: ", stderr);
	SAY();
	fprintf(stderr, "\n%s", text);
	exit(2);
}

_Noreturn void
err(const char *where, const char *fmt, ...)
{
	fflush(stdout);
	progressed();
	fprintf(stderr, "tally: %s: ", where);
	SAY();
	fputc('\n', stderr);
	exit(1);
}

/* errat - `path:line: what', the form that editors can jump to. */
_Noreturn void
errat(const char *path, int line, const char *fmt, ...)
{
	fflush(stdout);
	progressed();
	fprintf(stderr, "%s:%d: ", path, line);
	SAY();
	fputc('\n', stderr);
	exit(1);
}

_Noreturn void
syserr(const char *fmt, ...)
{
	int e = errno;

	fflush(stdout);
	progressed();
	fputs("tally: ", stderr);
	SAY();
	fprintf(stderr, ": %s\n", strerror(e));
	exit(1);
}

static FILE *notes; /* where remarks are kept; NULL */

void
keepremarks(FILE *f)
{
	notes = f;
}

void
remark(const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	progressed();
	SAY();
	fputc('\n', stderr);
	if (!notes)
		return;
	va_start(ap, fmt);
	vfprintf(notes, fmt, ap);
	va_end(ap);
	fputc('\n', notes);
}
