# instances.sh - a template is one row, with the sum of its instantiations, which callgrind has one by one; so is
# a function from a header.
cat >t.h <<'C'
template <class T> __attribute__((noinline)) T twice(T x)
{
	return x + x;
}
template <class K, class V> struct Box {
	K k;
	V v;
	__attribute__((noinline)) Box(K a, V b) : k(a), v(b) {}
	__attribute__((noinline)) bool operator<(const Box &o) const { return k < o.k; }
	template <class F> __attribute__((noinline)) V apply(F f) { return f(v); }
	__attribute__((noinline)) V operator()(int n) { V s = v; while (n-- > 0) s += v; return s; }
};
static __attribute__((noinline)) int shared(int x) { return x > 1 ? 3 : x; }
C
cat >a.cc <<'C'
#include "t.h"
int other(int);
__attribute__((noinline)) int f(int x) { return x + 1; } __attribute__((noinline)) int f(long x) { return (int)x; }
int main(int argc, char **)
{
	Box<int, long> a(argc, 2), b(3, 4);
	Box<double, int> c(1.5, argc);
	int s = twice(argc) + (int)twice(2.5) + twice(argc + 1) + (int)twice(3L);

	s += (a < b) + (int)a(3) + c(2) + c.apply([](int x) { return x * 2; }) + (int)a.apply([](long x) { return x + 1; });
	return s + shared(argc) + other(argc) + f(argc) + f(2L) == 0;
}
C
cat >b.cc <<'C'
#include "t.h"
int other(int x) { return shared(x) + shared(x + 1) + (int)twice((short)x); }
C
tally build --quiet g++ -O1 a.cc b.cc -o p
./p
tally print -f --instantiations >each
tally print -f >one
row() { awk -v n="$2" '{ k = $0; sub(/^ *[^ ]+ +[^ ]+ +[^ ]+ +[^ ]+  /, "", k) } k == n { print $1 }' "$1"; }
is() { [ "$(row one "$1")" = "$2" ] || { echo "$1: $(row one "$1"), not $2"; cat one; exit 1; }; }
is 'twice<...>(...) [4]' 5
is 'Box<...>::Box(...) [2]' 3
is 'Box<int, long>::operator<(Box<int, long> const&) const' 1
is 'Box<...>::operator()(...) [2]' 2
is 'shared(int)' 3
is 'f(int)' 1
is 'f(long)' 1
grep -q 'Box<...>::apply<...>(...) \[2\]' one
[ "$(row each 'twice<int>(int)')" = 2 ] && [ "$(row each 'twice<double>(double)')" = 1 ]
[ "$(grep -c 'shared(int)' each)" = 2 ]
# Nothing is lost: the columns have the same sums.
sums() { awk 'NR > 1 && $1 ~ /^[0-9]/ { for (i = 1; i < 5; i++) s[i] += $i } END { print s[1], s[2], s[3], s[4] }' "$1"; }
[ "$(sums one)" = "$(sums each)" ] || { sums one; sums each; exit 1; }
[ "$(tally print -f --mangled | grep -c twice)" = 4 ]
[ "$(tally print -f --mangled | grep -c shared)" = 1 ]
tally print -f --format=json | grep 'twice' | grep -q '"calls":5,.*"copies":4,"function":"twice<...>(...)","symbol":""'
# A line of the template is one, too, however often it was compiled.
tally print --only=t.h | sed -n 4p | grep -q '^ *5 [ ~]	return x + x;$'
tally print --instantiations 2>err && exit 1
grep -q 'needs -f' err
# callgrind's functions are the instantiations; those of a template add up to our row.
command -v valgrind >/dev/null || { echo '# without valgrind'; exit 0; }
g++ -O1 a.cc b.cc -g -o plain
valgrind -q --tool=callgrind --skip-plt=no --callgrind-out-file=cg ./plain 2>/dev/null
want=$(callgrind_annotate --auto=no --threshold=100 cg 2>/dev/null | tr -d , | awk '/:.*twice</ { s += $1 } END { print s }')
got=$(awk '/twice<...>/ { print $2 }' one)
[ "$want" = "$got" ] || { echo "callgrind has $want instructions in twice, not $got"; exit 1; }
