/* profile.h - maps and profiles, read. */

#ifndef PROFILE_H
#define PROFILE_H

#include "core/code.h"
#include "core/core.h"
#include "layout/layout.h"

#include <stdio.h>

typedef struct Fn Fn;
typedef struct Module Module;
typedef struct Stamp Stamp;

/* pack.c: numbers to bytes and back; the latter are at most `most', of signed ones before they are unfolded,
 * and set damaged if they are not there.  getsince - one that is told by its distance from another. */

typedef struct Unpacker Unpacker;

struct Unpacker {
	const uint8_t *p, *end;
	bool damaged;
};

void putnumber(Buf *, uint64_t);
void putsigned(Buf *, int64_t);
uint64_t getnumber(Unpacker *, uint64_t most);
int64_t getsigned(Unpacker *, uint64_t most);
uint32_t getsince(Unpacker *, uint32_t from);

/* Code to bytes and back, but for the addresses.  unpack - false if the bytes
 * are not what pack() makes of that many blocks, edges and rows. */
void pack(Buf *, const Code *);
bool unpack(Code *, const void *data, size_t len, Arena *);

/* hints.c: guesscosts - what counters cost, and where there can be none, as far as the code tells.
 * packhints - what else those who place counters knew; how much.  unpackhints - the same, beside the
 * guess; false if the bytes are damaged.
 * jumpedges - by edge: a counter there would need a jump of its own: it is a conditional branch, and
 * others come to where it leads, too. */
void guesscosts(Graph *, const Code *);
int packhints(Buf *, const Graph *, const Code *);
bool unpackhints(Graph *, uint32_t n, const void *data, size_t len);
bool *jumpedges(const Graph *, const Code *, Arena *);

/* source.c: what the C road knows of a text, to bytes and back; and where its blocks begin in
 * the code of a function.  Unpacking is false if the bytes are damaged. */

typedef struct Srcblock Srcblock;
typedef struct Srcpiece Srcpiece;
typedef struct Srcterm Srcterm;
typedef struct Srccounts Srccounts;
typedef struct Srctext Srctext;
typedef struct Srcmark Srcmark;

/* From a line and column to others. */
struct Srcblock {
	uint32_t kind;
	uint32_t fn;
	uint32_t file, line, column;
	uint32_t endline, endcolumn;
};

/* A part of a line, executed as often as its terms say; or a branch, of which the first
 * ntaken terms say how often it was taken, the others how often it was reached. */
struct Srcpiece {
	uint32_t file, line, column;
	uint32_t term, nterm;
	uint32_t ntaken;
};

struct Srcterm {
	uint32_t block;
	bool minus;
};

struct Srctext {
	uint32_t id;
	bool shape; /* nobody counts its blocks, and pieces of line 0 are equations: their terms make nothing */
	char **file; /* paths */
	char **fn;   /* names of functions */
	uint32_t nfile, nfn;
	Srcblock *block;
	Srcpiece *piece;
	Srcterm *term; /* of all pieces */
	uint32_t nblock, npiece, nterm;
	const Srcpiece *all; /* pieces, also those that nobody asks for */
	uint32_t nall;
	Srccounts *counts; /* of its blocks: src/lines has them; NULL */
};

struct Srcmark {
	int block;       /* of the function; ENTRY if that is not counted */
	uint32_t insn;   /* instructions of it before the mark */
	uint32_t id;     /* of the text */
	uint32_t number; /* of the block there */
};

void packsource(Buf *, const Srctext *);
bool unpacksource(Srctext *, const void *data, size_t len, Arena *);
void packmarks(Buf *, const Srcmark *, int n);
void packcopies(Buf *, const Copied *, int n);
bool unpackcopies(Copied *, int n, const void *data, size_t len);
void packplanted(Buf *, const Code *);
bool unpackplanted(Code *, const void *data, size_t len);
bool unpackmarks(Srcmark *, int n, int nblock, const void *data, size_t len);

/* remark.c: comments by which the C road tells the assembly road of sources; the file describes them.
 *
 * putremark - a block begins here: into code.  puttext - the whole text, in lines that end with \n: outside of functions.
 * readremark - what a comment is; r is set of BLOCKBEGINS alone.  readtexts - what lines OFTEXT say, in their order; how
 * many texts.  Names of files are as they were written. */

typedef struct Remark Remark;
typedef struct Remarkline Remarkline;

typedef enum Remarkkind { NOREMARK, BLOCKBEGINS, OFTEXT } Remarkkind;

/* A place where a block of the source begins, between two instructions.  The compiler moves and
 * copies it with the code around it. */
struct Remark {
	uint32_t text; /* its id */
	uint32_t block;
};

