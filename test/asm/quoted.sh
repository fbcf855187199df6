# quoted.sh - functions whose symbols are in quotes, as compilers write names that are not made of
# letters, digits, _, $ and points.
cat >q.c <<'C'
#include <stdio.h>
#ifdef __clang__
#define NAME(s) __asm__(s)
#else
#define NAME(s) __asm__("\"" s "\"")
#endif
int odd(int n) NAME("odd one");
int both(int n) NAME("a(b, c)+1;#d");
int never(int n) NAME("2 3f");
__attribute__((noinline)) static int
local(int n) NAME("local's own");

static int
local(int n)
{
	return n > 2 ? 3 : n;
}

__attribute__((noinline)) int
odd(int n)
{
	if (n & 1)
		return local(n); //= 7
	return 0; //= 8
}

__attribute__((noinline)) int
both(int n)
{
	int (*volatile f)(int) = odd;

	return n ? odd(n) : f(2) + f(4); //= 10
}

int
never(int n)
{
	return both(n) + 1; //= 0
}

int
main(int argc, char **argv)
{
	int i, s = 0;

	(void)argv;
	for (i = 0; i < 10; i++)
		s += both(i); //= 10
	for (i = 0; i < 4; i++)
		s += odd(i); //= 4
	if (argc > 9)
		s += never(s); //= 0
	printf("%d\n", s);
	return 0;
}
C
sed -n 's,.*//= *\([0-9]*\).*,\1,p' q.c >wanted
# odd: 9 times from both, twice by the pointer, 4 times from main.
for cc in gcc clang; do for o in -O0 -O2; do
	rm -rf tally.out
	$cc $o q.c -o plain
	tally build --quiet --counters=check $cc $o q.c -o q
	[ "$(./q)" = "$(./plain)" ]
	exact "$cc $o"
	tally print >listing
	sed -n 's,^ *\([0-9]*\) .*//=.*,\1,p' listing >got
	cmp wanted got || { cat listing; exit 1; }
	tally print -f >table 2>err
	[ ! -s err ] || { cat err; exit 1; }
	for row in '15 .* odd one' '10 .* a(b, c)+1;#d' '1 .* main'; do
		grep -q "^  *$row\$" table || { echo "$cc $o: no $row"; cat table; exit 1; }
	done
done; done
# One that is left alone is in the map all the same.
rm -rf tally.out
tally build --quiet --only=main gcc -O0 q.c -o q
./q >/dev/null
tally print -f >table 2>err
grep -q ' odd one: uncounted: left out' table || { cat table; exit 1; }
