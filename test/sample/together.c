/* together.c - threads that run through the same code at once, where a switch leads into the middle of a block.  roads: all
 * run: together 12
 * with: -O0, -O2 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static volatile long sink[16];
__attribute__((noinline)) static int
f(int k, int i)
{
	switch (i % 6) {                                            //= 7200
	case 0: sink[k]++; /* fall through */                       //= 1200
	case 1: sink[k] += 2; break;                                //= 2400
	case 2: sink[k] -= 1; break;                                //= 1200
	case 3: sink[k] ^= 3; /* fall through */                    //= 1200
	case 4: sink[k] += 5; /* fall through */                    //= 2400
	default: sink[k] += k;                                      //= 3600
	}
	return i & 1;                                               //= 7200
}
static void *
work(void *arg)
{
	long k = (long)arg, i, n = 0;                               //= 12
	for (i = k % 7 * 5; i < 600 + k % 7 * 5; i++)               //= 7212
		n += f((int)k, (int)i) ? 1 : 2;                     //= 7200
	return (void *)n;                                           //= 12
}
int
main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 8, i;                    //= 1
	pthread_t t[16];
	long sum = 0;                                               //= 1
	void *r;
	for (i = 0; i < n; i++)                                     //= 13
		pthread_create(&t[i], NULL, work, (void *)(long)i); //= 12
	for (i = 0; i < n; i++) {                                   //= 13
		pthread_join(t[i], &r);                             //= 12
		sum += (long)r;                                     //= 12
	}
	printf("%ld\n", sum);                                       //= 1
	return 0;                                                   //= 1
}
