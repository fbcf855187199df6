/* diff.h - two programs, or runs of one, and changes of sources. */

#ifndef DIFF_H
#define DIFF_H

#include "report.h"

/* patch.c: readpatch - read a unified diff, which modifies the text; dies if it has no files,
 * unless mayempty. */

typedef struct Added Added;
typedef struct Patched Patched;
typedef struct Patch Patch;

struct Added {
	uint32_t line; /* number in the new file */
	const char *text;
};

struct Patched {
	const char *name; /* of the new file, without git's prefix */
	bool git;
	Added *line; /* the lines that were added */
	int n;
	size_t cap;
};

struct Patch {
	Patched *file;
	int n;
};

Patch readpatch(const char *path, char *text, size_t len, bool mayempty, Arena *);

/* delta.c: what of two programs ran more or less. */

typedef enum Change { SAMEAS, MORE, LESS, NEWLY, NOLONGER, NCHANGE } Change;
typedef struct Side Side;
typedef struct Delta Delta;
typedef struct Comparison Comparison;

struct Side {
	bool there;
	uint64_t count; /* of a line; or calls of a function */
	bool sure;
	uint32_t line;
};

struct Delta {
	const char *file;
	const char *text; /* of a line; or name of a function */
	Side old, new;
	Change change;
	int lines[NCHANGE]; /* of a file: number of lines by change */
};

/* All files; those functions and lines that differ. */
struct Comparison {
	Delta *file, *fn, *line;
	int nfile, nfn, nline;
};

Comparison comparereports(const Report *old, const Report *new);

/* diff.c:
 * diff - show a comparison.
 * patchcover - show which lines of a patch did not run; top is the directory in which its paths
 * begin, or NULL. */

typedef enum Diffby { BYFILE, BYFUNCTION, BYLINE, BYALL } Diffby;
typedef struct Patchsum Patchsum;

struct Patchsum {
	int n, ran; /* lines of the patch that have code */
};

void diff(const Report *, const Comparison *, Diffby);
Patchsum patchcover(const Report *, const Patch *, const char *top);

#endif
