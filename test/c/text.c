/* text.c - what is inserted into a text, taken out again, leaves the text, and its lines stay what
 * they were; and damaged texts are an error or C, never a crash.
 *
 * The texts are those in syntax/, as the preprocessor has them. */

#include "../rng.h"
#include "road/c/c.h"

#include <dirent.h>
#include <inttypes.h>
#include <string.h>

enum { ROUNDS = 3000, MAXTEXT = 64 };

static char *text[MAXTEXT];
static size_t length[MAXTEXT];
static int ntext;

static const char *const standard[] = {"gnu17", "gnu89", "gnu2x", "c89", "c11"};

enum { NSTANDARD = sizeof standard / sizeof *standard };

static void
gather(const char *dir, Arena *a)
{
	char path[8192], *argv[] = {"gcc", "-w", "-E", "-C", path, NULL};
	DIR *d = opendir(dir);
	struct dirent *e;

	if (!d)
		abort();
	while ((e = readdir(d)) && ntext < MAXTEXT)
		if (strstr(e->d_name, ".c")) {
			snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
			text[ntext] = capture(argv, &length[ntext], a);
			ntext++;
		}
	closedir(d);
}

/* isthere - the text is in what was written, in pieces between the insertions; none of these
 * has a line's end in it. */
static bool
isthere(const Source *s, const char *out, size_t n)
{
	const char *p = out, *end = out + n;
	uint32_t at = 0;
	int i;

	for (i = 0; i <= s->ninsert; i++) {
		uint32_t to = i < s->ninsert ? s->insert[i].at : (uint32_t)s->len;
		size_t len = to - at;

		for (; len > 0 && ((size_t)(end - p) < len || memcmp(p, s->text + at, len) != 0);
		     p++)
			if (i == 0 || p == end || *p == '\n')
				return false;
		p += len;
		at = to;
	}
	return true;
}

/* roundtrip - with every extent. */
static bool
roundtrip(const char *t, size_t n, const char *std, Arena *run)
{
	Dialect d;
	int e;

	if (!dialect(&d, std))
		abort();
	for (e = ZPROFBLOCKS; e <= BRANCHES; e++) {
		Source s = {.run = run};
		Buf out = {.arena = run};
		const char *from;

		if (!parse(&s, "text.c", t, n, &d))
			return false;
		placeblocks(&s, (Extent)e);
		writec(&s, ZPROF, false, &out);
		from = strstr(out.s, "#line 1 \"text.c\"\n");
		if (!from || s.nblock == 0)
			continue;
		from = strchr(from, '\n') + 1;
		if (!isthere(&s, from, out.n - (size_t)(from - out.s))) {
			printf("not the same text: %s, extent %d\n%s", std, e, from);
			exit(1);
		}
	}
	return true;
}

/* mutate - a damaged copy of a text. */
static char *
mutate(Rng *r, size_t *n, Arena *a)
{
	static const char *const odd[] = {"(",       ")",
					  "{",       "}",
					  "?",       ":",
					  ";",       "else ",
					  "case 1",  "\"",
					  "'",       "/*",
					  "#",       "\n#",
					  "\\\n",    "[[",
					  "__asm__", "\377",
					  "({",      "})",
					  "if (x)",  "typeof",
					  "R\"(",    "\n# 7 \"",
					  "&&",      "__attribute__",
					  "T ",      "<:",
					  "do ",     "\0"};
	int i = pick(r, ntext), k;
	size_t len = length[i];
	char *s = anew(a, char, len + 4096);

	memcpy(s, text[i], len);
	for (k = 1 + pick(r, 4); k > 0 && len > 64; k--) {
		size_t at = draw(r) % (len - 32), m = 1 + (size_t)pick(r, 31);
		const char *o = odd[pick(r, sizeof odd / sizeof *odd)];
		size_t size = *o ? strlen(o) : 1;

		switch (pick(r, 6)) {
		case 0: s[at] = (char)draw(r); break;
		case 1: memmove(s + at, s + at + m, len - at - m), len -= m; break;
		case 2: memmove(s + at + m, s + at, len - at), len += m; break;
		case 3: len = oneof(r, 3) ? at : len; break;
		default:
			memmove(s + at + size, s + at, len - at);
			memcpy(s + at, o, size);
			len += size;
		}
	}
	*n = len;
	return s;
}

int
main(void)
{
	const char *here = getenv("HERE");
	uint64_t first = seed();
	Arena all = {0}, run = {0};
	char dir[4096];
	int i, k, good = 0;

	snprintf(dir, sizeof dir, "%s/syntax", here ? here : "test/c");
	gather(dir, &all);
	for (i = 0; i < ntext; i++) {
		for (k = 0; k < NSTANDARD && !roundtrip(text[i], length[i], standard[k], &run); k++)
			;
		areset(&run);
		if (k == NSTANDARD) {
			printf("text %d is not understood\n", i);
			return 1;
		}
	}
	printf("# seed %" PRIu64 "\n", first);
	fflush(stdout); /* a crash must not take it along */
	for (i = 0; i < ROUNDS; i++) {
		Rng r = {first + (uint64_t)i * 0x100000001b3};
		size_t n;
		const char *t = mutate(&r, &n, &run);

		good += roundtrip(t, n, standard[pick(&r, NSTANDARD)], &run);
		areset(&run);
	}
	printf("# %d texts, %d damaged, %d of them still C\n", ntext, ROUNDS, good);
	areset(&all);
	return good == 0 || good == ROUNDS;
}
