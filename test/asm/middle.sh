# middle.sh - functions that are entered in the middle: every instruction runs as often as callgrind says, with
# counters of all kinds, and their calls are those at the begin and in the middle.
valgrind --version >/dev/null 2>&1 || { echo "there is no valgrind"; exit 77; }
cat >a.s <<'S'
# Functions that are entered in the middle.
	.text
	.globl	whole, middle
	.type	whole, @function
whole:				# falls, and is entered by jumps and calls, from above and below
	movl	%edi, %eax
	testl	%edi, %edi
	js	.Lmid
	addl	$1, %eax
.Lmid:
	addl	$1, %eax
middle:				# global, without a type
	addl	$2, %eax
	cmpl	$40, %eax
	jl	.Lmid
	ret
	.size	whole, .-whole

	.globl	jumper
	.type	jumper, @function
jumper:
	leal	(%rdi,%rdi), %eax
	testl	$1, %edi
	jnz	.Lmid
	testl	$2, %edi
	jz	.Llater
	jmp	.Lmid
	.size	jumper, .-jumper

	.globl	caller
	.type	caller, @function
caller:
	xorl	%eax, %eax
	call	.Lmid
	call	.Lfar
	ret
	.size	caller, .-caller

	.section .text.other,"ax",@progbits
	.type	other, @function
	.globl	other
other:
	movl	$1, %eax
	call	.Lmid
	jmp	.Llater
.Lfar:	addl	$1, %eax
	ret
	.size	other, .-other
	.text

	.globl	later
	.type	later, @function
later:
	movl	$5, %eax
.Llater:
	addl	$3, %eax
	cmpl	$30, %eax
	jg	1f
	jmp	.Llater
1:	ret
	.size	later, .-later

	.globl	ping
	.type	ping, @function
ping:				# a loop across two functions
	xorl	%eax, %eax
.Lping:
	addl	%edi, %eax
	decl	%edi
	jg	.Lpong
	ret
	.size	ping, .-ping
	.globl	pong
	.type	pong, @function
pong:
	movl	$100, %eax
.Lpong:
	addl	$1, %eax
	jmp	.Lping
	.size	pong, .-pong

	.globl	fact
	.type	fact, @function
fact:				# recursion by its middle
	movl	$1, %eax
.Lfact:
	testl	%edi, %edi
	jz	1f
	pushq	%rdi
	decl	%edi
	call	.Lfact
	popq	%rdi
	imull	%edi, %eax
1:	ret
	.size	fact, .-fact

	.globl	falls
	.type	falls, @function
falls:				# into the next one, which loops back to its middle
	leal	1(%rdi), %eax
.Lfalls:
	addl	$1, %eax
	.size	falls, .-falls
	.globl	next
	.type	next, @function
next:
	addl	$1, %eax
	cmpl	$20, %eax
	jl	.Lfalls
	ret
	.size	next, .-next

	.globl	flags
	.type	flags, @function
flags:				# flags, from one function to the other and back, and 1b means two things
	xorl	%eax, %eax
1:	adcl	$1, %eax
	cmpl	$20, %eax
	jge	2f
	cmpl	%eax, %edi
	jc	3f
	.size	flags, .-flags
	.globl	carry
	.type	carry, @function
carry:
	adcl	$2, %eax
	cmpl	$5, %eax
	jc	1b
	ret
3:	adcl	$3, %eax
	cmpl	$9, %eax
	jc	1b
	jmp	1b
1:	ret
2:	ret
	.size	carry, .-carry

	.globl	zero
	.type	zero, @function
zero:				# and those that a counter changes
	xorl	%eax, %eax
	cmpl	$3, %edi
	jge	.Lzero
	.size	zero, .-zero
	.type	rest, @function
rest:
	setl	%al
	ret
.Lzero:	sete	%al
	addl	$4, %eax
	ret
	.size	rest, .-rest

	.globl	where
	.type	where, @function
where:				# asks where it is
	call	1f
1:	popq	%rax
	andl	$0, %eax
	ret
	.size	where, .-where

	.globl	twice
	.type	twice, @function
twice:				# calls what follows, and falls into it
	xorl	%eax, %eax
	call	1f
1:	addl	%edi, %eax
	ret
	.size	twice, .-twice

	.globl	named
	.type	named, @function
named:
	xorl	%eax, %eax
.Lnamed:
	addl	%edi, %eax
	ret
	.size	named, .-named
	.globl	alias
	.type	alias, @function
	.set	alias, .Lnamed

	.globl	distance
	.type	distance, @function
distance:
	movl	$1, %eax
	testl	%edi, %edi
	jz	.+7
	movl	$2, %eax
	.byte	0xeb, 5
	movl	$3, %eax
	testl	$1, %edi
	.byte	0x75, 3
	addl	$1, %eax
	ret
	.size	distance, .-distance
	.section	.note.GNU-stack,"",@progbits
