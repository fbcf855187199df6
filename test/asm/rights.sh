# rights.sh - processes that give up their rights count on: their children, one after the other and several at
# once, threads that come later, and children's children; and nothing is written anywhere else.
[ "$(id -u)" = 0 ] || { echo 'who runs this has no rights to give up'; exit 77; }
chmod 755 .
cp "$HERE/more/rights.c" p.c
tally build --quiet --counters=check gcc -O1 -g -pthread p.c -o p
# is N MARK RUNS ARGS... - so often was the loop entered, in so many processes.
is() {
	rm -rf tally.out
	./p "${@:4}" || { echo "${*:4}: status $?"; exit 1; }
	for pass in 1 2; do
		tally print >list 2>err
		runs=$(tally print --runs | awk '{ s += $1 } END { print s }')
		set -- "$1" "$2" "$3" "${@:4}"
		grep -q "^ *$1 ${2:- }.*HERE" list && [ "$runs" = "$3" ] || { echo "${*:4}: pass $pass, $runs runs"; grep HERE list; cat err; ls -la tally.out; exit 1; }
		tally print --compare >compared 2>&1 && grep -q ' 0 differences' compared || { echo "${*:4}"; cat compared; exit 1; }
		[ $pass = 2 ] || ./p >/dev/null # finds the file of those that have gone, and folds it
		set -- "$1" "$2" "$(($3 + 1))" "${@:4}"
	done
	[ "$(find tally.out -name '*.tally' | wc -l)" = 1 ] || { echo "${*:4}: left"; ls -la tally.out; exit 1; }
}
mkdir -p "jail$PWD/tally.out"
for how in 'setresuid 65534' 'setuid 65534' 'raw 65534' 'jail 0'; do
	# shellcheck disable=SC2086
	{
		is 112 '' 11 work 12 $how atonce 10
		is 518 '' 51 work 1 $how children 50
		is 124 '' 13 work 1 $how children 7 deep 5
	}
done
# Threads that come later, in the process itself and in its children.
is 4005 '' 1 work 5 setresuid 65534 threads 4
is 2010 '' 1 work 5 threads 2 setresuid 65534 work 5
is 3021 '' 3 work 1 setresuid 65534 deep 2 threads 3
# More at once than there is room for: what is missing is marked.
./p work 12 setresuid 65534 atonce 100
tally print >list 2>err
grep -q '~.*HERE' list && grep -q 'some counts are missing: no room' err
# A child that is killed.
rm -rf tally.out
./p work 12 setresuid 65534 killed 5 children 3
tally print >list
grep -q '^ *48 ~.*HERE' list || { cat list; exit 1; }
[ -z "$(find jail -type f)" ] || { find jail; exit 1; }
