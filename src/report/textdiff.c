/* textdiff.c - which line of a text became which of another.
 *
 * E.  W.  Myers, An O(ND) Difference Algorithm and Its Variations, 1986, the variant in linear
 * space: from both ends to the middle of a shortest path of insertions and deletions, then for both
 * halves. */

#include "text.h"

#include <string.h>

enum {
	FAR = 4000,        /* differences after which any path is good enough */
	NOWAY = -(1 << 29) /* no path ends on this diagonal */
};

typedef struct Box Box;
typedef struct Match Match;

/* Lines a0 to a1 of one text, b0 to b1 of the other. */
struct Box {
	int a0, a1, b0, b1;
};

struct Match {
	const int *a, *b;  /* line numbers; equal texts have equal numbers */
	int *to;           /* the result */
	int *there, *back; /* by diagonal: how far a path has come */
};

/* step - how far a path gets on diagonal k from those on the adjacent diagonals; NOWAY if there is
 * none. */
static int
step(const int *v, int k, int n, int m)
{
	int x = v[k - 1] < v[k + 1] ? v[k + 1] : v[k - 1] + 1;

	return x < 0 || x > n || x - k < 0 || x - k > m ? NOWAY : x;
}

/* furthest - the best path so far, if it takes too long. */
static void
furthest(const int *v, int d, int n, int m, int *x, int *y)
{
	int k, best = -1;

	for (k = -d; k <= d; k++)
		if (k >= -m && k <= n && v[k] >= 0 && 2 * v[k] - k > best) {
			best = 2 * v[k] - k;
			*x = v[k];
			*y = v[k] - k;
		}
}

/* middle - where a shortest path passes inside a box.  Requires that the first lines differ, as do
 * the last, and neither text is empty. */
static void
middle(const Match *t, Box box, int *x, int *y)
{
	const int *a = t->a + box.a0, *b = t->b + box.b0;
	int n = box.a1 - box.a0, m = box.b1 - box.b0, delta = n - m, d, k, at;
	int *v = t->there + m + 2, *w = t->back + m + 2;

	for (k = -m - 2; k <= n + 2; k++)
		v[k] = w[k] = NOWAY;
	v[1] = w[1] = 0;
	for (d = 0;; d++) {
		for (k = -d; k <= d; k += 2) {
			if (k < -m || k > n)
				continue;
			at = step(v, k, n, m);
			while (at >= 0 && at < n && at - k < m && a[at] == b[at - k])
				at++;
			v[k] = at;
			if ((delta & 1) && k > delta - d && k < delta + d && w[delta - k] >= 0
			    && at + w[delta - k] >= n) {
				*x = at;
				*y = at - k;
				return;
			}
		}
		for (k = -d; k <= d; k += 2) {
			if (k < -m || k > n)
				continue;
			at = step(w, k, n, m);
			while (at >= 0 && at < n && at - k < m
			       && a[n - 1 - at] == b[m - 1 - (at - k)])
				at++;
			w[k] = at;
			if (!(delta & 1) && delta - k >= -d && delta - k <= d && v[delta - k] >= 0
			    && at + v[delta - k] >= n) {
				*x = n - at;
				*y = m - (at - k);
				return;
			}
		}
		if (d > FAR) {
			furthest(v, d, n, m, x, y);
			return;
		}
	}
}

/* numbers - a number for each line of a text. */
static int *
numbers(const Textfile *t, Table *lines, Arena *tmp)
{
	int *id = anew(tmp, int, t->n + 1), i;

	for (i = 0; i < t->n; i++)
		id[i] = intern(lines, t->line[i], strlen(t->line[i]), (int)lines->n)->value;
	return id;
}

int *
matchlines(const Textfile *old, const Textfile *new, Arena *run)
{
	Arena tmp = {0};
	Table lines = {.arena = &tmp};
	int size = old->n + new->n + 5, n = 0;
	Match t = {.a = numbers(old, &lines, &tmp),
		   .b = numbers(new, &lines, &tmp),
		   .to = anew(run, int, old->n + 1),
		   .there = anew(&tmp, int, size),
		   .back = anew(&tmp, int, size)};
	Box *todo = NULL;
	size_t cap = 0;

	apush(&tmp, todo, n, cap);
	todo[n++] = (Box){0, old->n, 0, new->n};
	while (n > 0) {
		Box x = todo[--n];
		int a = 0, b = 0;

		for (; x.a0 < x.a1 && x.b0 < x.b1 && t.a[x.a0] == t.b[x.b0]; x.a0++, x.b0++)
			t.to[x.a0] = x.b0 + 1;
		for (; x.a0 < x.a1 && x.b0 < x.b1 && t.a[x.a1 - 1] == t.b[x.b1 - 1]; x.a1--, x.b1--)
			t.to[x.a1 - 1] = x.b1;
		if (x.a0 == x.a1 || x.b0 == x.b1)
			continue;
		middle(&t, x, &a, &b);
		apush(&tmp, todo, n + 1, cap);
		todo[n++] = (Box){x.a0, x.a0 + a, x.b0, x.b0 + b};
		todo[n++] = (Box){x.a0 + a, x.a1, x.b0 + b, x.b1};
	}
	areset(&tmp);
	return t.to;
}
