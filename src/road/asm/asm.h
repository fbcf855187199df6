/* asm.h - the assembly road: reads GNU assembly for x86-64 and writes it again with counters.
 *
 * asm.c runs the passes.  Each is a file:
 *
 *    text.c     split the text into statements
 *    markers.c    read the comments that the C road left about the source
 *    measure.c    assemble the text, and decode what the assembler made of each statement
 *    scan.c     find functions, blocks and edges
 *    stand.c    find where our code may stand between the instructions
 *    calling.c  describe calls and exits for the analysis of live registers (body/live.c)
 *    lines.c    read the line table; inlined.c: which rows are in inlined copies;
 *               written.c: a line table that the compiler wrote as data; data.c: values in data
 *    design.c   weigh functions, place counters, check that they suffice
 *    cfi.c      the unwind information that holds at a statement
 *    plant.c    put counters between the statements; calls.c: calls of the runtime;
 *               hooks.c: stubs for library functions that the runtime intercepts
 *    write.c    write the text with all that
 *    map.c      write the map after it
 *    dump.c     print what each pass made
 *
 * What is not understood is left alone: a function is passed through uncounted and the map says
 * why, or the whole file is passed through. */

#ifndef ASM_H
#define ASM_H

#include "arch/arch.h"
#include "body/body.h"
#include "core/core.h"
#include "profile/profile.h"

typedef struct Stmt Stmt;
typedef struct Sect Sect;
typedef struct Item Item;
typedef struct Func Func;
typedef struct Lines Lines;
typedef struct Unit Unit;
typedef struct Unwind Unwind;
typedef struct Bed Bed;
typedef struct Planter Planter;
typedef struct Counting Counting;

typedef enum Kind {
	BLANK,     /* nothing */
	LABEL,     /* name: */
	DIRECTIVE, /* .name ... */
	CODE,      /* an instruction, a macro call, or data in a code section */
} Kind;

/* A statement of the text; several may share a line. */
struct Stmt {
	const char *s; /* without leading blanks */
	int len;       /* without comment and separator */
	Kind kind;
	int sect;    /* the section it is in */
	bool debug;  /* line table or debug section: not given to the assembler when measuring */
	bool data;   /* of CODE: a directive */
	bool user;   /* of CODE: the user's own text (an asm statement) in a compiler's output */
	bool jumped; /* of LABEL: a branch or an address leads here */
	int item;    /* of CODE: its item; of LABEL: the item that it names; NONE */
	int line;    /* line in its file */
	int file;    /* that file, an index into Unit.source */
	int marker;    /* of CODE without text: the C road's marker that it stands for; NONE */
};

struct Sect {
	char *name;
	bool code;
	bool debug;
	bool loaded;     /* in memory when the program runs */
	bool about;      /* only describes code: control does not follow addresses found in it */
	bool data;       /* an ordinary data section */
	bool group;      /* member of a section group */
	char *signature; /* of the group, with `,comdat' if it has that */
};

/* What the assembler made of a CODE statement. */
struct Item {
	int stmt;
	int sect;     /* section of the measured object; NONE if it was not assembled */
	uint64_t off; /* offset in that section, which has no counters */
	int bytes;
	int ninsn;    /* instructions; 0 for the first part of one */
	int npad;     /* alignment instructions that follow it */
	Insn insn;    /* the last instruction */
	int target;   /* of a direct branch: the item it leads to; NONE if outside */
	int refers;   /* the item whose address is written as a distance in bytes; NONE */
	int func;     /* the function it is in; NONE */
	int block;    /* the block of the function's graph; NONE */
	bool odd;     /* not understood */
	bool glued;   /* continues the instruction of the item before it */
	int fixed;    /* statement of the first label that must stay with this instruction; NONE */
	int listed;   /* statement of the first label whose address is in data; NONE */
	bool nops;    /* only nops */
	bool sealed;  /* no code of ours may stand after it */
	bool solid;   /* nor before it */
	bool leads;   /* first of a block */
	bool taken;   /* a label of it has its address taken, */
	bool held;    /* by code, */
	bool strange; /* or by a section of unknown purpose */
	bool entry;   /* the first of its function */
	bool middle;  /* not the first, but called or jumped to from elsewhere */
	bool again;   /* likewise, but control comes from the function itself, unseen */
	bool away;    /* a branch into the middle of another function */
	bool ends;    /* control may leave the function here, unseen */
	bool lost;    /* a call that does not return; its turn is RETURN */
	bool lands;   /* compiled code takes the address of a label of it */
	bool goes;    /* leaves the function after a change of stacks: goes to another stack */
	bool departs;   /* the last item before such a one where the frame is intact */
	bool midway;  /* control may come here from another stack, with the frame not intact */
	bool gap;     /* a branch to the padding before its target, or after all code */
};

