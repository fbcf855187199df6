/* names.c - names of functions. */

#include "image/image.h"
#include "report.h"

#include <string.h>

const char *
nameof(const Report *r, const Fn *fn)
{
	return r->mangled ? fn->name : fn->source;
}

/* closing - what follows the bracket that closes the one at s; the end of the text if none does. */
static const char *
closing(const char *s)
{
	int depth = 0;

	for (; *s; s++) {
		if (strncmp(s, "->", 2) == 0)
			s++;
		else if (strchr("<([{", *s))
			depth++;
		else if (strchr(">)]}", *s) && --depth == 0)
			return s + 1;
	}
	return s;
}

/* templatename - the arguments of templates become <...>, and then those of functions (...).  What
 * follows `operator' is a name, and so is what is in braces. */
const char *
templatename(const char *name, Arena *run)
{
	static const char operator[] = "operator";
	Buf b = {.arena = run};
	const char *s = name;
	bool any = false;

	while (*s) {
		if (strncmp(s, operator, sizeof operator- 1) == 0) {
			size_t n = sizeof operator- 1;

			n += strncmp(s + n, "()", 2) == 0 ? 2 : strspn(s + n, "<>=-");
			bput(&b, s, n);
			s += n;
		} else if (*s == '<') {
			bput(&b, "<...>", 5);
			s = closing(s);
			any = true;
		} else if (*s == '(' && strncmp(s, "(anonymous", 10) != 0) {
			bput(&b, "(...)", 5);
			s = closing(s);
		} else if (*s == '{' || *s == '(') {
			const char *end = closing(s);

			bput(&b, s, (size_t)(end - s));
			s = end;
		} else {
			bput(&b, s++, 1);
		}
	}
	return any ? b.s : name;
}

void
codenames(const Report *r, Module *m)
{
	char **name = anew(r->run, char *, m->nname);
	int k;

	for (k = 0; k < m->nname; k++)
		name[k] = m->name[k].name;
	if (!r->mangled)
		demangle(name, m->nname, r->run);
	for (k = 0; k < m->nname; k++)
		m->name[k].name = name[k];
}
