/* loops - and what leaves them. */
#include <setjmp.h>
#include <stdio.h>

static jmp_buf env;
static int fact(int n) { return n < 2 ? 1 : n * fact(n - 1); } //= 7 4 3

int
main(void)
{
	volatile int tries = 0; //= 1
	static int n;
	int i, j;

	for (;;)
		if (++n > 3) break; //= 4 1
		else continue; //= 3
	for (i = 0, j = 9; i < j; i++, j--) { //= 1
		if (i == 1) continue; //= 4 1
		if (i == 3) break; //= 3 1
		n += j; //= 2
	}
	while (n > 0) { //= 1
		n -= 7; //= 3
		do { if (n & 1) break; n--; } while (n > 5); //= 3 1 2
	}
	for (i = 0; i < 3; i++) //= 1
		for (j = 0; j < i; j++) //= 3
			n += fact(j) > 1 ? 1 : 0; //= 3 0 3
	for (i = 0; i < 2; i++) { //= 1
		for (j = 0; j < 2; j++) { //= 2
			if (i) goto out; //= 3 1
		}
	}
out: //= 0
	if (setjmp(env) < 2) { //= 1
		tries++; //= 2
		longjmp(env, tries);
	}
	while (0) ; //= 1 0
	do ; while (0); //= 1 1
	do { } while (0); //= 1 1
	printf("%d %d %d\n", n, tries, fact(4)); //= 1
	return 0;
}
