/* soak.h - what the programs of the soak share. */

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

/* A function that stays one: neither inlined nor cloned. */
#ifdef __clang__
#define COUNTED __attribute__((noinline))
#else
#define COUNTED __attribute__((noipa))
#endif

static volatile int sink;

/* next - a random number below n. */
static inline unsigned
next(uint64_t *state, unsigned n)
{
	*state = *state * 6364136223846793005 + 1442695040888963407;
	return (unsigned)(*state >> 33) % n;
}

/* progress - numbers in a file, by which others see how far a program is. */
static inline volatile uint64_t *
progress(const char *file)
{
	void *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, open(file, O_RDWR), 0);

	if (map == MAP_FAILED)
		exit(9);
	return (volatile uint64_t *)map;
}

/* leaf - something to count. */
COUNTED void
leaf(int i)
{
	if (i % 3 == 0)
		sink++;
	else if (i & 1)
		sink--;
}

COUNTED void
leaves(int n)
{
	int i;

	for (i = 0; i < n; i++)
		leaf(i);
}
