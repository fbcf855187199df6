/* profile.h - maps and profiles, read. */

#ifndef PROFILE_H
#define PROFILE_H

#include "core/core.h"
#include "profile/format.h"

typedef struct Fn Fn;
typedef struct Module Module;
typedef struct Run Run;

/* A function, from a map. */
struct Fn {
	char *name;
	char *odd;     /* why it is not counted; NULL */
	uint64_t addr; /* where its first part is */
	char **file;   /* of its unit, by number */
	int nfile;
	bool plain; /* compiled without optimisation */
	int nslot;
	uint64_t first; /* number of its first counter in the module */
	Graph *g;       /* NULL if it is not counted */
	Plan *plan;
	Plan *check; /* or NULL */
	const struct Mapblock *block;
	const struct Mapedge *edge;
	const struct Maprow *row;
	int nrow;
	Flow *flow; /* after solvemodule() */
};

/* A program or library, and what was counted in it. */
struct Module {
	char *path;
	uint8_t id[32];
	int idlen;
	uint64_t *count;
	uint64_t ncount;
	int nrun; /* processes whose counts are in */
	Fn *fn;
	int nfn;
	int nbad;     /* functions whose counts contradict each other */
	int nalive;   /* processes that have not ended, or not by exit */
	bool midcall; /* a process ended inside main */
	bool jumps;   /* some of its code calls longjmp */
	uint32_t flags;
};

/* map.c: readmap - the functions of a module, from its program as it is now; false if
 * that is another build than the one that ran. */
bool readmap(Module *, Arena *);

/* prof.c: readprofile - add the counts in a file to modules[], which grows. */
struct Profile {
	Arena *run;
	Module *module;
	int nmodule;
	size_t capmodule;
};

typedef struct Profile Profile;

void readprofile(Profile *, const char *path);
void solvemodule(Module *, Arena *);

#endif
