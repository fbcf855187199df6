/* spots.h - what the files of src/lines share among themselves.
 *
 * What the rows of a function, or the pieces of a source, say of a line goes into spots: one for
 * each column in each copy of a function.  When all spots are there they are sorted, some are
 * marked as unsure, and those of a line are added up (lines.c). */

#ifndef SPOTS_H
#define SPOTS_H

#include "lines.h"

/* markers.c: countsources - computes how often source blocks ran: the sum over the copies of their
 * markers.
 * sumterms - the sum of n terms of a piece, from one on; *sure becomes false if it may be wrong. */
void countsources(const Choice *, Arena *);
uint64_t sumterms(const Srctext *, const Srcpiece *, uint32_t from, uint32_t n, bool *sure);

/* choice.c: sourcenames - finds the names that functions have in the source. */
void sourcenames(const Choice *, Arena *);

/* paths.c: joinfiles - gives each file one name, the first of those that the modules use. */
void joinfiles(Choice *, Arena *);

/* twins.c: findtwins - links functions that several modules have, also those that are not
 * counted. */
void findtwins(const Choice *);

typedef struct Inlined Inlined;
typedef struct Origin Origin;
typedef struct Broken Broken;
typedef struct Copies Copies;

/* A copy of a function, or the function itself. */
struct Inlined {
	int fn; /* the function that it is in, numbered over all modules */
	uint32_t inst, whole;
	int origin;
	const Module *in;
	uint64_t unit;
	uint32_t number; /* of its origin, in the unit */
	const char *
		headfile; /* declared there, one pointer for each name; head.line is 0 if unknown */
	Head head;
	int line;             /* its last line that missed() has seen */
	const char *callfile; /* where it was called; NULL if unknown */
	uint32_t callline;
	bool part; /* the .part. of a function, which all its copies call */
	bool rows; /* it has rows; valid for inlined copies */
	bool ran;  /* or may have run */
};

/* A function of the source. */
struct Origin {
	int ran;   /* copies that ran, or may have */
	int there; /* those of them with rows of `line' */
	int line;  /* the line that missed() is looking at */
};

/* Lines whose rows are missing on a path that control took. */
struct Broken {
	const char *file; /* one pointer for each name */
	uint32_t from, to;
	uint32_t
		last; /* after sortbroken(): the largest `to' up to this one, in its file */
	int fn; /* the function, and in it the copy, that should have the rows */
	uint32_t inst;
	bool head; /* the lines are the copy's first ones; else where it calls another */
	uint64_t entries; /* how often the copy was entered, or the one that it calls */
};

struct Copies {
	Arena *run;
	Table files, origins;
	Origin *origin;
	int norigin;
	size_t caporigin;
	Inlined *copy; /* by function and inst */
	int n;
	size_t cap;
	Broken *broken;
	int nbroken;
	size_t capbroken;
};

typedef struct Spot Spot;
typedef struct Idle Idle;
typedef struct Tally Tally;

/* A column of a line, in one copy of a function. */
struct Spot {
	const char *file; /* one pointer for each name */
	uint32_t line;
	int fn; /* numbered over all modules */
	uint32_t inst;
	uint32_t part; /* of a source that the C road read: function and inclusion */
	uint16_t column;
	uint64_t count; /* from rows that begin a statement */
	uint64_t other; /* from the other rows */
	uint64_t extra; /* for the whole line: dropped first tests of loops */
	uint64_t insns;
	bool stmt;     /* there are rows that begin a statement */
	bool plain;    /* of the spot for the whole line: the code was not optimised */
	bool head;     /* rows of an inlined copy begin on the line */
	bool idle;     /* the function never ran */
	bool vanished; /* but may have been inlined without a trace */
	bool named;
	bool told;    /* by the source, not by rows */
	bool unknown; /* some of its code is not counted, or counts contradict each other */
};

