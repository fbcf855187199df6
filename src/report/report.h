/* report.h - views of graphs and counts, one file each. */

#ifndef REPORT_H
#define REPORT_H

#include "core/core.h"
#include "grid.h"
#include "lines/lines.h"

#include <stdio.h>

/* What is shown, and how. */

typedef struct Report Report;
typedef struct Sources Sources;

/* With a bar for each line: of one star for each time, or so that the longest fits. */
typedef enum Bars { NOBARS, FULLBARS, SCALEDBARS } Bars;

struct Report {
	FILE *f;
	Arena *run;
	Choice of;
	Sources *sources; /* what was found; NULL if nothing but --prefix-map is to say it */
	const char *sort; /* name of a column; NULL for the order of the program */
	bool classic; /* as lprint does it: only files that were used, the last one first; plain */
	bool mangled; /* functions are called by their symbols */
	bool each;    /* instantiations of a template are shown one by one */
	bool color;
	bool counts;         /* in listings: how often a line ran */
	bool insns;          /* and how many instructions that took */
	bool pieces;         /* and of what it consists */
	bool branches;       /* and how often its branches were taken */
	bool table;          /* of FILE, LINE and COUNT instead */
	Bars bars;           /* in it */
	bool zero;           /* lines without code have a count of 0 there */
	const char *version; /* in exports: ours */
	Records *rows;       /* tables are written in JSON; NULL: as text */
};

/* names.c: what functions are called.  nameof - what sources call them, or the symbol if symbols are wanted; templatename - what the instantiations of a template
 * have in common, the name itself if it is of none; codenames - likewise for whatever
 * else the code of a module refers to. */
const char *nameof(const Report *, const Fn *);
const char *templatename(const char *name, Arena *);
void codenames(const Report *, Module *);

/* places.c: what addresses are called.  placename - any that code refers to, of functions of
 * others NAME@plt; the text may be in the buffer; NULL.  calledname - what a call of an address
 * calls; NULL.  slotname - what a call or jump calls that is at an address and goes through a
 * word of the dynamic linker's; NULL. */
const char *placename(const Report *, const Module *, uint64_t addr, Buf *);
const char *calledname(const Report *, const Module *, uint64_t addr);
const char *slotname(const Module *, uint64_t addr);

/* sources.c: where sources are now.  sourcefile - a path that can be read, or as
 * --prefix-map has it if none can.  sourceremarks - say what was not found, or guessed. */

struct Sources {
	Arena *run;
	Table known; /* of answer[], by path */
	const char **answer;
	int nanswer;
	size_t capanswer;
	bool looked;  /* below the current directory: */
	bool toomany; /* but not everywhere */
	struct Seen {
		const char *path;
		int next; /* of the same name; NONE */
	} * file;
	int nfile;
	size_t capfile;
	Table names;                 /* of file[]: the last of each name */
	const char *guess, *guessed; /* the first that was found there, and for which path */
	const char *missing;         /* the first that was not found */
	const char *odd;             /* the first that is no file */
	int nguess, nmissing, nodd;
};

const char *sourcefile(const Report *, const char *path);
void sourceremarks(const Report *);

/* changed.c: whether sources are what was compiled.  eachchanged - tell the names of those that are not.
 * changeremarks - print a message about them. */
void eachchanged(const Report *, void (*tell)(void *, const char *path, bool younger), void *);
void changeremarks(const Report *);

/* use.c: files in the order of their first use; in the inverse order for lprint.
 * usedfiles - all that have code.  useof - the place of one among them. */

typedef struct Use Use;
typedef struct Uses Uses;

struct Use {
	const char *file;
	uint64_t rank; /* of the first unit of it that was used; 0 if it is not known */
	int at;        /* in the program */
	bool ran;      /* some of it */
};

struct Uses {
	Use *use;
	int n;
	size_t cap;
	Table index; /* of names */
};

Uses usedfiles(const Report *);
int useof(Uses *, const char *file);

/* The views.
 *   listing.c    source lines with their counts
 *   table.c      FILE, LINE, COUNT and the text: of lines, functions, blocks
 *   insns.c      machine instructions with their counts; eachinsn - the texts of those of a
 *                block, and where they are; NULL where there is no code, and then no more
 *   functions.c  a table of functions; executed - the instructions of one
 *   summary.c    a line for each file
 *   blocks.c     every block and edge; a star marks what carried a counter
 *   regions.c    blocks of C sources
 *   calls.c      which function called which, and how often
 *   times.c      how long functions took
 *   runs.c       how processes ended; describedeath - the last that a signal ended
 *   classic.c    lines and functions as lprint has them; classiclines - lines as it counts them;
 *                classicheads - functions begin where their rows do, and not at their names */

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

/* remarks.c: remarks - print what keeps the counts of a module from being exact; 1 if they contradict each
 * other.
 * check.c: checkcounts - print where redundant counters of a module differ from what was solved; 1 if any do. */
int remarks(const Report *, const Module *);
int checkcounts(const Report *, const Module *);

/* Exports: lcov.c, cobertura.c, gcovjson.c, json.c, callgrind.c. */
void lcov(const Report *);
void cobertura(const Report *);
void gcovjson(const Report *);
void json(const Report *);
void callgrind(const Report *);

/* stats.c: what counting cost, and would have cost with counters elsewhere; by program, or by function. */
void stats(const Report *, bool byfunction);

#endif
