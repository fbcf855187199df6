/* standin.h - what takes the place of parts of compilers during `tally build'.
 *
 *   tally build      sets the environment so that compilers call us for their parts, and passes
 *                    the settings
 *   as.c             the assembler: counts what it gets; has clang compile the source once more,
 *                    marked
 *   cc1.c            gcc's compilers proper: asks for line tables, marks C
 *   gold.c           the linker ld.gold
 *
 * The stand-ins know what to do from their command lines, the settings, and the compiler that calls
 * them. */

#ifndef STANDIN_H
#define STANDIN_H

#include "base/base.h"
#include "core/core.h"

/* What main() calls under the names of these parts: as.c, cc1.c, gold.c. */
int cmdas(int argc, char **argv);
int cmdcc1(int argc, char **argv);
int cmdgold(int argc, char **argv);

/* settings.c: the options of tally build, and where things are in that build. tally build puts them
 * into the environment, and the stand-ins take them from there. */

typedef struct Settings Settings;

enum { CHECK = NSCHEME };                          /* one more than the schemes */
enum { SOURCE, TABLES };                           /* where lines of C come from */
enum { ASM, INTEXT };                              /* counters are put into assembly, or C text */
enum { COMPILERPATH, OVERRIDE, PASCALPATH, NOLD }; /* variables that we change */

extern const char *const linesname[], *const roadname[]; /* end with NULL */

struct Settings {
	int counters; /* a Scheme, or CHECK: redundant, compared with edges */
	int lines;
	int road;
	bool calls;    /* record what calls through pointers lead to */
	bool branches; /* count operands of ?:, && and || */
	bool flat;     /* do not use the gs register */
	bool bare;     /* there is no runtime and no C library */
	bool order;    /* record in what order files are used first */
	Argv only;     /* globs of files and functions to count; empty for all */
	Argv skip;     /* globs of those not to count */
	Argv without;  /* names of cheaper ways of counting not to use */

	const char *weights;   /* file of weights from an earlier run; NULL if there is none */
	const char *dir;       /* where profiles go; NULL outside of a build */
	const char *log;       /* the log of this build */
	const char *folder;    /* where compilers find us; the first directory of PATH */
	const char *old[NOLD]; /* the user's values; NULL if empty */
};

/* getsettings - read the settings from the environment.
 * putsettings - write them there.
 * stampsettings - a hash of all that objects depend on: settings, and the tally `self'.
 * inbuild - the settings, and how many processes above us they were found: normally 0, more if
 * something has cleared the environment, -1 if there is no build around us.
 * countersof - the value of --counters=NAME; countersname() of it is NULL if there is no such.
 * putvar - set a variable of the environment; NULL removes it. */
Settings getsettings(Arena *run);
void putsettings(const Settings *, Arena *run);
uint64_t stampsettings(const Settings *, const char *self, Arena *run);
int inbuild(Settings *, Arena *run);
int countersof(const char *name);
const char *countersname(int counters);
void putvar(const char *name, const char *value);

/* folder.c:
 * standin - have compilers call us, for this build; weights is a profile or a program, or NULL. */
void standin(Settings *, char *weights, Arena *run);

/* real.c: the programs that we stand in for.
 * oldpath - PATH without our folder.
 * isourselves - whether a program is this one.
 * realtool - the first of that name in the user's COMPILER_PATH and PATH that is not us.
 * iscountable - whether code for a machine can be counted. */
const char *oldpath(const Settings *);
bool isourselves(const char *path);
char *realtool(const Settings *, const char *name, Arena *run);
bool iscountable(const Settings *, const char *machine);

/* gcc.c: what the gcc that called us says.
 * calledbygcc - whether gcc did.
 * gccoptions - its options, each followed by a NUL; NULL if it did not call us.
 * gccpart - what it would have called in our place.
 * gccmachine - the machine it compiles for; NULL if it does not say so.
 * otheras - its command line of an assembler other than us, which -B or specs name; empty if there
 * is none. */
