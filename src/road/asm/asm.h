/* asm.h - the assembly road: GNU assembly for x86-64 in, the same with counters out.
 *
 * asm.c has the list of passes; each is a file:
 *   text.c    split the text into statements
 *   marks.c   and what the C road says in it of the source
 *   probe.c   let the assembler place them, and decode what it made
 *   scan.c    find functions, blocks and edges
 *   stand.c   and where code of ours may stand
 *   calling.c and what flags and registers hold there: body/live.c
 *   lines.c   and which lines they come from, inlined.c in which copies
 *             (written.c where the line table is data, data.c what data says)
 *   design.c  weigh functions, place counters in them, check that they suffice
 *   cfi.c     what unwinders are told of places
 *   plant.c   put counters between the statements, calls.c calls of the runtime,
 *             hooks.c stubs for functions that it stands in for
 *   write.c   write the text again, with all that
 *   map.c     and the map after it
 *   dump.c    what each of them made, as text
 *
 * What is not understood is left alone: a function is passed through uncounted and
 * the map says why, or the whole file is passed through. */

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
typedef struct Order Order;

typedef enum Kind {
	BLANK,     /* nothing */
	LABEL,     /* name: */
	DIRECTIVE, /* .name ... */
	CODE,      /* an instruction, a macro's name, or data in a code section */
} Kind;

/* A statement of the text; several may share a line. */
struct Stmt {
	const char *s; /* without leading blanks */
	int len;       /* without comment and separator */
	Kind kind;
	int sect;    /* where it stands */
	bool debug;  /* line tables, debug sections: not for the probe */
	bool data;   /* of CODE: a directive */
	bool user;   /* of CODE: the user's own words in what a compiler wrote */
	bool jumped; /* of LABEL: something goes there */
	int item;    /* of CODE: its number; of LABEL: that of what it names; NONE */
	int line;    /* where it stands in its file */
	int file;    /* number of a source */
	int mark;    /* of CODE without text: a mark of the C road; NONE */
};

struct Sect {
	char *name;
	bool code;
	bool debug;
	bool loaded;     /* is there when the program runs */
	bool about;      /* only says something of code: nobody goes where its addresses lead */
	bool data;       /* of those that programs have their data in */
	bool group;      /* member of one */
	char *signature; /* of that group; `,comdat' belongs to it */
};

/* What the assembler made of a CODE statement. */
struct Item {
	int stmt;
	int sect;     /* of the probe's object; NONE if it was not assembled */
	uint64_t off; /* there: its address in the program as it is without counters */
	int bytes;
	int ninsn;  /* instructions; 0 if it is only the begin of one */
	int npad;   /* instructions of alignment that follow it */
	Insn insn;  /* the last one */
	int target; /* of a direct branch: an item; NONE if it leads elsewhere */
	int refers; /* the item to which an address in it leads by a number of bytes; NONE */
	int func;   /* NONE */
	int block;  /* of its function's graph; NONE */
	bool odd;   /* not understood */
	bool glued; /* goes on with the instruction of the item before it */
	int fixed;  /* statement: the first of its labels that others have to find it by, so that no
		       * code may come between; NONE */
	int listed; /* statement: the first of its labels whose address is in data; NONE */
	bool nops;  /* does nothing */
	bool sealed;  /* no code may come between it and the next one */
	bool solid;   /* nor between it and the one before */
	bool leads;   /* is a leader */
	bool taken;   /* its address is taken, */
	bool held;    /* by code, */
	bool strange; /* by a table of nobody knows what */
	bool entry;   /* is the first of its function */
	bool middle;  /* is no first, and called, or jumped to from elsewhere */
	bool again;   /* such a one to which control comes from the function itself, unseen */
	bool away;    /* a branch to such a one of another function */
	bool ends;    /* control may leave the function here, and nobody see it */
	bool lost;    /* a call that does not come back: a RETURN to us */
	bool lands;   /* its address is taken by code */
	bool goes;    /* comes after a change of stacks, and leaves the function: for another one */
	bool parts;   /* the last place before that where the frame is whole */
	bool midway;  /* who comes there from another stack is not yet where its frame is whole */
	bool gap;     /* a branch to the padding before its target, or after all code */
};

/* Code of ours in a function F.  The K-th begins at label .Ltally_oF_K and, if its form does not say its size, ends at
 * .Ltally_eF_K. */
struct Bed {
	Planted *planted; /* its part is a section of the unit before the map is written */
	int n;
	size_t cap;
};

