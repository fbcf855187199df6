/* rng.h - random numbers, for tests and benchmarks. */

#ifndef RNG_H
#define RNG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* splitmix64 (Steele, Lea and Flood 2014) */
typedef struct Rng {
	uint64_t state;
} Rng;

static inline uint64_t
draw(Rng *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* below n */
static inline int
pick(Rng *r, int n)
{
	return (int)(draw(r) % (uint64_t)n);
}

static inline bool
oneof(Rng *r, int n)
{
	return pick(r, n) == 0;
}

/* seed - from the environment, for running a failure again, or a new one. */
static inline uint64_t
seed(void)
{
	const char *s = getenv("TALLY_SEED");
	uint64_t n = 0;
	FILE *f;

	if (s)
		return strtoull(s, NULL, 0);
	f = fopen("/dev/urandom", "rb");
	if (!f || fread(&n, 4, 1, f) != 1)
		abort();
	fclose(f);
	return n;
}

#endif
