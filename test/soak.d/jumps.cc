/* jumps.cc - exceptions and long jumps, out of deep calls and out of signal handlers.
 *
 * usage: jumps SEED COUNT THREADS [FILE] */

#include "soak.h"
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <sys/time.h>

static int count;
static sigjmp_buf again;
static volatile uint64_t *jumped; /* progress; NULL if nobody wants to know */

struct Guard {
	int n;
	explicit Guard(int k) : n(k) { sink += k; }
	~Guard()
	{
		if (n & 1)
			leaf(n);
		sink -= n;
	}
};

struct Stop {
	int level;
};

/* climb - n levels up; an exception comes down to the level that it names. */
COUNTED int
climb(int n, uint64_t *seed)
{
	if (n == 0)
		throw Stop{(int)next(seed, 12)};
	if (n % 3 == 0) {
		Guard g(n);
		return climb(n - 1, seed) + 1;
	}
	try {
		return climb(n - 1, seed) + 1;
	} catch (Stop &s) {
		if (n < s.level)
			throw;
		if (next(seed, 4) == 0)
			throw Stop{n + 1};
		leaf(n);
		return n;
	}
}

/* hop - the same by longjmp. */
COUNTED int
hop(int n, uint64_t *seed, jmp_buf *below)
{
	jmp_buf here;
	volatile int was = n;

	if (n == 0)
		longjmp(*below, 1);
	if (n % 3)
		return hop(n - 1, seed, below) + 1;
	if (setjmp(here) == 0)
		return hop(n - 1, seed, next(seed, 2) ? &here : below) + 1;
	leaf(was);
	return was;
}

static void *
work(void *arg)
{
	volatile uint64_t state = *(uint64_t *)arg;
	volatile long s = 0;
	volatile int i;
	uint64_t seed;
	jmp_buf top;

	for (i = 0; i < count; i = i + 1) {
		seed = state = state + (uint64_t)i;
		try {
			s = s + climb((int)next(&seed, 12), &seed);
		} catch (...) {
			s = s + 1;
		}
		if (setjmp(top) == 0)
			s = s + hop((int)next(&seed, 20), &seed, &top);
		if (jumped)
			*jumped = *jumped + 1;
	}
	*(uint64_t *)arg = (uint64_t)s;
	return nullptr;
}

static void
onalarm(int)
{
	leaf(1);
	siglongjmp(again, 1);
}

COUNTED unsigned
spin(unsigned n)
{
	return n < 2 ? n : spin(n - 1) + spin(n - 2);
}

/* interrupted - computing is given up many times. */
COUNTED void
interrupted(int times)
{
	static const struct itimerval soon = {{0, 0}, {0, 300}};
	static volatile int k;

	signal(SIGALRM, onalarm);
	for (k = 0; k < times; k++)
		if (sigsetjmp(again, 1) == 0) {
			setitimer(ITIMER_REAL, &soon, nullptr);
			for (;;)
				leaves((int)(spin(12) & 7));
		}
}

int
main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? strtoull(argv[1], nullptr, 10) : 1, state[16];
	int n = argc > 3 ? atoi(argv[3]) : 1, i;
	pthread_t t[16];

	count = argc > 2 ? atoi(argv[2]) : 100;
	if (argc > 4)
		jumped = progress(argv[4]);
	else
		interrupted(count);
	for (i = 0; i < n; i++) {
		state[i] = seed + (uint64_t)i;
		pthread_create(&t[i], nullptr, work, &state[i]);
	}
	for (i = 0; i < n; i++) {
		pthread_join(t[i], nullptr);
		printf("%llu\n", (unsigned long long)state[i]);
	}
	return 0;
}
