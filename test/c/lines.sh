# lines.sh - --lines=source: the same listing from both compilers at every level, equal to
# gcov -O0; and compilers behave as they do without us.
listing() { # COMPILER LEVEL FILE ARGS...
	local cc=$1 o=$2 src=$3
	shift 3
	rm -rf tally.out
	tally build --quiet --counters=check $cc $o -w -I. "$src" -o counted -lm -pthread || return 1
	./counted "$@" >/dev/null 2>&1 </dev/null || true
	tally print --compare >compared 2>&1 || { cat compared; return 1; }
	tally print 2>/dev/null
}

# What the programs of test/sample and of here do does not depend on the compiler.
n=0
readarray -t samples < <(witnessed gcov)
for src in "${samples[@]}" "$HERE"/lines/*.c; do
	name=$(basename "$src")
	cp "$src" .
	args=$(arguments "$src")
	for cc in gcc clang; do for o in -O0 -O1 -O2 -O3 -Os; do
		[ $cc = gcc ] || ! grep -q 'gcc only' "$name" || continue
		case $src$o in */sample/*-O1 | */sample/*-Os) continue ;; esac # all levels for those of here
		# shellcheck disable=SC2086
		listing $cc $o "$name" $args >"is$cc$o" || { echo "$name, $cc $o"; exit 1; }
		grep -q '^ *[1-9][0-9]* ' "is$cc$o" || { echo "$name, $cc $o: nothing counted"; exit 1; }
		diff isgcc-O0 "is$cc$o" >differs || { echo "$name: $cc $o"; head -5 differs; exit 1; }
		n=$((n + 1))
	done; done
	# Those with answers, too, say what is true.
	sed -n 's,.*//= *\([0-9]*\).*,\1,p' "$name" >wanted # there may be none
	sed -n 's,^ *\([0-9]*\) .*//=.*,\1,p' isgcc-O0 | diff -u --label wanted --label got wanted - ||
		{ echo "$name"; cat isgcc-O0; exit 1; }
	rm -f ./*.gcda ./*.gcno
	gcc -O0 -w -I. --coverage "$name" -o covered -lm -pthread
	# shellcheck disable=SC2086
	./covered $args >/dev/null 2>&1 </dev/null || true
	[ -e "covered-${name%.c}.gcda" ] || continue # it ended by _exit or a signal
	gcov -t "covered-${name%.c}.gcda" 2>/dev/null |
		perl -ne 'print "$2 ", $1 =~ /#/ ? 0 : $1 + 0, "\n" if /^ *([\d#]+)\*?: *(\d+):/ && $2 > 0' |
		sort >theirs
	perl -ne 'next if $. == 1; print $. - 1, " $1\n" if /^ *(\d+) /' isgcc-O0 | sort >ours
	# gcov's own ways: a line `gcov: N' says what it counts there instead.
	grep -n 'gcov: [0-9]*' "$name" | sed 's/^\([0-9]*\):.*gcov: \([0-9]*\).*/\1 \2/' | sort >quirks
	join theirs ours | awk 'NR == FNR { q[$1] = $2; next } $2 != $3 && q[$1] != $2 {
		print "line", $1 ": gcov", $2 ", tally", $3; bad = 1 } END { exit bad }' quirks - || { echo "$name"; exit 1; }
	lines=$((${lines:-0} + $(join theirs ours | wc -l)))
done
echo "# $n listings; $lines lines agree with gcov -O0"
[ "$lines" -gt 200 ]

# Branches are what gcov -b says.
cat >b.c <<'C'
int f(int a, int b, int *p)
{
	int n = 0;
	if (a > 3 && b < 2 || a == b)
		n = a ? b : 0;
	while (n < 5 && b)
		n++;
	do
		n--;
	while (n > 0 && a != 7);
	p = a ? p : 0;
	return p ? n : a && b ? 2 : 3;
}
int main(void)
{
	int i, s = 0;
	for (i = 0; i < 10; i++)
		s += f(i, i % 3, &s);
	return s != 14;
}
C
for cc in gcc clang; do for o in -O0 -O2; do
	rm -rf tally.out
	tally build --quiet --branches --counters=check $cc $o -w b.c -o b
	./b || true
	exact "b.c $cc $o"
	tally print --branches | sed -n 's/^ *\([0-9]*\)  of \([0-9]*\) taken, column \(.*\)/\1 \2 \3/p' >is
	diff - is <<'X'
7 10 2
6 10 12
4 10 21
6 7 9
25 35 2
29 35 15
20 30 2
21 30 15
9 10 8
9 10 11
0 1 19
0 1 24
10 11 2
X
done; done

