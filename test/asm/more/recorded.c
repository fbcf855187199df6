#include <stdio.h>
#include <string.h>

__attribute__((noinline)) static int
sum(const char *s)
{
	char room[32];
	int n = 0, i;

	strncpy(room, s, sizeof room - 1); //= 10
	room[31] = 0;
	for (i = 0; room[i]; i++) //= 60
		n += room[i]; //= 50
	return n;
}

__attribute__((noinline)) static int
last(int x)
{
	if (x & 1)
		return sum("other"); //= 5
	return x + 1; //= 5
}

__attribute__((noinline)) static int
machine(const char *p)
{
	static const void *const step[] = {&&one, &&two, &&end};
	int acc = 0, room[8] = {0};

	goto *step[*p++ - '0'];
one:
	acc++; //= 15
	room[acc & 7] += acc;
	goto *step[*p++ - '0'];
two:
	acc += room[acc & 7]; //= 10
	goto *step[*p++ - '0'];
end:
	return acc; //= 5
}

int (*volatile pointer)(const char *) = machine;

__attribute__((noinline)) static int
tail(int n)
{
	if (n > 9)
		return 0; //= 0
	return pointer(n & 1 ? "010102" : "000112"); //= 5
}

int
main(void)
{
	const char *volatile hello = "hello";
	int i, n = 0;

	for (i = 0; i < 5; i++)
		n += sum(hello) + last(i) + last(i + 1) + tail(i); //= 5
	printf("%d\n", n);
	return 0;
}
