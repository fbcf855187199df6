/* grid.h - tables, as text and in JSON. */

#ifndef GRID_H
#define GRID_H

#include "base/base.h"

#include <stdio.h>

typedef struct Grid Grid;
typedef struct Records Records;
struct Report;

/* grid.c: text in columns, as wide as needed.
 * width - the columns that a text takes on a terminal: one for each UTF-8 character. */

struct Grid {
	Arena *arena;
	int ncol; /* columns */
	int left; /* the first column that is aligned left; others are right */
	int more; /* so many after it are, too */
	int n;    /* cells so far, row by row */
	char **cell;
	size_t cap;
};

void cell(Grid *, const char *fmt, ...) PRINTF(2, 3);
void titles(Grid *, const char *const *);
void printgrid(FILE *, const Grid *);
int width(const char *);

/* In JSON, all tables of a report are one array of objects, one for each row.  Titles are the keys,
 * with _ for blanks.  Columns that are aligned left are strings, the others are numbers or null; a
 * row with an approximate number (~) has "sure": false.
 *
 * beginrows, endrows - what surrounds the rows.
 * table - print a table, in either format; in JSON each row also gets this key and value, unless
 * the key is NULL. */

struct Records {
	bool html; /* tables of an HTML page instead */
	int n;
	const char *label; /* value of another key in each row; or NULL */
};

void beginrows(const struct Report *);
void endrows(const struct Report *);
void table(const struct Report *, const Grid *, const char *key, const char *value);

/* escape.c: text between quotes in JSON, in XML, and in a line.  What these cannot represent
 * becomes a replacement character, or a question mark in a line.
 * putmember - a key and a text, in JSON.
 * putxmltext - a text that may contain NULs and has one after its end.
 * letters - the number of bytes of the first n characters of a text, at most len; a byte that
 * belongs to no character counts as one. */
void putjson(FILE *, const char *);
void putmember(FILE *, const char *key, const char *value);
void putxml(FILE *, const char *);
void putxmltext(FILE *, const char *, size_t len);
void putplain(FILE *, const char *);
size_t letters(const char *, size_t len, int n);

#endif
