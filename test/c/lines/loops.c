/* Loops of all kinds, breaks and continues. */
#include <stdio.h>

static int find(const int *v, int n, int x)
{
	int i;

	for (i = 0; i < n; i++)
		if (v[i] == x)
			break;
	return i;
}

static int odd(int n)
{
	int s = 0;

	while (n > 0) {
		n--;
		if (n % 2 == 0)
			continue;
		s += n;
		if (s > 100)
			return s;
	}
	return s;
}

static int twist(int n)
{
	int k = 0;

	do {
		if (n == 5)
			continue;
		if (n == 2)
			break;
		k += n;
	} while (--n > 0);
	for (n = 0,
	     k++;
	     n < 4;
	     n += 2)
		k++;
	for (;;) {
		if (k++ > 20)
			break;
	}
	while (1) {
		if (k-- < 20)
			goto out;
	}
out:
	return k;
}

static int duff(char *to, const char *from, int count)
{
	int n = (count + 3) / 4, rounds = 0;

	switch (count % 4) {
	case 0: /* gcov: 2 */
		do {
			*to++ = *from++;
	case 3:
			*to++ = *from++;
	case 2:
			*to++ = *from++;
	case 1:
			*to++ = *from++;
			rounds++;
		} while (--n > 0);
	}
	return rounds;
}

int main(void)
{
	int v[] = {3, 1, 4, 1, 5, 9, 2, 6}, i;
	char to[20];

	for (i = 0; i < 10; i++)
		printf("%d\n", find(v, 8, i));
	printf("%d %d\n", odd(9), odd(40));
	printf("%d\n", twist(7));
	printf("%d\n", duff(to, "abcdefghijk", 11));
	return 0;
}
