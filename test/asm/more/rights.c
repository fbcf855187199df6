#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int n;
__attribute__((noinline)) static void
work(int k)
{
	while (k-- > 0)
		n++; /* HERE */
}
__attribute__((noinline)) static void leave(void) { work(1); exit(0); }
static void *body(void *arg) { work(1000); return arg; }
static void
threads(int k)
{
	pthread_t t[100];
	int i;

	for (i = 0; i < k; i++)
		if (pthread_create(&t[i], NULL, body, NULL))
			exit(3);
	for (i = 0; i < k; i++)
		pthread_join(t[i], NULL);
}
int
main(int argc, char **argv)
{
	int i, k, fd[2], bad = 0, status;
	char c;

	for (i = 1; i + 1 < argc; i += 2) {
		k = atoi(argv[i + 1]);
		if (!strcmp(argv[i], "work")) {
			work(k);
		} else if (!strcmp(argv[i], "setresuid")) {
			bad |= setresgid(k, k, k) || setresuid(k, k, k);
		} else if (!strcmp(argv[i], "setuid")) {
			bad |= setuid(k);
		} else if (!strcmp(argv[i], "raw")) {
			bad |= syscall(SYS_setuid, k) != 0;
		} else if (!strcmp(argv[i], "jail")) {
			bad |= chroot("jail") || chdir("/");
		} else if (!strcmp(argv[i], "children")) { /* one after the other; the last of three leaves frames */
			while (k-- > 0) {
				if (fork() == 0) {
					work(10);
					k % 3 ? _exit(0) : leave();
				}
				wait(&status);
				bad |= status;
			}
		} else if (!strcmp(argv[i], "atonce")) {
			bad |= pipe(fd);
			while (k-- > 0)
				if (fork() == 0) {
					close(fd[1]);
					bad |= read(fd[0], &c, 1);
					work(10);
					return bad;
				}
			close(fd[1]);
			close(fd[0]);
			while (wait(&status) > 0)
				bad |= status;
		} else if (!strcmp(argv[i], "deep")) { /* each a child of the one before */
			while (k-- > 0)
				if (fork()) {
					wait(&status);
					return bad | status;
				} else {
					work(10);
				}
		} else if (!strcmp(argv[i], "threads")) {
			threads(k);
		} else if (!strcmp(argv[i], "killed")) {
			if (fork() == 0) {
				work(k);
				raise(SIGKILL);
			}
			wait(&status);
		} else {
			return 9;
		}
	}
	return bad;
}
