/* choices - ?: stays what it was. */
#include <stdio.h>
#include <stddef.h>

struct s { int a; char c[3]; };
static int n;
static int count(int k) { n++; return k; } //= 3
static void nothing(void) { n += 10; } //= 1
static int *maybe(int yes, int *p) { return yes ? p : 0; } //= 2 1 1
static const int *constant(int yes, int *p) { return yes ? p : (void *)0; } //= 2 1 1

int
main(void)
{
	int x = 5, *p = &x, i; //= 1
	const int *q = constant(1, p);
	struct s one = {1, "ab"}, two = {2, "cd"};
	void *v = NULL;

	if (maybe(1, p) == p && !maybe(0, p) && constant(0, p) == NULL)
		puts("pointers"); //= 1
	printf("%d\n", *(x ? q : v ? p : 0)); //= 1 1 0 0 0
	printf("%s\n", (x > 3 ? one : two).c); //= 1 0
	printf("%d\n", count(1) ?: 7); //= 0
	printf("%d\n", count(0) ?: 7); //= 1
	v = v ?: p; //= 1
	p = p ?: 0;
	p = p ?: (void *)0;
	x ? nothing() : (void)0; //= 1 0
	x < 3 ? x++ : x > 4 ? x-- : (x = 9); //= 0 1 1 0
	x = x ? (x++, 2) : 3, i = x; //= 1 0
	printf("%d %d %d\n", (int)sizeof(x ? 1 : 1.0), (x ? (char)-1 : 0u) > 5, (x ? 'a' : 2)); //= 1 0 1 0
	i = count(x) && x ? x || n ? 3 : 4 : 5; //= 1 1 0 0
	for (i = x ? 0 : 1; i < (x ? 3 : 4); i += x ? 1 : 2) //= 1 0 4 0 3 0
		; //= 3
	while (i ? i-- : 0) //= 1 3 1
		; //= 3
	do //= 1
		i++; //= 3
	while (i < 3 ? 1 : 0); //= 2 1
	(i ? &x : p)[0] = 4; //= 1 1 0
	switch (i ? 1 : 2) { //= 1 0
	case 1: return i == 3 ? 0 : 1; //= 1 1 0
	}
	return 2;
}
