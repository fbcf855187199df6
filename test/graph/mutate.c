/* mutate.c - damaged graph files end in an answer or in an error with a place, never
 * in a crash: bytes flipped, lines lost and doubled, files cut short. */

#include "../gen.h"
#include "cmd/cmd.h"
#include "graphtext/graphtext.h"

#include <dirent.h>
#include <getopt.h>
#include <inttypes.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FILES = 3000 };

static char *text[256];
static size_t size[256];
static int ntext;

static void
gather(const char *dir, Arena *a)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	char path[4096];

	if (!d)
		abort();
	while ((e = readdir(d)) && ntext < 256)
		if (strstr(e->d_name, ".graph")) {
			snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
			text[ntext] = readfile(a, path, &size[ntext]);
			ntext++;
		}
	closedir(d);
}

/* mutate - write a damaged copy of one of the files; returns its size. */
static size_t
mutate(Rng *r, char *out, size_t cap)
{
	static const char spice[] = "->:*|#. \n\t\0-0123456789eE+abinfNAN\xff";
	int i = pick(r, ntext), k;
	size_t n = size[i] < cap ? size[i] : cap;

	memcpy(out, text[i], n);
	for (k = 1 + pick(r, 4); k > 0 && n > 0; k--) {
		size_t at = draw(r) % n, len = draw(r) % 20;

		switch (pick(r, 5)) {
		case 0: out[at] = spice[pick(r, sizeof spice)]; break;
		case 1: out[at] ^= (char)(1 << pick(r, 8)); break;
		case 2: n = at; break;
		case 3: /* lose some */
			if (at + len < n) {
				memmove(out + at, out + at + len, n - at - len);
				n -= len;
			}
			break;
		default: /* say some twice */
			if (at + len < n && n + len < cap) {
				memmove(out + at + len, out + at, n - at);
				n += len;
			}
		}
	}
	return n;
}

int
main(void)
{
	static char buf[1 << 16];
	static const char *const opts[] = {"-pc", "-d", "-w", "--weights=exact",
					   "--counters=given"};
	uint64_t first = seed();
	Arena a = {0};
	int i, status, good = 0;
	char bad[4096];

	gather(getenv("HERE"), &a);
	snprintf(bad, sizeof bad, "%s/../bad", getenv("HERE"));
	gather(bad, &a);
	printf("# seed %" PRIu64 "\n", first);
	for (i = 0; i < FILES; i++) {
		Rng r = {first + (uint64_t)i * 0x100000001b3};
		FILE *f = fopen("m.graph", "wb");

		fwrite(buf, 1, mutate(&r, buf, sizeof buf), f);
		fclose(f);
		fflush(stdout);
		if (fork() == 0) {
			char *argv[] = {"graph", (char *)opts[pick(&r, 5)], "m.graph", NULL};

			if (!freopen("/dev/null", "w", stdout) || !freopen("err", "w", stderr))
				_exit(9);
			exit(cmdgraph(3, argv));
		}
		wait(&status);
		if (!WIFEXITED(status) || WEXITSTATUS(status) > 1) {
			fprintf(stderr, "seed %" PRIu64 ", file %d: status %x\n", first, i, status);
			return system("cat m.graph err >&2") != 0 || 1;
		}
		good += WEXITSTATUS(status) == 0;
	}
	printf("# %d damaged files, %d of them still graphs\n", FILES, good);
	areset(&a);
	return good == 0 || good == FILES;
}
