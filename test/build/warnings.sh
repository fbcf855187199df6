# warnings.sh - gcc and clang build every source without a warning.
# tally-test:slow
cd "$ROOT"
for cc in gcc clang; do
	for f in src/*.c src/*/*.c src/*/*/*.c; do
		for opt in -O2 -O0; do
			$cc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror $opt -Isrc -c "$f" -o /dev/null
		done
	done
done
