#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { N = 6 };
static volatile int sealed;
static int blocked;

static void
handler(int sig)
{
	(void)sig;
}

static void
jumps(void)
{
	jmp_buf back;

	if (setjmp(back) == 0)
		longjmp(back, 1);
}

static void *
enters(void *arg)
{
	sigset_t mask;
	int i;

	for (i = 0; !sealed; i++) {
		signal(SIGUSR1, handler);
		if (i % 2)
			jumps();
	}
	for (i = 0; i < 100; i++)
		signal(SIGUSR1, handler);
	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	if (sigismember(&mask, SIGTERM) || sigismember(&mask, SIGUSR2))
		__atomic_add_fetch(&blocked, 1, __ATOMIC_SEQ_CST);
	return arg;
}

int
main(void)
{
	struct sock_filter all[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	struct sock_fprog prog = {1, all};
	pthread_t t[N];

	for (int i = 0; i < N; i++)
		pthread_create(&t[i], NULL, enters, NULL);
	usleep(5000);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &prog) != 0)
		return 77;
	sealed = 1;
	for (int i = 0; i < N; i++)
		pthread_join(t[i], NULL);
	printf("%d\n", blocked);
	return 0;
}
