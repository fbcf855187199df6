# source.sh - assembly as a source: its own lines in listings and line tables, the
# assembler's warnings with its own line numbers.
cat >f.s <<'S'
	.globl f
	.type f, @function
f:	xorl	%eax, %eax	# one
	/* a comment
	   of two lines */
1:	addl	%edi, %eax; decl %edi
	jnz	1b
	ret
	.size f, .-f
	.section .note.GNU-stack,"",@progbits
S
cat >g.S <<'S'
#define ZERO(r) xorl r, r
#include "macros.h"
	.globl g
	.type g, @function
g:
	ZERO(%eax)
	cmpl	$10, %edi
	jg	big
	inc2(%eax)
big:	ret
	.size g, .-g
	.section .note.GNU-stack,"",@progbits
S
printf '#define inc2(r) incl r; \\\n\tincl r\n\n' >macros.h
cat >m.c <<'C'
int f(int);
int g(int);
int main(void) { return f(4) + g(3) + g(11) - 12; }
C
for cc in gcc clang; do for dbg in '' -g; do
	rm -rf tally.out
	tally build $cc $dbg m.c f.s g.S -o p
	./p
	tally print --only=f.s --only=g.S >out
	grep -qx '         1  f:	xorl	%eax, %eax	# one' out
	grep -qx '         4  1:	addl	%edi, %eax; decl %edi' out
	grep -qx '         4  	jnz	1b' out
	grep -qx '         1  	inc2(%eax)' out
	grep -qx '         2  big:	ret' out
	grep -qx '            	.globl f' out
	if [ -n "$dbg" ]; then # the program's own line table says what it says without us
		$cc $dbg -fno-integrated-as -c f.s -o plain.o 2>/dev/null || $cc $dbg -c f.s -o plain.o
		tally build $cc $dbg -c f.s -o counted.o
		lines() { readelf --debug-dump=decodedline "$1" | awk '$1 == "f.s" { print $2 }' | uniq; }
		lines plain.o >want
		lines counted.o >got
		[ -s want ] && diff want got
	fi
done; done
cat >w.s <<'S'
	.globl w
	.type w, @function
w:
	movl	$1, %eax
	.warning "look here"
	ret
	.section .note.GNU-stack,"",@progbits
S
gcc -c w.s -o w.o 2>want
tally build --quiet gcc -c w.s -o w.o 2>got
diff want got
gcc -pipe -x c -w -S - -o e.s <<<'int e(void) { return 1; }'
printf '\tmovl %%eax\n' >>e.s
gcc -c e.s -o e.o 2>want && exit 1
tally build --quiet gcc -c e.s -o e.o 2>got && exit 1
diff want got
