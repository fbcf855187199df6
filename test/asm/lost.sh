# lost.sh - copies of functions that the compiler has dropped, in part or as a whole, where line tables are to tell: each line has its true
# count, or a mark; none is said never to have run that did; and figures of coverage leave out what may have run.
cp "$HERE/more/lost.cc" l.cc
sed -e 's/<cstdio>/<stdio.h>/; s/<cstdlib>/<stdlib.h>/; /<string>/d; s/std:://; /Lock/d; s/^\tstd::string.*//; s/s\.size()/x/' \
	-e '/^static void$/,$s/(long)x/x/' l.cc | sed '/^inlined/,/^}/s/^.*string s.*$//' >l.c
# judge HOW... - build by that, run, compare.
judge() {
	rm -rf tally.out
	tally build --quiet "$@" -o p
	./p >/dev/null
	tally print >listing 2>words
	awk 'match($0, /\/\/= [0-9]+$/) {
		want = substr($0, RSTART + 4)
		mark = substr($0, 12, 1)
		if (substr($0, 1, 11) !~ /[0-9]/)
			next
		n++
		right += $1 == want && mark != "~"
		if ($1 != want && mark != "~") { print; bad = 1 }
	} END { if (n < 10 || bad) exit 1; print right }' listing >right || { echo "$*"; cat right listing; exit 1; }
	tally export --lcov >lcov
	! sed -n '/^SF:.*\/l[.]c/,/^end_/s/^DA:\([0-9]*\),0$/\1/p' lcov | while read -r n; do sed -n "${n}s/\$/ (line $n)/p" "${src:?}"; done |
		grep -v '//= 0 (\|^} (\|^{ (' || { echo "$*: in lcov's figures"; exit 1; }
	[ "$(grep -c ^DA: lcov)" = "$(awk -F: '$1 == "LF" { n += $2 } END { print n }' lcov)" ] || { echo "$*: LF"; exit 1; }
}
for o in -O1 -O2 -O3 -Os; do for cc in g++ clang++; do
	src=l.cc
	judge $cc $o -w l.cc
	src=l.c
	judge --lines=tables "$(echo $cc | sed 's/g++/gcc/; s/clangcc/clang/; s/clang++/clang/')" $o -w l.c
done; done
src=l.cc
judge g++ -O0 -w l.cc
[ "$(cat right)" -ge 34 ] || { cat right listing; exit 1; } # none of them in vain
judge g++ -O2 -w l.cc
grep -q '^ *0 #.*//= 0$' listing || { echo "g++ -O2: what never ran is not said"; cat listing; exit 1; }
judge g++ -O1 -w l.cc
[ "$(cat right)" -ge 20 ] || { cat right listing; exit 1; }
# Marks are for what may be wrong, and not for most of a program: less than six of ten lines of this one have been marked ever since, for other reasons.
cp "$ROOT/test/sample/script.cc" .
rm -rf tally.out
tally build --quiet g++ -O2 -w script.cc -o script
./script >/dev/null 2>&1 || true
tally print --only=script.cc | awk 'substr($0, 1, 11) ~ /[0-9]/ { n++; marked += substr($0, 12, 1) == "~" }
	END { print marked, n; exit n < 300 || 10 * marked > 6 * n }' || { echo "script.cc: too many lines are marked"; exit 1; }
# Functions that a macro declares are different functions, though all are declared in one place.
cat >m.cc <<'C'
#include <cstdio>
struct Base { virtual void run() = 0; virtual ~Base() {} };
static volatile int n;
#define TEST(name) struct name : Base { void run() { n++; test(); } __attribute__((noinline)) void test(); }; void name::test()
TEST(one)
{
	n += 2; //= 1
	std::puts("one"); //= 1
	n += 3; //= 1
}
TEST(two)
{
	n += 2; //= 1
	std::puts("two"); //= 1
	n += 3; //= 1
}
int
main()
{
	one a;
	two b;
	Base *all[] = {&a, &b};
	for (Base *x : all)
		x->run();
	a.run();
	return n == 14;
}
C
sed -i '/^TEST(one)/,/^}/s/= 1/= 2/' m.cc
rm -rf tally.out
tally build --quiet g++ -O2 -w m.cc -o p
./p >/dev/null
tally print --only=m.cc | awk '/n [+]= 3; .*= [12]$/ { n += $1 == $NF && substr($0, 12, 1) == " " } END { exit n != 2 }' ||
	{ tally print --only=m.cc; exit 1; }
