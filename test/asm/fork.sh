# fork.sh - a child counts for itself: nothing is lost, nothing twice.
cat >p.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int n;

static void work(void) { n++; }
static void repeat(int times) { while (times-- > 0) work(); }

int
main(int argc, char **argv)
{
	int i, status, deep = argc > 1 ? atoi(argv[1]) : 1;
	pid_t pid;

	repeat(1000);
	for (i = 0; i < deep; i++) {
		pid = fork();
		if (pid == 0) {
			repeat(100);
			if (i % 2) {
				fflush(stdout);
				_exit(0);
			}
			if (i % 4 == 2)
				execl("/bin/true", "true", (char *)0);
			exit(0);
		}
		repeat(10);
	}
	while (wait(&status) > 0)
		if (status)
			return 1;
	return 0;
}
C
calls() { tally print -f 2>/dev/null | awk '$1 == "work" { print $2 }'; }
for cc in gcc clang; do for o in -O0 -O2; do
	rm -rf tally.out
	tally build $cc $o -fno-inline p.c -o p
	./p 40
	[ "$(calls)" = $((1000 + 40 * 110)) ] || { echo "$cc $o: $(calls)"; ls -l tally.out; exit 1; }
	./p 1
	[ "$(calls)" = $((1000 + 40 * 110 + 1110)) ] || { echo "$cc $o: $(calls)"; exit 1; }
done; done
[ "$(find tally.out -name '*.tally' | wc -l)" = 1 ] || { ls tally.out; exit 1; }

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
got=$(tally print -f | awk '$1 == "work" { print $2 }')
[ "$got" = 2 ] || { echo "a thread of a child: $got"; exit 1; }
