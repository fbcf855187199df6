# flat.sh - --threads=off: the gs register is the program's own, and counters are in a file all
# the same.
cat >p.c <<'C'
#define _GNU_SOURCE
#include <asm/prctl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static long mine[2] = {42, 43};
static volatile int n;
static int data = 5;
__attribute__((noinline)) static int half(int x) { return x % 2 ? half(x + 1) : x / 2; }
__attribute__((constructor)) static void early(void) { half(3); }
static void *thread(void *arg) { half(7); return arg; }
int main(int argc, char **argv)
{
	long got;
	int i, how = argc > 1 ? atoi(argv[1]) : 0;
	pthread_t t;
	syscall(SYS_arch_prctl, ARCH_SET_GS, mine);
	for (i = 0; i < 1000; i++)
		n += half(i);
	__asm__("movq %%gs:8, %0" : "=r"(got));
	printf("%ld %d %d\n", got, n, data);
	fflush(stdout);
	if (how == 1) kill(getpid(), SIGKILL);
	if (how == 2) abort();
	if (how == 3) { if (fork() == 0) { half(9); exit(0); } wait(NULL); }
	if (how == 4) { pthread_create(&t, NULL, thread, NULL); pthread_join(t, NULL); }
	return 0;
}
C
for cc in gcc clang; do for o in -O0 -O2 '-O1 -no-pie -fno-pie' '-O2 -static'; do
	# shellcheck disable=SC2086
	$cc $o -w -pthread p.c -o plain 2>/dev/null || continue
	# shellcheck disable=SC2086
	tally build --quiet --threads=off --counters=check $cc $o -w -pthread p.c -o p
	for how in 0 1 2 3 4; do
		rm -rf tally.out
		alike "$cc $o" ./plain ./p $how
		case $how in
		1) calls='~1502' ;;
		4) tally print -f 2>&1 | grep -q 'threads or processes shared counters'; continue ;;
		3) calls=1504; exact "$cc $o $how" ;;
		*) calls=1502; exact "$cc $o $how" ;;
		esac
		case $o in *-O2*) continue ;; esac # it may be inlined in itself
		got=$(tally print -f 2>/dev/null | awk '$1 == "half" { print $2 }')
		[ "$got" = $calls ] || { echo "$cc $o $how: $got calls, not $calls"; exit 1; }
	done
done; done

# A library and a program.
echo 'int twice(int x) { return x > 3 ? 2 * x : x; }' >l.c
echo 'int twice(int); int main(void) { int i, s = 0; for (i = 0; i < 9; i++) s += twice(i); return s != 66; }' >m.c
tally build --quiet --threads=off --counters=check gcc -fPIC -shared l.c -o libl.so
tally build --quiet --threads=off --counters=check gcc m.c -o m -L. -ll -Wl,-rpath,"$PWD"
rm -rf tally.out
./m
exact 'a library'

# The last --threads that is given holds.
echo 'int main(void) { return 0; }' >n.c
for o in '--threads=off --threads=on:yes' '--threads=on --threads=off:no' '--runtime=none --threads=on:no'; do
	tally build --quiet ${o%:*} gcc -c n.c -o n.o || exit 1
	objdump -d n.o | sed -n '/<main>:/,/ret/p' | grep -q '%gs:' && has=yes || has=no
	[ $has = "${o#*:}" ] || { echo "${o%:*}: gs: $has"; exit 1; }
done
