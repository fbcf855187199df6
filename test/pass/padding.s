# dump: pso
# What an alignment fills in runs where control falls into it, and is nobody's after a jump.  A macro is one item.
	.macro	twice reg
	incl	\reg
	incl	\reg
	.endm
	.text
	.globl	f
	.type	f, @function
f:
	testl	%edi, %edi
	je	.Lelse
	twice	%eax
	.p2align 4
.Lloop:
	decl	%edi
	jne	.Lloop
	ret
	.p2align 4
.Lelse:
	rep
	stosb
	ret
	.size	f, .-f
