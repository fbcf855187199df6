/* loops.c - loops of a few instructions, where a counter is as much work as the loop's own: bytes
 * added up, a list walked, a string searched, bits counted one by one, Collatz's sequence. */

#include "threads.h"

enum { BYTES = 1 << 16, NODES = 1 << 12 };

typedef struct Node Node;

struct Node {
	Node *next;
	uint32_t value;
};

static uint64_t
sumbytes(const unsigned char *p, size_t n)
{
	uint64_t sum = 0;

	while (n-- > 0)
		sum = sum * 3 + *p++;
	return sum;
}

static uint64_t
walk(const Node *p)
{
	uint64_t sum = 0;

	for (; p; p = p->next)
		sum += p->value;
	return sum;
}

/* find - where c is for the k-th time; the text ends with 0. */
static const unsigned char *
find(const unsigned char *s, unsigned char c, int k)
{
	for (; *s; s++)
		if (*s == c && --k == 0)
			break;
	return s;
}

static unsigned
bits(uint64_t x)
{
	unsigned n = 0;

	for (; x; x &= x - 1)
		n++;
	return n;
}

static unsigned
collatz(uint64_t n)
{
	unsigned steps = 0;

	for (; n != 1; steps++)
		if (n & 1)
			n = 3 * n + 1;
		else
			n /= 2;
	return steps;
}

static uint64_t
work(uint64_t seed)
{
	unsigned char *text = need(BYTES + 1);
	Node *node = need(NODES * sizeof *node);
	uint64_t sum = 0, state = seed;
	int i, k;

	for (i = 0; i < BYTES; i++)
		text[i] = (unsigned char)('a' + next(&state) % 26);
	text[BYTES] = 0;
	for (i = 0; i < NODES; i++) {
		node[i].value = next(&state);
		node[i].next = i + 1 < NODES ? &node[i + 1] : NULL;
	}
	for (k = 0; k < 4000; k++) {
		sum += sumbytes(text, BYTES);
		text[k] = (unsigned char)('a' + sum % 26);
		sum += (uint64_t)(find(text, 'q', 2000) - text);
		for (i = 0; i < 24; i++) {
			node[k].value += (uint32_t)i;
			sum += walk(node);
		}
		for (i = 0; i < 2000; i++)
			sum += bits(sum + (uint64_t)i);
		for (i = 1; i < 1500; i++)
			sum += collatz((uint64_t)(k + i));
	}
	free(node);
	free(text);
	return sum;
}
