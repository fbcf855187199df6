# changed.sh - sources that are not what was compiled: print and its sisters say so, and diff --patch refuses.
cat >a.c <<'C'
#include "h.h"
#include <stdio.h>

static int
odd(int n)
{
	if (n & 1)
		return 1;
	return 0;
}

int
main(void)
{
	int i, s = 0;

	for (i = 0; i < 10; i++)
		s += odd(i) + one(i);
	printf("%d\n", s);
	return 0;
}
C
echo 'static int one(int n) { return n; }' >h.h
cp a.c old.c
cp a.c old.cc
edit() { sed -i '/^odd/,/^{/s/^{/{\n\tif (n == 12345)\n\t\treturn puts("never compiled");/' "$1"; }
# quiet COMMAND... - it says nothing of a changed file; said FILE COMMAND... - it does, once, and ends well.
quiet() { "$@" >out 2>words; ! grep 'changed since\|younger' words || { echo "$*"; exit 1; }; }
said() {
	"${@:2}" >out 2>words || { cat words; exit 1; }
	[ "$(grep -c "/$1: has changed since it was compiled" words)" = 1 ] || { echo "${*:2}"; cat words; exit 1; }
}
for how in gcc clang 'gcc --lines=tables' 'gcc --road=c' 'g++ -x c++'; do
	cp old.c a.c
	rm -rf tally.out
	# shellcheck disable=SC2046,SC2086
	tally build --quiet $(grep -o -e '--[a-z=]*' <<<"$how") ${how%% --*} a.c -o a
	./a >/dev/null
	quiet tally print
	touch a.c h.h # that is no change
	quiet tally print
	edit a.c
	for view in '' --table -a -f -s; do
		# shellcheck disable=SC2086
		said a.c tally print $view
	done
	said a.c tally html -o site
	for f in lcov cobertura gcov-json json callgrind; do said a.c tally export --$f -o exported; done
	said a.c lprint
	said a.c tally tests a.c:17
	said a.c tally print --by-label
	diff -u --label a/a.c --label b/a.c old.c a.c >change.diff || true
	status=0
	tally diff --patch=change.diff --fail-under=100 >out 2>words || status=$?
	[ $status = 1 ] && grep -q 'a.c: has changed since it was compiled' words && [ ! -s out ] || { cat out words; exit 1; }
	# A patch of other files is no matter of this one.
	sed 's,/a\.c,/other.c,' change.diff >other.diff
	tally diff --patch=other.diff >out 2>words || { cat words; exit 1; }
	cp old.c a.c
	quiet tally print
	echo 'static int one(int n) { return n + 0; }' >h.h
	said h.h tally print
	edit a.c
	tally print 2>&1 >/dev/null | grep -q 'and others have'
	echo 'static int one(int n) { return n; }' >h.h
done
# A source that has moved with its program, and one that is not there.
mkdir d && cp old.c d/a.c && cp h.h d
(cd d && tally build --quiet gcc a.c -o a && ./a >/dev/null)
mv d e
quiet tally print e/a
edit e/a.c
said a.c tally print e/a
rm e/a.c e/h.h
quiet tally print e/a
# Nobody's map tells of a program as it is: its age does.
cp old.c a.c
touch -d '1 minute ago' a.c h.h
gcc -g a.c -o plain
touch -d '30 seconds ago' plain
rm -rf tally.out
if tally run ./plain >/dev/null 2>&1; then
	quiet tally print
	edit a.c
	tally print 2>&1 >/dev/null | grep -q 'a.c: is newer than the program: '
	ctrace ./plain 2>&1 >/dev/null | grep -q 'a.c: is newer than the program: '
fi