struct Remarkline {
	const char *s, *end;
};

void putremark(Buf *, Remark);
void puttext(Buf *, const Srctext *);
Remarkkind readremark(const char *s, const char *end, Remark *);
Srctext *readtexts(const Remarkline *, int nline, int *n, Arena *run);

/* build.c: the map, built; nobody else writes its records.  What a record refers to stays in memory as
 * long as the map.
 *
 * mapunit - a unit, and what its files are now; returns where its record is.  mapsource - a text that the C road read.
 * maporder - where the unit notes that it has been used.  mapfn - a function.
 *
 * issystem - headers of the system: nobody expects them to change, or to be shown. */

typedef struct Addr Addr;
typedef struct Note Note;
typedef struct Newmap Newmap;
typedef struct Newunit Newunit;
typedef struct Newfn Newfn;

/* An address: a number, or what only an assembler can make one of. */
struct Addr {
	const char *expr; /* or NULL */
	uint64_t is;
};

typedef enum Notekind { ISADDRESS, ISDISTANCE, ISSTRING } Notekind;

/* What the bytes from an offset on are: eight or four that are still to be found, or a string. */
struct Note {
	size_t at;
	Notekind kind;
	const char *expr;
};

/* A map, or as much of it as an assembler is to put into one section. */
struct Newmap {
	Buf bytes;
	Note *note; /* in order */
	int nnote;
	size_t capnote;
};

struct Newunit {
	const char *const *file;
	uint32_t nfile;
	uint32_t abi;  /* of the runtime that it counts with; 0: none */
	bool jumps;    /* calls longjmp or its like */
	bool plain;    /* was compiled without optimisation */
	bool live;     /* there are no counters in its code: a monitor counts */
	bool once;     /* counts say only whether it ran */
	bool hinted;   /* its functions come with their graphs, for the hints */
	bool switches; /* goes to other stacks, unseen by the runtime */
};

struct Newfn {
	const char *name;
	const char *odd; /* why it is not counted; NULL */
	Addr unit;       /* where the record of that is */
	Addr counters;   /* the first of them */
	uint32_t nslot;  /* how many */
	uint64_t hash;   /* of its shape */
	Scheme scheme;
	bool partial;     /* only some of its blocks are in the map, entered and left who knows how; */
	bool calls;       /* only where it begins is */
	const Addr *part; /* pieces of its code; at least one */
	int npart;
	const Code *code;       /* NULL if it is not counted */
	const char *const *at;  /* by block: its address from that of its part; NULL: as in code */
	const char *const *begin, *const *end; /* by piece of ours: likewise */
	const Graph *g;         /* with costs; NULL: they are as everybody guesses */
	const Srcmark *mark;    /* where blocks of sources begin */
	const Copied *copied;   /* functions of the source in it */
	int nmark, ncopied;
	Head head; /* where its source has its name; line 0 if that is not known */
};

uint64_t mapunit(Newmap *, const Newunit *);
void mapsource(Newmap *, const Srctext *);
void maporder(Newmap *, Addr unit, Addr word);
void mapfn(Newmap *, const Newfn *);
bool issystem(const char *path);

/* directives.c: for an assembler.  directives - a map, for its section with such flags and so on; the label is
 * that of its first record. */
void directives(Buf *, const Newmap *, const char *section, const char *label);

/* counterpages - counters begin a page, and what comes after them begins another: they are mapped
 * from a file.  Linkers lay sections out in the order in which they first meet them, so this
 * comes before any counter. */
void counterpages(Buf *);

typedef struct Fncut Fncut;
typedef struct Modcut Modcut;
typedef struct Start Start;

/* Where frames of a function were left early or entered late. */
struct Fncut {
	int block;
	uint32_t done; /* instructions of it before that place */
	bool behind;   /* the block's counter is before it, too, or the block has none */
	int uneven;    /* 1 if its second counter, for comparing, is not */
	bool inflow;   /* it is a cut of the flow; else of the block's instructions alone */
	bool reached;  /* control was at that place, not in a call before it */
	uint64_t left, entered;
};

/* The same, by address. */
struct Modcut {
	uint64_t addr; /* from the module's counters */
	uint32_t kind;
	uint64_t times;
};

typedef struct Library Library;
typedef struct Modcall Modcall;

/* A program or library, counted or not, that was called through pointers. */
struct Library {
	char *path;
	uint8_t id[32];
	int idlen;
};

/* Who was called through a pointer. */
struct Modcall {
	uint64_t site;     /* address of the call, from the module's counters */
	uint64_t callee;   /* its address in the library */
	const Library *in; /* NULL if that is not known */
	uint64_t times;
};

