# cancel.sh - threads that are cancelled while they wait, ask or compute, call pthread_exit, or run
# when the process ends; with cleanups in between, by setjmp as in C or by landing pads.
cat >p.c <<'C'
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
	int k = n;

	pthread_cleanup_push(clean, &k);
	sink++;
	if (n == 0)
		stop();
	else
		deep(n - 1, stop);
	pthread_cleanup_pop(n & 1);
	sink--;
}

static void blocks(void) { sem_post(&ready); for (;;) pause(); }
static void tests(void) { sem_post(&ready); for (;;) { sink++; pthread_testcancel(); } }
static void leaves(void) { sem_post(&ready); sink++; pthread_exit(NULL); }
static void spins(void)
{
	unsigned i;
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	sem_post(&ready);
	for (i = 0;; i++)
		if (i % 3) sink++; else sink--;
}

static void (*const how[])(void) = {blocks, tests, leaves, spins};

static void *
thread(void *arg)
{
	intptr_t k = (intptr_t)arg;

	deep((int)(k % 7), how[k % 4]);
	return arg;
}

int
main(void)
{
	pthread_t t[40];
	intptr_t i;

	sem_init(&ready, 0, 0);
	for (i = 0; i < 40; i++) {
		pthread_create(&t[i], NULL, thread, (void *)i);
		sem_wait(&ready);
		if (i % 4 != 2 && i < 36)
			pthread_cancel(t[i]);
		if (i < 36)
			pthread_join(t[i], NULL);
	}
	puts("done");
	return 0; /* while the last of them run */
}
C
for cc in gcc clang; do for o in -O0 -O2 '-O2 -fexceptions'; do
	# shellcheck disable=SC2086
	tally build --quiet --counters=check $cc $o -w -pthread p.c -o p
	for i in 1 2 3; do
		rm -rf tally.out
		[ "$(./p)" = 'done' ]
		exact "$cc $o $i"
	done
done; done
