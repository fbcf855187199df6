/* trap.c - one bad input among many: go on with the others. */

#include "base.h"

#include <setjmp.h>
#include <stdlib.h>

static jmp_buf *trap; /* of the innermost attempt; NULL if there is none */
static bool silent, failed;

bool
attempt(void (*f)(void *), void *arg, bool quiet)
{
	jmp_buf here, *outer = trap;
	bool wassilent = silent;
	volatile bool done = false;

	if (setjmp(here) == 0) {
		trap = &here;
		silent |= quiet;
		f(arg);
		done = true;
	}
	failed |= !done && !silent;
	trap = outer;
	silent = wassilent;
	return done;
}

_Noreturn void
endattempt(void)
{
	if (trap)
		longjmp(*trap, 1);
	exit(1);
}

bool
isquiet(void)
{
	return trap && silent;
}

bool
anyfailed(void)
{
	return failed;
}