/* Where a block begins. */
struct Start {
	uint64_t addr;
	Fn *fn;
	int block;
};

typedef struct Own Own;

/* Where code of ours is. */
struct Own {
	uint64_t begin, end;
	const Fn *fn;
	const Planted *is;
};

/* A function, from a map. */
struct Fn {
	char *name;    /* of its symbol */
	char *source;  /* what its source calls it, after preparelines() */
	char *odd;     /* why it is not counted; NULL */
	uint64_t hash; /* of its shape */
	char **file;   /* of its unit, by number */
	int nfile;
	bool plain;    /* compiled without optimisation */
	bool live;     /* counted by a monitor: there are no counters in its code */
	bool partial;  /* only some of its blocks are counted */
	bool calls;    /* only its calls are: nothing is known of its lines */
	bool switches; /* its unit has code that goes to other stacks, unseen by the runtime */
	bool hinted;   /* its graph has what those who placed its counters knew */
	bool skip;     /* nobody asks for its counts */
	uint64_t unit; /* offset of its unit in the map */
	uint64_t rank; /* of its unit: those used later have larger ones; 0 if it is not known */
	int nslot;
	uint64_t first; /* number of its first counter in the module */
	Graph *g;       /* NULL if it is not counted */
	Plan *plan;
	Plan *check; /* or NULL */
	Code code;
	Head head;      /* if its first row is elsewhere; line 0 */
	Copied *copied; /* by inst, if that is known */
	int ncopied;
	uint64_t *part; /* addresses of its pieces of code */
	int npart;
	Srcmark *mark; /* where blocks of sources begin */
	int nmark;
	Fncut *cut; /* after findcuts(); by block */
	int ncut;
	size_t capcut;
	Flow *flow;       /* after solvemodule(): without negative counts */
	bool doubtful;    /* likewise: its counts may be wrong, */
	bool inflight;    /* only because a frame may be left in the middle: by one for each */
	Fn *twin;         /* the same code in a later module, after preparelines(); NULL */
	const Fn *sameas; /* that an earlier one has; NULL if it is the first */
};

typedef struct Bytes Bytes;
typedef struct Name Name;

struct Bytes {
	uint64_t addr;
	size_t size;
	uint8_t *data;
};

/* A program or library, and what was counted in it. */
/* What a source was when it was compiled. */
struct Stamp {
	const char *path;
	uint64_t size, hash;
};

struct Module {
	char *path;
	char *ran; /* where it was when it ran, if that is elsewhere; NULL */
	uint8_t id[32];
	int idlen;
	uint64_t nrun; /* processes whose counts are in */
	uint64_t *count;
	uint64_t ncount;
	uint64_t counters; /* address of the first, after readmap() */
	uint64_t *rank;    /* of its units, by number; NULL if their order was not recorded */
	uint64_t nunit;
	uint64_t units; /* address of their words, after readmap() */
	uint64_t mapat; /* address of the map: not 0 only if a linker's script gave it one */
	Fn *fn;
	int nfn;
	Srctext *text; /* sources that the C road read */
	int ntext;
	Srctext *shape; /* and how blocks in them depend on each other */
	int nshape;
	Stamp *stamp;
	int nstamp;
	size_t capstamp;
	int nbad;                  /* functions whose counts contradict each other */
	uint64_t endings[NENDING]; /* how they ended, if it is their program */
	int status;                /* of the last that exited */
	int signal;                /* that ended the last one that a signal ended; 0 */
	Modcut place;              /* where that was, if it was in here */
	bool died;                 /* it was */
	bool switched;             /* code went to other stacks, unseen by the runtime */
	bool inflight;             /* a process still runs, or was killed: frames are left in the middle */
	bool midcall;              /* a process ended inside main */
	bool jumps;                /* some of its code calls longjmp */
	bool runtime;              /* it has one, after ownmap(): counts into a file */
	bool dump;                 /* the counts are out of its memory */
	bool live;                 /* a monitor counted */
	bool once;                 /* counts say only whether code ran */
	struct Proftime *time;     /* how long functions took */
	size_t captime;
	int ntime;
	uint32_t flags;
	struct Proftimes stops; /* what that cost */
	const char *map;        /* of a profile that has it, aligned; else NULL */
	size_t maplen;
	Modcut *cut;
	size_t capcut;
	Modcall *call; /* by site, after solvemodule() */
	size_t capcall;
	int ncut, ncall;
	Start *start; /* of all blocks, by address, after findstarts() */
	int nstart;
	Own *own; /* by address */
	int nown;
	Bytes *code; /* executable sections, after readcode() */
	int ncode;
	Name *name; /* likewise; by address: see image.h */
	int nname;
};

