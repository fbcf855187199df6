/* matrix.c - matrix multiplication by three nested loops, of integers and of floating-point
 * numbers. */

#include "threads.h"

enum { N = 500 };

static void
multiply(const int *a, const int *b, int *c)
{
	int i, j, k, sum;

	for (i = 0; i < N; i++)
		for (j = 0; j < N; j++) {
			for (sum = 0, k = 0; k < N; k++)
				sum += a[i * N + k] * b[k * N + j];
			c[i * N + j] = sum & 1023;
		}
}

static void
multiplyreal(const double *a, const double *b, double *c)
{
	double sum;
	int i, j, k;

	for (i = 0; i < N; i++)
		for (j = 0; j < N; j++) {
			for (sum = 0, k = 0; k < N; k++)
				sum += a[i * N + k] * b[k * N + j];
			c[i * N + j] = sum;
		}
}

static uint64_t
work(uint64_t seed)
{
	int *a = need(3 * N * N * sizeof *a), *b = a + N * N, *c = b + N * N;
	double *x = need(3 * N * N * sizeof *x), *y = x + N * N, *z = y + N * N;
	uint64_t sum = 0, state = seed;
	int i, k;

	for (i = 0; i < N * N; i++) {
		a[i] = (int)(next(&state) & 1023);
		b[i] = (int)(next(&state) & 1023);
		x[i] = (int)(next(&state) & 1023);
		y[i] = (int)(next(&state) & 1023);
	}
	for (k = 0; k < 3; k++) {
		multiply(a, b, c);
		multiplyreal(x, y, z);
		for (i = 0; i < N * N; i++) {
			sum = sum * 31 + (unsigned)c[i] + (uint64_t)z[i];
			b[i] = c[i];
		}
	}
	free(x);
	free(a);
	return sum;
}
