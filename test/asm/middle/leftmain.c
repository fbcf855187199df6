#include <stdlib.h>
void first(int);
void
finish(void)
{
	exit(0);
}
int
main(void)
{
	first(6);
	return 1;
}
