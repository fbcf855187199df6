/* html.h - the pages that tally html writes. */

#ifndef HTML_H
#define HTML_H

#include "cover.h"
#include "text.h"

/* html.c: a site of pages: an index, in htmlfile.c one for each source, or several for a long one,
 * and in htmlflow.c one for the flow graph of each function of a program.
 *
 * html - all of it, in a directory that is there and empty.
 * openpage, closepage - any page: path is from the directory, up leads back there.
 * lineref - the address of a line's page, for an attribute; false if it has none.
 * functionrows - a table of those from first to end.  putamount - a number for people.  putshare - a cell with how
 * much of something ran.  heatof - from 0, never, to HOTTEST. */

typedef struct Copy Copy;
typedef struct Frow Frow;
typedef struct Site Site;

enum { HOTTEST = 9, PAGELINES = 10000 };

/* A function of a program. */
struct Copy {
	const Module *m;
	const Fn *fn;
	const char *page; /* NULL if it is not counted, or its edges are not */
	int next;         /* of the same function in the source; NONE */
};

/* A row of the table of functions: one of a source with its copies, or one of a program of which
 * no source is known. */
struct Frow {
	const Function *fn; /* NULL if no source is known */
	int source;         /* or NONE */
	int copy;           /* the first; NONE */
	const char *name;
	const char *odd; /* why it is not counted; NULL */
	uint64_t calls, insns;
	uint32_t blocks, ran;
	bool sure;    /* all of that */
	bool called;  /* it is known how often */
	bool code;    /* it has instructions, and it is known how often they were executed */
	bool partial; /* that is not known */
};

struct Site {
	const Report *r;
	const char *dir;
	Cover cover;
	const char *remarks;   /* lines */
	void (*written)(void); /* called after each page; NULL */
	/* The rest is html()'s. */
	Arena tmp; /* while a source and its functions are written */
	int done, all;
	Table names;       /* of pages that are taken */
	Table sources;     /* files to their numbers */
	const char **page; /* by source, without .html */
	size_t common;     /* bytes that the paths of all sources begin with, up to a slash */
	Frow *row;         /* those of a source are together */
	int nrow;
	size_t caprow;
	int *rowat; /* by source: its first row; the last ones have none */
	Copy *copy;
	int ncopy;
	size_t capcopy;
	bool branches; /* some were counted */
};

void html(Site *);
FILE *openpage(Site *, const char *path, const char *title, const char *kind, const char *up);
void closepage(Site *, FILE *, const char *path);
bool lineref(Site *, FILE *, const char *file, uint32_t line, const char *up);
void functionrows(Site *, FILE *, int first, int end, const char *up);
void putamount(FILE *, uint64_t);
void putshare(FILE *, uint64_t ran, uint64_t all);
int heatof(uint64_t count, uint64_t most);
void sourcepages(Site *, int source, const Textfile *);
void flowpage(Site *, const Copy *, const char *file, const Textfile *);

extern const char htmlcss[], htmljs[]; /* html.css, html.js */

#endif
