# dump: lc
# Entries of main are counted twice, which shows whether the program ended inside of it.
# Without a line table the text is the source.
	.text
	.globl	main
	.type	main, @function
main:
	pushq	%rbx
	call	f@PLT
	popq	%rbx
	ret
	.size	main, .-main
	.ident	"a compiler"
