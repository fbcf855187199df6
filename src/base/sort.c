/* sort.c - a stable radix sort on doubles. */

#include "base.h"

#include <assert.h>
#include <string.h>

typedef struct Item Item;

struct Item {
	uint64_t bits; /* in the reverse order of keys */
	int id;
};

/* rank - reorder id[0..n) so that key[id[i]] decreases; equal keys keep their order.  Requires that
 * no key is negative or NaN: then the bits of doubles are ordered as their values. */
void
rank(const double *key, int *id, int n, Arena *tmp)
{
	Item *from = anew(tmp, Item, n), *to = anew(tmp, Item, n), *swap;
	int(*count)[256] = (int(*)[256])anew(tmp, int, 8 * 256);
	int i, pass;

	for (i = 0; i < n; i++) {
		double k = key[id[i]] + 0.0; /* -0 becomes 0 */
		uint64_t bits;

		assert(k >= 0);
		memcpy(&bits, &k, sizeof bits);
		from[i] = (Item){~bits, id[i]};
		for (pass = 0; pass < 8; pass++)
			count[pass][from[i].bits >> 8 * pass & 255]++;
	}
	for (pass = 0; pass < 8; pass++) {
		int start[256], sum = 0, b;

		for (b = 0; b < 256 && count[pass][b] < n; b++) {
			start[b] = sum;
			sum += count[pass][b];
		}
		if (b < 256)
			continue; /* all have the same byte */
		for (i = 0; i < n; i++)
			to[start[from[i].bits >> 8 * pass & 255]++] = from[i];
		swap = from;
		from = to;
		to = swap;
	}
	for (i = 0; i < n; i++)
		id[i] = from[i].id;
}
