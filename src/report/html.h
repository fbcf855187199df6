/* html.h - the pages that tally html writes. */

#ifndef HTML_H
#define HTML_H

#include "cover.h"
#include "text.h"

/* html.c: a site of pages: an index; in htmlfile.c the pages of each source, of which a long one
 * has several; in htmlflow.c a page with the flow graph of each function of machine code.
 *
 * html - write all of it into a directory, which must exist and be empty.
 * openpage, closepage - any page; path is relative to the directory, `up' leads back there.
 * lineref - the URL of a line, for an attribute; false if it has none.
 * functionrows - a table of the rows first to end.
 * putamount - a number with commas.
 * putshare - a cell with how much of something ran.
 * heatof - from 0, never, to HOTTEST. */

typedef struct Copy Copy;
typedef struct Frow Frow;
typedef struct Site Site;

enum { HOTTEST = 9, PAGELINES = 10000 };

/* A function of machine code. */
struct Copy {
	const Module *m;
	const Fn *fn;
	const char *page; /* NULL if it is not counted or its edges are unknown */
	int next;         /* index of the next with the same source; NONE */
};

/* A row of the table of functions: a function of a source with its copies, or one of machine code
 * whose source is unknown. */
struct Frow {
	const Function *fn; /* NULL if its source is unknown */
	int source;         /* index, or NONE */
	int copy;           /* the first, or NONE */
	const char *name;
	const char *reason; /* why it is not counted, or NULL */
	uint64_t calls, insns;
	uint32_t blocks, ran;
	bool sure;    /* all these counts */
	bool called;  /* the number of calls is known */
	bool code;    /* the number of instructions executed is known */
	bool partial; /* only some of its blocks are counted */
};

struct Site {
	const Report *r;
	const char *dir;
	Cover cover;
	const char *remarks;   /* text, one per line */
	void (*written)(void); /* called after each page; or NULL */
	/* The rest is set by html(). */
	Arena tmp; /* lasts for one source and its functions */
	int done, all;
	Table names;       /* of pages, as far as they are taken */
	Table sources;     /* indices by file */
	const char **page; /* by source: its name without .html */
	size_t common;     /* length of the directory with which all paths begin */
	Frow *row;         /* those of a source are adjacent */
	int nrow;
	size_t caprow;
	int *rowat; /* by source: its first row; rows without source are last */
	Copy *copy;
	int ncopy;
	size_t capcopy;
	bool branches; /* some branches were counted */
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
