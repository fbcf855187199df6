/* nested.c - a goto out of a nested function.  roads: all  lines: source  by: gcc
 * with: -O0, -O1, -O2, -O3, -Os, -O2 -fno-pie -no-pie, -O2 -fcf-protection, -O2 -static */
#include <stdio.h>
static volatile int sum;
__attribute__((noinline)) static void
call(void (*f)(int), int x)
{
	sum++;                                   //= 1000
	f(x);                                    //= 1000
	sum--;                                   //= 500
}
__attribute__((noinline)) static int
find(int x)
{
	__label__ out;
	void leave(int y)
	{
		if (y & 1)                       //= 1000
			goto out;                //= 500
		sum += 2;                        //= 500
	}
	call(leave, x);                          //= 1000
	sum += 3;                                //= 500
	return 0;                                //= 500
out:
	sum += 5;                                //= 500
	return 1;                                //= 500
}
int
main(void)
{
	int i, n = 0;
	for (i = 0; i < 1000; i++)               //= 1001
		n += find(i);                    //= 1000
	printf("%d\n", n);                       //= 1
	return 0;                                //= 1
}
