# cuts.sh - frames that are left without a return, and of which nobody says anything: counts are exact or marked.  Those
# of which something is said are samples: cuts, left, stacks, untold.
# Instructions after a call that did not return did not run.
tally build --quiet gcc -O0 "$ROOT/test/sample/left.c" -o left
./left
tally print -a | grep -q '^ *0 #  movl \$0x2'

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
