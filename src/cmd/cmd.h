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

/* The programs of the papers, under their names: lcomp and lcc compile, bb puts counters into
 * assembly, zprof into C, lprint prints, ctrace runs and prints.  They get their name as the first
 * argument, too. */
int cmdzprof(int argc, char **argv);
int cmdlcomp(int argc, char **argv);
int cmdlcc(int argc, char **argv);
int cmdbb(int argc, char **argv);
int cmdlprint(int argc, char **argv);
int cmdctrace(int argc, char **argv);

/* options.c: the options of a verb are a table.  The command line is read by it, --help is made
 * from it, and a test compares the manual with it. */

typedef struct Option Option;
typedef struct Syntax Syntax;
typedef struct Got Got;

/* A row with help but neither name nor letter is a line of text among the options.  A row without
 * help stands for the row that `with' points to, but has its own `at'. */
struct Option {
	const char *name;          /* of --name; NULL if there is only a letter */
	char letter;               /* of -l; 0 if there is none */
	const char *value;         /* name of its value; NULL if it takes none */
	void (*take)(const Got *); /* called when the option is given; see below */
	size_t at;                 /* offset of the result in the verb's struct Asked */
	const void *with;          /* more for take() */
	const char *help;          /* what the option does */
};

struct Syntax {
	const char *usage;    /* command lines, one per line */
	const char *about;    /* text before the options, or NULL */
	const Option *option; /* ends with a row of zeros */
	const char *note;     /* text after the options, or NULL */
	bool command;         /* options end where another command line begins */
};

/* An option on the command line. */
struct Got {
	const Syntax *syntax;
	const Option *option;
	char *value; /* NULL if it takes none */
	void *to;    /* option->at in the struct Asked */
	Arena *run;
};

/* readoptions - the options of a command line, into a verb's struct Asked; sets optind to the index
 * of the first argument.
 * wrong - say what is wrong with the command line, show the help and exit.
 * showhelp - as if --help had been given.
 *
 * Functions that take an option:
 *   setflag    a bool becomes true
 *   settext    a char * becomes the value
 *   addtext    an Argv gets the value
 *   addpair    the same, if the value is OLD=NEW
 *   setword    an int becomes the index of the value in `with', words that end with NULL
 *   setnumber  an int becomes the one that `with' points to
 *   setone     a pointer becomes `with'; only one such option may be given */
void readoptions(const Syntax *, int argc, char **argv, void *asked, Arena *run);
_Noreturn void wrong(const Syntax *, const char *fmt, ...) PRINTF(2, 3);
_Noreturn void showhelp(const Syntax *);
void setflag(const Got *);
void settext(const Got *);
void addtext(const Got *);
void addpair(const Got *);
void setword(const Got *);
void setnumber(const Got *);
void setone(const Got *);

/* What verbs share: the struct Asked of a verb has those for which it has options. */

typedef struct Choosing Choosing;
typedef struct Dump Dump;
typedef struct Output Output;
struct Report;

/* Files and functions to show, and how to name them. */
struct Choosing {
	Argv only, prefix;
	bool mangled;
};

/* Memory of a program, to take counts from. */
struct Dump {
	const char *memory, *base;
};

enum { TEXT, JSON, HTML }; /* HTML only where it is allowed */
enum { AUTO, ALWAYS, NEVER };

/* How to print tables. */
struct Output {
	int format;
	int color;
	bool nopager;
};

#define AT(member) offsetof(Asked, member)

/* Rows for the tables of several verbs. */
extern const Option onlyoption, mangledoption, prefixoption;
extern const Option memoryoption, baseoption;
extern const Option formatoption, nopageroption, coloroption;

/* What PROGRAM and PROFILE are, for Syntax.note. */
extern const char inputnote[];

/* choose - put these options into a report.
 * readcounted - read the counts for a report. */
void choose(struct Report *, const Choosing *);
void readcounted(struct Report *, const Dump *, const Syntax *, char **name, int n);

/* run.c, for ctrace, too:
 * setkind - takes an option for a Wish: to count what `with' points to, a Unitkind.
 * setwish - put --only and --skip into a Wish. */
struct Wish;
void setkind(const Got *);
void setwish(struct Wish *, const Argv *only, const Argv *skip);

/* trace.c: printtraces - what tally graph shows about tracing; returns the exit status. */
struct Graphfile;
int printtraces(const struct Graphfile *, Arena *run);

/* output.c: how verbs print tables.
 * openoutput - before the first table.
 * closeoutput - after the last. */
void openoutput(const Output *, struct Report *);
void closeoutput(const struct Report *);

#endif
