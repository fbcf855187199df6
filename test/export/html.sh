# html.sh - tally html: pages are XML and lead nowhere but to each other; they say what the other
# views say, of lines, functions, blocks and edges; what casts doubt on that is on the index; DIR is
# written as a whole or not at all, and what is not ours is left alone.
command -v xmllint >/dev/null || { echo "xmllint (libxml2-utils) is not there"; exit 77; }

# Links, and what pages say, as text.
cat >site.py <<'P'
import os, re, sys, urllib.parse, xml.etree.ElementTree as E
X, V = "{http://www.w3.org/1999/xhtml}", "{http://www.w3.org/2000/svg}"
site = sys.argv[1]
pages, ids = {}, {}
for d, _, files in os.walk(site):
    for f in files:
        path = os.path.normpath(os.path.join(d, f))
        ids[path] = set()
        if f.endswith(".html"):
            pages[path] = E.parse(path).getroot()
            names = [e.get("id") for e in pages[path].iter() if e.get("id")]
            ids[path] = set(names)
            assert len(names) == len(ids[path]), path + ": an id is there twice"
text = lambda e: "".join(e.itertext())
number = lambda s: s.replace(",", "").strip()

def links():
    n = 0
    for path, root in pages.items():
        for e in root.iter():
            for a in "href", "src", "action", "data":
                to = e.get(a)
                if to is None:
                    continue
                n += 1
                assert not re.match(r"[a-z]+:|//", to), f"{path}: {to} leads elsewhere"
                file, _, id = urllib.parse.unquote(to).partition("#")
                file = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
                assert file in ids, f"{path}: {to} is not there"
                assert not id or id in ids[file], f"{path}: {to} is not in it"
    print("links", n)

def lines():
    """FILE, then what `tally print -i -p' prints, without the text of lines that have neither."""
    for path, root in sorted(pages.items()):
        if root.find(X + "body").get("class") != "source":
            continue
        for tr in root.iter(X + "tr"):
            if not (tr.get("id") or "").startswith("L"):
                continue
            c = [text(e) for e in tr]
            if c[1] or c[2]:
                print(text(root.find(X + "head/" + X + "title")), c[0], number(c[1][:-1]), c[1][-1:].strip() or "-",
                    number(c[2]) or "0")

def flows():
    """What `tally print -b' prints, without offsets."""
    for path, root in sorted(pages.items()):
        if root.find(X + "body").get("class") != "flow":
            continue
        name = text(root.find(".//" + X + "h1"))
        drawn = {}
        for a in root.iter(V + "a"):
            if (a.get("class") or "").startswith("edge"):
                drawn.setdefault(text(a.find(V + "title")), []).append(a)
        dots = len([c for c in root.iter(V + "circle")])
        said = stars = 0
        for d in root.iter(X + "details"):
            if d.get("class") == "large":
                continue
            s = d.find(X + "summary")
            at, block = None, None
            for e in s:
                if e.tag == X + "b":
                    at = block = text(e)
                elif e.tag == X + "a":
                    at = text(e)
                elif e.tag == X + "span":
                    star = "*" if e.find(X + "i") is not None else ""
                    stars += star != ""
                    print(name, block, "" if e is s[1] else "-> " + at, number(text(e)) + star)
                    if e is not s[1]:
                        t = f"{block} \u2192 {at}: " + text(e).strip() + ("; carries a counter" if star else "")
                        assert drawn.get(t), f"{path}: {t!r} is not drawn: {list(drawn)}"
                        drawn[t].pop()
        assert not any(drawn.values()), path
        assert dots == stars, f"{path}: {dots} dots, {stars} stars"

def functions():
    root = pages[os.path.join(site, "index.html")]
    for t in root.iter(X + "table"):
        if t.get("data-name") == "functions":
            for tr in t.find(X + "tbody"):
                c = [text(e) for e in tr]
                print(c[0], number(c[2]), number(c[3]) if len(c) > 4 else "")

def remarks():
    root = pages[os.path.join(site, "index.html")]
    for s in root.iter(X + "section"):
        if s.get("id") == "remarks":
            for li in s.iter(X + "li"):
                print(text(li))
globals()[sys.argv[2]]()
P
said() { /usr/bin/python3 site.py "${2:-site}" "$1"; }

# nothing COMMAND... - what it prints.
nothing() {
	local words
	words=$("$@") || true
	[ -z "$words" ] || { printf '%s\n' "$words"; exit 1; }
}

# wellformed DIR - every page, and every link.
wellformed() {
	find "$1" -name '*.html' -print0 | xargs -0 xmllint --noout --nonet
	/usr/bin/python3 site.py "$1" links
}

