/* text.c - the lines of sources, with the numbers that their compilers give them.
 *
 * A line ends with a line feed, alone or after a carriage return.  In most languages a carriage
 * return alone ends it, too, even where editors show one line.  By experiment:
 *
 *   C, C++, Ada, whatever the preprocessor has read    \n  \r\n  \r
 *   Pascal (fpc)                                       the same, and \n\r is one
 *   Fortran, assembly; Rust and Go                     \n  \r\n
 *
 * Form feeds, vertical tabs, NULs and the line ends of Unicode end no line anywhere. */

#include "text.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>

typedef struct Ends Ends;

struct Ends {
	bool cr;   /* a carriage return alone ends a line */
	bool lfcr; /* a carriage return belongs to the line feed before it */
};

/* endsof - what ends lines, by the suffix of a source. */
static Ends
endsof(const char *path)
{
	static const char *const feeds[] = {"f",   "for", "ftn", "f77", "f90", "f95",
					    "f03", "f08", "s",   "rs",  "go"};
	static const char *const pascal[] = {"pas", "pp", "p", "lpr", "dpr"};
	const char *dot = strrchr(path, '.');
	size_t i;

	if (!dot)
		return (Ends){true, false};
	for (i = 0; i < sizeof feeds / sizeof *feeds; i++)
		if (strcmp(dot + 1, feeds[i]) == 0)
			return (Ends){false, false};
	for (i = 0; i < sizeof pascal / sizeof *pascal; i++)
		if (strcasecmp(dot + 1, pascal[i]) == 0)
			return (Ends){true, true};
	return (Ends){true, false};
}

/* lineend - where the line at s ends; *next is where the next one begins. */
static char *
lineend(char *s, char *end, Ends ends, char **next)
{
	for (; s < end; s++) {
		if (*s == '\n') {
			*next = s + 1 + (ends.lfcr && s + 1 < end && s[1] == '\r');
			return s;
		}
		if (*s == '\r' && (ends.cr || (s + 1 < end && s[1] == '\n'))) {
			*next = s + 1 + (s + 1 < end && s[1] == '\n');
			return s;
		}
	}
	*next = end;
	return end;
}

Textfile
splittext(const char *path, char *s, size_t len, Arena *run)
{
	Ends ends = endsof(path);
	Textfile t = {.there = true};
	size_t cap = 0, caplen = 0, capfeed = 0;
	char *end = s + len, *eol, *next;
	uint32_t feed = 1;

	for (; s < end; s = next) {
		eol = lineend(s, end, ends, &next);
		apush(run, t.line, t.n, cap);
		apush(run, t.len, t.n, caplen);
		apush(run, t.feed, t.n, capfeed);
		t.line[t.n] = s;
		t.len[t.n] = (size_t)(eol - s);
		t.feed[t.n++] = feed;
		feed += memchr(eol, '\n', (size_t)(next - eol)) != NULL;
		*eol = 0; /* also at the end: a NUL follows the text */
	}
	return t;
}

Textfile
readtext(const char *path, Arena *run)
{
	int fd = openfile(path, NULL);
	size_t len = 0;
	char *s;

	if (fd < 0)
		return (Textfile){0};
	close(fd);
	s = readslice(run, path, 0, &len);
	return splittext(path, s, len, run);
}
