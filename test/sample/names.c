/* names.c - names that the runtime uses, too.  roads: all  witness: callgrind gcov */
int stub(int n) { return n + 1; }
int stubs(int n) { return stub(n) + 1; }
int note(int n) { return n; }
int hooked, which, p;
int main(void)
{
	return stubs(1) - 3 + note(hooked); //= 1
}
