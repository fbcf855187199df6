/* trace.h - threads that are traced: what the files of the monitor share. */

#ifndef TRACE_H
#define TRACE_H

#include "live.h"

typedef struct Spot Spot;
typedef struct Sigframe Sigframe;
typedef struct Thread Thread;
typedef struct Tracer Tracer;

/* A probe of some image. */
struct Spot {
	Target *tg;
	int probe;
};

/* What a signal handler has interrupted. */
struct Sigframe {
	uint64_t sp; /* stack when it has returned */
	uint64_t rip;
	Spot last, again;
};

struct Thread {
	pid_t tid, pid;
	Space *sp; /* NULL before it is known whose child it is */
	Run *run;
	Spot last;  /* the probe that it came to last */
	Spot again; /* one that it comes to once more, and was counted */
	int seam;   /* probes from here on were made in a block that it was in; INT_MAX */
	Sigframe *frame;
	int nframe;
	size_t capframe;
	Timing timing;
	int into;      /* signal whose handler it is about to enter; 0 */
	int fatal;     /* the last signal that it got */
	bool starting; /* before the first instruction of the program itself */
	bool loading;  /* its system calls are watched: it loads libraries */
	bool stopped;  /* it waits for us */
	bool quiet;    /* it is not to be counted, but shares memory with who is */
	bool leave;    /* it is to be let go when it stops */
	bool here;     /* it has stopped for the first time */
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
	pid_t first; /* the process that it is all about */
	int status;  /* how that ended */
	bool ended;
	bool attached;
};

/* loads.c: what is in memory.  newspace, copyspace, release - the memory of a process, a copy of it
 * that a child has, and when nobody needs it.  begin - a process has a new program.  lookaround - what
 * is loaded now.  auxval - what the kernel told a program when it began; 0.  runof - what is known
 * of its program. */
Space *newspace(Tracer *, pid_t);
Space *copyspace(Tracer *, const Space *, pid_t);
void release(Space *);
void begin(Tracer *, Thread *);
void lookaround(Tracer *, Thread *);
uint64_t auxval(pid_t, uint64_t type);
Run *runof(Tracer *, pid_t);

/* hits.c: probes and traps.  resume - let a thread go on.  proceed - with one that is at a probe or a trap.
 * noteaddr - control leaves the program at an address, after that probe; the target if it is counted there, or NULL.
 * dropframes - signal handlers from the n-th on will not return. */
void resume(Thread *, int how, int sig);
void proceed(Tracer *, Thread *, struct user_regs_struct *);
Target *noteaddr(const Space *, uint64_t addr, Spot last);
void dropframes(Thread *, int n);

/* signals.c: settle - take a thread out of a slot.  deliver - a signal to the program.
 * trapped - SIGTRAP: a probe or a trap, or the program's own. */
void settle(Thread *);
void deliver(Tracer *, Thread *, int sig);
void trapped(Tracer *, Thread *);

/* trace.c: what happens.  stopped, ended - what waitpid() said.  noteplace - where a thread ends, or is let
 * go. */
Thread *findthread(const Tracer *, pid_t);
Thread *newthread(Tracer *, pid_t);
void dropthread(Tracer *, Thread *);
void stopped(Tracer *, pid_t, int status);
void ended(Tracer *, pid_t, int status);
void noteplace(Thread *, bool died);

#endif
