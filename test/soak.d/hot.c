/* hot.c - threads that compute until something ends them.
 *
 * usage: hot FILE THREADS [ROUNDS SIGNAL]
 *
 * Each says in FILE how many rounds it has finished, in a number of its own.  After ROUNDS
 * the last thread raises a signal, or ends the process if that is 0. */

#include "soak.h"
#include <pthread.h>
#include <signal.h>

enum { THREADS = 8 };

static volatile uint64_t *finished;
static uint64_t rounds;
static int nthread = 1, last;

COUNTED unsigned
pick(unsigned x)
{
	switch (x % 9) {
	case 0: return x + 1;
	case 1: return x * 3;
	case 2: return x ^ 5;
	case 3: return ~x;
	case 4: x += (unsigned)sink; /* fall through */
	case 5: return x - 7;
	case 6: return x << 1;
	case 7: return x >> 1;
	default: return 11;
	}
}

/* gcd - of a and 30030: no deeper than 24. */
COUNTED unsigned
gcd(unsigned a, unsigned b)
{
	return b ? gcd(b, a % b) : a;
}

/* fib - of 7: no deeper than 7. */
COUNTED unsigned
fib(unsigned n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

COUNTED unsigned
loops(unsigned n)
{
	unsigned i, k, s = 0;

	for (i = 0; i < n; i++) {
		if (i & 1)
			continue;
		for (k = i; k > 0; k /= 3) {
			s += pick(k + s);
			if (s % 101 == 0)
				break;
		}
		while (s > 1000 && s & 3)
			s = s / 2 - i;
	}
	return s;
}

COUNTED unsigned
sorts(unsigned *a, int n)
{
	unsigned moves = 0;
	int i, j;

	for (i = 1; i < n; i++) {
		unsigned x = a[i];

		for (j = i - 1; j >= 0 && a[j] > x; j--) {
			a[j + 1] = a[j];
			moves++;
		}
		a[j + 1] = x;
	}
	return moves;
}

/* once - a round. */
COUNTED unsigned
once(unsigned s)
{
	unsigned a[30], i;

	for (i = 0; i < 30; i++)
		a[i] = pick(s + i * 7919) % 1000;
	return s + loops(20) + gcd(s | 1, 30030) + fib(7) + sorts(a, 30);
}

static void *
work(void *arg)
{
	unsigned k = (unsigned)(uintptr_t)arg, s = k;
	uint64_t i;

	for (i = 0; !rounds || (int)k != nthread - 1 || i < rounds; i++) {
		s = once(s);
		finished[k]++;
	}
	if (last == SIGABRT)
		abort();
	if (last == SIGSEGV)
		*(volatile int *)NULL = 0;
	if (last)
		raise(last);
	exit(0);
}

int
main(int argc, char **argv)
{
	pthread_t t;
	int i;

	finished = progress(argc > 1 ? argv[1] : "");
	nthread = argc > 2 ? atoi(argv[2]) : 1;
	rounds = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
	last = argc > 4 ? atoi(argv[4]) : 0;
	if (nthread > THREADS)
		return 9;
	for (i = 1; i < nthread; i++)
		pthread_create(&t, NULL, work, (void *)(uintptr_t)i);
	work(NULL);
	return 0;
}
