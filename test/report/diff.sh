# diff.sh - what ran more, less, newly and no longer: lines are followed from one text to another, functions
# by their names; what cannot be followed is said.
mkdir -p a/src b/src
cat >a/src/p.c <<'C'
#include <stdlib.h>
int moved(int x);
static int gone(int x) { return x + 1; }
static int odd(int x) { return x & 1; }
int
main(int argc, char **argv)
{
	int i, n = argc > 1 ? atoi(argv[1]) : 0, s = 0;

	for (i = 0; i < n; i++)
		if (odd(i))
			s += gone(i);
		else
			s -= moved(1);
	if (n == 7)
		return 2;
	return s == 0;
}
C
cat >a/src/q.c <<'C'
int
moved(int x)
{
	return x;
}
C
sed 's/gone(i)/fresh(i)/; s/static int gone.*/static int fresh(int x) { return x - 1; }/; s,^int$,/* more */\nint,; s/n == 7/n == 5/; s/^int moved.*/int moved(int x) { return x; }/' a/src/p.c >b/src/p.c
echo 'int other(void) { return 3; }' >b/src/q.c
for d in a b; do
	(cd $d && tally build --quiet gcc -O2 src/p.c src/q.c -o p && for n in 4 5 6; do ./p $n || true; done)
done
cat >want <<'T'
more  less  newly  no longer  same  file
   0     1      5          3     6  b/src/p.c
   0     0      0          2     1  b/src/q.c

old  new  change     function  file
  -    7  newly      fresh     b/src/p.c
  7    -  no longer  gone      a/src/p.c

old  new  change     line                  text
  7    -  no longer  a/src/p.c:3: (old)    static int gone(int x) { return x + 1; }
  -    8  newly      b/src/p.c:2:          int moved(int x) { return x; }
  -    7  newly      b/src/p.c:3:          static int fresh(int x) { return x - 1; }
  7    -  no longer  a/src/p.c:12: (old)   			s += gone(i);
  -    7  newly      b/src/p.c:13:         			s += fresh(i);
  3    -  no longer  a/src/p.c:15: (old)   	if (n == 7)
  -    3  newly      b/src/p.c:16:         	if (n == 5)
  0    1  newly      b/src/p.c:17:         		return 2;
  3    2  less       b/src/p.c:18:         	return s == 0;
  8    -  no longer  a/src/q.c:2: (old)    moved(int x)
  8    -  no longer  a/src/q.c:4: (old)    	return x;
T
sed -i 's/  *$//' want
tally diff a/tally.out b/tally.out >got 2>err
sed 's/  */ /g' want >want.1
sed 's/  */ /g' got | diff want.1 - || { cat got; exit 1; }
[ ! -s err ] || { cat err; exit 1; }

# The same in JSON, and in a page; by one key; from merged files.
tally merge -o a.tally a/tally.out && tally merge -o b.tally b/tally.out
tally diff a.tally b.tally | diff got -
for key in file function line; do
	tally diff --by=$key a.tally b/tally.out >one
	grep -qF "$(sed -n 2p one)" got
	tally diff --by=$key --format=json a.tally b.tally >one.json
	[ "$(grep -c "\"by\":\"$key\"" one.json)" = $(($(wc -l <one) - 1)) ]
done
tally diff --format=json a.tally b.tally | /usr/bin/python3 -c 'import json, sys
rows = json.load(sys.stdin)
lines = {(r["old_line"], r["line"]): r for r in rows if r["by"] == "line"}
assert lines[16, 17]["change"] == "newly" and lines[16, 17]["old"] == 0 and lines[16, 17]["text"] == "\t\treturn 2;"
assert lines[None, 2]["old"] is None and lines[12, None]["file"].endswith("a/src/p.c")
assert not any(r["function"] in ("moved", "main", "odd") for r in rows if r["by"] == "function")'
tally diff --format=html a.tally b.tally >page.html
if command -v xmllint >/dev/null; then
	{ echo '<x>'; sed '/<!DOCTYPE/d; /<meta/d' page.html; echo '</x>'; } | xmllint --noout -
fi
[ "$(grep -c '<tr>' page.html)" = "$(grep -c . got)" ]

# Two runs of one program: what lcov's records say of each line, and nothing by number.
mkdir runs && cd runs
cp ../a/src/*.c .
tally build --quiet gcc -O1 p.c q.c -o p
for n in 1 7 4; do TALLY_DIR=$PWD/$n.out ./p $n || true; done
touch -d "+1 hour" p.c q.c # as if they had changed: the map knows that they have not, if it is asked
TALLY_DIR=$PWD/7.out tally diff 1.out p >got 2>err
[ ! -s err ] || { cat err; exit 1; }
for n in 1 7; do tally export --lcov $n.out | awk '/^SF/ { f = substr($0, 4) } /^DA/ { split(substr($0, 4), a, ","); print f ":" a[1] ":", a[2] }' >$n.da; done
paste -d ' ' 1.da 7.da | awk '$2 != $4 { print $2, $4, ($2 == 0 ? "newly" : $4 == 0 ? "no longer" : $4 > $2 ? "more" : "less"), $1 }' | sed "s,$PWD/,," >want
[ -s want ]
awk '$1 == "old" && $4 == "line" { on = 1; next } on { c = $3 == "no" ? $3 " " $4 : $3; print $1, $2, c, ($3 == "no" ? $5 : $4) }' got | diff want -
tally diff 4.out 4.out | awk 'NF && $1 ~ /^[0-9]/ { exit 1 }'
cd ..

# Where there is one text for two builds, lines go by number, and that is said; unless one says where the old
# text is.
mkdir one && cd one
printf 'int\nmain(int argc, char **argv)\n{\n\t(void)argv;\n\treturn argc > 9;\n}\n' >m.cc
tally build --quiet g++ m.cc -o m1
TALLY_DIR=$PWD/1.out ./m1
tally build --quiet g++ m.cc -o m2 -DX
TALLY_DIR=$PWD/2.out ./m2
touch -d '2020-01-01' m.cc
tally diff 1.out 2.out 2>err >/dev/null
[ ! -s err ] # it is older than both
mkdir was && cp m.cc was
sed -i 's/^int$/\/\/\nint/' m.cc
touch -d '+1 hour' m.cc
tally build --quiet g++ m.cc -o m2
rm -rf 2.out && TALLY_DIR=$PWD/2.out ./m2
tally diff 1.out 2.out 2>err >got
grep -q 'm.cc: the old source was not found: lines are matched by number; tell where it is with --old-prefix-map' err
grep -q newly got
tally diff --old-prefix-map="$PWD=$PWD/was" 1.out 2.out 2>err >got
[ ! -s err ]
! grep -q 'newly\|no longer' got

tally diff 1.out 2>err && exit 1
grep -q 'expected OLD and NEW' err
