/* calls.c - calls in the headers of loops, and in other expressions, that do not come back. */
#include <setjmp.h>

static jmp_buf out;
static volatile int k;

static int
test(int i)
{
	if (i == 5) //= 75
		longjmp(out, 1); //= 18
	return i < 10; //= 57
}

static void
whiled(void)
{
	int i = 0; //= 1

	while ( //= 6
		test(i)) //= 6
		i++; //= 5
	k++; //= 0
}

static void
done(void)
{
	int i = 0; //= 1

	do //= -
		i++; //= 5
	while (test(i)); //= 5
	k++; //= 0
}

static void
forth(void)
{
	int i; //= -

	for (i = 0; //= 1
	     test(i); //= 6
	     i++) //= 5
		k++; //= 5
}

static void
third(void)
{
	int i; //= -

	for (i = 0; //= 1
	     i < 10; //= 5
	     test(++i)) //= 5
		k++; //= 5
}

static void
first(void)
{
	int i; //= -

	for (i = test(5); //= 1
	     i < 10; //= 0
	     i++) //= -
		k++; //= 0
}

static void
both(void)
{
	int i; //= -

	for (i = test(0); //= 1
	     test(i); //= 5
	     test(i), i++) //= 4
		k++; //= 4
}

static void
once(void)
{
	while (test(5)) //= 1
		k++; //= 0
}

static void
chain(void)
{
	int i = 0; //= 1

	while (i < 8 && //= 6
	       test(i) && //= 6
	       k >= 0) //= 5
		i++; //= 5
	while (i || //= 0
	       test(5)) //= 0
		i++; //= 0
}

static void
chosen(void)
{
	int i = 0; //= 1

	while (i & 1 ? //= 6
		       test(i) //= 3
		     : test(i + 0)) //= 3
		i++; //= 5
}

static int
inside(int n)
{
	int i = 0; //= 2

	while (({ //= 4
		if (i == n) //= 4
			return i; //= 1
		test(i + 3 - n); //= 3
	}))
		i++; //= 2
	return k; //= 0
}

static void
gone(void)
{
	int i = 0; //= 1

	while (({ //= 4
		if (i == 3) //= 4
			goto away; //= 1
		i < 10; //= 3
	}))
		i++; //= 3
away:
	k++; //= 1
}

static void
nested(void)
{
	int i, j; //= -

	for (i = 0; i < 3; i++) //= 1
		for (j = 4; test(j); j++) //= 2
			if (j == 11) //= 1
				break; //= 0
			else
				k++; //= 1
}

static void
broken(void)
{
	int i = 3; //= 1

	while (test(i)) //= 3
		if (k < 0) //= 2
			break; //= 0
		else
			i++; //= 2
}

static void
continued(void)
{
	int i = 0; //= 1

	do {
		i++; //= 5
		if (i & 1) //= 5
			continue; //= 3
		k++; //= 2
	} while (test(i)); //= 5
}

static void
switched(void)
{
	int i = 2; //= 1

	for (;;) //= 4
		switch (test(i++)) { //= 4
		case 0: return; //= 0
		default: k++; //= 3
		}
}

static void
more(int n)
{
	if (test(n) && //= 3
	    test(n + 1)) //= 2
		k++; //= 1
	else if (test(n + 2)) //= 0
		k--; //= 0
	k++; //= 1
}

static void
value(void)
{
	k = test(4) ? //= 1
		    test(5) //= 1
		    : test(6); //= 0
	k++; //= 0
}

static void
listed(void)
{
	test(1), test(2), //= 1
		test(3); //= 1
	k = (test(4), test(5)); //= 1
	k++; //= 0
}

#define TRY(call) \
	do { \
		if (!setjmp(out)) \
			call; \
	} while (0)

int
main(void)
{
	TRY(whiled()); //= 1
	TRY(done());
	TRY(forth());
	TRY(third());
	TRY(first());
	TRY(both());
	TRY(once());
	TRY(chain());
	TRY(chosen());
	TRY(inside(2));
	TRY(inside(-2));
	TRY(gone());
	TRY(nested());
	TRY(broken());
	TRY(continued());
	TRY(switched());
	TRY(more(1));
	TRY(more(4));
	TRY(more(5));
	TRY(value());
	TRY(listed());
	return 0; //= 1
}
