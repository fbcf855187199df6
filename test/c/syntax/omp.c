/* omp - threads that begin in the middle of a function.   cc: gcc   flags: -fopenmp */
#include <stdio.h>

int
main(void)
{
	int n = 0, i; //= 1

#pragma omp parallel num_threads(4)
	{
#pragma omp critical
		n += n ? 1 : 2; //= 3 1
#pragma omp barrier
#pragma omp for
		for (i = 0; i < 1000; i++)
			if (i % 2) //= 1000
#pragma omp atomic
				n++; //= 500
	}
	if (n == 505) //= 1
		puts("505"); //= 1
#pragma omp parallel for reduction(+ : n)
	for (i = 0; i < 100; i++) //= 1
	{
		n += i; //= 100
	}
	printf("%d\n", n); //= 1
	return 0;
}
