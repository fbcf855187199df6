/* faults.c - faults in the middle of things, handled by siglongjmp. */
#include <setjmp.h>
#include <signal.h>

static sigjmp_buf out;
static volatile int k;
static int two[2] = {1, 1};

static void
on(int sig)
{
	siglongjmp(out, sig); //= 12
}

static void
straight(int *volatile p)
{
	k++; //= 2
	k += *p; //= 2
	k++; //= 1
	k++; //= 1
}

static void
scan(int *volatile p)
{
	int i; //= -

	k++; //= 2
	while (*p) //= 3
		k++, p = (int *)0; //= 1
	k++; //= 0
	for (i = 0; i < 3; i++) //= 0
		k++; //= 0
}

static void
early(int *volatile p)
{
	int i; //= -

	*p = 1; //= 2
	for (i = 0; i < 3; i++) //= 4
		k++; //= 3
	do {
		i--; //= 3
	} while (i > 0); //= 3
}

static void
earlier(int *volatile p)
{
	int i = 2; //= 2

	*p = 1; //= 2
	do {
		i--; //= 2
	} while (i > 0); //= 2
}

static void
initial(int *volatile p)
{
	int i; //= -

	for (i = *p; //= 2
	     i < 3; //= 3
	     i++) //= 2
		k++; //= 2
}

static void
step(int *volatile p)
{
	int i; //= -

	for (i = 0; //= 2
	     i < 3; //= 5
	     i += *p) //= 4
		k++; //= 4
}

static void
leaving(int *volatile p)
{
	int i; //= -

	for (i = 0; i < 5; i++) //= 6
		if (i == 2) { //= 6
			k += *p; //= 2
			break; //= 1
		}
}

static void
last(int *volatile p)
{
	int i = 0; //= 2

	do {
		i++; //= 2
		k += *p; //= 2
	} while (i < 1); //= 1
}

static int
given(int *volatile p)
{
	k++; //= 2
	if (k > 0) //= 2
		k += *p; //= 2
	else
		k--; //= 0
	return k; //= 1
}

static void
fallen(int *volatile p)
{
	k++; //= 2
	if (k > 1000000) //= 2
		return; //= 0
	k += *p; //= 2
} //= 1

static void
unlucky(int *volatile p)
{
	switch (k > 0) { //= 2
	case 0: //= 0
		k++; //= 0
		break; //= 0
	default: //= 2
		k += *p; //= 2
		k++; //= 1
	}
	k++; //= 1
}

static int *volatile none;
static void (*const all[])(int *) = {(void (*)(int *))straight, (void (*)(int *))scan,
				     (void (*)(int *))early, (void (*)(int *))earlier,
				     (void (*)(int *))initial, (void (*)(int *))step,
				     (void (*)(int *))leaving, (void (*)(int *))last,
				     (void (*)(int *))given, (void (*)(int *))fallen,
				     (void (*)(int *))unlucky};

int
main(void)
{
	volatile unsigned i; //= -

	signal(SIGSEGV, on); //= 1
	for (i = 0; i < sizeof all / sizeof *all; i++) { //= 12
		if (!sigsetjmp(out, 1)) //= 11
			all[i](two); //= 11
		if (!sigsetjmp(out, 1)) //= 11
			all[i](none); //= 11
	}
	return 0; //= 1
}
