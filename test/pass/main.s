# dump: lc
# Of main it is counted twice how often it is entered, so that a reader sees whether the program ended inside.
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
