# exact.sh - a program as it is, under tally run: it does what it does alone, instructions executed
# in each function equal callgrind's, and lines at -O0 are those of the assembly road.
# tally-test:slow
n=0 same=0
readarray -t samples < <(witnessed callgrind)
for src in "${samples[@]}"; do
	name=$(basename "$src" .c)
	cp "$src" .
	args=$(arguments "$src")
	for how in 'gcc -O0' 'gcc -O2' 'clang -O0' 'clang -O3'; do
		$how -g -w "$name.c" -o plain -lm
		rm -rf tally.out
		was=0 is=0
		# shellcheck disable=SC2086
		./plain $args >out || was=$?
		# shellcheck disable=SC2086
		tally run ./plain $args >counted.out 2>err || is=$?
		cmp out counted.out
		[ $was = $is ] && [ ! -s err ] || { echo "$name, $how: status $is, not $was"; cat err; exit 1; }
		# shellcheck disable=SC2086
		"$ROOT/test/callgrind" plain plain $args || { echo "$name, $how"; exit 1; }
		tally print plain >lines 2>err
		[ ! -s err ] || { echo "$name, $how:"; cat err; exit 1; }
		n=$((n + 1))
		case $how in *-O0) ;; *) continue ;; esac
		tally build --quiet --lines=tables $how -g -w "$name.c" -o counted -lm
		rm -rf tally.out
		# shellcheck disable=SC2086
		./counted $args >/dev/null || true
		# The assembly road does not know which indirect jump led where, and so does not
		# doubt the line behind one that clang says belongs to nobody.
		tally print counted | sed 's/^\( *[0-9]*\) ~/\1  /' >theirs
		sed 's/^\( *[0-9]*\) ~/\1  /' lines | cmp - theirs || { echo "$name, $how: lines differ"; exit 1; }
		same=$((same + 1))
	done
done
echo "# $n programs like callgrind, $same like the assembly road"
[ $n -ge 40 ] && [ $same -ge 20 ]

# Each instruction by itself; and all code of the process, from the first instruction on: the law of
# flow holds in the dynamic linker and the C library, too.
gcc -g -O2 -w sort.c -o plain
rm -rf tally.out
tally run --instructions --only='*.c' ./plain >/dev/null
"$ROOT/test/callgrind" plain plain
rm -rf tally.out
tally run --blocks --only='*' ./plain >/dev/null
tally print -f >table 2>err
if grep contradict err; then exit 1; fi
awk '$2 > 0 { n++ } END { print "# " n " functions ran"; exit n < 100 }' table
