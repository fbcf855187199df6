/* grid.h - tables, as text and in JSON. */

#ifndef GRID_H
#define GRID_H

#include "base/base.h"

#include <stdio.h>

typedef struct Grid Grid;
typedef struct Records Records;
struct Report;

/* grid.c: text in columns, as wide as they need to be.  width - columns that a text takes on a
 * terminal: UTF-8, one per character. */

struct Grid {
	Arena *arena;
	int ncol; /* columns */
	int left; /* the one that is flush left; the others are right */
	int more; /* but for so many after it */
	int n;    /* cells so far, row by row */
	char **cell;
	size_t cap;
};

void cell(Grid *, const char *fmt, ...) PRINTF(2, 3);
void titles(Grid *, const char *const *);
void printgrid(FILE *, const Grid *);
int width(const char *);

/* In JSON, all tables of a report are one array of objects, a row each: the titles are the keys, with _ for
 * blanks.  Columns that are flush left are texts, the others numbers, or null; a row with an approximate
 * number (~) has "sure": false.
 *
 * beginrows, endrows - what is around the rows.  table - print one, either way; in JSON each row also gets
 * a key and a value, unless the key is NULL. */

struct Records {
	bool html; /* or tables in a page */
	int n;
	const char *label; /* another member of each row; NULL */
};

void beginrows(const struct Report *);
void endrows(const struct Report *);
void table(const struct Report *, const Grid *, const char *key, const char *value);

/* escape.c: text between quotes in JSON, in XML, and in a line; what cannot be said there
 * becomes a replacement character, or a question mark in a line.  putmember - of an object in
 * JSON: a key and a text.  putxmltext - a text that may hold NULs, and has one after its end.
 * letters - how many bytes the first n characters of a text take, or all; bytes that are none
 * count as one each. */
void putjson(FILE *, const char *);
void putmember(FILE *, const char *key, const char *value);
void putxml(FILE *, const char *);
void putxmltext(FILE *, const char *, size_t len);
void putplain(FILE *, const char *);
size_t letters(const char *, size_t len, int n);

#endif
