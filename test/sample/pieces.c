/* pieces.c - lines of several pieces.  roads: all  witness: callgrind gcov */
int
main(void)
{
	volatile int a = 0, b = 0;                      //= 1
	int i, j;
	for (i = 0; i < 5; i++)                         //= 6
		for (j = 0; j < 4; j++)                 //= 25
			if (i > j && j != 2)            //= 20
				a++;                    //= 8
			else
				b += i == j ? 2 : 1;    //= 12
	do {
		b--;                                    //= 3
	} while (b > 10 + 0 && a-- > 6);                //= 3
	return 0;                                       //= 1
}
