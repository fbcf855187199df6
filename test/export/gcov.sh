# gcov.sh - export --gcov-json says of lines and functions at -O0 what gcov's own JSON says, has the
# same keys, and gcovr counts in it as many lines, functions and branches as --lcov has.
# tally-test:slow
cat >flat.py <<'P'
import json, sys
d = json.load(open(sys.argv[1]))
assert d["format_version"] == "1"
for f in d["files"]:
    if f["file"].startswith("/usr"):
        continue
    for l in f["lines"]:
        print("line", l["line_number"], l["count"], l["function_name"])
    for n in f["functions"]:
        print("function", n["start_line"], n["name"], n["execution_count"])
P
cat >keys.py <<'P'
import json, sys
a, b = [json.load(open(x)) for x in sys.argv[1:]]
def keys(a, b, where):
    if isinstance(a, dict):
        missing = set(a) - set(b)
        assert not missing, (where, missing)
        for k in a:
            keys(a[k], b[k], where + "/" + k)
    elif isinstance(a, list):
        assert isinstance(b, list), where
        if a and b:
            keys(a[0], b[0], where)
    else:
        assert type(a) is type(b), where
keys(a, b, "")
P
lines=0 functions=0
readarray -t samples < <(witnessed gcov)
for src in "${samples[@]}"; do
	! grep -q 'goto \*' "$src" || continue # gcov takes each for an entry of the function
	name=$(basename "$src" .c)
	cp "$src" .
	args=$(arguments "$src")
	rm -rf tally.out ./*.gcda ./*.gcno
	tally build --quiet gcc -O0 -w "$name.c" -o counted -lm
	gcc -O0 -w --coverage "$name.c" -o covered -lm
	# shellcheck disable=SC2086
	{ ./counted $args; ./covered $args; } </dev/null >/dev/null || true
	tally export --gcov-json -o ours.json 2>/dev/null
	gcov -t -b --json-format "covered-$name.gcda" >theirs.json 2>/dev/null
	/usr/bin/python3 keys.py theirs.json ours.json
	/usr/bin/python3 flat.py ours.json | sort >ours
	/usr/bin/python3 flat.py theirs.json | sort >theirs
	awk 'NR == FNR { n[$1, $2, $1 == "line" ? "" : $3] = $0; next }
		($1, $2, $1 == "line" ? "" : $3) in n { both[$1]++; if (n[$1, $2, $1 == "line" ? "" : $3] != $0) { bad = 1
			print "gcov: " $0 "\nwe:   " n[$1, $2, $1 == "line" ? "" : $3] } }
		END { print both["line"] + 0, both["function"] + 0 > "both"; exit bad }' ours theirs || { echo "$name"; exit 1; }
	[ "$(grep -c ^function theirs)" = "$(cut -d' ' -f2 both)" ] || { echo "$name: functions differ"; diff ours theirs; exit 1; }
	read -r l f <both
	lines=$((lines + l)) functions=$((functions + f))
done
echo "# $lines lines, $functions functions"
[ $lines -gt 80 ] && [ $functions -gt 20 ]

command -v gcovr >/dev/null || { echo '# without gcovr'; exit 0; }
mkdir 'x y' && cat >'x y/ü.c' <<'C'
static int f(int x) { return x > 2 ? x : 0; }
int
main(void)
{
	int i, s = 0;

	for (i = 0; i < 5; i++)
		if (i != 9)
			s += f(i);
	return s == 0;
}
int unused(int x) { return x; }
C
rm -rf tally.out
tally build --quiet --branches gcc -O2 'x y/ü.c' -o p
./p
tally export --gcov-json -o g.json
tally export --lcov -o l.info
gcovr -r . --add-tracefile g.json --json-summary s.json
# shellcheck disable=SC2016
/usr/bin/python3 -c '
import json
d = json.load(open("s.json"))
print(*[d[k] for k in ("line_total", "line_covered", "function_total", "function_covered", "branch_total", "branch_covered")])
assert [f["filename"] for f in d["files"]] == ["x y/ü.c"], d' >got
awk -F: '{ v[$1] = $2 } END { print v["LF"], v["LH"], v["FNF"], v["FNH"], v["BRF"], v["BRH"] }' l.info | diff - got
[ "$(cat got)" = '8 7 3 2 6 5' ] || { cat got l.info; exit 1; }
