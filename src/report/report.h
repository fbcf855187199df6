/* report.h - views of counts, one file each. */

#ifndef REPORT_H
#define REPORT_H

#include "core/core.h"
#include "grid.h"
#include "lines/lines.h"

#include <stdio.h>

/* What to show, and how. */

typedef struct Report Report;
typedef struct Sources Sources;

/* A bar for each line: one star for each time it ran, or scaled so that the longest bar fits. */
typedef enum Bars { NOBARS, FULLBARS, SCALEDBARS } Bars;

struct Report {
	FILE *f;
	Arena *run;
	Choice of;
	Sources *sources; /* what was found; NULL if only --prefix-map decides */
	const char *sort; /* name of a column; NULL for program order */
	bool classic; /* as lprint: only files that were used, the last one first; plain */
	bool mangled; /* functions are called by their symbols */
	bool each;    /* show each instantiation of a template */
	bool color;
	bool counts;         /* in listings: how often a line ran */
	bool insns;          /* and how many instructions it took */
	bool pieces;         /* and its pieces */
	bool branches;       /* and its branches */
	bool table;          /* FILE, LINE and COUNT instead */
	Bars bars;           /* in that table */
	bool zero;           /* there, lines without code have a count of 0 */
	const char *version; /* ours, for exports */
	Records *rows;       /* write tables as JSON; NULL: as text */
};

/* names.c: names of functions.
 * nameof - as in the source, or the symbol if symbols are wanted.
 * templatename - what all instantiations of a template have in common; the name itself if it is no
 * template's.
 * codenames - set the names of whatever else the code of a module refers to. */
const char *nameof(const Report *, const Fn *);
const char *templatename(const char *name, Arena *);
void codenames(const Report *, Module *);

/* places.c: names of addresses.
 * placename - of an address that code refers to, NAME@plt for functions of other modules; the text
 * may be in the buffer; NULL if there is none.
 * calledname - of what a call of an address calls; NULL if there is none.
 * slotname - of what is called by a call or jump, at an address, that goes through a word of the
 * dynamic linker; NULL if it is none. */
const char *placename(const Report *, const Module *, uint64_t addr, Buf *);
const char *calledname(const Report *, const Module *, uint64_t addr);
const char *slotname(const Module *, uint64_t addr);

/* sources.c: where sources are now.
 * sourcefile - a path that can be read; if there is none, the path by --prefix-map.
 * sourceremarks - print which were not found, or guessed. */

struct Sources {
	Arena *run;
	Table known; /* indices of answer[], by path */
	const char **answer;
	int nanswer;
	size_t capanswer;
	bool looked;  /* searched below the current directory */
	bool toomany; /* but not everywhere */
	struct Seen {
		const char *path;
		int next; /* index of one with the same name; NONE */
	} * file;
	int nfile;
	size_t capfile;
	Table names;                 /* indices of file[], by name: the last one */
	const char *guess, *guessed; /* the first one found that way, and its old path */
	const char *missing;         /* the first that was not found */
	const char *odd;             /* the first that is no regular file */
	int nguess, nmissing, nodd;
};

const char *sourcefile(const Report *, const char *path);
void sourceremarks(const Report *);

/* changed.c: sources that have changed since they were compiled.
 * eachchanged - call tell() for each; `younger' if it is only known to be newer than the program.
 * changeremarks - print a message about them. */
void eachchanged(const Report *, void (*tell)(void *, const char *path, bool younger), void *);
void changeremarks(const Report *);

/* use.c: files in the order of their first use; for lprint in reverse.
 * usedfiles - all that have code.
 * useof - the index of a file among them. */

typedef struct Use Use;
typedef struct Uses Uses;

struct Use {
	const char *file;
	uint64_t rank; /* of its first unit that was used; 0 if unknown */
	int at;        /* index in program order */
	bool ran;      /* some of its code */
};

struct Uses {
	Use *use;
	int n;
	size_t cap;
	Table index; /* by name */
};

Uses usedfiles(const Report *);
int useof(Uses *, const char *file);

/* The views.
 *   listing.c    source lines with their counts
 *   table.c      FILE, LINE, COUNT and the text: of lines, functions, blocks
 *   insns.c      machine instructions with their counts; eachinsn - call tell() with the address
 *                and text of each instruction of a block; stops with NULL where code is missing
 *   functions.c  a table of functions; executed - the number of instructions that one executed
 *   summary.c    a line for each file
 *   blocks.c     every block and edge; a star marks those that had a counter
 *   regions.c    source blocks of C
 *   calls.c      which function called which, and how often
 *   times.c      how long functions took
 *   runs.c       how processes ended; describedeath - print the last that died of a signal
 *   classic.c    lines and functions as lprint shows them; classiclines - lines as it counts them;
 *                classicheads - let functions begin at their first rows, not at their names */

void listing(const Report *);
void linetable(const Report *);
void functiontable(const Report *);
void blocktable(const Report *);
void insns(const Report *);
void eachinsn(const Report *, const Module *, const Fn *, int block,
	      void (*tell)(void *, uint32_t i, uint64_t addr, const char *text), void *);
uint64_t executed(const Fn *, bool *sure);
void functions(const Report *);
void summary(const Report *);
void blocks(const Report *);
void regions(const Report *);
void calls(const Report *);
void runs(const Report *);
void functiontimes(const Report *);
void describedeath(FILE *, const Report *, const Module *);
void classiclisting(const Report *);
void classicfunctions(const Report *);
Lines classiclines(const Report *);
void classicheads(const Report *);

/* remarks.c: remarks - print what keeps the counts of a module from being exact; 1 if they
 * contradict each other.
 * check.c: checkcounts - print where redundant counters of a module differ from the solution; 1 if
 * any do. */
int remarks(const Report *, const Module *);
int checkcounts(const Report *, const Module *);

/* Exports: lcov.c, cobertura.c, gcovjson.c, json.c, callgrind.c. */
void lcov(const Report *);
void cobertura(const Report *);
void gcovjson(const Report *);
void json(const Report *);
void callgrind(const Report *);

/* stats.c: what counting cost, and would cost with other placements of counters; by program or by
 * function. */
void stats(const Report *, bool byfunction);

#endif
