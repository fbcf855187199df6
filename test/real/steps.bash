# steps.bash - what those share who build real programs: test/real/run and bench/speed.
#
# Each file beside this one without a dot in its name, but run, is a recipe: it tells how to build
# a program from its Debian source package and how to test it.
# A recipe sets
#   package     the source package
#   patches     yes: with Debian's patches (otherwise as upstream has it)
#   tools       commands and headers that it needs
#   main        the program that works, and whose size is compared
#   ondemand    yes: only if it is named
#   restless    yes: its tests kill processes, or do not the same each time
# and has functions, which run in the source directory:
#   prepare     what need not be done for each build; nothing if there is none
#   configure   prepare the build; "$@" goes before the commands that may compile
#   build       build it; the same.  The number of jobs is not its business.  If $MAIN is set, nothing but
#               main is needed
#   clean       undo build; `make clean' if there is none
#   suite       run its tests.  What it prints must be the same for every build, and
#               begins with PASS or FAIL where it is a test's result
#   work        something that takes a second or two, for timing; the same
#
# Sources are kept in $REAL_CACHE.  steps.bash run as a program is one step of a recipe.
set -u
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
export LC_ALL=C
limit=${REAL_LIMIT:-1800} # seconds for any step

# Recipes may use these.

# passed COMMAND... - whether it succeeds, as a test's result.
passed() {
	if "$@"; then echo "PASS $*"; else echo "FAIL $*"; fi
}

# automake FILES... - results of tests as automake leaves them, in .trs files.
automake() {
	local f
	for f in "$@"; do
		sed -n "s,^:test-result: \([A-Z]*\).*,\1 $f,p" "$f"
	done | sed 's/^XFAIL/PASS/; s/^\(ERROR\|XPASS\)/FAIL/'
}

# text BYTES - the texts of the package, repeated, in ../text: something to work on.
text() {
	local n=0 list
	[ ! -e ../text ] || return 0
	list=$(find . -name '*.[ch]' -size +1 -not -name 'conf*' | sort)
	[ -n "$list" ] || return 1
	# shellcheck disable=SC2086
	while [ $n -lt 200 ]; do n=$((n + 1)); cat $list; done 2>/dev/null | head -c "$1" >../text
}

# recipe NAME - take it; a name with a slash is its path.
recipe() {
	package='' patches='' tools='' main='' ondemand='' restless=''
	prepare() { :; }
	configure() { :; }
	clean() { make clean; }
	# shellcheck disable=SC1090
	case $1 in
	*/*) . "$1" ;;
	*) . "$HERE/$1" ;;
	esac
}

# A step of a recipe is a process of its own, so that it can be stopped.
if [ "${BASH_SOURCE[0]}" = "$0" ]; then # NAME DIRECTORY FUNCTION ARGS...
	recipe "$1"
	cd "$2" || exit 1
	shift 2
	set -e
	"$@"
	exit
fi

# step NAME DIRECTORY FUNCTION ARGS... - behind the words of pin, if there are any.
step() {
	"${pin[@]}" timeout -k 10 "$limit" bash "$HERE/steps.bash" "$@" </dev/null
}

root=$(cd "$HERE/../.." && pwd) || exit 1
pin=()
build=${BUILD:-build}
case $build in /*) ;; *) build=$root/$build ;; esac
PATH=$build:$PATH
unset BUILD MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL CC CFLAGS CPPFLAGS LDFLAGS # not meant for them
cache=${REAL_CACHE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/tally}
mkdir -p "$cache" || { echo "skip: $cache cannot be made"; exit 77; }

# lacks - name what the recipe needs and is not installed; status 1 if that is nothing.
lacks() {
	local t
	for t in dpkg-source apt-get xz readelf $tools; do
		[ -e "/usr/include/$t" ] || command -v "$t" >/dev/null || { echo "$t"; return 0; }
	done
	return 1
}

# unpack NAME DIRECTORY - the source of the recipe that was taken, prepared.
unpack() {
	local dsc how=--skip-patches
	[ -z "$patches" ] || how=''
	dsc=$("$root/test/fetch" "$package") || return 1
	# shellcheck disable=SC2086
	dpkg-source --no-check --no-copy $how -x "$dsc" "$2" >>"$cache/log" 2>&1 &&
		step "$1" "$2" prepare >>"$cache/log" 2>&1
}

# cpu WHICH COMMAND... - its processor time in milliseconds: user or all.  Its output
# goes to the file out.
cpu() {
	local which=$1 t status=0
	shift
	TIMEFORMAT='%U %S'
	t=$({ time "$@" >out 2>>log; } 2>&1) || status=$?
	awk -v w="$which" '{ print int(($1 + (w == "all") * $2) * 1000 + 0.5) }' <<<"$t"
	return $status
}
