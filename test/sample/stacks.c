/* stacks.c - a child by vfork that ends, not its parent; stacks between which a program jumps.  roads: all
 * remarks: functions are not counted
 * with: -O0, -O2 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

static jmp_buf here, there;
static ucontext_t back, side;
static char stack[1 << 16];
static volatile int n;

__attribute__((noinline)) static int
spawn(void)
{
	int status;
	pid_t pid = vfork();

	if (pid == 0) {
		execl("/nonexistent", "x", (char *)0);
		_exit(7);
	}
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

__attribute__((noinline)) static void
to(jmp_buf *from, jmp_buf *next)
{
	if (_setjmp(*from) == 0)                            //= 41
		_longjmp(*next, 1);                         //= 41
	n++;                                                //= 40
}

static void deeper(int k) { n++; if (k) deeper(k - 1); else to(&there, &here); n++; } //= 84
static void other(void) { for (;;) { n += 2; deeper(3); } } //= 21

int
main(void)
{
	int i;

	if (_setjmp(here) == 0) {                           //= 1
		getcontext(&side);                          //= 1
		side.uc_stack.ss_sp = stack;                //= 1
		side.uc_stack.ss_size = sizeof stack;       //= 1
		makecontext(&side, other, 0);               //= 1
		swapcontext(&back, &side);                  //= 1
	}
	for (i = 0; i < 20; i++)                            //= 21
		to(&here, &there);                          //= 20
	printf("%d %d\n", n, spawn());                      //= 1
	return 0;                                           //= 1
}
