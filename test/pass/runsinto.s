# dump: so
# Hand-written code may run into the next function: stubs of f may not stand in between, so they
# follow g.
	.text
	.globl	f, g
	.type	f, @function
f:
	testl	%edi, %edi
	je	h
	incl	%edi
	.type	g, @function
g:
	decl	%edi
	ret
