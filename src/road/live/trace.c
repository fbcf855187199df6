/* trace.c - processes and threads, and what happens to them.
 *
 * A thread runs until it meets a probe, gets a signal, makes a thread or process, calls exec, or
 * ends.  Then the kernel stops it and tells us.  We do what we need to do, and let it continue as
 * if nothing had happened. */

#include "trace.h"

#include <limits.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

Thread *
findthread(const Tracer *t, pid_t tid)
{
	int i;

	for (i = 0; i < t->nthread; i++)
		if (t->thread[i]->tid == tid)
			return t->thread[i];
	return NULL;
}

Thread *
newthread(Tracer *t, pid_t tid)
{
	Thread *th = anew(t->run, Thread, 1);

	*th = (Thread){.tid = tid,
		       .pid = tid,
		       .last.probe = NONE,
		       .again.probe = NONE,
		       .seam = INT_MAX,
		       .timing.tid = tid};
	/* NOLINTNEXTLINE(bugprone-sizeof-expression) */
	apush(t->run, t->thread, t->nthread, t->capthread);
	t->thread[t->nthread++] = th;
	return th;
}

void
dropthread(Tracer *t, Thread *th)
{
	int i;

	release(th->sp);
	if (th->run)
		th->run->stops += th->timing.stops;
	endtiming(&th->timing);
	for (i = 0; i < t->nthread; i++)
		if (t->thread[i] == th)
			t->thread[i] = t->thread[--t->nthread];
}

/* loads - a thread that loads libraries is before or after a system call: look for new modules if
 * that has mapped code. */
static void
loads(Tracer *t, Thread *th)
{
	struct user_regs_struct r;

	if (ptrace(PTRACE_GETREGS, th->tid, NULL, &r) == 0
	    && ((r.orig_rax == SYS_mmap && (r.rdx & PROT_EXEC))
		|| (r.orig_rax == SYS_mprotect && (r.rdx & PROT_EXEC)))
	    && (int64_t)r.rax >= 0)
		lookaround(t, th);
	resume(th, PTRACE_CONT, 0);
}

/* letgo - detach from a process that is not to be followed. */
static void
letgo(Tracer *t, Thread *th)
{
	if (th->sp) {
		settle(th);
		removeprobes(th->sp);
	}
	ptrace(PTRACE_DETACH, th->tid, NULL, NULL);
	dropthread(t, th);
}

/* start - a new thread has stopped for the first time, and its parent is known. */
static void
start(Tracer *t, Thread *th)
{
	if (th->leave)
		letgo(t, th);
	else
		resume(th, PTRACE_CONT, 0);
}

/* sharesmemory - whether two processes or threads share memory. */
static bool
sharesmemory(pid_t a, pid_t b, int event)
{
	long same = syscall(SYS_kcmp, a, b, 1 /* KCMP_VM */, 0, 0);

	return same < 0 ? event != PTRACE_EVENT_FORK : same == 0;
}

/* born - a thread has made another thread, or a process. */
static void
born(Tracer *t, Thread *th, int event)
{
	unsigned long tid = 0;
	Thread *new;

	ptrace(PTRACE_GETEVENTMSG, th->tid, NULL, &tid);
	new = findthread(t, (pid_t)tid);
	if (!new)
		new = newthread(t, (pid_t)tid);
	new->pid = (pid_t)statusof(new->tid, "Tgid", 10);
	new->run = th->run;
	if (sharesmemory(th->tid, new->tid, event)) {
		new->sp = th->sp;
		new->sp->refs++;
		new->quiet = th->quiet || (new->pid != th->pid && t->wish->follow != FOLLOWALL);
	} else {
		new->sp = copyspace(t, th->sp, new->tid);
		new->leave = t->wish->follow != FOLLOWALL;
	}
	if (new->pid != th->pid && !new->quiet && !new->leave)
		th->run->runs++;
	if (new->here)
		start(t, new);
	resume(th, PTRACE_CONT, 0);
}

