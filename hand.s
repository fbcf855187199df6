	.globl	hand
	.type	hand, @function
hand:	.cfi_startproc
	adcl	$1, %eax
	decl	%edi
	jg	hand
	ret
	.cfi_endproc
	.section	.note.GNU-stack,"",@progbits
