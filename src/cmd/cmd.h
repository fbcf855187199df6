/* cmd.h - the verbs, one per file. */

#ifndef CMD_H
#define CMD_H

#include "core/core.h"
#include "profile/profile.h"

/* A verb gets the arguments after its name and returns the exit status. */
int cmddiff(int argc, char **argv);
int cmdexport(int argc, char **argv);
int cmdgraph(int argc, char **argv);
int cmdhtml(int argc, char **argv);
int cmdbuild(int argc, char **argv);
int cmdmerge(int argc, char **argv);
int cmdmix(int argc, char **argv);
int cmdprint(int argc, char **argv);
int cmdrun(int argc, char **argv);
int cmdstats(int argc, char **argv);
int cmdattach(int argc, char **argv);
int cmdtests(int argc, char **argv);

/* And under these names it is what the papers had: lcomp and lcc compile, bb puts counters into
 * assembly, zprof into C, lprint prints, ctrace runs and prints.  They get their name, too. */
int cmdzprof(int argc, char **argv);
int cmdlcomp(int argc, char **argv);
int cmdlcc(int argc, char **argv);
int cmdbb(int argc, char **argv);
int cmdlprint(int argc, char **argv);
int cmdctrace(int argc, char **argv);

/* print.c: what other verbs have in common with it.  choose - the options --only (O), --mangled (N)
 * and --prefix-map (M), with optarg. */
struct Report;
void choose(struct Report *, int option, const char *help);

/* output.c: manners of verbs that print tables.  manners - the options --format (F) and --no-pager (G),
 * which MANNERS lists, and --color (C), with optarg.  openoutput - before the first table;
 * closeoutput - behind the last. */

typedef struct Output Output;

struct Output {
	bool json, nopager;
	bool html;         /* only of those who take it */
	const char *color; /* when; NULL for auto */
};

#define MANNERSHELP                                                              \
	"  --format=FORM   text or json: an array with an object for each row\n" \
	"  --no-pager      on a terminal, too, print and be done\n"

#define MANNERS                                    \
	{"format", required_argument, NULL, 'F'},  \
	{                                          \
		"no-pager", no_argument, NULL, 'G' \
	}

void manners(Output *, int option, const char *help);
void openoutput(const Output *, struct Report *);
void closeoutput(const struct Report *);

/* run.c: what ctrace has in common with it.  wishfor - an option that says what to count, by its
 * letter; false if there is no such. */
struct Wish;
bool wishfor(struct Wish *, int c, const char *help, Arena *run);

/* output.c: otheroption - what getopt_long() returned that a verb does not know: asked for help, a
 * missing value, or nothing that there is. */
_Noreturn void otheroption(int c, char **argv, const char *help);

#endif
