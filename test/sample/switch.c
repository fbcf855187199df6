/* switch.c - a jump table, cases that fall through, a default.  roads: all  witness: callgrind gcov */
static int
f(int n)
{
	switch (n) {              //= 700
	case 0: return 5;         //= 100
	case 1: n++;              //= 100
	case 2: return n * 7;     //= 200
	case 3: return 11;        //= 100
	case 4: n--; break;       //= 100
	case 5: return 13;        //= 100
	default: n = 3;           //= 100
	}
	return n;                 //= 200
}
int
main(void)
{
	volatile int s = 0;       //= 1
	int i;
	for (i = 0; i < 700; i++) //= 701
		s += f(i % 7);    //= 700
	return 0;                 //= 1
}
