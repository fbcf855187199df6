/* text - strings, comments, digraphs, odd names. */
#include <stdio.h>
#include <wchar.h>

%:define HASH 1
#define STR(x) #x

/* a comment with ? and : and { "quotes' */ static int /* in the middle */ f(void) // to the { end \
   and on
<%
	int a<:3:> = <%1, 2, 3%>; //= 1
	return a<:HASH ? 1 : 0:> ? a<:2:> : 0; //= 1 0 1 0
%>

static const char *
strings(int n)
{
	return n ? "a\"b" "c\\" /* between */ "d{" //= 1 1
		   "e\
f" :
		L'x' == 'x' ? "\x3f" : STR(a ? b : c "};"); //= 0 0 0
}

static int été = 1, $dollar = 2, \u00e9t = 3;

int
main(void)
{
	const wchar_t *w = L"wide" L"r"; //= 1
	const char *raw = "one ) {" "more";
	int c = '\'' + '"' + L'\\' + '\0' + u'a' + U'b', d = 0x1p+3, e = 1.e-2 ? 3 : 4; //= 1 0

	printf("%d %s %ls %s\n", f(), strings(1), w, raw);
	printf("%d %d %d %d %d\n", c, d, e, été + $dollar, \u00e9t);
	if (c
	    > 3) { /*/ still a comment */ c++; //= 1
	}
	return 0; //= 1
}
