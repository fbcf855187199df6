/* cancel.c - threads that are cancelled while they wait, ask or compute, call pthread_exit, or run when the process
 * ends; with cleanups in between, by setjmp as in C or by landing pads.  roads: all
 * run: cancel | cancel | cancel
 * with: -O0, -O2, -O2 -fexceptions */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static sem_t ready;
static volatile int sink;

static void clean(void *arg) { sink += *(int *)arg; }

__attribute__((noinline)) static void
deep(int n, void (*stop)(void))
{
	int k = n;                                                         //= 155

	pthread_cleanup_push(clean, &k);
	sink++;                                                            //= 155
	if (n == 0)                                                        //= 155
		stop();                                                    //= 40
	else
		deep(n - 1, stop);                                         //= 115
	pthread_cleanup_pop(n & 1);                                        //= 0
	sink--;                                                            //= 0
}

static void blocks(void) { sem_post(&ready); for (;;) pause(); }           //= 10
static void tests(void) { sem_post(&ready); for (;;) { sink++; pthread_testcancel(); } }
static void leaves(void) { sem_post(&ready); sink++; pthread_exit(NULL); } //= 10
static void spins(void)
{
	unsigned i;
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);          //= 10
	sem_post(&ready);                                                  //= 10
	for (i = 0;; i++)
		if (i % 3) sink++; else sink--;
}

static void (*const how[])(void) = {blocks, tests, leaves, spins};

static void *
thread(void *arg)
{
	intptr_t k = (intptr_t)arg;                                        //= 40

	deep((int)(k % 7), how[k % 4]);                                    //= 40
	return arg;                                                        //= 0
}

int
main(void)
{
	pthread_t t[40];
	intptr_t i;

	sem_init(&ready, 0, 0);                                            //= 1
	for (i = 0; i < 40; i++) {                                         //= 41
		pthread_create(&t[i], NULL, thread, (void *)i);            //= 40
		sem_wait(&ready);                                          //= 40
		if (i % 4 != 2 && i < 36)                                  //= 40
			pthread_cancel(t[i]);                              //= 27
		if (i < 36)                                                //= 40
			pthread_join(t[i], NULL);                          //= 36
	}
	puts("done");                                                      //= 1
	return 0; /* while the last of them run */                         //= 1
}
