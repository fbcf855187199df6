# cuts.sh - frames that are left without a return, and entered without a call: with the
# places recorded, redundant and optimal counters agree on every block.
cat >p.c <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static jmp_buf env;
static sigjmp_buf senv;
static volatile int depth, sink;
static int how;

static void handler(int sig) { sink += sig; siglongjmp(senv, 1); }
static void counted(int sig) { sink += sig > 3 ? sig : 1; }
static void late(void) { sink++; if (how == 5) exit(9); }

__attribute__((noinline)) static int
end(int which)
{
	switch (which) {
	case 0: longjmp(env, 1);
	case 1: exit(3);
	case 2: _exit(4);
	case 3: abort();
	case 4: quick_exit(5);
	case 5: atexit(late); exit(6);
	case 6: raise(SIGUSR1); break;
	case 7: pthread_exit(NULL);
	case 8: if (fork() == 0) { sink++; return 1; } wait(NULL); break;
	case 9: siglongjmp(senv, 2);
	case 10: if (fork() == 0) { sink++; exit(0); } wait(NULL); break;
	case 11: raise(SIGUSR2); break;
	case 12: execl("/bin/sh", "sh", "-c", "exit $1", "x", "8", (char *)0); break;
	case 13: { char *a[] = {"true", 0}; execvp("true", a); } break;
	case 14: execl("/nonexistent", "x", "1", "2", "3", "4", "5", "6", "7", (char *)0); break;
	default: break;
	}
	return which;
}

__attribute__((noinline)) static int
down(int n, int which)
{
	char buf[n + 1];
	int r;

	memset(buf, n, (size_t)n + 1);
	depth++;
	if (n == 0)
		r = end(which);
	else if (n & 1)
		r = down(n - 1, which) + buf[n / 2];
	else
		r = buf[n / 2] - down(n - 1, which);
	depth--;
	return r;
}

static void *thread(void *arg) { down(6, 7); return arg; }

int
main(int argc, char **argv)
{
	struct sigaction sa = {.sa_handler = handler};
	pthread_t t;
	int i;

	how = argc > 1 ? atoi(argv[1]) : 0;
	sigaction(SIGUSR1, &sa, NULL);
	sa.sa_handler = counted;
	sigaction(SIGUSR2, &sa, NULL);
	for (i = 0; i < 12; i++)
		if (setjmp(env) == 0)
			down(i, 0);
		else
			depth = 0;
	for (i = 0; i < 7; i++)
		if (sigsetjmp(senv, 1) == 0)
			down(i, i & 1 ? 6 : 9);
	down(3, 11);
	for (i = 0; i < 3; i++)
		down(i, 14);
	for (i = 0; i < 3; i++) {
		pthread_create(&t, NULL, thread, NULL);
		pthread_join(t, NULL);
	}
	printf("%d\n", down(5, 99));
	fflush(stdout);
	down(how == 0 ? 0 : 7, how ? how : 99);
	return 0;
}
C
for cc in gcc clang; do for o in -O0 -O1 -O2 '-O2 -fomit-frame-pointer -fno-pie -no-pie' -O3 -Os -static '-O2 -static-pie'; do
	# shellcheck disable=SC2086
	$cc $o -w -pthread p.c -o plain 2>/dev/null || continue # clang may lack static libraries
	# shellcheck disable=SC2086
	tally build --quiet --counters=check $cc $o -w -pthread p.c -o p
	for how in 0 1 2 3 4 5 7 8 10 12 13; do
		rm -rf tally.out
		was=0 is=0
		./plain $how >want 2>&1 || was=$?
		./p $how >got 2>&1 || is=$?
		[ $was = $is ] && cmp want got || { echo "$cc $o $how: status $was and $is"; cat got; exit 1; }
		exact "$cc $o $how"
	done
done; done

# Lines behind a call that did not return did not run.
cat >q.c <<'C'
#include <stdlib.h>
static volatile int n;
static void leave(void) { n++; exit(0); }
static void (*volatile f)(void) = leave;
int main(void)
{
	n = 1;
	f();
	n = 2;
	n = 3;
	return 0;
}
C
rm -rf tally.out
tally build --quiet gcc -O0 q.c -o q
./q
tally print >out
grep -q '^ *1  	n = 1;' out && grep -q '^ *1  	f();' out && grep -q '^ *0 #	n = 2;' out && grep -q '^ *0 #	return 0;' out || { cat out; exit 1; }
tally print -a | grep -q '^ *0 #  movl \$0x2'

# A child by vfork that ends does not end its parent; stacks between which a program jumps.
cat >v.c <<'C'
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

static jmp_buf here, there;
static ucontext_t back, side;
static char stack[1 << 16];
static volatile int n;

