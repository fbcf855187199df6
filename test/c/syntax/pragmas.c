/* pragmas - between a condition and its statement, and other directives.   flags: -Wno-unknown-pragmas */
#include <stdio.h>
#pragma once_upon a time { (
#ident "version"
#define quote "/* no comment"
# /* nothing */
%: define twice(x) \
	((x) * 2)

int
main(int argc, char **argv)
{
	int n = 0, i; //= 1

	(void)argv;
	if (argc)
#pragma GCC diagnostic push
		n++; //= 1
	else
#pragma GCC diagnostic pop
		n--; //= 0
	for (i = 0; i < 4; i++) //= 1
#pragma GCC diagnostic ignored "-Wunused"
	{ //= 4
		n += i;
	}
#pragma GCC unroll 2
	for (i = 0; i < 4; i++) //= 1
		n++; //= 4
	if (n) _Pragma("GCC diagnostic push") n = twice(n); //= 1 1
	_Pragma("GCC diagnostic pop")
	if (n) //= 1
#pragma GCC diagnostic warning "-Wunused"
	{ //= 1
		puts(quote);
	}
	/* a comment */ #pragma before /* and after
	it */ a comment
	if (n) n++; //= 1 1
#line 1000 "else where.c"
	if (n) n++; //= 1 1
#line 2000
	printf("%d %d %s\n", n, __LINE__, __FILE__); //= 1
# 40 "pragmas.c"
	return 0;
}
