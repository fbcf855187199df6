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
