/* msg.c - messages: wrong usage, wrong input, a failed system call; and remarks. */

#include "base.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *notes;                /* where messages are kept, too; or NULL */
static const char *self = "tally"; /* the name that messages begin with */

/* put - print a part of a message. */
static void
put(const char *fmt, va_list ap)
{
	va_list again;

	va_copy(again, ap);
	vfprintf(stderr, fmt, ap);
	if (notes)
		vfprintf(notes, fmt, again);
	va_end(again);
}

/* SAY - print the caller's fmt and arguments; a macro, because va_start must be in the caller. */
#define SAY()                      \
	do {                       \
		va_list ap;        \
		va_start(ap, fmt); \
		put(fmt, ap);      \
		va_end(ap);        \
	} while (0)

static void add(const char *fmt, ...) PRINTF(1, 2);

/* add - print what surrounds it. */
static void
add(const char *fmt, ...)
{
	SAY();
}

/* begin - a message; in a quiet attempt, end that instead. */
static void
begin(void)
{
	if (isquiet())
		endattempt();
	fflush(stdout);
	progressed();
}

void
callself(const char *name)
{
	self = name;
}

const char *
selfname(void)
{
	return self;
}

void
notice(const char *fmt, ...)
{
	if (isquiet())
		return;
	begin();
	fprintf(stderr, "%s: ", self);
	SAY();
	add("\n");
}

_Noreturn void
usage(const char *text, const char *fmt, ...)
{
	fprintf(stderr, "%s: ", self);
	SAY();
	fprintf(stderr, "\n%s", text);
	exit(2);
}

_Noreturn void
err(const char *where, const char *fmt, ...)
{
	begin();
	fprintf(stderr, "%s: ", self);
	add("%s: ", where);
	SAY();
	add("\n");
	endattempt();
}

/* errat - `path:line: what', the form that editors understand. */
_Noreturn void
errat(const char *path, int line, const char *fmt, ...)
{
	begin();
	add("%s:%d: ", path, line);
	SAY();
	add("\n");
	endattempt();
}

_Noreturn void
syserr(const char *fmt, ...)
{
	int e = errno;

	begin();
	fprintf(stderr, "%s: ", self);
	SAY();
	add(": %s\n", strerror(e));
	endattempt();
}

_Noreturn void
noerr(const char *path)
{
	if (errno)
		syserr("open %s", path);
	err(path, "%s", whynot());
}

void
keepremarks(FILE *f)
{
	notes = f;
}

void
remark(const char *fmt, ...)
{
	if (isquiet())
		return;
	begin();
	SAY();
	add("\n");
}
