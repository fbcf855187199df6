# inlined.sh - functions that the compiler has inlined several times in one: lines of such copies add up, as the assembly road has
# them, which has read the compiler's own words.
cat >a.cc <<'C'
#include <stdio.h>
static inline int clamp(int x)
{
	if (x < 0)
		return 0;
	if (x > 100)
		x = 100 + x % 3;
	return x;
}
[[maybe_unused]] static inline int twice(int x)
{
	int y = clamp(x);
	if (y & 1)
		y += clamp(x * 2);
	return y;
}
int sum;
int main(int argc, char **)
{
	for (int i = -5; i < 200; i++) {
		sum += clamp(i * argc);
		if (i & 1)
			sum ^= INNER(sum);
	}
	printf("%d\n", sum);
	return 0;
}
C
n=0
# Where a jump comes to code in the middle of rows without code of their own, only the compiler's words say which of
# them are passed: that happens with copies in copies at -O2.
for o in '-O1 -DINNER=twice' '-O1 -DINNER=clamp' '-O2 -DINNER=clamp' '-O3 -DINNER=clamp'; do
	# shellcheck disable=SC2086
	g++ -g $o a.cc -o a
	rm -rf tally.out
	tally run ./a >/dev/null
	tally print >live
	# shellcheck disable=SC2086
	tally build --quiet g++ -g $o a.cc -o counted
	rm -rf tally.out
	./counted >/dev/null
	tally print >asm
	diff -u live asm || { echo "g++ $o"; exit 1; }
	n=$((n + 1))
done
# clang's own numbers are the truth where no line was left out.
clang++ -g -O2 -DINNER=clamp a.cc -o a
rm -rf tally.out
tally run ./a >/dev/null
tally print >live
grep -q '^ *205 .*sum += clamp' live
[ $n = 4 ]
