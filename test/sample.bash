# sample.bash - samples: programs that carry their answers, run through each road that they name.
#
# The comment at a sample's top says, each ended by two spaces or by the line:
#
#	roads: NAMES         the roads that run it, or `all'
#	run: NAME ARGS | ... the calls; without it there is one without arguments
#	always: OPTIONS      to compile it with
#	with: OPTIONS, ...   and with these, one way after the other; without it there is -O0
#	by: COMPILER         no other compiles it
#	lines: source        answers hold only where the text has markers, not by line tables
#	doubted: NAMES       the roads on which counts may be marked, though they are right
#	remarks: WORDS       that tally may say of it, besides that it died of a signal
#	library: FILE        a part of it, of test/sample/parts, made a shared library in the same way
#	witness: NAMES       what else it is compared with, in other scripts: callgrind, gcov
#
# A line that ends in `//= N' runs N times in the first call.  Whatever the road and the call, the counted program
# does what the plain one does, and no count is in doubt.

# agree, certain WHAT - redundant and optimal counters agree; and nothing is remarked that the sample does not say.
agree() { compared "$1" "died of a signal${remarks:+\|$remarks}"; }

certain() {
	tally print >listing 2>remarked && ! grep -v "died of a signal${remarks:+\|$remarks}" remarked && return 0
	echo "$1:"
	cat remarked
	exit 1
}

# The roads: how programs are built and run, with which compilers and options, and what else must hold.  Adding one
# is adding a function road_NAME here.

# Redundant and optimal counters agree; lines are told by markers in the text or by line tables.
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

# Text that counts itself, however it is optimised.
road_c() {
	local cc
	for cc in $compilers; do
		trial "$cc -O2" 'tally build --quiet --road=c' '' "$cc -O2" certain told
	done
}

# The program as it is; without optimisation its lines are known.
road_live() {
	local cc
	for cc in $compilers; do
		trial "$cc -O0" '' 'tally run' "$cc -g -O0" certain $tables
		trial "$cc -O2" '' 'tally run' "$cc -g -O2" certain
	done
}

# put DIR BUILD COMPILE - the program, and its library, there.
put() {
	rm -rf "$1" && mkdir "$1" || exit 1
	[ -z "$library" ] || $2 $3 $always -w -fPIC -shared "$library" -o "$1/lib$name.so" || return 1
	$2 $3 $always -w "$src" -o "$1/$name" ${library:+"-L$1" "-l$name" "-Wl,-rpath,$PWD/$1"} -lm -pthread
}

# trial WHAT BUILD RUN COMPILE CHECK [told] - build it so, and run it so; each call does what it does in the plain
# program, and passes the check; lines are told, and are as the answers say.
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

# sample FILE - run it through its roads.
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
