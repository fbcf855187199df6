/* c23 - what gcc 12 has of it.   std: gnu2x c2x   cc: gcc */
#include <stdio.h>
#include <stddef.h>

[[nodiscard]] static int f([[maybe_unused]] int, int b);

[[maybe_unused]] static int
f(int, int b)
{
	return b; //= 3
}

struct [[deprecated]] old { int x; };

int
main(void)
{
	int n = 0b101, k = 1'000; //= 1
	struct { int a, b[2]; } s = {};

	_Static_assert(sizeof n == 4);
	switch (n) {
	case 5:
		n++; //= 1
		if (k)
			n++; //= 1
		[[fallthrough]]; //= 1
	case 6:
		n++; //= 1
		[[fallthrough]];
	default:
	label: //= 1
		[[maybe_unused]] int z = f(1, 2); //= 1
		n += z;
	}
	if (n) [[likely]] { n++; } else [[unlikely]] n--; //= 1 0
	[[]] n ? f(1, n) : f(2, n); //= 1 1 0
	goto end;
	goto label;
end:
	printf("%d %d %d\n", n, s.a, f(0, k)); //= 1
	{
	inner:
		int x = 5; //= 1
		if (x)
			goto out; //= 1
		goto inner; //= 0
	out:
	} //= 1
}
