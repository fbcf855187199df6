# flags.sh - flags that are live where a counter goes are kept, the red zone below the
# stack pointer, too.
cat >f.s <<'S'
	.text
	.globl	three
	.type	three, @function
three:				# -1, 0 or 1, by one comparison
	movq	%rdi, -8(%rsp)
	movl	$-1, %eax
	cmpq	%rsi, -8(%rsp)
	jl	1f
	je	2f
	movl	$1, %eax
1:	cmpq	%rdi, -8(%rsp)	# the red zone is what it was
	jne	3f
	ret
2:	movl	$0, %eax
	jmp	1b
3:	ud2
	.globl	carry
	.type	carry, @function
carry:				# the carry goes from block to block
	xorl	%eax, %eax
	addq	%rsi, %rdi
	jo	1f
1:	adcl	$0, %eax
	ret
	.ident	"GCC: for its rules about flags at calls"
	.section	.note.GNU-stack,"",@progbits
S
cat >m.c <<'C'
int three(long, long), carry(unsigned long, unsigned long);
int
main(void)
{
	int i, s = 0;
	for (i = 0; i < 30; i++)
		if (three(i % 3, 1) != i % 3 - 1 || carry(~0ul, i & 1) != (i & 1))
			s++;
	return s;
}
C
for kind in edges vertices redundant vertices-by-edges check 'check --without=triples'; do
	rm -rf tally.out
	# shellcheck disable=SC2086
	tally build --quiet --counters=$kind gcc m.c f.s -o m
	./m || { echo "$kind: $? wrong"; exit 1; }
	[ "$(tally print -f | awk '$1 == "three" { print $2 }')" = 30 ]
	tally print -f | grep -q uncounted && { tally print -f; exit 1; }
done
tally print --compare | grep -q ' 0 differences'
# It was put to the test: some counter had to keep the flags.
objdump -d m --disassemble=three | grep -q pushf
