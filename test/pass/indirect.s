# dump: pso
# Jumps through pointers: where no label of the function is in data, they leave it.
	.text
	.globl	f
	.type	f, @function
f:
	testq	%rdi, %rdi
	je	.Lnone
	jmp	*%rdi
.Lnone:
	movq	table(%rip), %rax
	jmp	*8(%rax)
	.size	f, .-f
	.ident	"a compiler"