/* map.c: readmap - the functions of a module, from its program as it is now; false if
 * that is another build than the one that ran.  ownmap - the same, and how many counters it
 * has, of whatever is there.  samebuild - whether a file is there, and the build with that
 * id.  parsemap - from a map in memory, aligned to 8, which must live as long; counters is the
 * address of the module's first, units that of its units' words, or 0. */
bool readmap(Module *, Arena *);
void ownmap(Module *, Arena *);
bool samebuild(const char *path, const uint8_t *id, int idlen);
void parsemap(Module *, const char *data, size_t size, uint64_t counters, uint64_t units, uint32_t abi,
	      Arena *);

/* raw.c: whether code that ran makes threads or processes by system calls of its own; after its
 * functions are solved. */
bool clonesitself(Module *, Arena *);

/* code.c: readcode - its machine code.  codeat - what is at an address, and how much is
 * behind it; NULL.  nameat - the function that begins there, or what the dynamic
 * linker writes there; NULL.  wordat - the function whose address it writes there, for calls to
 * go through; NULL. */
void readcode(Module *, Arena *);
const uint8_t *codeat(const Module *, uint64_t addr, size_t *len);
const char *nameat(const Module *, uint64_t addr);
const char *wordat(const Module *, uint64_t addr);

/* where.c: addresses and blocks.
 *
 * findstarts, startat - the block that begins at an address; NULL.
 * ownat - our code that begins at an address, or the next after what was found; NULL.
 * skipown - the address after all of our code that begins there.
 * overstub - where a branch to an address leads: past counters that stand there, and the jump after them.
 * blockto - the block that a branch there leads to; NULL.  calledfn - the function that begins there, if it is counted; NULL.
 * insnat - the program's instruction at an address or after our code there, where the address is
 * then; NULL.
 * findcuts - of each function of a module.
 * cutin - the function that a cut is in, the block, and the instruction of that at which or in a call of which control
 * was; NULL if it is in none that is counted.
 * isplace - whether a block is one of the program's: it has code, or is one of the source.
 * passed - how often control came to the place before it;
 * ran - how often instruction i of block b was executed; insnsrun - how many of them.
 * callsto - how often a function was called; false if it is not known. */
void findstarts(Module *, Arena *);
const Start *startat(const Module *, uint64_t addr);
const Own *ownat(const Module *, uint64_t addr);
uint64_t skipown(const Module *, uint64_t addr);
uint64_t overstub(const Module *, uint64_t addr);
const Start *blockto(const Module *, uint64_t addr);
const Fn *calledfn(const Module *, uint64_t addr);
const uint8_t *insnat(const Module *, uint64_t *addr, size_t *len);
void findcuts(Module *, Arena *);
const Fn *cutin(Module *, const Modcut *, Arena *, int *block, uint32_t *insn);
uint64_t passed(const Fn *, int b, uint32_t i);
uint64_t ran(const Fn *, int b, uint32_t i);
bool isplace(const Fn *, int b);
uint64_t insnsrun(const Fn *, int b);
bool callsto(const Fn *, uint64_t *calls);

/* Profiles, added up. */

typedef struct Profile Profile;
typedef struct Portion Portion;
typedef struct Parts Parts;
typedef struct Finder Finder;
typedef struct Given Given;

struct Profile {
	Arena *run;
	Finder *finder; /* for programs that have moved; NULL: paths stay as they are told */
	Module *module;
	int nmodule;
	size_t capmodule;
	struct Profhdr all; /* what the headers say, added up as for a sum */
	uint64_t rank;      /* the largest of a unit so far */
	Table cuts, calls;  /* of the modules: their numbers, by what they are */
	struct Known {
		Library *is;
	} * library;
	int nlibrary;
	size_t caplibrary;
	Table libraries;
};

/* What a file holds: one sum of a merged file, or all of another. */
struct Portion {
	const char *path;
	uint64_t at;   /* in the file */
	uint64_t size; /* 0: to the end */
	uint64_t serial;
	uint32_t chapter;
	uint32_t flags;
	uint32_t state;
	uint32_t gone; /* of its processes: were killed, or still run */
	const char *label;
	int next;     /* part with that label, after settleparts(); NONE */
	bool added;   /* its last chapter is in a sum already */
	bool damaged; /* it is left out, and a message has been printed */
	bool unwanted; /* likewise, without one */
	int group;    /* after groupparts(): those alike have one number */
};

