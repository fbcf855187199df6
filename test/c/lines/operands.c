/* Operands on lines of their own, and alternatives on one line.   run: operands 3 */
#include <stdio.h>
#include <stdlib.h>

static int both(int a, int b)           //= 100
{
	if (a > 2                       //= 100
	    && b > 3                    //= 70
	    && a + b > 9)               //= 42
		return 1;               //= 36
	if (a == 1 ||                   //= 64
	    b == 2 ||                   //= 54, gcov: 45
	    (a == 7 &&                  //= 45, gcov: 3
	     b == 7)) return 2;         //= 19
	return 0;                       //= 45
}

static int which(int a, int b)          //= 100
{
	int n = a > 4 ?                 //= 100
		a :                     //= 50, gcov: 150
		b > 5 ?                 //= 50
			b : -b;         //= 50

	n += a > b                      //= 100
		? a                     //= 45
		: b;                    //= 55, gcov: 100
	return n + (a < 3 ?             //= 100
		a + 1 : b) + 1;         //= 100
}

static int last(int a, int n)           //= 100, gcov: 160
{
	do {
		n--;                    //= 160
	} while (n > a &&               //= 160
		 n % 5);                //= 80
	for (; n < a                    //= 177, gcov: 100
	       && n % 7;                //= 97, gcov: 177
	     n++)                       //= 77
		a--;                    //= 77
	return a                        //= 100
	       && n                     //= 90
	       && a < n;                //= 72, gcov: 190
}

static int other(int a)                 //= 10
{
	int r = 0;                      //= 10

	if (a % 3)                      //= 10
		r = 1; else r = 2;      //= 10
	if (a % 2)                      //= 10
		putchar(' '); else      //= 5
		r++;                    //= 5
	return r;                       //= 10
}

/* A condition that is never true ends what stands on its line. */
static int none(int a, int b)           //= 100
{
	if (a < 0 ||                    //= 100
	    b < 0) exit(3);             //= 100, gcov: 0
	return a ? a                    //= 100
		 : b;                   //= 10, gcov: 100
}

int main(int argc, char **argv)
{
	int a, b, s = 0, n = argc > 1 ? atoi(argv[1]) : 1;

	for (a = 0; a < 10; a++)
		for (b = 0; b < 10; b++)
			s += both(a, b) + which(a, b) + last(a, b) + none(a, b);
	for (a = 0; a < 10; a++)
		s += other(a) * n;
	printf("%d\n", s);
	return 0;
}
