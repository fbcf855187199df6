# groups.sh - groups of sections that are no COMDAT groups: clang's coverage for fuzzers.
set +e
cat >a.c <<'C'
#include <stdio.h>
int b(int x);
static __attribute__((noinline)) int helper(int x) { return x + 1; }
int main(void) { printf("%d\n", helper(1) + b(2)); return 0; }
C
cat >b.c <<'C'
static __attribute__((noinline)) int helper(int x) { return x + 10; }
int b(int x);
int b(int x) { return helper(x); }
C
bad=0
for f in "-fsanitize=address,fuzzer-no-link" "-fsanitize=undefined -fsanitize-coverage=inline-8bit-counters" "-fsanitize=address -fsanitize-coverage=trace-pc-guard"; do
	clang $f a.c b.c -o plain || { echo "plain: $f fails"; continue; }
	want=$(./plain)
	tally build --quiet clang $f a.c b.c -o counted 2>err || { bad=1; echo "$f: $(head -1 err)"; continue; }
	[ "$(./counted)" = "$want" ] || { bad=1; echo "$f: other output"; }
done
[ $bad = 0 ] || exit 1
