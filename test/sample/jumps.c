/* jumps.c - __builtin_longjmp out of several frames.  roads: all  lines: source
 * with: -O0, -O1, -O2, -O3, -Os, -O2 -fno-pie -no-pie, -O2 -fcf-protection, -O2 -static */
#include <stdio.h>
static void *buf[5];
static volatile int depth;
__attribute__((noinline)) static void
inner(int k)
{
	int a[k + 1];
	a[0] = depth++;                          //= 4000
	if (k)                                   //= 4000
		inner(k - 1), depth = a[0];      //= 3000
	else
		__builtin_longjmp(buf, 1);       //= 1000
}
__attribute__((noinline)) static int
outer(int k)
{
	if (__builtin_setjmp(buf) == 0) {        //= 1000
		inner(3);                        //= 1000
		depth = 77;                      //= 0
	} else {
		depth++;                         //= 1000
	}
	return depth = k;                        //= 1000
}
int
main(void)
{
	int i;
	for (i = 0; i < 1000; i++)               //= 1001
		outer(i);                        //= 1000
	printf("%d\n", depth);                   //= 1
	return 0;                                //= 1
}
