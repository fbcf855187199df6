# sample.bash - samples: programs that carry their answers, run through each road that they name.
#
# The comment at the top of a sample has these keys, each with a value that ends with two spaces or
# the end of the line:
#
#	roads: NAMES         the roads that run it, or `all'
#	run: NAME ARGS | ... the calls; by default one without arguments
#	always: OPTIONS      options to compile it with
#	with: OPTIONS, ...   sets of further options, each tried in turn; by default only -O0
#	by: COMPILER         the only compiler for it
#	lines: source        answers hold only with markers in the text, not with line tables
#	doubted: NAMES       the roads on which counts may be marked as approximate, though right
#	remarks: PATTERNS    remarks that tally may make, besides that it died of a signal
#	library: FILE        a file of test/sample/parts, built as a shared library in the same way
#	witness: NAMES       other tools that scripts compare it with: callgrind, gcov
#
# A line that ends in `//= N' runs N times in the first call.  On every road and in every call, the
# counted program must behave like the plain one, and no count may be in doubt.

# agree WHAT - check that redundant and optimal counters agree, and that there are no remarks but
# those that the sample permits.  certain WHAT - check only the latter.
agree() { compared "$1" "died of a signal${remarks:+\|$remarks}"; }

certain() {
	tally print >listing 2>remarked && ! grep -v "died of a signal${remarks:+\|$remarks}" remarked && return 0
	echo "$1:"
	cat remarked
	exit 1
}

# The roads: how programs are built and run, with which compilers and options, and what else is
# checked.  To add one, add a function road_NAME.

# Redundant and optimal counters agree; lines are counted by markers or line tables.
road_asm() {
	local cc o told
	for cc in $compilers; do
		for o in "${with[@]}"; do
			case $kind$o in
			c-*) told=told ;; # by markers
			*-O0*) told=$tables ;;
			*) told='' ;;
			esac
			trial "$cc $o" 'tally build --quiet --counters=check' '' "$cc $o" agree $told
		done
		[ $kind != c ] || [ -z "$tables" ] || trial "$cc -O0, tables" 'tally build --quiet --counters=check --lines=tables' '' "$cc -O0" agree told
	done
}

# C text with counters, optimized.
road_c() {
	local cc
	for cc in $compilers; do
		trial "$cc -O2" 'tally build --quiet --road=c' '' "$cc -O2" certain told
	done
}

# The unmodified program; lines are checked only without optimization.
road_live() {
	local cc
	for cc in $compilers; do
		trial "$cc -O0" '' 'tally run' "$cc -g -O0" certain $tables
		trial "$cc -O2" '' 'tally run' "$cc -g -O2" certain
	done
}

# put DIR BUILD COMPILE - build the program and its library in a directory.
put() {
	rm -rf "$1" && mkdir "$1" || exit 1
	[ -z "$library" ] || $2 $3 $always -w -fPIC -shared "$library" -o "$1/lib$name.so" || return 1
	$2 $3 $always -w "$src" -o "$1/$name" ${library:+"-L$1" "-l$name" "-Wl,-rpath,$PWD/$1"} -lm -pthread
}

# trial WHAT BUILD RUN COMPILE CHECK [told] - build and run it with these commands.  Each call must
# behave as in the plain program, and pass CHECK; with `told', lines must have the counts of the
# answers.
trial() {
	local what=$road\ $1 build=$2 run=$3 compile=$4 check=$5 told=${6:-} i
	if ! put plain '' "$compile" 2>err; then
		[[ $compile == clang*-static* ]] || { cat err; exit 1; }
		return 0 # it may lack static libraries
	fi
	put counted "$build" "$compile"
	for i in "${!calls[@]}"; do
		rm -rf tally.out
		alike "$what" "plain/$name" "$run counted/$name" ${calls[i]}
		$check "$what ${calls[i]}"
		[ $i != 0 ] || [ -z "$told" ] || doubted=$doubted answers "$what" "$src" --only="$src"
	done
	n=$((n + 1))
}

# sample FILE - run a sample through its roads.
sample() {
	local src name kind compilers always with calls remarks doubted library roads road tables=told n
	src=$(basename "$1") name=${src%.*} kind=${src##*.}
	cp "$1" .
	roads=$(said roads "$src") compilers=$(said by "$src") library=$(said library "$src") always=$(said always "$src") remarks=$(said remarks "$src")
	[ "$(said lines "$src")" != source ] || tables=
	[ -z "$library" ] || cp "$ROOT/test/sample/parts/$library" .
	[ "$roads" != all ] || roads=$(declare -F | sed -n 's/^declare -fx* road_//p')
	case $kind in
	c) compilers=${compilers:-gcc clang} ;;
	cc) compilers=${compilers:-g++ clang++} ;;
	esac
	readarray -t with < <(said with "$src" | sed 's/, /\n/g')
	readarray -t calls < <(said run "$src" | sed 's/ *| */\n/g' | sed 's/^[^ ]* *//')
	[ ${#with[@]} != 0 ] || with=(-O0)
	[ ${#calls[@]} != 0 ] || calls=('')
	for road in $roads; do
		n=0
		case " $(said doubted "$src") " in *" $road "*) doubted=yes ;; *) doubted='' ;; esac
		road_$road
		[ $n != 0 ] || { echo "nothing of road $road could be tried"; return 1; }
	done
	[ -n "$roads" ] || { echo "$src: names no roads"; return 1; }
}
