# threads.sh - threads that run through the same breakpoints at once: no count is missed, also where
# a switch leads into the middle of a block that others are in.
cp "$ROOT/test/sample/together.c" threads.c
for how in 'gcc -O0' 'gcc -O2' 'clang -O2'; do
	$how -g -w -pthread threads.c -o threads
	for opt in '' '--spread --blocks --only=threads.c'; do
		rm -rf tally.out
		# shellcheck disable=SC2086
		[ "$(tally run $opt ./threads 12)" = "$(./threads 12)" ]
		"$ROOT/test/callgrind" threads threads 12 || { echo "$how $opt"; exit 1; }
		tally print -f 2>&1 >/dev/null | (! grep .)
	done
done
