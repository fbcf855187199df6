/* settings.c - what tally build says arrives at the stand-ins, all of it; nothing is left of a build around it; and what
 * changes objects, and nothing else, changes the stamp. */

#include "standin/standin.h"

#include <stdlib.h>
#include <string.h>

static Arena run;
static int failed;

static void
expect(bool holds, const char *what)
{
	if (!holds) {
		printf("%s\n", what);
		failed = 1;
	}
}

static Argv
words(const char *s)
{
	Argv v = {.arena = &run};

	argsplit(&v, s, ",");
	return v;
}

static bool
same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool
samewords(const Argv *a, const Argv *b)
{
	int i;

	for (i = 0; i < a->n && i < b->n && same(a->v[i], b->v[i]); i++)
		;
	return i == a->n && i == b->n;
}

/* other - another value of member k; false if there are no more.  *stamped - whether objects depend on it. */
static bool
other(Settings *s, int k, bool *stamped)
{
	*stamped = k < 14;
	switch (k) {
	case 0: s->counters = CHECK; break;
	case 1: s->counters = REDUNDANT; break;
	case 2: s->counters = BYEDGES; break;
	case 3: s->lines = TABLES; break;
	case 4: s->road = INTEXT; break;
	case 5: s->calls = true; break;
	case 6: s->branches = true; break;
	case 7: s->flat = true; break;
	case 8: s->bare = true; break;
	case 9: s->order = true; break;
	case 10: s->only = words("a*,b c"); break;
	case 11: s->skip = words("a*,b c"); break;
	case 12: s->without = words("guesses,triples"); break;
	case 13: s->dir = "/another place"; break;
	case 14: s->log = "/log"; break;
	case 15: s->folder = "/folder"; break;
	case 16: s->old[COMPILERPATH] = "/compilers"; break;
	case 17: s->old[OVERRIDE] = "# x"; break;
	case 18: s->old[PASCALPATH] = "/pascal"; break;
	default: return false;
	}
	return true;
}

static bool
equal(const Settings *a, const Settings *b)
{
	int i;

	for (i = 0; i < NOLD; i++)
		if (!same(a->old[i], b->old[i]))
			return false;
	return a->counters == b->counters && a->lines == b->lines && a->road == b->road
	       && a->calls == b->calls && a->branches == b->branches && a->flat == b->flat
	       && a->bare == b->bare && a->order == b->order && samewords(&a->only, &b->only)
	       && samewords(&a->skip, &b->skip) && samewords(&a->without, &b->without)
	       && same(a->weights, b->weights) && same(a->dir, b->dir) && same(a->log, b->log)
	       && same(a->folder, b->folder);
}

/* travels - by the environment. */
static bool
travels(const Settings *s)
{
	Settings got;

	putsettings(s, &run);
	got = getsettings(&run);
	return equal(s, &got);
}

static void
putfile(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0 || fclose(f) != 0)
		syserr("write %s", path);
}

static uint64_t
weighted(Settings s, const char *path, const char *text)
{
	putfile(path, text);
	s.weights = path;
	expect(travels(&s), "weights do not arrive");
	return stampsettings(&s, "/proc/self/exe", &run);
}

int
main(void)
{
	const Settings usual = {.counters = EDGES, .dir = "/a place"};
	Settings s, all = usual;
	uint64_t stamp[64], first = stampsettings(&usual, "/proc/self/exe", &run);
	bool stamped;
	char what[64];
	int k, i;

	for (k = 0; s = usual, other(&s, k, &stamped); k++) {
		stamp[k] = stampsettings(&s, "/proc/self/exe", &run);
		other(&all, k, &stamped);
		snprintf(what, sizeof what, "member %d", k);
		expect(!equal(&s, &usual) && travels(&s), what);
		expect((stamp[k] != first) == stamped, what);
		for (i = 0; stamped && i < k; i++)
			expect(stamp[i] != stamp[k], what);
	}
	expect(k == 19 && travels(&all), "all of them");
	expect(travels(&usual), "something is left of a build around");
	expect(weighted(usual, "w", "1") != first
		       && weighted(usual, "w", "1") == weighted(usual, "v", "1")
		       && weighted(usual, "w", "1") != weighted(usual, "w", "2"),
	       "the stamp goes by what weights are");
	expect(countersof("optimal") == EDGES && !countersname(countersof("many")),
	       "names of placements");
	areset(&run);
	return failed;
}
