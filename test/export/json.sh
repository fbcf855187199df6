# json.sh - export --json is what its schema says, says the same as --lcov, marks what is
# approximate, and can be read whatever files are called.
/usr/bin/python3 -c 'import jsonschema' 2>/dev/null || { echo "python3-jsonschema is not there"; exit 77; }
cat >valid.py <<'P'
import json, sys, jsonschema
schema = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(schema)
# Strict: what is not described is not there, either.
def close(x):
    if isinstance(x, dict):
        if "properties" in x:
            x["additionalProperties"] = False
        for v in x.values():
            close(v)
close(schema)
d = json.load(open(sys.argv[2], encoding="utf-8"))
jsonschema.Draft202012Validator(schema).validate(d)
for f in d["files"]:
    print("SF:" + f["path"])
    for n in f["functions"]:
        print("FNDA:%d,%s" % (n["calls"], n["symbol"]))
    for l in f["lines"]:
        for i, b in enumerate(l["branches"]):
            for way, n in enumerate((b["taken"], b["reached"] - b["taken"])):
                print("BRDA:%d,%d,%d,%s" % (l["line"], i, way, n if b["reached"] else "-"))
        print("DA:%d,%d" % (l["line"], l["count"]))
P
valid() { /usr/bin/python3 valid.py "$ROOT/doc/export.schema.json" "$1"; }

tab=$(printf 'back\\slash\t\303\244')
mkdir "$tab"
cat >"$tab/a.c" <<'C'
#include <signal.h>
#include <unistd.h>

static int
f(int x)
{
	return x > 3 || x == 1 ? x : 0;
}

int
main(int argc, char **argv)
{
	int i, s = 0;

	(void)argv;
	for (i = 0; i < 6; i++)
		s += f(i);
	if (argc > 1)
		kill(getpid(), SIGKILL);
	return s == 0;
}
C
cat >b.cc <<'C'
#include <cstdio>
static int g(int x) { return x > 100 ? x * 3 : x + 1; }
int main(int argc, char **)
{
	int s = argc;
	for (int i = 0; i < 20; i++)
		if (i & 1)
			s += g(s);
	std::printf("%d\n", s);
	return 0;
}
C
tally build --quiet --branches gcc -O2 "$tab/a.c" -o a
tally build --quiet g++ -O2 b.cc -o b
./a; ./b >/dev/null
tally export --json -o x.json
valid x.json | sed 's/\t/?/' | sort >got
tally export --lcov | grep '^SF\|^FNDA\|^BRDA\|^DA' | sort >want
diff want got
[ "$(grep -c ^BRDA got)" -ge 6 ]

# As many approximate lines as the listing marks, and its instructions.
said() {
	/usr/bin/python3 -c '
import json, sys
d = json.load(open(sys.argv[1]))
lines = [l for f in d["files"] for l in f["lines"]]
print(sum(not l["sure"] for l in lines), sum(l["instructions"] for l in lines), [p["doubts"] for p in d["programs"]])' "$1"
}
tally export --json -o b.json b
rough=$(tally print b | grep -c '^ *[0-9]* ~')
insns=$(tally print -i b | awk '$1 ~ /^[0-9]+i$/ { s += $1 } END { print s }')
[ "$rough" -gt 0 ]
[ "$(said b.json)" = "$rough $insns [[]]" ] || { said b.json; echo "$rough $insns"; exit 1; }

# A process that was killed casts a doubt.
./a kill >/dev/null 2>&1 || true
tally export --json -o x.json a 2>err
valid x.json >/dev/null
grep -q 'still run or were killed' err
[ "$(said x.json | cut -d' ' -f3-)" = "[['killed']]" ]

# A path that is no UTF-8.
bad=$(printf 'x\377y')
mkdir "$bad" && cp b.cc "$bad/c.cc"
tally build --quiet g++ "$bad/c.cc" -o c
./c >/dev/null
tally export --json -o x.json c
valid x.json >/dev/null
tally export --cobertura -o x.xml c
! command -v xmllint >/dev/null || xmllint --noout --nonet x.xml
tally export --lcov c | grep -aq "^SF:$PWD/$bad/c.cc$"
