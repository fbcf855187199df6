/* quicksort.c - Hoare's quicksort (1962), with the median of three as the pivot, and insertion sort
 * for short ranges: of numbers, and of records through a pointer to a comparison function. */

#include "threads.h"

enum { NUMBERS = 2000000, RECORDS = 500000, SHORT = 12 };

typedef struct Record {
	uint32_t key, age;
} Record;

static void
swap(uint32_t *a, uint32_t *b)
{
	uint32_t t = *a;

	*a = *b;
	*b = t;
}

static void
sort(uint32_t *v, long n)
{
	long i, j;
	uint32_t pivot, x;

	while (n > SHORT) {
		if (v[n / 2] < v[0])
			swap(&v[n / 2], &v[0]);
		if (v[n - 1] < v[0])
			swap(&v[n - 1], &v[0]);
		if (v[n - 1] < v[n / 2])
			swap(&v[n - 1], &v[n / 2]);
		pivot = v[n / 2];
		for (i = 0, j = n - 1; i <= j;) {
			while (v[i] < pivot)
				i++;
			while (v[j] > pivot)
				j--;
			if (i <= j)
				swap(&v[i++], &v[j--]);
		}
		sort(v, j + 1); /* the rest is sorted by the loop */
		v += i;
		n -= i;
	}
	for (i = 1; i < n; i++) {
		x = v[i];
		for (j = i; j > 0 && v[j - 1] > x; j--)
			v[j] = v[j - 1];
		v[j] = x;
	}
}

/* older - by age, then by key. */
static int
older(const Record *a, const Record *b)
{
	if (a->age != b->age)
		return a->age > b->age ? -1 : 1;
	return (a->key > b->key) - (a->key < b->key);
}

static void
sortby(Record *v, long n, int (*compare)(const Record *, const Record *))
{
	long i, j;
	Record pivot, t;

	while (n > 1) {
		pivot = v[n / 2];
		for (i = 0, j = n - 1; i <= j;) {
			while (compare(&v[i], &pivot) < 0)
				i++;
			while (compare(&v[j], &pivot) > 0)
				j--;
			if (i <= j) {
				t = v[i];
				v[i++] = v[j];
				v[j--] = t;
			}
		}
		sortby(v, j + 1, compare);
		v += i;
		n -= i;
	}
}

static uint64_t
work(uint64_t seed)
{
	uint32_t *v = need(NUMBERS * sizeof *v);
	Record *r = need(RECORDS * sizeof *r);
	int (*volatile compare)(const Record *, const Record *) =
		older; /* the compiler must not know it */
	uint64_t sum = 0, state = seed;
	int i, k;

	for (k = 0; k < 5; k++) {
		for (i = 0; i < NUMBERS; i++)
			v[i] = next(&state);
		sort(v, NUMBERS);
		for (i = 0; i < NUMBERS; i++)
			sum = sum * 31 + v[i];
		for (i = 0; i < RECORDS; i++) {
			r[i].key = next(&state);
			r[i].age = next(&state) % 100;
		}
		sortby(r, RECORDS, compare);
		for (i = 0; i < RECORDS; i++)
			sum = sum * 31 + r[i].key;
	}
	free(r);
	free(v);
	return sum;
}
