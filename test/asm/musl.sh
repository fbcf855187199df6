# musl.sh - another C library: it does not relocate .dynamic, mangles no jmp_buf, does not say where children are
# made, and nobody can tell how to leave its frames.  Counts are exact, or marked.
command -v musl-gcc >/dev/null || { echo 'no musl-gcc'; exit 77; }

# Frames left by exit, _exit and longjmp, and threads, all of it in the program: exact.
cat >e.c <<'C'
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static jmp_buf env;
static sigjmp_buf senv;
static volatile int n, which;
__attribute__((noinline)) static void leave(int i)
{
	n++;
	if (i == 3)
		switch (which) {
		case 0: exit(0);
		case 1: _exit(0);
		case 2: _Exit(0);
		case 3: longjmp(env, 1);
		case 4: siglongjmp(senv, 1);
		case 5: pthread_exit(NULL);
		case 6: quick_exit(0);
		}
	n++;
}
__attribute__((noinline)) static void mid(int i) { n++; leave(i); n++; }
static void *work(void *arg)
{
	int i;
	for (i = 0; i < 300000; i++)
		n++;
	if (which == 5)
		mid(3);
	return arg;
}
static void late(void) { mid(1); }
int main(int argc, char **argv)
{
	pthread_t t[4];
	volatile int i;
	which = argc > 1 ? atoi(argv[1]) : 0;
	atexit(late);
	for (i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	if (which != 4 && setjmp(env) == 0)
		for (i = 0; i < 9; i++)
			mid(which == 5 ? 0 : i);
	if (which == 4 && sigsetjmp(senv, 1) == 0)
		for (i = 0; i < 9; i++)
			mid(i);
	return 0;
}
C
for o in -O0 -O2 '-O2 -static' '-O2 -static-pie -fPIE' '-O2 -fno-asynchronous-unwind-tables'; do
	# shellcheck disable=SC2086
	tally build --quiet --counters=check musl-gcc $o -w e.c -o e
	for how in 0 1 2 3 4 5 6; do
		rm -rf tally.out
		timeout 20 ./e $how
		exact "musl-gcc $o, $how"
		line=$(grep -n 'n++;$' e.c | sed -n 3p | cut -d: -f1)
		[ "$(tally print | sed -n "$((line + 1))p" | awk '{ print $1 }')" = 1200000 ] || { tally print; exit 1; }
	done
done

# Samples.
cp "$ROOT/test/sample/cuts.c" p.c
for o in -O0 '-O2' '-O2 -static'; do
	# shellcheck disable=SC2086
	musl-gcc $o -w p.c -o plain
	# shellcheck disable=SC2086
	tally build --quiet --counters=check musl-gcc $o -w p.c -o p
	for how in 0 1 2 3 4 5 7 8 10 12 13; do
		rm -rf tally.out
		alike "cuts, $o" ./plain ./p $how
		sound "cuts, $o $how"
	done
done
cp "$ROOT/test/sample/signals.c" f.c
for o in -O0 '-O2' '-O2 -static'; do
	# shellcheck disable=SC2086
	musl-gcc $o -w f.c -o plain
	# shellcheck disable=SC2086
	tally build --quiet --counters=check musl-gcc $o -w f.c -o f
	for how in look segv fpe ill trap abort reset once 1 2 3 10 12 13 14 15 24 31 36 64; do
		rm -rf tally.out
		alike "signals, $o" ./plain ./f $how
		sound "signals, $o $how"
	done
done
cp "$ROOT/test/sample/fork.c" p.c
for o in -O0 '-O2 -static'; do
	rm -rf tally.out
	# shellcheck disable=SC2086
	tally build --quiet musl-gcc $o -fno-inline p.c -o p
	timeout 60 ./p 40
	calls=$(tally print -f 2>remarks | awk '$1 == "work" { print $2 }')
	[ "$calls" = $((1000 + 40 * 110)) ] && [ ! -s remarks ] || { echo "fork, $o: $calls"; cat remarks; exit 1; }
done
cp "$ROOT/test/sample/threads.c" p.c
for o in -O0 '-O2' '-O2 -static'; do
	# shellcheck disable=SC2086
	tally build --quiet --counters=check musl-gcc $o -w p.c -o p
	rm -rf tally.out
	timeout 60 ./p 16 3 20000
	exact "threads, $o"
	calls=$(tally print -f 2>/dev/null | awk '$1 == "hot" { s += $2 } END { print s + 0 }')
	[ "$calls" = $((20000 * (17 * 3 + 1))) ] || { echo "threads, $o: $calls"; exit 1; }
done

# No error of dlsym's is left for the program to find.
cat >d.c <<'C'
#include <dlfcn.h>
int main(void) { return dlerror() != 0; }
C
tally build --quiet musl-gcc -O1 d.c -o d
./d || { echo 'dlerror() tells of an error'; exit 1; }

# Threads that run at the end, and one that is cancelled.
cat >c.c <<'C'
#include <pthread.h>
#include <unistd.h>
static volatile int n;
static void clean(void *arg) { n++; (void)arg; }
__attribute__((noinline)) static void rests(void) { n++; for (;;) pause(); }
static void *waits(void *arg) { n++; pthread_cleanup_push(clean, arg); rests(); pthread_cleanup_pop(0); return arg; }
__attribute__((noinline)) static void spins(void) { for (;;) n++; }
static void *runs(void *arg) { spins(); return arg; }
int main(void)
{
	pthread_t t, r;
	pthread_create(&r, NULL, runs, NULL);
	pthread_create(&t, NULL, waits, NULL);
	usleep(20000);
	pthread_cancel(t);
	pthread_join(t, NULL);
	return 0;
}
C
for o in -O0 '-O2 -static'; do
	# shellcheck disable=SC2086
	tally build --quiet --counters=check musl-gcc $o -w c.c -o c
	rm -rf tally.out
	timeout 20 ./c
	tally print --compare >out 2>err && grep -q ', 0 differences$' out || { echo "cancelled, $o"; cat out; exit 1; }
	case $o in *static) grep -q 'not found' err ;; *) sound "cancelled, $o" ;; esac
done
