# dump: scr
# The address of a label: in f code takes it, and its own indirect jump leads there; in g data has it, and g has no
# indirect jump, so that others come there whenever g calls somebody.
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
