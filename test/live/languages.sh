# languages.sh - programs in C, C++, Fortran, Ada, Pascal, Rust and Go, where there are compilers for
# them: under tally run they do what they do alone, and instructions executed in each function
# equal callgrind's; lines of the source are found, and functions called as in it.
# tally-test:slow
tried='' missing=''
# counted SOURCE COMMAND... - what the program ./p of a sample does, alone and counted.
counted() {
	local src=$1 want k status
	shift
	want=$(sed -n '1,5s/.*status: *\([0-9]*\).*/\1/p' "$src")
	rm -rf tally.out
	for k in alone counted; do
		status=0
		case $k in alone) ./p ;; counted) "$@" ./p ;; esac >$k.out 2>$k.err || status=$?
		[ $status = "${want:-0}" ] || { echo "$src, $k: status $status, not ${want:-0}"; cat $k.err; exit 1; }
	done
	cmp alone.out counted.out
	cmp alone.err counted.err
}

# program SOURCE LINE FUNCTION COMPILER OPTIONS... - one of test/sample; LINE is one of its listing
# and FUNCTION one of its table, if it is not optimised.
program() {
	local src=$1 line=$2 function=$3
	shift 3
	command -v "$1" >/dev/null || { missing="$missing $1"; return 0; }
	cp "$ROOT/test/sample/$src" .
	rm -f p ./*.o
	"$@" "$src" -o p >log 2>&1 || { cat log; exit 1; }
	counted "$src" tally run
	"$ROOT/test/callgrind" p p || { echo "$*"; exit 1; }
	tally print -f >table 2>err
	! grep . err || { echo "$*"; exit 1; }
	tally print --only="$src" >listing
	[ -z "$line" ] || grep -q "$line" listing || { echo "$*: no line $line"; cat listing; exit 1; }
	[ -z "$function" ] || grep -q -- "$function" table || { echo "$*: no function $function"; cat table; exit 1; }
	tried="$tried ${1%to}"
}
# callgrind counts each round of a `rep', we count one: there must be none.
no='-mstringop-strategy=libcall'
program sort.c '' '' gcc -g -O2 -w
program script.cc '^ *6  .*result = result \* x;' ' Parser::expression(int)$' g++ -g -O0 $no # 63 has six bits
program script.cc '' '' g++ -g -O2 $no
program field.f90 '^ *8  .*stop 4' '^MAIN__ ' gfortran -g -O0 $no
program field.f90 '' '' gfortran -g -O2 $no
program depot.adb '^ *10  .*raise Full with' '^_ada_depot ' gnatmake -g -O0 -q $no
program depot.adb '' '' gnatmake -g -O2 -q $no
# fpc takes -oNAME.
fpcto() { fpc -v0 -gw3 "$1" "$2" -op; }
if command -v fpc >/dev/null; then
	program sums.pas '^ *10  .*raise exception' '^PASCALMAIN  *1 ' fpcto -O-
	program sums.pas '' '' fpcto -O2
else
	missing="$missing fpc"
fi
program caught.rs '^ *10  .*panic!("at the bottom")' ' <p::Guard as core::ops::drop::Drop>::drop$' rustc -g -C opt-level=0 --crate-name p
program caught.rs '' '' rustc -g -C opt-level=3 --crate-name p

# callgrind does not know Go's stacks.  Collatz' numbers of 1 to 20 take 196 steps; spin() goes
# around 100 times for each of 1 to 20.
if command -v go >/dev/null; then
	export GOCACHE=$PWD/cache GO111MODULE=off GOFLAGS=
	cp "$ROOT/test/sample/preempt.go" .
	go build -o p preempt.go
	# calls - of functions, and how often the loop of spin() went around.
	calls() {
		tally print -f >table 2>err
		awk '$1 ~ /^main\.(step|collatz|spin|risky)$/ { print $1, $2 }' table | sort >got
		tally print --only=preempt.go | sed -n 's/^ *\([0-9]*\)  .*sum += i & 3/around \1/p' >>got
	}
	printf '%s\n' 'main.collatz 20' 'main.risky 10' 'main.spin 20' 'main.step 196' 'around 21000' >want
	GODEBUG=asyncpreemptoff=1 counted preempt.go tally run --only='*/preempt.go'
	calls
	diff -u want got || exit 1
	! grep . err || exit 1
	# A goroutine that is preempted at a breakpoint comes there again: what that does to counts is said.
	counted preempt.go tally run --only='*/preempt.go'
	calls
	diff -u want got >differences || [ -s err ] || { echo 'wrong, and nothing is said:'; cat differences; exit 1; }
	tried="$tried go"
else
	missing="$missing go"
fi
echo "#$tried${missing:+; not there:$missing}"
