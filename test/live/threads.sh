# threads.sh - threads that run through the same breakpoints at once: no count is missed, also where
# a switch leads into the middle of a block that others are in.
cat >threads.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static volatile long sink[16];
__attribute__((noinline)) static int
f(int k, int i)
{
	switch (i % 6) {
	case 0: sink[k]++; /* fall through */
	case 1: sink[k] += 2; break;
	case 2: sink[k] -= 1; break;
	case 3: sink[k] ^= 3; /* fall through */
	case 4: sink[k] += 5; /* fall through */
	default: sink[k] += k;
	}
	return i & 1;
}
static void *
work(void *arg)
{
	long k = (long)arg, i, n = 0;
	for (i = k % 7 * 5; i < 600 + k % 7 * 5; i++)
		n += f((int)k, (int)i) ? 1 : 2;
	return (void *)n;
}
int
main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 8, i;
	pthread_t t[16];
	long sum = 0;
	void *r;
	for (i = 0; i < n; i++)
		pthread_create(&t[i], NULL, work, (void *)(long)i);
	for (i = 0; i < n; i++) {
		pthread_join(t[i], &r);
		sum += (long)r;
	}
	printf("%ld\n", sum);
	return 0;
}
C
for how in 'gcc -O0' 'gcc -O2' 'clang -O2'; do
	$how -g -w -pthread threads.c -o threads
	for opt in '' '--spread --blocks --only=threads.c'; do
		rm -rf tally.out
		# shellcheck disable=SC2086
		[ "$(tally run $opt ./threads 12)" = "$(./threads 12)" ]
		"$ROOT/test/callgrind" threads threads 12 || { echo "$how $opt"; exit 1; }
		tally print -f 2>&1 >/dev/null | (! grep .)
	done
done
