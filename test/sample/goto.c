/* goto.c - a threaded interpreter: computed goto over a table.  roads: all  doubted: live  witness: callgrind gcov */
static int
run(const unsigned char *pc)
{
	static void *op[] = {&&add, &&sub, &&loop, &&halt};
	int acc = 0, n = 10;
	goto *op[*pc++];          //= 1
add:
	acc += 3;                 //= 20
	goto *op[*pc++];          //= 20
sub:
	acc -= 1;                 //= 10
	goto *op[*pc++];          //= 10
loop:
	if (--n > 0)              //= 10
		pc -= 4;          //= 9
	goto *op[*pc++];          //= 10
halt:
	return acc;               //= 1
}
int
main(void)
{
	static const unsigned char code[] = {0, 1, 0, 2, 3};
	return run(code) != 50;   //= 1
}
