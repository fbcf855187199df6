# signals.sh - a process that dies of a signal: what is said of it, and that it may come at any moment.  That it dies
# as it would, and sees nothing of us, are samples: signals, twice.
cp "$ROOT/test/sample/signals.c" f.c
for cc in gcc clang; do for o in -O0 -O2 '-O2 -fno-pie -no-pie'; do
	# shellcheck disable=SC2086
	$cc $o -w f.c -o plain
	# shellcheck disable=SC2086
	tally build --quiet --counters=check $cc $o -w f.c -o f
	alike "$cc $o" ./plain ./f smash # who knows where its frames were
done; done
./f look | grep -q '^11111111$'

# What ended it, and where.
tally build --quiet gcc -O1 -g f.c -o f
rm -rf tally.out
./f segv 2>/dev/null || true
./f abort 2>/dev/null || true
./f 9 2>/dev/null || true
./f || true
line=$(grep -n 'abort();' f.c | cut -d: -f1)
tally print --runs >out 2>err
for want in "^ *1  exit with status 0" "^ *2  a signal, the last SIGABRT in end, .*f.c:$line$" '^ *1  killed, or still running'; do
	grep -q "$want" out || { cat out; exit 1; }
done
grep -q '2 of 4 processes died of a signal, the last of SIGABRT' err
grep -q '1 of 4 processes still run or were killed: counts of the functions active then may be off by one' err

# What was ignored stays so, in the program and in those that it calls.
rm -rf tally.out
(trap '' HUP; ./plain look; ./f look) >out
[ "$(head -1 out)" = "$(sed -n 3p out)" ] || { cat out; exit 1; }

# Killed at any moment, also between two counters, also with threads.
cat >hot.c <<'C'
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static volatile unsigned sink;
__attribute__((noinline)) static unsigned pick(unsigned x)
{
	switch (x % 9) {
	case 0: return x + 1; case 1: return x * 3; case 2: return x ^ 5; case 3: return ~x;
	case 4: x += sink; case 5: return x - 7; case 6: return x << 1; case 7: return x >> 1; default: return 11;
	}
}
__attribute__((noinline)) static unsigned gcd(unsigned a, unsigned b) { return b ? gcd(b, a % b) : a; }
__attribute__((noinline)) static unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__attribute__((noinline)) static unsigned loops(unsigned n)
{
	unsigned i, k, s = 0;
	for (i = 0; i < n; i++) {
		if (i & 1) continue;
		for (k = i; k > 0; k /= 3) { s += pick(k + s); if (s % 101 == 0) break; }
		while (s > 100000 && s & 3) s -= i;
	}
	return s;
}
__attribute__((noinline)) static unsigned sorts(unsigned *a, int n)
{
	int i, j; unsigned c = 0;
	for (i = 1; i < n; i++) { unsigned x = a[i]; for (j = i - 1; j >= 0 && a[j] > x; j--) { a[j + 1] = a[j]; c++; } a[j + 1] = x; }
	return c;
}
static void *work(void *arg)
{
	unsigned a[50], i, s = (unsigned)(uintptr_t)arg;
#ifdef TRAP
	__asm__("int3");
#endif
	for (;;) {
		for (i = 0; i < 50; i++) a[i] = pick(s + i * 7919) % 1000;
		s += loops(20) + gcd(s | 1, 360360) + fib(7) + sorts(a, 50);
		sink = s;
	}
	return 0;
}
int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1, i; pthread_t t;
	for (i = 1; i < n; i++) pthread_create(&t, 0, work, (void *)(uintptr_t)i);
	work(0);
	return 0;
}
C
cat >killer.c <<'C'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
/* killer MICROSECONDS PROGRAM ..., or killer -STEPS PROGRAM ...: that many after it traps. */
int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 0;
	struct timespec t = {0, n * 1000};
	int status;
	pid_t pid = fork();
	if (pid == 0) {
		if (n < 0) ptrace(PTRACE_TRACEME, 0, 0, 0);
		execv(argv[2], argv + 2);
		_exit(9);
	}
	if (n < 0) {
		waitpid(pid, &status, 0); /* exec */
		ptrace(PTRACE_CONT, pid, 0, 0);
		waitpid(pid, &status, 0); /* trap */
		for (; n < 0 && WIFSTOPPED(status); n++) {
			ptrace(PTRACE_SINGLESTEP, pid, 0, 0);
			waitpid(pid, &status, 0);
		}
		ptrace(PTRACE_DETACH, pid, 0, SIGTERM);
	} else {
		nanosleep(&t, NULL);
		kill(pid, SIGTERM);
	}
	waitpid(pid, &status, 0);
	return !WIFSIGNALED(status) || WTERMSIG(status) != SIGTERM;
}
C
gcc killer.c -o killer
seed=$(date +%s) killed=0
for cc in gcc clang; do for o in -O1 -O3; do
	tally build --quiet --counters=check $cc $o -pthread hot.c -o hot
	for n in 1 4; do for _ in 1 2 3 4 5 6 7 8; do
		rm -rf tally.out
		seed=$(((seed * 1103515245 + 12345) % 2147483648))
		./killer $((3000 + seed % 15000)) ./hot $n || { echo "$cc $o: not killed"; exit 1; }
		[ -d tally.out ] || continue
		exact "$cc $o, $n threads"
		killed=$((killed + 1))
	done; done
