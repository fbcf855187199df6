#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

enum { N = 4 };

static ucontext_t start[N], home;
static struct { gregset_t regs; } saved[N + 1];
static volatile int now = N, work[N], over;
static char stack[N][65536];

static void
on(int sig, siginfo_t *info, void *context)
{
	ucontext_t *u = context;
	int next = info->si_value.sival_int;

	(void)sig;
	memcpy(saved[now].regs, u->uc_mcontext.gregs, sizeof saved[0].regs);
	memcpy(u->uc_mcontext.gregs, saved[next].regs, sizeof saved[0].regs);
	now = next;
}

__attribute__((noinline)) static void
go(int to)
{
	union sigval v = {.sival_int = to};

	sigqueue(getpid(), SIGUSR1, v);
}

__attribute__((noinline)) static void deeper(int k, int n) { work[k] += n; if (n) deeper(k, n - 1); else go(k + 1); work[k]++; }
static void thread(int k) { work[k] = k; if (work[k] > 90) { work[k] = 1; return; } if (k > 80) { work[k]++; return; } for (;;) deeper(k, 3 + work[k] % 4); }

int
main(void)
{
	struct sigaction sa = {.sa_sigaction = on, .sa_flags = SA_SIGINFO};
	int k, i;

	sigaction(SIGUSR1, &sa, NULL);
	for (k = 0; k < N; k++) {
		getcontext(&start[k]);
		start[k].uc_stack.ss_sp = stack[k];
		start[k].uc_stack.ss_size = sizeof stack[k];
		start[k].uc_link = &home;
		makecontext(&start[k], (void (*)(void))thread, 1, k);
		memcpy(saved[k].regs, start[k].uc_mcontext.gregs, sizeof saved[k].regs);
		/* a context that was made has no segment registers and flags */
		saved[k].regs[REG_CSGSFS] = 0x2b000000000033;
	}
	for (i = 0; i < 10; i++)
		go(0);
	printf("%d %d %d %d\n", work[0], work[1], work[2], work[3]);
	return 0;
}
