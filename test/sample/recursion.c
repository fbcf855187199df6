/* recursion.c - calls within calls.  roads: all  witness: callgrind gcov */
static int
fib(int n)
{
	if (n < 2)                          //= 21891
		return n;                   //= 10946
	return fib(n - 1) + fib(n - 2);     //= 10945
}
int
main(void)
{
	return fib(20) != 6765;             //= 1
}
