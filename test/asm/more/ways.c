#include <stdio.h>
#include <stdlib.h>

typedef struct Node Node;

struct Node {
	Node *next;
	long key, value;
};

static Node *table[64];

static void
fail(const char *why)
{
	fprintf(stderr, "%s\n", why);
	exit(1);
}

__attribute__((noinline)) static Node *
find(long key)
{
	Node *n;

	if (key < 0)
		fail("negative");
	for (n = table[key % 64]; n; n = n->next)
		if (n->key == key)
			return n;
	return NULL;
}

__attribute__((noinline)) static int
put(long key, long value)
{
	Node *n = find(key);

	if (n) {
		n->value += value;
		return 0;
	}
	n = malloc(sizeof *n);
	if (!n)
		fail("no memory");
	*n = (Node){table[key % 64], key, value};
	table[key % 64] = n;
	return 1;
}

__attribute__((noinline)) static long
sum(const Node *a, const Node *b, long most)
{
	long s;

	if (!a || !b)
		return -1;
	s = a->value + b->value;
	if (s < 0)
		fail("overflow");
	if (!a->next)
		s++;
	if (s > most)
		return printf("%ld\n", s);
	return s;
}

int
main(void)
{
	long i, new = 0;

	for (i = 0; i < 20000; i++) {
		new += put(i * 7919 % 1009, i);
		new += sum(find(i % 1009), find(0), 1L << 60) & 1;
	}
	printf("%ld\n", new);
	return 0;
}
