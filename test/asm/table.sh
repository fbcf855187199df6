# table.sh - tables of lines, functions and blocks say what the other views say, and bars are as
# long as their counts.
mkdir a b
cat >a/x.c <<'C'
int twice(int), n, unused;
int never(void) { return unused; }

int main(void)
{
	int i;

	for (i = 0; i < 1500; i++)
		n += twice(i);
	for (i = 0; i < 7; i++)
		n--;
	return 0;
}
C
printf 'int twice(int n)\n{\n\treturn 2 * n;\n}\n' >b/x.c
cp b/x.c y.c
sed -i 's/twice/thrice/; s/2/3/' y.c
tally build --quiet --lines=tables gcc -O0 a/x.c b/x.c y.c -o t
./t
is() { diff -u "$2" "$3" || { echo "$1"; exit 1; }; }

# Lines: path, number, count and text, in the order of the listing.
tally print | awk '/^\/.*:$/ { f = substr($1, 1, length($1) - 1); n = 0; next } $0 == "" { next }
	{ c = substr($0, 1, 10); gsub(/ /, "", c); print f, ++n, (c == "" ? "-" : c) ":", substr($0, 13) }' >want
tally print --table >table
tail -n +2 table | sed 's/^\([^ ]*\)  *\([0-9]*\)  *\([-~0-9]*:\) /\1 \2 \3 /; s,^y.c,'"$PWD"'/y.c,' >got
is 'lines' want got
# A file is called by its last name if there is no other.
grep -q '^y\.c ' table
grep -q "^$PWD/a/x\.c " table
[ "$(awk 'NR == 1 { print index($0, "COUNT") + 5 } NR > 1 { print index($0, ":") }' table | sort -u | wc -l)" = 1 ]

# Functions and blocks.
tally print -f | awk 'NR > 1 { print $1, $2 }' >want
tally print -f --table | awk 'NR > 1 { sub(":", "", $3); print $4, $3 }' >got
is 'functions' want got
tally print -b | awk '/^[a-z]+:$/ { f = $1 } /^[0-9]/ { sub(":", "", f); sub("[*]", "", $2); sub("0[+]", "", $4); print f "+" $4, $2 }' >want
tally print -b --table | awk 'NR > 1 { sub(":", "", $3); print $4, $3 }' >got
is 'blocks' want got

# A star for each time, to a thousand; the longest bar of those that are scaled has 40.
tally print --histogram --only=a/x.c >table
awk '/:/ && !/^ /{ n = $3 + 0; next } /^ *[*]/ { b = $1; if (length(b) != (n > 1000 ? 1001 : n)) exit 1; if (n > 1000 && b !~ />$/) exit 1; seen++ }
	END { if (!seen) exit 1 }' table || { cat table; exit 1; }
[ "$(grep -c '^ *[*]*>$' table)" = 2 ]
tally print --histogram --only=a/x.c | grep -v '^ *[*]' >got
tally print --table --only=a/x.c >want
is 'histogram' want got
tally print --scaled --only=a/x.c >table
awk 'NR > 1 { n = $3 + 0; if (n > most) most = n; line[NR] = $0; c[NR] = n }
	END { for (i in line) { sub(/^[^:]*: /, "", line[i]); match(line[i], /^[*]*/); want = int(c[i] / most * 40); if (c[i] && !want) want = 1
		if (RLENGTH != want) { print "bar", RLENGTH, want, line[i]; exit 1 } } }' table || exit 1
sed 's/^\([^:]*: \).\{41\}/\1/' table >got
sed -i 1d got && sed 1d want >want2
is 'scaled' want2 got

# What does not go together.
for o in -i --pieces -a -s --runs '-f --sort=calls'; do
	# shellcheck disable=SC2086
	tally print --table $o >/dev/null 2>err && exit 1
	grep -q 'go only with -f, -b and --only' err || { echo "$o"; cat err; exit 1; }
done
