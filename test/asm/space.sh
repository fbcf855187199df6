# space.sh - counters are in nobody's way: the stack and the heap grow as far as those of the plain
# program, and what it maps where we have something is its own.
cp "$HERE/more/space.c" p.c
export LD_LIBRARY_PATH=.
for kind in '-fPIE -pie' '-fno-pie -no-pie' -static '-fPIE -static-pie' library; do
	for which in plain counted; do
		tally=; [ $which = plain ] || tally='tally build --quiet --counters=check'
		# shellcheck disable=SC2086
		if [ "$kind" = library ]; then
			echo 'int deep(int kb) { volatile char a[4096]; a[kb & 4095] = 1; return kb > 4 ? deep(kb - 4) + a[kb & 4095] : 1; }' >l.c
			mkdir -p lib.$which
			$tally gcc -O1 -fPIC -shared l.c -o lib.$which/libl.so
			$tally gcc -O1 -w -DLIBRARY p.c -o $which -pthread -Llib.$which -ll -Wl,-rpath,"$PWD/lib.$which"
		else
			$tally gcc -O1 -w $kind p.c -o $which -pthread
		fi
	done
	# same WHAT ARGS... - the two do the same, and every count is exact
	same() {
		local how=$1 plain counted
		shift
		rm -rf tally.out
		plain=$(ulimit -S -s "$limit" && $how ./plain "$@" 2>&1) || plain+=" ($?)"
		counted=$(ulimit -S -s "$limit" && $how ./counted "$@" 2>&1) || counted+=" ($?)"
		[ "$plain" = "$counted" ] || { echo "$kind, stack $limit, $how $*: '$counted' for '$plain'"; exit 1; }
		exact "$kind, stack $limit, $how $*"
	}
	for aslr in env 'setarch -R'; do
		[ "$aslr" = env ] || setarch -R true 2>/dev/null || continue
		for limit in 8192 100000 unlimited; do
			(ulimit -S -s $limit) 2>/dev/null || continue
			if [ $limit = 8192 ]; then kb=7000; else kb=90000; fi
			same "$aslr" d $kb
			same "$aslr" d $kb 3
			same "$aslr" b 300
			same "$aslr" w 46
			[ $limit = unlimited ] || same "$aslr" f 0 # libraries are there
		done
		limit=8192
		same "$aslr" w 46 2
	done
	[ "$kind" != -static ] && [ "$kind" != '-fPIE -static-pie' ] || continue # there is a word on that in BUGS
	whats='a h c p'
	[ "$kind" != library ] || whats='h p' # its own counters are its own data
	for what in $whats; do for how in f n m u; do for threads in 0 3; do
		[ $what$threads != c0 ] || continue
		rm -rf tally.out
		status=0
		timeout 20 ./counted t$what$how x $threads || status=$?
		[ $status = 3 ] || { echo "$kind, take $what $how, $threads threads: status $status"; exit 1; }
		tally print >/dev/null 2>said || true
		grep -q 'the program took the memory' said || { echo "$kind, take $what $how, $threads threads: this is not remarked"; cat said; exit 1; }
	done; done; done
done
