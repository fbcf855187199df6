/* signals.c - deliver signals so that the program does not notice us.
 *
 * A thread that gets a signal may be in a copy of an instruction.  A handler, a core dump or a
 * debugger must not see that, so the thread is moved to where it would be without us: to the
 * original instruction, or after it.  In the first case it will meet the probe there again after
 * the handler, and must not be counted twice. */

#include "trace.h"

#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

void
settle(Thread *th)
{
	struct user_regs_struct r;
	uint64_t addr;
	bool before;
	Mod *m;
	int i;

	if (ptrace(PTRACE_GETREGS, th->tid, NULL, &r) != 0)
		return;
	addr = r.rip;
	if (!unslot(th->sp, &addr, &i, &m, &before))
		return;
	r.rip = addr;
	if (before && i >= 0)
		th->again = (Spot){m->tg, i};
	ptrace(PTRACE_SETREGS, th->tid, NULL, &r);
}

/* iscaught - whether a process has a handler for a signal. */
static bool
iscaught(pid_t tid, int sig)
{
	return statusof(tid, "SigCgt", 16) >> (sig - 1) & 1;
}

/* truthful - correct the address in a fault's siginfo, which is that of the copy. */
static void
truthful(const Thread *th, int sig, uint64_t from, uint64_t to)
{
	siginfo_t info;

	if ((sig != SIGILL && sig != SIGFPE && sig != SIGTRAP)
	    || ptrace(PTRACE_GETSIGINFO, th->tid, NULL, &info) != 0
	    || (uint64_t)info.si_addr != from)
		return;
	info.si_addr = (void *)to; /* NOLINT(performance-no-int-to-ptr) */
	ptrace(PTRACE_SETSIGINFO, th->tid, NULL, &info);
}

/* isfault - whether the instruction that a thread is at has caused a signal. */
static bool
isfault(const Thread *th, int sig)
{
	siginfo_t info;

	return (sig == SIGSEGV || sig == SIGBUS || sig == SIGILL || sig == SIGFPE || sig == SIGTRAP)
	       && ptrace(PTRACE_GETSIGINFO, th->tid, NULL, &info) == 0 && info.si_code > 0;
}

/* stepout - before a thread gets a signal, let it execute the instruction that it was counted for,
 * if it has not done so: unless that is a system call, which might wait for the signal.  Returns
 * the signal to deliver now; 0 if it will come later. */
static int
stepout(const Thread *th, int sig)
{
	static const uint8_t call[2] = {0x0f, 0x05};
	struct user_regs_struct r;
	uint64_t addr;
	uint8_t code[2];
	siginfo_t info;
	bool before;
	Mod *m;
	int i, status;

	if (ptrace(PTRACE_GETREGS, th->tid, NULL, &r) != 0
	    || ptrace(PTRACE_GETSIGINFO, th->tid, NULL, &info) != 0)
		return sig;
	addr = r.rip;
	if (!unslot(th->sp, &addr, &i, &m, &before) || !before
	    || !readmem(th->sp, r.rip, code, sizeof code) || memcmp(code, call, sizeof code) == 0)
		return sig;
	if (!goon(th->tid, true, &status))
		return 0;
	if (WSTOPSIG(status) == SIGTRAP && status >> 16 == 0) {
		ptrace(PTRACE_SETSIGINFO, th->tid, NULL, &info);
		return sig;
	}
	syscall(SYS_tgkill, th->pid, th->tid, sig); /* later: something else came first */
	return status >> 16 ? 0 : WSTOPSIG(status);
}

void
deliver(Tracer *t, Thread *th, int sig)
{
	struct user_regs_struct was, is;

	if (!isfault(th, sig))
		sig = stepout(th, sig);
	if (!sig) {
		resume(th, PTRACE_CONT, 0);
		return;
	}
	ptrace(PTRACE_GETREGS, th->tid, NULL, &was);
	settle(th);
	ptrace(PTRACE_GETREGS, th->tid, NULL, &is);
	truthful(th, sig, was.rip, is.rip);
	th->fatal = sig;
	if (!iscaught(th->tid, sig)) {
		resume(th, PTRACE_CONT, sig);
		return;
	}
	apush(t->run, th->frame, th->nframe, th->capframe);
	th->frame[th->nframe++] = (Sigframe){.rip = is.rip, .last = th->last, .again = th->again};
	th->into = sig;
	resume(th, PTRACE_SINGLESTEP, sig);
}

/* entered - a thread is at the first instruction of a signal handler: put a trap where it
 * returns. */
static void
entered(Thread *th, const struct user_regs_struct *r)
{
	Sigframe *f = &th->frame[th->nframe - 1];
	uint64_t back = 0;

	th->into = 0;
	th->last.probe = th->again.probe = NONE;
	f->sp = r->rsp + 8;
	if (readmem(th->sp, r->rsp, &back, sizeof back) && back)
		addtrap(th->sp, back, ATRETURN);
	resume(th, PTRACE_CONT, 0);
}

void
trapped(Tracer *t, Thread *th)
{
	struct user_regs_struct r;
	const Mod *m;
	siginfo_t info;
	int i;

	if (ptrace(PTRACE_GETREGS, th->tid, NULL, &r) != 0)
		return;
	if (th->into) {
		entered(th, &r);
		return;
	}
	m = modat(th->sp, r.rip - 1);
	i = m ? probeat(m->tg, r.rip - 1 - m->bias) : NONE;
	if (i != NONE && i >= m->planted)
		i = NONE;
	if ((i != NONE || trapat(th->sp, r.rip - 1))
	    && ptrace(PTRACE_GETSIGINFO, th->tid, NULL, &info) == 0 && info.si_code == SI_KERNEL) {
		r.rip--;
		proceed(t, th, &r);
		return;
	}
	deliver(t, th, SIGTRAP);
}
