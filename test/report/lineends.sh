# lineends.sh - lines are numbered as the compiler numbers them, whatever ends them: a carriage return alone ends a line of
# C, C++, Ada and Pascal, in the middle of what editors show as one, and none of Fortran.
cat >c.pl <<'P'
# Lines of C that print their own numbers, with all kinds of things between them.
my @ends = ("\n", "\r\n", "\r", "\n", "\r\r", "\n\r", "\r\r\n", "\f\n", "\x0b\r", " // \\\rmore\n", " // \\\nmore\r", " // c\r", " /* a\rb\r\nc\nd */\n", " /* \xc2\x85 */\n", " // \xe2\x80\xa8\r",
	" // \\\r\nmore\r\n");
print "#include <stdio.h>\r#define P(t) printf(\"%d t\" #t \"x\\n\", __LINE__)\nint main(int argc, char **argv)\r\n{\r(void)argv;\n";
for (0 .. 2 * @ends) {
	print "P($_);", $ends[$_ % @ends];
	print "if (argc > 5)\rP(n$_);\n" if $_ % 7 == 3;
}
print "return 0;\r}";
P
# right WHAT FILE - each line that the program named has what was printed there; and the counts that belong to it.
cat >right.py <<'P'
import json, sys
lines = {}
for r in json.load(open(sys.argv[1])):
    if r["file"].endswith(sys.argv[2]) and r["column"] is None:
        lines[r["line"]] = r
n = 0
for l in open("ran"):
    number, tag = l.split()
    row = lines[int(number)]
    want = tag[1:-1]
    assert "P(%s)" % want in row["text"] or tag in row["text"], (sys.argv, number, tag, row)
    assert row["count"] == 1, (number, tag, row)
    n += 1
never = [r for r in lines.values() if "P(n" in r["text"]]
assert all(r["count"] == 0 for r in never) and (never or "c.c" not in sys.argv[2]), never
assert n > 5
P
for cc in gcc clang g++ clang++; do
	src=lines_c.c
	[[ $cc != *++ ]] || src=lines_c.cc
	perl c.pl >$src
	rm -rf tally.out
	tally build --quiet $cc -w -O0 $src -o prog
	./prog >ran
	tally print --format=json >got.json
	/usr/bin/python3 right.py got.json $src
	# All views have the same lines.
	/usr/bin/python3 - $src <<'P' >want
import json, sys
for r in json.load(open("got.json")):
    if r["column"] is None and r["count"] is not None and "P(" in r["text"]:
        print(r["line"], r["count"], r["text"].strip().split(";")[0])
P
	tally print | grep -a 'P([0-9n]*);' | awk '$1 ~ /^[0-9]+$/ { print $1, $NF }' | wc -l >n
	[ "$(cat n)" = "$(wc -l <want)" ]
	tally print -a >insns
	tally html -o site
	while read -r number count text; do
		[ "$count" = 0 ] || grep -aqF "$src:$number: $text" insns || { echo "$cc, -a: $number $text"; exit 1; }
		grep -ahF "id=\"L$number\"" site/file/*.html | grep -aqF "$text" || { echo "$cc, html: $number $text"; exit 1; }
	done <want
	tally print --table --only=$src | grep -a 'P([0-9n]*);' | wc -l | cmp - n
	lprint | tr -d '\r' | grep -a 'P([0-9n]*);' >classic
	[ "$(wc -l <classic)" = "$(wc -l <want)" ]
	lprint | grep -q 'line [0-9]' && exit 1
	# A change: git numbers by line feeds alone.
	diff -u /dev/null $src >change || true
	tally diff --patch=change >out 2>err
	grep -o "$src:[0-9]*: " out | sort >lines
	awk -v s="$src" '$2 == 0 { print s ":" $1 ": " }' want | sort | diff lines -
	[ ! -s err ] || { cat err; exit 1; }
done

# Other languages, as far as their compilers are there.
if command -v gfortran >/dev/null; then
	printf 'program p\n! a comment\rthat goes on\n  integer :: i\n  i = 1\r\n  ! x\r\r\n  if (i == 2) then\n    i = 9\n  end if\nend program\n' >lines_f.f90
	rm -rf tally.out
	tally build --quiet gfortran -O0 lines_f.f90 -o prog && ./prog
	tally print --format=json >got.json
	/usr/bin/python3 - <<'P'
import json
rows = {r["line"]: r for r in json.load(open("got.json"))}
assert "i = 9" in rows[7]["text"] and rows[7]["count"] == 0, rows
assert "i == 2" in rows[6]["text"] and rows[6]["count"] == 1, rows
P
fi
if command -v gnatmake >/dev/null; then
	printf 'with Ada.Text_IO; with GNAT.Source_Info;\rprocedure Lines_A is\r\n  procedure P (S : String; N : Natural) is\n\r  begin Ada.Text_IO.Put_Line (Natural'"'"'Image (N) & " " & S); end P;\n  I : Integer := 1;\f\rbegin\n  P ("t1x", GNAT.Source_Info.Line);\r  P ("t2x", GNAT.Source_Info.Line);\r\r\n  if I = 2 then\r    I := 9;\n  end if;\n  P ("t3x", GNAT.Source_Info.Line); P ("t3x", GNAT.Source_Info.Line);\n  P ("t4x",\n    GNAT.Source_Info.Line - 1);\n  P ("t5x", GNAT.Source_Info.Line);\n  P ("t6x", GNAT.Source_Info.Line);\nend Lines_A;\n' >lines_a.adb
	rm -rf tally.out
	tally build --quiet gnatmake -q -f -g -O0 lines_a.adb -o prog && ./prog >ran
	tally print --format=json >got.json
	/usr/bin/python3 right.py got.json lines_a.adb
	/usr/bin/python3 - <<'P'
import json
assert [r["count"] for r in json.load(open("got.json")) if "I := 9" in r["text"]] == [0]
P
fi
if command -v fpc >/dev/null; then
	printf 'program p;\rvar i : integer;\n\rbegin\r\n  i := 1;\r\r  writeln({$I %%LINE%%}, " t1x");\n\r  writeln({$I %%LINE%%}, " t2x");\r\n  if i = 2 then\r    i := 9;\n  writeln({$I %%LINE%%}, " t3x");\n  writeln({$I %%LINE%%}, " t4x");\n  writeln({$I %%LINE%%}, " t5x");\n  writeln({$I %%LINE%%}, " t6x");\nend.\n' | tr '"' "'" >lines_p.pas
	rm -rf tally.out
	tally build --quiet fpc -g -O- lines_p.pas -oprog >/dev/null && ./prog >ran
	tally print --format=json >got.json
	/usr/bin/python3 right.py got.json lines_p.pas
	/usr/bin/python3 - <<'P'
import json
assert [r["count"] for r in json.load(open("got.json")) if "i := 9" in r["text"]] == [0]
P
fi
