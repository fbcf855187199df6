# files.sh - export -o is all or nothing; wrong usage and profiles without counts are told.
cat >a.c <<'C'
int
main(void)
{
	int i, s = 0;

	for (i = 0; i < 10; i++)
		s += i;
	return s != 45;
}
C
tally build --quiet gcc a.c -o a
./a
for f in lcov cobertura gcov-json json callgrind; do
	tally export --$f >out
	tally export --$f -o file
	diff <(sed 's/timestamp="[0-9]*"//' out) <(sed 's/timestamp="[0-9]*"//' file)
	rm file
	# A run that cannot be written leaves what was there, and nothing else.
	echo before >kept
	(trap '' XFSZ; ulimit -f 0; tally export --$f -o kept 2>&1 || echo "status $?") | cat >err
	grep -q 'write .*kept: File too large' err && grep -qx 'status 1' err || { cat err; exit 1; }
	[ "$(cat kept)" = before ] && [ "$(find . -name 'kept*' | wc -l)" = 1 ]
	status=0
	tally export --$f >/dev/full 2>err || status=$?
	[ $status = 1 ] && grep -q 'standard output: No space' err
	status=0
	tally export --$f -o /dev/full 2>err || status=$?
	[ $status = 1 ] && grep -q 'write /dev/full: No space' err && [ -c /dev/full ]
	status=0
	tally export --$f -o no/where 2>err || status=$?
	[ $status = 1 ] && grep -q 'create no/where.*: No such file' err
done

# A link stays a link, and a file keeps its mode; a new one gets that of the umask.
mkdir d && echo before >d/real && chmod 640 d/real && ln -s d/real link
tally export --lcov -o link
[ -L link ] && grep -q ^end_of_record d/real && [ "$(stat -c %a d/real)" = 640 ]
(umask 027; tally export --lcov -o new)
[ "$(stat -c %a new)" = 640 ]
# A pipe is written as it is.
mkfifo pipe
cat pipe >got &
tally export --lcov -o pipe
wait $!
cmp got new && [ -p pipe ]

# Usage.
wrong() {
	local status=0 want=$1
	shift
	tally export "$@" >out 2>err || status=$?
	[ $status = 2 ] && [ ! -s out ] && grep -q -- "$want" err || { echo "$*: $status"; cat err; exit 1; }
}
wrong 'no format is given'
wrong 'choose one of --lcov, ' --lcov --json
wrong '--nothing: no such option' --nothing
wrong '-x: no such option' -x
wrong 'needs a value' --lcov -o
wrong 'expected OLD=NEW' --lcov --prefix-map=x
tally export --help | grep -q -- --gcov-json

# Nothing to tell of, and nothing written: a profile without programs, an empty file.
perl -e 'local $/; open F, "<", glob "tally.out/*.tally"; my $h = substr <F>, 0, 1024;
	substr($h, 56, 8) = pack "Q", 0; substr($h, 64, 8) = pack "Q", 1024; print $h' >none.tally
for p in none.tally /dev/null; do
	status=0
	tally export --lcov -o never $p 2>err || status=$?
	[ $status = 1 ] && [ -s err ] && [ ! -e never ] || { echo "$p: $status"; cat err; exit 1; }
done
tally export --lcov -o never none.tally 2>err || grep -q 'nothing is written' err

# A program that has not run yet; one of which nothing ran that is wanted.
tally export --lcov --only=nothing >out
[ ! -s out ]
