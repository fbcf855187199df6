/* profile.h - maps and profiles: built, read, written, merged.
 *
 * A map says what a program consists of; a profile, what was counted in it.  Reading goes in these
 * steps: input.c and parts.c find the profiles that a command names; prof.c adds up their counts,
 * by module; map.c reads each module's map; where.c finds the cuts in its functions; and prof.c
 * solves their flows.  build.c makes maps; write.c and merge.c make profiles. */

#ifndef PROFILE_H
#define PROFILE_H

#include "core/code.h"
#include "core/core.h"
#include "layout/layout.h"

#include <stdio.h>

typedef struct Fn Fn;
typedef struct Module Module;
typedef struct Stamp Stamp;

/* pack.c: numbers to bytes and back.
 *
 * getnumber, getsigned - the next number; it is at most `most' (as encoded, for signed ones).  If
 * it is missing or too large, damaged is set.
 * getsince - the next number, stored as its distance from another. */

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

/* pack, unpack - code without its addresses, to bytes and back; unpack returns whether the bytes
 * are what pack() makes of so many blocks, edges and rows. */
void pack(Buf *, const Code *);
bool unpack(Code *, const void *data, size_t len, Arena *);

/* hints.c: what the placement of counters knows beside the graph.
 *
 * guesscosts - guesses what counters cost, and where there can be none, from the code.
 * packhints - packs where that guess is wrong; returns how many hints there are.
 * unpackhints - applies hints to a guess; returns whether the bytes are sound.
 * jumpedges - by edge: whether a counter there needs a jump of its own, because the edge is the
 * taken side of a conditional branch and its destination has other edges in. */
void guesscosts(Graph *, const Code *);
int packhints(Buf *, const Graph *, const Code *);
bool unpackhints(Graph *, uint32_t n, const void *data, size_t len);
bool *jumpedges(const Graph *, const Code *, Arena *);

/* source.c: what the C road knows of a text, and where source blocks begin in the code of a
 * function, to bytes and back.  Unpacking returns whether the bytes are sound. */

typedef struct Srcblock Srcblock;
typedef struct Srcpiece Srcpiece;
typedef struct Srcterm Srcterm;
typedef struct Srccounts Srccounts;
typedef struct Srctext Srctext;
typedef struct Marker Marker;

/* A source block, from one line and column to another. */
struct Srcblock {
	uint32_t kind;
	uint32_t fn;
	uint32_t file, line, column;
	uint32_t endline, endcolumn;
};

/* A piece of a line, which ran as often as the sum of its terms; or a branch, which was taken as
 * often as the sum of the first ntaken terms, and reached as often as the sum of the others. */
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
	bool shape; /* nothing counts its blocks; pieces of line 0 are equations: sums that are 0 */
	char **file; /* paths */
	char **fn;   /* names of functions */
	uint32_t nfile, nfn;
	Srcblock *block;
	Srcpiece *piece;
	Srcterm *term; /* of all pieces */
	uint32_t nblock, npiece, nterm;
	const Srcpiece *all; /* all pieces, while `piece' has only those asked for */
	uint32_t nall;
	Srccounts *counts; /* of its blocks: src/lines has them; else NULL */
};

struct Marker {
	int block;       /* of the function; ENTRY if the function is not counted */
	uint32_t insn;   /* instructions of the block before the marker */
	uint32_t id;     /* of the text */
	uint32_t number; /* of the source block in the text */
};

void packsource(Buf *, const Srctext *);
bool unpacksource(Srctext *, const void *data, size_t len, Arena *);
void packmarkers(Buf *, const Marker *, int n);
void packcopies(Buf *, const Copied *, int n);
bool unpackcopies(Copied *, int n, const void *data, size_t len);
void packplanted(Buf *, const Code *);
bool unpackplanted(Code *, const void *data, size_t len);
bool unpackmarkers(Marker *, int n, int nblock, const void *data, size_t len);

/* remark.c: comments through which the C road tells the assembly road about sources; the file
 * describes them.  Names of files are as they were written.
 *
 * putremark - a marker, for code: a block begins here.
 * puttext - all about a text, in lines that end with \n, to stand outside of functions.
 * readremark - what a comment is; sets r only for BLOCKBEGINS.
 * readtexts - the texts described by OFTEXT lines, which are in their order; *n is how many. */

typedef struct Remark Remark;
typedef struct Remarkline Remarkline;

typedef enum Remarkkind { NOREMARK, BLOCKBEGINS, OFTEXT } Remarkkind;

