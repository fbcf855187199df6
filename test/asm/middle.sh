# middle.sh - functions that are entered in the middle: every instruction runs as often as callgrind says, with
# counters of all kinds, and their calls are those at the begin and in the middle.
from=$HERE/middle
valgrind --version >/dev/null 2>&1 || { echo "there is no valgrind"; exit 77; }
functions='whole jumper caller other later ping pong fact falls next where twice named distance flags carry zero rest'
gcc -no-pie -O1 "$from/main.c" "$from/functions.s" -o plain
./plain >wanted
# Calls: whole 12 + 12 from caller, 12 from other, 9 from jumper, 6 from set; later 12 + 3 + 12; ping and pong as
# often as they go to each other, flags and carry, too; alias is named.
for kind in edges redundant vertices vertices-by-edges check; do
	rm -rf tally.out
	tally build --quiet --lines=tables --counters=$kind gcc -O1 "$from/main.c" "$from/functions.s" -o counted
	./counted | cmp - wanted
	[ $kind != check ] || exact middle
	"$ROOT/test/callinsns" counted plain $functions || { echo "--counters=$kind"; exit 1; }
	tally print -f 2>err | awk 'NR > 1 && $1 != "main" { print $1, $2 }' | diff -u "$from/calls" - || { echo "--counters=$kind"; exit 1; }
	[ ! -s err ] || { cat err; exit 1; }
done
# A call of the middle is one of the function.
tally print --calls >table
grep -q '^  *12 *caller *whole$' table || { cat table; exit 1; }
if awk '$2 == "where"' table | grep .; then exit 1; fi # it only asks where it is

# Frames of such functions are found: the program ends while they are active.
gcc -no-pie -O1 "$from/leftmain.c" "$from/left.s" -o plain
for kind in edges redundant check; do
	rm -rf tally.out
	tally build --quiet --lines=tables --counters=$kind gcc -O1 "$from/leftmain.c" "$from/left.s" -o counted
	./counted
	[ $kind != check ] || exact 'frames that were left'
	"$ROOT/test/callinsns" counted plain first second
done

# A label to which others jump, and indirect jumps of its own function: which of them come there cannot be told, but how many.
gcc -no-pie -O1 "$from/tablemain.c" "$from/table.s" -o plain
for kind in edges redundant check; do
	rm -rf tally.out
	tally build --quiet --lines=tables --counters=$kind gcc -no-pie -O1 "$from/tablemain.c" "$from/table.s" -o counted
	./counted
	[ $kind != check ] || exact 'jumps of both kinds'
	"$ROOT/test/callinsns" counted plain a b
	tally print -f >table
	grep -q '^a  *10 ' table || { cat table; exit 1; }
done
