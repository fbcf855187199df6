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

/* options.c: the options of a verb are one table.  The command line is read by it, --help is made of it, and a test
 * compares the manual with that. */

typedef struct Option Option;
typedef struct Syntax Syntax;
typedef struct Got Got;

/* A row with help but neither name nor letter is a text among them; one without help is that which `with' points to, but
 * for `at'. */
struct Option {
	const char *name;          /* of --name; NULL if it has only a letter */
	char letter;               /* of -l; 0 if it has none */
	const char *value;         /* what its value is called; NULL if it takes none */
	void (*take)(const Got *); /* what is done when it is given: below */
	size_t at;                 /* where it goes in what the verb is asked */
	const void *with;          /* what else take() wants to know */
	const char *help;          /* what it does */
};

struct Syntax {
	const char *usage;    /* how the verb is called, a line for each way */
	const char *about;    /* lines before the options, or NULL */
	const Option *option; /* a row of zeros is the last */
	const char *note;     /* lines after them, or NULL */
	bool command;         /* options end where another command line begins */
};

/* An option on the command line. */
struct Got {
	const Syntax *syntax;
	const Option *option;
	char *value; /* NULL if it takes none */
	void *to;    /* option->at in what the verb is asked */
	Arena *run;
};

/* readoptions - those of a command line, into a struct of the verb's; optind gets the index of the first argument.
 * wrong - say what is wrong with it, show the help and exit.  showhelp - as if --help had been given.
 *
 * Functions that take an option:
 *   setflag  a bool is true
 *   settext  a char * is the value
 *   addtext  Argv get one more
 *   addpair  the same, if it is OLD=NEW
 *   setword    an int is the index of the value in `with', an array of words that ends with NULL
 *   setnumber  an int is that which `with' points to
 *   setone   a pointer is `with'; no two of such options go together */
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

/* What verbs share: a verb's own struct Asked has these as far as it has the options. */

typedef struct Choosing Choosing;
typedef struct Dump Dump;
typedef struct Output Output;
struct Report;

/* Files and functions, and what they are called. */
struct Choosing {
	Argv only, prefix;
	bool mangled;
};

/* The memory of a program, to take counts from. */
struct Dump {
	const char *memory, *base;
};

enum { TEXT, JSON, HTML }; /* the last only of those that take it */
enum { AUTO, ALWAYS, NEVER };

/* Manners of tables. */
struct Output {
	int format;
	int color;
	bool nopager;
};

#define AT(member) offsetof(Asked, member)

/* Rows that several tables have, by `with'. */
extern const Option onlyoption, mangledoption, prefixoption;
extern const Option memoryoption, baseoption;
extern const Option formatoption, nopageroption, coloroption;

/* What PROGRAM and PROFILE are, for the note of a Syntax. */
extern const char inputnote[];

/* choose - what is said there is for the report.  readcounted - the counts that a report is made of. */
void choose(struct Report *, const Choosing *);
void readcounted(struct Report *, const Dump *, const Syntax *, char **name, int n);

/* run.c: what ctrace has in common with it.  setkind - takes an option for a Wish: to count what `with' points to, a
 * Unitkind.  setwish - what is said there of where to count, too. */
struct Wish;
void setkind(const Got *);
void setwish(struct Wish *, const Argv *only, const Argv *skip);

/* trace.c: what tally graph shows of tracing; the status. */
struct Graphfile;
int printtraces(const struct Graphfile *, Arena *run);

/* output.c: manners of verbs that print tables.  openoutput - before the first table; closeoutput - after the
 * last. */
void openoutput(const Output *, struct Report *);
void closeoutput(const struct Report *);

#endif
