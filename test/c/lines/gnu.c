/* GNU C: statements in expressions, labels as values, nested functions, case ranges.  gcc only. */
#include <stdio.h>
#define MAX(a, b) ({ __typeof__(a) a_ = (a); __typeof__(b) b_ = (b); a_ > b_ ? a_ : b_; })

static int run(const unsigned char *code)
{
	static const void *const op[] = {&&halt, &&add, &&twice, &&loop};
	int acc = 0, rounds = 0;

	goto *op[*code++];
add:
	acc += *code++;
	goto *op[*code++];
twice:
	acc *= 2;
	goto *op[*code++];
loop:
	if (++rounds < 10) {
		code -= *code;
		goto *op[*code++];
	}
	code++;
	goto *op[*code++];
halt:
	return acc;
}

static int apply(int (*f)(int), int n)
{
	int i, s = 0;

	for (i = 0; i < n; i++)
		s += f(i);
	return s;
}

static int classify(int c)
{
	switch (c) {
	case '0' ... '9':
		return 1;
	case 'a' ... 'z':
	case 'A' ... 'Z':
		return 2;
	default:
		return 0;
	}
}

int main(void)
{
	static const unsigned char code[] = {1, 3, 2, 3, 4, 0};
	int k = 2, s, i;

	int scaled(int x)
	{
		if (x == 3)
			return 0;
		return k * x;
	}

	s = apply(scaled, 6);
	printf("%d %d\n", s, run(code));
	for (i = 0; i < 128; i++)
		k = MAX(k, classify(i));
	s = k ?: 3;
	s += ({
		int t = 0;
		for (i = 0; i < 5; i++)
			t += i;
		t;
	});
	printf("%d\n", s);
	return 0;
}
