# gcov.sh - at -O0 line counts equal gcov's on every line that both count.
# tally-test:slow
lines=0
for src in "$ROOT"/test/sample/*.c; do
	name=$(basename "$src" .c)
	cp "$src" .
	args=$(sed -n '1s/.*run: *[^ ]* *\([^*]*\)\*\/.*/\1/p' "$src")
	rm -rf tally.out ./*.gcda ./*.gcno
	tally build gcc -O0 -w "$name.c" -o counted -lm
	# shellcheck disable=SC2086
	./counted $args >/dev/null || true
	tally print >listing 2>/dev/null
	gcc -O0 -w --coverage "$name.c" -o covered -lm
	# shellcheck disable=SC2086
	./covered $args >/dev/null || true
	gcov -t "covered-$name.gcda" 2>/dev/null | perl -ne 'print "$2 ", $1 =~ /#/ ? 0 : $1 + 0, "\n" if /^ *([\d#]+)\*?: *(\d+):/ && $2 > 0' >theirs
	perl -ne 'next if $. == 1; print $. - 1, " $1\n" if /^ *(\d+) /' listing >ours
	# Where a function begins differs: gcov has its name, we its brace.
	join <(sort theirs) <(sort ours) | awk '$2 != $3 { print "line", $1 ": gcov", $2 ", tally", $3; bad = 1 }
		END { exit bad }' || { echo "$name"; exit 1; }
	lines=$((lines + $(join <(sort theirs) <(sort ours) | wc -l)))
done
echo "# $lines lines"
[ $lines -gt 80 ]
