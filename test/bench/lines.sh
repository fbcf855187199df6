# lines.sh - bench/lines: of a program whose lines gcov and tally count alike, all are equal from the
# source, for both compilers; what the tables say is compared, too, and a line is told when it differs.
cat >small.c <<'C'
#include <stdio.h>

static int
weigh(int n)
{
	int s = 0, i;

	for (i = 0; i < n; i++) {
		if (i % 3 == 0)
			s += i;
		else if (i % 3 == 1)
			s -= 2;
		else
			s ^= n;
		while (s > 50)
			s /= 2;
	}
	return s;
}

int
main(void)
{
	int i, s = 0;

	for (i = 0; i < 20; i++)
		switch (i % 4) {
		case 0:
			s += weigh(i);
			break;
		case 1:
			s -= weigh(2 * i);
			break;
		default:
			s++;
		}
	printf("%d\n", s);
	return 0;
}
C
"$ROOT/bench/lines" --list small.c >out || { cat out; exit 1; }
# share COMPILER LINES-FROM - that line of its table.
share() {
	sed -n "/^$1 $2 /,/^\$/p" out | sed -n 's/^all *//p'
}
for cc in gcc clang; do
	share $cc --lines=source | grep -q '^2[0-9]  *100[.]00  *0[.]00  *0[.]00  *0[.]00  *0$' || { cat out; exit 1; }
	share $cc --lines=tables | grep -q '^2[0-9] ' || { cat out; exit 1; }
done
share gcc --coverage | grep -q '^2[0-9] ' || { cat out; exit 1; }

# Of exceptions it is told what kind they are: clang's coverage says what tally does.
cp "$ROOT/test/c/lines/operands.c" .
"$ROOT/bench/lines" --list operands.c >out || { cat out; exit 1; }
grep -q '^gcc.source	operands/operands.c:12	45	54	the witness counts as tally does: a statement over several lines	' out &&
	! grep 'source.*unexplained' out || { cat out; exit 1; }