S
cat >m.c <<'C'
#include <stdio.h>
int whole(int), middle(void), jumper(int), caller(void), other(void), later(void), ping(int), pong(int), fact(int), falls(int), next(void), where(void), twice(int), named(int), alias(int), distance(int), flags(int), carry(int), zero(int);
static int
set(int n)
{
	int r;
	__asm__ volatile("call middle" : "=a"(r) : "a"(n) : "cc");
	return r;
}
int
main(void)
{
	int i, s = 0;
	for (i = -3; i < 9; i++) {
		s += whole(i) + jumper(i) + caller() + other() + later() + ping(i) + pong(i) + fact(i & 7) + falls(i);
		s += where() + twice(i) + named(i) + distance(i) + flags(i) + carry(i) + zero(i);
		if (i & 1)
			s += set(i) + alias(i);
	}
	printf("%d\n", s);
	return 0;
}
C
functions='whole jumper caller other later ping pong fact falls next where twice named distance flags carry zero rest'
gcc -no-pie -O1 m.c a.s -o plain
./plain >wanted
# Calls: whole 12 + 12 from caller, 12 from other, 9 from jumper, 6 from set; later 12 + 3 + 12; ping and pong as
# often as they go to each other, flags and carry, too; alias is named.
cat >calls <<'E'
whole 51
jumper 12
caller 12
other 24
later 27
ping 80
pong 68
fact 58
falls 102
next 102
flags 39
carry 51
zero 12
rest 12
where 12
twice 24
named 18
distance 12
E
for kind in edges redundant vertices vertices-by-edges check; do
	rm -rf tally.out
	tally build --quiet --lines=tables --counters=$kind gcc -O1 m.c a.s -o counted
	./counted | cmp - wanted
	[ $kind != check ] || exact middle
	"$ROOT/test/callinsns" counted plain $functions || { echo "--counters=$kind"; exit 1; }
	tally print -f 2>err | awk 'NR > 1 && $1 != "main" { print $1, $2 }' | diff -u calls - || { echo "--counters=$kind"; exit 1; }
	[ ! -s err ] || { cat err; exit 1; }
done
# A call of the middle is one of the function.
tally print --calls >table
grep -q '^  *12 *caller *whole$' table || { cat table; exit 1; }
! awk '$2 == "where"' table | grep . # it only asks where it is

# Frames of such functions are found: the program ends while they are active.
cat >e.s <<'S'
	.text
	.globl	first, second
	.type	first, @function
first:
	.cfi_startproc
	pushq	%rbx
	.cfi_def_cfa_offset 16
	movl	%edi, %ebx
.Lin:	decl	%ebx
	jz	1f
	movl	%ebx, %edi
	call	second
1:	popq	%rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	first, .-first
	.type	second, @function
second:
	.cfi_startproc
	cmpl	$2, %edi
	je	2f
	pushq	%rbx
	.cfi_def_cfa_offset 16
	movl	%edi, %ebx
	jmp	.Lin
2:	subq	$8, %rsp
	.cfi_def_cfa_offset 16
	call	finish
	.cfi_endproc
	.size	second, .-second
	.section	.note.GNU-stack,"",@progbits
S
cat >e.c <<'C'
#include <stdlib.h>
void first(int);
void
finish(void)
{
	exit(0);
}
int
main(void)
{
	first(6);
	return 1;
}
C
gcc -no-pie -O1 e.c e.s -o plain
for kind in edges redundant check; do
	rm -rf tally.out
	tally build --quiet --lines=tables --counters=$kind gcc -O1 e.c e.s -o counted
	./counted
	[ $kind != check ] || exact 'frames that were left'
	"$ROOT/test/callinsns" counted plain first second
done

# A label to which others jump, and indirect jumps of its own function: which of them come there cannot be told, but how many.
cat >h.s <<'S'
	.text
	.globl a
	.type a,@function
a:	xorl %eax,%eax
	jmp *tab(,%rdi,8)
.L0:	incl %eax
.L1:	incl %eax
	ret
	.size a,.-a
	.type b,@function
	.globl b
b:	movl $7,%eax
	cmpl $1,%edi
	je .L1
	jmp .L0
	.size b,.-b
	.data
tab:	.quad .L0,.L1
	.section	.note.GNU-stack,"",@progbits
S
cat >h.c <<'C'
int a(long), b(int);
int
main(void)
{
	int i, s = 0;

	for (i = 0; i < 10; i++)
		s += a(i & 1) + b(i % 3);
	return s == 0;
}
C
gcc -no-pie -O1 h.c h.s -o plain
for kind in edges redundant check; do
	rm -rf tally.out
	tally build --quiet --lines=tables --counters=$kind gcc -no-pie -O1 h.c h.s -o counted
	./counted
	[ $kind != check ] || exact 'jumps of both kinds'
	"$ROOT/test/callinsns" counted plain a b
	tally print -f >table
	grep -q '^a  *10 ' table || { cat table; exit 1; }
done