/* A marker: a source block begins here, between two instructions.  The compiler moves and copies it
 * with the code around it. */
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

/* build.c: the map, built.  What a record refers to must live as long as the map.
 *
 * mapunit - a unit, and the state of its files; returns the offset of its record.
 * mapsource - a text that the C road read.
 * maporder - where the unit notes that it has been used.
 * mapfn - a function.
 * issystem - returns whether a file is a header of the system, which is not expected to change or
 * to be shown. */

typedef struct Addr Addr;
typedef struct Note Note;
typedef struct Newmap Newmap;
typedef struct Newunit Newunit;
typedef struct Newfn Newfn;

/* An address: a number, or an expression for the assembler. */
struct Addr {
	const char *expr; /* or NULL */
	uint64_t is;
};

typedef enum Notekind { ISADDRESS, ISDISTANCE, ISSTRING } Notekind;

/* What the bytes from an offset on are: an address of eight bytes or a distance of four, both to be
 * filled in by the assembler, or a string. */
struct Note {
	size_t at;
	Notekind kind;
	const char *expr;
};

/* A map, or the part of it that an assembler puts into one section. */
struct Newmap {
	Buf bytes;
	Note *note; /* in order */
	int nnote;
	size_t capnote;
};

struct Newunit {
	const char *const *file;
	uint32_t nfile;
	uint32_t abi;  /* of the runtime that it counts with; 0 if none */
	bool jumps;    /* calls longjmp or its like */
	bool plain;    /* was compiled without optimisation */
	bool live;     /* there are no counters in its code: a monitor counts */
	bool once;     /* counts say only whether it ran */
	bool hinted;   /* its functions come with their graphs, for the hints */
	bool switches; /* switches stacks, unseen by the runtime */
};

struct Newfn {
	const char *name;
	const char *reason; /* why it is not counted; else NULL */
	Addr unit;       /* where its record is */
	Addr counters;   /* the first of them */
	uint32_t nslot;  /* how many */
	uint64_t hash;   /* of its shape */
	Scheme scheme;
	bool partial;     /* only some of its blocks are in the map */
	bool calls;       /* only its begin is in the map */
	const Addr *part; /* parts of its code; at least one */
	int npart;
	const Code *code;       /* NULL if it is not counted */
	const char *const *at;  /* by block: its address, from its part; NULL: as in code */
	const char *const *begin, *const *end; /* by planted code: likewise */
	const Graph *g;         /* with costs; NULL: as guesscosts() has them */
	const Marker *marker;    /* where source blocks begin */
	const Copied *copied;   /* copies of functions in it */
	int nmarker, ncopied;
	Head head; /* where the source has its name; line 0 if unknown */
};

uint64_t mapunit(Newmap *, const Newunit *);
void mapsource(Newmap *, const Srctext *);
void maporder(Newmap *, Addr unit, Addr word);
void mapfn(Newmap *, const Newfn *);
bool issystem(const char *path);

/* directives.c: directives - a map as text for an assembler: a section with such flags and so on,
 * and a label at its first record. */
void directives(Buf *, const Newmap *, const char *section, const char *label);

/* counterpages - makes counters begin a page, and what follows them another, because the pages are
 * mapped from a file.  Linkers lay out sections in the order in which they first meet them, so this
 * comes before any counter. */
void counterpages(Buf *);

typedef struct Fncut Fncut;
typedef struct Modcut Modcut;
typedef struct Start Start;

/* Where frames of a function were left early or entered late. */
struct Fncut {
	int block;
	uint32_t done; /* instructions of the block before the cut */
	bool after;   /* the block's counter is before it, too, or there is none */
	int uneven;    /* counters before the cut: first less second; 0 if no second */
	bool inflow;   /* it cuts the flow; else only the block's instructions */
	bool reached;  /* control was at the cut, not in a call before it */
	uint64_t left, entered;
};

