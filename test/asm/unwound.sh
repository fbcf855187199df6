# unwound.sh - stubs are unwound as the branches that lead to them: readelf says so of every jump between
# procedures, in both directions; and their unwind information does not grow with the square of the function.
cat >rules.py <<'P'
import re, subprocess, sys

def run(*args):
    return subprocess.run(args, capture_output=True, text=True, check=True).stdout

# The rules that hold from an address on, by procedure.
fdes, rows, names = [], None, None
for line in run("readelf", "-wF", sys.argv[1]).splitlines():
    m = re.match(r"[0-9a-f]+ [0-9a-f]+ [0-9a-f]+ FDE .*pc=([0-9a-f]+)\.\.([0-9a-f]+)", line)
    if m:
        rows = []
        fdes.append((int(m[1], 16), int(m[2], 16), rows))
    elif re.match(r"[0-9a-f]+ [0-9a-f]+ [0-9a-f]+ CIE|[0-9a-f]+ ZERO", line):
        rows = None
    elif line.startswith("   LOC"):
        names = line.split()[1:]
    elif rows is not None and re.match(r"[0-9a-f]{16} ", line):
        at, *rules = line.split()
        rows.append((int(at, 16), {n: r for n, r in zip(names, rules) if r not in ("u", "s")}))

def procedure(addr):
    return next((f for f in fdes if f[0] <= addr < f[1]), None)

def rules(fde, addr):
    best = None
    for at, r in fde[2]:
        if at <= addr:
            best = r
    return best

symbols = {int(l.split()[0], 16) for l in run("nm", sys.argv[1]).splitlines() if re.match("[0-9a-f]+ [tTwWiV] ", l)}
seen = 0
for line in run("objdump", "-d", "--no-show-raw-insn", sys.argv[1]).splitlines():
    m = re.match(r"[0-9a-f]+ <([^>]*)>:", line)
    if m:
        runtime = m[1].startswith("__tally") or m[1] == "first"
    m = re.match(r"\s*([0-9a-f]+):\s+(j[a-z]+)\s+([0-9a-f]+) <", line)
    if not m or runtime or "@plt" in line:
        continue
    at, to = int(m[1], 16), int(m[3], 16)
    a, b = procedure(at), procedure(to)
    if a is None or b is None or a is b or to in symbols:
        continue
    seen += 1
    if rules(a, at) != rules(b, to):
        sys.exit(f"{sys.argv[1]}: jump from {at:x} {rules(a, at)} to {to:x} {rules(b, to)}")
print(seen)
P
# Functions that save registers, move the stack, realign it, and return early everywhere.
{
	echo 'int g(int, int, int, int, int, int, int, int, int); void *alloca(unsigned long); void h(void *); void die(void) __attribute__((noreturn));'
	echo 'int f(int *t, int x, int n) { int s = 0;'
	for ((i = 0; i < 300; i++)); do
		echo "if (t[$i] > x && t[$((i + 1))]) { s += g(s, x, n, t[$i], 5, 6, 7, 8, 9); if (s == $i) return s; if (s < 0) die(); }"
	done
	echo 'return s; }'
	echo 'int k(int *t, int n) { char *p = alloca(n); int i, s = 0; h(p); for (i = 0; i < n; i++) { if (t[i] == 3) return s; if (t[i] & 1 && p[i]) s += g(i, s, 3, 4, 5, 6, 7, 8, 9); } return s; }'
	echo 'typedef int V __attribute__((vector_size(64))); int v(V *p, int n) { V a; int i, s = 0; h(&a); for (i = 0; i < n; i++) { if (p[i][0] == 3) return a[1]; if (s > 9 && p[i][1]) a += p[i]; } return s + a[0]; }'
} >f.c
echo 'int g(int a, int b, int c, int d, int e, int f, int g, int h, int i) { return a + b + c + d + e + f + g + h + i; } void h(void *p) { (void)p; } void die(void) { __builtin_abort(); } int main(void) { return 0; }' >m.c
cat >x.cc <<'C'
#include <string>
#include <vector>
struct D { ~D(); };
D::~D() { }
int f(std::vector<std::string> &v, int n)
{
	D d;
	int s = 0;

	for (auto &x : v) {
		std::string y = x + "!";

		if (y.size() > 9 && n)
			throw s;
		try {
			s += x.at(3) == 'a' ? f(v, n - 1) : 2;
		} catch (...) {
			if (n > 3)
				return s;
		}
		if (s > n)
			break;
	}
	return s;
}
int main() { std::vector<std::string> v; return f(v, 3); }
C
echo 'int first(void) { return 0; }' >e.c
tally build --quiet gcc -Os -c e.c -o e.o # after its function comes the runtime
n=0
for cc in gcc clang; do for o in -O0 -O1 -O2 '-O2 -fno-omit-frame-pointer' -Os '-O3 -fPIC' '-O2 -mavx512f' '-O2 -fno-asynchronous-unwind-tables'; do
	for counters in edges redundant; do
		# shellcheck disable=SC2086
		tally build --quiet --counters=$counters $cc $o -w e.o f.c m.c -o f
		k=$(/usr/bin/python3 rules.py f)
		n=$((n + k))
	done
	# shellcheck disable=SC2086
	tally build --quiet $cc $o -w e.o x.cc -o x -lstdc++
	k=$(/usr/bin/python3 rules.py x)
	n=$((n + k))
done; done
[ "$n" -gt 1000 ] || { echo "$n jumps, which is too few"; exit 1; }
echo "$n jumps"
# size FILE - of its unwind information.
size() { echo $((16#$(readelf -SW "$1" | sed -n 's/.* \.eh_frame  *[A-Z0-9_]*  *[0-9a-f]* [0-9a-f]* \([0-9a-f]*\) .*/\1/p' | head -n 1))); }
gcc -Os -w -c f.c -o plain.o
tally build --quiet gcc -Os -w -c f.c -o counted.o
[ $(($(size counted.o) - $(size e.o))) -lt $((3 * $(size plain.o))) ] || { size plain.o; size counted.o; size e.o; exit 1; }
