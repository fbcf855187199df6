/* live.h - the live road: count in a program that nobody prepared, while it runs.
 *
 * Where control may come from several sides, or may not come back from a call, there is a
 * probe: a breakpoint.  A thread that comes to one stops, is counted, and goes on with
 * what the probe has in its place: a jump or a call is done for it, anything else is done
 * by a copy elsewhere, which jumps back.  So a probe is never taken away, no thread slips by,
 * and a hit costs one stop.
 *
 *   probes.c  what of a program or library is to be counted, and where probes belong for that
 *   space.c   the memory of a process: modules, probes, copies of instructions
 *   step.c    what an instruction does
 *   session.c starting, attaching, letting go; the rest of the monitor is in trace.h:
 *   trace.c   processes and threads, loads.c what they have in memory, hits.c probes, signals.c
 *   times.c   how long functions take
 *   write.c   the profile, with a map like that of the other roads */

#ifndef LIVE_H
#define LIVE_H

#include "image/image.h"
#include "profile/profile.h"

#include <limits.h>
#include <sys/types.h>
#include <sys/user.h>

typedef struct Watch Watch;
typedef struct Probe Probe;
typedef struct Stop Stop;
typedef struct Target Target;
typedef struct Wish Wish;

/* What is to be counted. */
typedef enum Unitkind { LINES, FUNCTIONS, BLOCKS, INSTRUCTIONS } Unitkind;
typedef enum Follow { FOLLOWALL, FOLLOWNONE, FOLLOWEXEC } Follow;

/* Nanoseconds, and how long a function took: with what it calls, and by itself. */
typedef struct Clock Clock;
typedef struct Times Times;

struct Clock {
	uint64_t wall, cpu;
};

struct Times {
	Clock all, self;
	uint64_t calls; /* that have returned */
};

/* What is wanted of a function. */
struct Watch {
	bool chosen;
	bool partial; /* only some of its blocks are */
	Times times;
};

/* What is known of a byte of code, beside what image.h has. */
enum {
	WANTED = YOURS,     /* of a block: its counts are wanted, if not all are */
	NEEDED = YOURS * 2, /* of a block: probes in it are, for the sake of others */
};

/* A breakpoint, at an address of its file.  Between this one and the next no control comes in
 * or leaves but by signals. */
struct Probe {
	uint64_t addr;
	uint64_t count;
	uint64_t fell, taken; /* to the blocks that follow, if it is the last of its block */
	uint64_t next;        /* address behind the block's last instruction; 0 if not the last */
	uint64_t target;      /* where a branch there leads; 0 */
	Turn end;             /* of that instruction */
	Insn in;
	int fn;
	int before;  /* the probe whose block this one has split while processes ran; NONE */
	bool prefix; /* of the instruction that the next probe is at */
	bool off;    /* hit once, which was all that was asked */
};

/* A thread ended or was let go there: the instruction was not executed; or behind the block that
 * ends there, wherever it would have gone. */
struct Stop {
	uint64_t addr;
	bool behind;
	uint64_t times;
};

/* A program or library, and what all processes did in it. */
struct Target {
	Arena *run;
	Image *im;
	Watch *watch; /* by function */
	Probe *probe;
	int nprobe;
	size_t capprobe;
	Table index; /* of probe[], by address */
	Route *route;
	int nroute;
	size_t caproute;
	Table routes;
	Stop *stop;
	int nstop;
	size_t capstop;
	Table stops;
	bool chosen;   /* it has probes */
	Policy policy; /* for exploring it */
	const Wish *wish;
};

/* What the user wants. */
struct Wish {
	Unitkind unit;
	bool given; /* the unit was */
	bool coverage;
	bool times;
	bool spread; /* leave the program on all processors */
	Follow follow;
	char **only, **skip;
	int nonly, nskip;
	size_t caponly, capskip;
};

/* probes.c: targetof - what to count in an image, by what is wished, and probes for it.
 * learn - control comes to an address, from a side that nobody knew: there are new probes then.
 * probeat - that of an address; NONE.  probebefore - or the last one before it in its block.
 * isusual - whether code of a file is counted without being asked for, or may be asked for.  countroute - an indirect
 * jump went somewhere.  countstop - a thread ended at an address, or after the block that ends there. */
Target *targetof(Image *, const Wish *, bool program, Arena *);
void learn(Target *, uint64_t addr);
int probeat(Target *, uint64_t addr);
int probebefore(Target *, uint64_t addr);
bool isusual(const char *path, const Wish *, bool program);
void countroute(Target *, uint64_t from, uint64_t to);
void countstop(Target *, uint64_t addr, bool behind);

/* write.c: the profile of a program and of the libraries it used. */

typedef struct Run Run;

/* How its processes fared. */
struct Run {
	Wish wish;       /* what is wished, as far as this program has it */
	Target **target; /* the program first */
	int ntarget;
	size_t captarget;
	uint64_t runs;
	uint32_t endings[NENDING];
	int status, signal;
	Target *in; /* where the last one died; NULL */
	uint64_t place;
	uint64_t begun;
	Clock cost;     /* of a stop */
	uint64_t stops; /* of all threads, as far as times go */
	bool lost;      /* a count may be missing */
	pid_t pid;
};

