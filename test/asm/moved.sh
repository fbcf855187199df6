# moved.sh - handlers of signals that change where the program goes on: at a fixup, in the caller, in
# a function that looks called, in another context; and how the stack looks from a handler.
cat >p.c <<'C'
#define _GNU_SOURCE
#include <execinfo.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { N = 1000 };

extern const char fixup[];
static const char *how;
static jmp_buf buf;
static volatile int sum, panics, nodd;
static int *volatile nowhere;
static int one = 1;

int fetch(int *p);      /* *p; -1 if that fails and a handler leads to `fixup' */
int skip(int *p);       /* the same by an instruction that is left out */
__asm__(".text\n.globl fetch\n.type fetch, @function\nfetch:\n"
	"	.cfi_startproc\n	movl (%rdi), %eax\n	ret\nfixup:\n	movl $-1, %eax\n	ret\n	.cfi_endproc\n"
	".size fetch, .-fetch\n"
	".globl skip\n.type skip, @function\nskip:\n"
	"	.cfi_startproc\n	movl $-1, %eax\n	movl (%rdi), %eax\n	ret\n	.cfi_endproc\n"
	".size skip, .-skip\n");

__attribute__((noinline)) static void panic(void) { sum += 3; panics++; longjmp(buf, 1); }
__attribute__((noinline)) static void quit(void) { sum += 5; exit(3); }

static void
on(int sig, siginfo_t *info, void *context)
{
	greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
	void *stack[64];

	(void)sig;
	(void)info;
	if (!strcmp(how, "fixup")) {
		r[REG_RIP] = (greg_t)fixup;
	} else if (!strcmp(how, "skip")) {
		r[REG_RIP] += 2;
	} else if (!strcmp(how, "return")) { /* from fetch or skip, which have no frame */
		r[REG_RIP] = *(greg_t *)r[REG_RSP];
		r[REG_RSP] += 8;
		r[REG_RAX] = -1;
	} else if (!strcmp(how, "depth")) {
		printf("%d\n", backtrace(stack, 64));
		nowhere = &one;
		r[REG_RDI] = (greg_t)&one;
	} else { /* a call */
		r[REG_RSP] = ((r[REG_RSP] - 128) & -16) - 8;
		*(greg_t *)r[REG_RSP] = r[REG_RIP];
		r[REG_RIP] = (greg_t)(!strcmp(how, "quit") ? quit : panic);
	}
}

__attribute__((noinline)) static int
load(int k)
{
	int x;

	sum++;
	nowhere = k & 1 ? NULL : &one;
	if (!strcmp(how, "skip"))
		x = skip(nowhere);
	else if (!strcmp(how, "quit") || !strcmp(how, "panic"))
		x = *nowhere;
	else
		x = fetch(nowhere);
	sum += x;
	return x;
}

__attribute__((noinline)) static int
middle(int k)
{
	int x = load(k);

	nodd += x < 0;
	return x;
}

int
main(int argc, char **argv)
{
	struct sigaction sa = {.sa_sigaction = on, .sa_flags = SA_SIGINFO | SA_NODEFER};
	int i;

	how = argc > 1 ? argv[1] : "";
	sigaction(SIGSEGV, &sa, NULL);
	for (i = 0; i < (!strcmp(how, "depth") ? 2 : N); i++)
		if (setjmp(buf) == 0)
			middle(i);
	printf("%d %d %d\n", sum, nodd, panics);
	return 0;
}
C
# Threads that a timer switches: its handler exchanges all that the kernel saved.
cat >t.c <<'C'
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

enum { N = 4 };

static ucontext_t start[N], home;
static struct { gregset_t regs; } saved[N + 1];
static volatile int now = N, work[N], over;
static char stack[N][65536];

static void
on(int sig, siginfo_t *info, void *context)
{
	ucontext_t *u = context;
	int next = info->si_value.sival_int;

	(void)sig;
	memcpy(saved[now].regs, u->uc_mcontext.gregs, sizeof saved[0].regs);
	memcpy(u->uc_mcontext.gregs, saved[next].regs, sizeof saved[0].regs);
	now = next;
}

__attribute__((noinline)) static void
go(int to)
{
	union sigval v = {.sival_int = to};

	sigqueue(getpid(), SIGUSR1, v);
}

__attribute__((noinline)) static void deeper(int k, int n) { work[k] += n; if (n) deeper(k, n - 1); else go(k + 1); work[k]++; }
static void thread(int k) { work[k] = k; if (work[k] > 90) { work[k] = 1; return; } if (k > 80) { work[k]++; return; } for (;;) deeper(k, 3 + work[k] % 4); }

int
main(void)
{
	struct sigaction sa = {.sa_sigaction = on, .sa_flags = SA_SIGINFO};
	int k, i;

	sigaction(SIGUSR1, &sa, NULL);
	for (k = 0; k < N; k++) {
		getcontext(&start[k]);
		start[k].uc_stack.ss_sp = stack[k];
		start[k].uc_stack.ss_size = sizeof stack[k];
		start[k].uc_link = &home;
		makecontext(&start[k], (void (*)(void))thread, 1, k);
		memcpy(saved[k].regs, start[k].uc_mcontext.gregs, sizeof saved[k].regs);
		/* a context that was made has no segment registers and flags */
		saved[k].regs[REG_CSGSFS] = 0x2b000000000033;
	}
	for (i = 0; i < 10; i++)
		go(0);
	printf("%d %d %d %d\n", work[0], work[1], work[2], work[3]);
	return 0;
}
C
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
