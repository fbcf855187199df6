# dump: pso
# Alignment instructions run where control falls through into them; after a jump they belong to
# no block.  A macro call is one item.
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
