# header.sh - tally.h: snapshots, labels, forgetting; and nothing in a plain program.
cat >p.c <<'C'
#include "tally.h"
#include <stdio.h>
#include <string.h>

static volatile int n;

static void
work(int times)
{
	while (times-- > 0)
		n++;
}

static void one(void) { work(1); }
static void two(void) { work(2); }
static void three(void) { work(3); }

int
main(void)
{
	int r[4];

	one();
	r[0] = tally_snapshot("snap.tally");
	two();
	r[1] = tally_reset();
	two();
	three();
	r[2] = tally_label("later");
	three();
	one();
	r[3] = tally_label("last");
	one();
	printf("%d %d %d %d\n", r[0], r[1], r[2], r[3]);
	return 0;
}
C
for cc in gcc clang g++; do
	case $cc in g++) src='-x c++ p.c' ;; *) src=p.c ;; esac
	for o in -O0 '-O2 -fno-inline -fno-ipa-cp' '-O2 -fno-inline -no-pie'; do
		# shellcheck disable=SC2086
		$cc $o -I"$ROOT/include" $src -o plain
		[ "$(./plain)" = '-1 -1 -1 -1' ]
		[ $cc = g++ ] && continue
		rm -rf tally.out snap.tally
		# shellcheck disable=SC2086
		tally build --quiet --counters=check $cc $o -I"$ROOT/include" $src -o p
		[ "$(./p)" = '0 0 0 0' ]
		count() { tally print -f "$@" 2>/dev/null | awk '$1 ~ /^(one|two|three)$/ { printf "%s %s ", $1, $2 }'; }
		[ "$(count snap.tally)" = 'one 1 two 0 three 0 ' ] || { count snap.tally; exit 1; }
		[ "$(find tally.out -name '*.tally' | wc -l)" = 3 ]
		for f in tally.out/*.tally; do
			case $(strings -n 4 "$f" | grep -Ex 'later|last' | head -1) in
			later) want='one 1 two 0 three 1 ' ;;
			last) want='one 1 two 0 three 0 ' ;;
			*) want='one 0 two 1 three 1 ' ;;
			esac
			[ "$(count "$f")" = "$want" ] || { echo "$cc $o: $(count "$f"), not $want"; exit 1; }
		done
		[ "$(count)" = 'one 2 two 1 three 2 ' ]
		exact "$cc $o"
		for f in snap.tally tally.out/*.tally; do
			tally print --compare "$f" 2>&1 | grep -q ', 0 differences$' || { echo "$cc $o"; tally print --compare "$f"; exit 1; }
		done
	done
done

# Of threads that run meanwhile nobody knows where they are, and that is said.
cat >t.c <<'C'
#include "tally.h"
#include <pthread.h>
#include <semaphore.h>
static sem_t here, there;
static void *waits(void *arg) { sem_post(&here); sem_wait(&there); return arg; }
int main(void)
{
	pthread_t t;
	sem_init(&here, 0, 0);
	sem_init(&there, 0, 0);
	pthread_create(&t, 0, waits, 0);
	sem_wait(&here);
	tally_label("second");
	sem_post(&there);
	return pthread_join(t, 0);
}
C
rm -rf tally.out
tally build --quiet gcc -O1 -pthread -I"$ROOT/include" t.c -o t
./t
tally print -f 2>&1 | grep -q 'in the middle'

# The child of a vfork works in its parent's memory: what it asks for is refused, and nothing of the parent's is lost.
cat >vfork.c <<'C'
#include <sys/wait.h>
#include <unistd.h>

#include "tally.h"

__attribute__((noinline)) static int
f(int x)
{
	return x + 1;
}

int
main(void)
{
	int i, s = 0, status = 0;
	pid_t child;

	for (i = 0; i < 10; i++)
		s = f(s);
	child = vfork();
	if (child == 0)
		_exit(tally_reset() == 0 || tally_label("child") == 0 || tally_snapshot("child.tally") == 0);
	waitpid(child, &status, 0);
	return status != 0 || s != 10;
}
C
rm -rf tally.out
tally build --quiet gcc -O1 -w -I"$ROOT/include" vfork.c -o vforks && ./vforks || { echo "vfork: status $?"; exit 1; }
tally print -f vforks 2>/dev/null | grep -q '^f  *10 ' || { tally print -f vforks; exit 1; }
