# lcomp.sh - lcomp, lcc, bb and lprint as commands: what they take, make, leave and remove.
profiles() { find tally.out -name '*.tally' | wc -l; }
calls() { lprint -f "$@" 2>/dev/null | sed -n "s/.*ie \([0-9]*\)calls .* $f\$/\1/p"; }
mkdir 'a b' && cd 'a b'

# Everything at once: C, Fortran, assembly, an object and a library that are not counted.
cat >main.c <<'C'
int subr(int), square_(int *), four(void), upper(void), lib(void), arch(void);
int main(void) { int n = 5; return subr(2) + square_(&n) + four() + upper() + lib() + arch() != 46; }
C
echo 'int subr(int n) { return 2 * n; }' >'su br.c'
printf '      integer function square(n)\n      integer n\n      square = n * n\n      if (n .lt. 0) print *, n\n      end\n' >sq.f
printf '\t.globl\tfour\n\t.type\tfour, @function\nfour:\tmovl\t$4, %%eax\n\tret\n\t.section\t.note.GNU-stack,"",@progbits\n' >four.s
printf '#define N 5\n\t.globl\tupper\n\t.type\tupper, @function\nupper:\tmovl\t$N, %%eax\n\tret\n\t.section\t.note.GNU-stack,"",@progbits\n' >upper.S
echo 'int lib(void) { return 6; }' >lib.c
echo 'int arch(void) { return 2; }' >arch.c
gcc -c lib.c arch.c && ar rc libarch.a arch.o && rm arch.o
touch before err made order
ls >before
lcomp main.c 'su br.c' sq.f four.s upper.S lib.o libarch.a 2>err || { cat err; exit 1; }
[ ! -s err ] || { cat err; exit 1; }
ls | diff before - >made || true
is 'what it makes' "$(sed -n 's/^> //p' made | tr '\n' ' ')" 'a.out '
./a.out
for f in main subr square_ four upper; do is "calls of $f" "$(calls)" 1; done
for f in lib arch; do is "calls of $f" "$(calls)" ''; done
is 'files, the last used first' "$(lprint -s | sed 's,.*/,,' | tr '\n' ' ')" 'upper.S four.s sq.f su br.c main.c '
lprint | grep '^/.*:$' | sed 's,.*/,,' | tr '\n' ' ' >order
is 'and in the listing' "$(cat order)" 'upper.S: four.s: sq.f: su br.c: main.c: '
lprint -a | sed -n 's/^\([a-zA-Z. ]*\): [0-9]*$/\1/p' | uniq | tr '\n' ' ' >order
is 'and in the instructions' "$(cat order)" 'upper.S four.s sq.f su br.c main.c '

