/* text.h - the texts of sources, and the counts of their lines. */

#ifndef TEXT_H
#define TEXT_H

#include "report.h"

/* text.c:
 * readtext - the lines of a file, with the numbers that its compiler gives them.
 * splittext - those of a text that is followed by a NUL, which modifies it; path is the name of its
 * source.
 * textdiff.c:
 * matchlines - for each line of a text the number of that line in another, from 1; 0 if it is not
 * there. */

typedef struct Textfile Textfile;

struct Textfile {
	bool there;
	char **line;    /* without line ends */
	size_t *len;    /* lengths; lines may contain NULs */
	uint32_t *feed; /* line numbers if only line feeds count; not unique */
	int n;
};

Textfile readtext(const char *path, Arena *);
Textfile splittext(const char *path, char *s, size_t len, Arena *);
int *matchlines(const Textfile *old, const Textfile *new, Arena *);

/* listing.c: eachline - call tell() for each line of the sources that are to be shown, with its
 * text.  System headers are omitted. */

typedef struct Shown Shown;

struct Shown {
	const char *file;
	uint32_t number;
	const Line *line; /* NULL if it has no code */
	const Line *next; /* that, or else the next in the file with code; or NULL */
	const char *text; /* NULL if the source is missing */
	int len;
};

void eachline(const Report *, const Lines *, void (*tell)(void *, const Shown *), void *);

#endif
