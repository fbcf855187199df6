# left.sh - frames that are left in the header of a loop, or elsewhere in the middle of things: each line has the count that its
# comment tells, in all compilers' code, wherever counters are; only where a fault ends something in optimised code a mark
# excuses another.
for src in calls faults; do
	cp "$HERE/left/$src.c" .
	for kind in optimal redundant; do for cc in gcc clang; do for o in -O0 -O1 -O2 -O3; do
		rm -rf tally.out
		tally build --quiet --counters=$kind $cc $o -w $src.c -o p
		./p
		tally print >listing 2>words
		awk -v marks="$([ $src$o = faults-O0 ] || [ $src = calls ] || echo yes)" 'match($0, /\/\/= [0-9]+$/) {
			want = substr($0, RSTART + 4)
			n++
			if (substr($0, 12, 1) == "~" ? !marks : $1 != want) { print; bad = 1 }
		} END { exit bad || n < 40 }' listing || { echo "$src.c: $cc $o, $kind"; exit 1; }
		! grep '1844674' listing || exit 1
	done; done; done
done

# Also in another file of the program, and where the run ends there.
cat >e.c <<'C'
#include <stdlib.h>
static int last(int n) { if (n == 3) exit(0); return n; }
int main(int argc, char **argv)
{
	int i = 0;
	if (argc > 1) {
		volatile int *volatile p = 0;
		for (i = 0; i < 4; i++)
			*p = i;
		do
			i++;
		while (i < 9);
	}
	while (last(i) < 9)
		i++;
	return i;
}
C
for cc in gcc clang; do for o in -O0 -O2; do
	rm -rf tally.out
	tally build --quiet $cc $o -w e.c -o e
	./e
	./e 1 2>/dev/null && exit 1
	tally print 2>/dev/null | sed -n 's/^ *\([0-9]*\) \([ ~#]\).*\(for (\|[*]p = i\|while (i <\|while (last\).*/\1\2\3/p' >is
	sed -i 's/[~#]/ /' is
	diff - is <<'X' || { echo "e.c: $cc $o"; tally print; exit 1; }
1 for (
1 *p = i
0 while (i <
4 while (last
X
done; done
