/* sieve.c - loops with continue and break.  roads: all  witness: callgrind gcov */
static char composite[1000];
int
main(void)
{
	int i, j, n = 0;
	for (i = 2; i < 1000; i++) {                    //= 999
		if (composite[i])                       //= 998
			continue;                       //= 830
		n++;                                    //= 168
		for (j = 2 * i; j < 1000; j += i)       //= 2124
			composite[j] = 1;               //= 1956
	}
	for (;;)
		if (--n == 0)                           //= 168
			break;                          //= 1
	return n;                                       //= 1
}
