# dump: so
# A jump to another function leaves; so does a conditional one, which is counted out of line.  A function of the same
# file is left at its own counter, and a jump to where the function itself begins is no call of it.
	.text
	.globl	f, g
	.type	f, @function
f:
	testl	%edi, %edi
	je	g
	decl	%edi
	js	h
	jne	f
	jmp	h
	.size	f, .-f
	.type	g, @function
g:
	ret
	.size	g, .-g
	.ident	"a compiler"
