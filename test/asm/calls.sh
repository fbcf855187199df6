# calls.sh - who called whom, and how often, as callgrind has it for the build without counters.
# tally-test:slow
cat >p.c <<'C'
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define FN __attribute__((noinline, noclone)) static
static volatile int sink;
static jmp_buf env;
FN int one(int x) { sink++; return x + 1; }
FN int twice(int x) { sink++; return one(x) + one(x + 1); }
FN int tail(int x) { sink++; return x > 2 ? one(x * 3) : twice(x); }
FN int hop(int x) { return one(x); }
FN void visit(int x) { if (x == 7) longjmp(env, 1); sink += x; }
FN void jump(void) { int i; for (i = 0; i < 20; i++) { visit(i); one(i); } }
static int fib(int n) { sink++; return n < 2 ? n : fib(n - 1) + fib(n - 2); }
FN int even(int n);
FN int odd(int n) { sink++; return n ? even(n - 1) : 0; }
FN int even(int n) { sink++; return n ? odd(n - 1) : 1; }
FN void stop(int n) { sink++; if (n) exit(0); one(n); }
int main(int argc, char **argv)
{
	int i;
	for (i = 0; i < 30; i++)
		sink += tail(i) + hop(i);
	sink += fib(12) + even(9) + odd(8);
	if (!setjmp(env))
		jump();
	printf("%d %d\n", argc, strlen(argv[0]) > 0);
	stop(0);
	stop(1);
	return 0;
}
C
# ours PROGRAM - pairs of callers and callees, those outside of the program as `elsewhere'.
ours() {
	tally print -f --mangled "$1" 2>/dev/null | awk 'NR > 1 { print $1 }' >functions
	tally print --calls --mangled "$1" 2>/dev/null |
		awk 'NR == FNR { own[$1]; next } FNR > 1 { n[$2 " " ($3 in own || $3 == "*" ? $3 : "elsewhere")] += $1 }
			END { for (p in n) print p, n[p] }' functions - | LC_ALL=C sort >"$2"
}
# theirs PROGRAM - as callgrind has them; of callers that are counted.
theirs() {
	valgrind --tool=callgrind --demangle=no --callgrind-out-file=callgrind.out ./"$1" >/dev/null 2>&1 || true
	"$ROOT/test/callpairs" "$1" callgrind.out | awk 'NR == FNR { own[$1]; next } $1 in own' functions - | LC_ALL=C sort >"$2"
}
n=0
for cc in gcc clang; do for o in -O0 -O1 -O2 '-O2 -fno-plt' '-O2 -fcf-protection'; do
	base=$cc
	[ $cc = gcc ] || base='clang -fno-integrated-as'
	# shellcheck disable=SC2086
	$base $o -w p.c -o plain -Wl,-z,now
	rm -rf tally.out
	# shellcheck disable=SC2086
	tally build --quiet --lines=tables $cc $o -w p.c -o counted -Wl,-z,now
	./counted >/dev/null
	ours counted got
	theirs plain want
	diff want got || { echo "$cc $o"; exit 1; }
	n=$((n + $(wc -l <got)))
done; done
echo "# $n pairs"
[ $n -gt 100 ]

# A call that was not come back from was made; one behind it was not.
tally print --calls --only=jump 2>/dev/null | awk 'NR > 1 { print $1, $2, $3 }' | LC_ALL=C sort >got
printf '1 main jump\n7 jump one\n8 jump visit\n' | diff - got
# Names of libraries are plain, also where a stub stands before them; --only chooses by either end.
tally print --calls >out
grep -q ' stop  *exit$' out && grep -q ' visit  *_*longjmp$' out && grep -q ' main  *printf$' out || { cat out; exit 1; }
[ "$(tally print --calls --only=exit | awk 'NR > 1 { print $1, $2, $3 }')" = '1 stop exit' ]
sort -s -k1,1nr <(tail -n +2 out) | diff - <(tail -n +2 out)
# Callers that are not counted show nothing, and that is said.
tally build --quiet --skip=twice gcc -O0 p.c -o counted
rm -rf tally.out
./counted >/dev/null
tally print --calls >out 2>err
! grep -q ' twice  *one$' out && grep -q ' tail  *twice$' out && grep -q 'uncounted functions are not shown' err