struct Func {
	char *name;
	int label; /* statement: its symbol */
	int *item; /* in order; a cold part after the rest */
	int nitem;
	const char *odd; /* why it is not counted; NULL */
	Body body;      /* its ops are the items */
	bool parts;     /* it goes to another stack: its callers' frames are left when it begins */
	bool open;      /* others come to its labels by their addresses, */
	bool loose;     /* or may, beside its own indirect jumps */
	Head head;      /* where its source has its name; line 0
			    * if it is not known */
	Copied *copied; /* functions of the source of which it has code, or had; by inst */
	int ncopied;
	Plan *plan;  /* its counters; NULL if it is not counted */
	Plan *check; /* others, which count the same again or tell how often it is entered; NULL */
	Bed bed;     /* what was planted in it */
};

/* The line table: from .file and .loc; if there are none, the lines of the text. */
struct Lines {
	char *dir;   /* where the compiler ran; NULL */
	char **file; /* by number of .file */
	int nfile;
	size_t capfile;
	Coderow *row; /* by function: those of f begin at first[f] */
	int *first;
	bool own; /* those of the text */
};

struct Unit {
	Arena *run;
	const char *dir; /* where the assembler runs */
	char **source;   /* files that the text comes from; the first is its own */
	Stmt *stmt;
	Sect *sect;
	Item *item;
	Func *func;
	int nsource, nstmt, nsect, nitem, nfunc;
	bool byhand;      /* no compiler wrote it: nothing is known of flags at calls */
	bool switches;    /* it goes to other stacks, in ways that are not understood */
	bool empty;       /* there is no code in it */
	bool bare;        /* there is no C library: its names are the program's own */
	bool nofrontiers; /* rows do not say where statements begin: the compiler was told so */
	size_t capsource, capstmt, capsect, capfunc;
	const char *odd; /* why the file cannot be counted; NULL */
	Lines lines;
	Unwind *unwind;
	Planter *planter;
	Remark *mark;
	int nmark;
	size_t capmark;
	Remarkline *told; /* of texts that the C road read */
	int ntold;
	size_t captold;
};

/* How to count: */

/* Ways to make counting cheaper. */
typedef enum Cheaper {
	GUESSES, /* which way branches go: guess.c */
	DETOURS, /* counters that need a jump are dearer */
	TRIPLES, /* counters of three instructions in short loops */
	NWAY,
} Cheaper;

extern const char *const wayname[NWAY]; /* as --without= spells them */

struct Order {
	char *const *as; /* the assembler's command line without input and output, ended by NULL */
	Scheme scheme;
	bool without[NWAY]; /* of the ways to make it cheaper */
	bool check;         /* count redundantly, too, and compare */
	bool keeplines;     /* line tables are the user's, not only ours */
	bool plain;         /* compiled without optimisation */
	bool faraway;       /* data may be out of reach of code: -mcmodel */
	bool flat;          /* the gs register is the program's own */
	bool firsts;        /* record in what order files are used first */
	bool calls;         /* record which functions are called through pointers */
	bool bare;          /* there is no runtime, nor a C library */
	bool marklines;     /* the assembler makes a line table of the text: keep its lines */
	char **only;        /* globs of files and functions to count; none for all */
	int nonly;
	char **skip; /* and of those not to count */
	int nskip;
	Weights *weights;  /* counts of an earlier run; NULL */
	const char *place; /* symbol of what says where the program is made; NULL */
	const char *dump;  /* letters of passes whose work is to be shown; NULL */
	Buf *dumped;       /* there */
};

/* asm.c: countunit - the text that was split, with counters and map, in out; why it cannot be counted, or NULL.
 * hascode, hassection - whether there is any, whether there is one whose name begins so. */
const char *countunit(Unit *, const Order *, Buf *out);
bool hascode(const Unit *);
bool hassection(const Unit *, const char *prefix);

/* The passes. */

/* text.c: split - into statements.  ensures: statements in their sections, marks of the C road.
 * begins - whether a statement begins with a word.  word - the next name
 * in [*s, end), which moves past it; its length, 0 if there is none.  A name may be in
 * quotes, which do not belong to it; labelname is that of a label. */
void split(Unit *, const char *path, const char *text, size_t len);
bool begins(const Stmt *, const char *word);
int word(const char **s, const char *end, const char **name);
int labelname(const Stmt *, const char **name);

/* marks.c: isremark - whether a comment is the C road's, and then what it says: a mark, which
 * becomes an item without instructions, or a line of a table.  mapsources - the tables, for
 * the map.  findmarks - those of function f, for the map, and how many. */
bool isremark(Unit *, const char *s, const char *end, bool *item);
void mapsources(Unit *, Newmap *);
const Srcmark *findmarks(Unit *, int f, int *n);

/* probe.c: run the assembler on the text as it is, but for a label before each
 * item, and take from the object where each item is and what it does.  False if the assembler does not take it.
 * requires: statements.  ensures: items, decoded, with their targets. */
bool probe(Unit *, const Order *);

