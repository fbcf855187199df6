# recorded.sh - options by which compilers keep addresses of labels for tools, and not for jumps: all functions are
# counted, and what such tools look for is where it was.
cp "$HERE/more/recorded.c" r.c
n=0
# try COMPILER OPTIONS... - build, run and compare with the answers.
try() {
	built=$*
	"$@" r.c -o plain 2>err || { echo "# not there: $*"; return 0; }
	./plain >out
	rm -rf tally.out
	tally build --quiet --counters=check "$@" r.c -o counted 2>err || { echo "$built:"; cat err; exit 1; }
	./counted | cmp - out
	exact "$built"
	answers "$built" r.c
	! tally print -f 2>err | grep uncounted || { echo "$built"; exit 1; }
	n=$((n + 1))
}
# patched ALL BEFORE - whether each place to patch has so many nops in a row, as many of them before its function.
patched() {
	objdump -s -j __patchable_function_entries counted | sed -n 's/^ [0-9a-f]* \(.\{35\}\) .*/\1/p' | tr -d ' \n' |
		fold -w 16 | sed 's/\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)/\8\7\6\5\4\3\2\1/' >places
	[ "$(grep -c . places)" -ge 3 ]
	objdump -d --no-show-raw-insn counted | sed -n 's/^ *\([0-9a-f]*\):\t\(.*\)/\1 \2/p' >code
	nm counted | awk '$2 ~ /[tT]/ { print $1 }' >functions
	perl -e 'my ($all, $before) = @ARGV;
		sub numbers { open my $f, "<", shift; map { chomp; hex } <$f> }
		my (%next, $nop);
		open my $c, "<", "code";
		while (<$c>) { my ($at, $is) = split " ", $_, 2; $at = hex $at; $next{$nop} = $at if $nop; $nop = $is =~ /nop|xchg +%ax,%ax/ ? $at : 0; }
		my %function = map { $_ => 1 } numbers("functions");
		for my $at (numbers("places")) {
			my $end = $at;
			$end = $next{$end} while $next{$end} && $end < $at + $all;
			$end == $at + $all or die sprintf("no nop at %x\n", $end);
			$function{$at + $before} or die sprintf("no function at %x\n", $at + $before);
		}' "$1" "$2" || { echo "$built"; exit 1; }
}
for o in -O0 -O1 -O2 -O3; do
	try gcc $o -fsanitize=address
	try gcc $o -fsanitize=address,undefined -g
	try gcc $o -fno-dwarf2-cfi-asm
	try gcc $o -pg -mfentry -mrecord-mcount
	try gcc $o -pg -mrecord-mcount -fno-pie -no-pie
	try clang $o -fsanitize=address
	try clang $o -fbasic-block-sections=labels
	try clang $o -fstack-size-section
	try clang $o -fsanitize-coverage=trace-pc-guard,pc-table -fsanitize=address
	for cc in gcc clang; do
		for k in 5,0 5,2 1,1 16,16; do
			try $cc $o -no-pie -fpatchable-function-entry=$k
			patched ${k%,*} ${k#*,}
		done
	done
	try clang $o -fxray-instrument -fxray-instruction-threshold=1
	# A tracer puts other code in the place of each sled while the program runs.
	XRAY_OPTIONS='patch_premain=true xray_mode=xray-basic xray_logfile_base=log.' ./counted | cmp - out
	[ -s "$(ls log.* | head -1)" ]
	rm -f log.*
done
echo "# $n builds"

# What a sanitizer adds at the end of a file has no line of the source.
for cc in gcc g++ clang; do for o in -O0 -O2; do
	rm -rf tally.out
	tally build --quiet $cc $o -fsanitize=address r.c -w -fpermissive -o counted 2>/dev/null ||
		tally build --quiet $cc $o -fsanitize=address r.c -o counted
	./counted >/dev/null
	tally print >listing
	! grep '^ *[0-9][0-9]* .line [0-9]*$' listing || { echo "$cc $o"; exit 1; }
	tally export --lcov >lcov
	[ "$(sed -n 's/^DA:\([0-9]*\),.*/\1/p' lcov | sort -n | tail -1)" -le "$(wc -l <r.c)" ] || { echo "$cc $o"; exit 1; }
done; done
