# cobertura.sh - export --cobertura is valid, says what --lcov says, also of files with odd names,
# and diff-cover reads it.
command -v xmllint >/dev/null || { echo "xmllint (libxml2-utils) is not there"; exit 77; }
cat >coverage.dtd <<'D'
<!ELEMENT coverage (sources?, packages)>
<!ATTLIST coverage line-rate CDATA #REQUIRED branch-rate CDATA #REQUIRED lines-covered CDATA #REQUIRED
	lines-valid CDATA #REQUIRED branches-covered CDATA #REQUIRED branches-valid CDATA #REQUIRED
	complexity CDATA #REQUIRED version CDATA #REQUIRED timestamp CDATA #REQUIRED>
<!ELEMENT sources (source*)>
<!ELEMENT source (#PCDATA)>
<!ELEMENT packages (package*)>
<!ELEMENT package (classes)>
<!ATTLIST package name CDATA #REQUIRED line-rate CDATA #REQUIRED branch-rate CDATA #REQUIRED complexity CDATA #REQUIRED>
<!ELEMENT classes (class*)>
<!ELEMENT class (methods, lines)>
<!ATTLIST class name CDATA #REQUIRED filename CDATA #REQUIRED line-rate CDATA #REQUIRED
	branch-rate CDATA #REQUIRED complexity CDATA #REQUIRED>
<!ELEMENT methods (method*)>
<!ELEMENT method (lines)>
<!ATTLIST method name CDATA #REQUIRED signature CDATA #REQUIRED line-rate CDATA #REQUIRED
	branch-rate CDATA #REQUIRED complexity CDATA #REQUIRED>
<!ELEMENT lines (line*)>
<!ELEMENT line (conditions*)>
<!ATTLIST line number CDATA #REQUIRED hits CDATA #REQUIRED branch CDATA "false" condition-coverage CDATA "100%">
<!ELEMENT conditions (condition*)>
<!ELEMENT condition EMPTY>
<!ATTLIST condition number CDATA #REQUIRED type CDATA #REQUIRED coverage CDATA #REQUIRED>
D
valid() { xmllint --noout --nonet --dtdvalid coverage.dtd "$1" 2>err || { cat err; exit 1; }; }

dir="a & b/it's <odd>"
mkdir -p "$dir" sub
cat >"$dir/ä \"q\".c" <<'C'
int
half(int x)
{
	if (x > 2 && x < 5)
		return x / 2;
	return x == 100 ? 7 : 0;
}
C
cat >"$dir/t.cc" <<'C'
template <class A, class B> __attribute__((noinline)) int both(A a, B b) { return (int)(a + b); }
extern "C" int pair(void) { return both<int, long>(1, 2) + both(2.5, 1); }
C
cat >sub/main.c <<'C'
int half(int), pair(void);

int
main(void)
{
	int i, s = 0;

	for (i = 0; i < 9; i++)
		s += half(i);
	return s + pair() == 0;
}
C
tally build --quiet --branches gcc -O1 "$dir/ä \"q\".c" "$dir/t.cc" sub/main.c -o p
./p
tally export --cobertura -o x.xml
valid x.xml
grep -q 'method name="both&#60;int, long&#62;(int, long)"' x.xml
tally export --cobertura --mangled -o m.xml
tally export --lcov -o x.info
cat >flat.py <<'P'
import os, sys, xml.etree.ElementTree as E
t = E.parse(sys.argv[1]).getroot()
root = t.find("sources/source").text
lines = covered = ways = taken = 0
for c in t.iter("class"):
    path = os.path.join(root, c.get("filename"))
    assert os.path.exists(path), path
    for m in c.iter("method"):
        l = m.find("lines/line")
        print(path, "function", m.get("name"), l.get("number"), l.get("hits"))
    for l in c.findall("lines/line"):
        print(path, "line", l.get("number"), l.get("hits"))
        lines += 1
        covered += int(l.get("hits")) > 0
        if l.get("branch") == "true":
            a, b = l.get("condition-coverage").split("(")[1].rstrip(")").split("/")
            assert int(b) == 2 * len(l.findall("conditions/condition"))
            ways += int(b)
            taken += int(a)
            print(path, "ways", l.get("number"), a, b)
assert (lines, covered) == (int(t.get("lines-valid")), int(t.get("lines-covered")))
assert (ways, taken) == (int(t.get("branches-valid")), int(t.get("branches-covered")))
assert ways > 4 and abs(float(t.get("line-rate")) - covered / lines) < 1e-5
P
/usr/bin/python3 flat.py m.xml | sort >got
perl -ne '$f = $1 if /^SF:(.*)/; $at{$2} = $1 if /^FN:(\d+),(.*)/; print "$f function $2 $at{$2} $1\n" if /^FNDA:(\d+),(.*)/;
	print "$f line $1 $2\n" if /^DA:(\d+),(\d+)/;
	if (/^BRDA:(\d+),\d+,\d+,(.*)/) { $n{$1}++; $t{$1} += $2 ne "-" && $2 > 0 }
	if (/^end/) { print "$f ways $_ $t{$_} $n{$_}\n" for keys %n; %n = %t = () }' x.info | sort >want
grep -q 'ä "q".c line 5 2$' want
grep -q 'function _Z4bothIilEiT_T0_ 1 1$' want
diff want got
[ "$(grep -c '<package ' x.xml)" = 2 ]

# One file; a file that has nothing left; several programs.
tally export --cobertura --only='sub/main.c' -o one.xml
valid one.xml
grep -q "<source>$PWD/sub</source>" one.xml
tally export --cobertura --only=nothing.c -o none.xml
valid none.xml
cp sub/main.c two.c
tally build --quiet gcc two.c -x c - -o two <<'C'
int half(int x) { return x; }
int pair(void) { return 0; }
C
./two
tally export --cobertura -o both.xml
valid both.xml
grep -q 'filename="two.c"' both.xml && grep -q 'filename="sub/main.c"' both.xml

# diff-cover finds the line of a change that never ran.
command -v diff-cover >/dev/null && command -v git >/dev/null || { echo '# without diff-cover'; exit 0; }
mkdir repo && cd repo
git init -q -b main .
git config user.name x && git config user.email x@x
printf 'int\nmain(int argc, char **argv)\n{\n\t(void)argv;\n\treturn 0;\n}\n' >m.c
git add m.c && git commit -qm one && git checkout -qb change
printf 'int\nmain(int argc, char **argv)\n{\n\t(void)argv;\n\tif (argc > 3)\n\t\treturn 1;\n\treturn 0;\n}\n' >m.c
git commit -qam two
tally build --quiet gcc m.c -o m
./m
tally export --cobertura -o c.xml
diff-cover c.xml --compare-branch=main >out 2>err || { cat out err; exit 1; }
grep -q 'm.c (50.0%): Missing lines 6$' out || { cat out err; exit 1; }
