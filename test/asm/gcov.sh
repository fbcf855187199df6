# gcov.sh - at -O0 line counts equal gcov's on every line that both count, from the source and from
# line tables; and both count where functions begin.
# tally-test:slow
lines=0
readarray -t samples < <(witnessed gcov)
for src in "${samples[@]}"; do
	name=$(basename "$src" .c)
	cp "$src" .
	args=$(arguments "$src")
	rm -f ./*.gcda ./*.gcno
	gcc -O0 -w --coverage "$name.c" -o covered -lm
	# shellcheck disable=SC2086
	./covered $args >/dev/null || true
	gcov -t "covered-$name.gcda" 2>/dev/null | perl -ne 'print "$2 ", $1 =~ /#/ ? 0 : $1 + 0, "\n" if /^ *([\d#]+)\*?: *(\d+):/ && $2 > 0' >theirs
	for how in source tables; do
		rm -rf tally.out
		tally build --quiet --lines=$how gcc -O0 -w "$name.c" -o counted -lm
		# shellcheck disable=SC2086
		./counted $args >/dev/null || true
		tally print 2>/dev/null | perl -ne 'next if $. == 1; print $. - 1, " $1\n" if /^ *(\d+) /' | sort >ours
		join <(sort theirs) ours | awk '$2 != $3 { print "line", $1 ": gcov", $2 ", tally", $3; bad = 1 }
			END { exit bad }' || { echo "$name, --lines=$how"; exit 1; }
		# A function begins where its name is.
		join -v 1 <(sort theirs) ours | while read -r n _; do sed -n "${n}p" "$name.c"; done | grep '^[a-z].*)$' &&
			{ echo "$name, --lines=$how: a function without a count"; exit 1; }
		lines=$((lines + $(join <(sort theirs) ours | wc -l)))
	done
done
echo "# $lines lines"
[ $lines -gt 160 ]
