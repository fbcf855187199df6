/* asm.c - inline assembly: a loop of its own, a prefix on a line of its own.  roads: all  witness: callgrind gcov */
static long
sum(long n)
{
	long s = 0;                                             //= 10
	__asm__ volatile("1: addq %1, %0; decq %1; jnz 1b" : "+r"(s), "+r"(n) : : "cc"); //= 10
	return s;                                               //= 10
}
static int
add(int *p, int n)
{
	__asm__ volatile("lock; xaddl %0, %1" : "+r"(n), "+m"(*p) : : "cc"); //= 10
	return n;                                               //= 10
}
int
main(void)
{
	int total = 0;
	long i, s = 0;
	for (i = 1; i <= 10; i++) {                             //= 11
		add(&total, 2);                                 //= 10
		s += sum(i);                                    //= 10
	}
	return s != 220 || total != 20;                         //= 1
}
