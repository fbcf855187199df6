/* trace.h - traced processes and threads, and what happens to them.
 *
 *   trace.c    threads, processes, exec, exit
 *   loads.c    which programs and libraries are in memory
 *   hits.c     probes and traps
 *   signals.c  signals to the program */

#ifndef TRACE_H
#define TRACE_H

#include "live.h"

typedef struct Spot Spot;
typedef struct Sigframe Sigframe;
typedef struct Thread Thread;
typedef struct Tracer Tracer;

/* A probe of some target; none if probe is NONE. */
struct Spot {
	Target *tg;
	int probe;
};

/* What a signal handler has interrupted. */
struct Sigframe {
	uint64_t sp; /* the stack pointer after it has returned */
	uint64_t rip;
	Spot last, again;
};

struct Thread {
	pid_t tid, pid;
	Space *sp; /* NULL until its parent is known */
	Run *run;
	Spot last;  /* the probe that it met last */
	Spot again; /* a probe that it was counted at and will meet again, or none */
	int seam;   /* probes from this one on were added while it was in a block; or INT_MAX */
	Sigframe *frame;
	int nframe;
	size_t capframe;
	Timing timing;
	int into;      /* the signal whose handler it is about to enter, or 0 */
	int fatal;     /* the last signal that it got */
	bool starting; /* the dynamic linker has not started the program yet */
	bool loading;  /* it loads libraries: its system calls are watched */
	bool stopped;  /* it waits for us */
	bool quiet;    /* not counted, but it shares memory with a process that is */
	bool leave;    /* to be let go when it stops */
	bool here;     /* it has stopped once */
};

struct Tracer {
	Arena *run;
	const Wish *wish;
	Thread **thread;
	int nthread;
	size_t capthread;
	Run **prog;
	int nprog;
	size_t capprog;
	pid_t first; /* the process that we started, or attached to */
	int status;  /* how it ended */
	bool ended;
	bool attached;
};

/* loads.c: what processes have loaded.
 *
 * newspace - the memory of a process, without modules.
 * copyspace - the memory of a child, which is a copy of its parent's.
 * release - a thread does not use a Space any more; the last one frees it.
 * begin - a process has a new program: make its Space, and find its modules.
 * lookaround - find the modules that are loaded now, and plant their probes.
 * auxval - an entry of the auxiliary vector that the kernel gave a process; 0 if there is none.
 * runof - the Run of the program that a process executes. */
Space *newspace(Tracer *, pid_t);
Space *copyspace(Tracer *, const Space *, pid_t);
void release(Space *);
void begin(Tracer *, Thread *);
void lookaround(Tracer *, Thread *);
uint64_t auxval(pid_t, uint64_t type);
Run *runof(Tracer *, pid_t);

/* hits.c: probes and traps.
 *
 * resume - let a thread continue.
 * proceed - a thread is at a probe or a trap: count it, do the instruction there, and resume.
 * noteaddr - a thread ends or is let go at an address, after probe `last'.  Returns the target that
 * is counted there, or NULL.
 * dropframes - signal handlers from the n-th on will not return. */
void resume(Thread *, int how, int sig);
void proceed(Tracer *, Thread *, struct user_regs_struct *);
Target *noteaddr(const Space *, uint64_t addr, Spot last);
void dropframes(Thread *, int n);

/* signals.c: signals to the program.
 *
 * settle - if a thread is in a slot, move it to where it is as far as the program knows.
 * deliver - deliver a signal.
 * trapped - handle a SIGTRAP: at a probe or a trap, or the program's own. */
void settle(Thread *);
void deliver(Tracer *, Thread *, int sig);
void trapped(Tracer *, Thread *);

/* trace.c: threads.
 *
 * findthread - the thread with that id; NULL if there is none.
 * newthread, dropthread - begin and end to keep track of one.
 * stopped, ended - handle what waitpid() returned.
 * noteplace - a stopped thread ends, or is let go: note where it is. */
Thread *findthread(const Tracer *, pid_t);
Thread *newthread(Tracer *, pid_t);
void dropthread(Tracer *, Thread *);
void stopped(Tracer *, pid_t, int status);
void ended(Tracer *, pid_t, int status);
void noteplace(Thread *, bool died);

#endif
