# places.sh - where programs and their profiles are looked for, by every verb, from elsewhere and when they
# have moved.
is() { [ "$2" = "$3" ] || { echo "$1: $2, not $3"; find . -name '*.tally'; cat words 2>/dev/null; exit 1; }; }
profiles() { find . -name '*.tally' | sed 's,/[^/]*$,,' | sort -u | paste -sd' '; }
# calls FUNCTION ARGUMENTS... - of tally print -f
calls() { local f=$1; shift; tally print -f "$@" 2>words | awk -v f="$f" '$1 == f { mark = sub("~", "", $2) ? "~" : mark; n += $2 } END { print mark n + 0 }'; }
printf 'int f(int n)\n{\n\treturn n;\n}\nint g(int n)\n{\n\treturn n;\n}\n' >u.c
printf 'int f(int), g(int);\nint main(void) { return f(0) + g(0); }\n' >m.c
# From elsewhere, by every verb.
mkdir build away
(cd build && cat ../m.c ../u.c >p.c && tally build --quiet --counters=edges,calls gcc -O0 p.c -o p && cp p q && cp p plain)
cd away
../build/p
TALLY_LABEL=second ../build/p
is 'profiles' "$(cd .. && profiles)" ./build/tally.out
verbs() { # WHAT RUNS PROGRAM... - every verb shows that many
	local what=$1 n=$2
	shift 2
	is "$what: print" "$(tally print "$@" 2>words | grep -c "^ *$n  .*return f(0)")" 1
	is "$what: print -f" "$(calls f "$@")" "$n"
	is "$what: print --calls" "$(tally print --calls "$@" 2>words | awk '$2 == "main" && $3 == "f" { print $1 }')" "$n"
	is "$what: print --runs" "$(tally print --runs "$@" 2>words | awk '/exit with status 0/ { print $1 }')" "$n"
	is "$what: lprint" "$(lprint "$@" 2>words | grep -c "^$n	.*return f(0)")" 1
	is "$what: mix" "$(tally mix "$@" 2>words | awk '$1 == "call" { print $2 }')" $((2 * n))
	is "$what: stats" "$(tally stats "$@" 2>words | grep -c ' [^ ]*/p$')" 4
	is "$what: export" "$(tally export --lcov "$@" 2>words | grep -c "^FNDA:$n,f$")" 1
	tally html -o site "$@" 2>words
	is "$what: html" "$(grep -l 'f(0)' site/file/p.c-*.html | grep -c .)" 1
	rm -rf site
	is "$what: diff" "$(tally diff "$1" "$1" 2>words >out && echo same)" same
}
verbs 'from elsewhere' 2 ../build/p
is 'by label' "$(tally print --by-label -f ../build/p 2>words | awk '$1 == "f" { print $2 }' | paste -sd' ')" '1 1'
is 'tests' "$(tally tests p.c:2 ../build/p 2>words | awk 'NR > 1 { n += $1 } END { print n }')" 2
is 'tally.out is made by nobody' "$(ls)" 'out
words'

