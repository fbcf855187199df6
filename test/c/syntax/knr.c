/* knr - definitions as they were before 1989.   std: c89 gnu89 */
int printf();

static add(a, b)
int a, b;
{
	return a + b; /*= 4 */
}

static char *
name(p, n)
	register char *p;
	int n;
{
	while (n-- > 0) /*= 1 */
		p++; /*= 3 */
	return p; /*= 1 */
}

static double half(d) double d; { return d / 2; } /*= 1 */

typedef int T;

static T twice(x)
T x;
{
	T T = x; /*= 2 */
	if (T > 1)
		T = T * 2; /*= 1 */
	else
		T++; /*= 1 */
	return T; /*= 2 */
}

static int (*pick(which))()
int which;
{
	return which ? add : 0; /*= 1 1 0 */
}

main(argc, argv)
int argc;
char **argv;
{
	int i, sum; /*= 1 */

	sum = 0;
	for (i = 0; i < 3; i++)
		sum = add(sum, i); /*= 3 */
	sum += (*pick(argc))(1, 2); /*= 1 */
	printf("%d %s %g %d %d\n", sum, name("abcdef", 3), half(3.0), twice(1), twice(2));
	return argv == 0;
}
