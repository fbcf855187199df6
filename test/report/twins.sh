# twins.sh - code that several programs have in common counts once: every view of two programs says of it what one program
# says that does the work of both. Code that only looks alike counts for itself.
cat >common.h <<'C'
static int
inheader(int n)
{
	return n > 1000 ? 3 : n + 1;
}
C
cat >common.c <<'C'
#include "common.h"
#ifndef STEP
#define STEP 3
#endif
static int
helper(int n)
{
	return n * 2;
}
int
common(int n)
{
	int s = 0;
	if (n > 100) {
		s = helper(n);
		s++;
	} else if (n < 0) {
		s = 5;
		s++;
	}
	if (n < 10)
		s += STEP;
	return s + inheader(n);
}
C
cat >more.c <<'C'
#include "common.h"
int
more(int n)
{
	return inheader(n) + inheader(n + 3000);
}
C
cat >asm.s <<'S'
	.globl	odd
	.type	odd, @function
odd:	movl	%edi, %eax
	cmpl	$3, %edi
	jg	1f
	negl	%eax
1:	ret
	.size	odd, .-odd
	.type	far, @function
far:	jmp	.+2			# by distance: not counted
	ret
	.size	far, .-far
	.section .note.GNU-stack,"",@progbits
S
main() { # WHICH
	echo 'int common(int), more(int), odd(int);'
	echo 'int main(void) { int i = 0, s = 0;'
	[ "$1" = two ] || echo 'for (i = 0; i < 10; i++) s += common(i) + odd(1);'
	[ "$1" = one ] || echo 's += common(200) + more(3) + odd(7);'
	echo 'return s + i == -1; }'
}
for n in one two both; do main $n >$n.c; done
objs='common.o more.o asm.o'
# The lines that each view has of what is common; names of programs and addresses differ.
views() { # PROFILES...
	local v
	for v in 'print -s' 'print -f' 'print -f --table' 'print -b --table' 'print -a' 'print -b' 'print --calls' 'print' \
		'print --regions' 'stats --functions' 'mix --per=file' 'export --lcov' 'export --json' 'lprint -s' 'lprint -f'; do
		echo "== $v"
		# shellcheck disable=SC2086
		case $v in
		lprint*) $v "$@" | grep -v ' main$\|/\(one\|two\|both\)\.c$' ;;
		# By the counts of a run each program has its own exact weights.
		stats*) tally $v --only='common.[ch]' --only=more.c --only=asm.s "$@" | awk '{ print $1, $2, $3, $4, $5, $6, $7, $8, $NF }' ;;
		export*) tally $v "$@" --only='common.*' --only=more.c --only=asm.s | grep -v '"created"\|"program\|"path"' ;;
		*) tally $v --only='common.[ch]' --only=more.c --only=asm.s "$@" ;;
		esac
	done 2>/dev/null | grep -v '^ *[0-9]* *main ' | sort_parts
}
# sort_parts - the rows of each view, in any order.
sort_parts() { awk '/^== / { n++ } { print n "\t" $0 }' | sed 's,/d/[.][.]/,/,' | sort; }
same() { # WHAT
	views both.out >want
	views one.out two.out >got
	diff want got || { echo "$1"; exit 1; }
	views two.out one.out >got
	diff want got || { echo "$1, the other first"; exit 1; }
	rm -f merged
	tally merge -o merged one.out two.out
	views merged >got
	diff want got || { echo "$1, merged"; exit 1; }
}
run() { for n in one two both; do TALLY_DIR=$n.out ./$n; done; }
for way in 'gcc source' 'gcc tables' 'clang source'; do
	read -r cc lines <<<"$way"
	rm -rf ./*.out
	# shellcheck disable=SC2086
	tally build --quiet --lines="$lines" sh -c "$cc -O0 -c common.c more.c one.c two.c both.c && $cc -c asm.s"
	# shellcheck disable=SC2086
	for n in one two both; do $cc $n.o $objs -o $n; done
	run
	same "$way"
done
# Blocks that ran in either: of these all ran but those of n < 0.
tally print -f one.out two.out | awk '$1 == "common" { print $5 - $4 }' | grep -qx 1
# In pages, too, but for the links to a flow graph for each program.
tally html -o site one.out two.out
tally html -o site2 both.out
functions() { grep '>\(common\|more\|odd\|inheader\|helper\|far\)<' "$1/index.html" | sed 's/<[^>]*>/ /g; s/\(:[0-9]*\) .*/\1/' | sort; }
functions site2 >want
functions site | diff want -
# In a library of objects; compiled once more for the other program; with another object of the same names between.
ar rc libc.a $objs
for n in one two both; do gcc $n.o libc.a -o $n; done
rm -rf ./*.out
run
same 'a library of objects'
mkdir d
cp one.o d
tally build --quiet --lines=tables sh -c 'cd d && gcc -O0 -c ../common.c ../more.c ../asm.s'
tally build --quiet --lines=tables gcc -O0 -c common.c more.c asm.s
(cd d && gcc one.o $objs -o ../one)
for n in two both; do gcc $n.o $objs -o $n; done
rm -rf ./*.out
run
same 'compiled twice'

# Other code of the same source is other code: optimised, or with another macro.
size() { tally print -s "$@" | awk '/common.c$/ { sub("i", "", $2); print $2 }'; }
tally build --quiet --lines=tables sh -c 'cd d && gcc -O2 -c ../common.c'
(cd d && gcc one.o common.o ../more.o ../asm.o -o ../one)
rm -rf ./*.out
run
[ "$(size one.out two.out)" = $(($(size one.out) + $(size two.out))) ]
[ "$(size one.out)" != "$(size two.out)" ]
blocks() { tally print -f one.out two.out | awk -v f="$1" '$1 == f { print $5 }'; }
tally build --quiet --lines=tables gcc -O0 -c common.c -o common.o
tally build --quiet --lines=tables gcc -O0 -DSTEP=300000 -c common.c -o d/common.o
gcc one.o common.o more.o asm.o -o one
gcc two.o d/common.o more.o asm.o -o two
rm -rf ./*.out
run
[ "$(blocks common) $(blocks helper)" = '14 1' ]
# A source that is in one program twice has two copies of a function there, as in two programs.
tally build --quiet --lines=tables gcc -O0 -Dcommon=other -c common.c -o other.o
for n in one two; do gcc $n.o $objs other.o -o $n; done
rm -rf ./*.out
run
[ "$(blocks common) $(blocks helper)" = '7 2' ]
# And a function of a header that two units of one program have is there twice, in two programs, too.
tally build --quiet --lines=tables gcc -O0 -c common.c more.c one.c two.c
for n in one two; do gcc $n.o $objs -o $n; done
rm -rf ./*.out
run
tally print -f --format=json one.out two.out | grep -o '"copies": *[0-9]*, *"function": *"inheader"' | grep -q ': *2,'
tally print -f --format=json one.out | grep -o '"copies": *[0-9]*, *"function": *"inheader"' | grep -q ': *2,'
