/* textdiff.c - lines are matched in order, each with its like, and as many as can be: as the textbook's
 * table has it. */

#include "../gen.h"
#include "report/text.h"

#include <inttypes.h>
#include <string.h>

enum { ROUNDS = 20000, MOST = 40 };

/* made - a text of up to MOST lines, of some letters; or one like another. */
static Textfile
made(Rng *r, const Textfile *like, Arena *a)
{
	static char *letter[] = {"a", "b", "c", "d", "e", "f", "", "}"};
	Textfile t = {.there = true, .line = anew(a, char *, 3 * MOST)};
	int i, kinds = 1 + pick(r, 8), n = pick(r, MOST);

	for (i = 0; !like && i < n; i++)
		t.line[t.n++] = letter[pick(r, kinds)];
	for (i = 0; like && i < like->n; i++) {
		if (pick(r, 5) == 0)
			t.line[t.n++] = letter[pick(r, kinds)];
		if (pick(r, 5))
			t.line[t.n++] = like->line[i];
	}
	return t;
}

/* longest - of the common subsequences. */
static int
longest(const Textfile *x, const Textfile *y)
{
	static int best[3 * MOST + 1][3 * MOST + 1];
	int i, k;

	for (i = x->n; i >= 0; i--)
		for (k = y->n; k >= 0; k--) {
			int a = i < x->n ? best[i + 1][k] : 0, b = k < y->n ? best[i][k + 1] : 0;

			best[i][k] = a > b ? a : b;
			if (i < x->n && k < y->n && strcmp(x->line[i], y->line[k]) == 0)
				best[i][k] = best[i + 1][k + 1] + 1;
		}
	return best[0][0];
}

int
main(void)
{
	uint64_t first = seed();
	Rng r = {first};
	long matched = 0;
	int round;

	printf("# seed %" PRIu64 "\n", first);
	for (round = 0; round < ROUNDS; round++) {
		Arena a = {0};
		Textfile x = made(&r, NULL, &a), y = made(&r, pick(&r, 2) ? &x : NULL, &a);
		int *to = matchlines(&x, &y, &a), i, last = 0, n = 0;

		for (i = 0; i < x.n; i++) {
			if (!to[i])
				continue;
			if (to[i] <= last || to[i] > y.n
			    || strcmp(x.line[i], y.line[to[i] - 1]) != 0) {
				printf("round %d: line %d became %d\n", round, i + 1, to[i]);
				return 1;
			}
			last = to[i];
			n++;
		}
		if (n != longest(&x, &y)) {
			printf("round %d: %d lines matched of %d\n", round, n, longest(&x, &y));
			return 1;
		}
		matched += n;
		areset(&a);
	}
	printf("# %d pairs of texts, %ld lines matched\n", round, matched);
	return 0;
}
