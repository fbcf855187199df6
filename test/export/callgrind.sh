# callgrind.sh - export --callgrind: callgrind_annotate finds in it what callgrind itself counted in
# the same program without counters, function by function and line by line; and as many
# instructions as print -f.
command -v callgrind_annotate >/dev/null || { echo "callgrind_annotate (valgrind) is not there"; exit 77; }
cat >flat.pl <<'P'
# FUNCTION and FILE:LINE, with instructions, of a callgrind file; calls' own lines left out.
my ($fl, $fn, %name, %n, $skip, $at);
sub name {
	my ($kind, $s) = @_;
	return $s unless $s =~ /^\((\d+)\)(?: (.*))?$/;
	$name{$kind}{$1} = $2 if defined $2;
	return $name{$kind}{$1};
}
while (<>) {
	chomp;
	if (/^(fl|fi|fe)=(.*)/) { $fl = name("file", $2) }
	elsif (/^fn=(.*)/) { $fn = name("fn", $1) }
	elsif (/^ob=|^c(fi|fl|ob|fn)=/) { name(/^cfn/ ? "fn" : /^c?ob/ ? "ob" : "file", s/^\w+=//r) }
	elsif (/^calls=/) { $skip = 1 }
	elsif (/^([+*-]?\d*) (\d+)$/) {
		my ($p, $cost) = ($1, $2);
		$at = $p eq "*" ? $at : $p =~ /^\+/ ? $at + $p : $p =~ /^-/ ? $at + $p : $p;
		if ($skip) { $skip = 0; next }
		(my $base = $fl) =~ s,.*/,,;
		$n{$fn} += $cost;
		$n{"$base:$at"} += $cost;
	}
}
print "$_ $n{$_}\n" for sort keys %n;
P
lines=0
for o in -O0 -O2; do for n in sort switch recursion pieces; do
	cp "$ROOT/test/sample/$n.c" .
	rm -rf tally.out
	gcc $o -w -g "$n.c" -o plain -lm
	valgrind -q --tool=callgrind --skip-plt=no --callgrind-out-file=theirs.out ./plain >/dev/null </dev/null || true
	tally build --quiet --lines=tables gcc $o -w -g "$n.c" -o counted -lm
	./counted >/dev/null </dev/null || true
	tally export --callgrind -o ours.out
	perl flat.pl ours.out >ours
	perl flat.pl theirs.out >theirs
	# callgrind calls a function that calls itself main'2, and so on.
	sed "s/'[0-9]* / /" theirs | awk '{ n[$1] += $2 } END { for (k in n) print k, n[k] }' | sort >sums
	join <(sort ours) sums | awk '$2 != $3 { print $1 ": callgrind " $3 ", tally " $2; bad = 1 } END { exit bad }' ||
		{ echo "$n $o"; exit 1; }
	lines=$((lines + $(join <(sort ours) sums | grep -c "^$n.c:")))
	[ "$(grep -c "^$n.c:" ours)" = "$(grep -c "^$n.c:" sums)" ]
	total=$(tally print -f | awk 'NR > 1 { s += $3 } END { print s }')
	callgrind_annotate --threshold=100 ours.out >text 2>err || { cat err; exit 1; }
	[ ! -s err ] || { cat err; exit 1; }
	[ "$(sed -n 's/^ *\([0-9,]*\) .*PROGRAM TOTALS$/\1/p' text | tr -d ,)" = "$total" ] || { cat text; exit 1; }
	grep -q "^ *[0-9,]* .* $n.c:main \[$PWD/counted\]" text || { cat text; exit 1; }
done; done
echo "# $lines lines"
[ $lines -gt 100 ]

# Several programs, C++, code inlined from a header, a path with blanks.
mkdir 'a b'
printf 'static inline int thrice(int x)\n{\n\treturn 3 * x;\n}\n' >'a b/t.h'
cat >'a b/m.cc' <<'C'
#include "t.h"
#include <cstdlib>
static int f(const char *s, int y) { return thrice(atoi(s)) + y; }
int main(int argc, char **argv) { return f(argv[argc - 1], argc) == 0; }
C
tally build --quiet g++ -O2 -g 'a b/m.cc' -o m
./m 12
tally export --callgrind -o x.out
grep -q "^fi=.* $PWD/a b/t.h$" x.out
grep -q "^ob=$PWD/m$" x.out && grep -q "^ob=$PWD/counted$" x.out
callgrind_annotate --threshold=100 x.out >text
total=$(tally print -f --mangled | awk 'NR > 1 { s += $3 } END { print s }')
[ "$(sed -n 's/^ *\([0-9,]*\) .*PROGRAM TOTALS$/\1/p' text | tr -d ,)" = "$total" ] || { cat text; echo "$total"; exit 1; }
grep -q 'thrice\|3 \* x' text

# No instructions with --road=c: said.
rm -rf tally.out
tally build --quiet --road=c gcc sort.c -o r && ./r >/dev/null
tally export --callgrind -o y.out 2>err
grep -q 'no instructions were counted' err
