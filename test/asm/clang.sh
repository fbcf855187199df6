# clang.sh - clang, which we ask to compile again: the files that it leaves are those that it leaves without us, and
# what we do not count is as it would be without us.
cat >a.c <<'C'
#include <stdio.h>
static int twice(int n)
{
	return n > 3 ? n * 2 : n;
}

int main(int argc, char **argv)
{
	int i, s = 0;

	for (i = 0; i < 10; i++)
		s += twice(i);
	printf("%d\n", s);
	(void)argv;
	return argc > 5;
}
C
try() { # OPTIONS... ; the same files and status, counted
	local how with
	for how in plain counted; do
		rm -rf $how
		mkdir -p $how/o $how/tmp
		cp a.c $how
		with=
		[ $how = plain ] || with='tally build'
		status=0
		# shellcheck disable=SC2086
		(cd $how && TMPDIR=$PWD/tmp $with clang "$@" -c a.c -o o/a.o >out 2>words) || status=$?
		[ $status = 0 ] || { echo "clang $*, $how: status $status"; cat $how/words; exit 1; }
		(cd $how && find . ! -name words | LC_ALL=C sort) >$how.files
	done
	diff plain.files counted.files || { echo "clang $*: other files"; exit 1; }
	grep -q '1 file counted' counted/words || { echo "clang $*:"; cat counted/words; exit 1; }
	! grep -q 'line tables' counted/words || { echo "clang $*:"; cat counted/words; exit 1; }
	(cd counted && clang "$@" o/a.o -o prog 2>/dev/null && ./prog >/dev/null && tally print >listing)
	grep -q '^ *10 .*s += twice' counted/listing || { echo "clang $*:"; cat counted/listing; exit 1; }
}
for o in '-g -gsplit-dwarf' -ftime-trace -save-stats -save-stats=obj -fsave-optimization-record -foptimization-record-file=r.yaml \
	--coverage '--serialize-diagnostics d.dia' '-MJ x.json' '-MD -MF a.d' -MMD '-Wp,-MD,d' -save-temps -save-temps=obj \
	-fproc-stat-report=st -fstack-usage -H -Rpass=inline '-O2 -include stdlib.h'; do
	# shellcheck disable=SC2086
	try $o
done
# Options in a file.
printf -- '-DX=1 -ftime-trace --serialize-diagnostics\n"d x.dia"\n' >'o pts'
try -O1 "@$PWD/o pts"
# What is read by others is right, too: gcov's notes fit the object.
cov=$(clang -print-prog-name=llvm-cov)
if command -v "$cov" >/dev/null; then
	for how in plain counted; do
		with=
		[ $how = plain ] || with='tally build --quiet'
		rm -rf $how && mkdir $how && cp a.c $how
		(cd $how && $with clang --coverage -O1 a.c -o a && ./a >/dev/null && "$cov" gcov a.gcda >/dev/null)
	done
	cmp plain/a.c.gcov counted/a.c.gcov
else
	echo '# no llvm-cov'
fi

# Other machines, of the sources of a build that is for ours: C, and assembly.
echo 'int f(int n) { return n > 3 ? n * 2 : n; }' >f.c
echo 'int g(int n) { return n < 3 ? n / 2 : n; }' >g.c
printf '\t.data\nn:\t.long\t3\n' >d.s
printf '#define N 3\n\t.data\nn:\t.long\tN\n' >e.S
mkdir sub
echo 'int h(int n) { return n; }' >sub/f.c
n=0
for t in --target=aarch64-linux-gnu '-target bpf' --target=x86_64-pc-windows-gnu --target=riscv64-linux-gnu \
	--target=armv7-linux-gnueabihf --target=x86_64-unknown-freebsd --target=x86_64-linux-gnux32 -m32 --target=wasm32 \
	--target=arm-none-eabi; do
	for f in f.c d.s e.S; do
		# shellcheck disable=SC2086
		clang $t -O1 -c $f -o plain.o 2>plain.words || continue
		# shellcheck disable=SC2086
		tally build clang $t -O1 -c $f -o counted.o 2>words || { echo "clang $t $f: status $?"; cat words; exit 1; }
		case $t in
		*wasm32 | *none*) ;; # no assembler is called
		*) cmp plain.o counted.o && grep -q 'another machine' words || { echo "clang $t $f:"; cat words; exit 1; } ;;
		esac
		n=$((n + 1))
	done
done
echo "# $n objects for other machines"
[ $n -gt 0 ]
tally build clang --target=aarch64-linux-gnu -c f.c g.c sub/../g.c -MD 2>words && [ -s f.o ] && [ -s g.o ] || { cat words; exit 1; }
tally build --quiet clang --target=aarch64-linux-gnu -g -x c -c - -o piped.o <f.c
[ "$(od -An -tx1 -j18 -N2 piped.o)" = "$(od -An -tx1 -j18 -N2 f.o)" ]

# What our assembler does not take, clang's own does, and so it is without us.
printf 'int f(void)\n{\n\t__asm__(".bundle_align_mode 0\\n\\t.addrsig\\n");\n\treturn 1;\n}\n' >own.c
if clang -c own.c -o plain.o 2>/dev/null; then
	tally build --verbose clang -c own.c -o counted.o 2>words || { cat words; exit 1; }
	cmp plain.o counted.o
fi
printf 'int f(void)\n{\n\t__asm__("bogus");\n\treturn 1;\n}\n' >bad.c
tally build clang -c bad.c 2>words && exit 1
grep -q 'bad.c:3:.*bogus\|invalid instruction mnemonic' words || { cat words; exit 1; }

# A user who asks for another assembler than clang's has that one, also for another machine.
mkdir own
printf '#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\necho object >"$2"\n' >own/as
chmod +x own/as
tally build clang --target=aarch64-linux-gnu -fno-integrated-as -B"$PWD/own" -c f.c -o other.o 2>words
[ "$(cat other.o)" = object ] && grep -q 'another machine' words || { cat words; exit 1; }
COMPILER_PATH=$PWD/own tally build clang --target=aarch64-linux-gnu -fno-integrated-as -c d.s -o d.o 2>words
[ "$(cat d.o)" = object ] || { cat words; exit 1; }

# An assembler that a user's -B names comes after ours.
mkdir 'b in'
ln -s "$(command -v as)" 'b in/as'
tally build clang -B"$PWD/b in" -O1 -c f.c 2>words
grep -q '1 file counted' words || { cat words; exit 1; }
