#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef LIBRARY
int deep(int kb);
#else
int deep(int kb) { volatile char a[4096]; a[kb & 4095] = 1; return kb > 4 ? deep(kb - 4) + a[kb & 4095] : 1; }
#endif
static volatile int stop, ready;
static volatile long n;
static void *count(void *arg) { __atomic_add_fetch(&ready, 1, __ATOMIC_SEQ_CST); while (!stop) n += (long)arg & 1; return arg; }
static long sum(const long *at, size_t size) { long s = 0; for (size_t i = 0; i < size / 8; i++) s += at[i]; return s; }

/* take - map over what is mapped from a profile, or is nobody's: which says which, and how. */
static int take(char what, char how)
{
	char line[5000], perms[8], path[4096];
	static uint64_t from[400], to[400];
	static void *old[400];
	int flags = MAP_PRIVATE | MAP_ANONYMOUS, k = 0, i;
	FILE *f = fopen("/proc/self/maps", "r");
	long s = 0;

	while (k < 400 && fgets(line, sizeof line, f)) {
		path[0] = 0;
		sscanf(line, "%lx-%lx %7s %*s %*s %*s %4095s", &from[k], &to[k], perms, path);
		if (from[k] < (uint64_t)sbrk(0) && from[k] + (1 << 20) > (uint64_t)&n)
			continue; /* its own data, the main thread's counters among them */
		if (strstr(path, ".tally") && (what == 'a' || (what == 'h' && to[k] - from[k] == 0x10000)
					       || (what == 'c' && to[k] - from[k] < 0x10000)))
			k++;
		else if (what == 'p' && !path[0] && perms[1] == 'w') {
			uint64_t at = from[k], end = to[k];
			for (; at < end; at += 4096)
				if (memcmp((void *)at, "tally ", 6) == 0) {
					from[k] = at;
					to[k++] = at + ((uint32_t *)at)[3];
				}
		}
	}
	fclose(f);
	if (!k) return 2;
	for (i = 0; how == 'm' && i < k; i++)
		old[i] = mmap(NULL, to[i] - from[i], PROT_READ | PROT_WRITE, flags, -1, 0);
	for (i = 0; i < k; i++) {
		size_t size = to[i] - from[i];
		long *at = (long *)from[i];

		if (how == 'f') at = mmap(at, size, PROT_READ | PROT_WRITE, flags | MAP_FIXED, -1, 0);
		if (how == 'n') at = mmap(at, size, PROT_READ | PROT_WRITE, flags | MAP_FIXED_NOREPLACE, -1, 0);
		if (how == 'm') at = mremap(old[i], size, size, MREMAP_MAYMOVE | MREMAP_FIXED, at);
		if (how == 'u') {
			munmap(at, size);
			at = mmap(at, size, PROT_READ | PROT_WRITE, flags, -1, 0);
		}
		if ((uint64_t)at != from[i]) { printf("%d: %s\n", i, strerror(errno)); return 1; }
		memset(at, 0x5a, size);
	}
	usleep(50000);
	for (i = 0; i < k; i++) {
		size_t size = to[i] - from[i];

		s += sum((long *)from[i], size) - 0x5a5a5a5a5a5a5a5al * (long)(size / 8);
	}
	return s != 0;
}
int main(int argc, char **argv)
{
	int threads = argc > 3 ? atoi(argv[3]) : 0, failed = 0, i;
	const char *how = argv[1];
	pthread_t t[8];

	for (i = 0; i < threads; i++)
		pthread_create(&t[i], NULL, count, (void *)(long)i);
	while (ready < threads)
		;
	switch (how[0]) {
	case 'd': printf("%d\n", deep(atoi(argv[2]))); break;
	case 'b': printf("%d\n", sbrk((long)atoi(argv[2]) << 20) != (void *)-1); break;
	case 'w': printf("%d\n", mmap(NULL, 1ul << atoi(argv[2]), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) != MAP_FAILED); break;
	case 'f': printf("%d\n", mmap((void *)(1ul << 44), 1ul << 44, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED); break;
	case 't': failed = take(how[1], how[2]); break;
	}
	fflush(stdout);
	stop = 1;
	for (i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
	return failed + 3;
}