# alike - pages say what the other views say.  Lines that print has not marked are as exact.
alike() {
	tally print -i -p 2>remarks | perl -pe 's/\xff/\xef\xbf\xbd/g' >listing
	perl -ne 'if (/^(\S.*):$/ && !/^ /) { $f = $1; $n = 0; next } next if /^$/ && eof; $n++;
		print "$f $n $1 ", ($2 eq " " ? "-" : $2), " $3\n" if /^ *(\d+) (.) *(\d+)i /;
		print "$f $n  - $1\n" if /^ {12} *(\d+)i /' listing | sort >want
	said lines | sort >got
	[ -s want ]
	diff want got
	tally print -b 2>/dev/null | perl -ne 'if (/^(\S.*):$/) { $f = $1; next } next if /^ *block/;
		if (/^ *(entry|exit|\d+) +(\S+)/) { $b = $1; print "$f $b  $2\n" } elsif (/-> (\S+) +(\S+)/) { print "$f $b -> $1 $2\n" }' |
		grep -v ' exit -> entry ' | sort >want || true
	said flows | sort >got
	[ -s want ]
	# Edges that no code takes are in the one only, and count nothing.
	diff want got >difference || nothing grep '^[<>] .*[^ ]$' <(grep -v '^< .* -> [^ ]* 0$' difference)
	said remarks >got
	diff remarks got
}

for n in sort switch recursion pieces; do
	cp "$ROOT/test/sample/$n.c" .
	tally build --quiet gcc -O2 -w "$n.c" -o "$n" -lm
	./"$n" >/dev/null </dev/null || true
