# gcovtests.sh - the tests that gcc has for gcov: each line that they annotate with a count has that count, or a mark if the code
# was optimised; but for a few where gcov counts in ways of its own.
# tally-test:slow
dsc=$("$ROOT/test/fetch" gcc-12) || { echo "the source of gcc 12 cannot be had"; exit 77; }
cache=$(dirname "$dsc")
tests=$cache/gcc-12-gcovtests.tar
if [ ! -s "$tests" ]; then # of 85 MB a few files are wanted
	orig=$(find "$cache" -maxdepth 1 -name 'gcc-12_*.orig.tar.*' | sort -V | tail -n 1)
	mkdir all
	tar -xOf "$orig" --wildcards '*/gcc-12*.tar.xz' 2>/dev/null | xz -dc 2>/dev/null |
		tar -x -C all --strip-components=3 --wildcards '*/gcc.misc-tests/gcov*' '*/g++.dg/gcov/*' 2>/dev/null || true
	[ -d all/gcc.misc-tests ] && [ -d all/g++.dg ] || { echo "the package of gcc 12 has no tests of gcov"; exit 77; }
	tar -cf new.tar -C all gcc.misc-tests g++.dg && mv new.tar "$tests.$$" && mv "$tests.$$" "$tests"
	rm -rf all
fi
tar -xf "$tests"

# Where gcov differs: file:line, and what tally says there.
cat >quirks <<'X'
gcov-13.c:11 1 the linker dropped the weak function for another, and gcov its counts (their test is expected to fail)
gcov-14.c:15 0 an extern inline function that is not used has a count here, 0
gcov-18.c:22 1 gcov adds up the statements of a line; here the largest counts
gcov-pr85217.c:12 0 code after a break, which gcov joins with the continue that runs
gcov-pr85332.c:10 1 gcov counts a loop on the line of the label before it
gcov-pr85350.c:7 - a type of variable size, of which nothing is done on that line
gcov-pr85372.c:15 1 gcov counts __builtin_setjmp again when it returns again, unlike setjmp; here a statement counts when it begins
gcov-16.C:7 1 their test removes the counts before it looks
pr86109.C:7 2 the line makes a lambda, and is where that begins: two functions, each once
X
cat >judge.pl <<'P'
# judge.pl LEVEL FILE JSON - what annotations want, beside what was counted.
use strict; use warnings; use JSON::PP;
my ($level, $file, $json) = @ARGV;
my ($base) = $file =~ m{([^/]*)$};
my (%line, %quirk, $n, $bad);
local $/;
open my $q, '<', 'quirks' or die; for (split /\n/, <$q>) { $quirk{$1} = $2 if /^(\S+) (\S+)/ }
open my $j, '<', $json or die;
for my $f (@{decode_json(<$j>)->{files}}) { if ($f->{path} =~ m{(^|/)\Q$base\E$}) { $line{$_->{line}} = $_ for @{$f->{lines}} } }
open my $s, '<', $file or die;
for (split /\n/, <$s>) {
	$n++;
	next unless /count\(([-0-9#=.kM*]+)\)/;
	my ($want, $l) = ($1, $line{$n});
	my $is = $l ? $l->{count} : '-';
	$want =~ s/\*//;
	$want = $want =~ /^[#=]/ ? 0 : $want;
	$is = sprintf '%.1f%s', $is / ($1 eq 'k' ? 1e3 : 1e6), $1 if $want =~ /([kM])$/ && $l;
	my $how = $is eq $want ? 'equal' : !$l && $want ne '-' ? 'absent' : $l && !$l->{sure} ? 'marked' : 'wrong';
	my $known = defined $quirk{"$base:$n"} && $quirk{"$base:$n"} eq $is;
	$how = 'quirk' if $how ne 'equal' && $known;
	$how .= ' right' if $l && !$l->{sure} && $how eq 'equal';
	print "$how $base:$n is $is, wanted $want: $_\n";
}
P
# judged COMPILER LEVEL FILE - build, run, compare.
judged() {
	local opts src
	opts=$(sed -n 's/.*dg-options "\([^"]*\)".*/\1/p' "$3" |
		sed 's/-fprofile[^ ]*\|-ftest-coverage\|--coverage\|-lgcov\|-O[^ ]*//g')
	[ "${1#clang}" = "$1" ] || opts=${opts//-fno-implicit-constexpr/}
	rm -rf tally.out p
	# shellcheck disable=SC2086
	tally build --quiet $1 $opts $2 -w -I"$(dirname "$3")" "$3" -o p -pthread -lm 2>err ||
		{ grep -q 'undefined reference\|redefinition' err || cat err; return 0; } # a part of another
	{ timeout 20 ./p 2>&1 </dev/null || true; } | cat >/dev/null # until its children are gone, too
	tally export --json >json 2>/dev/null || return 0
	for src in "$3" $(sed -n 's,.*include "\(gcov[^"]*\)".*,\1,p' "$3" | sed "s,^,$(dirname "$3")/,"); do
		! grep -q 'count(' "$src" || perl judge.pl "$2" "$src" json
	done
}
for o in -O0 -O2; do
	: >all$o
	for src in gcc.misc-tests/gcov-*.c g++.dg/gcov/*.C; do
		grep -q 'count(' "$src" && ! grep -q 'dg-do compile' "$src" || continue
		case $src in *.c) cc=gcc ;; *) cc=g++ ;; esac
		judged $cc $o "$src" >>all$o
	done
	if grep '^wrong' all$o; then echo "$o"; exit 1; fi
	count() { grep -c "^$1" all$o || true; }
	echo "# $o: $(count equal) of $(wc -l <all$o) annotated lines equal, $(count 'equal right') of them marked; $(count marked) others marked, $(count absent) without a count, $(count quirk) by gcov's own ways"
	if [ $o = -O0 ] && grep '^absent\|^marked' all$o; then echo "$o"; exit 1; fi
	[ "$(count equal)" -ge 150 ] || { cat all$o; exit 1; }
done
