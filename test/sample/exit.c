/* exit.c - main ends by exit, and so does not come to its end.  roads: all  witness: callgrind gcov */
#include <stdlib.h>
static int
half(int n)
{
	return n / 2;                           //= 6
}
int
main(void)
{
	int n = 100, steps = 0;                 //= 1
	for (;;) {
		n = half(n);                    //= 6
		steps++;                        //= 6
		if (n == 1)                     //= 6
			exit(0);                //= 1
	}
}
