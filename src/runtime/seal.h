/* seal.h - programs that restrict their own system calls.
 *
 * A filter may kill the process, or a thread, for a call that the program itself would not make.  So
 * once it sets one, sys() makes none any more: what is counted goes on into the mapped file, and what
 * would need a call is left undone, and marked.  Before that signals that nobody handles get their
 * default back: to die of one takes a call, which our handler could not make. */

#ifndef SEAL_H
#define SEAL_H

#include "signals.h"

enum { PR_SET_SECCOMP = 22, SECCOMP_SET_MODE_FILTER = 1 };

static void carryall(void);

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

/* seal - no calls from now on. */
static void
seal(void)
{
	Action now;
	int sig;

	if (p->sealed)
		return;
	enter(NULL);
	carryall();
	for (sig = 1; p->fatal && sig < NSIGNAL; sig++)
		if (action(sig, NULL, &now) == 0 && now.handler == p->fatal)
			action(sig, &p->shadow[sig], NULL);
	leave();
	p->sealed = 1;
}

#endif
