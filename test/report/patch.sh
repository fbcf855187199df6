# patch.sh - how much of a change ran: as diff-cover has it; and patches of all kinds.
command -v diff-cover >/dev/null || { echo "diff-cover is not there"; exit 77; }
mkdir repo && cd repo
git init -q -b main .
git config user.name x && git config user.email x@x
git config diff.noprefix true # must not matter
mkdir -p lib "odd dir"
cat >main.c <<'C'
int lib(int x), old(int x), odd(int x);
int
main(int argc, char **argv)
{
	(void)argv;
	return lib(argc) + old(argc) + odd(argc) == 99;
}
C
printf 'int\nlib(int x)\n{\n\treturn x;\n}\n' >lib/lib.c
printf 'int\nold(int x)\n{\n\tif (x > 5)\n\t\treturn 3;\n\treturn x;\n}\n' >old.c
printf 'int\r\nodd(int x)\r\n{\r\n\treturn x;\r\n}\r\n' >'odd dir/ä "q".c'
printf 'int unused(void) { return 1; }\n' >unused.c
git add . && git commit -qm one && git checkout -qb change
cat >lib/lib.c <<'C'
static int
helper(int x)
{
	if (x > 100) {
		x++;

		/* nothing here */
		x--;
	}
	return x;
}

int
lib(int x)
{
	if (x == 3)
		return 4;
	return helper(x);
}
C
git mv old.c renamed.c
printf 'int\nold(int x)\n{\n\tif (x > 5)\n\t\treturn 3;\n\tif (x > 6)\n\t\treturn 4;\n\treturn x;\n}' >renamed.c # no newline
printf 'int\r\nodd(int x)\r\n{\r\n\tif (x > 7)\r\n\t\treturn 0;\r\n\treturn x;\r\n}\r\n' >'odd dir/ä "q".c'
git rm -q unused.c
printf 'int unseen(void) { return 1; }\n' >unseen.c
git add -A && git commit -qm two
build() { tally build --quiet gcc -O1 main.c lib/lib.c renamed.c odd*/*.c -o m; rm -rf tally.out; ./m; }
build
tally diff --patch=main..change >got 2>err
cat >want <<'T'
lib/lib.c:5: lines 5 to 8 of the change never ran
lib/lib.c:17: this line of the change never ran
odd dir/ä "q".c:5: this line of the change never ran
renamed.c:7: this line of the change never ran
T
grep ':[0-9]*: ' got | diff want -
grep -q '^unseen.c: is in the change, but in no counted program$' err
[ "$(wc -l <err)" = 1 ] || { cat err; exit 1; }

# Files and percentages are those of diff-cover, from our own export.
tally export --cobertura -o c.xml
git config --unset diff.noprefix
diff-cover c.xml --compare-branch=main --json-report dc.json >/dev/null 2>&1
tally diff --patch=main..change --format=json 2>/dev/null >ours.json
/usr/bin/python3 - <<'P'
import json
theirs = json.load(open("dc.json"))
rows = json.load(open("ours.json"))
files = {r["file"]: r for r in rows if r["by"] == "file"}
seen = 0
for name, s in theirs["src_stats"].items():
    if '"' in name or "\\" in name or name not in files:
        continue # diff-cover does not read git's quotes
    assert abs(s["percent_covered"] - files[name]["percent"]) < 0.06, (name, s, files[name])
    missing = [l for r in rows if r["by"] == "range" and r["file"] == name for l in range(r["line"], r["end"] + 1)]
    assert set(s["violation_lines"]) <= set(missing), (name, s, missing)
    seen += 1
assert seen >= 2, theirs
n = sum(f["lines"] for k, f in files.items() if '"' not in k)
ran = sum(f["ran"] for k, f in files.items() if '"' not in k)
assert (n, n - ran) == (theirs["total_num_lines"], theirs["total_num_violations"]), (n, ran, theirs)
P
# The same from files: git's, with context, with and without prefixes, and diff's.
git diff main..change >p1
git diff --no-prefix -U7 main..change >p2
sed 's/$/\r/' p1 >p3
git diff --binary -M -C main..change >p5
for p in p1 p2 p3 p5; do tally diff --patch=$p 2>/dev/null | diff got - || { echo $p; exit 1; }; done
tally diff --patch=- <p1 2>/dev/null | diff got -
mkdir ../was && git archive main | tar -x -C ../was
(cd .. && diff -urN -x .git -x tally.out -x m -x '*.xml' -x '*.json' -x 'p?' -x got -x want -x err was repo >repo.patch || true)
tally diff --patch=../repo.patch 2>/dev/null | grep '^lib/lib.c' | diff <(grep '^lib/lib.c' want) -
(cd lib && TALLY_DIR=../tally.out tally diff --patch=main..change 2>/dev/null | grep -q '^lib.c:5: lines 5 to 8')

# Thresholds.
sum=$(sed -n 's/.* of the change ran: \(.*\)%$/\1/p' got)
below=$(awk -v x="$sum" 'BEGIN { print x - 1 }') above=$(awk -v x="$sum" 'BEGIN { print x + 1 }')
tally diff --patch=p1 --fail-under="$below" >/dev/null 2>&1
tally diff --patch=p1 --fail-under="$above" >/dev/null 2>err && exit 1
grep -q "less than $above% of the change ran" err
tally diff --patch=main..main --fail-under=100 2>/dev/null | grep -q 'no line with code'
tally diff --patch=p1 --fail-under=101 2>err && exit 1
grep -q 'from 0 to 100' err

# A source that is not as the patch leaves it; patches that are none; options for git.
printf '\n' | cat - lib/lib.c >x && mv x lib/lib.c
tally diff --patch=p1 >out 2>err && exit 1
grep -q 'lib/lib.c: has changed since it was compiled' err && [ ! -s out ]
build
tally diff --patch=p1 2>&1 | grep -q 'lib/lib.c: differs from the result of the change'
bad() { # PATTERN TEXT
	printf -- "$2" >bad
	tally diff --patch=bad >/dev/null 2>err && exit 1
	grep -q -- "$1" err || { cat err; exit 1; }
}
bad '^bad:3: the diff ends within this hunk$' '--- a\n+++ b\n@@ -1,2 +1,2 @@\n x\n'
bad '^bad:1: a hunk without a file header before it$' '@@ -1,2 +1,2 @@\n x\n'
bad '^bad:3: a hunk header without line numbers' '--- a\n+++ b\n@@ -1,x +1,2 @@\n x\n'
bad '^bad:4: not a line of a hunk$' '--- a\n+++ b\n@@ -1 +1 @@\nx\n'
bad '^bad:5: more lines than' '--- a\n+++ b\n@@ -1,2 +1,1 @@\n+x\n x\n'
bad '^bad:1: a combined diff of a merge' '@@@ -1 -1 +1 @@@\n'
# What is no unified diff must not pass for a change without code: the job that made it went wrong.
bad ' bad: is empty: ' ''
bad ' bad: is empty: ' '\n \n'
bad '^bad:2: not a unified diff: ' '\nfatal: bad revision\n'
bad '^bad:1: not a unified diff: ' ' lib/lib.c | 3 +--\n 1 file changed, 1 insertion(+), 2 deletions(-)\n'
bad '^bad:1: a diff that names no files: ' '4a5,6\n> \tif (x > 6)\n> \t\treturn 4;\n'
bad '^bad:2: a diff that names no files: ' 'diff -r was/old.c repo/old.c\n1,2d0\n< x\n< y\n'
bad '^bad:3: not a unified diff: use' '*** a\n--- b\n***************\n*** 1,2 ****\n'
git diff main..main | tally diff --patch=- 2>err && exit 1
grep -q -- ' -: is empty' err
# Changes that have no lines.
for text in 'diff --git a/m b/m\nold mode 100644\nnew mode 100755\n' 'Binary files a/m and b/m differ\n' 'Only in repo: m\n'; do
	printf -- "$text" >bad
	tally diff --patch=bad --fail-under=100 2>/dev/null | grep -q 'no line with code'
done
tally diff --patch=--output=stolen 2>err && exit 1
grep -q 'not a range for git' err
tally diff --patch='main --output=stolen' 2>err && exit 1
[ ! -e stolen ] && [ ! -e ../stolen ]
for range in no-such-branch main..no-such-branch no-such.diff; do
	status=0
	tally diff --patch=$range >/dev/null 2>err || status=$?
	[ $status = 1 ]
	grep -q "^tally: $range: is neither a file nor a revision range that git knows$" err
done
status=0
PATH=${PATH%%:*} "$(command -v tally)" diff --patch=no-such-branch >/dev/null 2>err || status=$?
[ $status = 1 ]
grep -q 'git cannot be run: No such file' err
