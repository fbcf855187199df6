/* demangle.c - names as their sources have them; and whatever a name is, it takes neither
 * the process nor its time. */

#include "../gen.h"
#include "base/base.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

enum { NASTY = 40, DAMAGED = 3000 };

static Arena run;
static int failed;

static const struct {
	const char *name, *shown;
} known[] = {
	{"main", "main"},
	{"", ""},
	{"_", "_"},
	{"_Z", "_Z"},
	{"_Dummy", "_Dummy"},
	{"_Rest", "_Rest"},
	{"_Z1fv", "f()"},
	{"_Z5twiceIiET_S0_", "twice<int>(int)"},
	{"_ZN3geo1PC2Eii", "geo::P::P(int, int)"},
	{"_ZNK3geo1PixEi", "geo::P::operator[](int) const"},
	{"_Z1fv.cold", "f() [clone .cold]"},
	{"_ZN3foo3bar17h05af221e174051e9E", "foo::bar"},
	{"_RNvC6_123foo3bar", "123foo::bar"},
	{"_D4test3fooFiZv", "test.foo(int)"},
};

enum { NKNOWN = sizeof known / sizeof *known };

static void
is(const char *name, const char *got, const char *want)
{
	if (strcmp(got, want) == 0)
		return;
	printf("%.60s: is shown as %.60s, not %.60s\n", name, got, want);
	failed = 1;
}

/* repeated - before, n times what, n times end. */
static char *
repeated(const char *before, const char *what, int n, const char *end)
{
	Buf b = {.arena = &run};
	int i;

	bprintf(&b, "%s", before);
	for (i = 0; i < n; i++)
		bprintf(&b, "%s", what);
	for (i = 0; i < n; i++)
		bprintf(&b, "%s", end);
	return b.s;
}

/* doubled - arguments of which each is a pair of the one before: as text, 2^n words. */
static char *
doubled(int n)
{
	static const char digit[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	Buf b = {.arena = &run};
	int i;

	bprintf(&b, "_Z1f1AIiiE");
	for (i = 0; i < n; i++)
		bprintf(&b, "S_IS%c_S%c_E", digit[i], digit[i]);
	return b.s;
}

static void
plainnames(void)
{
	char *name[NKNOWN];
	int i;

	for (i = 0; i < NKNOWN; i++)
		name[i] = (char *)known[i].name;
	demangle(name, NKNOWN, &run);
	for (i = 0; i < NKNOWN; i++)
		is(known[i].name, name[i], known[i].shown);
	demangle(NULL, 0, &run);
}

/* nastynames - they stay as they are, and the others are not harmed. */
static void
nastynames(void)
{
	char *nasty[] = {
		repeated("_Z", "cvT_I", 100, "E"), /* 2^100 ways to read it */
		doubled(30),                       /* 2^30 words */
		repeated("_Z1f", "P", 5000, ""),   /* long */
		repeated("_Z1f", "F", 900, "E"),   /* deep */
		repeated("_D1f", "P", 4000, ""),
		repeated("_RNvC1f", "I", 4000, "E"),
	};
	enum { N = sizeof nasty / sizeof *nasty };
	char *name[2 * N + 1];
	int i;

	for (i = 0; i < N; i++) {
		name[2 * i] = "_Z1fv";
		name[2 * i + 1] = nasty[i];
	}
	name[2 * i] = "_Z1fv";
	demangle(name, 2 * N + 1, &run);
	for (i = 0; i < N; i++) {
		is("_Z1fv", name[2 * i], "f()");
		is(nasty[i], name[2 * i + 1], nasty[i]);
	}
	is("_Z1fv", name[2 * i], "f()");
}

/* manynasty - there is an end to patience. */
static void
manynasty(void)
{
	char *name[NASTY], *nasty = repeated("_Z", "cvT_I", 100, "E");
	struct rusage ru;
	int i;

	for (i = 0; i < NASTY; i++)
		name[i] = nasty;
	demangle(name, NASTY, &run);
	for (i = 0; i < NASTY; i++)
		is(nasty, name[i], nasty);
	getrusage(RUSAGE_CHILDREN, &ru);
	if (ru.ru_utime.tv_sec > 5) {
		printf("took %ld s\n", (long)ru.ru_utime.tv_sec);
		failed = 1;
	}
}

/* damagednames - no answer is wanted, only the same number of names. */
static void
damagednames(void)
{
	char *name[DAMAGED];
	uint64_t first = seed();
	Rng r = {first};
	int i, k;

	printf("# seed %" PRIu64 "\n", first);
	fflush(stdout); /* a crash must not take it along */
	for (i = 0; i < DAMAGED; i++) {
		const char *s = known[6 + pick(&r, NKNOWN - 6)].name;

		name[i] = astrndup(&run, s, strlen(s));
		for (k = 1 + pick(&r, 4); k > 0; k--)
			name[i][2 + pick(&r, (int)strlen(s) - 2)] = (char)(33 + pick(&r, 94));
	}
	demangle(name, DAMAGED, &run);
	for (i = 0; i < DAMAGED; i++)
		failed |= strlen(name[i]) == 0;
}

int
main(void)
{
	plainnames();
	nastynames();
	manynasty();
	damagednames();
	areset(&run);
	return failed;
}
