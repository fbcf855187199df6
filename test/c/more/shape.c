#include <stdio.h>
#include <stdlib.h>

int hits[8];

static int __attribute__((noinline)) kind(int c)
{
	switch (c) {
	case 'a':
		hits[0]++;
		break;
	case 'c':
		hits[1] += c;
		/* fallthrough */
	case 'd':
		hits[2]++;
		break;
	case 'e':
		return 1;
	default:
		hits[3]++;
		break;
	}
	return 0;
}

static void __attribute__((noinline)) last(int n)
{
	hits[4] += n;
	if (n & 1) {
		printf("%d ", n);
		return;
	}
	kind(n);
}

static int __attribute__((noinline)) search(const char *s, int c)
{
	int i;

	for (i = 0; i < 20; i++) {
		if (!s[i])
			break;
		if (s[i] == ' ')
			continue;
		if (s[i] == c)
			goto found;
		hits[5]++;
	}
	hits[6]++;
	return -1;
found:
	hits[7]++;
	return i;
}

static int __attribute__((noinline)) never(int n)
{
	while (n > 3) {
		if (n == 7)
			break;
		n -= hits[0];
	}
	return n;
}

int main(int argc, char **argv)
{
	int i, s = 0;

	for (i = 0; i < 40; i++) {
		s += kind('a' + i % 7);
		last(i);
		if (i % 3)
			s += search("ab cd ef g", 'a' + i % 9);
		else
			s += search("", argc);
	}
	if (argc > 1)
		s += never(atoi(argv[1]));
	printf("%d\n", s);
	return 0;
}
