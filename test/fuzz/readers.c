/* readers.c - maps, profiles and patches are untrusted: whatever they hold, an answer or an error.
 *
 * LLVMFuzzerTestOneInput is a target for libFuzzer (make fuzz); alone, the program
 * changes the files of the corpus, test/fuzz/map, profile and patch, at random. */

#include "../gen.h"
#include "report/diff.h"

#include <dirent.h>
#include <inttypes.h>
#include <setjmp.h>
#include <string.h>

enum { ROUNDS = 20000, BIG = 1 << 16 };

/* The voices: an error ends the round. */
static jmp_buf top;

#define VOICE(name, ...)                 \
	_Noreturn void name(__VA_ARGS__) \
	{                                \
		(void)fmt;               \
		longjmp(top, 1);         \
	}

/* clang-format off */
VOICE(usage, const char *text __attribute__((unused)), const char *fmt, ...)
VOICE(err, const char *where __attribute__((unused)), const char *fmt, ...)
VOICE(errat, const char *path __attribute__((unused)), int line __attribute__((unused)), const char *fmt, ...)
VOICE(syserr, const char *fmt, ...)
VOICE(noerr, const char *fmt)
/* clang-format on */

void
remark(const char *fmt, ...)
{
	(void)fmt;
}

static FILE *nowhere;

static void
everyview(Module *m, Arena *run)
{
	Report r = {.f = nowhere,
		    .run = run,
		    .of = {.module = m, .nmodule = 1},
		    .counts = true,
		    .insns = true,
		    .pieces = true};

	solvemodule(m, run);
	preparelines(&r.of, run);
	listing(&r);
	functions(&r);
	summary(&r);
	blocks(&r);
	stats(&r, false);
	stats(&r, true);
	r.classic = true;
	r.sort = "use";
	classiclisting(&r);
	classicfunctions(&r);
	summary(&r);
}

/* asmap - the bytes are a map; the counts are made up. */
static void
asmap(const char *data, size_t size, Arena *run)
{
	Module m = {.path = "?", .ncount = 4096, .nunit = 4096};
	uint64_t i;

	m.count = anew(run, uint64_t, m.ncount);
	for (i = 0; i < m.ncount; i++)
		m.count[i] = i % 7;
	m.rank = m.count;
	if (size >= 8) /* words of units are before the counters */
		parsemap(&m, data + 8, size - 8, *(const uint64_t *)data,
			 *(const uint64_t *)data - 4096, ABI, run);
	everyview(&m, run);
}

static void
asprofile(const char *data, size_t size, Arena *run)
{
	Profile p = {.run = run};

	parseprofile(&p, "?", data, size);
}

static void
aspatch(const char *data, size_t size, Arena *run)
{
	char *text = anew(run, char, size + 1);

	readpatch("?", memcpy(text, data, size), size, false, run);
}

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

/* The first byte tells maps, profiles and patches apart; of a map, the 8 from the eighth on are where the
 * counters are. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static Arena run;
	void (*volatile as)(const char *, size_t, Arena *);
	char *volatile copy;
	volatile size_t n = size - 8;
	volatile int good = 0;

	if (!nowhere && !(nowhere = fopen("/dev/null", "w")))
		abort();
	if (size < 16 || size > BIG)
		return -1;
	as = data[0] == 0 ? asmap : data[0] == 1 ? asprofile : aspatch;
	copy = memcpy(aalloc(&run, n, 1), data + 8, n);
	if (setjmp(top) == 0) {
		as(copy, n, &run);
		good = 1;
	}
	areset(&run);
	return good;
}

#ifndef LIBFUZZER
static char *text[64];
static size_t length[64];
static int ntext;

static void
gather(const char *dir, char kind, Arena *a)
{
	char path[4096];
	DIR *d = opendir(dir);
	struct dirent *e;
	size_t n;

	if (!d)
		abort();
	while ((e = readdir(d)) && ntext < 64)
		if (e->d_name[0] != '.') {
			const char *s;

			snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
			s = readfile(a, path, &n);
			text[ntext] = anew(a, char, n + 8);
			text[ntext][0] = kind;
			memcpy(text[ntext] + 8, s, n);
			length[ntext++] = n + 8;
		}
	closedir(d);
}

/* mutate - a damaged copy of one of the files; returns its size. */
static size_t
mutate(Rng *r, uint8_t *out)
{
	static const uint64_t odd[] = {0,         1,          7,          8,          0x7f,
				       0x80,      0xffff,     0x7fffffff, 0x80000000, 0xffffffff,
				       INT64_MAX, 1ull << 63, UINT64_MAX};
	int i = pick(r, ntext), k;
	size_t n = length[i] < BIG ? length[i] : BIG;

	memcpy(out, text[i], n);
	for (k = 1 + pick(r, 3); k > 0 && n > 16; k--) {
		size_t at = 8 + draw(r) % (n - 8), word = at & ~(size_t)7;
		uint64_t x = odd[pick(r, sizeof odd / sizeof *odd)];

		switch (pick(r, 5)) {
		case 0: out[at] ^= (uint8_t)(1 << pick(r, 8)); break;
		case 1: out[at] = (uint8_t)draw(r); break;
		case 2: memcpy(out + word, &x, n - word < 8 ? n - word : 8); break;
		case 3:
			memcpy(out + (at & ~(size_t)3), &x, n - (at & ~(size_t)3) < 4 ? 1 : 4);
			break;
		default: n = pick(r, 4) ? n : at; break;
		}
	}
	return n;
}

int
main(void)
{
	const char *here = getenv("HERE");
	static uint8_t buf[BIG];
	uint64_t first = seed();
	Rng r = {first};
	Arena a = {0};
	char dir[4096];
	int i, good = 0, n = 0;

	printf("# seed %" PRIu64 "\n", first);
	fflush(stdout); /* a crash must not take it along */
	snprintf(dir, sizeof dir, "%s/map", here ? here : "test/fuzz");
	gather(dir, 0, &a);
	snprintf(dir, sizeof dir, "%s/profile", here ? here : "test/fuzz");
	gather(dir, 1, &a);
	snprintf(dir, sizeof dir, "%s/patch", here ? here : "test/fuzz");
	gather(dir, 2, &a);
	for (i = 0; i < ntext; i++)
		if (LLVMFuzzerTestOneInput((uint8_t *)text[i], length[i]) != 1) {
			printf("file %d of the corpus is not understood\n", i);
			return 1;
		}
	for (i = 0; i < ROUNDS; i++) {
		good += LLVMFuzzerTestOneInput(buf, mutate(&r, buf)) == 1;
		n++;
	}
	printf("# %d files, %d damaged, %d of them understood\n", ntext, n, good);
	areset(&a);
	return good == 0 || good == n;
}
#endif