done; done
[ $killed -gt 8 ] || { echo "only $killed of 64 had begun to count"; exit 1; }

# At each instruction, where that can be had.
for cc in gcc clang; do
	tally build --quiet --counters=check $cc -O1 -DTRAP -pthread hot.c -o hot
	rm -rf tally.out
	./killer -1 ./hot 1 2>/dev/null || { echo '# no ptrace here'; break; }
	for step in $(seq -w 1 150); do
		rm -rf tally.out
		./killer -$((10#$step * 7 % 1009 + 1)) ./hot 1
		exact "$cc, step $step"
	done
done

# And where counters save the flags: in assembly by hand, whose flags nobody knows.
cat >hand.s <<'S'
	.globl	hand
	.type	hand, @function
hand:	.cfi_startproc
	adcl	$1, %eax
	decl	%edi
	jg	hand
	ret
	.cfi_endproc
	.section	.note.GNU-stack,"",@progbits
S
cat >byhand.c <<'C'
void hand(int);
int main(void) { __asm__("int3"); for (;;) hand(2); }
C
tally build --quiet --counters=check gcc -O1 byhand.c hand.s -o byhand
rm -rf tally.out
./killer -1 ./byhand 2>/dev/null && for step in $(seq 1 60); do
	rm -rf tally.out
	./killer "-$step" ./byhand
	exact "by hand, step $step"
done

# Functions of the program that only have the names of the library's; one of them is local.
cat >own.c <<'C'
#include <stdio.h>
int elsewhere(void);
static int longjmp(int a) { return a + 1; }
int swapcontext(int a, int b) { return a * b; }
int main(void) { printf("%d %d %d\n", longjmp(1), swapcontext(6, 7), elsewhere()); return 0; }
C
cat >else.c <<'C'
#include <setjmp.h>
int swapcontext(int, int);
static jmp_buf env;
int elsewhere(void) { if (setjmp(env)) return swapcontext(2, 2); longjmp(env, 1); }
C
for kind in -pie -static; do
	tally build --quiet --counters=check gcc -w -fno-builtin $kind own.c else.c -o own
	rm -rf tally.out
	[ "$(./own)" = '2 42 4' ]
	exact "own names, $kind"
done

# Several threads die at once, of the same signal, while another makes more of them.
cat >many.c <<'C'
#include <pthread.h>
#include <signal.h>
static volatile int sink;
static pthread_barrier_t all;
static void *brief(void *arg) { sink++; return arg; }
static void *dies(void *arg)
{
	int i;
	for (i = 0; i < 1000; i++) if (i % 3) sink++;
	pthread_barrier_wait(&all);
	for (i = 0; i < 1000; i++) if (i % 3) sink--;
	if (arg) raise(SIGTERM);
	*(volatile int *)0 = sink;
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t; int i;
	pthread_barrier_init(&all, 0, 4);
	for (i = 0; i < 4; i++) pthread_create(&t, 0, dies, argc > 1 ? argv : 0);
	for (;;) { pthread_create(&t, 0, brief, 0); pthread_join(t, 0); }
}
C
for cc in gcc clang; do for o in -O1 '-O2 -static'; do
	# shellcheck disable=SC2086
	tally build --quiet --counters=check $cc $o -pthread many.c -o many
	for how in '' term '' term '' term '' term '' term; do
		rm -rf tally.out
		is=0
		./many $how 2>/dev/null || is=$?
		case $how$is in 139 | term143) ;; *) echo "$cc $o $how: status $is"; exit 1 ;; esac
		exact "$cc $o $how"
	done
done; done
