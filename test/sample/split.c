/* split.c - stacks that grow by pieces.  roads: all  by: gcc
 * with: -O0, -O2
 * always: -fsplit-stack */
#include <stdio.h>
#include <string.h>

__attribute__((noinline)) static void
big(char *p, int n)
{
	char b[20000];
	int i;

	memset(b, n, sizeof b); //= 2
	for (i = 0; i < n; i++) //= 602
		p[i & 63] ^= b[i * 13 % 20000]; //= 600
}

__attribute__((noinline)) static int
deep(int n)
{
	char b[3000];

	memset(b, n, sizeof b); //= 51
	if (n == 0)
		return b[7]; //= 1
	return b[n] + deep(n - 1); //= 50
}

int
main(void)
{
	char buf[64] = {0};
	int s = 0, i;

	big(buf, 500);
	big(buf, 100);
	for (i = 0; i < 64; i++) //= 65
		s += buf[i]; //= 64
	printf("%d %d\n", s, deep(50)); //= 1
	return 0;
}
