# labels.sh - functions with labels whose address is taken, and no jump that goes there: others may come there, and
# leave the function for that in the middle.  Every instruction runs as often as callgrind says.
valgrind --version >/dev/null 2>&1 || { echo "there is no valgrind"; exit 77; }
cat >a.s <<'S'
	.text
	.globl	thunk
	.type	thunk, @function
thunk:				# an indirect jump in disguise
	leaq	.Lthere(%rip), %rax
	pushq	%rax
	ret
	ud2
.Lthere:
	movl	$3, %eax
	ret
	.size	thunk, .-thunk

	.globl	states
	.type	states, @function
states:				# goes on where another function leads it
	xorl	%eax, %eax
	testl	%edi, %edi
	jz	.Lzero
.Lone:	addl	$1, %eax
	decl	%edi
	jmp	dispatch
.Lzero:	ret
.Ltwo:	addl	$2, %eax
	decl	%edi
	jg	1f
	ret
1:	jmp	dispatch
	.size	states, .-states

	.globl	dispatch
	.type	dispatch, @function
dispatch:
	movl	%edi, %ecx
	andl	$3, %ecx
	leaq	table(%rip), %rdx
	jmp	*(%rdx,%rcx,8)
	.size	dispatch, .-dispatch
	.section .rodata
	.balign 8
table:	.quad	.Lzero, .Lone, .Ltwo, .Ltwo
	.text

	.globl	guarded
	.type	guarded, @function
guarded:			# calls somebody who may come back elsewhere
	pushq	%rbx
	movl	%edi, %ebx
	leaq	.Lback(%rip), %rax
	movq	%rax, resume(%rip)
	movq	%rsp, stack(%rip)
	call	leaves
	addl	%ebx, %eax
	call	leaves
	addl	$1, %eax
	popq	%rbx
	ret
.Lback:
	movl	$-1, %eax
	popq	%rbx
	ret
	.size	guarded, .-guarded
	.globl	leaves
	.type	leaves, @function
leaves:
	incl	count(%rip)
	movl	count(%rip), %eax
	testl	$3, %eax
	jz	1f
	ret
1:	movq	stack(%rip), %rsp
	jmp	*resume(%rip)
	.size	leaves, .-leaves
	.local	resume, stack, count
	.comm	resume,8,8
	.comm	stack,8,8
	.comm	count,4,4

	.globl	fetch
	.type	fetch, @function
fetch:				# an exception table, as kernels have them
	.cfi_startproc
	movl	$1, %eax
1:	movl	(%rdi), %ecx
2:	addl	$1, %eax
	addl	%ecx, %eax
3:	ret
4:	movl	$-14, %eax
	jmp	3b
	.cfi_endproc
	.size	fetch, .-fetch
	.section __ex_table,"aw",@progbits
	.globl	ex_begin
ex_begin:
	.quad	1b, 4b
	.text

	.globl	reads
	.type	reads, @function
reads:				# the same, by names
	.cfi_startproc
	movl	$4, %eax
reads_load:
	movl	(%rdi), %eax
	addl	$1, %eax
	ret
reads_fixup:
	movl	$-2, %eax
	ret
	.cfi_endproc
	.size	reads, .-reads
	.globl	fixups
	.data
fixups:	.quad	reads_load, reads_fixup

	.text
	.globl	region
	.type	region, @function
region:				# of a table that nobody knows
5:	movl	%edi, %eax
6:	addl	$1, %eax
7:	ret
	.size	region, .-region
	.section __regions,"aw",@progbits
	.quad	6b, 7b
	.section	.note.GNU-stack,"",@progbits
