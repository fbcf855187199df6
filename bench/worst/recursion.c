/* recursion.c - functions that do little but call themselves: Fibonacci's, Ackermann's, and queens
 * on a board. */

#include "threads.h"

static uint64_t
fib(unsigned n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static unsigned
ackermann(unsigned m, unsigned n)
{
	if (m == 0)
		return n + 1;
	return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

/* queens - the number of ways to place queens in the remaining rows; bits are columns attacked. */
static unsigned
queens(unsigned all, unsigned columns, unsigned left, unsigned right)
{
	unsigned found = 0, open, one;

	if (columns == all)
		return 1;
	for (open = all & ~(columns | left | right); open; open &= open - 1) {
		one = open & -open;
		found += queens(all, columns | one, (left | one) << 1, (right | one) >> 1);
	}
	return found;
}

static uint64_t
work(uint64_t seed)
{
	uint64_t sum = fib(seed == 0 ? 0 : 42); /* unknown to the compiler */
	unsigned i;

	for (i = 0; i < 240; i++)
		sum = sum * 31 + ackermann(3, 6 + i % 4);
	for (i = 1; i < 15; i++)
		sum = sum * 31 + queens((1u << i) - 1, 0, 0, 0);
	return sum;
}
