/* Its arguments are what it does, one after the other. */
#define _GNU_SOURCE
#include <ctype.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int n;
static char stack[1 << 16] __attribute__((aligned(16)));

static void work(void) { n++; }
static void repeat(int times) { while (times-- > 0) work(); }
static void check(int ok) { if (!ok) { perror("p"); exit(99); } }

static int
ended(pid_t pid)
{
	int status = -1;

	check(waitpid(pid, &status, 0) == pid);
	return status;
}

static void
become(char *prog)
{
	work();
	execl(prog, prog, "2", (char *)0);
	work();
	_exit(9);
}

static int
byvfork(char *prog)
{
	pid_t pid = vfork();

	if (pid == 0)
		become(prog);
	return ended(pid);
}

static int
byspawn(char *prog)
{
	char *argv[] = {prog, "2", 0};
	pid_t pid;

	return posix_spawn(&pid, prog, 0, 0, argv, environ) ? -1 : ended(pid);
}

static int
bypopen(char *command)
{
	FILE *f = popen(command, "r");
	int c;

	while ((c = getc(f)) != EOF)
		putchar(c);
	return pclose(f);
}

static int
storm(int k)
{
	int i, status, all = 0;

	for (i = 0; i < k; i++)
		if (fork() == 0) {
			repeat(100);
			if (i & 1)
				_exit(0);
			exit(0);
		}
	while (wait(&status) > 0)
		all |= status;
	return all;
}

static void
daemonize(void)
{
	if (fork() > 0)
		_exit(0);
	check(setsid() > 0);
	if (fork() > 0)
		_exit(0);
	check(chdir("/") == 0 && close_range(0, ~0u, 0) == 0);
}

static void *inthread(void *arg) { repeat(10); return arg; }

static int
body(void *arg)
{
	pthread_t t;

	repeat(10);
	check(pthread_create(&t, 0, inthread, arg) == 0 && pthread_join(t, 0) == 0);
	if (arg)
		exit(5);
	return 0;
}

static int
raw(const char *how)
{
	pid_t pid = strcmp(how, "_Fork") == 0  ? _Fork()
		    : strcmp(how, "clone") == 0 ? clone(body, stack + sizeof stack, SIGCHLD, stack)
						: (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (pid == 0 && strcmp(how, "syscall") == 0)
		body(stack);
	if (pid == 0) {
		repeat(20);
		kill(getpid(), SIGKILL);
	}
	return ended(pid) + body(0);
}

int
main(int argc, char **argv)
{
	char **a, buf[20];
	int status = 0;

	for (a = argv + 1; *a; a++) {
		pid_t pid;

		fflush(stdout);
		if (isdigit(**a)) {
			repeat(atoi(*a));
		} else if (strcmp(*a, "vfork") == 0) {
			status += byvfork(*++a);
		} else if (strcmp(*a, "spawn") == 0) {
			status += byspawn(*++a);
		} else if (strcmp(*a, "system") == 0) {
			status += system(*++a);
		} else if (strcmp(*a, "popen") == 0) {
			status += bypopen(*++a);
		} else if (strcmp(*a, "exec") == 0) {
			execv(a[1], a + 1);
			status--, a++;
		} else if (strcmp(*a, "again") == 0) {
			work();
			sprintf(buf, "%d", atoi(a[1]) - 1);
			if (atoi(a[1]))
				execl(argv[0], argv[0], "again", buf, (char *)0);
			a++;
		} else if (strcmp(*a, "fork") == 0) { /* the child goes on, the parent works once */
			if ((pid = fork()) > 0) {
				status += ended(pid);
				work();
				break;
			}
		} else if (strcmp(*a, "storm") == 0) {
			status += storm(atoi(*++a));
		} else if (strcmp(*a, "daemon") == 0) {
			daemonize();
		} else if (strcmp(*a, "raw") == 0) {
			status += raw(*++a);
		} else if (strcmp(*a, "chdir") == 0) {
			check(chdir(*++a) == 0);
		} else if (strcmp(*a, "chroot") == 0) {
			check(chroot(*++a) == 0 && chdir("/") == 0);
		} else if (strcmp(*a, "unshare") == 0) {
			check(unshare(CLONE_NEWPID) == 0);
		} else if (strcmp(*a, "setuid") == 0) {
			check(setuid(atoi(*++a)) == 0);
		} else if (strcmp(*a, "ids") == 0) {
			printf("%d %d\n", (int)getuid(), (int)geteuid());
		} else if (strcmp(*a, "stop") == 0) { /* until somebody writes, or goes */
			puts("ready");
			fflush(stdout);
			getchar();
		} else {
			return 98;
		}
	}
	printf("%d %d\n", n, status);
	return status >> 8 & 15;
}
