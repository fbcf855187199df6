# gcov.sh - an outside witness: a line on which just one block begins, with the line's first
# statement, was executed as often as gcov says, at -O0.  The heads of loops are left out, which
# gcov counts each time that a condition is evaluated, and jumps into the middle of a line.
# tally-test:slow
lines=0
readarray -t samples < <(witnessed gcov)
for src in "${samples[@]}" "$HERE"/syntax/{table,loops,elses,labels,choices,typedefs,constants}.c; do
	name=$(basename "$src" .c)
	cp "$src" .
	args=$(arguments "$src")
	rm -f zprof.out ./*.gcda ./*.gcno
	zprof "$name.c" -o new.c
	gcc -O0 -w new.c -o counted "$BUILD/libzprof.a" -lm
	# shellcheck disable=SC2086
	timeout 60 ./counted $args >/dev/null </dev/null || true
	gcc -O0 -w --coverage "$name.c" -o covered -lm
	# shellcheck disable=SC2086
	timeout 60 ./covered $args >/dev/null </dev/null || true
	gcov -t "covered-$name.gcda" 2>/dev/null |
		perl -ne 'print "$2 ", $1 =~ /#/ ? 0 : $1 + 0, "\n" if /^ *([\d#]+)\*?: *(\d+):/ && $2 > 0' | sort >theirs
	perl -ne 'if (@ARGV == 0 && !$open) { $open = 1; $. = 1 }
		if ($open) { $ok{$.} = !/^\s*(for|while|do|switch|case|default|else|\w+\s*:|[{}])|\b(for|while|do|case)\b|;.*;|\?|:/; next }
		push @{$at{$1}}, $2 if /:(\d+): (\d+)$/;
		END { for (keys %at) { print "$_ $at{$_}[0]\n" if @{$at{$_}} == 1 && $ok{$_} } }' zprof.out "$name.c" | sort >ours
	join theirs ours | awk '$2 != $3 { print "line", $1 ": gcov", $2 ", zprof", $3; bad = 1 } END { exit bad }' ||
		{ echo "$name"; exit 1; }
	lines=$((lines + $(join theirs ours | wc -l)))
done
echo "# $lines lines"
[ $lines -gt 100 ]
