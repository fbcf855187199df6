/* spots.h - what the files of src/lines share among themselves. */

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

struct Paths {
	Table names; /* of each path that was met: the number of its file */
	Table keys;  /* of what tells files apart: likewise */
	struct Called {
		const char *name;
		int also; /* the first, or next, of other[]: all paths that lead there; NONE */
	} * file, *other;
	int n, nother;
	size_t cap, capother;
};

void joinfiles(Choice *, Arena *);

/* twins.c: findtwins - of functions that several modules have, the first is linked to the others, and so are those that
 * are not counted. */
void findtwins(const Choice *);

/* copies.c: copies of functions that the compiler has dropped.  First notecopies - those in each function, in their order; then noterow -
 * each row of a copy, and whether it ran; sumcopies.  Then for each line onaline - the copies in which it has
 * rows, and ismissed - whether it has none in some copy that may have run.
 * findbroken - where control comes into a copy of a function elsewhere than where that begins: lines before that place have lost
 * rows there.  first[] and end[] are the rows of each block.  nextbroken - for each copy and way of which a line is one of these.  sameorigin - whether two copies are of one function.
 * mayvanish - whether a function may have been inlined where nothing is left of it: gcc says of each if it was inlined; clang only where
 * something is left.  doesnothing - whether it can return without doing anything but compute; callsnobody - or without a call of a function
 * that does more. */

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

void notecopies(Copies *, const Module *, const Fn *, int fn);
void findbroken(Copies *, const Fn *, int fn, const Coderow *const *first,
		const Coderow *const *end);
bool sameorigin(const Copies *, int fn, uint32_t inst, int other, uint32_t otherinst);
const Broken *nextbroken(const Copies *, const Broken *after, const char *file, uint32_t line);
bool mayvanish(const Fn *);
bool doesnothing(Module *, const Fn *, Arena *run);
bool callsnobody(Module *, const Fn *, Arena *run);
void noterow(Copies *, int fn, uint32_t inst, bool ran);
void sumcopies(Copies *);
void onaline(Copies *, int line, int fn, uint32_t inst);
bool ismissed(const Copies *, int line, int fn, uint32_t inst);

/* reckon.c: put lines right by the shape of their source. */
void reckon(const Choice *, Lines *, Arena *);

#endif
