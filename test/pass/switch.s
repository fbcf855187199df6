# dump: sw
# A jump table: the labels are in data, so the indirect jump leads to the hub, and edges lead
# from there to the labels.
	.text
	.globl	f
	.type	f, @function
f:
	cmpl	$2, %edi
	ja	.Lother
	movl	%edi, %edi
	notrack jmp	*.Ltable(,%rdi,8)
.Lone:
	movl	$1, %eax
	ret
.Ltwo:
	call	g@PLT
.Lother:
	xorl	%eax, %eax
	ret
	.size	f, .-f
	.section	.rodata
	.align	8
.Ltable:
	.quad	.Lone
	.quad	.Ltwo
	.quad	.Lone
	.ident	"a compiler"