__attribute__((noinline)) static int
spawn(void)
{
	int status;
	pid_t pid = vfork();

	if (pid == 0) {
		execl("/nonexistent", "x", (char *)0);
		_exit(7);
	}
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

__attribute__((noinline)) static void
to(jmp_buf *from, jmp_buf *next)
{
	if (_setjmp(*from) == 0)
		_longjmp(*next, 1);
	n++;
}

static void deeper(int k) { n++; if (k) deeper(k - 1); else to(&there, &here); n++; }
static void other(void) { for (;;) { n += 2; deeper(3); } }

int
main(void)
{
	int i;

	if (_setjmp(here) == 0) {
		getcontext(&side);
		side.uc_stack.ss_sp = stack;
		side.uc_stack.ss_size = sizeof stack;
		makecontext(&side, other, 0);
		swapcontext(&back, &side);
	}
	for (i = 0; i < 20; i++)
		to(&here, &there);
	printf("%d %d\n", n, spawn());
	return 0;
}
C
for cc in gcc clang; do for o in -O0 -O2; do
	$cc $o -w v.c -o plain
	tally build --quiet --counters=check $cc $o -w v.c -o v
	rm -rf tally.out
	[ "$(./v)" = "$(./plain)" ]
	exact "$cc $o: between stacks"
	tally print -f 2>/dev/null >out
	awk '$1 == "to" && $2 == 41 { ok = 1 } END { exit !ok }' out || { cat out; exit 1; }
done; done

# Frames of which the compiler says nothing at run time: of those that it tells debuggers, or nobody.
cat >n.c <<'C'
#include <stdlib.h>
static volatile int n;
__attribute__((noinline)) static void last(int i) { n++; if (i == 3) exit(0); n++; }
__attribute__((noinline)) static void middle(int i) { n++; last(i); n++; }
int main(void) { for (int i = 0; i < 9; i++) middle(i); return 0; }
C
for cc in gcc clang; do for o in -O0 -O1 -O2 '-O2 -fno-omit-frame-pointer' '-O2 -static' '-O2 -fno-pie -no-pie'; do
	# shellcheck disable=SC2086
	tally build --quiet --counters=check $cc $o -fno-asynchronous-unwind-tables -fno-unwind-tables n.c -o n
	rm -rf tally.out
	./n
	exact "$cc $o, no unwind tables"
done; done

# Assembly by hand that says nothing: whoever may have been active is marked, and nobody else.
cat >hand.s <<'S'
	.text
	.globl	hand
	.type	hand, @function
hand:	pushq	%rbx
	movl	%edi, %ebx
	call	last
	movl	%ebx, %eax
	popq	%rbx
	ret
	.section	.note.GNU-stack,"",@progbits
S
cat >byhand.c <<'C'
#include <stdlib.h>
void hand(int);
static volatile int n;
__attribute__((noinline)) void other(int i) { n += i; }
__attribute__((noinline)) void last(int i) { n++; if (i == 3) exit(0); n++; }
__attribute__((noinline)) void middle(int i) { n++; hand(i); n++; }
int main(void) { for (int i = 0; i < 9; i++) { other(i); middle(i); } return 0; }
C
for cc in gcc clang; do for o in -O0 -O2 '-O2 -static'; do
	# shellcheck disable=SC2086
	tally build --quiet $cc $o -g byhand.c hand.s -o byhand
	rm -rf tally.out
	./byhand
	tally print >out 2>err
	grep -q 'may be wrong, and are marked' err
	for want in '^ *[0-9]* ~.*void middle' '^ *[0-9]* ~.*int main' '^ *4  .*void other' '^ *4  .*void last'; do
		grep -q "$want" out || { echo "$cc $o: $want"; cat out; exit 1; }
	done
done; done

# So it is where a library without unwind information calls back: longjmp and exit go through it.
cat >each.c <<'C'
void each(int n, void (*f)(int)) { int i; for (i = 0; i < n; i++) f(i); }
C
cat >back.c <<'C'
#include <setjmp.h>
#include <stdlib.h>
void each(int n, void (*f)(int));
static jmp_buf env;
static volatile int n;
static void one(int i) { n++; if (i == 5) longjmp(env, 1); n++; }
static void two(int i) { n++; if (i == 5) exit(0); n++; }
__attribute__((noinline)) static void never(void) { n++; }
__attribute__((noinline)) static void around(void (*f)(int)) { n++; each(9, f); n++; }
int main(void)
{
	volatile int k;
	for (k = 0; k < 3; k++)
		if (!setjmp(env))
			around(one);
	if (n == 99)
		never();
	around(two);
	return 0;
}
C
for cc in gcc clang; do for o in -O0 -O2 '-O2 -static'; do
	# shellcheck disable=SC2086
	$cc $o -fno-asynchronous-unwind-tables -c each.c
	# shellcheck disable=SC2086
	tally build --quiet --counters=check $cc $o -g back.c each.o -o back
	rm -rf tally.out
	./back
	sound "$cc $o, called back"
	tally print >out 2>err
	for want in '^ *18  .*void one' '^ *6  .*void two' '^ *0 #.*void never' '^ *[0-9]* ~.*void around' '^ *[0-9]* ~.*int main'; do
		grep -q "$want" out || { echo "$cc $o: $want"; cat out; exit 1; }
	done
done; done
