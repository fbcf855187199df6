# contradict.sh - counts that contradict each other, as those of a program do that writes into its own counters: they are
# marked wherever they are shown, none is below 0, and what may not have run is not in figures of coverage.
cat >p.c <<'C'
#include <stdio.h>
extern unsigned long __start_ABI[], __stop_ABI[];
static int sum;
static void fine(int i) { sum += i; }
__attribute__((noipa)) static int
split(int i)
{
	if (i % 3)
		sum++;
	else
		sum--;
	if (i % 2)
		sum += 2;
	while (i-- > 0)
		sum ^= i;
	return sum;
}
int
main(int argc, char **argv)
{
	int i;
	unsigned long *p, k = 1000;

	for (i = 0; i < 10; i++) {
		split(i);
		fine(i);
	}
	for (p = __start_ABI; p < __stop_ABI && argc > 1; p++)
		*p += k *= 3;
	return sum > 1000000000;
}
C
abi=$(sed -n 's/^#define ABI \([0-9]*\)$/\1/p' "$ROOT/src/layout/layout.h")
sed -i "s/__\(start\|stop\)_ABI/__\1_tally_counters_$abi/g" p.c
# views - all, in files.
views() {
	rm -rf site
	tally print >print 2>remarks || true
	tally print --pieces >pieces 2>/dev/null || true
	tally print -b >blocks 2>/dev/null || true
	tally print -f >functions 2>/dev/null || true
	tally print -s >summary 2>/dev/null || true
	tally print -i >insns 2>/dev/null || true
	tally print --format=json >rows 2>/dev/null || true
	tally export --json >json 2>/dev/null || true
	tally export --lcov >lcov 2>/dev/null || true
	tally export --cobertura >cobertura 2>/dev/null || true
	tally export --gcov >gcov 2>/dev/null || true
	tally export --callgrind >callgrind 2>/dev/null || true
	tally html -o site >/dev/null 2>&1 || true
}
all='print pieces blocks functions summary insns rows json lcov cobertura gcov callgrind'
for kind in optimal redundant; do for how in source tables; do for o in -O0 -O2; do
	rm -rf tally.out
	tally build --quiet --threads=off --counters=$kind --lines=$how gcc $o -w p.c -o p
	case="$kind, $how, $o"
	./p
	views
	# shellcheck disable=SC2086
	! grep -l 'contradict each\|ontradiction:\|contradictions":[1-9]' $all remarks || { echo "$case: for no reason"; exit 1; }
	rm -rf tally.out
	./p x
	views
	grep -q 'functions contradict each other' remarks || { echo "$case: not said"; exit 1; }
	# shellcheck disable=SC2086
	! grep -rE '1844674|^ *~?-[1-9]|[:"]-[1-9]' $all || { echo "$case: below 0"; exit 1; }
	! grep -r 1844674 site || { echo "$case: html"; exit 1; }
	grep -q '^ *[0-9]* ~.*if (i % 3)' print || { echo "$case"; cat print; exit 1; }
	grep -q '~[0-9]* .*split' functions || grep -q 'split *~' functions || { echo "$case"; cat functions; exit 1; }
	grep -q '^~[0-9]*ie [0-9]*i ~' summary || { echo "$case"; cat summary; exit 1; }
	awk '/:$/ { in_split = /^split/; next } in_split && !/^block/ { n++; marked += /[~?]/ }
		END { exit n == 0 || n != marked }' blocks || { echo "$case"; cat blocks; exit 1; }
	grep -q '^# the counts of this function contradict each other: split' lcov || { echo "$case"; cat lcov; exit 1; }
	grep -q '<?tally contradiction: split' cobertura && grep -q '^desc: Contradiction: split' callgrind ||
		{ echo "$case: cobertura, callgrind"; exit 1; }
	grep -q '"tally/sure":false' gcov && grep -q '"contradictions":[1-9]' json && grep -q '"line":8,"count":[0-9]*,"sure":false' json ||
		{ echo "$case: json"; exit 1; }
	grep -q 'contradict' -r site || { echo "$case: html"; exit 1; }
	# In no figure of coverage is a line that may have run or not.
	grep -oE '"line":[0-9]+,"count":0,"sure":false' json | grep -oE '[0-9]+,' | sed 's/,.*//' | sort -u >unknown
	sed -n 's/^DA:\([0-9]*\),.*/\1/p' lcov | sort | comm -12 unknown - | grep . && { echo "$case: lcov"; exit 1; }
	[ "$(grep -c ^DA: lcov)" = "$(sed -n 's/^LF://p' lcov)" ]
done; done; done
