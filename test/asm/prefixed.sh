# prefixed.sh - branches and calls with prefixes are counted as those without; and a function is no cold part because its name
# begins like one's.
cat >code.s <<'S'
	.text
	.globl	f
	.type	f, @function
f:
	xorl	%eax, %eax
.L1:
	addl	%edi, %eax
	decl	%edi
	bnd jne	.L1
	cmpl	$6, %eax
	bnd je	other
	bnd ret
	.size	f, .-f
	.globl	f.colder
	.type	f.colder, @function
f.colder:
	testl	%edi, %edi
	bnd je	.L2
	movl	$1, %eax
	bnd ret
.L2:
	movl	$2, %eax
	ret
	.size	f.colder, .-f.colder
	.globl	away
	.type	away, @function
away:
	.cfi_startproc
	subq	$8, %rsp
	.cfi_def_cfa_offset 16
	bnd call longjmp
	.cfi_endproc
	.size	away, .-away
	.section .note.GNU-stack,"",@progbits
S
cat >main.c <<'C'
#include <setjmp.h>
#include <stdio.h>

int f(int), colder(int) __asm__("f.colder");
void away(jmp_buf, int);
static jmp_buf place;

int
other(int x)
{
	return x + 100; //= 1
}

__attribute__((noinline)) static void
deep(int n)
{
	if (n == 0)
		away(place, 7); //= 1
	deep(n - 1); //= 3
}

int
main(void)
{
	int s = 0, i;

	for (i = 1; i < 10; i++) //= 10
		s += f(i) + colder(i & 1); //= 9
	if (setjmp(place) == 0) //= 1
		deep(3); //= 1
	printf("%d\n", s); //= 1
	return 0;
}
C
for link in '' -static; do
	for cc in gcc 'clang -fno-integrated-as'; do # clang's own assembler knows no bnd
		$cc -O1 -w $link main.c code.s -o plain || exit 1
		rm -rf tally.out
		tally build --quiet --counters=check $cc -O1 -w $link main.c code.s -o counted || exit 1
		alike "$cc $link" ./plain ./counted
		exact "$cc $link"
		answers "$cc $link" main.c
		tally print -f >table
		for want in 'f 9' 'f.colder 9' 'away 1'; do
			awk '{ print $1, $2 }' table | grep -qx "$want" || { echo "$cc $link: not $want"; cat table; exit 1; }
		done
	done
done
