/* live.h - the live road: count in an unmodified program, while it runs.
 *
 * A probe is a breakpoint (int3) where a block begins, after each call, and on each indirect jump.
 * A thread that meets one stops, and is counted.  Then it has to execute the instruction that the
 * probe replaced.  Debuggers put that back for one step, and meanwhile other threads slip by
 * uncounted.  We leave the probe in place: we do a jump or call for the thread, by changing its
 * registers and stack; anything else it executes as a copy, elsewhere in its memory, which jumps
 * back.  So no thread slips by, threads need not wait for each other, and a hit costs one stop.
 *
 *   probes.c   what to count in a program or library, and where probes go for that
 *   space.c    the memory of a process: modules, probes, copies of instructions
 *   step.c     jumps and calls, done for a thread
 *   times.c    how long functions take
 *   write.c    the profile, with a map like that of other roads
 *   session.c  start, attach, detach
 *
 * What happens to threads is in trace.h: trace.c, loads.c, hits.c, signals.c. */

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

/* The unit of counting, and which processes to follow. */
typedef enum Unitkind { LINES, FUNCTIONS, BLOCKS, INSTRUCTIONS } Unitkind;
typedef enum Follow { FOLLOWALL, FOLLOWNONE, FOLLOWEXEC } Follow;

typedef struct Clock Clock;
typedef struct Times Times;

/* Nanoseconds. */
struct Clock {
	uint64_t wall, cpu;
};

/* How long a function took. */
struct Times {
	Clock all, self; /* with what it calls, and without */
	uint64_t calls;  /* that have returned */
};

/* What to count in a function. */
struct Watch {
	bool chosen;  /* anything */
	bool partial; /* only some of its blocks */
	Times times;
};

/* What is known of the first byte of a block, in addition to what is in image.h. */
enum {
	WANTED = YOURS,     /* its count is wanted, in a partial function */
	NEEDED = YOURS * 2, /* it needs probes, for the counts of others */
};

/* A breakpoint.  From one to the next in its block control neither enters nor leaves the function,
 * except by signals. */
struct Probe {
	uint64_t addr; /* in the file */
	uint64_t count;
	uint64_t fell, taken; /* how often it fell through, or branched, to another block */
	uint64_t next;        /* the address after its block; 0 if it is not the last probe there */
	uint64_t target;      /* where the block's last instruction branches to, or 0 */
	Turn end;             /* of that instruction */
	Insn in;              /* the instruction in its place */
	int fn;
	int before;  /* the probe whose block this one has split while processes ran, or NONE */
	bool prefix; /* it is on the lock prefix of the instruction at the next probe */
	bool off;    /* removed after one hit: coverage */
};

/* Where threads ended or were let go: before the instruction at addr or, if `after', after the
 * block that ends at addr, on the way to another. */
struct Stop {
	uint64_t addr;
	bool after;
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
	Table index;  /* of probe[], by address */
	Route *route; /* what indirect jumps did */
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
	bool given;    /* the user gave the unit */
	bool coverage; /* only whether a block runs, not how often */
	bool times;    /* how long functions take */
	bool spread;   /* leave the program on all processors */
	Follow follow;
	char **only, **skip;
	int nonly, nskip;
	size_t caponly, capskip;
};

/* probes.c: what to count, and where.
 *
 * targetof - choose what to count in an image, and make probes for it.
 * learn - control goes to an address in a way that was not known: adds probes if that is new code,
 * or the middle of a block.
 * probeat - the probe at an address; NONE if there is none.
 * probebefore - the probe at an address or the last one before it in its block; NONE if there is
 * none.
 * isusual - whether the code in a file is counted by default, or may be because of --only.
 * countroute - count an indirect jump.
 * countstop - count a thread that ended or was let go: see Stop. */
Target *targetof(Image *, const Wish *, bool program, Arena *);
void learn(Target *, uint64_t addr);
int probeat(Target *, uint64_t addr);
int probebefore(Target *, uint64_t addr);
bool isusual(const char *path, const Wish *, bool program);
void countroute(Target *, uint64_t from, uint64_t to);
void countstop(Target *, uint64_t addr, bool after);

/* write.c: the profile of a program and of the libraries it used. */

typedef struct Run Run;

/* A program, and what became of its processes. */
struct Run {
	Wish wish;       /* the user's, adapted: without lines, functions are the default */
	Target **target; /* the program first, then its libraries */
	int ntarget;
	size_t captarget;
	uint64_t runs;
	uint32_t endings[NENDING];
	int status, signal;
	Target *in;     /* where the last process that a signal killed was, or NULL */
	uint64_t place; /* the address there */
	uint64_t begun;
	Clock cost;     /* of a stop */
	uint64_t stops; /* of all threads: their cost is subtracted from times */
	bool lost;      /* a hit may have been missed */
	pid_t pid;
};

void writeprofile(const Run *, const char *path);

/* space.c: the memory of a process.
 *
 * A trap is a breakpoint that counts nothing: something happens there that we must know. */

