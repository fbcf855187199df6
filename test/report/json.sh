# json.sh - --format=json says of every table what the text says.
cat >p.cc <<'C'
#include <cstdlib>
template <class T> __attribute__((noinline)) T half(T x) { return x / 2; }
static int odd(int x) { return x & 1; }
int main(int argc, char **argv)
{
	int i, n = argc > 1 ? atoi(argv[1]) : 0, s = 0;

	for (i = 0; i < n; i++)
		s += odd(i) ? half(i) : (int)half(1.5 * i);
	if (n == 7)
		exit(3);
	return s == -1;
}
C
cat >q.c <<'C'
int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1 && argv[1][0] == 'x')
		return 1;
	return 0;
}
C
tally build --quiet g++ -O1 p.cc -o p
tally build --quiet --branches gcc -O1 q.c -o "q \"x\" y"
for n in 3 4 7; do TALLY_LABEL="\"$n\"" ./p $n || true; done
'./q "x" y'
cat >flat.py <<'P'
import json, sys
for row in json.load(sys.stdin):
    print(*[row[k] for k in sys.argv[1:]], sep="\t")
P
# same KEYS AWK VIEW... - the members of each row, and the text as awk makes the same of it.
same() {
	local keys=$1 awk=$2
	shift 2
	# shellcheck disable=SC2086
	tally "$@" --format=json 2>/dev/null | /usr/bin/python3 flat.py $keys | sed 's/None/-/g' >got
	tally "$@" 2>/dev/null | awk "$awk" >want
	[ -s want ] && diff want got || { echo "tally $*"; exit 1; }
}
same 'calls instructions blocks_run blocks function' 'NR > 1 { n = $1 "\t" $2 "\t" $3 "\t" $4 "\t"; sub(/^ *[^ ]+ +[^ ]+ +[^ ]+ +[^ ]+  /, ""); print n $0 }' print -f --instantiations
same 'ie i ine bbe bb bbne file' '{ f = $7; n = ""; for (i = 1; i < 7; i++) { sub(/[a-z]+$/, "", $i); n = n $i "\t" } print n f }' print -s
same 'calls caller callee' 'NR > 1 { sub(/^ */, ""); gsub(/  +/, "\t"); print }' print --calls
same 'processes ending' '/^ / { n = $1; sub(/^ *[0-9]*  /, ""); print n "\t" $0 }' print --runs
same 'count line column endline endcolumn file function kind' \
	'{ n = $1; sub(/^ *[0-9]+  /, ""); split($0, a, /[:-]/); print n "\t" a[2] "\t" a[3] "\t" a[4] "\t" a[5] "\t" a[1] "\t" substr(a[6], 2) "\t" substr(a[7], 2) }' print --regions
same 'count instruction' '/^ *[0-9]+ [ #]  / { n = $1; sub(/^ *[0-9]+ [ #]  /, ""); print n "\t" $0 }' print -a
same 'count block to' '/^[^ ].*:$/ || $1 == "block" { next } { sub(/\*/, "") } $1 == "->" { print $3 "\t" b "\t" $2; next } { b = $1; print $2 "\t" b "\t" }' print -b
same 'executed bytes reads writes instruction' '/:$/ || $1 == "instruction" || $1 == "all" { next } { print $2 "\t" $4 "\t" $5 "\t" $6 "\t" $1 }' mix
same 'times runs label' 'NR > 1 { sub(/~/, ""); print $1 "\t" $2 "\t" $3 }' tests p.cc:9
# A listing, with what is approximate, and the parts of lines.
tally print --format=json --branches --pieces --by-label >all.json 2>/dev/null
tally print --branches --pieces --by-label >text 2>/dev/null
/usr/bin/python3 - <<'P'
import json
rows = json.load(open("all.json"))
out = []
label = file = None
for r in rows:
    if r["label"] != label:
        out.append(("" if label is None else "\n") + ("label " + r["label"] if r["label"] else "no label") + ":")
        label, file = r["label"], None
    if r["file"] != file:
        out.append(("\n" if file else "") + r["file"] + ":")
        file = r["file"]
    if r["column"] is not None and r["of"] is not None:
        out.append("%10d  of %d taken, column %d" % (r["count"], r["of"], r["column"]))
    elif r["column"] is not None:
        out.append("%10d %scolumn %d" % (r["count"], " " if r.get("sure", True) else "~", r["column"]))
    elif r["count"] is None:
        out.append(" " * 12 + r["text"])
    else:
        mark = "~" if not r.get("sure", True) else "#" if r["count"] == 0 and (".cc" not in file or r["instructions"] == 0) else " "
        out.append("%10d %s%s" % (r["count"], mark, r["text"]))
want = open("text").read()
got = "\n".join(out) + "\n"
assert any(not r.get("sure", True) for r in rows) and any(r["of"] for r in rows)
if got != want:
    open("got", "w").write(got)
    raise SystemExit("the listing differs")
P
# Nothing to show is an array, too.
[ "$(tally print -f --only=nothing --format=json 2>/dev/null | tr -d '\n')" = '[]' ]
tally print -f --format=xml 2>err && exit 1
grep -q 'choose text or json' err
