/* nested - functions in functions, local labels.   cc: gcc */
#include <stdio.h>

int
main(void)
{
	__label__ done; //= 1
	int n = 0;
	auto int twice(int);

	int add(int k)
	{
		if (k > 3) //= 3
			goto done; //= 1
		return n += k ? twice(k) : 0; //= 2 1 1
	}
	int twice(int k) { return 2 * k; } //= 1

	for (int i = 0; i < 9; i++)
		add(i == 2 ? 9 : i); //= 3 1 2
	return 1; //= 0
done:
	printf("%d\n", n); //= 1
	{
		__label__ here;
		int inner(void) { goto here; } //= 1

		inner();
	here:
		printf("here\n"); //= 1
	}
	return 0;
}
