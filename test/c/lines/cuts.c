/* Calls that do not come back: what follows them did not run. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
static jmp_buf back;
static int depth;

static void leap(int n)
{
	depth++;
	if (n == 0)
		longjmp(back, 1);
	leap(n - 1);
	depth--;
}

static int tries(int n)
{
	int i;

	for (i = 0; i < n; i++) {
		if (setjmp(back) == 0) {
			leap(3);
			depth = 0;
		}
		depth += i;
	}
	return depth;
}

static int last(int x)
{
	if (x > 2)
		exit(x);
	x++;
	return last(x) + 1;
}

int main(void)
{
	int r = tries(4);

	printf("%d\n", r);
	r = last(0);
	printf("not reached %d\n", r);
	return 0;
}