# The same, compiled one by one; the Fortran library comes along with the object.
lcc main.c
lcc 'su br.c' sq.f
lcc -O2 four.s upper.S
for o in main sq 'su br' four upper; do [ -e "$o.o" ]; done
lcomp -o xxx main.o 'su br.o' sq.o four.o upper.o lib.o -L. -larch
rm ./*.o
./xxx
for f in main subr square_ four upper; do is "calls of $f" "$(calls xxx)" 1; done
is 'what a.out counted is still there' "$(f=main calls a.out)" 1

# Old counts go away, of that program; also those of processes that were killed, not of one
# that runs; and nothing else in the directory.
cat >w.c <<'C'
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
void work(void) {}
int main(int argc, char **argv)
{
	work();
	if (argc > 1) { puts("ready"); fflush(stdout); pause(); }
	return 0;
}
C
f=work
rm -rf tally.out
lcomp w.c -o other && ./other
lcomp w.c && ./a.out && ./a.out
mkfifo from
./a.out x >from & read -r _ <from; kill -9 $!; wait $! 2>/dev/null || true
./a.out x >from & read -r _ <from
is 'calls of a.out' "$(calls a.out)" 4
echo 'not a profile' >tally.out/a.out-1.tally
echo 'a note' >tally.out/note
lcomp w.c
is 'calls of a.out that still runs' "$(calls tally.out/a.out.*.tally)" 1
is 'files' "$(ls tally.out | sed 's/\.[0-9]*\.tally$/.PID/; s/-[0-9a-f]\{8,\}\./-HASH./' | tr '\n' ' ')" 'a.out-1.tally a.out.PID note other-HASH.tally '
rm tally.out/a.out-1.tally
is 'calls of the other' "$(calls other)" 1
kill $! && { wait $! 2>/dev/null || true; }
lcomp w.c
./a.out
is 'calls since' "$(calls a.out)" 1

# What fails leaves counts alone, and says what the compiler says.
echo 'int main(void) { return nothing; }' >bad.c
status=0
lcomp bad.c 2>err || status=$?
is 'status of an error' $status 1
grep -q "bad.c:1:.*nothing" err
is 'calls after that' "$(calls a.out)" 1
lcomp 2>err && exit 1
grep -q 'no file is given' err

# $CC with options; no link.
CC='gcc -DX=3' lcomp -DY=4 -c w.c
[ -e w.o ]
echo 'int main(void) { return X + Y - 7; }' >xy.c
CC='gcc -DX=3' lcomp -DY=4 xy.c -o xy && ./xy
f=main; is 'calls of xy' "$(calls xy)" 1

# cc -L, as in the manual.
mkdir bin
sed -n '/^#!\/bin\/sh$/,/^\.Ed$/p' "$ROOT/doc/man/lcomp.1" | sed '$d; s/\\e/\\/g' >bin/cc
chmod +x bin/cc
(
	PATH=$PWD/bin:$PATH
	cc -L main.c 'su br.c' -c
	gcc -c -x assembler four.s -o four.o && gcc -c upper.S && lcc sq.f
	cc -L main.o 'su br.o' sq.o four.o upper.o lib.c libarch.a -lgfortran -o xxx
	cc -c lib.c
)
./xxx
f=subr; is 'calls after cc -L' "$(calls xxx)" 1
f=lib; is 'of the library' "$(calls xxx)" 1
f=four; is 'of what was not' "$(calls xxx)" ''
! nm lib.o | grep -q tally

# bb: counted assembly by way of any assembler; and X.sL.
cat >x.c <<'C'
#include <stdio.h>
int odd(int n) { return n & 1; }
int main(void)
{
	int i, n = 0;
	for (i = 0; i < 10; i++)
		if (odd(i))
			n++;
	printf("%d\n", n);
	return 0;
}
C
gcc -S -g -O1 -fno-inline x.c -o 'x 1.s'
bb 'x 1.s' >y.s
gcc y.s -o y
is 'what it prints' "$(./y)" 5
f=odd; is 'calls by bb' "$(calls y)" 10
lprint y | grep -q '^5		*n++;$\|^10		*n++;$' # at -O1 it may be an addition
# The instructions of X.sL are those of X.s, in order; their blocks are numbered from 1 on.
sed -n 's/^\([0-9]*\)	\(.*\)/\2/p' 'x 1.sL' >got
sed -n '/^	\.section	\.debug/,$d; s/^	\([a-z].*\)/\1/p' 'x 1.s' | diff - got
is 'blocks' "$(sed -n 's/^\([0-9]*\)	.*/\1/p' 'x 1.sL' | uniq | tr '\n' ' ')" "$(seq -s ' ' "$(lprint -s y | sed 's/.*bbe \(.*\)bb .*/\1/')") "
is 'functions' "$(grep '^[a-z]*:$' 'x 1.sL' | tr '\n' ' ')" 'odd: main: '
for n in 2 6 7 9; do grep -qx "x.c: $n" 'x 1.sL'; done
! grep -qv '^[a-z]*:$\|^x\.c: [0-9]*$\|^[0-9]*	[a-z]' 'x 1.sL'
# lprint -a has the same lines, with counts.
diff <(lprint -a y | sed 's/	.*/	/; s/^[0-9]*	/I/') <(grep -v '^[a-z]*:$' 'x 1.sL' | sed 's/	.*/	/; s/^[0-9]*	/I/')
# Standard input; without line numbers the assembly is the source.
gcc -S x.c
ls >before
bb <x.s >z.s
bb - <x.s | cmp - z.s
ls | diff before - | grep '^>' >made || true
is 'what it leaves' "$(cat made)" '> z.s'
as z.s -o z.o && gcc z.o -o z && ./z >/dev/null
bb x.s >z.s && gcc z.s -o z && ./z >/dev/null
lprint z | grep -q '^10		*pushq	%rbp$'
# What cannot be counted.
printf '\tnonsense\n' >n.s
bb n.s >out 2>err && exit 1
grep -q 'no such instruction' err && grep -q 'n.s: cannot be counted' err && [ ! -s out ] && [ ! -e n.sL ]
bb nowhere.s 2>err && exit 1
grep -q 'nowhere.s: No such file' err
status=0; bb -z 2>err || status=$?
is 'a wrong option' $status 2

