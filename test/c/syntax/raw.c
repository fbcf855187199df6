/* raw - strings that end with a word of their own.   std: gnu99 gnu17   cc: gcc */
#include <stdio.h>

int
main(void)
{
	const char *s = R"x(one ) "two" )y" ? { \)x" "more"; //= 1
	/*= 1 */ const char *t = s[0] ? R"( 7
a "quote" )" : R"longest-delim(*/ ? : )longest-deli" )longest-delim"; //= 0

	puts(s);
	puts(t);
	return s[0] ? 0 : 1; //= 1 0
}
