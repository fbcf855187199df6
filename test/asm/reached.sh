# reached.sh - functions in whose place the runtime is called are reached in other ways than by a call of their
# name: by pointers in data, by what dlsym and dlvsym find, by functions of the same name in front of
# them; from no-pie code that has their address; in programs whose .dynamic stays as it was linked.

# Every line that ends in //= N must show N, and have no mark; with MARKED in $how, a mark or N.
lines() { # WHAT FILE
	tally print --only="$2" >listing 2>remarks || true
	awk -v how="$how" '!/\/\/= [0-9]+$/ { next } { n++; want = $NF; mark = substr($0, 12, 1) }
		$1 != want && !(how == "MARKED" && mark == "~") { print "line: " $0; bad = 1 }
		mark == "~" && how != "MARKED" { print "marked: " $0; bad = 1 }
		END { exit bad || !n }' listing || { echo "$1:"; cat listing remarks; exit 1; }
	[ "$how" = MARKED ] || ! grep -v 'functions are not counted' remarks || { echo "$1"; exit 1; }
}

cat >jump.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <setjmp.h>
#include <stdio.h>
#if defined TABLE
static void (*const volatile away)(jmp_buf, int) = longjmp;
#elif defined NEXT
#define away ((void (*)(jmp_buf, int))dlsym(RTLD_NEXT, "longjmp"))
#elif defined VERSION
#define away ((void (*)(jmp_buf, int))dlvsym(RTLD_DEFAULT, "longjmp", "GLIBC_2.2.5"))
#elif defined PASSED
static void (*volatile away)(jmp_buf, int);
__attribute__((noinline)) static void pass(void (*f)(jmp_buf, int)) { away = f; }
#else
#define away longjmp
#endif
static jmp_buf buf;
static volatile int sum;
__attribute__((noinline)) static void inner(int x)
{
	sum++; //= 1000
	if (x & 1) //= 1000
		away(buf, 1); //= 500
	sum++; //= 500
}
__attribute__((noinline)) static void middle(int x)
{
	sum++; //= 1000
	inner(x); //= 1000
	sum++; //= 500
}
int main(void)
{
	volatile int i;
#ifdef PASSED
	pass(longjmp);
#endif
	for (i = 0; i < 1000; i++) {
		if (setjmp(buf) == 0) { //= 1000
			middle(i); //= 1000
			sum++; //= 500
		} else {
			sum--; //= 500
		}
	}
	return sum != 3000; //= 1
}
C
try() { # FILE COMPILER... - how it is counted, optimally and redundantly
	local src=$1
	shift
	rm -rf tally.out
	tally build --quiet --counters=check "$@" -w "$src" -o p
	timeout 60 ./p >/dev/null || { echo "$*: status $?"; exit 1; }
	lines "$*" "$src"
	tally print --compare 2>/dev/null | grep -q ', 0 differences$' || { echo "$*"; tally print --compare; exit 1; }
}
how=
for cc in gcc clang; do
	for way in TABLE NEXT VERSION PASSED PLAIN; do
		try jump.c $cc -O1 -D$way
		try jump.c $cc -O1 -D$way -no-pie -fno-pie
	done
	for way in TABLE PLAIN; do
		try jump.c $cc -O1 -D$way -static
		try jump.c $cc -O1 -D$way -static -no-pie -fno-pie
	done
	how=MARKED
	try jump.c $cc -O1 -DPASSED -static
	how=
done
if command -v ld.lld >/dev/null; then
	try jump.c gcc -O1 -DTABLE -fuse-ld=lld -Wl,-z,rodynamic
	try jump.c gcc -O1 -fuse-ld=lld -Wl,-z,rodynamic
fi
if echo 'int main(void) { return 0; }' >e.c && clang -fsanitize=address e.c -o e 2>/dev/null && ./e 2>/dev/null; then
	asan=1 # its runtime is in the program, and has functions of these names
	try jump.c clang -O1 -fsanitize=address
fi

# Pointers to one function are equal wherever they come from, also to those who are not counted.
cat >lib.c <<'C'
#include <setjmp.h>
void (*of(void))(jmp_buf, int) { return longjmp; }
void (*const word)(jmp_buf, int) = longjmp;
C
cat >same.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <setjmp.h>
#include <stdio.h>
typedef void Jump(jmp_buf, int);
Jump *of(void);
extern Jump *const word;
static Jump *volatile own = longjmp;
int main(void)
{
	Jump *f = longjmp;
	printf("%d%d%d%d%d\n", own == f, of() == f, word == f, (Jump *)dlsym(RTLD_DEFAULT, "longjmp") == f, dlsym(RTLD_NEXT, "nothing") == NULL);
	return 0;
}
C
gcc -shared -fPIC -w lib.c -o libl.so
for flags in '-O0' '-O1 -no-pie -fno-pie'; do for counted in no yes; do
	[ $counted = no ] || tally build --quiet gcc -shared -fPIC -w lib.c -o libl.so
	# shellcheck disable=SC2086
	gcc $flags -w same.c -o plain -L. -ll -Wl,-rpath,"$PWD"
	# shellcheck disable=SC2086
	tally build --quiet gcc $flags -w same.c -o same -L. -ll -Wl,-rpath,"$PWD"
	[ "$(./plain)" = "$(./same)" ] && [ "$(./same)" = 11111 ] || { echo "$flags: pointers differ"; ./plain; ./same; exit 1; }
