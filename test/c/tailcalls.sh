# tailcalls.sh - what a compiler makes a jump of is a jump in a counted program, too.
set +e
cat >a.c <<'C'
#include <stdio.h>
long even(long n);
long odd(long n);
long even(long n)
{
	long r = 1;
	if (n > 0)
		r = odd(n - 1);
	return r;
}
__attribute__((noinline)) long odd(long n)
{
	long r;
	if (n == 0)
		return 0;
	r = even(n - 1);
	return r;
}
int main(int argc, char **argv)
{
	(void)argv;
	printf("%ld\n", even(argc * 20000000L));
	return 0;
}
C
bad=0
for cc in "gcc -O2" "gcc -Os" "clang -O2"; do
	$cc a.c -o plain || exit 1
	[ "$(./plain)" = 1 ] || exit 1
	tally build --quiet $cc a.c -o counted || exit 1
	[ "$( (./counted) 2>/dev/null)" = 1 ] || { bad=1; echo "$cc: the counted program crashes"; }
done 2>/dev/null
[ $bad = 0 ] || exit 1
