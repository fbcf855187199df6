# languages.sh - programs in C++, Fortran and Ada, and one with OpenMP, where there are
# compilers for them: they do with counters what they do without, redundant and optimal
# counters agree, instructions executed in each function equal callgrind's, and lines of the
# source are found.
tried=
# program SOURCE LINE COMPILER OPTIONS... - a program of test/sample; LINE is one of its
# listing, if it is not optimised.
program() {
	local src=$1 line=$2 want status=0 k
	shift 2
	command -v "$1" >/dev/null || return 0
	want=$(sed -n '1,5s/.*status: *//p' "$ROOT/test/sample/$src")
	rm -rf plain counted && mkdir plain counted
	cp "$ROOT/test/sample/$src" plain
	cp "$ROOT/test/sample/$src" counted
	# callgrind counts each round of a `rep', we count one: there must be none.
	case $1 in
	clang*) (cd plain && "$@" -fno-integrated-as "$src" -o plain) & ;;
	*)
		set -- "$@" -mstringop-strategy=libcall
		(cd plain && "$@" "$src" -o plain) &
		;;
	esac
	(cd counted && tally build --quiet --counters=check "$@" "$src" -o counted)
	wait $!
	mv plain/plain counted
	cd counted
	for k in plain counted; do
		status=0
		./$k >$k.out 2>$k.err || status=$?
		[ $status = "$want" ] || { echo "$* ($k): status $status, not $want"; cat $k.err; exit 1; }
	done
	cmp plain.out counted.out
	cmp plain.err counted.err
	exact "$*"
	! grep 'not counted' compared || { echo "$*"; exit 1; }
	tried="$tried $1$2"
	"$ROOT/test/callgrind" counted plain || { echo "$*"; exit 1; }
	[ -z "$line" ] || tally print --only="$src" | grep -q "$line" || { echo "$*: no line $line"; exit 1; }
	cd ..
}
program script.cc '' g++ -O2
program script.cc '^ *6  .*result = result \* x;' clang++ -O0 # 63 has six bits
program field.f90 '^ *8  .*stop 4' gfortran -O0
program field.f90 '' gfortran -O2
program depot.adb '^ *10  .*raise Full with' gnatmake -O0 -q

cat >omp.c <<'C'
#include <stdio.h>
static volatile int k = 7;
__attribute__((noinline)) static int f(int i) { return i % k == 3 ? i : -1; }
int main(void)
{
	long s = 0;
	int i;
#pragma omp parallel for reduction(+ : s)
	for (i = 0; i < 100000; i++)
		s += f(i);
	printf("%ld\n", s);
	return 0;
}
C
if echo 'int main(void) { return 0; }' | gcc -fopenmp -x c - -o t 2>/dev/null; then
	rm -rf tally.out
	tally build --quiet --counters=check gcc -O2 -fopenmp omp.c -o omp
	[ "$(OMP_NUM_THREADS=16 ./omp)" = 714221429 ]
	exact openmp
	tried="$tried openmp"
	[ "$(tally print -f 2>/dev/null | awk '$1 == "f" { print $2 }')" = 100000 ]
fi
echo "#$tried"
[ -n "$tried" ] || { echo 'no such compilers'; exit 77; }
