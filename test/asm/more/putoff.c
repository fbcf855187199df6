#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

static __thread sigjmp_buf out;
static __thread jmp_buf up;
static __thread volatile int armed;
static volatile long came, left;

static void
on(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)info, (void)context;
	if (__sync_add_and_fetch(&came, 1) % 3 || !armed)
		return;
	armed = 0;
	__sync_add_and_fetch(&left, 1);
	siglongjmp(out, 1);
}

__attribute__((noinline)) static void
down(int n)
{
	if (n == 0)
		_longjmp(up, 1);
	down(n - 1);
	__asm__ volatile("");
}

static void *
work(void *arg)
{
	volatile long i;

	for (i = 0; i < 300000; i++) {
		if (sigsetjmp(out, 1) == 0) {
			armed = 1;
			if (_setjmp(up) == 0)
				down(6);
		}
		armed = 0;
	}
	return arg;
}

int
main(void)
{
	static char room[65536];
	struct sigaction sa = {.sa_sigaction = on, .sa_flags = SA_SIGINFO | SA_ONSTACK}, was;
	stack_t own = {.ss_sp = room, .ss_size = sizeof room};
	struct itimerval often = {{0, 30}, {0, 30}}, never = {{0, 0}, {0, 0}};
	pthread_t t;

	sigaltstack(&own, NULL);
	sigaction(SIGALRM, &sa, NULL);
	sigaction(SIGALRM, NULL, &was);
	setitimer(ITIMER_REAL, &often, NULL);
	pthread_create(&t, NULL, work, NULL);
	work(NULL);
	pthread_join(t, NULL);
	setitimer(ITIMER_REAL, &never, NULL);
	return !(was.sa_sigaction == on && came > 20 && left > 0);
}
