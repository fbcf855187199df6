/* standin.h - what takes the places of compilers' parts during `tally build': the assembler's, those of gcc's compilers
 * proper, gold's; and clang, which is asked from the assembler's place. */

#ifndef STANDIN_H
#define STANDIN_H

#include "base/base.h"

/* What main() calls under the names of the parts: as.c, cc1.c, gold.c. */
int cmdas(int argc, char **argv);
int cmdcc1(int argc, char **argv);
int cmdgold(int argc, char **argv);

/* folder.c: standin - have compilers call us; self is the path of this tally, tmp a directory of this build,
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
 * cleared that, they are recovered from a process above us: how far above, or -1 if there is none.
 * builddir - where profiles go of programs that are made here. */
char *gccpart(const char *name, Arena *run);
char *gccmachine(Arena *run);
bool iscountable(const char *machine);
int inbuild(Arena *run);
const char *builddir(void);

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

#endif
