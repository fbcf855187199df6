/* quoted.c - functions whose symbols are in quotes, as compilers write names that are not made of letters, digits, _,
 * $ and points.  roads: all
 * with: -O0, -O2 */
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