/* Our own code in function F.  The K-th snippet begins at label .Ltally_oF_K and, if its size
 * does not follow from its form, ends at .Ltally_eF_K. */
struct Bed {
	Planted *planted; /* part is a section of the unit until the map is written */
	int n;
	size_t cap;
};

struct Func {
	char *name;
	int label; /* the label that names it: a statement */
	int *item; /* in order; a cold part after the rest */
	int nitem;
	const char *reason; /* why it is not counted; NULL */
	Body body;       /* its ops are the items */
	bool departs;      /* hand-written, and goes to another stack */
	bool open;       /* others enter it at labels whose address is taken, */
	bool loose;      /* or may do so, besides its own indirect jumps */
	Head head;       /* where the source declares it; line 0 if unknown */
	Copied *copied;  /* source functions of which it has, or had, code; by inst */
	int ncopied;
	Plan *plan;  /* its counters; NULL if it is not counted */
	Plan *check; /* more counters, to check these or to count calls of main; NULL */
	Bed bed;     /* what was planted in it */
};

/* The line table: from .file and .loc; if there are none, the lines of the text itself. */
struct Lines {
	char *dir;   /* directory in which the compiler ran; NULL */
	char **file; /* by number in .file */
	int nfile;
	size_t capfile;
	Coderow *row; /* by function: rows of f begin at first[f] */
	int *first;
	bool own; /* the rows are the lines of the text */
};

struct Unit {
	Arena *run;
	const char *dir; /* directory in which the assembler runs */
	char **source;   /* files that the text comes from; the first is the text itself */
	Stmt *stmt;
	Sect *sect;
	Item *item;
	Func *func;
	int nsource, nstmt, nsect, nitem, nfunc;
	bool byhand;      /* no compiler wrote it: flags may be live at calls */
	bool switches;    /* it has code that switches stacks in ways not understood */
	bool empty;       /* it has no code */
	bool bare;        /* no C library: names such as exit mean nothing */
	bool nofrontiers; /* the compiler was told not to mark in the rows where statements begin */
	size_t capsource, capstmt, capsect, capfunc;
	const char *reason; /* why the file cannot be counted; NULL */
	Lines lines;
	Unwind *unwind;
	Planter *planter;
	Remark *marker;
	int nmarker;
	size_t capmarker;
	Remarkline *told; /* what the C road said about texts that it read */
	int ntold;
	size_t captold;
};

/* How to count: */

/* Ways to make counting cheaper. */
typedef enum Cheaper {
	GUESSES, /* predict branches: body/guess.c */
	DETOURS, /* charge more for counters that need a jump */
	TRIPLES, /* count with three instructions in short loops */
	NWAY,
} Cheaper;

extern const char *const wayname[NWAY]; /* as --without= spells them */

