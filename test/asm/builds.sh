# builds.sh - ways to call a compiler.
mkdir 'a dir' && cd 'a dir'
printf '#include "x.h"\nint main(void) { return f(3) + g(4) - 19; }\n' >'main file.c'
printf 'int f(int);\nint g(int);\n' >x.h
printf '#include "x.h"\nint f(int n) { int i, s = 0; for (i = 0; i < n; i++) s += i; return s; }\n' >f.c
cat >g.s <<'S'
	.globl	g
g:
	xorl	%eax, %eax
1:	addl	%edi, %eax
	subl	$1, %edi
	jnz	1b
	addl	$6, %eax
	ret
	.section	.note.GNU-stack,"",@progbits
S
counts() { # functions and calls, in order
	tally print -f | awk 'NR > 1 { printf "%s%s:%s", s, $1, $2; s = " " }'
	rm -rf tally.out
}
try() { # COMPILE... ; makes x
	rm -f x ./*.o
	"$@" || { echo "$*: failed"; exit 1; }
	./x || { echo "$*: wrong"; exit 1; }
	got=$(counts | tr ' ' '\n' | LC_ALL=C sort | tr '\n' ' ')
	[ "$got" = 'f:1 g:1 main:1 ' ] || { echo "$*: $got"; exit 1; }
}
for cc in gcc clang; do
	for flags in '-O0' '-O2 -g' '-Os -pipe' '-O3 -fPIC' '-O2 -no-pie -fno-pie' '-O2 -static' '-O2 -fcf-protection=full' \
		'-O2 -ffunction-sections -Wl,--gc-sections' '-O1 -fno-plt' '-O2 -s'; do
		[ "$cc $flags" = 'clang -O2 -static' ] && continue
		# shellcheck disable=SC2086
		try tally build --quiet $cc $flags 'main file.c' f.c g.s -o x
	done
	try sh -c "tally build --quiet $cc -O2 -c f.c g.s && tally build --quiet $cc -c 'main file.c' -o m.o && $cc m.o f.o g.o -o x"
done 2>&1 | { ! grep .; }

# A directory with a name that strings must escape.
odd='q"uo\te %s'
mkdir "$odd" && cp f.c g.s x.h 'main file.c' "$odd"
(cd "$odd" && try tally build --quiet gcc -O1 'main file.c' f.c g.s -o x)

# Line tables that we asked for do not reach the program; those that the user did, do.
tally build gcc -O2 -c f.c -o plain.o
tally build gcc -O2 -g -c f.c -o lines.o
! readelf -S plain.o | grep -q debug_line
readelf -S lines.o | grep -q debug_line

# What fails without us fails with us, with the same words and status.
echo 'int x = ;' >bad.c
gcc -c bad.c 2>was || true
status=0
tally build --quiet gcc -c bad.c 2>is || status=$?
[ $status = 1 ] && cmp was is
printf '\tfrobl %%eax\n' >bad.s
status=0
tally build --quiet gcc -c bad.s 2>is || status=$?
[ $status = 1 ] && grep -q 'bad.s:1: .*frobl' is
tally build sh -c 'exit 5' || [ $? = 5 ]

# An assembler that is called by name; a build inside a build counts once.
rm -rf tally.out
tally build --quiet sh -c 'as g.s -o g.o && tally build --quiet gcc -c f.c && gcc -c "main file.c" -o m.o'
gcc m.o f.o g.o -o x
./x
[ "$(counts | tr ' ' '\n' | LC_ALL=C sort | tr '\n' ' ')" = 'f:1 g:1 main:1 ' ]
