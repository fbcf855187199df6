/* collatz.c - data-dependent loop.  run: collatz 27  roads: all  witness: callgrind gcov */
#include <stdlib.h>
int
main(int argc, char *argv[])
{
	long n = argc > 1 ? atol(argv[1]) : 27; //= 1
	while (n != 1)                          //= 112
		if (n & 1)                      //= 111
			n = 3 * n + 1;          //= 41
		else
			n /= 2;                 //= 70
	return 0;                               //= 1
}
