# comdat.sh - a template and an inline function that are in three objects are one each in the
# program: shown once, and their counts are those of all three.
cat >h.h <<'C'
#include <vector>
template <class T> __attribute__((noinline)) T
sum(const std::vector<T> &v)
{
	T s = 0;
	for (auto x : v)
		if (x > 2)
			s += x;
	return s;
}
inline __attribute__((noinline)) int
clamp(int n)
{
	static int last;
	if (n > 9)
		n = 9;
	last += n;
	return last;
}
struct Shape {
	virtual ~Shape() {}
	virtual int area() const { return 1; }
};
int one(int), two(int);
C
cat >one.cc <<'C'
#include "h.h"
struct Square : Shape { int n; Square(int k) : n(k) {} int area() const override { return n * n; } };
int one(int n)
{
	std::vector<int> v;
	for (int i = 0; i < n; i++)
		v.push_back(clamp(i));
	Square s(sum(v) % 10);
	const Shape *p = n % 2 ? (const Shape *)&s : new Shape;
	return p->area() + sum(v);
}
C
cat >two.cc <<'C'
#include "h.h"
int two(int n) { return clamp(n) + sum(std::vector<int>(n, n)) + (int)sum(std::vector<double>(n, 1.5)); }
C
cat >main.cc <<'C'
#include "h.h"
#include <cstdio>
int main()
{
	int s = 0;
	for (int i = 0; i < 20; i++)
		s += one(i) + two(i) + clamp(i);
	printf("%d %d\n", s, sum(std::vector<int>{1, 2, 3, 4}));
}
C
symbols() { nm --defined-only "$1" | awk '{ print $(NF - 1), $NF }' | grep -v '__tally_' | LC_ALL=C sort; }
row() { tally print -f --instantiations 2>/dev/null | grep "  $1\$" | sed 's/^ *//; s/ .*//'; } # its calls, by line
for cc in g++ clang++; do for o in -O0 -O2; do
	rm -rf tally.out ./*.o
	for f in one two main; do tally build --quiet --counters=check $cc $o -c $f.cc; done
	$cc one.o two.o main.o -o counted
	./counted >got
	base=$cc
	[ $cc = g++ ] || base='clang++ -fno-integrated-as'
	$base $o one.cc two.cc main.cc -o plain
	./plain | cmp - got
	$base $o -c one.cc -o plain.o
	# Weak symbols are still weak.
	diff <(symbols plain.o) <(symbols one.o) || { echo "$cc $o"; exit 1; }
	exact "$cc $o"
	# 0 + 1 + ... + 19 by one, and 20 by each of the others; 40 by one, 20 by two, 1 by main.
	[ "$(row 'clamp(int)')" = 230 ] && [ "$(row 'sum<int>(.*)')" = 61 ] && [ "$(row 'sum<double>(.*)')" = 20 ] ||
		{ echo "$cc $o"; tally print -f; exit 1; }
	"$ROOT/test/callgrind" counted plain
	# Lines add up the same.
	[ $o = -O2 ] || tally print --only=h.h | grep -q '^ *81  .*T s = 0;' || { tally print --only=h.h; exit 1; }
	[ $o = -O2 ] || tally print --only=h.h | grep -q '^ *230  .*last += n;' || { tally print --only=h.h; exit 1; }
done; done

# The linker keeps whichever copy comes first: of another compiler, or one that is not
# counted.
clang++ -O2 -c main.cc
tally build --quiet --counters=check g++ -O0 -c one.cc
tally build --quiet --counters=check clang++ -O2 -c two.cc
for order in 'one.o two.o main.o' 'two.o one.o main.o' 'main.o two.o one.o'; do
	rm -rf tally.out
	# shellcheck disable=SC2086
	clang++ $order -o mixed
	./mixed | cmp - got
	exact "$order"
	case $order in
	main*) [ -z "$(row 'clamp(int)')" ] ;;
	*) [ "$(row 'clamp(int)')" = 230 ] ;;
	esac || { echo "$order"; tally print -f; exit 1; }
done
