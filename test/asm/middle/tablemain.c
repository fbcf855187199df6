int a(long), b(int);
int
main(void)
{
	int i, s = 0;

	for (i = 0; i < 10; i++)
		s += a(i & 1) + b(i % 3);
	return s == 0;
}
