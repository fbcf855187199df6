/* lines.h - from rows, shapes and markers to counts of lines: an engine, not a view.
 *
 * Solving (src/profile) ends with the flow of each function.  This directory turns the flows into
 * counts of source lines:
 *
 *   lines.c    counts of lines
 *   rows.c     what the rows of a function say of a position in its code
 *   markers.c    how often the source blocks ran that the C road marked
 *   choice.c   which files and functions are wanted
 *   paths.c    one file has one name
 *   twins.c    code that several programs have counts once
 *   narrow.c   one line, asked for again and again
 *
 * lines.c says how lines are counted, pass by pass; spots.h declares what its passes share. */

#ifndef LINES_H
#define LINES_H

#include "core/core.h"
#include "profile/profile.h"

typedef struct Choice Choice;
typedef struct Paths Paths;

/* What is asked for. */
struct Choice {
	Module *module; /* solved */
	int nmodule;
	char **only; /* globs: files or functions; none for all */
	int nonly;
	size_t caponly;
	char **prefix; /* OLD=NEW: where sources are now */
	int nprefix;
	size_t capprefix;
	Paths *paths; /* names of files; NULL before preparelines() */
};

/* preparelines - counts the source blocks of modules, gives each file one name and each function
 * the name it has in the source, and finds code that several modules have.  Requires solved
 * modules; comes before everything else here.  of->paths remembers names for other modules. */
void preparelines(Choice *, Arena *);

/* lines.c: source lines, in order of file and line.
 *
 * A line consists of pieces, which differ in column, such as the three parts of a `for'. */

typedef struct Piece Piece;
typedef struct Branch Branch;
typedef struct Line Line;
typedef struct Lines Lines;

struct Piece {
	uint16_t column;
	uint64_t count;
	bool sure; /* from rows that begin a statement, or the source */
};

struct Branch {
	const char *file;
	uint32_t line;
	uint16_t column;
	uint64_t taken, reached;
};

struct Line {
	const char *file;
	uint32_t line;
	uint32_t from; /* for classiclines(): this line and those from here to it have its count */
	uint64_t count;
	uint64_t insns; /* instructions executed for it */
	bool counted;   /* it has a count, not only instructions */
	bool told;      /* the count comes from the source, not from line tables */
	bool plain;     /* some of its code was not optimised */
	bool sure;      /* the count is exact, or as good as line tables can tell */
	bool vanished; /* it may have run, but only where it was inlined without a trace */
	bool missed; /* copies of it seem to be missing; final after reckon() */
	bool named; /* it is in a function that was chosen by its name */
	Piece *piece;
	int npiece;
	const Branch *branch; /* if the source was compiled with --branches */
	int nbranch;
};

struct Lines {
	Line *line;
	int n;
};

Lines countlines(const Choice *, Arena *);

/* mayhaverun - returns whether it is unknown if a line ran.  Such a line is neither among those
 * that ran nor among those that never ran. */
static inline bool
mayhaverun(const Line *l)
{
	return l->counted && !l->sure && l->count == 0;
}

typedef struct Place Place;

struct Place {
	const Fn *fn;
	const char *file;
	uint32_t line; /* 0 if it is not known */
	uint32_t column;
	uint32_t insn;       /* its number, counted over the blocks of the function */
	uint32_t begin, end; /* of its block, likewise */
};

/* rows.c: fileof, lineof - where a function begins; line 0 if unknown.
 * placeof - where a cut is in the source; false if it is in no counted function.
 * linefor - the line that a row of a function counts for: the one with the function's name if the
 * row is where the function begins.
 * eachrow - calls tell with the number of instructions executed for each row of a function; the row
 * is NULL for instructions before the first one. */
const char *fileof(const Fn *);
uint32_t lineof(const Fn *);
bool placeof(Module *, const Modcut *, Arena *, Place *);
uint32_t linefor(const Fn *, const Coderow *);
void eachrow(const Fn *, void (*tell)(void *, const Coderow *, uint64_t insns), void *);

/* markers.c: how often the blocks of a source ran. */

typedef struct Srcend Srcend;

struct Srccounts {
	uint64_t *count; /* by block */
	bool *unknown;   /* by block: some of its code is not counted */
	bool *doubtful;  /* by block: some of its code is in functions whose counts may be wrong */
	Srcend *end;     /* frames that ended in the middle of blocks; markers.c defines them */
	int nend;
	size_t capend;
};

/* choice.c: chosenfile - returns whether a file is wanted.
 * chosenname - whether a function is, by its symbol or by its name in the source.
 * chosentext - whether a function is, by its name in the source.
 * chosen - whether a function is, by name or by file. */
bool chosenfile(const Choice *, const char *path);
bool chosenname(const Choice *, const Fn *);
bool chosentext(const Choice *, const char *name);
bool chosen(const Choice *, const Fn *);

/* paths.c: mappedpath - a path as the first --prefix-map that fits makes it.
 * besides - a path that is not there, looked for near the program: a relative one in its directory
 * and above, an absolute one where it would be if it had moved with the program; NULL if there is
 * none.
 * commonparts - how many last parts two paths have in common.
 * simplepath - a path without `.', `..' and empty parts.
 * matchesfile - returns whether one of the names of a file matches one of n patterns. */
const char *mappedpath(const Choice *, const char *path, Arena *);
const char *besides(const Choice *, const char *path, Arena *);
int commonparts(const char *, const char *);
char *simplepath(const char *path, Arena *);
bool matchesfile(const Choice *, char *const *glob, int n, const char *file);

/* twins.c: after preparelines(), functions that several modules have are linked, each to the next.
 * hasrunat - returns whether a block ran in the given function or one after it in that list. */
bool hasrunat(const Fn *, int b);

/* narrow.c: narrow - finds a line and drops from the modules what its count does not depend on;
 * returns the line, with its file as the compiler calls it.
 * touches - returns whether anything of a module is left.
 * lineat - the line, counted; NULL if it has no count. */
Place narrow(const Choice *, Place, Arena *);
bool touches(const Module *);
const Line *lineat(const Choice *, Place, Arena *);

#endif
