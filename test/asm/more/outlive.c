#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

static volatile int closed, begun, cleaned;
static ucontext_t main_, other;
static char stack[65536], clonestack[65536];

static void
clean(void *arg)
{
	(void)arg;
	cleaned++;
}

static void *
waits(void *arg)
{
	__atomic_add_fetch(&begun, 1, __ATOMIC_SEQ_CST);
	while (!closed)
		usleep(1000);
	return (char *)arg + 1;
}

static void *
exits(void *arg)
{
	pthread_cleanup_push(clean, NULL);
	waits(arg);
	pthread_exit((char *)arg + 1);
	pthread_cleanup_pop(0);
	return NULL;
}

static void *
iscanceled(void *arg)
{
	pthread_cleanup_push(clean, NULL);
	__atomic_add_fetch(&begun, 1, __ATOMIC_SEQ_CST);
	for (;;)
		pause();
	pthread_cleanup_pop(0);
	return arg;
}

static void
goes(void)
{
	swapcontext(&other, &main_);
	puts("and on");
	swapcontext(&other, &main_);
}

int
main(int argc, char **argv)
{
	void *(*const kind[])(void *) = {waits, exits, iscanceled};
	pthread_t t[9];
	void *d = dlopen("./libplug.so", RTLD_NOW), *r;
	int (*twice)(int) = d ? (int (*)(int))dlsym(d, "twice") : NULL;

	if (!twice)
		return 9;
	getcontext(&other);
	other.uc_stack.ss_sp = stack;
	other.uc_stack.ss_size = sizeof stack;
	makecontext(&other, goes, 0);
	if (argc > 1 && strstr(argv[1], "contexts"))
		swapcontext(&main_, &other);
	for (int i = 0; i < 9; i++)
		if (pthread_create(&t[i], NULL, kind[i % 3], &t[i]) != 0)
			return 8;
	if (!(argc > 1 && strstr(argv[1], "atonce")))
		while (begun < 9)
			usleep(1000);
	printf("%d\n", twice(21));
	dlclose(d);
	if (dlopen("./libplug.so", RTLD_NOW | RTLD_NOLOAD))
		return 7;
	closed = 1;
	if (argc > 1 && strstr(argv[1], "contexts"))
		swapcontext(&main_, &other);
	for (int i = 0; i < 9; i++) {
		if (i % 3 == 2)
			pthread_cancel(t[i]);
		pthread_join(t[i], &r);
		if (r != (i % 3 == 2 ? PTHREAD_CANCELED : (void *)((char *)&t[i] + 1)))
			return 6;
	}
	return cleaned == 6 || (argc > 1 && strstr(argv[1], "atonce")) ? 0 : 5;
}