# What compilers say, and whether they are content, is as ever: also about marked text.
cat >w.c <<'C'
#include <stdio.h>
#define MAX(a, b) ((a) > (b) ? (a) : (b))
static int f(int x) { int unused; switch (x) { case 1: x++; case 2: return MAX(x, 3); } if (x = 4) ; return x; }
int main(void) { printf("%s %d\n", 3, f(2)); for (int i = 0; i < 3; i++) ; return 0; }
C
for cc in gcc clang; do for o in '-Wall -Wextra' '-Wall -Wextra -O2' '-Wall -Werror' '-std=c89 -pedantic-errors'; do
	was=0 is=0
	# shellcheck disable=SC2086
	$cc $o -c w.c -o w.o 2>was || was=$?
	# shellcheck disable=SC2086
	tally build --quiet $cc $o -c w.c -o w2.o 2>is || is=$?
	[ $was = $is ] && diff was is || { echo "$cc $o: status $was and $is"; exit 1; }
	[ $was = 0 ] || { [ ! -e w2.o ] || { echo "$cc $o: left w2.o"; exit 1; }; }
	rm -f w2.o
done; done

# The ways of building.
mkdir -p 'inc dir' && echo '#define TEN 10' >'inc dir/ten.h'
cat >m.c <<'C'
#include "ten.h"
#include <stdio.h>
int main(void)
{
	int i;
	for (i = 0; i < TEN; i++)
		if (i % 2)
			putchar('x');
	return 0;
}
C
built() { # COMMAND...
	rm -rf tally.out m
	tally build --quiet "$@" || { echo "$*: failed"; exit 1; }
	./m >/dev/null
	tally print | grep -q '^ *11  .*for (i' && tally print | grep -q '^ *5  .*putchar' || {
		echo "$*:"; tally print; exit 1; }
}
for cc in gcc clang; do
	built $cc -O2 -I 'inc dir' m.c -o m
	built $cc -O2 -pipe '-Iinc dir' m.c -o m
	built $cc -O2 -save-temps '-Iinc dir' m.c -o m
	built $cc -O2 -g3 '-Iinc dir' m.c -o m
	built $cc -O2 -include 'inc dir/ten.h' '-Iinc dir' m.c -o m
	built sh -c "$cc '-Iinc dir' -E m.c >m.i && $cc -O2 -c m.i && $cc m.o -o m"
	built sh -c "$cc '-Iinc dir' -O2 -MD -MF m.d -MT x.o -c m.c && $cc m.o -o m"
	grep -q '^x.o: m.c' m.d && grep -q 'ten.h' m.d
	[ $cc = clang ] || built sh -c "$cc '-Iinc dir' -O2 -S m.c && $cc m.s -o m" # clang -S calls no assembler
	built $cc -std=c89 -pedantic-errors -O2 '-Iinc dir' m.c -o m
done
built gcc -O2 -flto '-Iinc dir' m.c -o m
gdb -batch -ex 'info macro TEN' m 2>/dev/null | grep -q 10 || built gcc -g3 '-Iinc dir' m.c -o m

# What is not C as we know it still compiles, with a word.
cat >odd.c <<'C'
int main(void) { return 0; }
int x = __builtin_choose_expr(1, 2, 3) $$$;
C
tally build gcc -c odd.c 2>/dev/null && exit 1
printf 'int f(void) { return 0; }\n#define EMPTY\nint g(int x) { if (x) { return 1; } return 0; }\nint main(void) { asm goto("" :::: out); out: return g(0) + f(); }\n' >goto.c
tally build gcc goto.c -o goto 2>err && ./goto
! grep 'line tables' err

# Calls at the end of functions are jumps, ten million deep.
for cc in gcc clang; do
	rm -rf tally.out
	tally build --quiet --counters=check $cc -O2 "$HERE/more/tail.c" -o tail
	./tail >/dev/null
	exact "$cc tail.c"
	tally print | grep -q '^ *5000001 .*void even'
done

# A signal ends a process in the middle of a block: what comes behind that was not reached; in optimised code, that
# has a mark.
for o in -O0 -O1 -Og; do
	rm -rf tally.out
	tally build --quiet --counters=check gcc $o -w "$HERE/more/crash.c" -o crash
	./crash 2>/dev/null && exit 1
	exact "crash.c $o"
	[ $o = -O0 ] && mark=' ' || mark='~'
	tally print 2>/dev/null | sed -n 's/^ *\([0-9]*\) \([ ~#]\).*\(int f\|a += n\|[*]p = a\|a++\|a \* 2\|n > 3\|a--\|return a\|f(&x\|)8\);*.*/\1\2\3/p' >is
	diff - is <<X || { echo "crash.c $o"; exit 1; }
4 int f
4 a += n
4 *p = a
3${mark}a++
3${mark}a * 2
3${mark}n > 3
2 a--
3 return a
3 f(&x
1 )8
X
done
