/* table.c - numbers by name: open addressing, linear probing. */

#include "base.h"

#include <string.h>

/* slotof - the entry of key, or the free one where it belongs. */
static Entry *
slotof(Table *t, const char *key, size_t len)
{
	size_t i = hashbytes(HASHBEGIN, key, len) & (t->cap - 1);

	for (;; i = (i + 1) & (t->cap - 1)) {
		Entry *e = &t->entry[i];

		if (!e->key || (e->len == len && memcmp(e->key, key, len) == 0))
			return e;
	}
}

/* lookup - the entry of key; NULL if there is none. */
Entry *
lookup(Table *t, const char *key, size_t len)
{
	Entry *e;

	if (!t->cap)
		return NULL;
	e = slotof(t, key, len);
	return e->key ? e : NULL;
}

static void
grow(Table *t)
{
	Entry *old = t->entry;
	size_t i, n = t->cap;

	t->cap = n ? 2 * n : 32;
	t->entry = anew(t->arena, Entry, t->cap);
	for (i = 0; i < n; i++)
		if (old[i].key)
			*slotof(t, old[i].key, old[i].len) = old[i];
}

/* intern - the entry of key; a new one gets the value. */
Entry *
intern(Table *t, const char *key, size_t len, int value)
{
	Entry *e;

	if (2 * (t->n + 1) > t->cap)
		grow(t);
	e = slotof(t, key, len);
	if (!e->key) {
		*e = (Entry){astrndup(t->arena, key, len), len, value};
		t->n++;
	}
	return e;
}
