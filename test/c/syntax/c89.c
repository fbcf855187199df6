/* c89 - declarations stay first in their blocks.   std: c89 gnu89 gnu17   raw: yes   flags: -pedantic-errors */
extern int printf(const char *, ...);

struct pair {
	int a, b;
};

static int
sum(struct pair p)
{
	int i; /*= 2 */
	int s = 0;

	for (i = 0; i < p.a; i++) {
		int k = i; /*= 3 */
		static int seen;

		s += k + p.b;
		seen++;
	}
	{ /*= 2 */
		int z = s;
		int constant[2] = {1, 2};

		s = z + constant[0];
	}
	if (s) {
		char c = 1; /*= 2 */

		s += c;
	}
	{ /*= 2 */
		int t = s;

		return t;
	}
}

int
main(void)
{
	struct pair p; /*= 1 */

	p.a = 1;
	p.b = 2;
	printf("%d\n", sum(p));
	p.a = 2;
	switch (sum(p)) {
		int unreached;
	case 0:
		{ /*= 0 */
			int q = 1;
			printf("%d\n", q);
		}
		break;
	case 7: { /*= 1 */
		int unused = 2;
		unreached = unused;
		printf("%d\n", unreached);
	}
	}
	return 0;
}
