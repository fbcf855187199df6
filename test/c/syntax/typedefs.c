/* typedefs - names of types that are other things, too. */
#include <stdio.h>

typedef int T, *P, F(int), A[3];
typedef T U;
typedef struct T { T T; P p; } S;
enum { E = sizeof(T) };

static F f;
static T f(T T) { return T ? T * 2 : 0; } //= 3 3 0

static int g(int (*T)(int), int U) { return T(U); } //= 1
static int params(T (*fn)(T), S *T) { return fn(T->T); } //= 1
static int scope(T), (*pointer)(T) = scope;

static int
scope(int U)
{
	T a = U; //= 1
	{
		T T = 3, b = T * a;
		if (b > T)
			T = b; //= 0
		a = T; //= 1
	}
	T *c = &a;
	for (T T = 0; T < 2; T++)
		*c += T; //= 2
	T d = *c; //= 1
	{
		typedef char T;
		d += sizeof(T);
		int U = (T)257;
		d += U;
	}
	U + 0 ? d++ : 0; //= 1 0
	return d;
}

static int
labels(int n)
{
	goto T; //= 1
T:
	n++; //= 1
	switch (n) {
	U: n += sizeof(T); //= 1
		break;
	default: goto U; //= 1
	}
	struct T T = {.T = n}; 
	T.T ? n++ : 0; //= 1 0
	return (T).T + (int)sizeof T;
}

int
main(void)
{
	S s = {2, &s.T}; //= 1
	A a = {1, 2, (T)3};
	int x = (T)+1, y = (x)+1;
	U *u = a, E2 = E;
	T (z) = 5, (*q) = &z;
	int (*T) = q;

	printf("%d %d %d %d %d\n", f(1), g(f, 2), params(f, &s), pointer(1), labels(1));
	printf("%d %d %d %d %d %d %d\n", x, y, u[1], E2, z, *T * x, a[2]);
	return 0;
}
