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
