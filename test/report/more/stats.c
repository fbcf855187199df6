#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf back;
static volatile unsigned seed = 1;

__attribute__((noinline)) static unsigned
next(void)
{
	return (seed = seed * 1103515245 + 12345) >> 16 & 1023;
}

__attribute__((noinline, cold)) static void
fail(int n)
{
	if (n > 3)
		longjmp(back, n);
	seed ^= (unsigned)n;
}

__attribute__((noinline)) static int
either(unsigned a, unsigned b, unsigned c)
{
	if (a < 20 || b < 20 || c < 20)
		return 1;
	if (__builtin_expect(a == 1023, 0))
		fail((int)b);
	while (a > 1 && (b < 900 || c > 30)) {
		if ((a & 1 && b & 1) || (a & 4 && c & 4))
			a = a / 2 + 1;
		else if (a % 3 == 0 && b % 5 != 0)
			goto out;
		a -= a > 1;
		b += 3;
		c ^= a;
	}
	return 2;
out:
	return (int)(a + b) & 7;
}

int spin(int n); /* less one until nothing is left: it begins with a loop, which runs into what is behind it */
__asm__(".text\n\t.type spin, @function\nspin:\tsubl $1, %edi\n\tjne spin\n"
	"\t.type spun, @function\nspun:\tmovl %edi, %eax\n\tret\n\t.size spun, .-spun");

/* Without a word that it is unlikely, two ways to fail() weigh more than the one past it. */
__attribute__((noinline)) static int
rare(unsigned x)
{
	int n = 0;

	if (__builtin_expect(x == 1023, 0))
		goto bad;
	n = (int)next();
	if (__builtin_expect(n == 5, 0))
		goto bad;
	n = spin(n % 5 + 1);
out:
	return n + (int)next();
bad:
	fail(1);
	n = 3;
	goto out;
}

static int
step(int k, int x)
{
	static void *const to[] = {&&one, &&two, &&three};

	goto *to[k];
one:
	x += 3;
	if (x & 1)
		goto *to[x % 3];
	return x;
two:
	x = x / 2 + 1;
	if (x > 10)
		goto *to[x & 1];
	return x;
three:
	return x - 1;
}

int
main(void)
{
	volatile int i, s = 0;

	for (i = 0; i < 2000; i++) {
		if (setjmp(back)) {
			s++;
			continue;
		}
		s += either(next(), next(), next());
		s += rare(next());
		switch (next() % 9) {
		case 0: s += 2; break;
		case 1: s ^= 5; break;
		case 2: s -= step(0, s & 63); break;
		case 3: s += step(1, s & 63); /* fall through */
		case 4: s |= 1; break;
		case 5: s += 7; break;
		case 6: s += step(2, 4); break;
		default: s--;
		}
	}
	printf("%d\n", s);
	exit(0);
}
