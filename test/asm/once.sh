# once.sh - sources that can be read only once, from pipes: counted, or left alone with a word why; what the compiler
# says and does is what it is without us, and nothing waits for a second writer.
cat >a.c <<'C'
#include <stdio.h>
int main(void)
{
	int i, s = 0;

	for (i = 0; i < 10; i++)
		s += i;
	printf("%d\n", s);
	return 0;
}
C
mkfifo pipe
built() { # WHAT ; by the command in "$@", which reads the program
	local what=$1 status=0
	shift
	rm -rf prog tally.out
	"$@" 2>words || status=$?
	[ $status = 0 ] || { echo "$what: status $status"; cat words; exit 1; }
	[ "$(./prog)" = 45 ] || { echo "$what: another program"; exit 1; }
	grep -q '^tally: 1 file counted' words || { echo "$what:"; cat words; exit 1; }
	tally print -f >functions
	grep -q '^main .* 1 ' functions || { echo "$what:"; cat functions; exit 1; }
}
substituted() { "$@" <(cat a.c) -o prog; }
piped() { cat a.c | "$@" -o prog; }
named() {
	timeout 60 cat a.c >pipe &
	timeout 60 "$@" pipe -o prog
}
included() { timeout 60 "$@" -include <(echo '#define TEN 10') ten.c -o prog; }
within() { cat a.c | timeout 60 "$@" within.c -o prog; }
sed 's/< 10/< TEN/' a.c >ten.c
echo '#include "/dev/stdin"' >within.c
for cc in gcc clang; do
	for lines in source tables; do
		for o in -O0 -O2; do
			how="$cc $o --lines=$lines"
			with="timeout 60 tally build --lines=$lines $cc $o"
			built "$how -" piped $with -x c -
			built "$how /dev/stdin" piped $with -x c /dev/stdin
			built "$how <(...)" substituted $with -x c
			built "$how pipe" named $with -x c
			built "$how -include <(...)" included $with
			built "$how, stdin included" within $with
		done
	done
done
# clang would have to read it again; gcc has the text.
tally build clang -x c <(cat a.c) -o prog 2>words
grep -q 'can be read only once' words
for how in '-x c /dev/stdin' within.c; do
	# shellcheck disable=SC2086
	tally build gcc $how -o prog 2>words <a.c
	! grep -q 'line tables' words
done
cat a.c | tally build gcc -x c /dev/stdin -o prog 2>words
! grep -q 'line tables' words

# Warnings and errors.
printf 'int f(int n)\n{\n\tint unused;\n\treturn n;\n}\n' >warns.c
printf 'int f(int n)\n{\n\treturn n +;\n}\n' >fails.c
printf '#error no\nint f(int n)\n{\n\treturn n;\n}\n' >stops.c
printf 'int f(int n)\n{\n\treturn ({ __label__ l; l: n; });\n}\n int x = {{3}};\n' >odd.c
for cc in gcc clang; do
	for f in warns fails stops odd; do
		rm -f plain.o counted.o
		was=0 is=0
		cat $f.c | $cc -Wall -x c -c /dev/stdin -o plain.o 2>plain || was=$?
		cat $f.c | timeout 60 tally build --quiet $cc -Wall -x c -c /dev/stdin -o counted.o 2>counted || is=$?
		[ $was = $is ] || { echo "$cc, $f: status $is for $was"; cat counted; exit 1; }
		[ -e plain.o ] && [ ! -e counted.o ] && { echo "$cc, $f: no object"; exit 1; }
		diff <(grep -o 'stdin>*:[0-9]*:.*' plain) <(grep -o 'stdin>*:[0-9]*:.*' counted) || { echo "$cc, $f: other words"; exit 1; }
	done
done
