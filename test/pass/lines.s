# dump: tl
# Rows of a line table, in the order of the instructions.  Before a label to which code jumps
# a row belongs to the control that falls through to it.
	.file	"t.c"
	.text
	.globl	f
	.type	f, @function
f:
	.file	1 "/src" "t.c"
	.loc	1 3 1
	testl	%edi, %edi
	je	.L2
	.loc	1 4 2
	incl	%edi	# a comment
	.loc	1 5 9 is_stmt 0
.L2:
	.loc	1 6 1 is_stmt 1
	movl	%edi, %eax ; ret
	.size	f, .-f
	.ident	"a compiler"
