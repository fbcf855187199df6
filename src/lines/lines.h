/* lines.h - from rows, shapes and marks to counts of lines: an engine, not a view.
 *
 * Solving (src/profile) ends with the flows of functions.  What follows from them for lines of sources is found here:
 *
 *   lines.c    counts of lines
 *   rows.c     what rows of a function say of a place in its code
 *   marks.c    how often blocks of sources ran that the C road has marked
 *   choice.c   which files and functions are wanted
 *   paths.c    one file has one name
 *   twins.c    code that several programs have counts once
 *   narrow.c   one line, asked for again and again
 *
 * How lines are counted, pass by pass, is in lines.c; what its passes share is in spots.h. */

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
	Paths *paths; /* what is known of the names of files; NULL before preparelines() */
};

/* preparelines - of modules that were solved, before anything else here: blocks of their sources are counted, their files get one name
 * each, their functions the names that sources have, and code that several have is found.  of->paths remembers names for other modules. */
void preparelines(Choice *, Arena *);

/* lines.c: source lines, in order of file and line.
 *
 * A line is made of pieces, which differ in column: the parts of a `for'. */

typedef struct Piece Piece;
typedef struct Branch Branch;
typedef struct Line Line;
typedef struct Lines Lines;

struct Piece {
	uint16_t column;
	uint64_t count;
	bool sure; /* rows that begin a statement say so */
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
	uint32_t from; /* of classiclines(): those from here on have its count, too */
	uint64_t count;
	uint64_t insns; /* instructions executed for it */
	bool counted;   /* there is a count: not only instructions that belong to nobody */
	bool told;      /* by the source, not by line tables */
	bool plain;     /* some of its code was not optimised */
	bool sure;      /* the count is exact, or as good as line tables can tell */
	bool vanished; /* its function may have run where nothing is left of it, but did not itself */
	bool missed; /* copies of the line are missing, as far as line tables tell: before reckon() */
	bool named; /* it is in a function that was chosen by its name */
	Piece *piece;
	int npiece;
	const Branch *branch; /* if the source was compiled so that they are counted */
	int nbranch;
};

struct Lines {
	Line *line;
	int n;
};

Lines countlines(const Choice *, Arena *);

/* mayhaverun - whether nobody knows if a line ran.  It is neither among those that did nor among those that never did. */
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
	uint32_t insn;       /* of the function, counted over its blocks */
	uint32_t begin, end; /* of the block that it is in, likewise */
};

/* rows.c: fileof, lineof - where a function begins; line 0 if it is not known.
 * placeof - where a cut is in the source; false if it is in no function that is counted.
 * linefor - the line that a row of a function counts for: that with its name, if the function begins there.
 * eachrow - tell how many instructions were executed for the rows of a function; NULL stands for
 * what is before the first of them. */
const char *fileof(const Fn *);
uint32_t lineof(const Fn *);
bool placeof(Module *, const Modcut *, Arena *, Place *);
uint32_t linefor(const Fn *, const Coderow *);
void eachrow(const Fn *, void (*tell)(void *, const Coderow *, uint64_t insns), void *);

/* marks.c: how often the blocks of a source were executed. */

typedef struct Srcend Srcend;

struct Srccounts {
	uint64_t *count; /* by block */
	bool *unknown;   /* by block: some of its code is not counted */
	bool *doubtful;  /* by block: some of its code is in functions whose counts may be wrong */
	Srcend *end;     /* frames that ended in the middle of blocks: marks.c knows them */
	int nend;
	size_t capend;
};

/* choice.c: chosenfile, chosenname - whether a file is wanted, or a function by either of its names;
 * chosentext - by its name in the source; chosen - whether a function is, by its name or its file. */
bool chosenfile(const Choice *, const char *path);
bool chosenname(const Choice *, const Fn *);
bool chosentext(const Choice *, const char *name);
bool chosen(const Choice *, const Fn *);

/* paths.c: mappedpath - a path as the first --prefix-map that fits has it.  besides - a relative one, from where a
 * program is or above; NULL.  commonparts - how many last parts two paths have in common.  simplepath - without `.', `..'
 * and empty parts.  matchesfile - whether one of the names of a file matches one of n patterns. */
const char *mappedpath(const Choice *, const char *path, Arena *);
const char *besides(const Choice *, const char *path, Arena *);
int commonparts(const char *, const char *);
char *simplepath(const char *path, Arena *);
bool matchesfile(const Choice *, char *const *glob, int n, const char *file);

/* twins.c: of code that several modules have, the first function is linked to the others, after preparelines().
 * hasrunat - whether a block ran in any of them, from the one given. */
bool hasrunat(const Fn *, int b);

/* narrow.c: narrow - find a line, and leave of the modules only what its count depends on; returns it
 * with its file as the compiler calls it.  touches - whether some of a module is left.  lineat - the line,
 * counted; NULL if it has no count. */
Place narrow(const Choice *, Place, Arena *);
bool touches(const Module *);
const Line *lineat(const Choice *, Place, Arena *);

#endif
