# namespaces.sh - a counted library in another namespace of the dynamic linker, and a program that it runs as a command.
set +e
echo 'int work(int x); int work(int x) { return x * 2; }' > lib.c
cat >a.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
static int f(int x)
{
	return x * 3;
}
int main(void)
{
	int s = 0;
	for (int i = 0; i < 50; i++)
		s += f(i);
	void *h = dlmopen(LM_ID_NEWLM, "./lib.so", RTLD_NOW);
	if (!h)
		return 1;
	for (int i = 0; i < 1000; i++)
		s += f(i);
	printf("%d\n", s);
	return 0;
}
C
tally build --quiet gcc -g -fPIC -shared lib.c -o lib.so || exit 1
tally build --quiet gcc -g -O0 a.c -o a || exit 1
./a >/dev/null || exit 1
tally print a >out 2>err
grep -q '^ *1050  .*x \* 3' out && ! grep 'has changed\|were killed' err || { cat out err; exit 1; }
tally print -f lib.so 2>&1 | grep -q '^work  *~0' || { tally print -f; exit 1; }
rm -rf tally.out
"$(sed -n 's/.*: \(.*ld-linux.*\)\]/\1/p' <(readelf -l a | grep interpreter))" ./a >/dev/null || exit 1
tally print a 2>err | grep -q '^ *1050  .*x \* 3' || { cat err; exit 1; }
