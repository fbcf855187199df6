	.text
	.globl a
	.type a,@function
a:	xorl %eax,%eax
	jmp *tab(,%rdi,8)
.L0:	incl %eax
.L1:	incl %eax
	ret
	.size a,.-a
	.type b,@function
	.globl b
b:	movl $7,%eax
	cmpl $1,%edi
	je .L1
	jmp .L0
	.size b,.-b
	.data
tab:	.quad .L0,.L1
	.section	.note.GNU-stack,"",@progbits
