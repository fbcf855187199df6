# merge.sh - many profiles become one file that says what they say together, keeps labels and builds
# apart, and is a profile to every verb; lcov adds up the same, and so does awk.
command -v lcov >/dev/null || { echo "lcov is not there"; exit 77; }
cat >p.c <<'C'
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

int util(int x);
static jmp_buf back;

__attribute__((noinline)) static void deep(int n)
{
	if (n == 0)
		longjmp(back, 1);
	deep(n - 1);
}

static int twice(int x) { return 2 * x; }
static int (*volatile through)(int) = twice;

int
main(int argc, char **argv)
{
	int i, s = 0, n = argc > 1 ? atoi(argv[1]) : 0;

	for (i = 0; i < n; i++)
		s += i & 1 ? util(i) : through(i);
	if (n == 5 && !setjmp(back))
		deep(3);
	if (n == 6)
		exit(3);
	if (n == 7)
		raise(SIGTERM);
	return s == -1;
}
C
cat >util.c <<'C'
int
util(int x)
{
	if (x > 3)
		return 1;
	return 0;
}
C
tally build --quiet --order --counters=edges,calls gcc -O1 p.c util.c -o p
run() { # DIRECTORY LABEL N
	TALLY_DIR=$PWD/$1 TALLY_LABEL=$2 ./p "$3" 2>/dev/null || true
}
for n in 0 1 2 5; do run d1 a $n; done
for n in 2 3 5 6; do run d2 a $n; done
for n in 4 7 8; do run d2 b $n; done
run d3 "" 3
run d3 "odd name: ä" 5
tally merge -o m1.tally d1 d2 d3
tally merge -o m2.tally d1/*.tally d2
tally merge -o m3.tally m2.tally d3

# Every view says the same of what was merged, once or twice, as of the files.
same() { # VIEW...
	tally print "$@" d1 d2 d3 >want 2>want.err || { cat want.err; exit 1; }
	for m in m1 m3; do
		tally print "$@" $m.tally >got 2>got.err || { cat got.err; exit 1; }
		diff want got && diff want.err got.err || { echo "$* of $m"; exit 1; }
	done
}
for view in '' -a -f -s -b --calls --runs --regions '-s --sort=use' '--by-label -f'; do
	# shellcheck disable=SC2086
	same $view
done
grep -q 'label odd name: ä' want
tally print --calls m1.tally | grep -q 'main  *twice'
tally print --runs m1.tally | grep -q 'SIGTERM in main'
tally mix m1.tally >got
tally mix d1 d2 d3 | diff - got
tally export --json -o want.json d1 d2 d3 && tally export --json m1.tally | diff want.json -

# lcov and awk add up as we do.
for d in d1 d2 d3; do tally export --lcov -o $d.info $d; done
lcov -q -a d1.info -a d2.info -a d3.info -o sum.info
das() { sed -n '/^SF:\|^DA:/p' "$1" | sed 's/^\(DA:[0-9]*,[0-9]*\).*/\1/'; }
tally export --lcov -o m.info m1.tally
das sum.info >want
das m.info | diff want -
for f in d1/*.tally d2/*.tally d3/*.tally; do tally print -f "$f" 2>/dev/null; done |
	awk '$2 ~ /^[0-9]+$/ { c[$1] += $2; n[$1] += $3 } END { for (f in c) print f, c[f], n[f] }' | sort >want
tally print -f m1.tally 2>/dev/null | awk '$2 ~ /^[0-9]+$/ { print $1, $2, $3 }' | sort | diff want -

# Which tests reach a line: those whose own listing says so.
tests() { tally tests "$@" 2>/dev/null | awk 'NR > 1 { print $1, $3 }'; }
[ "$(tests util.c:5 m1.tally | tr '\n' ' ')" = '1 a 3 b ' ] || { tally tests util.c:5 m1.tally; exit 1; }
for line in 5 6; do
	for label in a b; do
		n=$(tally print --by-label --only=util.c m1.tally 2>/dev/null |
			awk -v l="label $label:" -v k=$line '/^label |^no label/ { on = $0 == l; n = 0 } on && ++n == k + 2 { print $1 }')
		[ "$n" = 0 ] || echo "$n $label"
	done >want
	tests "util.c:$line" m1.tally | grep ' [ab]$' | diff want - || { echo "tests of util.c:$line"; exit 1; }
done
[ "$(tests p.c:30 m1.tally)" = '1 b' ]
tally tests util.c:3 m1.tally >out 2>err && exit 1
grep -q '^util.c:3: no code on this line; the next line with code is 4$' err
tally tests nowhere.c:3 m1.tally 2>err && exit 1
grep -q 'nowhere.c: is not a source of' err

# Builds are kept apart, and both are named; the one that is no more is left out.
cp -r d1 old
sed -i 's/return 1;/return 2;/' util.c
sed -i 's/x > 3/x > 2 \&\& x != 17/' util.c
tally build --quiet gcc -O1 p.c util.c -o p
run new a 4
tally merge -o both.tally old new 2>err
grep -q '^old/p-.*\.tally and new/p-.*\.tally: from different builds of .*/p, which are kept apart$' err || { cat err; exit 1; }
[ "$(wc -l <err)" = 1 ]
tally print -f both.tally >got 2>err
tally print -f new 2>/dev/null | diff - got
grep -q 'has changed since it ran: 4 runs of another build left out' err

run newz z 2
tally merge -o both.tally old new newz 2>/dev/null
tally print --by-label -f both.tally 2>&1 | grep -q '4 runs of another build left out'
[ "$(tally print --by-label -f both.tally 2>/dev/null | grep -c '^main')" = 2 ]

