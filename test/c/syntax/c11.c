/* c11 - generic selections, atomics, anonymous members.   std: c11 gnu11 c17 gnu17 */
#include <stdalign.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdnoreturn.h>

#define KIND(x) _Generic((x) ? (x) : 0, int: 1, long: 2, default: (x) > 3 ? 3 : 4)

_Static_assert(sizeof(int) > 2 ? 1 : 0, "int");
static _Thread_local int mine = 3;
static _Atomic int shared;
static _Atomic(long) wide;

struct both {
	union {
		int i;
		struct { short lo, hi; };
	};
	_Alignas(16) char c;
	_Static_assert(1 ? 1 : 0, "in a struct");
};

static noreturn void
leave(int n)
{
	exit(n ? 3 : 0); //= 1 0 1
}

int
main(void)
{
	struct both b = {.i = 1}; //= 1
	double d = 5;
	alignas(8) char text[] = u8"text" "more";

	_Static_assert(sizeof(struct both) >= 16, "a statement");
	printf("%d %d %d\n", KIND(mine), KIND(2L), KIND(d)); //= 0 0 0 0 1 0
	atomic_fetch_add(&shared, 2);
	wide = b.lo;
	printf("%d %ld %s %d\n", (int)shared, (long)wide, text, (int)alignof(struct both));
	leave(b.hi);
}
