/* standin.h - what takes the places of compilers' parts during `tally build'.
 *
 *   tally build      sets the environment so that compilers call us for their parts, and says what is wanted: Settings
 *   as.c             the assembler: counts what goes by; under clang it has the source compiled once more, marked
 *   cc1.c            gcc's compilers proper: asks for line tables, marks C
 *   gold.c           the linker ld.gold
 *
 * The stand-ins know what to do from their command lines, the settings, and the compiler that calls them. */

#ifndef STANDIN_H
#define STANDIN_H

#include "base/base.h"
#include "core/core.h"

/* What main() calls under the names of the parts: as.c, cc1.c, gold.c. */
int cmdas(int argc, char **argv);
int cmdcc1(int argc, char **argv);
int cmdgold(int argc, char **argv);

/* settings.c: what the options of tally build say, and where things are in that build; tally build puts it into the
 * environment, and the stand-ins take it from there. */

typedef struct Settings Settings;

enum { CHECK = NSCHEME };                          /* beside the schemes */
enum { SOURCE, TABLES };                           /* where lines of C are from */
enum { ASM, INTEXT };                              /* what counters are put into */
enum { COMPILERPATH, OVERRIDE, PASCALPATH, NOLD }; /* variables that we change */

extern const char *const linesname[], *const roadname[]; /* ended by NULL */

struct Settings {
	int counters; /* a Scheme, or CHECK: redundant and edges */
	int lines;
	int road;
	bool calls;    /* record whom pointers call */
	bool branches; /* count operands of ?:, && and || */
	bool flat;     /* the gs register is the program's own */
	bool bare;     /* there is no runtime, nor a C library */
	bool order;    /* record in what order files are used first */
	Argv only;     /* globs of files and functions to count; none for all */
	Argv skip;     /* and of those not to count */
	Argv without;  /* ways of counting cheaper not to take */

	const char *weights;   /* a file of them, from an earlier run; NULL */
	const char *dir;       /* where profiles go; NULL if there is no build around us */
	const char *log;       /* of this build */
	const char *folder;    /* where compilers find us; the first directory of PATH */
	const char *old[NOLD]; /* what the user has there; NULL for nothing */
};

/* getsettings - from the environment.  putsettings - into it.  stampsettings - a hash of what changes objects, of this very
 * tally, too.
 * inbuild - the settings, and how far above us the process is that had them: 0 in the usual case, more if something has cleared
 * the environment, -1 if there is no build around us.
 * countersof - what --counters=NAME says; its name is NULL if there is no such.
 * putvar - a variable of the environment; NULL takes it away. */
Settings getsettings(Arena *run);
void putsettings(const Settings *, Arena *run);
uint64_t stampsettings(const Settings *, const char *self, Arena *run);
int inbuild(Settings *, Arena *run);
int countersof(const char *name);
const char *countersname(int counters);
void putvar(const char *name, const char *value);

/* folder.c: standin - have compilers call us, for this build; weights is a profile, or a program, or NULL. */
void standin(Settings *, char *weights, Arena *run);

/* real.c: who would have been called.  oldpath - PATH without us.  isourselves - whether a program is this one.
 * realtool - the first of a name in the user's COMPILER_PATH and PATH that is not.
 * iscountable - whether code for a machine can be counted. */
const char *oldpath(const Settings *);
bool isourselves(const char *path);
char *realtool(const Settings *, const char *name, Arena *run);
bool iscountable(const Settings *, const char *machine);

/* gcc.c: what the gcc says that called us.  calledbygcc - whether one did.  gccoptions - its own options, each followed by a
 * NUL; NULL if it did not.
 * gccpart - what it would have called in our place; gccmachine - for which machine; NULL if it does not say so.
 * otheras - how it calls another assembler than us, since -B or specs name one; empty if it does not. */
bool calledbygcc(void);
char *gccoptions(Arena *run, size_t *len);
char *gccpart(const Settings *, const char *name, Arena *run);
char *gccmachine(const Settings *, Arena *run);
Argv otheras(Arena *run);

