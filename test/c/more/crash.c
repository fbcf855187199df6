#include <stdio.h>
#include <stdlib.h>
static int f(int *p, int n)
{
	int a = 0;
	a += n;
	*p = a;
	a++;
	n = a * 2;
	if (n > 3)
		a--;
	return a + n;
}
int main(void)
{
	int x, i;
	for (i = 0; i < 3; i++)
		f(&x, i);
	f((int *)8, i);
	return 0;
}