struct Counting {
	char *const *as; /* assembler command without input and output, ended by NULL */
	Scheme scheme;
	bool without[NWAY]; /* ways to make it cheaper that are switched off */
	bool check;         /* also count redundantly, to compare */
	bool keeplines;     /* the user wants the line tables in the object */
	bool plain;         /* compiled without optimisation */
	bool faraway;       /* data may be out of reach of code: -mcmodel */
	bool flat;          /* the program uses the gs register itself */
	bool firsts;        /* record in which order files are first used */
	bool calls;         /* record which functions are called through pointers */
	bool bare;          /* no runtime and no C library */
	bool marklines;     /* the assembler makes a line table from the text: keep its lines */
	char **only;        /* globs of files and functions to count; none for all */
	int nonly;
	char **skip; /* and of those not to count */
	int nskip;
	Weights *weights;  /* counts of an earlier run; NULL */
	const char *place; /* symbol of the data that says where the program is built; NULL */
	const char *dump;  /* letters of passes to dump; NULL */
	Buf *dumped;       /* output of the dumps */
};

/* asm.c
 *
 * countunit - write the text that split() read, with counters and map, to out; returns NULL, or
 * why it cannot be counted.
 * hascode - whether there is any code.
 * hassection - whether there is a section whose name begins so. */
const char *countunit(Unit *, const Counting *, Buf *out);
bool hascode(const Unit *);
bool hassection(const Unit *, const char *prefix);

/* The passes. */

/* text.c
 *
 * split - split the text into statements.  ensures: each has its kind and section; the C road's
 * markers are found.
 * mnemonic - where the mnemonic of a call or jump begins: after its prefixes.
 * begins - whether a statement begins with this word.
 * word - find the next name in [*s, end) and move *s past it; returns its length, 0 if there is
 * none.  A name may be in quotes, which do not belong to it.
 * labelname - the name of a label, likewise. */
void split(Unit *, const char *path, const char *text, size_t len);
const char *mnemonic(const char *s, const char *end);
bool begins(const Stmt *, const char *word);
int word(const char **s, const char *end, const char **name);
int labelname(const Stmt *, const char **name);

/* markers.c: what the C road left in comments.
 *
 * isremark - whether a comment is one of the C road's; if so, record what it says.  *item gets
 * whether it is a marker, which becomes an item without instructions.
 * mapsources - write the texts that the C road read to the map.
 * findmarkers - the markers in function f, for the map; *n gets how many. */
bool isremark(Unit *, const char *s, const char *end, bool *item);
void mapsources(Unit *, Newmap *);
const Marker *findmarkers(Unit *, int f, int *n);

/* measure.c: measure - assemble the text with a label before each item, and learn from the object
 * where each item is and what it does; returns false if the assembler rejects the text.
 * requires: statements.  ensures: decoded items with their targets. */
bool measure(Unit *, const Counting *);

/* scan.c
 *
 * scan - find functions and build their graphs, closed and not yet weighed.  requires: items.
 * ensures: functions; for each either its graph, with the costs of counters and pinned where
 * none can be, or the reason why it is not counted.
 * isplain - whether the operand of a branch is a name, and not a distance.
 * isbegin - whether a program without a C library begins with this function. */
void scan(Unit *);
bool isplain(const Stmt *);
bool isbegin(const Func *);

/* stand.c: where our code may stand; its head says why not everywhere.
 *
 * seal - find code that must stay together.
 * headat - the item of a block before which a counter of the block may stand, one past its last
 * for after that; NONE.
 * standsat - the statement before which code may stand that precedes item i, not the first of
 * its block; NONE.
 * endat - the item before which code may stand that counts control leaving the block; NONE.
 * entryat - the statement after which code may stand that counts control entering the function
 * from outside; NONE.
 * standsafter - whether code may stand after the last item of a block. */
void seal(Unit *);
int headat(const Unit *, const Func *, int b);
int standsat(const Unit *, const Func *, int i);
int endat(const Unit *, const Func *, int b);
int entryat(const Unit *, const Func *);
bool standsafter(const Unit *, const Func *, int b);

/* calling.c: liveness - find which flags and registers hold values that are still needed.
 * requires: graphs.  ensures: the ops of bodies, Body.live and Body.scratch. */
void liveness(Unit *);

/* itemat - item i of a function. */
static inline const Item *
itemat(const Unit *u, const Func *fn, int i)
{
	return &u->item[fn->item[i]];
}

