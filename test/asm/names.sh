# names.sh - functions of C++ are called as their source has them, in every view; their
# symbols on demand; and either name chooses them.
cat >p.cc <<'C'
#include <cstdio>
#include <map>
#include <string>
namespace geo {
struct P {
	int x, y;
	P(int a, int b) : x(a), y(b) {}
	int operator[](int i) const { return i ? y : x; }
};
}
template <class T> __attribute__((noinline)) T twice(T t) { return t + t; }
extern "C" int plain(int n) { return n + 1; }
int main()
{
	std::map<std::string, int> m;
	for (int i = 0; i < 10; i++)
		m[std::string(1, char('a' + i % 3))] += twice(i) + (int)twice((double)i);
	geo::P p(m["a"], m["b"]);
	printf("%d\n", plain(p[0] + p[1]));
}
C
tally build g++ -O0 p.cc -o p && ./p >/dev/null
symbol=_ZNK3geo1PixEi name='geo::P::operator[](int) const'

# A table: names last, one line for each, nothing cut off.
tally print -f --instantiations >table
grep -q '^calls  instructions  blocks run  blocks  function$' <(sed 's/^ *//' table)
grep -q "^ *2 .*  geo::P::operator\[\](int) const\$" table
grep -q '^ *10 .*  twice<int>(int)$' table
grep -q '^ *1 .*  plain$' table
! grep -q '  _Z' table
grep -q '  std::map<.\{200\}' table
tally print -f --mangled >mangled
head -1 mangled | grep -q '^function  '
grep -q "^$symbol  *2 " mangled
[ "$(wc -l <table)" = "$(wc -l <mangled)" ]
diff <(awk 'NR > 1 { print $1, $2, $3, $4 }' table) <(awk 'NR > 1 { print $2, $3, $4, $5 }' mangled)
tally print -f --instantiations --sort=name | sed -n '2,$s/^ *\([0-9]*  *\)\{4\}//p' >got
LC_ALL=C sort got | diff - got

# Either name chooses, also a name that is no pattern.
for only in "$name" $symbol 'geo::*\[\]*' '_ZNK3geo*'; do
	[ "$(tally print -f --only="$only" | tail -n +2 | sed 's/.*  geo/geo/')" = "$name" ] || { echo "$only"; exit 1; }
	tally print --only="$only" | grep -q '^ *2 .*int operator\[\]' || { echo "$only"; exit 1; }
	tally print -b --only="$only" | grep -qxF "$name:"
	tally print -b --mangled --only="$only" | grep -qx "$symbol:"
done

# Calls are shown by name, too.
tally print -a >out
grep -qxF "$name:" out
grep -q '^ *1 .  callq* geo::P::operator\[\](int) const$' out
grep -q '^ *[1-9][0-9]* .  callq* std::.*@plt$' out
! grep -q '_Z' out
tally print -a --mangled >out
grep -q "^ *1 .  callq* $symbol\$" out
grep -qx 'main:' out

# Contradictions and uncounted functions.
tally build --skip='geo::P::*' --only='geo::*' --only=main --verbose g++ -O0 p.cc -o q 2>err
grep -qF ": $name: not counted: left out by" err || { cat err; exit 1; }
./q >/dev/null
tally print -f q >table 2>err
grep -q "  -  .*  geo::P::operator\[\](int) const: uncounted: left out by" table
[ "$(grep -vc uncounted table)" = 2 ]
grep -q '^ *1 .*  main$' table

# C names are as ever, first.
echo 'int main(void) { return 0; }' >c.c
tally build gcc c.c -o c && ./c
tally print -f c | grep -q '^main  *1 '

# Where a process died.
printf 'namespace geo { __attribute__((noinline)) void trap(int n) { if (n) __builtin_trap(); } }\nint main(int n, char **) { geo::trap(n); }\n' >d.cc
tally build g++ -O1 d.cc -o d
{ ./d || true; } 2>/dev/null
tally print --runs d 2>/dev/null | grep -q ' in geo::trap(int)'
tally print --runs --mangled d 2>/dev/null | grep -q ' in _ZN3geo4trapEi'
