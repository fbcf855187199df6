/* Calls at the end of a function become jumps: with marks, too. */
#include <stdio.h>
#include <stdlib.h>
static volatile int keep;
void even(long n), odd(long n), a(long n), b(long n), c(long n), d(long n), e(long n);

__attribute__((noinline)) void even(long n)
{
	if (n == 0)
		return;
	odd(n - 1);
}

__attribute__((noinline)) void odd(long n)
{
	if (n > 0) {
		even(n - 1);
		return;
	}
	keep++;
}

__attribute__((noinline)) void a(long n)
{
	switch (n % 3) {
	case 0:
		if (n)
			b(n - 1);
		break;
	case 1:
		b(n - 1);
		break;
	default:
		b(n - 1);
	}
}

__attribute__((noinline)) void b(long n)
{
	if (n <= 0)
		goto out;
	if (n % 2)
		a(n - 1);
	else
		a(n - 1);
out:
	return;
}

__attribute__((noinline)) long down(long n)
{
	return n == 0 ? 0 : down(n - 1);
}

int main(void)
{
	even(10000000);
	a(10000000);
	printf("%ld\n", down(10000000));
	exit(0);
}