# lprint -c: what is left of processes that were killed is added up, and nothing changes.
rm -rf tally.out
lcomp w.c && lcomp w.c -o other && ./other && ./a.out
for p in a.out other a.out; do ./$p x >from & read -r _ <from; kill -9 $!; wait $! 2>/dev/null || true; mv tally.out/$p.*.tally kept-$p-$RANDOM; done
for k in kept-*; do mv "$k" "tally.out/${k%-*}.1$RANDOM.tally"; done # or the next run of the program adds it up
./a.out x >from & read -r _ <from
is 'profiles' "$(profiles)" 6
for view in '' -i -a -f -s; do lprint $view 2>/dev/null; done >was
lprint -c >out
[ ! -s out ]
is 'profiles, two for each program, for killed and others, and one that runs' "$(profiles)" 5
for view in '' -i -a -f -s; do lprint $view 2>/dev/null; done | diff was -
lprint -c -s 2>/dev/null | diff - <(lprint -s 2>/dev/null)
f=work; is 'calls' "$(calls a.out)" 4
kill $! && { wait $! 2>/dev/null || true; }
# A damaged one is left, and said; so is one that is none.
head -c 2000 "$(find tally.out -name 'other-*' | head -n 1)" >tally.out/bad.1.tally
printf '\1\0\0\0' | dd of=tally.out/bad.1.tally bs=1 seek=1024 conv=notrunc 2>/dev/null
printf '\0\0\0\0' | dd of=tally.out/bad.1.tally bs=1 seek=8 conv=notrunc 2>/dev/null
echo nothing >tally.out/none.tally
status=0
lprint -c 2>err || status=$?
is 'status' $status 1
grep -q '2 files could not be added up' err || { cat err; exit 1; }
[ -e tally.out/bad.1.tally ] && [ -e tally.out/none.tally ]
rm tally.out/bad.1.tally tally.out/none.tally
f=work; is 'calls' "$(calls a.out)" 4

# Only what was executed is listed; without a record of the order, the program's, inverse.
for k in 1 2 3; do echo "void f$k(void) {}" >f$k.c; done
echo 'void f1(void), f2(void), f3(void); int main(void) { f3(); f1(); return 0; }' >m.c
rm -rf tally.out
lcomp m.c f1.c f2.c f3.c && ./a.out
is 'by use' "$(lprint -s | sed 's,.*/,,' | tr '\n' ' ')" 'f1.c f3.c m.c '
! lprint | grep -q 'f2.c:'
tally build --quiet gcc m.c f1.c f2.c f3.c
rm -rf tally.out && ./a.out
is 'by place' "$(lprint -s | sed 's,.*/,,' | tr '\n' ' ')" 'f3.c f1.c m.c '

for wrong in -x '-a -s' '-i -f' --nothing; do
	status=0
	# shellcheck disable=SC2086
	lprint $wrong 2>/dev/null || status=$?
	is "lprint $wrong" $status 2
done
cd .. && rm -rf tally.out
status=0
lprint 2>err || status=$?
is 'without profiles' $status 1
