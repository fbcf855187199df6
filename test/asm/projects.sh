# projects.sh - whole builds, unchanged: make -j, configure, CMake with make and ninja, meson,
# ccache, LTO, other linkers, ld -r; libraries and plugins; programs that are installed.
mkdir src && cd src
cat >main.c <<'C'
#include <stdio.h>
#include "lib.h"
#ifdef HAVE_ANSWER
#define ANSWER 1
#else
#define ANSWER 0
#endif
int main(void) { printf("%d %d\n", twice(21), ANSWER); return 0; }
C
printf 'int twice(int);\nint half(int);\n' >lib.h
printf '#include "lib.h"\nint twice(int n) { int s = 0; while (n-- > 0) s += 2; return s; }\n' >lib.c
printf '#include "lib.h"\nint half(int n) { return n > 1 ? 1 + half(n - 2) : 0; }\n' >half.c
cat >asm.S <<'S'
#define NAME never
	.globl NAME
	.type NAME, @function
NAME:	ret
	.section .note.GNU-stack,"",@progbits
S
cat >Makefile <<'M'
CFLAGS = -O2 -ffunction-sections
LDFLAGS = -Wl,--gc-sections
prefix = /usr/local
all: prog shared
prog: main.o liblib.a asm.o
	$(CC) $(LDFLAGS) -o $@ main.o asm.o liblib.a
liblib.a: lib.o half.o
	$(AR) rcs $@ $^
liblib.so: lib.c half.c
	$(CC) $(CFLAGS) -fPIC -shared -o $@ lib.c half.c
shared: main.o liblib.so
	$(CC) -o $@ main.o -L. -llib -Wl,-rpath,'$$ORIGIN'
install: all
	mkdir -p $(DESTDIR)$(prefix)/bin
	install -s prog shared $(DESTDIR)$(prefix)/bin
	install liblib.so $(DESTDIR)$(prefix)/bin
M
cat >configure <<'S'
#!/bin/sh
# As configure does it: does this compile, and what does it print?
CC=${CC:-gcc}
cat >conftest.c <<'C'
int main(void) { return 42; }
C
$CC conftest.c -o conftest && { ./conftest; [ $? = 42 ] && echo '#define HAVE_ANSWER 1' >config.h; }
rm -f conftest conftest.c
sed 's/^CFLAGS = .*/& -include config.h/' Makefile >Makefile.new && mv Makefile.new Makefile
S
chmod +x configure
cat >CMakeLists.txt <<'M'
cmake_minimum_required(VERSION 3.10)
project(prog C ASM)
include(CheckFunctionExists)
check_function_exists(printf HAVE_PRINTF)
add_library(lib STATIC lib.c half.c)
add_library(shlib SHARED lib.c half.c)
add_executable(prog main.c asm.S)
target_link_libraries(prog lib)
add_executable(shared main.c)
target_link_libraries(shared shlib)
M
cat >meson.build <<'M'
project('prog', 'c', default_options: ['buildtype=debugoptimized'])
if meson.get_compiler('c').has_function('printf')
  add_project_arguments('-DHAVE_ANSWER', language: 'c')
endif
l = static_library('lib', 'lib.c', 'half.c')
executable('prog', 'main.c', link_with: l)
s = shared_library('shlib', 'lib.c', 'half.c')
executable('shared', 'main.c', link_with: s)
M
cd ..
here=$PWD
fresh() { cd "$here" && rm -rf w && cp -r src w && cd w || exit 1; }
calls() { tally print -f 2>/dev/null | awk '$1 ~ /^twice/ { s += $2 } END { print s + 0 }'; }
shows() { # WHAT PROGRAM WORDS - it runs, and counts
	local before after
	before=$(calls)
	[ "$("$2")" = "$3" ] || { echo "$1: $2 says $("$2")"; exit 1; }
	after=$(calls)
	[ $((after - before)) = 1 ] || { echo "$1: $2: twice called $((after - before)) times"; ls -l tally.out; cat log; exit 1; }
}
nothing() { # WHAT FILES... - nothing else was left
	local what=$1
	shift
	find . -name '*.tally' -not -path './tally.out/*' | grep . && { echo "$what: profiles in odd places"; exit 1; }
	! find tally.out -name 'conftest*' -o -name 'cmTC*' | grep -q . || { echo "$what: trials of the configuration left profiles"; exit 1; }
}

