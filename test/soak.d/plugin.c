/* plugin.c - a library for plugins.c; NAME is its function, and its size depends on NUMBER. */

__attribute__((noinline)) static int
each(int i)
{
	switch (i % 4) {
	case 0: return 1;
	case 1: return NUMBER;
#if NUMBER % 3 == 0
	case 2: return i;
#endif
	}
	return i & NUMBER ? 2 : 3;
}

int NAME(int n);
int
NAME(int n)
{
	int s = 0;

	while (n-- > 0)
		s += each(n);
	return s;
}
