/* spots.h - what the files of src/lines share among themselves.
 *
 * What a function's rows or a source's pieces say of a line goes into spots: one for each column in each copy of a function.
 * When all are there they are sorted, doubts are cast on some, and those of a line are added up (lines.c). */

#ifndef SPOTS_H
#define SPOTS_H

#include "lines.h"

/* marks.c: countsources - how often blocks of sources were executed: the sum over the copies of their marks.
 * sumterms - how often it makes that n of a piece's terms were, from one on; *sure becomes false if that may be wrong. */
void countsources(const Choice *, Arena *);
uint64_t sumterms(const Srctext *, const Srcpiece *, uint32_t from, uint32_t n, bool *sure);

/* choice.c: sourcenames - learn what sources call functions. */
void sourcenames(const Choice *, Arena *);

/* paths.c: joinfiles - the first of its names in all that modules say becomes that of a file. */
void joinfiles(Choice *, Arena *);

/* twins.c: findtwins - of functions that several modules have, the first is linked to the others, and so are those that
 * are not counted. */
void findtwins(const Choice *);

typedef struct Inlined Inlined;
typedef struct Origin Origin;
typedef struct Broken Broken;
typedef struct Copies Copies;

/* A copy of a function, or the function itself. */
struct Inlined {
	int fn; /* that it is in, over all modules */
	uint32_t inst, whole;
	int origin;
	const Module *in;
	uint64_t unit;
	uint32_t number; /* of its function in the unit */
	const char *
		headfile; /* one pointer for each name: where it is declared; line 0 if that is not known */
	Head head;
	int line;             /* the last on which it was found */
	const char *callfile; /* where it was called; NULL if that is not known */
	uint32_t callline;
	bool part; /* a part of the function that all of them call */
	bool rows; /* it has some; of copies */
	bool ran;  /* or may have */
};

/* A function of the source. */
struct Origin {
	int ran;   /* copies of it that did, or may have */
	int there; /* of those, with rows of the line at work on */
	int line;  /* that one */
};

/* Lines that control passes on ways on which they have no rows. */
struct Broken {
	const char *file; /* one pointer for each name, of files */
	uint32_t from, to;
	uint32_t
		last; /* after sortbroken(): the largest `to' of this one and those of the file before it */
	int fn; /* the copy that should have them */
	uint32_t inst;
	bool head; /* of that one itself, before where it was entered; not where it calls another */
	uint64_t entries; /* how often it was entered, or what it calls there */
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
	int fn; /* over all modules */
	uint32_t inst;
	uint32_t part; /* of a source that tells itself: function and inclusion that it is in */
	uint16_t column;
	uint64_t count; /* of rows that begin a statement */
	uint64_t other; /* of the others */
	uint64_t extra; /* of the line: first tests of loops */
	uint64_t insns;
	bool stmt;     /* there are such */
	bool plain;    /* code that was not optimised: the column that stands for the line */
	bool head;     /* first line of an inlined function */
	bool idle;     /* the function never ran */
	bool vanished; /* but it may have where nothing is left of it */
	bool named;
	bool told;    /* by the source itself */
	bool unknown; /* a part of its code is not counted, or its counts contradict each other */
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
	Arena one; /* what is of no use after the function or text at work on */
	Spot *spot;
	int n;
	size_t cap;
	Table index; /* of spots of that one */
	Idle *idle;
	int nidle;
	size_t capidle;
	Table files; /* names to themselves */
	Table told;  /* names of files that the C road read */
	Branch *branch;
	int nbranch;
	size_t capbranch;
	Table branches; /* of branch[] */
	Copies copies;
	int fn;        /* at work on */
	uint32_t part; /* of a text */
	const Fn *at;  /* likewise */
	bool vanished; /* it may have run where nothing is left of it */
	bool asleep;   /* that never ran, nor can it have elsewhere */
	Table used;    /* units of which something ran */
	bool named;    /* it was chosen by its name */
};

enum { WHOLE = UINT16_MAX }; /* column that stands for the line */

/* spots.c: spotin - the one there, for the function or text at work on, new if need be; spotof - of a row.  nextone - be done
 * with a function or text.  istold - whether the source itself tells how often the line of a row ran.
 * sortspots - by file, line and copy; firstat - then the first that is not before a line.  sameplace - whether two are of one. */
Spot *spotin(Tally *, const char *file, uint32_t line, uint32_t inst, uint16_t column);
Spot *spotof(Tally *, const Fn *, const Coderow *, uint16_t column);
void nextone(Tally *);
bool istold(Tally *, const Fn *, const Coderow *);
void sortspots(Tally *);
int firstat(const Tally *, const char *file, uint32_t line);
bool sameplace(const Spot *, const Spot *);

/* told.c: addtexts - of all modules; what is told there is not taken from line tables.  addbranches - to the lines that they are on. */
void addtexts(Tally *);
void addbranches(Tally *, Lines *);

/* control.c: addrows - the rows of one function. */
void addrows(Tally *, const Fn *);

/* idle.c: findused - the units of which something ran.
 * idleness - of a function that never ran itself: whether that is all, or it may have run elsewhere, where it was inlined and
 * nothing is left of it.  With gcc, which says that it was inlined, its lines are not sure to be 0; and those that ran in other
 * copies are not sure if it can do nothing, with any compiler.
 * addidle - such a function, by its rows.  wake - those that ran where they were inlined: a line of theirs without a row
 * there may have run. */
void findused(Tally *);
void idleness(Tally *, Module *, const Fn *);
void addidle(Tally *, const Fn *, const Coderow *, int n);
void wake(Tally *);

/* copies.c: notecopies - the copies of functions that one consists of, functions in their order.  findmissing - of all,
 * when there are all spots: which ran.  missed - find lines of which copies are.
 * sameorigin - whether two copies are of one function. */
void notecopies(Copies *, const Module *, const Fn *, int fn);
void findmissing(Tally *);
void missed(Tally *, Lines *);
bool sameorigin(const Copies *, int fn, uint32_t inst, int other, uint32_t otherinst);

/* broken.c: findbroken - where control comes into a copy of a function elsewhere than where that begins: lines before that
 * place have lost rows there.  first[] and end[] are the rows of each block.
 * sortbroken - when there are all.
 * isbroken - whether the line of spots i to end has lost rows on ways that were taken: not if it ran in the copy as often as that
 * was entered. */
void findbroken(Copies *, const Fn *, int fn, const Coderow *const *first,
		const Coderow *const *end);
void sortbroken(Copies *);
bool isbroken(const Tally *, int i, int end);

/* reckon.c: put lines right by the shape of their source. */
void reckon(const Choice *, Lines *, Arena *);

#endif
