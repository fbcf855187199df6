/* words.c - a state machine over text, through a pointer to a function.  roads: all  witness: callgrind gcov */
static const char text[] = "the quick brown  fox jumps over the lazy dog\n";
static int
space(int c)
{
	return c == ' ' || c == '\n';           //= 45
}
static int
count(const char *s, int (*end)(int))
{
	int in = 0, n = 0;                      //= 1
	for (; *s; s++) {                       //= 46
		if (end(*s))                    //= 45
			in = 0;                 //= 10
		else if (!in) {                 //= 35
			in = 1;                 //= 9
			n++;                    //= 9
		}
	}
	return n;                               //= 1
}
int
main(void)
{
	return count(text, space) != 9;         //= 1
}
