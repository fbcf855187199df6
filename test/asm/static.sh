# static.sh - static programs that call what the runtime calls, too, if it is there; and those that gold links.
set +e
cat >auxv.c <<'C'
#include <sys/auxv.h>
#include <stdio.h>
int main(void) { printf("%lu\n", getauxval(AT_PAGESZ)); return 3; }
C
cat >onexit.c <<'C'
#define _GNU_SOURCE
#include <stdlib.h>
#include <stdio.h>
static void f(int s, void *a) { (void)a; printf("bye %d\n", s); }
int main(void) { on_exit(f, 0); return 3; }
C
cat >phdr.c <<'C'
#define _GNU_SOURCE
#include <link.h>
#include <stdio.h>
static int cb(struct dl_phdr_info *i, size_t n, void *d) { (void)i; (void)n; ++*(int *)d; return 0; }
int main(void) { int n = 0; dl_iterate_phdr(cb, &n); printf("%d\n", n > 0); return 3; }
C
bad=0
for p in auxv onexit phdr; do
for s in -static -static-pie; do
	gcc $s $p.c -o plain || exit 1
	want=$(timeout 20 ./plain; echo $?)
	tally build --quiet gcc $s $p.c -o counted || exit 1
	got=$(timeout 20 ./counted 2>/dev/null; echo $?)
	[ "$got" = "$want" ] || { bad=1; echo "$p $s: plain" $want "counted" $got; }
done
done 2>/dev/null
[ $bad = 0 ] || exit 1

echo '#include <stdio.h>
int main(void) { puts("hi"); return 3; }' > a.c
gcc -static -fuse-ld=gold a.c -o plain || exit 1
./plain >/dev/null; p=$?
tally build --quiet gcc -static -fuse-ld=gold a.c -o counted || exit 1
(./counted) >/dev/null 2>&1; c=$?
echo "plain $p counted $c"
[ $p = $c ] || exit 1
