# parts.sh - functions in several parts: what is unlikely, or each block by itself, as compilers lay them out.
cat >a.c <<'C'
#include <stdio.h>
static int table[4096];

__attribute__((noinline)) static int
step(int i)
{
	if (i % 3 == 0)
		return table[i & 4095] + 1;
	if (i < 0) {
		puts("never");
		return puts("never");
	}
	switch (i & 7) {
	case 0:
		return 1;
	case 1:
		return 3;
	case 2:
		return 5;
	default:
		return 2;
	}
}
int
main(void)
{
	long sum = 0;
	int i;

	for (i = 0; i < 1000; i++)
		sum += step(i);
	printf("%ld\n", sum);
	return 0;
}
C
for how in 'gcc -O2' 'clang -O0' 'clang -O0 -fbasic-block-sections=all' 'clang -O2 -fbasic-block-sections=all'; do
	$how -g a.c -o a 2>/dev/null || { echo "# without $how"; continue; }
	rm -rf tally.out
	tally run ./a >/dev/null
	tally print 2>err >lines
	[ ! -s err ] || { cat err; exit 1; }
	grep -q "^ *1000[ ~]*.*sum += step(i)" lines || { echo "$how"; cat lines; exit 1; }
	# Parts are none of their own, but step's and main's.
	tally print -f 2>err | awk 'NR > 1 { print $1, $2 }' | sort | tr '\n' ' ' >table
	[ "$(cat table)" = 'main 1 step 1000 ' ] || { echo "$how: $(cat table)"; exit 1; }
	"$ROOT/test/callgrind" a a || { echo "$how"; exit 1; }
done
