# wrapped.sh - compilers that are told to use other parts than those that tally build offers them, or
# are called by something that clears the environment: they count, or the reason is named.
cat >a.c <<'C'
static int twice(int n)
{
	return n > 3 ? n * 2 : n;
}

int main(void)
{
	int i, s = 0;

	for (i = 0; i < 10; i++)
		s += twice(i);
	return s != 84;
}
C
printf 'int half(int n)\n{\n\tint unused;\n\treturn n / 2;\n}\n' >half.cc
mkdir 'b in'
cat >'b in/as' <<S
#!/bin/sh
echo called >>'$PWD/calls'
exec $(command -v as) "\$@"
S
chmod +x 'b in/as'
counted() { # COMMAND... ; makes prog
	rm -rf prog tally.out calls
	"$@" 2>words || { echo "$*: status $?"; cat words; exit 1; }
	./prog || { echo "$*: another program"; exit 1; }
	tally print >listing 2>err || { echo "$*:"; cat words err; exit 1; }
	grep -q '^ *10 .*s += twice' listing || { echo "$*:"; cat words listing; exit 1; }
	grep -q '^tally: 1 file counted' words || { echo "$*:"; cat words; exit 1; }
}
for cc in gcc clang; do
	for o in -O0 '-O2 -g' '-O1 -pipe' '-O2 -Wa,-I,.'; do
		[ "$cc $o" != 'clang -O2 -Wa,-I,.' ] || continue
		for b in "-B$PWD/b in" '-Bb in/'; do
			# shellcheck disable=SC2086
			counted tally build $cc $o "$b" a.c -o prog
			[ $cc = clang ] || [ -s calls ] # it is the one that was asked for
			counted tally build --counters=check --lines=tables $cc "$b" a.c -o prog
		done
	done
done
printf '*invoke_as:\n%%{!fwpa*:%%{!S:-o %%|.s |\\n %s/b\\\\ in/as %%(asm_options) %%m.s %%A }}\n' "$PWD" >specs
gcc -specs="$PWD/specs" -c a.c 2>err && [ -s calls ] && counted tally build gcc -specs="$PWD/specs" -O1 a.c -o prog
# What it says and leaves is what it is without us.
gcc -B'b in/' -Wall -c half.cc -o plain.o 2>plain
tally build gcc -B'b in/' -Wall -c half.cc -o half.o 2>words
grep -q '1 file counted' words && grep -v ^tally: words | diff plain -
! readelf -S half.o | grep -q debug_line
echo 'int f(void) { return undeclared; }' >bad.c
tally build gcc -B'b in/' -c bad.c 2>words && exit 1
gcc -B'b in/' -c bad.c 2>plain || diff plain words
tally build gcc -B'b in/' -E a.c >expanded 2>words
tally build gcc -B'b in/' -S a.c -o a.s 2>words
! grep -q tally a.s
tally build --verbose gcc -B'b in/' -m32 -c a.c 2>words || true
tally build gcc -B'b in/' -O2 -flto -c a.c 2>words
grep -q -e '-B or -specs selects another assembler, .*b in/as' words

# Parts that are called without the environment.
wrapped() { "$@" -wrapper env,-i -c a.c -o a.o && gcc a.o -o prog; }
counted wrapped tally build gcc -O1
counted wrapped tally build --lines=tables --counters=check gcc -O0
printf 'prog: a.c\n\tenv -i PATH="$$PATH" gcc -O1 a.c -o prog\n' >Makefile
tally build make -B 2>words
./prog
grep -q '1: something has cleared the environment' words || { cat words; exit 1; }
for cc in gcc clang; do
	tally build env -i PATH="$(getconf PATH)" $cc a.c -o prog 2>words
	./prog
	grep -q 'nothing was counted.*cleared environment' words || { cat words; exit 1; }
done
! nm prog | grep -q __tally

# A stand-in that outlives its build is the part itself.
tally build sh -c 'command -v as' >as 2>words
gcc -O1 -S a.c -o a.s
"$(cat as)" a.s -o other.o && as a.s -o plain.o && cmp plain.o other.o
