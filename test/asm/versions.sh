# versions.sh - code that two versions of tally counted, whose runtimes do not agree on anything but the page's head: in one
# link, and in one process, with threads that are there before the other's code comes, and later ones. The program does what
# it would do, what the first runtime counts is exact, and the other's modules are reported as uncounted.
# tally-test:slow
make -s -C "$ROOT" ABI=77 BUILD="$PWD/other" CFLAGS=-O0 "$PWD/other/tally" >log 2>&1 || { cat log; exit 1; }
other=$PWD/other/tally
cat >lib.c <<'C'
static volatile long sum;
__attribute__((noinline)) static void add(int k) { sum += k; }
int NAME(int n) { for (int i = 0; i < n; i++) add(i); return n; }
C
cp "$HERE/more/versions.c" main.c
# is WHAT FUNCTION CALLS
is() {
	got=$(tally print -f 2>/dev/null | awk -v f="$2" '$1 == f { print $2 }' | paste -sd+)
	[ "$got" = "$3" ] || { echo "$1: $2 was called $got times, not $3"; tally print -f; exit 1; }
}
# runs WHAT COMMAND... - as the plain program.
runs() {
	rm -rf tally.out
	said=$(timeout 60 "${@:2}") && [ "$said" = '3 7' ] || { echo "$1: $said"; exit 1; }
	tally print -f >/dev/null 2>said
	grep -q 'built by another version\|counts with another' said || { echo "$1: nothing is said of what is not counted"; cat said; exit 1; }
}
for cc in gcc clang; do for o in -O0 -O2; do
	"$other" build --quiet $cc $o -DNAME=f -fPIC -shared lib.c -o lib77.so
	"$other" build --quiet $cc $o -DNAME=f -c lib.c -o lib77.o
	tally build --quiet $cc $o -DNAME=f -fPIC -shared lib.c -o lib.so
	tally build --quiet $cc $o -pthread main.c -o main -ldl
	"$other" build --quiet $cc $o -pthread main.c -o main77 -ldl
	tally build --quiet $cc $o -pthread -DLINKED -c main.c -o linked.o
	$cc linked.o lib77.o -pthread -o first
	$cc lib77.o linked.o -pthread -o second
	for threads in '0 0' '3 0' '0 3' '3 3' '20 20'; do
		# shellcheck disable=SC2086
		set -- $threads
		n=$((1000 * ($1 + $2 + 2)))
		runs "$cc $o, $threads, a library of another" ./main $threads ./lib77.so
		is "$cc $o, $threads" own $((n + 4500))
		runs "$cc $o, $threads, a program of another" ./main77 $threads ./lib.so
		runs "$cc $o, $threads, in one link" ./first $threads
		is "$cc $o, $threads, in one link" own $n
		runs "$cc $o, $threads, in one link, the other first" ./second $threads
	done
done; done
