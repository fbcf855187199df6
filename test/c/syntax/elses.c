/* elses - whose else it is. */
#include <stdio.h>

static int
f(int a, int b)
{
	if (a) //= 4
		if (b) //= 2
			return 1; //= 1
		else
			return 2; //= 1
	else if (b) { //= 2
		return 3; //= 1
	} else ; //= 1

	if (a) ; else if (b) return 4; else //= 1 0 1 0
		for (int i = 0; i < 3; i++) //= 1
			if (i == 1) //= 3
				b += 2; //= 1
			else if (i == 2) b += 3; else b += 5; //= 2 1 1
	if (b) //= 1
		while (b < 20) //= 1
			do //= 6
				if (b & 1) //= 10
					b++; //= 5
				else
					b += 1; //= 5
			while (b < 15);
	return b; //= 1
}

static int
chain(int n)
{
	if (n == 0) { int k = 5; return k; } //= 5 1
	else if (n == 1) { return 6; } //= 4 1
	else if (n == 2 ? 0 : n == 3) //= 3 2 1
	{
		return 7; //= 1
	}
	else if ((n = n + 1)) //= 2
		n++; //= 2
	else
		n--; //= 0
	if (n > 5) return 8; //= 2 0
	else
	label: //= 2
		if (n < 0) goto label; //= 2 0
	return n; //= 2
}

int
main(void)
{
	for (int i = 0; i < 4; i++) //= 1
		printf("%d\n", f(i & 1, i & 2)); //= 4
	for (int i = 0; i < 4; i++) //= 1
		printf("%d\n", chain(i)); //= 4
	printf("%d\n", chain(2)); //= 1
	return 0;
}