# Sources that are not there are missed once, whatever the label.
mkdir away && mv p.c util.c away
tally print --by-label both.tally >out 2>err
[ "$(grep -c 'through)(int) = twice' out)" = 2 ]
[ "$(grep -c 'p.c: not found; using ' err)" = 1 ] || { cat err; exit 1; }
mv away/* .

# A file that is named twice is read once; none is put where it would be counted again; of damage
# nothing comes.
tally merge -o twice.tally new new/*.tally 2>err
grep -q 'named twice' err
tally print -f twice.tally | diff got -
tally merge -o new/x.tally new 2>err && exit 1
grep -q 'would be counted again' err && [ ! -e new/x.tally ]
printf x >not.tally
tally merge -o out.tally new not.tally 2>err && exit 1
grep -q 'not.tally: is not a profile' err && tally print -f out.tally | diff got -
rm out.tally
head -c $(($(stat -c %s m1.tally) - 900)) m1.tally >short.tally
tally merge -o out.tally short.tally 2>err && exit 1
grep -q 'short.tally: damaged profile' err && [ ! -e out.tally ]
tally merge -o m1.tally m1.tally new
tally print -f m1.tally 2>/dev/null | diff got -

# One that is added to a sum, but was not removed, is not added again.
cat >q.c <<'C'
#include <stdio.h>
int main(void) { return getchar() == 'x'; }
C
tally build --quiet gcc q.c -o q
export TALLY_DIR=$PWD/q.out
./q </dev/null
mkfifo to
./q <to &
exec 3>to
until ls q.out/q.*.tally >/dev/null 2>&1; do sleep 0.01; done
file=$(echo q.out/q.*.tally)
ln "$file" kept
exec 3>&-
wait $!
ln kept "$file"
tally merge -o q.tally
[ "$(tally print -f q.tally | awk '$1 == "main" { print $2 }')" = 2 ]
unset TALLY_DIR

# Maps that profiles hold are in the new file once, and all who need them find them: those of the live road.
gcc -g -O1 p.c util.c -o plain
for label in one two; do
	for n in 3 8; do TALLY_LABEL=$label TALLY_DIR=$PWD/labelled tally run ./plain $n || true; done 2>/dev/null
done
[ "$(find labelled -name '*.tally' | wc -l)" = 4 ]
tally merge -o e.tally labelled
tally merge -o e2.tally e.tally
cat >maps.pl <<'P'
open F, "<", $ARGV[0]; binmode F; local $/; $_ = <F>;
my ($at, $more, %maps, %labels) = (0, 1);
while ($more) {
	my ($flags, $first, $size) = (unpack("L", substr($_, $at + 8, 4)), unpack("QQ", substr($_, $at + 56, 16)));
	my ($off, $len) = unpack("QQ", substr($_, $at + $first + 32, 16));
	die "no map" unless $len && $off + $len <= length;
	$maps{$off} = substr($_, $off, $len);
	$labels{unpack("Z*", substr($_, $at + 192, 256))}++;
	$more = $flags & 2048;
	$at += $size;
}
die "end" unless $at == length;
my %same = map { $_ => 1 } values %maps;
die "copies" unless keys %same == keys %maps;
print join(" ", sort keys %labels), "\n";
P
for e in e e2; do
	[ "$(perl maps.pl $e.tally)" = 'one two' ]
	tally print -f labelled >want 2>/dev/null
	tally print -f $e.tally 2>/dev/null | diff want -
	tally print --by-label -s labelled >want 2>/dev/null
	tally print --by-label -s $e.tally 2>/dev/null | diff want -
	[ "$(tally tests p.c:24 labelled 2>/dev/null | sort)" = "$(tally tests p.c:24 $e.tally 2>/dev/null | sort)" ]
done
TALLY_DIR=$PWD/timed tally run --times ./plain 3
TALLY_DIR=$PWD/timed tally run --times ./plain 4
tally merge -o timed.tally timed
tally print --times timed >times.txt 2>times.err
grep -q "main\$" times.txt
tally print --times timed.tally 2>got.err | diff times.txt -
diff times.err got.err
grep -q 'label two' want
[ "$(tally tests p.c:24 e2.tally 2>/dev/null | grep -c 'one\|two')" = 2 ]

# Memory does not grow with what there is to add up.
perl -e 'for my $f (1 .. 1500) { print "int f$f(int x) { ", "if (x == $_) x += $f; " x 10, "return x; }\n" for 3 }
	print "int main(void) { return f1(0); }\n"' >big.c
tally build --quiet gcc -O0 big.c -o big
TALLY_DIR=$PWD/big.out ./big
perl -e 'my $f = shift; open F, "<", $f; local $/; my $s = <F>; mkdir "many";
	for my $i (1 .. 600) { substr($s, 192, 256) = pack("a256", "test" . $i % 500); open G, ">", "many/$i.tally"; print G $s }' big.out/*.tally
one=$(stat -c %s many/1.tally)
[ $((one * 500)) -gt 60000000 ] || { echo "$one bytes are too few to tell"; exit 1; }
if (ulimit -v 60000 && tally --version) >/dev/null 2>&1; then # not with sanitizers
	(ulimit -v 60000; tally merge -o many.tally many)
else
	tally merge -o many.tally many
fi
[ "$(tally print -f many.tally | awk '$1 == "f1" { print $2 }')" = 600 ]
[ "$(tally tests big.c:1 many.tally | awk '$2 == 2' | wc -l)" = 100 ]