typedef enum Trapkind {
	ATENTRY,   /* the program begins: the dynamic linker has finished */
	ATLIBS,    /* the dynamic linker is about to load or unload libraries, or has done so */
	ATLANDING, /* an exception is about to land at the address in rsi */
	ATRETURN,  /* a signal handler has returned */
	ATCALLER,  /* a timed function has returned */
} Trapkind;

typedef struct Trap Trap;
typedef struct Mod Mod;
typedef struct Space Space;

struct Trap {
	uint64_t addr;
	Trapkind kind;
	Insn in;
	uint8_t code[16];
	uint64_t slot; /* address of the copy of its instruction; 0 if there is none yet */
};

/* A module in memory.  A slot holds the copy of one instruction: see space.c. */
struct Mod {
	Target *tg;
	uint64_t bias;
	uint64_t slots; /* address of the first; 0 if there are none */
	int nslot, room;
	int *slot;  /* by probe: number of its slot, plus 1; 0 if it has none yet */
	int *owner; /* by slot: its probe; for trap i, NONE - 1 - i */
	size_t capslot, capowner;
	int nslotted; /* length of slot[] */
	int planted;  /* probes from 0 up to this are in memory */
	bool here;    /* still loaded: used by lookaround() */
};

enum { SLOTSIZE = 32 };

struct Space {
	Arena run; /* for all below */
	int refs;  /* threads in it */
	pid_t pid; /* one of them */
	int mem;   /* /proc/PID/mem */
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

/* A line of /proc/PID/maps. */
typedef struct Mapping Mapping;

struct Mapping {
	uint64_t begin, end, offset;
	bool code;
	char path[PATH_MAX]; /* empty if it maps no file */
};

/* openmaps - open the list of a process's mappings.
 * nextmap - read the next one; returns false after the last.
 * statusof - the number in a line of /proc/TID/status; 0 if there is none.
 *
 * readmem, writemem - read or write memory; return whether all of it could be.
 * modat - the module at an address; NULL if there is none.
 * trapat - the trap at an address; NULL if there is none.
 * puttrap - record a trap that is in memory.
 * addtrap - put a trap into memory, unless there is one.
 *
 * goon - let a stopped thread go on, for one instruction if `step', and wait until it stops again;
 * returns whether it has.
 * stopped again.
 * inject - make a stopped thread execute a system call; returns what that returns, -1 if it cannot.
 * Signals of the program's that arrive meanwhile are sent again.
 * resend - send a thread the signals of a set: bit 0 is signal 1.
 * that arrived meanwhile, or 0: the caller must send it again.
 *
 * putbreaks - put the probes of a module into memory that are not there yet.
 * removeprobes - remove all probes and traps.
 * slotof - the address of the copy of a probe's instruction; 0 if none can be made.
 * trapslot - likewise for a trap.
 * unslot - if *addr is in a slot, replace it by the address that the program should see, and return
 * true.  *before tells whether the instruction has not been executed yet. */
FILE *openmaps(pid_t);
bool nextmap(FILE *, Mapping *);
uint64_t statusof(pid_t, const char *key, int base);
bool readmem(const Space *, uint64_t addr, void *, size_t);
bool writemem(const Space *, uint64_t addr, const void *, size_t);
Mod *modat(const Space *, uint64_t addr);
Trap *trapat(const Space *, uint64_t addr);
void puttrap(Space *, const Trap *);
void addtrap(Space *, uint64_t addr, Trapkind);
bool goon(pid_t, bool step, int *status);
long inject(const Space *, pid_t, long nr, const long arg[6]);
void resend(pid_t tid, uint64_t set);
void putbreaks(Space *, Mod *);
void removeprobes(Space *);
uint64_t slotof(Space *, Mod *, int probe, pid_t);
uint64_t trapslot(Space *, Trap *, pid_t);
bool unslot(const Space *, uint64_t *addr, int *probe, Mod **, bool *before);

/* step.c: turn - if an instruction is a jump or call, do it: change the registers, and the stack.
 * Returns false if it must be executed as a copy. */
bool turn(const Space *, const Insn *, const uint8_t *code, uint64_t addr,
	  struct user_regs_struct *);

/* times.c: how long functions take.
 *
 * stopcost - what a stop of a thread costs, at least.
 * timecall - a thread enters a function; its return address is at sp.
 * timereturn - end the calls that have returned, as the stack pointer shows; if the thread enters a
 * function, also the call that it replaces (a tail call).
 * endtiming - the thread has ended. */

typedef struct Call Call;
typedef struct Timing Timing;

struct Timing {
	pid_t tid;
	uint64_t stops;
	Call *call;
	int ncall;
	size_t capcall;
	int fd; /* /proc/TID/schedstat, if open */
	bool open;
};

Clock stopcost(const Space *, pid_t tid);
void timecall(Timing *, Target *, int fn, uint64_t sp, Arena *);
void timereturn(Timing *, uint64_t sp, bool enters, Clock cost);
void endtiming(Timing *);

/* session.c: start a program, or attach to a process; count until it ends or, when attached, until
 * the time is over or a signal asks us to end; write the profiles.  Returns the status that
 * waitpid() gave, 0 if we have detached. */
int traceprogram(char **argv, const Wish *, Arena *);
int traceprocess(pid_t, double seconds, const Wish *, Arena *);

#endif
