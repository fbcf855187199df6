# lost.sh - copies of functions that the compiler has dropped, in part or as a whole, where line tables are to tell: each line has its true
# count, or a mark; none is said never to have run that did; and figures of coverage leave out what may have run.
cat >l.cc <<'C'
#include <cstdio>
#include <cstdlib>
#include <string>
static long total;
struct Lock { ~Lock() { total++; } };
int
kind(int n) //= 4
{
	int r = 0; //= 4
	switch (n) { //= 4
	case 1:
		r = 10; //= 2
		break; //= 2
	case 2:
		r = 20; //= 1
		break; //= 1
	default:
		r = 30; //= 1
	}
	return r; //= 4
}
void
twice(int *a, int n) //= 40
{
	for (int i = 0; i < n; i++)
		a[i] *= 2; //= 780
}
void
locked(int x)
{
	Lock l; //= 100
	if (x == 3) { //= 100
		total += 5; //= 17
		return; //= 17
	}
	for (int i = 0; i < x; i++)
		total += i; //= 124
}
void
call(void (*f)(int), int x)
{
	if (x & 1) //= 40
		f(x); //= 20
}
void
never(int x)
{
	if (x > 5) //= 40
		std::abort(); //= 0
}
int
unused(int x) //= 0
{
	std::puts("unused"); //= 0
	return x; //= 0
}
static void
inlined(int x)
{
	if (x < 2) //= 80
		return; //= 31
	std::string s(x, 'y'); //= 49
	total += (long)s.size(); //= 49
}
int
main(int argc, char **argv)
{
	int a[64] = {0};

	for (int i = 0; i < 40; i++) {
		twice(a, i % 64); //= 40
		locked(i % 6); //= 40
		call(locked, i % 4); //= 40
		never(i % 5); //= 40
		locked(i % 3); //= 40
		inlined(i % 20); //= 40
		inlined(i % 3); //= 40
	}
	std::printf("%ld %d %d\n", total, a[3], kind(1) + kind(1) + kind(2) + kind(7)); //= 1
	return 0; //= 1
}
C
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
