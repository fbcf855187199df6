# stats.sh - tally stats: programs that are built with counters placed in each way have as many of them
# and execute as many increments as it says, and jumps; by weights from the same run, too.
#
# The witness is the counters themselves, added up without a map or a solver: an increment adds
# one to one of them.  main has one more, which counts its calls and is not of the placement.
# tally-test:slow
cat >sum.pl <<'P'
# Counters of a profile of one run of one module: their sum, and how many there are.
use strict;
use warnings;
local $/;
my ($sum, $n) = (-1, 0);
open my $f, '<:raw', $ARGV[0] or die;
my $data = <$f>;
my $at = unpack 'Q<', substr $data, 56, 8;
while ($at) {
	my ($kind, $next) = unpack 'x4 S< x2 Q<', substr $data, $at, 16;
	$n = unpack 'Q<', substr $data, $at + 24, 8 if $kind == 1;
	if ($kind == 2) {
		my $off = unpack 'Q<', substr $data, $at + 24, 8;
		$sum += $_ for unpack "Q<$n", substr $data, $off, 8 * $n;
	}
	$at = $next;
}
print $sum, " ", $n - 2, "\n"; # one is of main, and one nobody's
P

# Branches to places where others come, too, of which one is the least travelled way; code that is
# hardly ever reached, as the compiler says by where it puts it; a function whose calls no block tells; frames
# that are left by longjmp and exit; jumps through a table.
cp "$HERE/more/stats.c" tangle.c
cp "$ROOT"/test/sample/{sort,recursion,switch}.c .

# column NAME - of all functions, added up.
column() { grep -o "\"$1\":[0-9]*" table | awk -F: '{ n += $2 } END { print n }'; }

# jumps OBJECT - how many unconditional jumps its code executes, by callgrind, and how many it has; not that
# of the runtime, which the object brings along in .text.tally.
cat >jumps.pl <<'P'
use strict;
use warnings;
my (@part, %jump, %ob, $in, $skip);
my $sum = 0;
open my $map, '<', 'map' or die;
{ local $/; $_ = <$map>; }
push @part, [hex $1, hex($1) + hex $2] while /^ \.text(?!\.tally)[.\w]*\s+0x(\w+)\s+0x(\w+) \Q$ARGV[0]\E$/mg;
open my $d, '-|', 'objdump', '-d', '--no-show-raw-insn', 'linked' or die;
while (<$d>) {
	next unless /^ *([0-9a-f]+):\s+(?:notrack )?jmp/;
	my $at = hex $1;
	$jump{$at} = 1 if grep { $_->[0] <= $at && $at < $_->[1] } @part;
}
open my $f, '<', 'grind' or die;
while (<$f>) {
	if (/^ob=\((\d+)\)(?: (.*))?/) { $ob{$1} = $2 if defined $2; $in = $ob{$1} =~ m,/linked$, }
	elsif (/^cob=\((\d+)\)(?: (.*))?/) { $ob{$1} = $2 if defined $2 }
	elsif (/^calls=/) { $skip = 1 }
	elsif (/^0x([0-9a-f]+) \d+ (\d+)/) {
		$sum += $2 if $in && !$skip && $jump{hex $1};
		$skip = 0;
	}
}
die "no code\n" unless @part;
print $sum, ' ', scalar %jump, "\n";
P
jumps() {
	gcc "$1" -o linked -Wl,-Map=map
	valgrind --tool=callgrind --dump-instr=yes --compress-pos=no --callgrind-out-file=grind ./linked >/dev/null 2>&1
	perl jumps.pl "$1"
}

