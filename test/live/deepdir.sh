# deepdir.sh - directories that are to be written into are made with those above them, as mkdir -p does; and what
# tally run writes is a file of its own, also where somebody left a link of that name.
cp "$ROOT/test/sample/collatz.c" .
gcc -g -O0 collatz.c -o collatz
TALLY_DIR=a/b//c tally run ./collatz 27 >/dev/null
TALLY_DIR=$PWD/a/d/ tally run ./collatz 27 >/dev/null
TALLY_DIR=a/b/c tally run ./collatz 27 >/dev/null
[ "$(find a/b/c -name '*.tally' | wc -l) $(find a/d -name '*.tally' | wc -l)" = '2 1' ]
tally merge -o all/of/them.tally a/b/c a/d
tally print all/of/them.tally | grep -q '^ *336 .*while (n'
umask 027
TALLY_DIR=e/f tally run ./collatz 27 >/dev/null
[ "$(stat -c %a e e/f)" = $'750\n750' ]
for dir in collatz.c/x collatz.c; do
	status=0
	TALLY_DIR=$dir tally run ./collatz 27 >out 2>err || status=$?
	[ $status = 1 ] && grep -q 'Not a directory' err || { cat err; exit 1; }
	[ ! -s out ] # it is found before the program runs
done
# A link in the place of a new profile: the name has the process's number in it, so it is the program that makes it.
cat >plant.c <<'C'
#include <stdio.h>
#include <unistd.h>
int main(void)
{
	char name[200];
	snprintf(name, sizeof name, "g/plant.%d.%d.live.tally", (int)getpid(), (int)getppid());
	return symlink("../keep", name) != 0;
}
C
gcc -g -O0 plant.c -o plant
echo kept >keep
TALLY_DIR=g tally run ./plant
[ "$(cat keep)" = kept ]
[ "$(find g -name 'plant.*.live.tally' -type f | wc -l)" = 1 ]