/* clang.c: what the assembler's stand-in asks of the clang that called it.
 *
 * openclang - whether one did.
 * target - for which machine it compiles; NULL if it does not say so.
 * recompile - what it would have compiled a unit to, had its source been marked.  source is what the unit says that
 * it was made of.  NULL, and perhaps why.
 * reshape - what such a source looks like, to stand after its assembly; nothing if it cannot be read.
 * bringhome - what it has written beside the assembly to where it would be without us, beside the object.
 * plainly - make the object that it would have made without us; the wait status, or -1 if it does not say how. */

typedef struct Clang Clang;

struct Clang {
	const Settings *settings;
	Arena *run;
	Argv argv;       /* its command line */
	struct Job *job; /* what it calls; NULL before it was asked */
	int njob;
};

bool openclang(Clang *, const Settings *, Arena *run);
const char *target(Clang *);
char *recompile(Clang *, const char *source, const char *assembly, size_t *len, const char **why);
void reshape(Clang *, const char *source, const char *assembly, Buf *out);
void bringhome(Clang *, const char *source, const char *assembly, const char *output);
int plainly(Clang *, const char *source, char *assembly, char *output);

/* driver.c: what the options of the compiler say that calls an assembler, gcc's or clang's or another's.
 * asksdebug - whether an option asks for debug information. */

typedef struct Driver Driver;

struct Driver {
	bool lines;       /* line tables are asked for; or nobody knows */
	bool plain;       /* no optimisation */
	bool faraway;     /* data may be out of reach of code */
	bool nofrontiers; /* rows are not to say where statements begin */
};

Driver askdriver(const Settings *, Arena *run);
bool asksdebug(const char *option);

/* call.c: the command line of an assembler.  assembling - another one, with these options; input and output may be
 * NULL. */

typedef struct Call Call;

struct Call {
	char **argv;
	int argc;
	char *input;     /* NULL: standard input */
	char *output;    /* a.out if nothing is said */
	const char *odd; /* an option with which we leave it alone; NULL */
	bool asks;       /* nothing is to be assembled */
	bool debug;      /* asks for a line table of the text */
	Argv opts;       /* without input and output */
};

void readcall(Call *, char **argv, int argc, Arena *run);
char **assembling(const char *as, const Argv *opts, const char *input, const char *output);

/* mark.c: marks, or counters, in a C text.
 *
 * marksource - the text with marks, in out; why it is left as it is, or NULL.
 * shapesource - what the text looks like, to stand after its assembly; nothing if it cannot be read.
 * includesfiles - whether all that a preprocessed text came from are files, which can be read again.
 * rereadable - whether that is a file, which can be read a second time.  lasting - or is not there at all.
 * istrial - a source that configure, CMake or meson wrote to try something out. */
const char *marksource(const Settings *, const char *path, const char *text, size_t len,
		       const char *std, Buf *out);
void shapesource(const char *path, const char *text, size_t len, const char *std, Buf *out);
bool includesfiles(const Buf *text);
bool rereadable(const char *path);
bool lasting(const char *path);
bool istrial(const char *path);

/* count.c: counters in a text of assembly.
 *
 * count - the text with counters, in out; why it is left as it is, or NULL.
 * countfile - the same for a file, in its place, if gcc gives it to another assembler.
 * note - in the log, what became of a text; after how many microseconds.  now - of some clock. */
struct Unit;
const char *count(struct Unit *, const Settings *, const Call *, const char *as, Buf *out);
void countfile(const Settings *, const Argv *as, const char *path);
void note(const Settings *, struct Unit *, const char *why, double took);
double now(void);

/* log.c: what the stand-ins did.  writelog - lines of the log.  readlog - say it: in one
 * line, if something is not counted or in any case; or verbosely.  Of a build that failed it is no news that nothing
 * was counted. */
typedef enum Logwords { LOGODD, LOGSUM, LOGALL } Logwords;

void writelog(const Settings *, const Buf *lines);
void readlog(const char *path, Logwords, bool failed, Arena *run);

#endif
