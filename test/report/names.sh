# names.sh - one file has one name: however units and programs were led to it, its counts add up, and every view has it
# once; and different files stay apart.
top=$PWD
mkdir -p one/inc one/sub
cat >one/inc/h.h <<'C'
static inline int twice(int n)
{
	if (n > 5)
		return 2 * n;
	return n + n;
}
C
cat >one/main.c <<'C'
#include "inc/h.h"
int sub(int);
int main(void)
{
	int i, s = 0;
	for (i = 0; i < 10; i++)
		s += twice(i);
	return s + sub(3) == 4;
}
C
cat >one/sub/s.c <<'C'
#include "../inc/h.h"
int sub(int n)
{
	int i, s = 0;
	for (i = 0; i < n; i++)
		s += twice(i);
	return s;
}
C
count() { tally print "$@" 2>/dev/null | awk '/if \(n > 5\)/ { printf "%s ", $1 }'; }
# check WHAT [OPTIONS OF PRINT] - the header is one file, with 13 executions
check() {
	local what=$1
	shift
	[ "$(count "$@")" = '13 ' ] || { echo "$what: '$(count "$@")'"; tally print "$@"; exit 1; }
	tally export --lcov "$@" 2>/dev/null >lcov
	[ "$(grep -c '^SF:.*h\.h$' lcov)" = 1 ] && grep -q '^DA:3,13' lcov || { echo "$what:"; cat lcov; exit 1; }
}
cd one
for way in 'gcc source' 'gcc tables' 'clang source' 'clang tables'; do
	read -r cc lines <<<"$way"
	for o in '' -ffile-prefix-map="$PWD"=. -ffile-prefix-map="$PWD"=/usr/src/x; do
		rm -rf tally.out ./*.o sub/*.o
		tally build --quiet --lines="$lines" sh -c "$cc -O0 $o -c main.c && cd sub && $cc -O0 $o -c s.c"
		gcc main.o sub/s.o -o p
		./p
		# The second is where the compiler said, and nothing is there.
		if [[ $o = *usr* ]]; then check "$way $o" --prefix-map=/usr/src/x="$PWD"; fi
		check "$way $o"
	done
done
rm -rf tally.out
tally build --quiet sh -c 'gcc -c main.c && cd sub && gcc -c s.c && cd .. && gcc main.o sub/s.o -o p'
./p
[ "$(tally print -s | wc -l)" = 3 ]
[ "$(tally print --table --only=h.h | grep -c "^h.h  *3 ")" = 1 ]
[ "$(tally export --cobertura | grep -c 'filename="[^"]*h\.h"')" = 1 ]
[ "$(tally export --json | grep -o '"[^"]*h\.h"' | sort -u | wc -l)" = 1 ]
tally html -o site
[ "$(find site/file -name '*h_h*' -o -name '*h.h*' | wc -l)" = 1 ]
# By any of its names, and in short.
for name in inc/h.h "$PWD/inc/h.h" "$PWD/sub/../inc/h.h" ../inc/h.h h.h; do
	check "--only=$name" --only="$name"
	tally tests "$name:3" | grep -q '^ *13 '
done
cat >change <<'P'
--- a/inc/h.h
+++ b/inc/h.h
@@ -3 +3 @@
-x
+	if (n > 5)
@@ -4 +4 @@
-x
+		return 2 * n;
P
tally diff --patch=change | grep -q '^2 of 2 lines of the change ran'
# Which of the names comes first does not matter, also between two sides that are compared.
mv tally.out was
gcc sub/s.o main.o -o p2
./p2
tally print | grep -q '/sub/../inc/h.h:$'
check 'the other first'
tally diff was tally.out --by=file >out
[ "$(wc -l <out)" = 1 ] || { cat out; exit 1; }
for name in inc/h.h "$PWD/inc/h.h"; do check "--only=$name" --only="$name"; done
# The directory that a path leads through has gone; then the sources, too.
mv sub subbed
check 'sub gone'
tally print 2>err | grep -q 'return 2 \* n'
grep -q 'h\.h: not found\|others' err && exit 1 # the header is, by another of its names
mv subbed sub
mkdir ../away && mv ./*.c inc sub ../away
tally export --lcov 2>/dev/null | grep -c '^SF:.*h\.h$' | grep -qx 1
mv ../away/* .
cd "$top"

# A library whose sources are compiled from two directories; make's VPATH; a build directory that is a link; a farm of
# links.
mkdir -p lib prog1 prog2 deep/er vp farm
cp one/inc/h.h lib
printf '#include "h.h"\nint lib(int n)\n{\n\treturn twice(n) + 1;\n}\n' >lib/x.c
printf 'int lib(int);\nint main(void)\n{\n\tint i, s = 0;\n\tfor (i = 0; i < N; i++)\n\t\ts += lib(i);\n\treturn s == -1;\n}\n' >lib/m.c
ln -s deep/er link
ln -s ../lib farm/lib
mkdir farm/tree && for f in x.c m.c h.h; do ln -s "$top/lib/$f" farm/tree/$f; done
printf 'VPATH = ../lib\nm: m.o x.o\n\t$(CC) -o $@ $^\n%%.o: %%.c\n\t$(CC) $(CFLAGS) -c -o $@ $<\n' >vp/Makefile
export TALLY_DIR=$top/all
(cd prog1 && tally build --quiet gcc -DN=1 ../lib/m.c ../lib/x.c -o p && ./p)
(cd prog2 && tally build --quiet gcc -DN=2 ./../lib//m.c "$top/lib/x.c" -o p && ./p)
(cd vp && tally build --quiet make -s CFLAGS=-DN=3 && ./m)
(cd link && tally build --quiet gcc -DN=4 ../../lib/m.c ../../lib/x.c -o p && ./p)
(cd farm && tally build --quiet gcc -DN=5 lib/m.c lib/x.c -o p && ./p)
(cd farm/tree && tally build --quiet gcc -DN=6 m.c x.c -o p && ./p)
lib() { tally print "$@" 2>/dev/null | awk '/twice\(n\) \+ 1/ { printf "%s ", $1 }'; }
[ "$(lib)" = '21 ' ]
tally merge -o sum all
[ "$(lib sum)" = '21 ' ]
[ "$(tally export --lcov sum | grep -c '^SF:')" = 3 ]
tally print -s sum | wc -l | grep -qx 3
tally tests --no-pager lib/x.c:4 | grep -q '^ *21 '
tally print --by-label | grep -c 'x.c:$' | grep -qx 1

# Copies in two build directories are two files, unless --prefix-map says where they come from.
mkdir b1 b2
for b in b1 b2; do
	cp lib/* $b
	(cd $b && TALLY_DIR=$top/$b.out && export TALLY_DIR && tally build --quiet gcc -DN=7 m.c x.c -o p && ./p)
done
[ "$(lib b1.out b2.out)" = '7 7 ' ]
[ "$(lib --prefix-map="$top/b1=$top/lib" --prefix-map="$top/b2=$top/lib" b1.out b2.out)" = '14 ' ]
[ "$(tally mix --per=file --prefix-map="$top/b1=$top/lib" --prefix-map="$top/b2=$top/lib" b1.out b2.out | grep -c ':$')" = 3 ]
tally tests --prefix-map="$top/b1=$top/lib" --prefix-map="$top/b2=$top/lib" x.c:4 b1.out b2.out | grep -q '^ *14 '
# The same, where nothing is left of the sources.
rm -r b1/*.[ch] b2/*.[ch]
[ "$(tally export --lcov --prefix-map="$top/b1=/src" --prefix-map="$top/b2=/src" b1.out b2.out 2>/dev/null | grep -c '^SF:')" = 3 ]

# Different files of one name relative to their directories stay apart, also if these are mapped to the same place above.
unset TALLY_DIR
mkdir -p two/a two/b && cd two
printf 'int fa(int n)\n{\n\tint i, s = 0;\n\tfor (i = 0; i < n; i++)\n\t\ts += i;\n\treturn s;\n}\n' >a/x.c
printf 'int fb(int n)\n{\n\treturn n > 1\n\t\t? n : 2;\n}\n' >b/x.c
printf 'int fa(int), fb(int);\nint main(void)\n{\n\treturn fa(9) + fb(1) == 1;\n}\n' >main.c
for o in '' -ffile-prefix-map="$PWD"=.; do
	for cc in gcc clang; do
		rm -rf tally.out
		tally build --quiet sh -c "(cd a && $cc $o -c x.c) && (cd b && $cc $o -c x.c) && $cc $o main.c a/x.o b/x.o -o p"
		./p
		tally export --lcov >lcov
		[ "$(grep -c '^SF:.*x\.c$' lcov)" = 2 ] || { echo "$cc $o"; cat lcov; exit 1; }
		tally print | grep -q '^ *10 .*for (i = 0'
		tally print | grep -q '^ *1 .*return n > 1'
	done
done
# Objects do not depend on where they were made, but for the directory of profiles, which is where tally build was called.
cd "$top"
mkdir -p r1 r2
for r in r1 r2; do
	cp -r two/a $r
	tally build --quiet --lines=tables sh -c "cd $r/a && gcc -ffile-prefix-map=$PWD/$r/a=. -c x.c"
done
cmp r1/a/x.o r2/a/x.o
