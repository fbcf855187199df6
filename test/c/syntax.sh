# syntax.sh - a file of every family of constructs, rewritten: compilers have no more to say of it
# than before, it does the same, and each of its blocks has the count that the text says.
#
# Files are in syntax/.  The first line of one may give standards (std: c89 gnu17; gnu17 if nothing
# is said), options (flags: ...), which compilers know all of it (cc: gcc; cc: none, if none is
# here that does), and that it is not to be preprocessed (raw: yes).  At the end of a line `//= 3 1', also in a comment of C89, means that
# two blocks begin in it, which were entered three times and once; where nothing is said,
# none does.

# answers FILE - lines `file:line: count count', as #line has it.
answers() {
	perl -ne 'BEGIN { $file = $ARGV[0] }
		$line++;
		print "$file:$line: $1\n" if m,/[/*]= ([0-9 ]*[0-9]),;
		$line = $1 - 1, $file = $2 // $file if /^# *(?:line)? *(\d+)(?: +"(.*)")?/' "$1"
}

# warnings - of a compiler's messages what does not depend on columns.
warnings() {
	perl -ne 'print "$1 $2\n" if /^(.*?:\d+):\d+: ((?:warning|error|fatal error): .*)/' | sort -u
}

# one FILE STD COMPILER LEVEL
one() {
	local name=$1 was=0 is=0
	zprof -std="$2" $raw --cpp="$3 -E -C $flags" "$name.c" -o new.c
	# shellcheck disable=SC2086
	{
		$3 -std="$2" $4 -Wall -Wextra $flags "$name.c" -o plain 2>log || { cat log; return 1; }
		$3 -std="$2" $4 -Wall -Wextra $flags new.c -o counted "$BUILD/libzprof.a" 2>newlog || { cat newlog; return 1; }
	}
	# Braces that were added answer what some warnings ask for; one is the preprocessor's.
	comm -13 <(warnings <log) <(warnings <newlog) >added
	comm -23 <(warnings <log) <(warnings <newlog) |
		grep -v 'W\(dangling-else\|empty-body\|misleading-indentation\|parentheses\|comment\|implicit-fallthrough=\?\)\]$' >lost || true
	[ ! -s added ] && [ ! -s lost ] || { echo 'warnings that are new:'; cat added; echo 'and that are lost:'; cat lost; return 1; }
	rm -f zprof.out
	timeout 20 ./plain >plain.out || was=$?
	timeout 20 ./counted >counted.out || is=$?
	[ $was = $is ] && cmp plain.out counted.out || { echo "status $was and $is"; return 1; }
	awk '{ n = $NF; sub(/ [0-9]+$/, ""); if ($0 != at) { if (at) print at all; at = $0; all = "" } all = all " " n }
		END { print at all }' zprof.out | sort >got
	answers "$name.c" | sort | diff -u --label wanted --label got - got
}

files=0 blocks=0
for src in "$HERE"/syntax/*.c; do
	name=$(basename "$src" .c)
	cp "$src" .
	stds=$(sed -n '1s/.*std: \([a-z0-9]*\( [a-z0-9]\+\)*\).*/\1/p' "$src")
	ccs=$(sed -n '1s/.*cc: \([a-z]*\).*/\1/p' "$src")
	flags=$(sed -n '1s/.*flags: \(.*[^ ]\) *\*\/.*/\1/p' "$src")
	raw=$(sed -n '1s/.*raw: yes.*/-P/p' "$src")
	for std in ${stds:-gnu17}; do
		[ "$ccs" != none ] || zprof -std="$std" -P "$name.c" >/dev/null
		for cc in ${ccs:-gcc clang}; do
			[ "$cc" != none ] || continue
			for level in -O0 -O2; do
				one "$name" "$std" "$cc" $level || { echo "$name.c, $cc -std=$std $level"; exit 1; }
				blocks=$((blocks + $(wc -l <zprof.out)))
			done
		done
	done
	files=$((files + 1))
done
echo "# $files files, $blocks counts"
[ $blocks -gt 1000 ]