bool calledbygcc(void);
char *gccoptions(Arena *run, size_t *len);
char *gccpart(const Settings *, const char *name, Arena *run);
char *gccmachine(const Settings *, Arena *run);
Argv otheras(Arena *run);

/* clang.c: what the assembler's stand-in asks of the clang that called it.  `source' is what the
 * assembly says it was compiled from.
 *
 * openclang - whether clang called us.
 * target - the machine it compiles for; NULL if it does not say so.
 * recompile - the assembly of the same source with markers; NULL, and perhaps why.
 * reshape - the shape of the source, to follow its assembly; nothing if it cannot be read.
 * bringhome - move files that clang wrote beside the assembly to the object, where they would be
 * without us.
 * plainly - make the object that clang would have made without us; returns the wait status, or -1
 * if clang does not say how. */

typedef struct Clang Clang;

struct Clang {
	const Settings *settings;
	Arena *run;
	Argv argv;       /* its command line */
	struct Job *job; /* what it calls; NULL until asked */
	int njob;
};

bool openclang(Clang *, const Settings *, Arena *run);
const char *target(Clang *);
char *recompile(Clang *, const char *source, const char *assembly, size_t *len, const char **why);
void reshape(Clang *, const char *source, const char *assembly, Buf *out);
void bringhome(Clang *, const char *source, const char *assembly, const char *output);
int plainly(Clang *, const char *source, char *assembly, char *output);

/* driver.c: what the options say of the compiler, gcc or another, that calls an assembler.
 * asksdebug - whether an option asks for debug information. */

typedef struct Driver Driver;

struct Driver {
	bool lines;       /* line tables are asked for, or the options are unknown */
	bool plain;       /* no optimization */
	bool faraway;     /* data may be out of reach of code */
	bool nofrontiers; /* rows do not say where statements begin */
};

Driver askdriver(const Settings *, Arena *run);
bool asksdebug(const char *option);

/* call.c: the command line of an assembler.
 * readcall - read it.
 * assembling - a command line with these options; input and output may be NULL. */

typedef struct Call Call;

struct Call {
	char **argv;
	int argc;
	char *input;     /* NULL for standard input */
	char *output;    /* a.out by default */
	const char *odd; /* why we leave it alone: an option, or a second input; or NULL */
	bool asks;       /* for a version and the like; nothing is assembled */
	bool debug;      /* asks for a line table of the assembly */
	Argv opts;       /* without input and output */
};

void readcall(Call *, char **argv, int argc, Arena *run);
char **assembling(const char *as, const Argv *opts, const char *input, const char *output);

/* mark.c: markers or counters in a C text.
 *
 * marksource - the text with markers (or counters), in out; why it is left as it is, or NULL.
 * shapesource - the shape of the source, to follow its assembly; nothing if it cannot be read.
 * includesfiles - whether everything that a preprocessed text came from can be read again.
 * rereadable - whether this is a file that can be read twice.
 * lasting - whether it is, or does not exist.
 * istrial - whether configure, CMake or meson wrote the source to try something. */
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
 * countfile - the same for a file, in place, if gcc gives it to another assembler.
 * note - log what became of a text, and after how many microseconds.
 * now - microseconds. */
struct Unit;
const char *count(struct Unit *, const Settings *, const Call *, const char *as, Buf *out);
void countfile(const Settings *, const Argv *as, const char *path);
void note(const Settings *, struct Unit *, const char *why, double took);
double now(void);

/* log.c: what the stand-ins did.
 * writelog - append lines to the log.
 * readlog - print what it says: with LOGODD a summary if something was not counted, with LOGSUM a
 * summary, with LOGALL every line, too.  If the build failed, it says nothing if there was nothing
 * to count. */
typedef enum Logwords { LOGODD, LOGSUM, LOGALL } Logwords;

void writelog(const Settings *, const Buf *lines);
void readlog(const char *path, Logwords, bool failed, Arena *run);

#endif
