# lib.bash - functions for test scripts and samples. test/run sources it for every script.

# compared WHAT REMARKS - check the run of a program that was built with --counters=check: all
# blocks have the same count by both kinds of counters, and there are no remarks but REMARKS,
# patterns with \| between them.
compared() {
	tally print --compare >compared 2>&1 &&
		grep -q ' [1-9][0-9]* blocks compared, 0 differences$' compared &&
		! grep -v " blocks compared, 0 differences\$\|$2" compared &&
		return 0
	echo "$1:"
	cat compared
	exit 1
}

# exact WHAT - the same, with no doubt about any count.
exact() { compared "$1" 'died of a signal\|functions are not counted'; }

# sound WHAT - the same, where it is not always known which functions were active: their counts may
# be marked as doubtful, and are not compared.
sound() { compared "$1" 'died of a signal\|functions are not counted\|functions are not compared\|functions may be wrong'; }

# alike WHAT PLAIN COUNTED ARGS... - check that two commands have the same output and the same exit
# status.
alike() {
	local what=$1 plain=$2 counted=$3 was=0 is=0
	shift 3
	# shellcheck disable=SC2086
	timeout 60 $plain "$@" >want 2>want.err </dev/null || was=$?
	# shellcheck disable=SC2086
	timeout 60 $counted "$@" >got 2>got.err </dev/null || is=$?
	[ $was = $is ] && [ $was != 124 ] && cmp want got && cmp want.err got.err && return 0
	echo "$what $*: status $is, not $was"
	diff want got
	diff want.err got.err
	exit 1
}

# answers WHAT FILE OPTIONS... - check that in the listing that tally print makes with these
# options, each line that ends in `//= N' has the count N, without a ~ unless $doubted is set.
answers() {
	sed -n 's,.*//= *\([0-9]*\).*,\1,p' "$2" >wanted
	tally print "${@:3}" >listing 2>remarks &&
		sed -n 's,^ *\([0-9]*\) \(~*\).*//=.*,\1\2,p' listing | sed "${doubted:+s/~//}" >answered &&
		[ -s wanted ] && diff -u --label "wanted ($1)" --label got wanted answered && return 0
	echo "$1:"
	cat listing remarks
	exit 1
}

# calls FUNCTION ARGS... - print how often functions of that name were called, by tally print -f;
# with a ~ if that is approximate.
calls() {
	local f=$1
	shift
	tally print -f "$@" 2>/dev/null | awk -v f="$f" '$1 == f { mark = sub("~", "", $2) ? "~" : mark; n += $2 } END { print mark n + 0 }'
}

# is WHAT GOT WANTED - check that two values are equal.
is() {
	[ "$2" = "$3" ] && return 0
	echo "$1: $2, not $3"
	tally print -f
	find . -name '*.tally' -exec ls -l {} +
	exit 1
}

# said KEY FILE - print what the comment at the top of a sample says for a key.
said() { perl -0ne 'm{^(/\*.*?\*/|(//[^\n]*\n)+)}s and $1 =~ /\b'"$1"': (.*?)(  |\s*\*\/|\n)/ and print $1' "$2"; }

# arguments FILE - print the arguments of a sample's first call.
arguments() { said run "$1" | sed 's/ *|.*//; s/^[^ ]* *//'; }

# witnessed NAME - print the samples that are compared with that witness, too.
witnessed() {
	local f
	for f in "$ROOT"/test/sample/*.*; do
		case " $(said witness "$f") " in *" $1 "*) echo "$f" ;; esac
	done
}
