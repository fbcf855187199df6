/* constants89 - what is in braces is constant in C89.   std: c89   raw: yes   flags: -pedantic-errors */
extern int printf(const char *, ...);

int
main(void)
{
	int a[] = {sizeof(int) > 2 ? 1 : 2, sizeof(char) == 1 ? 3 : 4}; /*= 1 */
	struct { int x[2]; } s = {{sizeof(long) > 1 ? 5 : 6, 7}};
	int b = a[0] ? 8 : 9; /*= 1 0 */

	printf("%d %d %d %d\n", a[0], a[1], s.x[0], b);
	return 0;
}
