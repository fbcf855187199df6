# units.sh - what is counted: functions, blocks, lines, some of them, whether they ran at all; in
# programs, static and not, and in libraries, however they are loaded.
cp "$ROOT/test/sample/collatz.c" .
gcc -g -O0 collatz.c -o collatz
# counts - those of three lines of the listing; - for none
counts() {
	for text in 'while (n' '3 * n' 'n /= 2'; do
		awk -v t="$text" 'index($0, t) { print $1 ~ /^[0-9]+$/ ? $1 : "-" }' list
	done | tr '\n' ' '
}
at() { grep -n -m 1 -F "$1" collatz.c | cut -d: -f1; }
loop=$(at 'while (n') odd=$(at '3 * n')
look() { rm -rf tally.out; tally run "$@" ./collatz 27 >/dev/null; tally print >list 2>remarks; }

look
[ "$(counts)" = '112 41 70 ' ]
look --only="collatz.c:$loop-$odd"
[ "$(counts)" = '112 41 - ' ] || { cat list; exit 1; }
tally print -f | grep -q 'main  *-  *-'
grep -q 'only the code' remarks
look --skip="collatz.c:$odd"
[ "$(counts)" = '112 - 70 ' ] || { cat list; exit 1; }
look --only=main
[ "$(counts)" = '112 41 70 ' ]
addr=$(nm collatz | awk '$3 == "main" { print $1 }')
look --only="0x$addr"
[ "$(counts)" = '- - - ' ] && grep -q '^ *1  main' list || { cat list; exit 1; }
look --coverage
[ "$(counts)" = '1 1 1 ' ] && grep -q -e --coverage remarks
look --functions
tally print -f | grep -q '^main  *1  *-'
[ ! -s list ] && grep -q 'not lines: tally print -f shows them' remarks || { cat list remarks; exit 1; }
rm -rf tally.out
tally run --only=nothing ./collatz >/dev/null 2>err
grep -q -e '--only matches nothing' err

# Where no profile can be written nothing is run.
TALLY_DIR=/dev/null/x tally run ./collatz 27 >out 2>err && exit 1
[ ! -s out ] && grep -q 'mkdir /dev/null/x' err

# The directory is made, with those above it.
TALLY_DIR=deep/er/still tally run ./collatz 27 >/dev/null
tally print deep/er/still | grep -q main

# Without debug information: functions, or blocks.
gcc -O0 collatz.c -o bare
rm -rf tally.out
tally run ./bare 27 >/dev/null 2>err
grep -q 'no debug information' err
tally print -f 2>/dev/null | grep -q '^main  *1  *-'
rm -rf tally.out
tally run --blocks ./bare 27 >/dev/null 2>err
tally print -f >f
rm -rf tally.out
tally run ./collatz 27 >/dev/null
grep ^main f | tr -s ' ' | cmp - <(tally print -f | grep ^main | tr -s ' ')

# Programs of other kinds.
for opt in -no-pie -static -static-pie '-O2 -fcf-protection' -Wl,-z,now; do
	# shellcheck disable=SC2086
	gcc -g -O0 $opt collatz.c -o other
	rm -rf tally.out
	tally run ./other 27 >/dev/null
	tally print --only=collatz.c >list 2>/dev/null
	grep -q '^ *112.*while' list && grep -q '^ *41.*3 \* n' list || { echo "$opt"; cat list; exit 1; }
done

# A tail call of itself is no call; nor is a loop around all of a function.
cat >tail.c <<'C'
static volatile int sink;
__attribute__((noinline)) void loop(int n) { do sink += n; while (--n); }
__attribute__((noinline)) int tail(int n) { return n ? tail(n - 1) : sink; }
int main(void) { int i; for (i = 0; i < 3; i++) { loop(10); tail(5); } return 0; }
C
gcc -O2 -fno-inline tail.c -o tail
rm -rf tally.out
tally run --functions ./tail 2>/dev/null
tally print -f 2>/dev/null | awk '$1 == "loop" || $1 == "tail" { print $1, $2 }' | sort | tr '\n' ' ' | grep -q '^loop 3 tail 3 $' || { tally print -f; exit 1; }

# Libraries: of the program, and opened and closed; constructors and resolvers included.
cat >lib.c <<'C'
int lib(int k)
{
	int i, s = 0;
	for (i = 0; i < k; i++)
		s += i & 3 ? 1 : 2;
	return s;
}
__attribute__((constructor)) static void start(void)
{
	lib(3);
}
static int one(void) { return 1; }
static int (*choice(void))(void)
{
	return one;
}
int chosen(void) __attribute__((ifunc("choice")));
C
cat >user.c <<'C'
#include <dlfcn.h>
#ifdef OPEN
int main(void)
{
	int i, s = 0;
	for (i = 0; i < 3; i++) {
		void *h = dlopen("./lib.so", RTLD_NOW);
		s += ((int (*)(int))dlsym(h, "lib"))(10) + ((int (*)(void))dlsym(h, "chosen"))();
		dlclose(h);
	}
	return s == 42 ? 0 : 1;
}
#else
int lib(int), chosen(void);
int main(void) { return lib(10) + chosen() == 14 ? 0 : 1; }
#endif
C
gcc -g -O0 -shared -fPIC lib.c -o lib.so
gcc -g -O0 user.c -o linked ./lib.so
gcc -g -O0 -DOPEN user.c -o opened
for p in linked:15:1 opened:45:3; do
	IFS=: read -r prog loop starts <<<"$p"
	rm -rf tally.out
	tally run ./"$prog"
	tally print --only=lib.c >list 2>remarks
	[ ! -s remarks ] && grep -q "^ *$loop .*for (i = 0; i < k" list && grep -q "^ *$starts .*lib(3);" list &&
		grep -q "^ *[13] .*return one;" list || { echo "$prog"; cat list remarks; exit 1; }
done
