# ownnames.sh - functions and variables of a file that have names of the C library's, which the runtime would take for those.
set +e
bad=0
# 1: two files with a local function of the same name each (a fallback for old systems, say)
cat >a.c <<'C'
#include <stdio.h>
int other(void);
__attribute__((noinline)) static int getauxval(int x) { return x + 1; }
int main(void) { printf("%d %d\n", getauxval(1), other()); return 0; }
C
cat >b.c <<'C'
__attribute__((noinline)) static int getauxval(int x) { return x + 100; }
int other(void);
int other(void) { return getauxval(1); }
C
# 2: a local variable named environ
cat >c.c <<'C'
#include <stdio.h>
static long environ = 7;
int main(void) { printf("%ld\n", environ); return 0; }
C
for s in "" -static; do
	gcc -w $s a.c b.c -o plain || exit 1
	tally build --quiet gcc -w $s a.c b.c -o counted || exit 1
	want=$(./plain); got=$(timeout 20 ./counted 2>&1)
	[ "$want" = "$got" ] || { bad=1; echo "two local functions $s: plain '$want', counted '$got'"; }
	gcc -w $s c.c -o plain || exit 1
	tally build --quiet gcc -w $s c.c -o counted || exit 1
	want=$(./plain; echo $?); got=$(timeout 20 ./counted 2>&1; echo $?)
	[ "$want" = "$got" ] || { bad=1; echo "local environ $s: plain" $want, counted $got; }
done 2>/dev/null
[ $bad = 0 ] || exit 1
