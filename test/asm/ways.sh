# ways.sh - without any of the ways that make counting cheaper the counts are the same; each is
# good for something: guesses for fewer increments, and who avoids jumps may take more of them.
cp "$HERE/more/ways.c" prog.c
# increments - that were executed.
increments() { tally print -b | sed -n 's/.* \([0-9]*\)\*.*/\1/p' | awk '{ s += $1 } END { print s + 0 }'; }
declare -A n
for cc in gcc clang; do
	for way in none guesses detours triples; do
		rm -rf tally.out
		without=''
		[ $way = none ] || without=--without=$way
		# shellcheck disable=SC2086
		tally build --quiet --lines=tables $without $cc -O2 -g prog.c -o prog
		./prog >out
		tally print -i -p >"lines.$way"
		cmp lines.none "lines.$way"
		n[$way]=$(increments)
	done
	echo "# $cc: ${n[none]} increments, without guesses ${n[guesses]}, without detours ${n[detours]}"
	[ "${n[none]}" -lt "${n[guesses]}" ]
	[ "${n[none]}" = "${n[triples]}" ]
	[ "${n[detours]}" -le "${n[none]}" ]
done
tally build --without=nosuch true 2>said && exit 1
grep -q -- '--without=nosuch: no such way' said
