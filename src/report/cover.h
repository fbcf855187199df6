/* cover.h - what was counted, by source file: for exports, pages and comparisons. */

#ifndef COVER_H
#define COVER_H

#include "report.h"

/* cover.c: what was counted, by source file: for exports. */

typedef struct Function Function;
typedef struct Covered Covered;
typedef struct Cover Cover;

/* A function of a source.  What the C road has read is told by the source, however often the
 * compiler copied it; other functions are those of the program. */
struct Function {
	const char *file;
	const char *name;   /* as nameof() has it */
	const char *symbol; /* the same if the source told it */
	uint32_t line, column;
	uint32_t endline, endcolumn; /* of the last block; column 0 if it is not known */
	uint64_t calls;
	uint32_t blocks, ran;
	bool *hit; /* by block: it ran */
	size_t caphit;
	uint64_t shape; /* blocks of the same shape in another program are the same */
	bool told;      /* by the source */
	bool sure;
};

/* isknown - whether it is known if a function was called. */
static inline bool
isknown(const Function *f)
{
	return f->sure || f->calls;
}

/* eachcontradiction - print a line for each function whose counts contradict each other: text around its name. */
void eachcontradiction(const Report *, const char *before, const char *after);

/* A file, with what is wanted of it; all in order of lines. */
struct Covered {
	const char *file; /* as its compiler called it */
	const char *path; /* where it is now */
	const Function *fn;
	int nfn;
	const Line *line; /* those that have a count; with Report.insns all that have code */
	int nline;
	int counted;     /* those of which it is known whether they ran */
	int functions;   /* likewise */
	int ran, called; /* lines and functions with counts above 0 */
	uint64_t insns;  /* of all its lines, as are */
	uint64_t count;  /* their counts */
	bool sure;       /* each of these is */
	int nbranch;     /* ways out of branches, two of each */
	int taken;       /* those with counts above 0 */
};

struct Cover {
	Covered *source;
	int n;
};

Cover cover(const Report *);

#endif
