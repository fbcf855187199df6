# space.sh - counters are in nobody's way: the stack and the heap grow as far as those of the plain
# program, and what it maps where we have something is its own.
cat >p.c <<'C'
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
C
export LD_LIBRARY_PATH=.
for kind in '-fPIE -pie' '-fno-pie -no-pie' -static '-fPIE -static-pie' library; do
	for which in plain counted; do
		tally=; [ $which = plain ] || tally='tally build --quiet --counters=check'
		# shellcheck disable=SC2086
		if [ "$kind" = library ]; then
			echo 'int deep(int kb) { volatile char a[4096]; a[kb & 4095] = 1; return kb > 4 ? deep(kb - 4) + a[kb & 4095] : 1; }' >l.c
			mkdir -p lib.$which
			$tally gcc -O1 -fPIC -shared l.c -o lib.$which/libl.so
			$tally gcc -O1 -w -DLIBRARY p.c -o $which -pthread -Llib.$which -ll -Wl,-rpath,"$PWD/lib.$which"
		else
			$tally gcc -O1 -w $kind p.c -o $which -pthread
		fi
	done
	# same WHAT ARGS... - the two do the same, and every count is exact
	same() {
		local how=$1 plain counted
		shift
		rm -rf tally.out
		plain=$(ulimit -S -s "$limit" && $how ./plain "$@" 2>&1) || plain+=" ($?)"
		counted=$(ulimit -S -s "$limit" && $how ./counted "$@" 2>&1) || counted+=" ($?)"
		[ "$plain" = "$counted" ] || { echo "$kind, stack $limit, $how $*: '$counted' for '$plain'"; exit 1; }
		exact "$kind, stack $limit, $how $*"
	}
	for aslr in env 'setarch -R'; do
		[ "$aslr" = env ] || setarch -R true 2>/dev/null || continue
		for limit in 8192 100000 unlimited; do
			(ulimit -S -s $limit) 2>/dev/null || continue
			if [ $limit = 8192 ]; then kb=7000; else kb=90000; fi
			same "$aslr" d $kb
			same "$aslr" d $kb 3
			same "$aslr" b 300
			same "$aslr" w 46
			[ $limit = unlimited ] || same "$aslr" f 0 # libraries are there
		done
		limit=8192
		same "$aslr" w 46 2
	done
	[ "$kind" != -static ] && [ "$kind" != '-fPIE -static-pie' ] || continue # there is a word on that in BUGS
	whats='a h c p'
	[ "$kind" != library ] || whats='h p' # its own counters are its own data
	for what in $whats; do for how in f n m u; do for threads in 0 3; do
		[ $what$threads != c0 ] || continue
		rm -rf tally.out
		status=0
		timeout 20 ./counted t$what$how x $threads || status=$?
		[ $status = 3 ] || { echo "$kind, take $what $how, $threads threads: status $status"; exit 1; }
		tally print >/dev/null 2>said || true
		grep -q 'the program took the memory' said || { echo "$kind, take $what $how, $threads threads: this is not remarked"; cat said; exit 1; }
	done; done; done
done
