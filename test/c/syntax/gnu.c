/* gnu - GNU C as it occurs in real programs.   std: gnu89 gnu17 */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#define max(a, b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a > _b ? _a : _b; })
#define swap(a, b) do { __auto_type t = (a); (a) = (b); (b) = t; } while (0)

typedef int v4 __attribute__((vector_size(16)));
typedef struct { char c; int a[3]; } rec;
__extension__ typedef __int128 big;

static int __attribute__((noinline, unused))
range(int c)
{
	switch (c) { /*= 4 */
	case 'a' ... 'z': return 1; /*= 1 */
	case '0' ... '4':
	case '5' ... '9': return 2; /*= 1 2 */
	default: return 3; /*= 1 */
	}
}

static int
threaded(const unsigned char *op)
{
	static void *const to[] = {&&stop, &&inc, &&dec}; /*= 1 */
	int n = 0;

	goto *to[*op];
inc:
	n++; /*= 3 */
	goto *to[*++op];
dec:
	n--; /*= 1 */
	goto *to[*++op];
stop:
	return n; /*= 1 */
}

static long
all(int n, ...)
{
	va_list ap; /*= 1 */
	long s = 0;

	va_start(ap, n);
	while (n-- > 0)
		s += __builtin_va_arg(ap, long) + (n ? 1 : 0); /*= 3 2 1 */
	va_end(ap); /*= 1 */
	return s;
}

int
main(void)
{
	int x = 3, y = 4, k; /*= 1 */
	v4 v = {1, 2, 3, 4}, w = v + (v4){1, 1, 1, x ? 1 : 2}; /*= 1 0 */
	big b = (big)1 << 70;
	rec r = {a: {[0 ... 1] = 5, [2] 6}, .c = 1};
	double _Complex z = 1.0 + 2.0i;

	printf("%d\n", max(x, max(y, 2))); /*= 1 0 0 1 */
	swap(x, y); /*= 1 */
	k = ({ int q = x; if (q) q++; q; }); /*= 1 1 1 */
	printf("%d %d %d\n", x, y, k);
	printf("%d %d %d %d\n", range('c'), range('0'), range('7'), range('-'));
	printf("%d %ld\n", threaded((const unsigned char *)"\1\1\2\1"), all(3, 1L, 2L, 3L));
	printf("%d %d %d\n", w[3], r.a[1] + r.a[2], (int)(b >> 68));
	printf("%d %d\n", (int)__builtin_offsetof(rec, a[1]), (int)offsetof(rec, c));
	printf("%d\n", __builtin_types_compatible_p(int, __typeof__(x)) ? 1 : 2); /*= 1 0 */
	printf("%g %g\n", __real__ z, __imag__ z);
	printf("%d\n", (int)__alignof__(rec) + (int)sizeof(rec));
	if (__builtin_expect(x > 100 ? 1 : 0, 0)) /*= 0 1 */
		return 1; /*= 0 */
	k = x ?: y; /*= 1 0 */
	k += (k -= k) ?: y; /*= 1 */
	return k == 3 ? __extension__ 0 : 4; /*= 1 0 */
}
