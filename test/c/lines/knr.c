/* As C was. */
#include <stdio.h>
static int count, table[8];

static add(x, n)
register x;
int n;
{
	while (n--)
		x++;
	return x;
}

static char *skip(s, c)
char *s; int c;
{
	while (*s && *s != c)
		s++;
	if (*s)
		return s;
	return 0;
}

main(argc, argv)
int argc;
char **argv;
{
	int i;

	for (i = 0; i < 8; i++)
		table[i] = add(i, 3);
	if (skip("hello world", 'w'))
		count++;
	if (skip("hello", 'z'))
		count++;
	else if (argc > 1)
		count += 2;
	else
		count += 4;
	printf("%d\n", count);
	return 0;
}
