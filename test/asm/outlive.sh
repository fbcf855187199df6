# outlive.sh - a program that is not counted opens a library that is, makes threads and contexts, and closes it: they go
# on although the code that was called in the place of pthread_create and swapcontext is gone.
cat >plug.c <<'C'
int
twice(int x)
{
	return 2 * x;
}
C
cp "$HERE/more/outlive.c" host.c
tally build --quiet gcc -shared -fPIC plug.c -o libplug.so || exit 1
gcc -w host.c -o host -pthread || exit 1
for how in '' contexts atonce contexts-atonce; do
	for aslr in '' 'setarch -R'; do
		for try in 1 2 3; do
			rm -rf tally.out
			$aslr ./host $how >said 2>&1
			s=$?
			{ [ $s = 0 ] && grep -q '^42$' said; } || { echo "$how $aslr: status $s"; cat said; exit 1; }
			case $how in contexts*) grep -q '^and on$' said || exit 1 ;; esac
			tally print >listing 2>/dev/null
			grep -q '^ *1 .*return 2' listing || { cat listing; exit 1; }
		done
	done
done
exit 0
