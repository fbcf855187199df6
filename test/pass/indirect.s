# dump: pso
# Indirect jumps: no label of the function has its address in data, so they leave it.
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
