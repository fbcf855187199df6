/* cover.h - what was counted, by source file: for exports, pages and comparisons. */

#ifndef COVER_H
#define COVER_H

#include "report.h"

/* cover.c: */

typedef struct Function Function;
typedef struct Covered Covered;
typedef struct Cover Cover;

/* A function of a source.  If the C road read the text, it is a function of the text, however many
 * copies the compiler made; else one of the machine code. */
struct Function {
	const char *file;
	const char *name;   /* by nameof() */
	const char *symbol; /* the name, if it is a function of a text */
	uint32_t line, column;
	uint32_t endline, endcolumn; /* of the last block; column 0 if unknown */
	uint64_t calls;
	uint32_t blocks, ran;
	bool *hit; /* by block: whether it ran */
	size_t caphit;
	uint64_t shape; /* functions of equal shape have the same blocks, also in other programs */
	bool told;      /* it is a function of a text */
	bool sure;
};

/* isknown - whether it is known if the function was called. */
static inline bool
isknown(const Function *f)
{
	return f->sure || f->calls;
}

/* eachcontradiction - print a line for each function whose counts contradict each other: its name,
 * between two texts. */
void eachcontradiction(const Report *, const char *before, const char *after);

/* A file and what is shown of it, in the order of lines. */
struct Covered {
	const char *file; /* as its compiler called it */
	const char *path; /* where it is now */
	const Function *fn;
	int nfn;
	const Line *line; /* those that have a count; with Report.insns all that have code */
	int nline;
	int counted;     /* lines of which it is known whether they ran */
	int functions;   /* functions of which it is known whether they were called */
	int ran, called; /* lines and functions with counts above 0 */
	uint64_t insns;  /* executed by all its lines */
	uint64_t count;  /* sum of the lines' counts */
	bool sure;       /* all of these counts are */
	int nbranch;     /* ways out of branches, two for each */
	int taken;       /* those with counts above 0 */
};

struct Cover {
	Covered *source;
	int n;
};

Cover cover(const Report *);

#endif
