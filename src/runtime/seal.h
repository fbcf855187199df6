/* seal.h - programs that restrict their own system calls.
 *
 * A filter (seccomp) may kill the process, or a thread, for a system call that the program itself
 * would never make.  So once a filter is set, sys() makes no more calls: counts still go into the
 * mapped file; what would need a system call is left undone, and a flag says so.  Before that,
 * signals without a handler get back their default action: to die of one, our handler would need a
 * system call. */

#ifndef SEAL_H
#define SEAL_H

#include "signals.h"

enum { PR_SET_SECCOMP = 22, SECCOMP_SET_MODE_FILTER = 1 };

/* seals - whether a call sets a filter. */
static int
seals(int which, const Hooked *h)
{
	if (which == SYSCALL && h->rdi == __NR_seccomp)
		return h->rsi == 0 || (h->rsi == SECCOMP_SET_MODE_FILTER && h->rcx);
	if (which == SYSCALL && h->rdi == __NR_prctl)
		return h->rsi == PR_SET_SECCOMP && (h->rdx == 1 || h->rcx);
	return which == PRCTL && h->rdi == PR_SET_SECCOMP && (h->rsi == 1 || h->rdx);
}

/* keepout - let no other thread enter any more, and wait until those that are inside have left.  A
 * thread that is inside when the filter is set could never unblock its signals.  This thread waits
 * with its own signals open, because those inside may want an answer from it; not for ever, for a
 * handler may have left by longjmp. */
static void
keepout(void)
{
	static const long wait[2] = {0, 100000};
	uint64_t self = threadpointer(), none = 0;
	int try;

	while (self && !__atomic_compare_exchange_n(&p->sealer, &none, self, 0, __ATOMIC_SEQ_CST,
						    __ATOMIC_SEQ_CST)
	       && none != self && !p->sealed) {
		SYS(__NR_sched_yield, 0, 0, 0);
		none = 0;
	}
	for (try = 0; try < 2000 && __atomic_load_n(&p->inside, __ATOMIC_SEQ_CST); try++)
		SYS(__NR_nanosleep, wait, 0, 0);
}

/* seal - make no system calls from now on. */
static void
seal(void)
{
	Action now;
	int sig;

	if (p->sealed)
		return;
	keepout();
	enter(NULL);
	carryall();
	for (sig = 1; p->fatal && sig < NSIGNAL; sig++)
		if (action(sig, NULL, &now) == 0 && now.handler == p->fatal)
			action(sig, &p->shadow[sig], NULL);
	leave();
	p->sealed = 1;
	__atomic_store_n(&p->sealer, 0, __ATOMIC_SEQ_CST);
}

#endif
