# litter.sh - whatever somebody has left in tally.out under a name of ours: the program runs as it
# would, nothing outside of the directory changes, and what is no file stays.
cat >p.c <<'C'
#include <tally.h>
int
main(int argc, char **argv)
{
	if (argc > 1)
		return tally_snapshot(argv[1]) != -1;
	return 0;
}
C
cat >k.c <<'C'
#include <signal.h>
int
main(void)
{
	return raise(SIGKILL);
}
C
mkdir bin && tally build --quiet gcc -I"$ROOT/include" p.c -o bin/p
tally build --quiet gcc k.c -o bin/k
runs() { timeout -k 1 60 bin/p "$@" || { echo "$what: status $?"; ls -lA tally.out; exit 1; }; }
is() { [ "$2" = "$3" ] || { echo "$what: $1: $2, not $3"; ls -lA tally.out; exit 1; }; }
counted() { tally print --runs "$@" 2>/dev/null | awk '$1 ~ /^[0-9]+$/ { n += $1 } END { print n + 0 }'; }
own() { find tally.out -type f -name 'p.*.tally' | wc -l; }

what='the first run'
runs
sum=$(cd tally.out && echo p-*.tally) new=.${sum%.tally}
cp "tally.out/$sum" sum

# Under the name of the sum: the run keeps its own file, for nobody can add it up.
for kind in fifo directory link dangling unreadable; do
	what="a $kind under the name of the sum"
	rm -rf tally.out && mkdir tally.out
	case $kind in
	fifo) mkfifo "tally.out/$sum" ;;
	directory) mkdir "tally.out/$sum" ;;
	link) cp sum out && ln -s ../out "tally.out/$sum" ;;
	dangling) ln -s ../nothing "tally.out/$sum" ;;
	unreadable) cp sum "tally.out/$sum" && chmod 0 "tally.out/$sum" ;;
	esac
	was=$(stat -c %i "tally.out/$sum")
	if [ $kind = unreadable ] && [ "$(id -u)" = 0 ]; then # root can read it
		chmod 755 . && chmod 777 tally.out
		setpriv --reuid=65534 --clear-groups bin/p
	else
		runs
	fi
	is 'that name' "$(stat -c %i "tally.out/$sum")" "$was"
	is 'files of processes' "$(own)" 1
	[ $kind != link ] || cmp out sum
	[ ! -e nothing ]
	chmod u+r "tally.out/$sum" 2>/dev/null || true
done

# Under the name by which a new sum is written: a process that died there leaves such a file.
for kind in fifo file link dangling; do
	what="a $kind under the name of a new sum"
	rm -rf tally.out && mkdir tally.out
	echo kept >out
	case $kind in
	fifo) mkfifo "tally.out/$new" ;;
	file) echo half >"tally.out/$new" ;;
	link) ln -s ../out "tally.out/$new" ;;
	dangling) ln -s ../nothing "tally.out/$new" ;;
	esac
	runs
	runs
	is runs "$(counted)" 2
	is 'the file outside' "$(cat out)" kept
	[ ! -e nothing ]
	is 'what is left' "$(ls -A tally.out | paste -sd' ')" ".lock $sum"
done

# In the place of the lock: nothing is added up.
for kind in fifo directory link dangling; do
	what="a $kind in the place of the lock"
	rm -rf tally.out && mkdir tally.out
	case $kind in
	fifo) mkfifo tally.out/.lock ;;
	directory) mkdir tally.out/.lock ;;
	link) ln -s ../out tally.out/.lock ;;
	dangling) ln -s ../nothing tally.out/.lock ;;
	esac
	runs
	is 'files of processes' "$(own)" 1
	[ ! -e nothing ]
	status=0
	timeout -k 1 60 lprint -c 2>err || status=$?
	is 'lprint -c' "$status: $(sed 's/: it is not.*//' err)" '1: lprint: tally.out: cannot be locked'
done

# A link to the profile of a killed process elsewhere, by a name that the next run would sweep.
what='a link to a profile'
rm -rf tally.out else
TALLY_DIR=$PWD/else bin/k 2>/dev/null || true
killed=$(cd else && echo k.*.tally)
for name in k.1 p.1; do
	mkdir -p tally.out
	ln -s "../else/$killed" tally.out/$name.tally
	cp "else/$killed" was
	bin/k 2>/dev/null || true
	runs
	cmp "else/$killed" was
	[ -L tally.out/$name.tally ]
done
status=0
lprint -c 2>err || status=$?
is 'lprint -c' "$status: $(cat err)" '1: lprint: tally.out: 2 files could not be added up: damaged, or the directory is not writable'
cmp "else/$killed" was
mkfifo tally.out/k.2.tally
timeout -k 1 60 bin/k 2>/dev/null || is 'k with a FIFO there' $? 137

# What was added last, by the word of a sum: 2 is closed and would be removed, 1 would be changed.
for name in ../kept.tally /kept.tally .. . sub/kept.tally "$PWD/kept.tally" "$(printf 'x%.0s' {1..250}).tally"; do for state in 2 1; do
	what="a sum to which $name was added, in state $state"
	rm -rf tally.out && mkdir -p tally.out/sub
	perl -e 'local $/; ($name, $state) = @ARGV; open F, "<", "sum"; $s = $k = <F>;
		substr($k, 12, 4) = pack "V", $state; substr($k, 128, 8) = pack "Q", 77;
		substr($s, 136, 8) = pack "Q", 77; substr($s, 144, 4) = substr($k, 20, 4);
		substr($s, 704, 256) = substr pack("a256", $name), 0, 256;
		for (["kept.tally", $k], ["tally.out/sub/kept.tally", $k], ["'"tally.out/$sum"'", $s]) { open O, ">", $_->[0]; print O $_->[1] }' "$name" $state
	cp kept.tally was
	runs
	cmp kept.tally was
	cmp tally.out/sub/kept.tally was
	is runs "$(counted "tally.out/$sum")" 2
done; done

# A snapshot goes where the program says, but not into what is no file.
what='a snapshot'
rm -rf tally.out
mkfifo fifo
runs fifo
mkdir d
runs d
[ -p fifo ] && [ -d d ]