/* scan.c: functions and their graphs, closed and not yet weighed; why some cannot be counted.
 * requires: items.  ensures: functions; of those that may be counted blocks, edges, what counters cost and
 * where there can be none.
 * isplain - whether the operand of a branch is a name, and not a distance.  isbegin - whether the function is where a
 * program without a C library begins. */
void scan(Unit *);
bool isplain(const Stmt *);
bool isbegin(const Func *);

/* stand.c: where code of ours may stand, since some code must stay together (the head tells more).
 *
 * seal - find such code.  headat - the first item of a block before which a counter of the block
 * may stand, one past its last if it is after that; NONE if there is no place.  standsat -
 * whether one may before another item of it, which is not the first; at which statement.
 * endat - the item before which code may stand that counts who leaves the block; NONE.  entryat -
 * the statement after which the function's first block begins for who comes from outside; NONE.
 * standsafter - whether code may stand after the last item of a block. */
void seal(Unit *);
int headat(const Unit *, const Func *, int b);
int standsat(const Unit *, const Func *, int i);
int endat(const Unit *, const Func *, int b);
int entryat(const Unit *, const Func *);
bool standsafter(const Unit *, const Func *, int b);

/* calling.c: liveness - which flags and registers hold something that is still needed, by function and block.
 * requires: graphs.  ensures: the ops of bodies, and Body.live and scratch. */
void liveness(Unit *);

/* itemat - item i of a function. */
static inline const Item *
itemat(const Unit *u, const Func *fn, int i)
{
	return &u->item[fn->item[i]];
}

/* lines.c: the line table.
 * requires: graphs.  ensures: Unit.lines, and where functions are declared.
 * fullpath - that of a source.  funcfile - the source that a function comes from.  mainfile - that of the whole,
 * known once the text is split. */
void readlines(Unit *);
char *fullpath(const Unit *, const char *name);
char *funcfile(const Unit *, int f);
char *mainfile(Unit *);

/* data.c: values that directives of a section make.  A cursor starts with stmt = -1.
 *
 * value - the next one; false after the last.  sectnamed - a section; NONE.
 * indexlabels - by name, their statements.  labelat - of the label that a text begins with;
 * NONE. */

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

/* written.c: a line table that the compiler wrote itself, as data: rows and the items
 * that they begin at, in no order; how many.  Fills the unit's files. */

typedef struct Written Written;

struct Written {
	int item;
	Coderow row;
};

int readwritten(Unit *, Written **);

/* inlined.c: by statement: the inlined copy of a function that it is in, from 1; 0.  And what is known of
 * functions, in the order of their labels: where they are declared, and what was inlined in them. */

typedef struct Named Named;

struct Named {
	int stmt;  /* label at which the function begins */
	Head head; /* line 0 if it is not known */
	Copied *copied;
	int ncopied;
};

const int *findcopies(Unit *, Named **, int *n);

/* design.c: which counters a function gets.
 *
 * chooseall - functions that are not wanted are not counted.  requires: lines.
 * weighall - how often places run: by an earlier run, or a guess.  requires: ops.  ensures: weights.
 * placeall - requires: weights.  ensures: Func.plan and check.
 * checkall - prove that the counters tell all.  ensures: Func.plan only where they do. */
void chooseall(Unit *, const Order *);
void weighall(Unit *, const Order *);
void placeall(Unit *, const Order *);
void checkall(Unit *);

/* cfi.c: unwind information.
 *
 * indexcfi, forgetcfi - of a unit, before the others are asked, and when nobody asks any more.  isunwound - whether
 * there is any for where a statement stands.  unwindas - begin a procedure whose frame is found as at that statement;
 * false if nobody could find it there.  isrelative - whether it is found there by the stack pointer: then it must be
 * told when that moves. */
void indexcfi(Unit *);
void forgetcfi(Unit *);
bool isunwound(const Unit *, int stmt);
bool unwindas(const Unit *, int stmt, Buf *);
bool isrelative(const Unit *, int stmt);

/* hooks.c: hides - a name of the C library that the runtime wants and that the text has given to something of its own,
 * as only it can see; NULL. */
const char *hides(const Unit *);

/* plant.c: what to write around statements, and in their places.
 * requires: plans, unwind information.  ensures: Unit.planter, and by function what was planted in it. */
void plant(Unit *, const Order *);

/* write.c: the text again, with that. */
void writetext(const Unit *, Buf *out);

/* map.c: counters and map, as directives.  requires: what was planted.  breaks: Planted.part is a piece of the
 * function after it.  shape - a hash of what a function looks like without counters. */
void writemap(Unit *, const Order *, Buf *out);
uint64_t shape(const Unit *, const Func *);

/* dump.c: dump - what the pass of that letter made, if it is asked for.  isdump - whether letters all stand for passes. */
void dump(const Unit *, const Order *, char letter);
bool isdump(const char *letters);

#endif
