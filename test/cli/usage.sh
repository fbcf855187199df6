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
check 2 '--counters: needs a value' graph g --counters
check 2 '--counters=frob: no such placement' graph --counters=frob g
check 2 '--weights=frob: choose heuristic, given or exact' graph --weights=frob g
check 2 'does not go with' graph -dp g
check 2 'only one placement' graph -d --counters=edges --counters=vertices g
check 0 '^cost' graph g
check 0 '^cost' graph --counters=optimal g

# What a table of options can say of each of its kinds.
check 2 '--mangled: takes no value' print --mangled=1
check 2 '-x: no such option' print -x
check 2 'choose one of -a, -f, ' print -a --runs
check 2 '--prefix-map=x: expected OLD=NEW' print --prefix-map=x
check 2 '--format=x: choose text or json$' print --format=x
check 2 '--format=x: choose text, json or html$' diff --format=x g g
check 2 '--fail-under=x: expected a number' diff --fail-under=x --patch=g
check 2 '--base needs --memory' stats --base=1
check 2 '--follow=x: choose all, none or exec' run --follow=x true
check 2 '--for=1: no such option' run --for=1 true
check 2 '--for=0: expected seconds' attach --for=0 1
check 2 '--threads=x: choose on or off' build --threads=x true
check 2 '--counters=x: no such placement' build --counters=x,calls true
check 2 'no command is given' build
check 0 '  --old-prefix-map=OLD=NEW' diff --help
check 0 'usage: tally build' build -h
for name in lcomp lcc lprint bb zprof ctrace; do
	$name --help >out 2>err
	grep -q "^usage: $name" out && [ ! -s err ]
done
