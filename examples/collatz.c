/* collatz.c - how long does it take? */
#include <stdio.h>
#include <stdlib.h>

int
main(int argc, char *argv[])
{
	long n = argc > 1 ? atol(argv[1]) : 27, steps = 0;

	while (n != 1) {
		if (n & 1)
			n = 3 * n + 1;
		else
			n /= 2;
		steps++;
	}
	if (steps == 0)
		puts("no steps");
	printf("%ld steps\n", steps);
	return 0;
}
