# untold.sh - a child that the C library tells nobody of, by _Fork or a system call, while another thread is in the runtime:
# who held its lock stayed behind, and the child goes on.
cat >p.c <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int over;

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
	while (!over) {
		signal(SIGUSR1, handler);
		jumps();
	}
	return arg;
}

/* ends - whether a child does, by itself. */
static int
ends(pid_t pid)
{
	int i, status;

	for (i = 0; i < 20000; i++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return status == 0;
		usleep(500);
	}
	kill(pid, SIGKILL);
	return 0;
}

int
main(void)
{
	pthread_t t[2];
	pid_t pid;
	int i;

	for (i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, enters, NULL);
	for (i = 0; i < 400; i++) {
		pid = i % 2 ? _Fork() : (pid_t)syscall(SYS_fork);
		if (pid == 0) {
			jumps();
			signal(SIGUSR2, handler);
			_exit(0);
		}
		if (!ends(pid)) {
			puts("a child waits for a lock that nobody has");
			return 1;
		}
	}
	over = 1;
	for (i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	puts("done");
	return 0;
}
C
tally build --quiet gcc -O1 -w p.c -o p -pthread || exit 1
said=$(timeout -k 1 100 ./p)
[ "$said" = 'done' ] || { echo "a child waits for a lock that nobody has: $said"; exit 1; }
exit 0