/* lines.c: the line table.
 *
 * readlines - requires: graphs.  ensures: Unit.lines, and where functions are declared.
 * fullpath - the path of a source file.
 * funcfile - the source file of a function.
 * mainfile - the main source file of the text; available after split(). */
void readlines(Unit *);
char *fullpath(const Unit *, const char *name);
char *funcfile(const Unit *, int f);
char *mainfile(Unit *);

/* data.c: values in the data directives of a section.  A cursor starts with stmt = -1.
 *
 * value - read the next value; returns false after the last.
 * sectnamed - the section of this name; NONE.
 * indexlabels - fill a table from labels to their statements.
 * labelat - the statement of the label with which a text begins; NONE. */

typedef struct Cursor Cursor;
typedef struct Value Value;

struct Cursor {
	const Unit *u;
	int sect;
	int stmt;
	const char *s; /* the rest of its operands; NULL before the first */
};

struct Value {
	const char *s; /* as it is written */
	int len;
	int bytes;
	bool literal;
	uint64_t n;
};

bool value(Cursor *, Value *);
int sectnamed(const Unit *, const char *name);
void indexlabels(const Unit *, Table *);
int labelat(Table *, const char *s, const char *end);

/* written.c: readwritten - read a line table that the compiler wrote as data: its rows and the
 * items at which they begin, in no order; returns how many.  Fills in the unit's files. */

typedef struct Written Written;

struct Written {
	int item;
	Coderow row;
};

int readwritten(Unit *, Written **);

/* inlined.c: findcopies - by statement, the inlined copy of a function that it is in, counted
 * from 1, or 0; and what debug information says about functions, in the order of their labels. */

typedef struct Named Named;

struct Named {
	int stmt;  /* the label at which the function begins */
	Head head; /* line 0 if unknown */
	Copied *copied;
	int ncopied;
};

const int *findcopies(Unit *, Named **, int *n);

/* design.c: which counters a function gets.
 *
 * chooseall - exclude functions that the user does not want counted.  requires: lines.
 * weighall - set weights, from an earlier run or by heuristics.  requires: ops.  ensures:
 * weights.
 * placeall - place counters.  requires: weights.  ensures: Func.plan and Func.check.
 * checkall - prove that the counters determine all counts; drop plans that do not. */
void chooseall(Unit *, const Counting *);
void weighall(Unit *, const Counting *);
void placeall(Unit *, const Counting *);
void checkall(Unit *);

/* cfi.c: unwind information.
 *
 * indexcfi - prepare a unit for the functions below; forgetcfi - free that.
 * isunwound - whether there is unwind information for this statement.
 * unwindas - begin a procedure whose rules are those that hold at this statement; returns false
 * if there are none.
 * isrelative - whether the CFA is found from the stack pointer there: then code that moves the
 * stack pointer must say so. */
void indexcfi(Unit *);
void forgetcfi(Unit *);
bool isunwound(const Unit *, int stmt);
bool unwindas(const Unit *, int stmt, Buf *);
bool isrelative(const Unit *, int stmt);

/* hooks.c: hides - a name of the C library that the runtime needs and that the text defines as a
 * local symbol; NULL if there is none. */
const char *hides(const Unit *);

/* plant.c: plant - decide what to write around statements and in place of them.  requires:
 * plans, unwind information.  ensures: Unit.planter, and Func.bed. */
void plant(Unit *, const Counting *);

/* write.c: writetext - write the text with all that. */
void writetext(const Unit *, Buf *out);

/* map.c
 *
 * writemap - write counters and map, as directives.  requires: what was planted.  breaks:
 * afterwards Planted.part is a part of the function.
 * codehash - a hash of a function's graph and instructions without counters. */
void writemap(Unit *, const Counting *, Buf *out);
uint64_t codehash(const Unit *, const Func *);

/* dump.c
 *
 * dump - print what the pass of this letter made, if Counting asks for it.
 * isdump - whether all letters stand for passes. */
void dump(const Unit *, const Counting *, char letter);
bool isdump(const char *letters);

#endif
