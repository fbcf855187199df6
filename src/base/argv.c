/* argv.c - lists of words, such as command lines. */

#include "base.h"

#include <string.h>

void
argput(Argv *w, const char *word)
{
	w->v = agrow(w->arena, w->v, (size_t)w->n + 2, &w->cap, sizeof *w->v);
	w->v[w->n++] = (char *)word;
	w->v[w->n] = NULL;
}

void
argputall(Argv *w, char *const *word, int n)
{
	int i;

	for (i = 0; i < n; i++)
		argput(w, word[i]);
}

void
argsplit(Argv *w, const char *s, const char *between)
{
	size_t len;

	for (s += strspn(s, between); *s; s += strspn(s, between)) {
		len = strcspn(s, between);
		argput(w, astrndup(w->arena, s, len));
		s += len;
	}
}

bool
isamong(const char *s, const char *const *list)
{
	for (; *list; list++)
		if (strcmp(s, *list) == 0)
			return true;
	return false;
}