S
cat >m.c <<'C'
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <ucontext.h>
int thunk(void), states(int), guarded(int), fetch(const int *), reads(const int *), region(int);
extern long ex_begin[2], fixups[2];
static void
on(int sig, siginfo_t *info, void *context)
{
	ucontext_t *c = context;
	greg_t *pc = &c->uc_mcontext.gregs[REG_RIP];

	(void)sig, (void)info;
	*pc = *pc == ex_begin[0] ? ex_begin[1] : *pc == fixups[0] ? fixups[1] : 0;
}
int
main(int argc, char **argv)
{
	struct sigaction sa = {.sa_sigaction = on, .sa_flags = SA_SIGINFO};
	int i, s = 0, bad = argc > 1;

	(void)argv;
	sigaction(SIGSEGV, &sa, NULL);
	for (i = 0; i < 12; i++)
		s += thunk() + states(i) + guarded(i) + fetch(i % 3 || !bad ? &i : NULL) + reads(i % 4 || !bad ? &i : NULL) + region(i);
	printf("%d\n", s);
	return 0;
}
C
functions='thunk states dispatch guarded leaves fetch reads'
gcc -no-pie -O1 m.c a.s -o plain
./plain >wanted
./plain fail >failed
# With an argument every third load of fetch fails, and every fourth of reads.
cat >counts <<'C'
12 8 8 8 12 4 4
12 9 9 9 3 3
C
for kind in edges redundant vertices vertices-by-edges check; do
	rm -rf tally.out
	tally build --quiet --lines=tables --counters=$kind gcc -no-pie -O1 m.c a.s -o counted
	./counted | cmp - wanted
	[ $kind != check ] || sound labels
	"$ROOT/test/callinsns" counted plain $functions || { echo "--counters=$kind"; exit 1; }
	tally print -f >table 2>err
	! grep -q 'frames were left early and not found' err || { cat err; exit 1; }
	for f in $functions; do
		n=12
		[ $f != dispatch ] || n=26
		[ $f != leaves ] || n=24
		grep -q "^$f  *$n " table || { echo "--counters=$kind: $f"; cat table; exit 1; }
	done
	grep -q '^region .*uncounted: labels whose address is taken' table
	rm -rf tally.out
	./counted fail | cmp - failed
	[ $kind != check ] || sound labels
	for f in fetch reads; do
		tally print -a --only=$f 2>/dev/null | sed -n 's/^ *\([0-9][0-9]*\) [ #~]  *[a-z].*/\1/p' | paste -sd' '
	done >got
	diff -u counts got || { echo "--counters=$kind"; exit 1; }
done

# What compilers make of labels that others go to: the function that has them.
cat >n.c <<'C'
static int sum;
int
has(int n)
{
	__label__ out;
	void leave(int i)
	{
		if (i & 1)
			goto out; //= 5
		sum++; //= 5
	}

	sum += 2; //= 10
	leave(n); //= 10
	sum += 3; //= 5
	return 1; //= 5
out:
	sum += 4; //= 5
	return 2; //= 5
}
C
cat >b.c <<'C'
static int sum;
static void *buf[5];
__attribute__((noinline)) void
leave(int i)
{
	if (i & 1)
		__builtin_longjmp(buf, 1); //= 5
}

__attribute__((noinline)) int
has(int n)
{
	if (__builtin_setjmp(buf)) { //= 10
		sum += 4; //= 5
		return 2; //= 5
	}
	sum += 2; //= 10
	leave(n); //= 10
	sum += 3; //= 5
	return 1; //= 5
}
C
cat >main.c <<'C'
int has(int);
int
main(void)
{
	int i, s = 0;

	for (i = 0; i < 10; i++)
		s += has(i);
	return s != 15;
}
C
for way in 'gcc n.c' 'gcc b.c' 'clang b.c'; do for o in -O0 -O1 -O2; do for kind in edges redundant check; do
	set -- $way
	rm -rf tally.out
	tally build --quiet --counters=$kind $1 $o -w main.c $2 -o counted
	./counted
	answers "$way $o $kind" $2 --only=$2
	is "$way $o $kind: calls" "$(calls has)" 10
done; done; done