done
tally html -o site
wellformed site
alike
for o in '-O0 --lines=tables' '-O2 --lines=tables' '-O1 --branches'; do
	rm -rf tally.out
	# shellcheck disable=SC2086
	tally build --quiet ${o#* } gcc ${o%% *} -w pieces.c -o pieces -lm
	./pieces >/dev/null
	tally html -o site
	alike
done
grep -q 'the condition held' site/file/*.html

# Functions: calls and instructions as print -f has them.
rm -rf tally.out
tally build --quiet --lines=tables gcc -O1 -w sort.c switch.c -o both -DMAIN=1 -Wl,-z,muldefs -lm
./both >/dev/null </dev/null || true
tally html -o site
said functions | sort >got
tally print -f | awk 'NR > 1 { print $1, $2, $3 }' | sort >want
diff want got

# Odd names and texts; what is the same in two units; another language; a function that never ran.
rm -rf tally.out site
dir="a & b/it's <odd>"
long=$(printf 'l%.0s' $(seq 200))
mkdir -p "$dir" sub1 sub2
cat >"$dir/ä \"q\" #1%41?.c" <<'C'
/* <script>alert(1)</script> & "quotes" ]]> &amp; */
int half(int x) { return x > 2 && x < 5 ? x / 2 : 0; }
int never(int x) { return x + 1; }
C
printf '/* \377\376 no UTF-8, \001 and \033[31m */\r\nint %s(void) { return 1; } /* \0 */\r\n' "$long" >"$dir/$long.c"
printf 'static int same(int x)\n{\n\treturn x * 2;\n}\n' >same.h
printf '#include "same.h"\nint one(int x) { return same(x); }\n' >sub1/x.c
printf '#include "same.h"\nint two(int x) { return same(x); }\n' >sub2/x.c
cat >t.cc <<'C'
template <class A, class B> __attribute__((noinline)) int both(A a, B b) { return (int)(a + b); }
extern "C" int pair(void) { return both<int, long>(1, 2) + both(2.5, 1); }
C
cat >main.c <<C
int half(int), $long(void), one(int), two(int), pair(void);
int
main(void)
{
	return half(3) + $long() + one(2) + two(3) + pair() == 0;
}
C
printf 'int bad(void) { return 0; }\n' >"$dir/"$'bad\377.c'
tally build --quiet gcc -O0 -w -I. "$dir"/*.c sub1/x.c sub2/x.c main.c t.cc -o odd -lstdc++
./odd
tally html -o site
wellformed site
alike
[ "$(find site/flow -name 'same-*-2.html' | wc -l)" = 1 ]
[ "$(find site/file -name 'x.c-*.html' | wc -l)" = 2 ]
nothing find site -name '*[^A-Za-z0-9._/-]*'
[ "$(find site -printf '%f\n' | awk '{ print length }' | sort -n | tail -n 1)" -lt 100 ]
nothing grep -rl '<script>alert' site
grep -q 'both&#60;int, long&#62;(int, long)' site/index.html
grep -q '<tr class="never"><th scope="row"><a [^>]*>never</a>' site/index.html

# A source that is gone: only lines with code.
mv main.c gone.c
tally html -o site 2>err
grep -q 'main.c: not found' err
grep -q 'main.c: not found' site/index.html
wellformed site
grep -q 'The source was not found' site/file/main.c-*.html
mv gone.c main.c

# A long source has several pages.
rm -rf tally.out
perl -e 'print "int f$_(int x)\n{\n\treturn x + $_;\n}\n" for 1 .. 6000; print "int main(void) { return f5999(1) == 0; }\n"' >long.c
tally build --quiet gcc -O0 long.c -o long
./long
tally html -o site
wellformed site
[ "$(find site/file -name 'long.c-*' | wc -l)" = 3 ]
grep -q 'id="L10001"' site/file/long.c-*.2.html
grep -q 'data-name="functions"' site/index.html && [ "$(grep -c '^"<tr' site/functions.js)" = 5501 ]

# --only: a function, a file, nothing.
tally html -o only --only=f17
wellformed only
[ "$(find only/flow -name '*.html' | wc -l)" = 1 ]
[ "$(cat only/file/*.html | grep -c '<tr id=')" = 4 ]
tally html -o none --only=nothing
wellformed none

# What casts doubt is on the index.
cat >killed.c <<'C'
#include <signal.h>
#include <unistd.h>

static void
die(void)
{
	raise(SIGKILL);
}

int
main(void)
{
	die();
	return 0;
}
C
rm -rf tally.out
tally build --quiet gcc killed.c -o killed
(./killed) 2>/dev/null || true
tally html -o site 2>err
grep -q 'still run or were killed' err
alike
grep -q 'still run or were killed' got
grep -q '#remarks">2 remarks<' site/flow/main-*.html
# Frames that were left are shown where they were.
cat >leave.c <<'C'
#include <stdlib.h>
static void out(int x) { if (x) exit(0); }
int main(void) { out(1); return 0; }
C
rm -rf tally.out
tally build --quiet gcc -O0 leave.c -o leave
./leave
tally html -o site
grep -q 'class="cut".*left early: 1' site/flow/main-*.html
# Another build.
tally build --quiet gcc -O1 leave.c -o leave
cp tally.out/*.tally kept.tally
./leave
status=0
tally html -o site kept.tally 2>err || status=$?
[ $status = 1 ] && grep -q 'another build left out' err

# Without edges: counters in the C text.
rm -rf tally.out
tally build --quiet --road=c gcc sort.c -o r
./r >/dev/null
tally html -o site
wellformed site
[ "$(find site/flow -type f | wc -l)" = 0 ]

# Counted by tally run: all of a program, or calls alone, and then nothing is known of the rest.
gcc -g -O1 -w sort.c -o live -lm
for how in --lines --functions; do
	rm -rf tally.out
	timeout 120 tally run $how ./live >/dev/null
	tally html -o site
	wellformed site
	said functions | sort >got
	tally print -f | awk 'NR > 1 { print $1, $2, $3 }' | sed 's/ -/ \xe2\x80\x93/g' | sort >want
	diff want got
	[ "$how" = --functions ] || alike
done
nothing find site/flow -type f
nothing grep 'instructions were executed' site/index.html

# DIR: made; replaced if it is ours; kept if we fail, if it is not ours, or if it has something else.
wrong() { # STATUS WORDS ARGS...
	local status=0 want=$1 words=$2
	shift 2
	tally html "$@" >out 2>err || status=$?
	[ $status = "$want" ] && grep -q -- "$words" err || { echo "$*: $status"; cat err; exit 1; }
}
mkdir empty mine
tally html -o empty/
[ -e empty/index.html ]
echo x >mine/index.html
wrong 1 'mine/index.html: was not written by tally html' -o mine
rm mine/index.html && mkdir mine/file && echo x >mine/file/notes
wrong 1 'mine/file/notes: was not written' -o mine
[ "$(cat mine/file/notes)" = x ]
touch site/notes
wrong 1 'site/notes: was not written' -o site
rm site/notes
ln -s /etc/passwd site/files.js
wrong 1 'site/files.js: was not written' -o site
rm site/files.js
echo y >plainfile
wrong 1 'open plainfile: Not a directory' -o plainfile
wrong 1 'create no/where.*: No such file' -o no/where
wrong 2 'give -o DIR'
wrong 2 'needs a value' -o
wrong 2 'no such option' -o x --frob
wrong 1 'nosuch' -o new nosuch
[ ! -e new ]
before=$(find site -type f -exec md5sum {} + | sort)
(trap '' XFSZ; ulimit -f 4; tally html -o site 2>&1 || echo "status $?") >err
grep -q 'write .*site.*File too large' err && grep -qx 'status 1' err || { cat err; exit 1; }
[ "$before" = "$(find site -type f -exec md5sum {} + | sort)" ]
[ "$(find . -maxdepth 1 -name 'site?*' ! -name site.py | wc -l)" = 0 ]
ln -s site link
touch -d 2001-01-01 site/index.html
tally html -o link
[ -L link ] && [ site/index.html -nt site.py ]
(umask 027; tally html -o masked)
[ "$(stat -c %a masked masked/file masked/index.html | tr '\n' ' ')" = '750 750 640 ' ]
tally html --help | grep -q -- '-o DIR'

# Interrupted: nothing is left.  Who is done before he is stopped is asked again.
rm -rf tally.out
tally build --quiet gcc -O0 long.c -o long
./long
for _ in 1 2 3 4 5; do
	status=0
	tally html -o stopped & pid=$!
	while kill -0 $pid 2>/dev/null && [ -z "$(find stopped.?????? -name '*.html' 2>/dev/null | head -n 1)" ]; do :; done
	kill -TERM $pid 2>/dev/null || true
	wait $pid || status=$?
	[ $status = 0 ] || break
	rm -rf stopped
done
[ $status = 143 ] || { echo "status $status"; exit 1; }
[ "$(find . -maxdepth 1 -name 'stopped*' | wc -l)" = 0 ]