n=0 somejumps=0 better=0
for name in tangle sort recursion switch; do for cc in gcc clang; do for opt in -O0 -O2; do
	what="$name $cc $opt"
	rm -rf tally.out profile
	tally build --quiet --lines=tables $cc $opt -w $name.c -o counted
	./counted >/dev/null
	mv tally.out profile
	tally stats --functions --format=json profile >table 2>remarks
	[ ! -s remarks ] || { echo "$what:"; cat remarks; exit 1; }
	for way in redundant edges vertices vertices-by-edges; do
		tally build --quiet --lines=tables --counters=$way $cc $opt -w $name.c -o other
		rm -rf tally.out
		./other >/dev/null
		read -r is counters < <(perl sum.pl tally.out/*.tally)
		says=$(column "${way//-/_}")
		[ "$is" = "$says" ] && [ "$is" -gt 0 ] || { echo "$what $way: $is increments, not $says"; exit 1; }
		[ $way != edges ] || [ "$counters" = $(($(column profiled) + $(column in_blocks))) ] ||
			{ echo "$what: $counters counters"; cat table; exit 1; }
	done
	tally build --quiet --lines=tables --weights=profile $cc $opt -w $name.c -o other
	rm -rf tally.out
	./other >/dev/null
	read -r is counters < <(perl sum.pl tally.out/*.tally)
	says=$(column exact_max)
	[ "$is" = "$says" ] || { echo "$what, exact weights: $is increments, not $says"; exit 1; }
	[ "$is" = "$(column edges)" ] || better=$((better + 1))

	tally build --quiet --lines=tables $cc $opt -w -c $name.c -o counted.o
	base=$cc
	[ $cc = gcc ] || base='clang -fno-integrated-as'
	$base $opt -w -c $name.c -o plain.o
	read -r is has < <(jumps counted.o)
	read -r was had < <(jumps plain.o)
	says=$(column jumps)
	[ $((is - was)) = "$says" ] || { echo "$what: $((is - was)) jumps, not $says"; exit 1; }
	[ $((has - had)) = $(($(column profiled) - $(column no_jump))) ] || { echo "$what: $((has - had)) more jumps"; cat table; exit 1; }
	somejumps=$((somejumps + says)) n=$((n + 1))

	# The tables have the same numbers.  As many counters as edges less blocks, one more for each
	# function, whose entry and exit are no blocks here.
	blocks=$(tally print -b --format=json profile | grep '"to":""' | grep -cv '"block":"e') # but entry and exit
	tally stats --format=json profile >tables
	grep -q "\"table\":\"II\",\"edges\":$(($(column profiled) + $(column in_blocks) + blocks)),\"profiled\":$(column profiled),.*\"no_jump\":$(column no_jump)," tables &&
		grep -q "\"table\":\"20\",\"redundant\":$(column redundant),\"edges\":$(column edges),\"jumps\":$(column jumps)," tables || {
		echo "$what: $blocks blocks"
		cat table tables
		exit 1
	}
done; done; done
[ $somejumps -gt 0 ] && [ $better -gt 0 ] || { echo "$somejumps jumps, $better better"; exit 1; }

# The ratios, by hand, of the last program; the paper is beside them.
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }
red=$(column redundant) edges=$(column edges) jumps=$(column jumps)
tally stats profile >text
grep -q "^ *$red  *$edges  *$jumps  *$(ratio "$red" "$edges")  *$(ratio $((5 * red)) $((5 * edges + jumps)))  " text
[ "$(grep -c 'Ball and Larus 1994' text)" = 4 ] && grep -q ' 39-46% .* 51-58% ' text
grep -q "^ *$(ratio "$red" "$(column exact_max)")  *$(ratio "$red" "$edges")  *$(ratio "$red" "$(column heuristic_min)")  *$(ratio "$red" "$(column exact_min)")  " text

# What the counters of a program do not tell is marked; what was not counted is said.
tally build --quiet --lines=tables --counters=vertices gcc -O2 -w tangle.c -o other
rm -rf tally.out
./other >/dev/null
tally stats >text 2>remarks
grep -q 'do not tell every edge' remarks && grep -q '^ *[0-9]*  *~[0-9]*  *~[0-9]* ' text || { cat text remarks; exit 1; }
tally build --quiet --road=c gcc -O2 -w tangle.c -o other
rm -rf tally.out
./other >/dev/null
tally stats 2>&1 >/dev/null | grep -q 'functions are omitted: their flow was not counted'
rm -rf tally.out
gcc -O2 -g -w tangle.c -o other
tally run ./other >/dev/null
tally stats 2>&1 >text | grep -q 'was counted from outside'
grep -q "^ *[0-9]*  *[0-9]*  *[0-9]*  *[1-9][0-9.]*  " text

status=0
tally stats --base=0 2>/dev/null || status=$?
[ $status = 2 ]
echo "# $n builds, in five ways each, $somejumps jumps"
