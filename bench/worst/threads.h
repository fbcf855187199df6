/* threads.h - main() of the worst cases: `PROGRAM THREADS' does the same work in so many threads,
 * each on data of its own, and prints the results.  With one thread it creates none. */

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 64 };

/* work - what is timed.  Its result depends on everything that it does. */
static uint64_t work(uint64_t seed);

static inline void *
need(size_t n)
{
	void *p = malloc(n);

	if (!p) {
		perror("malloc");
		exit(1);
	}
	return p;
}

/* next - a linear congruential generator: Knuth's MMIX. */
static inline uint32_t
next(uint64_t *state)
{
	*state = *state * 6364136223846793005 + 1442695040888963407;
	return (uint32_t)(*state >> 32);
}

static void *
onethread(void *arg)
{
	uint64_t *result = arg;

	*result = work(*result);
	return NULL;
}

int
main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1, i;
	uint64_t result[MOST];
	pthread_t thread[MOST];

	if (n < 1 || n > MOST) {
		fprintf(stderr, "usage: %s THREADS (1 to %d)\n", argv[0], MOST);
		return 2;
	}
	for (i = 0; i < n; i++)
		result[i] = (uint64_t)i + 1;
	for (i = 1; i < n; i++)
		if (pthread_create(&thread[i], NULL, onethread, &result[i]) != 0) {
			perror("pthread_create");
			return 1;
		}
	onethread(&result[0]);
	for (i = 1; i < n; i++)
		pthread_join(thread[i], NULL);
	for (i = 0; i < n; i++)
		printf("%016llx\n", (unsigned long long)result[i]);
	return 0;
}