void writeprofile(const Run *, const char *path);

/* space.c: the memory of a process.
 *
 * A trap is a breakpoint of our own, where something happens that we must know of. */

typedef enum Trapkind {
	ATENTRY,   /* the program begins */
	ATLIBS,    /* the dynamic linker has changed what is loaded */
	ATLANDING, /* an exception is about to land at the address in rsi */
	ATRETURN,  /* a signal handler has returned */
	ATCALLER,  /* a function has, whose time is taken */
} Trapkind;

typedef struct Trap Trap;
typedef struct Mod Mod;
typedef struct Space Space;

struct Trap {
	uint64_t addr;
	Trapkind kind;
	Insn in;
	uint8_t code[16];
	uint64_t slot; /* 0 before it is needed */
};

/* A module in memory.  Copies of instructions are in slots near it. */
struct Mod {
	Target *tg;
	uint64_t bias;
	uint64_t slots; /* address of the first; 0 if there are none */
	int nslot, room;
	int *slot;  /* by probe: its number, from 1; 0 if it has none yet */
	int *owner; /* by slot: its probe, or NONE: a trap's */
	size_t capslot, capowner;
	int nslotted; /* probes that slot[] knows */
	int planted;  /* the first so many probes are in memory */
	bool here;    /* still loaded; for looking */
};

enum { SLOTSIZE = 32 };

struct Space {
	Arena run; /* of all below */
	int refs;  /* threads */
	pid_t pid; /* some thread in it */
	int mem;
	Mod *mod;
	int nmod;
	size_t capmod;
	Trap *trap;
	int ntrap;
	size_t captrap;
	Table traps;    /* of trap[], by address */
	uint64_t entry; /* where the program begins, in memory */
	bool counting;
};

/* A piece of memory. */
typedef struct Mapping Mapping;

struct Mapping {
	uint64_t begin, end, offset;
	bool code;
	char path[PATH_MAX]; /* empty if it is of no file */
};

/* openmaps, nextmap - those of a process; false behind the last.  statusof - what the kernel says of a
 * thread under some key; 0.
 * readmem, writemem - false if that is not possible.
 * modat - the module at an address; NULL.  trapat - NULL.
 * stepover - let a stopped thread do an instruction, and wait for it; false if it did not stop after that.
 * inject - let it do a system call.
 * putbreaks - the probes of a module that are not in memory yet; removeprobes - all that is.
 * slotof - where a copy of a probe's instruction is; 0 if there can be none.  trapslot - of a trap's.
 * unslot - the address that a thread in a slot is really at; *before is whether the instruction is still to be executed.
 * lookaround - what modules are loaded now. */
FILE *openmaps(pid_t);
bool nextmap(FILE *, Mapping *);
uint64_t statusof(pid_t, const char *key, int base);
bool readmem(const Space *, uint64_t addr, void *, size_t);
bool writemem(const Space *, uint64_t addr, const void *, size_t);
Mod *modat(const Space *, uint64_t addr);
Trap *trapat(const Space *, uint64_t addr);
void puttrap(Space *, const Trap *);
void addtrap(Space *, uint64_t addr, Trapkind);
bool stepover(pid_t, int *status);
long inject(const Space *, pid_t, long nr, const long arg[6], int *sig);
void putbreaks(Space *, Mod *);
void removeprobes(Space *);
uint64_t slotof(Space *, Mod *, int probe, pid_t);
uint64_t trapslot(Space *, Trap *, pid_t);
bool unslot(const Space *, uint64_t *addr, int *probe, Mod **, bool *before);

/* step.c: what an instruction of a probe does, as far as it turns: the registers are as after it.
 * False if it is to be executed elsewhere. */
bool turn(const Space *, const Insn *, const uint8_t *code, uint64_t addr,
	  struct user_regs_struct *);

/* times.c: of a thread.  stopcost - what a stop of it costs.  timecall - it enters a function, with
 * that stack; timereturn - functions have returned, as its stack says now, or are left for
 * another that it enters. */

typedef struct Call Call;
typedef struct Timing Timing;

struct Timing {
	pid_t tid;
	uint64_t stops;
	Call *call;
	int ncall;
	size_t capcall;
	int fd; /* of its clock */
	bool open;
};

Clock stopcost(const Space *, pid_t);
void timecall(Timing *, Target *, int fn, uint64_t sp, Arena *);
void timereturn(Timing *, uint64_t sp, bool enters, Clock cost);
void endtiming(Timing *);

/* session.c: start a program, or attach to a process, and count until it is over; returns what
 * waitpid() says of it, or 0 if it was let go.  The profiles are written. */
int traceprogram(char **argv, const Wish *, Arena *);
int traceprocess(pid_t, double seconds, const Wish *, Arena *);

#endif
