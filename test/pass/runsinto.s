# dump: so
# What people wrote may run into the next function: stubs of f may not stand between them, and go to after g.
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
