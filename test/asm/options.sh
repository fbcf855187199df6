# options.sh - tally build --only, --skip and --weights.
cat >a.c <<'C'
#include <stdlib.h>
#include "h.h"
void skewed(int);

int
walk(int n, int odd)
{
	int i, s = 0;

	for (i = 0; i < n; i++)
		if (i % 1000 == odd)
			s += other(i);
		else if (i % 1000 != odd - 1)
			skewed(i), s += inlined(i);
		else
			s -= other(i);
	return s;
}

static volatile int x, mask = 0x5b;

__attribute__((noinline)) void
skewed(int i)
{
	int bits = mask, k;

	for (k = 0; k < 1; k++) { /* no way to guess: five go one way, three the other */
		if (bits & 1) x++; else x = 2;
		if (bits & 2) x--; else x = 3;
		if (bits & 4) x += 2; else x = 4;
		if (bits & 8) x -= 2; else x = 5;
		if (bits & 16) x += 3; else x = 6;
		if (bits & 32) x -= 3; else x = 7;
		if (bits & 64) x += 4; else x = 8;
		if (bits & 128) x -= 4; else x = 9;
	}
	(void)i;
}

int never(int n) { return n > 3 ? other(n) : 4; }

int
main(int argc, char **argv)
{
	return walk(argc > 1 ? atoi(argv[1]) : 5000, 999) < 0 ? never(argc) : 0;
}
C
cat >b.c <<'C'
int other(int n) { return n & 1 ? n : -n; }
C
cat >h.h <<'C'
int other(int);
__attribute__((noinline)) static int inlined(int n) { return n & 2 ? 1 : n; }
C
counted() { tally print -f | awk 'NR > 1 && $2 != "-" { print $1 }' | sort | paste -sd' '; }
is() { [ "$(counted)" = "$1" ] || { echo "$2: $(counted), not $1"; tally print -f; exit 1; }; }
try() { # functions that are counted, options
	local want=$1
	shift
	rm -rf tally.out
	tally build "$@" gcc -O1 a.c b.c -o p && ./p
	is "$want" "$*"
	tally print -f | grep -v uncounted >rest
	! grep -q ' - ' rest
}
try 'inlined main never other skewed walk' --counters=edges
try 'other' --only=b.c
try 'main walk' --only=main --only=walk
try 'inlined' --only='*.h'
try 'inlined main never skewed walk' --skip="$PWD/b.c"
try 'main never skewed walk' --only=a.c --only=b.c --only=h.h --skip=other --skip='inl*'
tally print -f | grep -q 'inlined .*uncounted: left out by --only or --skip'

# With the weights of the very run, no plan costs less.
cost() { # increments: of all counters
	tally print -b | awk '$2 ~ /\*$/ || $3 ~ /\*$/ { for (i = 2; i <= 3; i++) if ($i ~ /\*$/) s += $i } END { print s + 0 }'
}
rm -rf tally.out
tally build gcc -O1 a.c b.c -o p && ./p
guessed=$(cost)
cp tally.out/*.tally kept.tally && cp p kept
tally print -b >before
rm -rf tally.out
tally build --weights=kept.tally gcc -O1 a.c b.c -o p && ./p
known=$(cost)
echo "# increments: guessed $guessed, known $known"
[ "$known" -lt "$guessed" ]
# The counts are the same.
tally print -b >after
diff <(tr -d '*' <before) <(tr -d '*' <after)
# By the program that ran, too; a profile of something else is no harm.
tally build --weights=p gcc -O1 a.c b.c -o q && ./q
[ -z "$(ls "${TMPDIR:-/tmp}"/tally?????? 2>/dev/null)" ] || true
echo 'int main(void) { return 0; }' >c.c
tally build --weights=q gcc c.c -o c && ./c
tally build --weights=nothing gcc c.c -o c 2>err && exit 1
grep -q 'nothing: No such file' err
