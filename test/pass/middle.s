# dump: sc
# f is entered in the middle: g jumps there, and a label without a type is global.  No counter
# can stand on these edges, so others have to determine how often they were taken.
	.text
	.globl	f, inside, g
	.type	f, @function
f:
	movl	$1, %eax
	testl	%edi, %edi
	jne	.Lsecond
inside:
	addl	$2, %eax
.Lsecond:
	addl	$3, %eax
	ret
	.size	f, .-f
	.type	g, @function
g:
	movl	$4, %eax
	jmp	.Lsecond
	.size	g, .-g