fresh
mkdir tally.out # so that calls() finds it
tally build make -j4 >log 2>&1
grep -q '^tally: .* files counted, 0 passed through' log || { cat log; exit 1; }
shows make ./prog '42 0'
shows make ./shared '42 0'
make -s DESTDIR="$PWD/root" install >>log 2>&1
mv root elsewhere
shows installed elsewhere/usr/local/bin/prog '42 0'
shows installed elsewhere/usr/local/bin/shared '42 0'
# Objects linked later by a plain compiler; partly counted programs; one relocatable object.
gcc -O2 -c half.c -o half.o
gcc main.o lib.o half.o asm.o -o later
shows later ./later '42 0'
ld -r main.o lib.o -o both.o && gcc both.o half.o asm.o -o partial
shows 'ld -r' ./partial '42 0'
for ld in gold lld; do
	tally build gcc -fuse-ld=$ld -Wl,--gc-sections main.o lib.o half.o asm.o -o with.$ld 2>log || { cat log; exit 1; }
	shows $ld ./with.$ld '42 0'
	gcc -fuse-ld=$ld main.o -o so.$ld -L. -llib -Wl,-rpath,"$PWD"
	shows "$ld, shared" ./so.$ld '42 0'
done
gcc -static main.o lib.o half.o asm.o -o static
shows static ./static '42 0'
nothing make

fresh
mkdir tally.out
tally build sh -c './configure && make -j2' >log 2>&1 || { cat log; exit 1; }
shows configure ./prog '42 1'
nothing configure

for how in 'Unix Makefiles' Ninja; do
	fresh
	mkdir tally.out
	{ tally build cmake -G "$how" -DCMAKE_BUILD_TYPE=Release -S . -B b && tally build cmake --build b; } >log 2>&1 || { cat log; exit 1; }
	shows "cmake, $how" b/prog '42 0'
	shows "cmake, $how" b/shared '42 0'
	nothing "cmake, $how"
	# Configured without us, built with us.
	fresh
	mkdir tally.out
	{ cmake -G "$how" -S . -B b && tally build cmake --build b; } >log 2>&1 || { cat log; exit 1; }
	shows "cmake, $how, later" b/prog '42 0'
done

fresh
mkdir tally.out
{ tally build meson setup b && tally build ninja -C b; } >log 2>&1 || { cat log; exit 1; }
shows meson b/prog '42 1'
shows meson b/shared '42 1'
nothing meson

# ccache: what was made without us, with other options or for another directory is not
# taken for what we make; what was is.
export CCACHE_DIR=$here/cache
fresh
mkdir tally.out
ccache gcc -O2 -c lib.c -o lib.o
gcc -O2 -c main.c -o main.o
for i in 1 2; do
	rm -f lib.o
	tally build ccache gcc -O2 -c lib.c -o lib.o 2>log
	gcc main.o lib.o -o prog
	shows "ccache, $i" ./prog '42 0'
done
grep -q 'nothing was counted' log # the second came from the cache
tally build --counters=check ccache gcc -O2 -c lib.c -o lib.o 2>log
grep -q '1 file counted' log
ccache gcc -O2 -c lib.c -o lib.o
! nm lib.o | grep -q tally

# LTO, in one step and in two, with a library.
fresh
mkdir tally.out
tally build gcc -O2 -flto -fno-inline main.c lib.c half.c -o prog 2>log
shows 'lto' ./prog '42 0'
tally build gcc -O2 -flto -fno-inline -c main.c lib.c half.c 2>log
gcc-ar rcs l.a lib.o half.o
tally build gcc -O2 -flto -fno-inline main.o l.a -o two 2>log
grep -q '1 file counted' log
[ "$(./two)" = '42 0' ]
tally print -f two 2>/dev/null | grep -q '^twice.* 1 '
tally print two 2>/dev/null | grep -q '^ *1 .*int main'
tally build clang -O2 -flto main.c lib.c half.c -o cl -fuse-ld=lld 2>log || echo '# clang -flto does not link here'
! [ -e cl ] || { [ "$(./cl)" = '42 0' ] && grep -q 'nothing was counted' log; }
