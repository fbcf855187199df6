# twice.sh - a text that is included twice in a function, and functions that share a line: their counts add up.
set +e
cat >body.inc <<'C'
	for (int i = 0; i < N; i++) {
		hits++;
	}
C
cat >a.c <<'C'
#include <stdio.h>
static int hits;
int main(void)
{
#define N 5
#include "body.inc"
#undef N
#define N 3
#include "body.inc"
	printf("%d\n", hits);
	return 0;
}
C
bad=0
for cc in "gcc -O0" "gcc -O2" "clang -O2"; do
	tally build --quiet $cc -w -g a.c -o a || exit 1
	rm -rf tally.out
	test "$(./a)" = 8 || exit 1
	tally print a >out 2>/dev/null
	echo "$cc: $(grep 'hits++' out)"
	grep -Eq '^ *8 [[:space:]]*hits\+\+' out || bad=1
done
[ $bad = 0 ] || exit 1

cat >a.c <<'C'
#define PAIR(n) static int get##n(int x) { return x; } static int set##n(int x) { return x + 1; }
PAIR(1)
int main(void)
{
	int s = 0;
	for (int i = 0; i < 10; i++)
		s += get1(i);
	for (int i = 0; i < 5; i++)
		s += set1(i);
	return s != 60;
}
C
cp a.c a.cc
tally build --quiet gcc -g a.c -o a && ./a && tally build --quiet g++ -g a.cc -o b && ./b || exit 1
tally print a 2>/dev/null | tee out | grep '	\?PAIR(1)$'
tally print b 2>/dev/null | grep 'PAIR(1)$'
grep -Eq '^ *15 .*PAIR\(1\)$' out || exit 1
