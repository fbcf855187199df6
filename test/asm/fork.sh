# fork.sh - a child counts for itself, and all are in one file.  That nothing is lost, and nothing twice, is a sample: fork.
tally build --quiet gcc -O0 -fno-inline "$ROOT/test/sample/fork.c" -o p
./p 40
./p 1
is 'two runs' "$(calls work)" $((1000 + 40 * 110 + 1110))
is 'files' "$(find tally.out -name '*.tally' | wc -l)" 1

# Threads of a child count in its own file, also where their parent's threads had counters, and when that file is gone.
cat >later.c <<'C'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static volatile int sink;
static void count(void) { sink++; }
static void *work(void *n) { for (long i = 0; i < (long)n; i++) count(); return n; }
static void thread(long n) { pthread_t t; pthread_create(&t, NULL, work, (void *)n); pthread_join(t, NULL); }
int main(void)
{
	thread(10);
	if (fork())
		return 0;
	while (access("go", F_OK) != 0)
		usleep(1000);
	thread(1000);
	return 0;
}
C
tally build --quiet --counters=check gcc -O1 -pthread later.c -o later
rm -rf tally.out
./later
touch go
until [ "$(tally print --runs 2>/dev/null | awk '/ exit/ { s += $1 } END { print s + 0 }')" = 2 ]; do sleep 0.1; done
exact 'a thread of a child'
is 'a thread of a child' "$(calls work)" 2
