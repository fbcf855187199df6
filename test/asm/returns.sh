# returns.sh - code that is found by where calls return: no counter comes between a call and a label after it that
# somebody has the address of, nor into what __morestack skips.
cat >frames.s <<'S'
	.text
	.globl	f
	.type	f, @function
f:
	pushq	%rbx
	movl	%edi, %ebx
.Lagain:
	call	collect
.Lsite:
	decl	%ebx
	jnz	.Lagain
	leaq	.Lother(%rip), %rdi
	call	collected
.Lother:
	movl	$3, %eax
	popq	%rbx
	ret
	.size	f, .-f
	.data
	.globl	frametable
frametable:
	.quad	1
	.quad	.Lsite
	.section .note.GNU-stack,"",@progbits
S
cat >frames.c <<'C'
#include <stdio.h>
#include <stdlib.h>

extern void *const frametable[];

void
collect(void)
{
	if (__builtin_return_address(0) != frametable[1])
		abort(); //= 0
}

void
collected(void *where)
{
	if (__builtin_return_address(0) != where)
		abort(); //= 0
}

int f(int);

int
main(void)
{
	printf("%d %d\n", f(4), f(1)); //= 1
	return 0;
}
C
cat >hardened.c <<'C'
#include <stdio.h>

__attribute__((noinline)) int
f(int x)
{
	if (x & 1)
		puts("odd"); //= 4
	if (x > 5)
		puts("large"); //= 3
	return x + 1; //= 9
}

static int (*volatile pointer)(int) = f;

int
main(void)
{
	int s = 0, i;

	for (i = 0; i < 9; i++) //= 10
		s += pointer(i); //= 9
	printf("%d\n", s); //= 1
	return 0;
}
C
cp "$ROOT/test/sample/split.c" .

# try NAME COMPILER ARGS... - it does the same, and its lines and blocks are right.
try() {
	local name=$1 cc=$2
	shift 2
	"$cc" -w "$@" -o plain || exit 1
	rm -rf tally.out
	tally build --quiet --counters=check "$cc" -w "$@" -o counted || exit 1
	./plain >/dev/null
	alike "$cc $*" ./plain ./counted
	exact "$cc $*"
	answers "$cc $*" "$name.c"
}
try hardened clang -O2 -mspeculative-load-hardening hardened.c # without -O what clang makes of it crashes
for o in -O0 -O2; do
	try frames gcc $o frames.c frames.s
	try split gcc $o -fsplit-stack split.c
	is big "$(calls big)" 2
	is main "$(calls main)" 1
done
