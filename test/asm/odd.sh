# odd.sh - assembly that cannot be counted is left alone, says why, and runs as before;
# what stands beside it is counted.
cat >odd.s <<'S'
	.text
	.globl	bydistance, halfway, thunk, numbered, shorty, plain, prefixed, gap, ends
	.type	bydistance, @function
bydistance:
	movl	$1, %eax
	jmp	.+7
	movl	$2, %eax
	ret
	.type	halfway, @function
halfway:			# into an instruction
	jmp	.+4
	movl	$0x90909090, %eax
	xorl	%eax, %eax
	ret
	.type	thunk, @function
thunk:				# an indirect jump in disguise
	leaq	.Lthere(%rip), %rax
	pushq	%rax
	ret
	ud2
.Lthere:
	movl	$3, %eax
	ret
	.type	numbered, @function
numbered:			# the same, to a label that is a number
	leaq	1f(%rip), %rax
	pushq	%rax
	ret
1:	movl	$-1, %eax
	ret
	.type	shorty, @function
shorty:
	movl	$3, %ecx
	xorl	%eax, %eax
1:	addl	%ecx, %eax
	loop	1b
	ret
	.type	prefixed, @function
prefixed:
	movl	$5, %eax
	testl	%edi, %edi
	js	2f
	rep
	nop
	.byte	0x66, 0x90
2:	ret
	.type	gap, @function
gap:
	xorl	%eax, %eax
	jmp	1f
	ud2
1:	.p2align 4
	ret
	.type	ends, @function
ends:				# goes on nowhere, but never does
	xorl	%eax, %eax
	testl	%edi, %edi
	js	.Lnowhere
	ret
.Lnowhere:
	.p2align 4
	.type	plain, @function
plain:
	movl	%edi, %eax
	testl	%eax, %eax
	je	1f
	subl	$1, %eax
1:	ret
	.section	.note.GNU-stack,"",@progbits
S
cat >m.c <<'C'
int bydistance(void), halfway(void), thunk(void), numbered(void), shorty(void), plain(int), prefixed(int), gap(void), ends(int);
int
main(void)
{
	int i, s = 0;
	for (i = 0; i < 10; i++)
		s += bydistance() + halfway() + thunk() + numbered() + shorty() + plain(i) + prefixed(i) + gap() + ends(i);
	return s != 10 * (1 + 3 - 1 + 6 + 5) + 36;
}
C
tally build gcc -O2 m.c odd.s -o m
./m
tally print -f >table 2>err
grep -q '^bydistance  *10  *30 ' table
grep -q '^thunk  *10  *50 ' table
grep -q '^numbered  *10  *50 ' table
grep -q '^halfway .*uncounted: a branch by distance' table
grep -q '^shorty .*uncounted: a branch that cannot be moved' table
grep -q '^gap .*uncounted: a jump to padding' table
grep -q '^ends  *10  *40 ' table
grep -q '^plain  *10  *49 ' table
grep -q '^prefixed  *10  *60 ' table || { cat table; exit 1; }
# Whole files: another syntax, 32 bits.
printf '.intel_syntax noprefix\n.globl f\nf: mov eax, 7\nret\n' >i.s
tally build gcc -c i.s -o i.o
readelf -S i.o | grep -q tally_map && exit 1
tally build gcc -m32 -c -x assembler - -o 32.o <<'S'
f:	pushl %eax
	ret
S
readelf -h 32.o | grep -q ELF32

# A function that ends in a call that does not return, and one that has no counters at all.
cat >noreturn.c <<'C'
#include <stdlib.h>
__attribute__((noreturn, noinline)) void done(int n) { if (n > 3) abort(); exit(n); }
__attribute__((noreturn, noinline)) static void last(int n) { done(n - 1); }
__attribute__((noreturn, noinline)) void trap(void) { __builtin_trap(); }
int main(int argc, char **argv) { (void)argv; if (argc > 5) trap(); last(argc); }
C
for cc in gcc clang; do for o in -O0 -O2; do
	rm -rf tally.out
	tally build --counters=check $cc $o noreturn.c -o noreturn
	./noreturn
	tally print --compare 2>/dev/null >out || { cat out; exit 1; }
	[ "$(tally print -f 2>/dev/null | awk '$1 == "last" || $1 == "done" { print $2 }' | paste -sd' ')" = '1 1' ]
done; done
