/* table - the table of the paper: a block at every ^, and nowhere else. */
#include <stdio.h>

static int
calls(int n)
{
	return n; /*= 7 */
}

int
main(void)
{
	int a = 0, b = 0, i; /*= 1 */

	if (a == 0)
		b = 1; /*= 1 */
	b += 2; /*= 1 */
	if (a) b = 2; else b = 3; b++; /*= 0 1 1 */
	while (a < 3)
		a++; /*= 3 */
	b += calls(a); /*= 1 */
	for (i = 0; i < 5; i++) b += calls(i); b--; /*= 5 1 */
	do b++; while (b < 40); a = b; /*= 24 1 */
again: /* the block begins behind the colon */
	a--; /*= 3 */
	if (a > 37)
		goto again; /*= 2 */
	switch (a) { /*= 1 */
	case 1:
		b = 9; /*= 0 */
		break;
	case 37:
		b = 4; /*= 1 */
	default:
		b++; /*= 1 */
	}
	b = b > 3 ? calls(b) : 2; /*= 1 0 */
	{
		b += 1;
		a += 1;
	}
	printf("%d %d\n", a, b);
	return 0;
}
