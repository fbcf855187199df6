# debug.sh - wherever debug information is and whatever it looks like, lines have the same counts;
# without any, functions are counted by what symbols there are.
cat >x.c <<'C'
#include <stdio.h>
int even, odd;
__attribute__((noinline)) void
note(int n)
{
	if (n % 2)
		odd++;
	else
		even++;
}
int
main(void)
{
	int i;

	for (i = 0; i < 7; i++)
		note(i);
	printf("%d %d\n", even, odd);
	return 0;
}
C
printf '%s\n' '4 7' '6 7' '7 3' '9 4' '10 7' '12 1' '16 8' '17 7' '18 1' '19 1' >want # the last brace is gcc's alone
tried=
# lines HOW - run ./x; its lines are counted.
lines() {
	rm -rf tally.out
	[ "$(tally run ./x 2>err)" = '4 3' ] && [ ! -s err ] || { echo "$1:"; cat err; exit 1; }
	tally print --table --only=x.c | sed -n 's/^x\.c *\([0-9]*\) *\([0-9]*\): .*/\1 \2/p' | sed '/^20 /d' | diff -u want - || { echo "$1"; exit 1; }
	tried="$tried, $1"
}
# functions HOW - only these can be.
functions() {
	rm -rf tally.out
	[ "$(tally run ${2:+"$2"} ./x 2>err)" = '4 3' ]
	[ -n "${2:-}" ] || grep -q 'has no debug information: function calls are counted instead' err || { echo "$1:"; cat err; exit 1; }
	[ "$(tally print -f 2>/dev/null | awk '$1 == "note" { print $2 }')" = 7 ] || { echo "$1"; tally print -f; exit 1; }
	tried="$tried, $1"
}
for g in -g3 -gdwarf-4 -gdwarf-5 -gz=zlib -gz=zlib-gnu -gz=none '-gdwarf-4 -gsplit-dwarf' '-gdwarf-5 -gsplit-dwarf'; do
	rm -f ./*.dwo
	# shellcheck disable=SC2086
	gcc -g $g -O0 x.c -o x
	lines "gcc $g"
done
rm -f ./*.dwo
cp want names
sed -i 's/^4 /5 /; s/^12 /13 /' want # nobody says where names are: functions begin at their braces
lines 'without its .dwo'
mv names want
for g in -gdwarf-4 -gdwarf-5 -gz; do
	clang -g $g -O0 x.c -o x
	lines "clang $g"
done

# In a file of its own: beside the program, in .debug, and by build id.
gcc -g -O0 x.c -o x
objcopy --only-keep-debug x x.debug
strip --strip-debug x
functions 'stripped' --functions
objcopy --add-gnu-debuglink=x.debug x
lines '.gnu_debuglink'
mkdir .debug && mv x.debug .debug
lines .debug
mv .debug/x.debug .debug/y.debug
cp x.c z.c && echo 'int unused;' >>z.c && gcc -g -O0 -Wl,--build-id=0x1234 z.c -o z && objcopy --only-keep-debug z .debug/x.debug
functions 'that of another program'
mv .debug/y.debug .debug/x.debug
strip x
lines 'stripped of symbols, too'
rm -rf .debug
if [ -w /usr/lib/debug ] || { [ ! -e /usr/lib/debug ] && [ -w /usr/lib ]; }; then
	id=$(od -An -N20 -tx1 /dev/urandom | tr -d ' \n')
	dir=/usr/lib/debug/.build-id/${id:0:2}
	gcc -g -O0 -Wl,--build-id=0x"$id" x.c -o x
	mkdir -p "$dir"
	trap 'rm -f "$dir/${id:2}.debug"; rmdir -p "$dir" 2>/dev/null || true' EXIT
	objcopy --only-keep-debug x "$dir/${id:2}.debug"
	strip x
	lines 'build id'
fi

# Symbols for the dynamic linker alone; a table of symbols that is packed away.
gcc -O0 -rdynamic -s x.c -o x
functions .dynsym
gcc -O0 x.c -o x
nm --format=posix --defined-only x | awk '$2 ~ /[tT]/ { print $1 }' >keep
objcopy -S --keep-symbols=keep x mini
objcopy --only-keep-debug mini
xz mini
strip x
objcopy --add-section .gnu_debugdata=mini.xz x
functions .gnu_debugdata
echo "# ${tried#, }"
