/* attributes - in every position.   std: gnu17 */
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static int before(void) { return setvbuf(stdout, NULL, _IONBF, 0); } //= 1
static int f(int __attribute__((unused)) a, int b __attribute__((unused))) __attribute__((const));
static __attribute__((unused)) int g(void), (*h)(void) __attribute__((unused)) = g;

static int __attribute__((const)) __attribute__((noinline))
f(int a, __attribute__((unused)) int b)
{
	return a; //= 2
}

__attribute__((cold))
static int
g(void)
{
	return 1; //= 1
}

struct __attribute__((packed)) s {
	char c;
	int __attribute__((aligned(2))) i;
	int j __attribute__((aligned(8)));
} __attribute__((aligned(16)));

enum e { A __attribute__((deprecated)), B __attribute__((unused)) = 2 } __attribute__((packed));
typedef int __attribute__((mode(DI))) wide;
union __attribute__((transparent_union)) u { int *a; const int *b; };
extern int weak(void) __asm__("_weak_thing") __attribute__((weak));

__attribute__((noreturn)) static void
out(int n)
{
	exit(n); //= 1
}

int
main(void)
{
	int x __attribute__((unused)) = 1, *__attribute__((unused)) p, y; //= 1
	__attribute__((unused)) int z = (__attribute__((unused)) int)3;
	struct s t = {1, 2, 3};
	wide w = 1;
	int (__attribute__((unused)) *fp)(int, int) = f;

	y = __extension__ (fp(t.i, 2) ? 4 : 5); //= 1 0
	switch (y) {
	case 4:
		y++; //= 1
		__attribute__((fallthrough));
	case 5:
	again: __attribute__((unused)); //= 1 1
		y += 2;
		break;
	default: y ? g() : before(); //= 0 0 0
	}
	if (y == 7) int_: __attribute__((unused)) y++; //= 1 1
	if (weak) //= 1
		goto int_; //= 0
	for (; y < 10;) after: __attribute__((unused)) y++; //= 1 2 2
	if (y > 100) //= 1
		goto after; //= 0
	printf("%d %d %d %d %d\n", y, (int)sizeof t, (int)w, z, f(9, 1) + g()); //= 1
	out(0);
}
