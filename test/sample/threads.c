/* threads.c - every thread counts for itself: no count is lost.  roads: asm c
 * A million calls are too many for breakpoints; together.c has fewer.
 * run: threads 16 3 20000
 * with: -O0, -O2, -O2 -no-pie -fno-pie, -O2 -fno-plt, -O2 -Wl,-z,now, -O1 -Wl,-z,lazy */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>
#include <unistd.h>

static int rounds;
static volatile int zero;

__attribute__((noinline)) static int
hot(int i)
{
	return i % 3 == zero ? i : i & 1 ? -i : 1;     //= 1040000
}

static void *
work(void *arg)
{
	int i, s = 0;                                  //= 52

	for (i = 0; i < rounds; i++)                   //= 1040052
		s += hot(i);                           //= 1040000
	return (void *)((long)s + (arg == NULL));      //= 52
}

static int
other(void *arg)
{
	return (int)(long)work(arg);                   //= 1
}

static void *
leaves(void *arg)
{
	pthread_exit(work(arg));                       //= 16
}

int
main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 16, waves = argc > 2 ? atoi(argv[2]) : 1, i, w; //= 1
	pthread_t t[64];
	thrd_t c;

	rounds = argc > 3 ? atoi(argv[3]) : 100000;    //= 1
	for (w = 0; w < waves; w++) {                  //= 4
		for (i = 0; i < n; i++)                //= 51
			if (pthread_create(&t[i], NULL, w % 2 ? leaves : work, t) != 0) //= 48
				abort();               //= 0
		work(t);                               //= 3
		for (i = 0; i < n; i++)                //= 51
			pthread_join(t[i], NULL);      //= 48
	}
	if (thrd_create(&c, other, t) == thrd_success) //= 1
		thrd_join(c, NULL);                    //= 1
	return 0;                                      //= 1
}
