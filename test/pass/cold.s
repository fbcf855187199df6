# dump: sc
# A cold part in another section belongs to its function; each part begins a new block.
	.text
	.globl	f
	.type	f, @function
f:
	testl	%edi, %edi
	js	.Lcold
.Lback:
	movl	%edi, %eax
	ret
	.size	f, .-f
	.section	.text.unlikely,"ax",@progbits
	.type	f.cold, @function
f.cold:
.Lcold:
	negl	%edi
	cmpl	$100, %edi
	jle	.Lback
	call	abort@PLT
	.size	f.cold, .-f.cold
	.ident	"a compiler"
