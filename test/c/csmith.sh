# csmith.sh - programs that csmith makes up print the same when they count their blocks.  COUNT
# and FIRST choose how many, and from which seed.
# tally-test:slow
include=/usr/include/csmith
[ -e $include/csmith.h ] || { echo 'csmith is not installed'; exit 77; }
count=${COUNT:-30} first=${FIRST:-1} ran=0 blocks=0 seed=$((${FIRST:-1} - 1))

one() { # SEED COMPILER LEVEL; status 1: not a program to try
	local was=0 is=0
	csmith --seed "$1" --max-funcs 6 >p.c 2>/dev/null || return 1
	# Some run for ever, which a compiler may make anything of.
	gcc -O0 -w -I$include p.c -o slow 2>/dev/null && timeout 2 ./slow >/dev/null 2>&1 || return 1
	$2 "$3" -w -I$include p.c -o plain 2>/dev/null || return 1
	timeout 5 ./plain 1 >was 2>&1 || was=$?
	rm -f zprof.out
	ZCC=$2 "$ROOT/test/zcc" "$3" -w -I$include p.c -o counted
	timeout 20 ./counted 1 >is 2>&1 || is=$?
	[ $was = $is ] && cmp was is && [ -s zprof.out ] || {
		echo "seed $1, $2 $3: status $was and $is"
		exit 1
	}
	blocks=$((blocks + $(wc -l <zprof.out)))
}

while [ $ran -lt "$count" ]; do
	seed=$((seed + 1))
	case $((seed % 4)) in
	0) set -- gcc -O0 ;; 1) set -- clang -O2 ;; 2) set -- gcc -O2 ;; 3) set -- clang -O0 ;;
	esac
	if one $seed "$@"; then
		ran=$((ran + 1))
	fi
done
echo "# $ran programs (seeds $first to $seed), $blocks blocks"
[ $blocks -gt $((20 * count)) ]
