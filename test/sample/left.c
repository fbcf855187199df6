/* left.c - lines after a call that does not return did not run.  roads: all */
#include <stdlib.h>
static volatile int n;
static void leave(void) { n++; exit(0); } //= 1
static void (*volatile f)(void) = leave;
int main(void)
{
	n = 1;                            //= 1
	f();                              //= 1
	n = 2;                            //= 0
	n = 3;                            //= 0
	return 0;                         //= 0
}
