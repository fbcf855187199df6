#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile long ticks, n;
static sigjmp_buf back;
static void
on(int sig)
{
	ticks++;
	if (sig == SIGUSR1)
		siglongjmp(back, 1);
}
__attribute__((noinline)) static long
work(long k)
{
	long i, s = 0;
	for (i = 0; i < k; i++) {
		if (i & 1)
			s += i;
		else
			s ^= i;
	}
	return s;
}
int
main(int argc, char **argv)
{
	struct itimerval often = {{0, 900}, {0, 900}}, never = {{0, 0}, {0, 0}};
	const char *how = argc > 1 ? argv[1] : "";
	char line[80];
	int i;
	signal(SIGALRM, on);
	signal(SIGUSR1, on);
	setitimer(ITIMER_REAL, &often, NULL);
	n = work(10000);
	setitimer(ITIMER_REAL, &never, NULL);
	for (i = 0; i < 5; i++) {
		if (sigsetjmp(back, 1) == 0)
			raise(SIGUSR1);
		n++;
	}
	fprintf(stderr, "%ld\n", ticks);
	if (strcmp(how, "fork") == 0) {
		for (i = 0; i < 3; i++)
			if (fork() == 0) {
				n = work(10);
				_exit(i);
			}
		while (wait(NULL) > 0)
			n++;
	}
	if (strcmp(how, "vfork") == 0) {
		if (vfork() == 0) {
			execlp("true", "true", (char *)NULL);
			_exit(9);
		}
		wait(NULL);
	}
	if (strcmp(how, "read") == 0)
		while (fgets(line, sizeof line, stdin))
			fputs(line, stdout);
	if (strcmp(how, "exec") == 0)
		execl("./second", "second", (char *)NULL);
	if (strcmp(how, "abort") == 0)
		abort();
	if (strcmp(how, "segv") == 0)
		*(volatile int *)8 = 1;
	if (strcmp(how, "fpe") == 0)
		n /= ticks - ticks;
	if (strcmp(how, "ill") == 0)
		__builtin_trap();
	if (strcmp(how, "trap") == 0)
		raise(SIGTRAP);
	if (strcmp(how, "kill") == 0)
		kill(getpid(), SIGKILL);
	return 3;
}
