/* constants - no counter in what must be constant, or is not evaluated. */
#include <stdio.h>

enum { A = 1 ? 2 : 3, B = A && 1, C = (0 || 1) ? A : B };
struct bits { int x : A ? 3 : 4, : C ? 2 : 1, y : 2; int a[B ? 2 : 3]; };
static int table[C ? 4 : 5] = {[A ? 1 : 2] = B ? 7 : 8};
static const char *const names[] = {A ? "yes" : "no"};
int exported = sizeof(int) == 4 ? 1 : 2;
_Static_assert(A ? 1 : 0, "here");
static int calls;

static int
call(void)
{
	return calls++ ? 1 : 2; //= 2 1 1
}

static int
arrays(int a[A ? 2 : 3], int n, int b[n ? n : 1])
{
	return a[0] + b[0]; //= 1
}

int
main(void)
{
	static int once = A ? 3 : 4, *const where = 1 ? &once : 0; //= 1
	static struct bits s = {.x = A ? 1 : 0};
	enum { LOCAL = B ? 1 : 2 };
	struct { int f : LOCAL ? 3 : 1; } t = {call() ? 1 : 0}; //= 1 0
	int fixed[A ? 2 : 1] = {1, A ? 2 : 3}; //= 1 0
	_Static_assert(LOCAL ? 1 : 0, "there");
	__typeof__(calls ? 1 : call()) k = 1;
	int size = sizeof(calls ? call() : 0) + sizeof(int[A ? 1 : 2]) + _Alignof(int[B ? 1 : 2]);

	switch (k) {
	case A ? 1 : 2: k += 3; break; //= 1
	case C ? 9 : 8 ... C ? 12 : 10: k = 0; //= 0
	}
	k += _Generic(call() ? 1 : 2, int: call(), default: 0) * 0;
	k += __builtin_constant_p(call() ? 1 : 2);
	k += __builtin_choose_expr(A ? 1 : 0, k, "string");
	k += (int)__builtin_object_size(names[0] ? &once : where, A ? 0 : 1) * 0;
	printf("%d %d %d %d %d\n", size, k, once + *where, s.x + t.f, table[1]);
	printf("%d %d %s\n", fixed[1], arrays(fixed, 2, fixed), names[0]);
	return 0;
}
