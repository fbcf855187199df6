# csmith.sh - programs that csmith makes up behave the same with counters, and redundant
# and optimal counters agree.  COUNT and FIRST choose how many, and from which seed; OPTIONS are
# for tally build.
# tally-test:slow
include=/usr/include/csmith
[ -e $include/csmith.h ] || { echo 'csmith is not installed'; exit 77; }
count=${COUNT:-70} first=${FIRST:-1} ran=0 blocks=0 seed=$((${FIRST:-1} - 1))

one() { # SEED COMPILER LEVEL; status 1: not a program to try
	local was=0 is=0
	csmith --seed "$1" --max-funcs 6 >p.c 2>/dev/null || return 1
	# Some run for ever, which a compiler may make anything of.
	gcc -O0 -w -I$include p.c -o slow 2>/dev/null && timeout 2 ./slow >/dev/null 2>&1 || return 1
	$2 "$3" -w -I$include p.c -o plain 2>/dev/null || return 1
	timeout 5 ./plain >was 2>&1 || was=$?
	rm -rf tally.out
	# shellcheck disable=SC2086
	tally build --quiet --counters=check ${OPTIONS:-} "$2" "$3" -w -I$include p.c -o counted
	timeout 20 ./counted >is 2>&1 || is=$?
	[ $was = $is ] && cmp was is && tally print --compare >compared && [ -s compared ] || {
		echo "seed $1, $2 $3: status $was and $is"
		cat compared
		exit 1
	}
	blocks=$((blocks + $(sed -n 's/.*: \([0-9]*\) blocks compared, 0 differences/\1/p' compared)))
}

while [ $ran -lt "$count" ]; do
	seed=$((seed + 1))
	case $((seed % 10)) in
	0) set -- gcc -O0 ;; 1) set -- clang -O2 ;; 2) set -- gcc -O2 ;; 3) set -- clang -O0 ;;
	4) set -- gcc -O3 ;; 5) set -- gcc -Os ;; 6) set -- clang -O3 ;; 7) set -- gcc -O1 ;;
	8) set -- clang -Os ;; 9) set -- clang -O1 ;;
	esac
	if one $seed "$@"; then
		ran=$((ran + 1))
	fi
done
echo "# $ran programs (seeds $first to $seed), $blocks blocks counted twice"
[ $blocks -gt $((20 * count)) ]
