# patched.sh - files that other tools have changed after the link, or before: patchelf, ld -r, objcopy; odd build ids and names.
set +e
echo '#include <stdio.h>
int main(void) { puts("hi"); return 3; }' > a.c
echo 'int f(int x); int f(int x) { return x + 1; }' > l.c
echo 'int f(int); int main(void) { return f(4); }' > m.c
bad=0
gcc a.c -o plain && patchelf --set-rpath /opt/some/lib plain || exit 1
want=$(./plain; echo $?)
tally build --quiet gcc a.c -o counted && patchelf --set-rpath /opt/some/lib counted || exit 1
got=$(./counted 2>/dev/null; echo $?)
[ "$want" = "$got" ] || { bad=1; echo program: plain $want, counted $got; }
for t in "" "tally build --quiet"; do
	$t gcc -shared -fPIC l.c -o libl.so && gcc m.c ./libl.so -o m && patchelf --set-rpath /opt/some/very/long/directory/lib libl.so || exit 1
	./m 2>/dev/null; r=$?
	[ $r = 5 ] || { bad=1; echo "library ($t): status $r instead of 5"; }
done
[ $bad = 0 ] || exit 1

cat >a.c <<'C'
#include <stdio.h>
int b(int); int c(int);
int main(void) { printf("%d\n", b(1) + c(2)); return 0; }
C
echo '__attribute__((visibility("hidden"))) int h(int x) { return x; } int b(int x) { return h(x) + 1; }' > b.c
echo 'int c(int x) { return x + 10; }' > c.c
cat >mk <<'C'
set -e
gcc -g -c a.c; gcc -g -c b.c; gcc -g -c c.c
ld -r b.o -o bl.o; objcopy $1 bl.o
gcc a.o bl.o c.o -o prog
C
bad=0
for o in --localize-hidden --keep-global-symbol=b; do
	bash mk $o || exit 1
	want=$(./prog); rm -f prog
	tally build --quiet bash mk $o || { bad=1; echo "$o: the counted build fails, the plain one does not"; continue; }
	[ "$(./prog)" = "$want" ] || { bad=1; echo "$o: other output"; }
done
[ $bad = 0 ] || exit 1

echo 'int main(void) { return 0; }' > a.c
bad=0
for i in 0x12 0x123456 0x12345678 0x123456789abc; do
	rm -rf tally.out
	tally build --quiet gcc -g -Wl,--build-id=$i a.c -o a && ./a || exit 1
	tally print a 2>err | grep -q '^ *1 .*main' || { bad=1; echo "$i: $(cat err)"; }
done
[ $bad = 0 ] || exit 1

rm -rf tally.out
tally build --quiet gcc -g a.c -o .prog-wrapped && ./.prog-wrapped || exit 1
tally print ./.prog-wrapped >out && grep -q '^ *1 .*main' out && tally print >out && grep -q '^ *1 .*main' out || exit 1
