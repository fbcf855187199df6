/* sort.c - quicksort of numbers from a generator of its own.  roads: all  witness: callgrind gcov */
static unsigned seed = 1;
static int a[500];
static void
sort(int lo, int hi)
{
	int i = lo, j = hi, p, t;
	if (lo >= hi)                           //= 883
		return;                         //= 442
	p = a[(lo + hi) / 2];                   //= 441
	while (i <= j) {                        //= 1764
		while (a[i] < p)
			i++;
		while (a[j] > p)
			j--;
		if (i <= j) {                   //= 1323
			t = a[i];               //= 1198
			a[i++] = a[j];          //= 1198
			a[j--] = t;             //= 1198
		}
	}
	sort(lo, j);                            //= 441
	sort(i, hi);                            //= 441
}
int
main(void)
{
	int i;
	for (i = 0; i < 500; i++) {             //= 501
		seed = seed * 1103515245 + 12345; //= 500
		a[i] = seed >> 16 & 1023;       //= 500
	}
	sort(0, 499);                           //= 1
	for (i = 1; i < 500; i++)               //= 500
		if (a[i - 1] > a[i])            //= 499
			return 1;               //= 0
	return 0;                               //= 1
}
