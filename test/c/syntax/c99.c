/* c99 - declarations anywhere, compound literals, designators, variable arrays.   std: c99 gnu99 gnu17 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

struct point { int x, y; int tail[]; };

static inline int
area(const struct point *restrict p)
{
	return p->x * p->y; //= 2
}

extern inline int outside(int n) { return n ? n - 1 : 0; } //= 3 3 0

static int
total(int n, ...)
{
	va_list ap; //= 1
	int s = 0;

	va_start(ap, n);
	for (int i = 0; i < n; i++)
		s += va_arg(ap, int); //= 3
	va_end(ap); //= 1
	return s;
}

static int
last(int n, int a[static n], int (*f)(int))
{
	int copy[n > 0 ? n : 1]; //= 1

	for (int i = 0, j = n; i < j; ++i)
		copy[i] = f(a[i]); //= 3
	int k = copy[n - 1]; //= 1
	for (bool go = true; go; go = false) {
		int copy = k; //= 1
		k = copy + 1;
	}
	return k; //= 1
}

int
main(void)
{
	struct point p = {.y = 3, .x = 2}; //= 1
	int a[] = {[2] = p.x > 1 ? 7 : 8, [0] = 1, 2}; //= 1 0

	printf("%d\n", area(&p));
	printf("%d\n", area(&(struct point){.x = p.y ? 4 : 5, 6})); //= 1 0
	printf("%d %d\n", total(3, 1, 2, 3), last(3, a, outside));
	return 0;
}
