/* log.c - what the stand-ins did, for the summary with which tally build ends.  The log has a line
 * for each file, and for each function that is not counted:
 *
 *   counted   FILE  FUNCTIONS  MICROSECONDS
 *   function  FILE  NAME  REASON
 *   passed    FILE  REASON        not counted
 *   empty     FILE  REASON        not counted, but there was nothing to count
 *   tables    FILE  REASON        its lines are not from markers
 *   note      WHO   WHAT
 *
 * with tabs in between.  A stand-in appends all its lines by one write(). */

#include "standin.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void
writelog(const Settings *s, const Buf *lines)
{
	int fd = s->log ? open(s->log, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;

	if (fd < 0)
		return;
	if (write(fd, lines->s, lines->n) < 0) {
		/* there is nobody to tell */
	}
	close(fd);
}

typedef struct Reason Reason;

/* Why files were not counted, and how many. */
struct Reason {
	const char *why;
	int n;
};

/* field - the next field of a line, at *s; "" after the last. */
static char *
field(char **s)
{
	char *f = *s, *tab = strchr(f, '\t');

	*s = tab ? tab + 1 : f + strlen(f);
	if (tab)
		*tab = 0;
	return f;
}

static int
bynumber(const void *a, const void *b)
{
	const Reason *x = a, *y = b;

	return x->n != y->n ? y->n - x->n : strcmp(x->why, y->why);
}

/* summarise - print the summary. */
static void
summarise(int counted, int functions, int odd, double seconds, Reason *reason, int nreason)
{
	int i, passed = 0;

	for (i = 0; i < nreason; i++)
		passed += reason[i].n;
	if (!counted && !passed) {
		notice("nothing was counted: no compiler called tally's assembler (nothing to "
		       "compile, a compiler cache, clang -flto, another assembler by -B or -specs, "
		       "or a cleared environment?)");
		return;
	}
	fprintf(stderr, "%s: %d file%s counted", selfname(), counted, counted == 1 ? "" : "s");
	if (odd)
		fprintf(stderr, " (%d of %d functions not)", odd, functions);
	fprintf(stderr, ", %d passed through", passed);
	qsort(reason, (size_t)nreason, sizeof *reason, bynumber);
	for (i = 0; i < nreason && i < 3; i++)
		fprintf(stderr, "%s%d: %s", i ? "; " : " (", reason[i].n, reason[i].why);
	if (nreason)
		fprintf(stderr, "%s)", nreason > 3 ? "; ..." : "");
	fprintf(stderr, "; it took %.1f s\n", seconds);
}

void
readlog(const char *path, Logwords say, bool failed, Arena *run)
{
	bool verbose = say == LOGALL;
	size_t len;
	char *s = readfile(run, path, &len), *end = s + len, *eol;
	int counted = 0, empty = 0, functions = 0, odd = 0, nreason = 0, tables = 0;
	Table index = {.arena = run};
	double seconds = 0;
	Reason *reason = anew(run, Reason, 1);
	size_t cap = 0;

	for (; s < end && (eol = memchr(s, '\n', (size_t)(end - s))); s = eol + 1) {
		char *kind, *file, *third;

		*eol = 0;
		kind = field(&s);
		file = field(&s);
		third = field(&s);
		if (strcmp(kind, "counted") == 0) {
			counted++;
			functions += (int)strtol(third, NULL, 10);
			seconds += strtod(s, NULL) / 1e6;
			if (verbose)
				fprintf(stderr, "%s: counted\n", file);
		} else if (strcmp(kind, "function") == 0) {
			odd++;
			if (verbose) {
				demangle(&third, 1, run);
				fprintf(stderr, "%s: %s: not counted: %s\n", file, third, s);
			}
		} else if (strcmp(kind, "tables") == 0) {
			tables++;
			if (verbose || tables == 1)
				fprintf(stderr, "%s: line counts come from line tables: %s\n", file,
					third);
		} else if (strcmp(kind, "note") == 0) {
			notice("%s: %s", file, third);
		} else if (strcmp(kind, "empty") == 0) {
			empty++;
			if (verbose)
				fprintf(stderr, "%s: %s\n", file, third);
		} else if (strcmp(kind, "passed") == 0) {
			Entry *e = intern(&index, third, strlen(third), nreason);

			if (e->value == nreason) {
				apush(run, reason, nreason, cap);
				reason[nreason++] = (Reason){.why = e->key};
			}
			reason[e->value].n++;
			if (verbose)
				fprintf(stderr, "%s: passed through: %s\n", file, third);
		}
	}
	if (tables > 1 && !verbose)
		notice("the same holds for %d more files; --verbose names them", tables - 1);
	if (say == LOGODD ? odd || nreason : counted || nreason || (!empty && !failed))
		summarise(counted, functions, odd, seconds, reason, nreason);
}
