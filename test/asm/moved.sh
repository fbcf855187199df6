# moved.sh - handlers of signals that change where the program goes on: at a fixup, in the caller, in
# a function that looks called, in another context; and how the stack looks from a handler.
cp "$HERE/more/moved-p.c" p.c
# Threads that a timer switches: its handler exchanges all that the kernel saved.
cp "$HERE/more/moved-t.c" t.c
# run HOW... - a program does as the plain one, and was counted alike.
run() {
	rm -rf tally.out
	alike "$cc $o" ./plain ./p "$@"
	exact "$cc $o $*"
}
# calls FUNCTION N - of the last run.
calls() {
	tally print -f 2>/dev/null >out
	awk -v name="$1" -v n="$2" '$1 ~ "^" name "([.]|$)" && $2 == n { ok = 1 } END { exit !ok }' out || { echo "$cc $o: $1 $2"; cat out; exit 1; }
}
for cc in gcc clang; do for o in -O0 -O1 -O2 '-O2 -fomit-frame-pointer -fno-pie -no-pie'; do
	# shellcheck disable=SC2086
	$cc $o -w p.c -o plain
	# shellcheck disable=SC2086
	tally build --quiet --counters=check --lines=tables $cc $o -w p.c -o p
	for how in fixup skip return panic quit depth; do
		run $how
		[ $how = depth ] || [ $how = quit ] || calls middle 1000
		[ $how != panic ] || calls panic 500
		[ $how != quit ] || calls quit 1
	done
	# shellcheck disable=SC2086
	$cc $o -w t.c -o plain
	# shellcheck disable=SC2086
	tally build --quiet --counters=check $cc $o -w t.c -o p
	run
	calls go 50
	calls thread 4
done; done

# Lines, counted in each way.
cat >out.c <<'C'
#define _GNU_SOURCE
#include <signal.h>
#include <ucontext.h>
static volatile int sum;
__attribute__((noinline)) static void again(void) { sum++; }
static void
on(int sig, siginfo_t *info, void *context)
{
	greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
	greg_t *frame = (greg_t *)r[REG_RBP];
	r[REG_RIP] = frame[1];                   //= 500
	r[REG_RSP] = r[REG_RBP] + 16;
	r[REG_RBP] = frame[0];
	r[REG_RAX] = -1;
}
__attribute__((noinline)) static int
fetch(volatile int *p)
{
	sum++;                                   //= 1000
	return *p;
}
int
main(void)
{
	struct sigaction sa = {.sa_sigaction = on, .sa_flags = SA_SIGINFO | SA_NODEFER};
	volatile int i;
	int one = 1, n = 0;
	sigaction(SIGSEGV, &sa, NULL);
	for (i = 0; i < 1000; i++) {
		if (fetch(i & 1 ? 0 : &one) < 0) //= 1000
			n++;                     //= 500
		else
			again();                 //= 500
	}
	return n != 500;
}
C
for cc in gcc clang; do for kind in optimal redundant check; do
	rm -rf tally.out
	tally build --quiet --counters=$kind $cc -O0 -w out.c -o out
	./out
	answers "$cc $kind" out.c
done; done

# An exception that a handler throws.
cat >e.cc <<'C'
#include <csignal>
#include <cstdio>
static volatile int sum;
struct Held { ~Held() { sum += 2; } };
static void on(int) { sum++; throw 1; }
__attribute__((noinline)) static int load(volatile int *p) { sum++; int x = *p; sum++; return x; }
__attribute__((noinline)) static int middle(volatile int *p) { Held h; int x = load(p); sum += x; return x; }
int
main()
{
	struct sigaction sa = {};
	int one = 1;

	sa.sa_handler = on;
	sa.sa_flags = SA_NODEFER;
	sigaction(SIGSEGV, &sa, NULL);
	for (int i = 0; i < 100; i++)
		try {
			middle(i & 1 ? NULL : &one);
		} catch (int n) {
			sum += n;
		}
	printf("%d\n", sum);
}
C
cc=g++
for o in -O0 -O2; do
	$cc $o -w -fnon-call-exceptions e.cc -o plain
	tally build --quiet --counters=check $cc $o -w -fnon-call-exceptions e.cc -o p
	run
	tally print -f 2>/dev/null | grep -q '^ *100 .* load('
done
