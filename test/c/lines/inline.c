/* Copies of inlined and unrolled code add up. */
#include <stdio.h>
#include <string.h>

static inline int clamp(int x, int lo, int hi)
{
	if (x < lo)
		return lo;
	if (x > hi)
		return hi;
	return x;
}

static inline __attribute__((always_inline)) int step(int x)
{
	if (x & 1)
		return 3 * x + 1;
	return x / 2;
}

static int collatz(int n)
{
	int k = 0;

	while (n != 1) {
		n = step(n);
		k++;
	}
	return k;
}

static void fill(int *v, int n)
{
	int i;

	for (i = 0; i < n; i++)
		v[i] = clamp(i - 4, 0, 7);
}

static int same(const int *a, const int *b, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (a[i] != b[i])
			return 0;
	return 1;
}

int main(void)
{
	int a[16], b[16], i, s = 0;

	fill(a, 16);
	memcpy(b, a, sizeof a);
	for (i = 1; i < 30; i++)
		s += collatz(i);
	if (same(a, b, 16))
		s++;
	b[7] = 99;
	if (same(a, b, 16))
		s += 1000;
	printf("%d\n", s);
	return s == 0;
}
