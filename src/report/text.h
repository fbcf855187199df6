/* text.h - the texts of sources, and what their lines counted. */

#ifndef TEXT_H
#define TEXT_H

#include "report.h"

/* text.c: readtext - the lines of a file, as its compiler numbers them.  splittext - those of a text with a NUL at
 * its end, which is changed by that; path is the name of its source.
 * textdiff.c: matchlines - for each line of one text, the number of that line
 * in another, counted from 1; 0 if it is not there. */

typedef struct Textfile Textfile;

struct Textfile {
	bool there;
	char **line;    /* without what ends them */
	size_t *len;    /* of those: they may hold NULs */
	uint32_t *feed; /* their numbers where only line feeds count: several may have the same */
	int n;
};

Textfile readtext(const char *path, Arena *);
Textfile splittext(const char *path, char *s, size_t len, Arena *);
int *matchlines(const Textfile *old, const Textfile *new, Arena *);

/* listing.c: eachline - tell the lines of the sources that are wanted, in their order, with their
 * text.  Headers of the system are left out. */

typedef struct Shown Shown;

struct Shown {
	const char *file;
	uint32_t number;
	const Line *line; /* NULL: no code */
	const Line *next; /* it, or else the next in the file that has code; NULL */
	const char *text; /* NULL if the source is not there */
	int len;
};

void eachline(const Report *, const Lines *, void (*tell)(void *, const Shown *), void *);

#endif
