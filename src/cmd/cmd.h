/* cmd.h - the verbs, one per file. */

#ifndef CMD_H
#define CMD_H

#include "core/core.h"
#include "profile/profile.h"

#ifndef VERSION
#define VERSION "unknown" /* the Makefile knows it */
#endif

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

/* Under other names tally takes the place of a part of a compiler; build.c puts it
 * there. */
int cmdas(int argc, char **argv);
int cmdcc1(int argc, char **argv);
int cmdgold(int argc, char **argv);

/* standin.c: standin - have compilers call us; self is the path of this tally, tmp a directory of this build,
 * the stamp differs where objects do.  oldpath - PATH without us. */
void standin(const char *self, const char *tmp, uint64_t stamp, Arena *run);
const char *oldpath(void);

/* parts.c: realtool - the program that would have been called: the first of its name in the user's COMPILER_PATH
 * and PATH that is not ourselves.  asksdebug - whether an option of a compiler asks for debug
 * information. */
char *realtool(const char *name, Arena *run);
bool asksdebug(const char *option);

/* gccpart - what gcc would have called in our place; gccmachine - for which machine; NULL if it does not say so.
 * iscountable - whether code for a machine can be counted.
 * inbuild - 0 if a tally build is around us and has left its settings in the environment.  If something has
 * cleared that, they are recovered from a process above us: how far above, or -1 if there is none. */
char *gccpart(const char *name, Arena *run);
char *gccmachine(Arena *run);
bool iscountable(const char *machine);
int inbuild(Arena *run);

/* cc1.c: mark a C text for the assembly road, as the options of tally build say.
 *
 * marksource - the text with marks, in out; why it is left as it is, or NULL.
 * shapesource - what the text looks like, to stand after its assembly; nothing if it cannot be read.
 * includesfiles - whether all that a preprocessed text came from are files, which can be read again.
 * isroadc - whether counters go into the C text, and none into assembly.
 * istrial - a source that configure, CMake or meson wrote to try something out. */

const char *marksource(const char *path, const char *text, size_t len, const char *std, Buf *out);
void shapesource(const char *path, const char *text, size_t len, const char *std, Buf *out);
bool includesfiles(const Buf *text);
bool isroadc(void);
bool istrial(const char *path);

/* clang.c: what the assembler's stand-in asks of the clang that called it.
 *
 * openclang - whether one did.
 * target - for which machine it compiles; NULL if it does not say so.
 * recompile - what it would have compiled a unit to, had its source been marked.  source is what the unit says that
 * it was made of.  NULL, and perhaps why.
 * reshape - what such a source looks like, to stand after its assembly; nothing if it cannot be read.
 * bringhome - what it has written beside the assembly to where it would be without us, beside the object.
 * plainly - make the object that it would have made without us; the wait status, or -1 if it does not say how.
 * rereadable - whether that is a file, which can be read a second time. */

typedef struct Clang Clang;

struct Clang {
	Arena *run;
	char **argv; /* its command line */
	int argc;
	struct Job *job; /* what it calls; NULL before it was asked */
	int njob;
};

bool openclang(Clang *, Arena *run);
const char *target(Clang *);
char *recompile(Clang *, const char *source, const char *assembly, size_t *len, const char **why);
void reshape(Clang *, const char *source, const char *assembly, Buf *out);
void bringhome(Clang *, const char *source, const char *assembly, const char *output);
int plainly(Clang *, const char *source, char *assembly, char *output);
bool rereadable(const char *path);

/* as.c: understand - what is in a file of assembly, by the real assembler and its options; why it
 * cannot be counted, or NULL.  putruntime - the runtime, for the assembler.  placesymbol - what
 * the directory is called there that says where the program was made. */
struct Unit;
const char *understand(struct Unit *, char **opts, int nopt, char *as);
void putruntime(Buf *);
#define PLACE ".Ltally_place"

/* as.c: where gcc is told to call another assembler than us, by -B or specs, the compiler's stand-in does our work.
 * otheras - how it will call that; NULL if it calls us.  countfile - put counters into a file of assembly for it. */