/* The same in a module, by address. */
struct Modcut {
	uint64_t addr; /* relative to the module's counters */
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

/* A call through a pointer. */
struct Modcall {
	uint64_t site;     /* address of the call, relative to the module's counters */
	uint64_t callee;   /* of the called function, in the library */
	const Library *in; /* NULL if unknown */
	uint64_t times;
};

/* Where a block begins. */
struct Start {
	uint64_t addr;
	Fn *fn;
	int block;
};

typedef struct Own Own;

/* Where code is that tally planted. */
struct Own {
	uint64_t begin, end;
	const Fn *fn;
	const Planted *is;
};

/* A function, from a map. */
struct Fn {
	char *name;    /* of its symbol */
	char *source;  /* its name in the source; after preparelines() */
	char *reason;     /* why it is not counted; else NULL */
	uint64_t hash; /* of its shape */
	char **file;   /* of its unit, by number */
	int nfile;
	bool plain;    /* compiled without optimisation */
	bool live;     /* counted by a monitor: there are no counters in its code */
	bool partial;  /* only some of its blocks are counted */
	bool calls;    /* only its calls are counted: nothing is known of its lines */
	bool switches; /* its unit switches stacks, unseen by the runtime */
	bool hinted;   /* the map has hints for its graph */
	bool skip;     /* its counts are not asked for */
	uint64_t unit; /* offset of its unit in the map */
	uint64_t rank; /* of its unit: units used later have larger ranks; 0 if unknown */
	int nslot;
	uint64_t first; /* number of its first counter in the module */
	Graph *g;       /* NULL if it is not counted */
	Plan *plan;
	Plan *check; /* or NULL */
	Code code;
	Head head;      /* where its name is, if the first row is elsewhere; else line 0 */
	Copied *copied; /* by inst; none if unknown */
	int ncopied;
	uint64_t *part; /* addresses of the parts of its code */
	int npart;
	Marker *marker; /* where source blocks begin */
	int nmarker;
	Fncut *cut; /* after findcuts(); by block */
	int ncut;
	size_t capcut;
	Flow *flow;       /* after solvemodule(): without negative counts */
	bool doubtful;    /* likewise: its counts may be wrong */
	bool inflight;    /* they may, but only by one for each frame left in the middle */
	Fn *twin;         /* the same code in a later module, or NULL; after preparelines() */
	const Fn *sameas; /* the same code in the first module that has it, or NULL */
};

typedef struct Bytes Bytes;
typedef struct Name Name;

struct Bytes {
	uint64_t addr;
	size_t size;
	uint8_t *data;
};

/* What a source was when it was compiled. */
struct Stamp {
	const char *path;
	uint64_t size, hash;
};

/* A program or library, and what was counted in it. */
struct Module {
	char *path;
	char *ran; /* where it was when it ran; NULL if it is there still */
	uint8_t id[32];
	int idlen;
	uint64_t nrun; /* processes whose counts are in it */
	uint64_t *count;
	uint64_t ncount;
	uint64_t counters; /* address of the first, after readmap() */
	uint64_t *rank;    /* of its units, by number; NULL if not recorded */
	uint64_t nunit;
	uint64_t units; /* address of their words, after readmap() */
	uint64_t mapat; /* address of the map section: not 0 only if a linker script gave it one */
	Fn *fn;
	int nfn;
	Srctext *text; /* sources that the C road read */
	int ntext;
	Srctext *shape; /* shapes: how blocks in them depend on each other */
	int nshape;
	Stamp *stamp;
	int nstamp;
	size_t capstamp;
	int nbad;                  /* functions whose counts contradict each other */
	uint64_t endings[NENDING]; /* how processes ended, if it is their program */
	int status;                /* of the last that exited */
	int signal;                /* that ended the last one killed by a signal; else 0 */
	Modcut place;              /* where that was, if died */
	bool died;                 /* a signal ended a process in this module */
	bool switched;             /* code switched stacks, unseen by the runtime */
	bool inflight;             /* a process runs or was killed: frames are left in the middle */
	bool midcall;              /* a process ended inside main */
	bool jumps;                /* some of its code calls longjmp */
	bool runtime;              /* has a runtime, which counts into a file; after ownmap() */
	bool dump;                 /* the counts come from a memory dump */
	bool live;                 /* a monitor counted */
	bool once;                 /* counts say only whether code ran */
	struct Proftime *time;     /* how long functions took */
	size_t captime;
	int ntime;
	uint32_t flags;
	struct Proftimes stops; /* how many that took, and what one of them cost */
	const char *map;        /* the map, aligned, if the profile embeds it; else NULL */
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

/* map.c: maps, read.
 *
 * readmap - reads the functions of a module from its program as it is now; returns whether that is
 * the build that ran.
 * ownmap - the same for a module without a profile: takes whatever is there, and the number of its
 * counters.
 * samebuild - returns whether a file is there and is the build with that id.
 * parsemap - reads a map in memory, which must be aligned to 8 and live as long as the module.
 * counters and units are the addresses of the module's first counter and of its units' words, or
 * 0. */
bool readmap(Module *, Arena *);
void ownmap(Module *, Arena *);
bool samebuild(const char *path, const uint8_t *id, int idlen);
void parsemap(Module *, const char *data, size_t size, uint64_t counters, uint64_t units, uint32_t abi,
	      Arena *);

/* raw.c: clonesitself - returns whether code that ran makes threads or processes by system calls of
 * its own; requires solved functions. */
bool clonesitself(Module *, Arena *);

/* code.c: readcode - reads a module's machine code.
 * codeat - the code at an address, and how many bytes there are from there; NULL if there are none.
 * nameat - the name of the function that begins there, or of what the dynamic linker writes there;
 * NULL if there is none.
 * wordat - the name of the function whose address the dynamic linker writes there, for calls
 * through it; NULL if there is none. */
void readcode(Module *, Arena *);
const uint8_t *codeat(const Module *, uint64_t addr, size_t *len);
const char *nameat(const Module *, uint64_t addr);
const char *wordat(const Module *, uint64_t addr);

/* where.c: addresses and blocks.
 *
 * findstarts - finds where blocks begin.
 * startat - the block that begins at an address; NULL if there is none.
 * ownat - the planted code that begins at an address; NULL if there is none.
 * skipown - the address after all planted code that begins there.
 * overstub - where a branch to an address leads: past planted code there and the jump after it.
 * blockto - the block that a branch to an address leads to; NULL if there is none.
 * calledfn - the counted function that begins there; NULL if there is none.
 * insnat - the program's own instruction at an address, or after planted code there; *addr becomes
 * its address.  NULL if there is none.
 * findcuts - finds the cuts in each function of a module.
 * cutin - the function that a cut is in, the block, and the instruction that control was at, or in
 * a call of; NULL if no counted function has it.
 * isplace - returns whether a block is part of the program: it has code or is a source block.
 * passed - how often control came to instruction i of block b.
 * ran - how often that instruction was executed.
 * insnsrun - how many instructions of block b were executed.
 * callsto - sets how often a function was called; returns whether that is known. */
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
	Finder *finder; /* for programs that have moved; NULL if paths stay as recorded */
	Module *module;
	int nmodule;
	size_t capmodule;
	struct Profhdr all; /* what the headers say, added up */
	uint64_t rank;      /* the largest rank so far */
	Table cuts, calls;  /* of the modules: what they are, to their numbers */
	struct Known {
		Library *is;
	} * library;
	int nlibrary;
	size_t caplibrary;
	Table libraries;
};

/* A profile in a file: one sum of a merged file, or all of another file. */
struct Portion {
	const char *path;
	uint64_t at;   /* in the file */
	uint64_t size; /* 0: to the end */
	uint64_t serial;
	uint32_t chapter;
	uint32_t flags;
	uint32_t state;
	uint32_t gone; /* how many of its processes were killed or still run */
	const char *label;
	int next;     /* next part with that label, after settleparts(); NONE */
	bool added;   /* its last chapter is in a sum already */
	bool damaged; /* it is left out, and a message was printed */
	bool unwanted; /* it is left out without a message */
	int group;    /* after groupparts(): parts of one group are added up */
};

/* The parts of files and directories, which stay locked. */
struct Parts {
	Arena *run;
	Portion *part;
	int n;
	size_t cap;
	Table label; /* to the first part with it, after settleparts() */
	Table files; /* files that have been named */
	int *lock;
	int nlock;
	size_t caplock;
	int ngroup;
};

/* Finds programs, by path and build. */
struct Finder {
	Arena *run;
	struct Given {
		const char *path;
		bool iscopy; /* it is a copy: runs of another file of its build are its own */
	} * named;
	int nnamed;
	size_t capnamed;
	const char **base; /* directories above profiles */
	int nbase;
	size_t capbase;
	Table build, known; /* answers to earlier questions */
	const char **answer;
	int nanswer;
	size_t capanswer;
};

/* find.c: where programs and profiles are.
 *
 * searchnear - makes the finder also look for programs near a profile or a directory of profiles.
 * isbuildof - returns whether there is a file that is this build.
 * whereis - where the build is now that was at this path; the same path if it is nowhere.
 * placesof - the directories where a program may have left profiles: those that the program itself
 * names, tally.out beside it, and each tally.out that exists in a directory above. */
void searchnear(Finder *, const char *path);
bool isbuildof(Finder *, const char *path, const uint8_t *id, int idlen);
const char *whereis(Finder *, const char *path, const uint8_t *id, int idlen);
const char **placesof(const char *program, int *n, Arena *);

/* prof.c: profiles, read and solved.
 *
 * readpart - adds the counts of a part.
 * parseprofile - adds the counts of all parts of a file in memory.
 * endofpart - where the part ends that begins with this header at `at', in a file of that size.
 * findswitched - finds whether modules that ran together switched stacks; comes before they are
 * solved.
 * solvemodule - finds all counts of a module. */
void readpart(Profile *, const Portion *);
void parseprofile(Profile *, const char *path, const char *data, size_t size);
uint64_t endofpart(const char *path, const struct Profhdr *, uint64_t at, uint64_t size);
void findswitched(Module *, int n);
void solvemodule(Module *, Arena *);

/* parts.c: what there is to read.
 *
 * addparts - adds the parts of a file, or of all files in a directory, which is locked because
 * processes may add to it.  Files that are damaged, or no profiles, are left out with a message;
 * then anyfailed() is true.
 * settleparts - drops what the sums among the parts already contain; no parts are added after that.
 * partsdone - unlocks the directories; no more is read from them.
 * readparts - adds n parts to an empty profile, but leaves out damaged ones, as above.  If `what'
 * is not NULL, it is shown as progress, from part `from' of `of' on. */
void addparts(Parts *, const char *path);
void settleparts(Parts *);
void partsdone(Parts *);
void readparts(Profile *, Portion **, int n, const char *what, int from, int of);

/* write.c: profiles, written.
 *
 * writealone - a profile of a monitor, with maps and counts that are not packed.
 * beginsums, addsum, endsums - packed sums into one file, which has each map once; endsums returns
 * how many sums there are.
 * fingerprint - 128 bits and the length, which stand for a map where it would be too long; no two
 * maps are expected to have the same. */

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

/* merge.c: eachmodule - calls a function with the record of each module of a part; the record ends
 * with a NUL.
 * groupparts - numbers the parts so that those with the same modules and label are one group, apart
 * for processes that were killed or still run; drops parts without modules.
 * writemerged - writes the sum of each group, and says which builds of a program differ; returns
 * how many sums there are. */
void eachmodule(const Portion *, void (*)(const struct Profmodule *, void *), void *, Arena *tmp);
void groupparts(Parts *);
int writemerged(FILE *, Parts *);

/* memory.c: readmemory - reads the functions of the program at m->path, and their counts from its
 * memory: a core file, or a file of bytes, whose first byte is what the program has at *base (if
 * base is NULL, at its lowest address). */
void readmemory(Module *, const char *path, const uint64_t *base, Arena *);

/* fold.c: foldall - adds up what processes that have ended left in a directory, to one file for
 * each program, build and label; returns how many files could not be added.
 * forget - removes what they, and others, left there of a program.
 * choosewhere - the one of its directories that a program at that path uses; maybe in buf. */
int foldall(const char *dir);
void forget(const char *dir, const char *program);
const char *choosewhere(const char *begin, const char *end, const char *program, char *buf,
			size_t cap);

/* weights.c: counts of an earlier run, from which counters are placed anew.
 *
 * writeweights - writes the counts of functions that ran; returns how many functions.
 * findweights - the counts of the places of a function with that shape; NULL if there are none.
 * hasrun - returns whether a function ran, so that it has weights. */

typedef struct Weights Weights;

int writeweights(FILE *, const Module *, int nmodule, Arena *);
Weights *readweights(const char *path, Arena *);
bool hasrun(const Fn *);
uint64_t *findweights(const Weights *, const char *name, uint64_t hash, int nplace, Arena *);

/* input.c: what a command line names: programs, profiles and directories of profiles.
 *
 * profiles - the directory for profiles, unless a program says otherwise.
 * profilesof - the directories where profiles of a program may be, each once; some may not exist.
 * isprogram - returns whether a file begins as ELF files do.
 * openinput - finds what to read: if nothing is named, all of that directory; for a program its
 * runs, from the profiles that are named, or else from the first of its directories that has any.
 * closeinput - unlocks the directories, so that processes can add to them again.
 * labelsof - the labels, sorted.
 * readcounts - what was counted under a label, or under all for NULL.
 * mapmodules - reads the maps of modules and drops the modules that have none; returns how many are
 * left.
 * readlabel - both, and solves the modules.
 * readinput - all of that at once.
 * readended - likewise, but without processes that were killed or still run, if there are others.
 * readdump - counts of programs from a memory dump; base is an address, or NULL. */

typedef struct Input Input;
typedef struct Inputdir Inputdir;

/* A directory of profiles, and the programs whose runs are taken from there. */
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
	Inputdir *dir; /* where programs that are named may have runs */
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
