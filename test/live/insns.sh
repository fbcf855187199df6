# insns.sh - instructions that are not themselves anywhere else, each with a breakpoint in its place:
# relative to rip, calls and jumps of every kind, those that ask where they are, push and pop
# memory, repeat themselves, loop to themselves, enter the kernel.  They do what they do, and each is
# counted as often as it is executed, which callgrind confirms.
cat >insns.s <<'A'
	.globl	run
	.type	run, @function
run:
	push	%rbp
	mov	%rsp, %rbp
	push	%rbx
	xor	%ebx, %ebx
	lea	number(%rip), %rax
	add	number(%rip), %rbx
	addq	$3, number(%rip)
	incl	number(%rip)
	cmpq	$0, number(%rip)
	pushq	number(%rip)
	popq	other(%rip)
	add	other(%rip), %rbx
	call	1f
1:	pop	%rax
	lea	1b(%rip), %rcx
	sub	%rcx, %rax
	add	%rax, %rbx
	mov	$9, %ecx
2:	loop	2b
	mov	$5, %ecx
3:	add	%rcx, %rbx
	dec	%ecx
	jnz	3b
	xor	%ecx, %ecx
	jrcxz	4f
	ud2
4:	call	many
	add	%rax, %rbx
	mov	$39, %eax
	syscall
	mov	%eax, %r8d
	lea	leaf(%rip), %rax
	call	*%rax
	call	*pointer(%rip)
	push	%rax
	call	*8-8(%rsp)
	pop	%rax
	mov	$1, %edx
	lea	pointer(%rip), %rcx
	call	*-8(%rcx,%rdx,8)
	lea	5f(%rip), %rax
	jmp	*%rax
	ud2
5:	mov	$3, %esi
6:	lea	table(%rip), %rcx
	movslq	(%rcx,%rsi,4), %rax
	add	%rcx, %rax
	jmp	*%rax
7:	inc	%rbx
8:	add	$2, %rbx
9:	dec	%esi
	jns	6b
	mov	$11, %ecx
	std
	cld
	stc
	jc	10f
	ud2
10:	jnc	11f
	cmp	$100, %ecx
	jl	12f
11:	ud2
12:	xchg	%rbx, other(%rip)
	lock addq $1, other(%rip)
	mov	other(%rip), %rax
	cmpxchg	%rdx, number(%rip)
	mov	other(%rip), %rax
	pushf
	popf
	mov	%fs:0, %rdx
	pop	%rbx
	leave
	ret
	.size	run, .-run
	.type	many, @function
many:
	lea	bytes(%rip), %rdi
	mov	$64, %ecx
	mov	$7, %al
	rep	stosb
	lea	bytes(%rip), %rdi
	mov	$64, %ecx
	mov	$9, %al
	repne	scasb
	lea	bytes(%rip), %rsi
	lea	bytes+64(%rip), %rdi
	mov	$64, %ecx
	rep	movsb
	movzbl	bytes+100(%rip), %eax
	ret
	.size	many, .-many
	.type	leaf, @function
leaf:
	add	$1, %rbx
	ret
	.size	leaf, .-leaf
	.type	spin, @function
	.globl	spin
spin:	dec	%edi
	jnz	spin
	ret	$0
	.size	spin, .-spin
	.section .rodata
	.balign 4
table:	.long	9b-table, 8b-table, 7b-table, 8b-table
	.data
number:	.quad	40
other:	.quad	0
pointer:	.quad	leaf
bytes:	.zero	128
	.section .note.GNU-stack,"",@progbits
A
cat >main.c <<'C'
#include <stdio.h>
long run(void);
void spin(int);
int
main(void)
{
	long i, s = 0;
	for (i = 0; i < 25; i++) {
		s += run();
		spin(7);
	}
	printf("%ld\n", s);
	return 0;
}
C
for link in -pie -no-pie -static; do
	gcc -g -O1 -w $link main.c insns.s -o insns
	./insns >out
	for unit in --lines --instructions; do
		rm -rf tally.out
		tally run $unit --only=run --only=leaf --only=spin --only=main ./insns | cmp - out
		tally print -f >/dev/null 2>err
		if grep contradict err; then exit 1; fi
		"$ROOT/test/callgrind" insns insns || { echo "$link $unit"; exit 1; }
		# One that repeats itself counts once; callgrind counts its rounds.
		rm -rf tally.out
		tally run $unit --only=many ./insns | cmp - out
		[ "$(tally print -f 2>/dev/null | awk '$1 == "many" { print $2, $3 }')" = '25 350' ] || { echo "$link $unit"; tally print -f; exit 1; }
	done
done