/* The parts of files and directories, which stay locked. */
struct Parts {
	Arena *run;
	Portion *part;
	int n;
	size_t cap;
	Table label; /* to the first part of each, after settleparts() */
	Table files; /* that have been named */
	int *lock;
	int nlock;
	size_t caplock;
	int ngroup;
};

/* For programs, by their paths and builds. */
struct Finder {
	Arena *run;
	struct Given {
		const char *path;
		bool iscopy; /* runs of another file of its build are its own */
	} * named;
	int nnamed;
	size_t capnamed;
	const char **base; /* directories above profiles */
	int nbase;
	size_t capbase;
	Table build, known; /* what was asked before */
	const char **answer;
	int nanswer;
	size_t capanswer;
};

/* find.c: searchnear - look for programs in the neighbourhood of a profile or a directory of them, too.
 * isbuildof - whether there is a file that is this build.  whereis - where the build is that was at
 * this path; the path if it is nowhere.
 * placesof - the directories where a program may have left profiles: those that it names itself, the
 * one beside it, and those above it that are there. */
void searchnear(Finder *, const char *path);
bool isbuildof(Finder *, const char *path, const uint8_t *id, int idlen);
const char *whereis(Finder *, const char *path, const uint8_t *id, int idlen);
const char **placesof(const char *program, int *n, Arena *);

/* prof.c: readpart - add the counts of a part; parseprofile - of all parts of a file in memory.
 * endofpart - where one ends that begins with this header, in a file of that size.
 * findswitched - of modules that ran together, before they are solved: whether code of theirs went to other
 * stacks.  solvemodule - all counts. */
void readpart(Profile *, const Portion *);
void parseprofile(Profile *, const char *path, const char *data, size_t size);
uint64_t endofpart(const char *path, const struct Profhdr *, uint64_t at, uint64_t size);
void findswitched(Module *, int n);
void solvemodule(Module *, Arena *);

/* parts.c: what there is to read.  addparts - of a file, or of all in a directory, which processes
 * may add to: it is locked.  Of files that are damaged or no profiles a message is printed, and they are left out;
 * anyfailed() knows.  partsdone - nothing more is read from them.  settleparts - leave out what
 * sums among them hold already; no more are added then.
 * readparts - add the counts of n parts to a profile that is empty, but for those damaged, likewise; progress says
 * `what', if it is not NULL, of parts from that number on. */
void addparts(Parts *, const char *path);
void settleparts(Parts *);
void partsdone(Parts *);
void readparts(Profile *, Portion **, int n, const char *what, int from, int of);

/* write.c: profiles from memory.  writealone - one of a monitor, with maps and plain counts.
 * beginsums, addsum, endsums - packed sums into one file, each map once; the last returns how many there are.
 * fingerprint - what stands for a map where it would be too long: two texts with the same one are not expected in the
 * lifetime of the sun. */

typedef struct Sums Sums;
typedef struct Print Print;

struct Print {
	uint64_t len, a, b;
};

void writealone(FILE *, const Profile *, const char *label);
Sums *beginsums(FILE *, Arena *);
void addsum(Sums *, const Profile *, const char *label);
int endsums(Sums *);
Print fingerprint(const char *, size_t len);

/* merge.c: eachmodule - of a part: its record, with a NUL at its end.
 * groupparts - number them by program, build, libraries and label; of builds that
 * differ it is said.  writemerged - the sum of each group; how many there are. */
void eachmodule(const Portion *, void (*)(const struct Profmodule *, void *), void *, Arena *tmp);
void groupparts(Parts *);
int writemerged(FILE *, Parts *);

/* memory.c: the functions of the program of that path, and their counts out of its memory: a
 * core, or a file whose first byte is where the program has *base; NULL: its lowest address. */
void readmemory(Module *, const char *path, const uint64_t *base, Arena *);

/* fold.c: foldall - add up what ended processes have left in a directory, to one file for each
 * program, build and label; returns how many files could not be.  forget - remove what they and
 * others have left there of a program.  choosewhere - which of the directories that a program of
 * that path names it takes; maybe in buf. */
int foldall(const char *dir);
void forget(const char *dir, const char *program);
const char *choosewhere(const char *begin, const char *end, const char *program, char *buf,
			size_t cap);

/* weights.c: counts by function for placing counters anew.  writeweights - of functions
 * that ran; returns how many.  findweights - those of a function's places, which must
 * have that shape; NULL.  hasrun - whether the weights of a function are known by its counts. */

typedef struct Weights Weights;

int writeweights(FILE *, const Module *, int nmodule, Arena *);
Weights *readweights(const char *path, Arena *);
bool hasrun(const Fn *);
uint64_t *findweights(const Weights *, const char *name, uint64_t hash, int nplace, Arena *);

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

#endif
