# dump: so
# A jump to another function leaves this one, and so does a conditional jump, which is counted
# out of line.  A jump to a function of the same file leaves before that function's counter; a
# jump to the function's own start is not a call of it.
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