void
noteplace(Thread *th, bool died)
{
	struct user_regs_struct r;
	bool before = false;
	const Mod *m;
	Mod *in = NULL;
	uint64_t addr;
	int i;

	if (!th->sp || !th->run || th->quiet || ptrace(PTRACE_GETREGS, th->tid, NULL, &r) != 0)
		return;
	addr = r.rip;
	unslot(th->sp, &addr, &i, &in, &before);
	if (died) {
		m = modat(th->sp, addr);
		th->run->in = noteaddr(th->sp, addr, th->last);
		th->run->place = m ? addr - m->bias : 0;
		if (!th->run->in && th->last.probe != NONE) { /* in a library: name the caller */
			th->run->in = th->last.tg;
			th->run->place = th->last.tg->probe[th->last.probe].addr;
		}
	} else {
		noteaddr(th->sp, addr, th->last);
	}
	dropframes(th, 0);
}

/* exiting - a thread is about to end. */
static void
exiting(Thread *th)
{
	unsigned long code = 0;

	ptrace(PTRACE_GETEVENTMSG, th->tid, NULL, &code);
	if (th->run)
		timereturn(&th->timing, UINT64_MAX, true, th->run->cost);
	noteplace(th, WIFSIGNALED((int)code) && th->fatal == WTERMSIG((int)code));
	resume(th, PTRACE_CONT, 0);
}

/* executed - a process has called exec. */
static void
executed(Tracer *t, Thread *th)
{
	int i;

	for (i = t->nthread - 1; i >= 0; i--)
		if (t->thread[i] != th && t->thread[i]->pid == th->pid)
			dropthread(t, t->thread[i]);
	if (th->run && !th->quiet)
		th->run->endings[ENDEXEC]++;
	if (th->sp)
		dropframes(th, 0);
	th->last.probe = th->again.probe = NONE;
	th->into = 0;
	th->loading = false;
	if ((th->run && t->wish->follow == FOLLOWNONE) || th->quiet) {
		release(th->sp);
		th->sp = NULL;
		th->run = NULL;
		letgo(t, th);
		return;
	}
	begin(t, th);
	resume(th, PTRACE_CONT, 0);
}

/* suspended - a signal has stopped a process, as Ctrl-Z does.  If it is the program that we run,
 * stop ourselves, so that the shell sees it. */
static void
suspended(const Tracer *t, Thread *th)
{
	ptrace(PTRACE_LISTEN, th->tid, NULL, NULL);
	if (th->tid != t->first || t->attached)
		return;
	kill(getpid(), SIGSTOP);
	kill(t->first, SIGCONT); /* we have been continued, so it is */
}

void
ended(Tracer *t, pid_t tid, int status)
{
	Thread *th = findthread(t, tid);
	Run *run = th ? th->run : NULL;

	if (tid == t->first) {
		t->ended = true;
		t->status = status;
	}
	if (th && run && th->pid == tid && !th->quiet) {
		run->endings[WIFSIGNALED(status)   ? ENDSIGNAL
			     : WEXITSTATUS(status) ? ENDFAILED
						   : ENDEXIT]++;
		if (WIFSIGNALED(status))
			run->signal = WTERMSIG(status);
		else
			run->status = WEXITSTATUS(status);
	}
	if (th)
		dropthread(t, th);
}

void
stopped(Tracer *t, pid_t tid, int status)
{
	int sig = WSTOPSIG(status), event = status >> 16;
	Thread *th = findthread(t, tid);

	if (!th)
		th = newthread(t, tid);
	th->stopped = true;
	th->timing.stops++;
	if (!th->here) {
		th->here = true;
		if (!th->sp && event != PTRACE_EVENT_EXEC)
			return; /* until its parent is known */
		if (event == PTRACE_EVENT_STOP && sig == SIGTRAP) {
			start(t, th);
			return;
		}
	}
	switch (event) {
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
	case PTRACE_EVENT_CLONE: born(t, th, event); return;
	case PTRACE_EVENT_EXEC: executed(t, th); return;
	case PTRACE_EVENT_EXIT: exiting(th); return;
	case PTRACE_EVENT_STOP:
		if (sig == SIGTRAP)
			resume(th, PTRACE_CONT, 0);
		else
			suspended(t, th);
		return;
	default: break;
	}
	if (sig == (SIGTRAP | 0x80))
		loads(t, th);
	else if (sig == SIGTRAP)
		trapped(t, th);
	else
		deliver(t, th, sig);
}
