# callgrind.sh - instructions executed in each function equal callgrind's on the build
# without counters, padding included; and redundant and optimal counters agree.
# tally-test:slow
n=0 blocks=0
readarray -t samples < <(witnessed callgrind)
for src in "${samples[@]}"; do
	name=$(basename "$src" .c)
	cp "$src" .
	args=$(arguments "$src")
	for cc in gcc clang; do
		for opt in -O0 -O2 -O3; do
			base=$cc
			[ $cc = clang ] && base='clang -fno-integrated-as'
			$base $opt -w "$name.c" -o "plain" -lm
			rm -rf tally.out
			tally build --lines=tables --counters=check $cc $opt -w "$name.c" -o counted -lm
			was=0 is=0
			# shellcheck disable=SC2086
			./plain $args >out || was=$?
			# shellcheck disable=SC2086
			./counted $args | cmp - out
			# shellcheck disable=SC2086
			rm -rf tally.out && { ./counted $args >/dev/null || is=$?; }
			[ $was = $is ] || { echo "$name $cc $opt: status $is, not $was"; exit 1; }
			tally print --compare >compared || { echo "$name $cc $opt:"; cat compared; exit 1; }
			blocks=$((blocks + $(sed -n 's/.*: \([0-9]*\) blocks compared, 0 differences/\1/p' compared)))
			# shellcheck disable=SC2086
			"$ROOT/test/callgrind" counted plain $args || { echo "$name $cc $opt"; exit 1; }
			n=$((n + 1))
		done
	done
done
echo "# $n builds, $blocks blocks counted twice"
[ $n -ge 60 ] && [ "$blocks" -gt 500 ]
