#include <cstdio>
#include <cstdlib>
#include <string>
static long total;
struct Lock { ~Lock() { total++; } };
int
kind(int n) //= 4
{
	int r = 0; //= 4
	switch (n) { //= 4
	case 1:
		r = 10; //= 2
		break; //= 2
	case 2:
		r = 20; //= 1
		break; //= 1
	default:
		r = 30; //= 1
	}
	return r; //= 4
}
void
twice(int *a, int n) //= 40
{
	for (int i = 0; i < n; i++)
		a[i] *= 2; //= 780
}
void
locked(int x)
{
	Lock l; //= 100
	if (x == 3) { //= 100
		total += 5; //= 17
		return; //= 17
	}
	for (int i = 0; i < x; i++)
		total += i; //= 124
}
void
call(void (*f)(int), int x)
{
	if (x & 1) //= 40
		f(x); //= 20
}
void
never(int x)
{
	if (x > 5) //= 40
		std::abort(); //= 0
}
int
unused(int x) //= 0
{
	std::puts("unused"); //= 0
	return x; //= 0
}
static void
inlined(int x)
{
	if (x < 2) //= 80
		return; //= 31
	std::string s(x, 'y'); //= 49
	total += (long)s.size(); //= 49
}
int
main(int argc, char **argv)
{
	int a[64] = {0};

	for (int i = 0; i < 40; i++) {
		twice(a, i % 64); //= 40
		locked(i % 6); //= 40
		call(locked, i % 4); //= 40
		never(i % 5); //= 40
		locked(i % 3); //= 40
		inlined(i % 20); //= 40
		inlined(i % 3); //= 40
	}
	std::printf("%ld %d %d\n", total, a[3], kind(1) + kind(1) + kind(2) + kind(7)); //= 1
	return 0; //= 1
}
