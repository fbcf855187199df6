# dump: rwo
# A counter between two branches that need the flags: three instructions through a scratch
# register leave the flags alone.
	.text
	.globl	f
	.type	f, @function
f:
	xorl	%eax, %eax
.Lloop:
	movl	(%rdi), %ecx
	addl	%ecx, %eax
	leaq	4(%rdi), %rdi
	decl	%esi
	js	.Ldone
	jne	.Lloop
	negl	%eax
.Ldone:
	ret
	.size	f, .-f
	.ident	"a compiler"
