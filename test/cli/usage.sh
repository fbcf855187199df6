# usage.sh - wrong usage is status 2 with a word on standard error; help is status 0.
check() { # STATUS PATTERN ARGS...
	local want=$1 pattern=$2 status=0
	shift 2
	tally "$@" >out 2>err || status=$?
	[ $status = "$want" ] || { echo "tally $*: status $status, not $want"; exit 1; }
	grep -q -- "$pattern" out err || { echo "tally $*: no '$pattern' in:"; cat out err; exit 1; }
	[ "$want" = 0 ] && stream=err || stream=out
	[ ! -s $stream ] || { echo "tally $*: something on the wrong stream:"; cat $stream; exit 1; }
}
echo 'entry -> a
a -> exit' >g
check 2 'no verb'
check 2 'frob: no such verb' frob
check 0 'usage: tally VERB' --help
check 0 'usage: tally VERB' help
check 0 '^tally [0-9]' --version
check 0 'usage: tally graph' graph --help
check 2 'no file' graph
check 2 'more than one file' graph g g
check 2 '--frob: no such option' graph --frob g
check 2 'no such option' graph -x g
check 2 '--counters: wants a value' graph g --counters
check 2 '--counters=frob: no such placement' graph --counters=frob g
check 2 '--weights=frob: choose heuristic, given or exact' graph --weights=frob g
check 2 'stands alone' graph -dp g
check 2 'one placement' graph -d --counters=edges --counters=vertices g
check 0 '^cost' graph g
check 0 '^cost' graph --counters=optimal g
