#include <stdio.h>
int whole(int), middle(void), jumper(int), caller(void), other(void), later(void), ping(int), pong(int), fact(int), falls(int), next(void), where(void), twice(int), named(int), alias(int), distance(int), flags(int), carry(int), zero(int);
static int
set(int n)
{
	int r;
	__asm__ volatile("call middle" : "=a"(r) : "a"(n) : "cc");
	return r;
}
int
main(void)
{
	int i, s = 0;
	for (i = -3; i < 9; i++) {
		s += whole(i) + jumper(i) + caller() + other() + later() + ping(i) + pong(i) + fact(i & 7) + falls(i);
		s += where() + twice(i) + named(i) + distance(i) + flags(i) + carry(i) + zero(i);
		if (i & 1)
			s += set(i) + alias(i);
	}
	printf("%d\n", s);
	return 0;
}
