# dump: scr
# Addresses of labels.  In f code takes one, and the indirect jump of f leads there.  In g data
# has one, and g has no indirect jump: others may go there whenever g calls a function.
	.text
	.globl	f, g
	.type	f, @function
f:
	leaq	.Lhere(%rip), %rax
	testl	%edi, %edi
	je	.Lhere
	movq	%rax, %rdx
	jmp	*%rdx
.Lhere:
	ret
	.size	f, .-f
	.type	g, @function
g:
	pushq	%rbx
	call	h@PLT
	popq	%rbx
	ret
.Lthere:
	movl	$1, %eax
	popq	%rbx
	ret
	.size	g, .-g
	.data
	.quad	.Lthere
	.ident	"a compiler"
