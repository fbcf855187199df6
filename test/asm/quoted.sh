# quoted.sh - tables of functions whose symbols are in quotes; their lines are a sample.
cp "$ROOT/test/sample/quoted.c" q.c
# odd: 9 times from both, twice by the pointer, 4 times from main.
for cc in gcc clang; do for o in -O0 -O2; do
	rm -rf tally.out
	tally build --quiet --counters=check $cc $o q.c -o q
	./q >/dev/null
	tally print -f >table 2>err
	[ ! -s err ] || { cat err; exit 1; }
	for row in '15 .* odd one' '10 .* a(b, c)+1;#d' '1 .* main'; do
		grep -q "^  *$row\$" table || { echo "$cc $o: no $row"; cat table; exit 1; }
	done
done; done
# One that is left alone is in the map all the same.
rm -rf tally.out
tally build --quiet --only=main gcc -O0 q.c -o q
./q >/dev/null
tally print -f >table 2>err
grep -q ' odd one: uncounted: left out' table || { cat table; exit 1; }
