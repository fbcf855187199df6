# damaged.sh - of many profiles one is damaged, or no file at all: every verb names it, shows the others as if it were
# not there, and ends with status 1; nothing waits for a named pipe.
cat >lib.c <<'C'
int
lib(int n)
{
	int i, s = 0;
	for (i = 0; i < n; i++)
		s += i;
	return s;
}
C
cat >one.c <<'C'
int lib(int);
int
main(void)
{
	return lib(10) == 0;
}
C
sed 's/10/200/' one.c >two.c
tally build --quiet sh -c 'gcc -shared -fPIC lib.c -o liblib.so && gcc one.c -o one ./liblib.so && gcc two.c -o two ./liblib.so'
./one
TALLY_LABEL=t ./two
good=$(ls tally.out/one-*) bad=$(ls tally.out/two-*)
cp "$bad" sound
call() { # VERB...
	local status=0
	timeout -s KILL 20 tally "$@" </dev/null >out 2>err || status=$?
	[ $status -le 1 ] || { echo "tally $*: status $status"; cat err; exit 1; }
	return $status
}
verbs=('print' 'print -f' 'print -s' 'print --calls' 'print -a' 'print --regions' 'print --runs' 'print --by-label' 'stats'
	'mix' 'export --lcov' 'export --json' 'tests lib.c:6' 'merge -o sum' 'html -o site')
cp "$good" before # what diff compares with
see() { # VERB... - what it has to show
	call "$@" || { [ "$?" = 1 ] && status=1; }
	case $1 in
	merge) tally print -f sum >out ;;
	html) grep -h '<t[rd]' site/index.html site/file/*.html >out ;;
	esac
	rm -rf sum site
}
mv "$bad" hidden
for i in "${!verbs[@]}"; do
	status=0
	# shellcheck disable=SC2086
	see ${verbs[i]}
	[ $status = 0 ]
	mv out "want$i"
done
call diff before tally.out
mv out wantdiff
everyverb() { # WHAT - it is there, and named
	for i in "${!verbs[@]}"; do
		status=0
		# shellcheck disable=SC2086
		see ${verbs[i]}
		[ $status = 1 ] || { echo "$1, tally ${verbs[i]}: status 0"; exit 1; }
		grep -qF "$bad" err || { echo "$1, tally ${verbs[i]}: not named"; cat err; exit 1; }
		cmp "want$i" out || { echo "$1, tally ${verbs[i]}: something else is shown"; diff "want$i" out; exit 1; }
	done
	call diff before tally.out && exit 1
	grep -qF "$bad" err
	cmp wantdiff out
	# Alone it leaves nothing to show.
	call merge -o sum "$bad" && exit 1
	[ ! -e sum ]
	call export --lcov -o lcov "$bad" && exit 1
	[ ! -e lcov ]
}
head -c 700 sound >"$bad"
everyverb 'truncated'
rm "$bad"
mkfifo "$bad"
everyverb 'a named pipe'
rm "$bad"
ln -s /dev/zero "$bad"
everyverb 'a device'
rm "$bad"
mkdir "$bad"
everyverb 'a directory'
rmdir "$bad"
# Damage that shows in the middle: counts of the program have been added then.
cat >damage.pl <<'P'
my ($file, $at) = @ARGV;
open my $f, '+<', $file or die;
binmode $f;
seek $f, $at, 0;
print $f "\xff" x 8;
P
n=0 middle=
size=$(stat -c %s sound)
for ((at = 0; at < size; at += 8)); do
	cp sound "$bad"
	perl damage.pl "$bad" $at
	status=0
	call print -f || status=$?
	[ $status = 1 ] && grep -qF "$bad" err || continue
	n=$((n + 1)) middle=$at
	cmp want1 out || { echo "damaged at $at: something else is shown"; cat out; exit 1; }
done
[ "$n" -gt 5 ]
cp sound "$bad"
perl damage.pl "$bad" "$middle"
everyverb "damaged at $middle"
# Several of them; and sums that are too large only together.
for i in 1 2 3; do cp "$bad" "tally.out/two-$i.tally"; done
call print -f && exit 1
[ "$(grep -c damaged err)" = 4 ]
cmp want1 out
rm tally.out/two-?.tally "$bad"

# A program that is none any more, and one whose map is damaged: those of the others are shown.
cp sound "$bad"
call print -f
cp out all
mv two two.was
for what in fifo text; do
	if [ $what = fifo ]; then mkfifo two; else echo text >two; fi
	call print -f && exit 1
	grep -q "two: is not a" err
	grep -q '^main ' out
	grep -q '^lib ' out
	call export --lcov && exit 1
	grep -q 'one.c$' out
	rm two
done
mv two.was two
# The lock, too.
rm -f tally.out/.lock
mkfifo tally.out/.lock
call print -f
cmp out all
call merge -o sum
# And sources: a line that says so, and what is known without their text.
mv lib.c was.c
mkfifo lib.c
for verb in print 'print -a' 'print --only=lib' 'html -o site' 'diff before tally.out'; do
	# shellcheck disable=SC2086
	call $verb
	[ "$(grep -c 'lib.c: is not a regular file' err)" = 1 ] || { echo "$verb:"; cat err; exit 1; }
done
call print
grep -q '^ *210 .line 6$' out
timeout -s KILL 20 lprint >out
grep -q '^210.line 6$' out
