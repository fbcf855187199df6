#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static jmp_buf back;
static volatile int n, got;

/* A child that looks for a program: the last argument is on the stack. */
__attribute__((noinline)) static void
child(char *const *names, char *const *args, int a, int b, int c, int d, int e)
{
	for (; *names; names++) {
		n += a + b + c + d + e;
		execv(*names, args);
	}
}

static int ended(pid_t pid)
{
	int status = -1;
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

__attribute__((noinline)) static int spawned(char *const *names)
{
	static char *const args[] = {"true", NULL};
	pid_t pid = vfork();
	if (pid == 0) {
		child(names, args, 1, 2, 3, 4, 5);
		_exit(7);
	}
	return ended(pid);
}

static int forked(char *const *names)
{
	static char *const args[] = {"true", NULL};
	pid_t pid = fork();
	if (pid == 0) {
		child(names, args, 1, 2, 3, 4, 5);
		_exit(7);
	}
	return ended(pid);
}

__attribute__((noinline)) static void dive(int deep)
{
	if (deep == 0)
		longjmp(back, 1);
	dive(deep - 1);
	n++;
}

static void *work(void *arg)
{
	for (int i = 0; i < 1000; i++)
		n++;
	return arg;
}

static void handler(int sig) { got = sig; }

int mine(void) { return 42; }

int act(void)
{
	static char *const none[] = {"/nowhere", NULL}, *const some[] = {"/nowhere", "/bin/true", NULL};
	struct sigaction was, new = {.sa_handler = handler};
	int (*f)(void);
	pthread_t t[2];
	void *r;

	if (spawned(none) != 7 || spawned(some) != 0 || forked(none) != 7 || forked(some) != 0)
		return 1;
	if (setjmp(back) == 0)
		dive(5);
	for (int i = 0; i < 2; i++)
		if (pthread_create(&t[i], NULL, work, &t[i]) != 0)
			return 2;
	for (int i = 0; i < 2; i++)
		if (pthread_join(t[i], &r) != 0 || r != &t[i])
			return 3;
	if (sigaction(SIGTERM, &new, &was) != 0 || was.sa_handler != SIG_DFL)
		return 4;
	raise(SIGTERM);
	if (got != SIGTERM || sigaction(SIGTERM, &was, &new) != 0 || new.sa_handler != handler)
		return 5;
	*(void **)&f = dlsym(RTLD_DEFAULT, "mine");
	if (!f || f() != 42)
		return 6;
	return 0;
}