/* The lines of a function that never ran. */
struct Idle {
	const char *file;
	int fn;
	uint32_t from, to;
};

/* Counting at work. */
struct Tally {
	const Choice *of;
	Arena *run;
	Arena one; /* lives as long as the current function or text */
	Spot *spot;
	int n;
	size_t cap;
	Table index; /* of the current one's spots */
	Idle *idle;
	int nidle;
	size_t capidle;
	Table files; /* names to themselves */
	Table told;  /* files that the C road read */
	Branch *branch;
	int nbranch;
	size_t capbranch;
	Table branches; /* of branch[] */
	Copies copies;
	int fn;        /* number of the current function or text */
	uint32_t part; /* of the current text */
	const Fn *at;  /* the current function */
	bool vanished; /* see idleness() */
	bool asleep;   /* likewise: it never ran, inlined or not */
	Table used;    /* units of which something ran */
	bool named;    /* it was chosen by its name */
};

enum { WHOLE = UINT16_MAX }; /* column that stands for the whole line */

/* spots.c: spotin - the spot of the current function or text there, made if need be.
 * spotof - the spot of a row.
 * nextone - finishes the current function or text.
 * istold - returns whether the source itself tells how often the line of a row ran.
 * sortspots - sorts by file, line and copy.
 * firstat - the first of the sorted spots that is not before a line.
 * sameplace - returns whether two spots are on one line. */
Spot *spotin(Tally *, const char *file, uint32_t line, uint32_t inst, uint16_t column);
Spot *spotof(Tally *, const Fn *, const Coderow *, uint16_t column);
void nextone(Tally *);
bool istold(Tally *, const Fn *, const Coderow *);
void sortspots(Tally *);
int firstat(const Tally *, const char *file, uint32_t line);
bool sameplace(const Spot *, const Spot *);

/* told.c: addtexts - adds the pieces of all sources that the C road read; for those, line tables
 * are ignored.
 * addbranches - gives branches to the lines that they are on. */
void addtexts(Tally *);
void addbranches(Tally *, Lines *);

/* control.c: addrows - adds the rows of a function. */
void addrows(Tally *, const Fn *);

/* idle.c: findused - finds the units of which something ran.
 * idleness - of a function that never ran itself, finds whether it may have been inlined and left
 * no trace there.  Sets t->vanished if it may have, so that a count of 0 is not sure; clears
 * t->asleep if a copy of the function may do nothing at all, so that counts of other copies are not
 * sure, either.
 * addidle - notes the lines of a function that never ran.
 * wake - makes a line of such a function unsure if code of the function ran where it was inlined
 * and the line has no row there. */
void findused(Tally *);
void idleness(Tally *, Module *, const Fn *);
void addidle(Tally *, const Fn *, const Coderow *, int n);
void wake(Tally *);

/* copies.c: notecopies - notes the copies of functions in one function; functions come in order.
 * findmissing - finds which copies ran; requires all spots, sorted.
 * missed - marks lines of which copies are missing.
 * sameorigin - returns whether two copies are of one function. */
void notecopies(Copies *, const Module *, const Fn *, int fn);
void findmissing(Tally *);
void missed(Tally *, Lines *);
bool sameorigin(const Copies *, int fn, uint32_t inst, int other, uint32_t otherinst);

/* broken.c: findbroken - finds where control enters a copy of a function past its begin, so that
 * the lines before have lost rows.  first[] and end[] are the rows of each block.
 * sortbroken - sorts what was found in all functions.
 * isbroken - returns whether the line of spots i to end lost rows on a path that was taken, and ran
 * less often in the copy than the copy was entered. */
void findbroken(Copies *, const Fn *, int fn, const Coderow *const *first,
		const Coderow *const *end);
void sortbroken(Copies *);
bool isbroken(const Tally *, int i, int end);

/* reckon.c: reckon - corrects lines by the shape of their source. */
void reckon(const Choice *, Lines *, Arena *);

#endif