# TALLY_DIR comes first, if there is something; what has no run says where it was looked for.
TALLY_DIR=here ../build/p
is 'TALLY_DIR' "$(TALLY_DIR=here calls f ../build/p)" 1
mkdir empty
is 'TALLY_DIR without runs' "$(TALLY_DIR=empty calls f ../build/p)" 2
is 'TALLY_DIR without runs' "$(TALLY_DIR=nowhere calls f ../build/p)" 2
mkdir tally.out
is 'tally.out without runs' "$(calls f ../build/p)" 2
cp here/* tally.out
is 'tally.out' "$(calls f ../build/p)" 1
rm -rf tally.out here empty
gcc ../build/p.c -o plain
tally print ./plain >out 2>words && exit 1
is 'not counted' "$(sed "s,$(pwd -P),.,g" words)" 'tally: ./plain: no profile of it in tally.out or ./tally.out'
(cd ../build && tally build --quiet gcc -O1 p.c -o never)
mkdir sub && cp ../build/never sub
TALLY_DIR=t tally print sub/never >out 2>words && exit 1
top=$(cd .. && pwd -P)
is 'never ran' "$(sed "s,$top,,g" words)" 'tally: /away/sub/never: no profile of it in t, /build/tally.out or /away/sub/tally.out'

# Each run counts once, however often it is named.
verbs 'twice' 2 ../build/p ../build/p
is 'with its profiles' "$(calls f ../build/p ../build/tally.out)" 2
(cd ../build && is 'in the same directory' "$(calls f p tally.out)" 2 && is 'and there' "$(calls f p)" 2)
merged=$PWD/all.tally
tally merge -o "$merged" ../build/tally.out
is 'with a merged profile' "$(calls f "$merged" ../build/p)" 2

# A copy of the program has its runs, until it has some of its own.
is 'a copy' "$(calls f ../build/q)" 2
is 'a copy, and the first' "$(calls f ../build/q ../build/p)" 2
is 'a copy, and profiles' "$(calls f ../build/q ../build/tally.out)" 2
../build/q
is 'a copy that ran' "$(calls f ../build/q)" 1
is 'the first' "$(calls f ../build/p)" 2
is 'both' "$(calls f ../build/p ../build/q)" 3
is 'both are told apart' "$(tally print --runs ../build/p ../build/q | grep -c :)" 2
rm -f ../build/tally.out/q*
cd ..

# Moved together: the program, its sources, its profiles.
mv build new
rm -f new/q
cd away
verbs 'moved' 2 ../new/p
verbs 'moved, with its profiles' 2 ../new/p ../new/tally.out
verbs 'moved, its profiles alone' 2 ../new/tally.out
is 'no remark' "$(cat words)" ''
is 'its source' "$(tally export --lcov ../new/tally.out | grep ^SF:)" "SF:$top/new/p.c"
is 'merged before' "$(calls f "$merged" ../new/p)" 2
tally merge -o all.tally ../new/tally.out 2>words
is 'merged afterwards' "$(calls f all.tally ../new/p)" 2
cp all.tally ../new && (cd ../new && is 'merged, beside it' "$(calls f all.tally)" 2)
mkdir -p deep/er && cp -r ../new deep/er/new
is 'a copy of all' "$(calls f deep/er/new/p deep/er/new/tally.out)" 2
is 'a copy, its profiles alone' "$(calls f deep/er/new/tally.out)" 2
../new/p # there is no build/ any more
is 'and ran again' "$(calls f ../new/p)" 1
is 'and ran again' "$(calls f tally.out ../new/tally.out)" 3
is 'and ran again' "$(calls f tally.out ../new/tally.out ../new/p)" 3
is 'as one program' "$(tally print --runs tally.out ../new/tally.out ../new/p 2>words | grep -c /p:)" 1
rm -rf tally.out deep

# Another build in its place is another program.
(cd ../new && sed -i 's/f(0)/f(0) + f(0)/' p.c && tally build --quiet gcc -O0 p.c -o p)
tally print -f ../new/tally.out >out 2>words && exit 1
is 'another build' "$(sed "s,$top,,g" words)" '/build/p: No such file or directory: 2 runs left out'
tally print -f ../new/p >out 2>words && exit 1
is 'another build' "$(sed "s,$top,,g" words)" 'tally: /new/p: no profile of it in tally.out or /new/tally.out'
cp ../new/plain p
is 'the old one' "$(calls f p ../new/tally.out)" 2
rm -rf ../new p

# Without a build id the code decides; libraries go along.
for id in '' -Wl,--build-id=none; do
	mkdir ../old
	(cd ../old && mkdir lib &&
		printf '#include <stdlib.h>\nint f(int n) { return n; }\nint by(const void *a, const void *b) { return *(int *)a - *(int *)b; }\n' >u.c &&
		printf 'int f(int), g(int), by(const void *, const void *);\nint main(void) { int (*p)(int) = f, t[] = {2, 1, 3}; qsort(t, 3, 4, by); return p(0) + (t[0] != 1); }\n' >p.c &&
		sed -i '1i #include <stdlib.h>' p.c &&
		tally build --quiet --counters=edges,calls gcc $id -shared -fPIC u.c -o lib/libu.so &&
		tally build --quiet --counters=edges,calls gcc $id p.c -Llib -lu "-Wl,-rpath,\$ORIGIN/lib" -o p && ./p)
	mv ../old ../new
	is "moved, calls $id" "$(tally print --calls ../new/tally.out 2>words | awk '$2 == "main" && $3 ~ /^(f|qsort)$/ { print $1, $3 }' | sort | paste -sd' ')" '1 f 1 qsort'
	is "moved, calls of f $id" "$(calls f ../new/tally.out)" 1
	is "moved, calls of main $id" "$(calls main ../new/p)" 1
	is "moved, the library alone $id" "$(calls f ../new/lib/libu.so)" 1
	cp ../new/lib/libu.so renamed.so
	is "the library by another name $id" "$(calls f renamed.so ../new/tally.out)" 1
	rm -rf ../new renamed.so
done

# lprint -c and lcomp find them, too.
mkdir ../old && cd ../old
printf '#include <signal.h>\nint f(void) { return 1; }\nint main(void) { f(); return raise(SIGKILL); }\n' >k.c
lcomp k.c -o k
cd ../away
for _ in 1 2; do ../old/k 2>/dev/null || true; done
is 'files' "$(find ../old/tally.out -name '*.[0-9]*.tally' | wc -l)" 1
lprint -c ../old/k >out 2>words
is 'files after lprint -c' "$(find ../old/tally.out -name '*.[0-9]*.tally' | wc -l)" 0
is calls "$(calls f ../old/k)" '~2'
(cd ../old && lcc k.c)
lcomp ../old/k.o -o ../old/k
is 'files after lcomp' "$(find ../old -name '*.tally')" ''
