# tls.sh - thread-local variables of libraries.
set +e
cat >l.c <<'C'
__thread int t = 4;
int w(int x);
int w(int x)
{
	t += x;
	return t;
}
C
echo 'int w(int); int main(void) { return w(3) != 7; }' > m.c
bad=0
for cc in "gcc -O0" "gcc -O2" "clang -O2"; do
	tally build --quiet $cc -g -fPIC -shared l.c -o libl.so || exit 1
	tally build --quiet $cc -g m.c ./libl.so -o m && ./m || exit 1
	tally print libl.so 2>err | grep -Eq '^ *1 .*t \+= x' || { bad=1; echo "$cc: $(tally print -f libl.so 2>/dev/null | grep '^w ')"; }
	rm -rf tally.out
done
[ $bad = 0 ] || exit 1