done; done

# dlsym sees who calls: a plugin with a scope of its own finds what is in there.
cat >plugin.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
int hidden(void) { return 42; }
int ask(void) { int (*f)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "hidden"); return f ? f() : 0; }
C
cat >opens.c <<'C'
#include <dlfcn.h>
int main(void)
{
	void *h = dlopen("./plugin.so", RTLD_NOW | RTLD_LOCAL);
	return h && ((int (*)(void))dlsym(h, "ask"))() == 42 ? 0 : 1;
}
C
tally build --quiet gcc -O1 -shared -fPIC -w plugin.c -o plugin.so
tally build --quiet gcc -O1 -w opens.c -o opens
./opens || { echo 'a plugin does not find its own'; exit 1; }

# Threads.
cp "$HERE/more/reached.c" thr.c
for way in TABLE NEXT VERSION WRAPPER CLONE; do for mixed in ALONE MIXED; do
	try thr.c gcc -O1 -D$way -D$mixed -pthread
	try thr.c clang -O1 -D$way -D$mixed -pthread
done; done
try thr.c gcc -O1 -DWRAPPER -pthread -rdynamic
try thr.c gcc -O1 -DTABLE -pthread -static
try thr.c gcc -O1 -DCLONE -pthread -static
if [ -n "${asan:-}" ]; then
	try thr.c clang -O1 -fsanitize=address -pthread
	try thr.c clang -O1 -fsanitize=address -pthread -DMIXED
fi

# Of those that a program makes by itself nothing is known, but that there are some.
how=MARKED
for mixed in ALONE MIXED; do for cc in gcc clang; do
	try thr.c $cc -O1 -DRAW -D$mixed -pthread
	grep -q 'threads or processes shared counters' remarks || { cat remarks; exit 1; }
	! grep -q '^ *[1-9][0-9]*  .*//=' listing || { echo 'no mark:'; cat listing; exit 1; }
done; done

# By a function that is given the number of the call, and while they still run: the runtime finds them itself.
cat >any.c <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <unistd.h>
#define FLAGS (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM)
static volatile long n;
static volatile int stay;
static char stack[1 << 16];
static void *nothing(void *arg) { return arg; }
static void body(void) { n++; while (stay) n++; }
__attribute__((noinline)) static long call(long number, long flags, void *top, void (*f)(void))
{
	register void (*r9)(void) __asm__("r9") = f;
	register long r10 __asm__("r10") = 0, r8 __asm__("r8") = 0;
	__asm__ volatile("syscall\n\ttestq %%rax, %%rax\n\tjne 1f\n\tcall *%%r9\n\tmovl $60, %%eax\n\txorl %%edi, %%edi\n\tsyscall\n1:"
			 : "+a"(number) : "D"(flags), "S"(top), "d"(0l), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
	return number;
}
int main(int argc, char **argv)
{
	pthread_t t;
	stay = argc > 1;
	if (stay) {
		pthread_create(&t, NULL, nothing, NULL);
		pthread_join(t, NULL);
	}
	call(argc < 9 ? 56 : 0, FLAGS, stack + sizeof stack, body);
	while (n == 0)
		usleep(1000);
	return 0;
}
C
tally build --quiet gcc -O1 -w -pthread any.c -o any
for stay in '' stay; do
	rm -rf tally.out
	# shellcheck disable=SC2086
	./any $stay
	tally print 2>&1 >listing | grep -q 'threads or processes shared counters' || { echo "not found: $stay"; cat listing; exit 1; }
done

# And where there are none, none are found; nor is anything in doubt because a library has a thread of its own that was
# there first, as sanitizers have.
cat >bg.c <<'C'
#include <pthread.h>
#include <unistd.h>
static void *rests(void *arg) { for (;;) pause(); return arg; }
__attribute__((constructor)) static void early(void) { pthread_t t; pthread_create(&t, 0, rests, 0); }
C
gcc -O1 -shared -fPIC -pthread bg.c -o libbg.so
how=
try thr.c gcc -O1 -pthread -Wl,--no-as-needed -L. -lbg "-Wl,-rpath,$PWD"
cat >none.c <<'C'
int main(void) { volatile int i; for (i = 0; i < 100000; i++) ; return 0; }
C
tally build --quiet gcc -O1 none.c -o none
tally build --quiet gcc -O1 none.c -o one -Wl,--no-as-needed -L. -lbg "-Wl,-rpath,$PWD"
rm -rf tally.out
for _ in $(seq 50); do ./none; done
./one
tally print 2>remarks >/dev/null && [ ! -s remarks ] || { cat remarks; exit 1; }