typedef struct Call Call;

Call *otheras(Arena *run);
void countfile(const Call *, const char *path, Arena *run);

/* log.c: what the stand-ins did.  writelog - lines of the log.  readlog - say it: in one
 * line, if something is not counted or in any case; or verbosely.  Of a build that failed it is no news that nothing
 * was counted. */
typedef enum Logwords { LOGODD, LOGSUM, LOGALL } Logwords;

void writelog(const Buf *lines);
void readlog(const char *path, Logwords, bool failed, Arena *run);

/* input.c: what a command line names: programs, profiles and directories of them.
 *
 * profiles - the directory where they are, unless a program says otherwise.  profilesof - of a program:
 * the directories where they may be, each once; some are not there.  isprogram - whether a file begins
 * as ELF files do.
 * openinput - look what there is; of nothing that is named, all in that directory; of a program its
 * runs in the first of its directories that has any, or, if profiles are named which have, in these.  closeinput - let
 * processes go on adding to it.
 * labelsof - the labels, in order.
 * readcounts - what was counted under a label, or under all for NULL.  mapmodules - learn what the
 * modules consist of; those of which that is not known go, how many stay.  readlabel - both,
 * solved.
 * readinput - all of that at once; readended - the same, without processes that were killed or still
 * run, if there are others; readdump - those of programs, out of memory; base is an address,
 * or NULL. */

typedef struct Input Input;
typedef struct Inputdir Inputdir;

/* A directory of profiles, and programs whose runs are taken from there. */
struct Inputdir {
	const char *path;
	Parts parts;
	const char **program;
	int nprogram;
	size_t capprogram;
};

struct Input {
	Arena *run;
	Finder finder;
	Parts named;
	Inputdir *dir; /* that may have runs of programs that are named */
	int ndir;
	size_t capdir;
};

const char *profiles(void);
const char **profilesof(const char *program, int *n, Arena *run);
bool isprogram(const char *path);
void openinput(Input *, char **name, int n, Arena *run);
void closeinput(Input *);
const char **labelsof(const Input *, int *n, Arena *run);
Profile readcounts(Input *, const char *label, Arena *run);
int mapmodules(Module *, int n, bool quiet, Arena *run);
Module *readlabel(Input *, const char *label, bool quiet, int *nmodule, Arena *run);
Module *readinput(char **name, int n, int *nmodule, Arena *run);
Module *readended(char **name, int n, int *nmodule, Arena *run);
Module *readdump(const char *memory, const char *base, char **program, int n, int *nmodule,
		 Arena *run);

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
 * letter; false if there is no such.  endas - end as a program did, by what waitpid() says of it:
 * the exit status, if not by a signal. */
struct Wish;
bool wishfor(struct Wish *, int c, const char *help, Arena *run);
int endas(int status);

/* output.c: otheroption - what getopt_long() returned that a verb does not know: asked for help, a
 * missing value, or nothing that there is. */
_Noreturn void otheroption(int c, char **argv, const char *help);

/* graphfile.c: graphs as text; the form is described in tally-graph(1) */

typedef struct Mark Mark;
typedef struct Graphfile Graphfile;

/* What a file says of one place, beside what the Graph holds. */
struct Mark {
	char *name;     /* of a block; of an edge NULL unless it was given one */
	int line;       /* of an edge: where it is; 0 for what is implied */
	bool counter;   /* the file puts a counter here */
	bool costs;     /* the file gives its cost */
	bool weighted;  /* the file gives its weight */
	bool counted;   /* the file gives its count */
	uint64_t count; /* given, or how often the walks passed here */
};

struct Graphfile {
	const char *path;
	Graph *g;   /* closed */
	Mark *mark; /* by place */
	Cut *cut;
	int ncut;
	int nwalk;    /* walks in the file; if any, every count is known */
	int ncount;   /* counts given */
	int ncounter; /* counters given */
	int nweight;  /* weights given: for all edges or for none */
};

Graphfile *readgraph(const char *path, Arena *run);

#endif
