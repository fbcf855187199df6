#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static sem_t go;
static volatile long sum;
#ifdef LINKED
int f(int);
#else
static int (*f)(int);
#endif
__attribute__((noinline)) static void own(int k) { sum += k; }
static void *
body(void *early)
{
	int i;

	for (i = 0; i < 500; i++)
		own(i);
	if (early)
		sem_wait(&go);
	for (i = 0; i < 10; i++)
		f(100);
	for (i = 0; i < 500; i++)
		own(i);
	return NULL;
}
static void *
alone(void *arg)
{
	int i;

	for (i = 0; i < 500; i++)
		own(i);
	return arg;
}
int
main(int argc, char **argv)
{
	int before = atoi(argv[1]), after = atoi(argv[2]), i, status;
	pthread_t t[64];

	sem_init(&go, 0, 0);
	for (i = 0; i < before; i++)
		pthread_create(&t[i], NULL, body, &go);
#ifndef LINKED
	void *d = dlopen(argv[3], RTLD_NOW);

	*(void **)&f = d ? dlsym(d, "f") : NULL;
	if (!f)
		return puts(dlerror()), 9;
#endif
	for (i = 0; i < before; i++)
		sem_post(&go);
	for (i = before; i < before + after; i++)
		pthread_create(&t[i], NULL, body, NULL);
	for (i = 0; i < before + after; i++)
		pthread_join(t[i], NULL);
	body(NULL);
	fflush(stdout);
	if (fork() == 0) {
		body(NULL);
		exit(7);
	}
	wait(&status);
	printf("%ld %d\n", (long)f(3), WEXITSTATUS(status));
	fflush(stdout);
#ifndef LINKED
	/* It goes and comes again, and threads, too. */
	for (i = 0; i < 3; i++) {
		dlclose(d);
		pthread_create(&t[0], NULL, alone, NULL);
		pthread_join(t[0], NULL);
		d = dlopen(argv[3], RTLD_NOW);
		*(void **)&f = dlsym(d, "f");
		pthread_create(&t[0], NULL, body, NULL);
		pthread_join(t[0], NULL);
	}
#endif
	return argc > 9;
}
