# zprof.sh - the library: threads, exits, appending, old dialects, targets without a system.

# total FILE:LINE - of all blocks there, in zprof.out.
total() { awk -v at="$1:" '$1 == at { n += $2 } END { print n + 0 }' zprof.out; }

# is WANTED FILE:LINE
is() { [ "$(total "$2")" = "$1" ] || { echo "$2: $(total "$2"), not $1"; cat zprof.out; exit 1; }; }

lib=$BUILD/libzprof.a

# Threads, of which some are alive at the end, one has not counted yet, and one counts when its
# destructors run.  In C11, and in an older dialect with POSIX's threads.
cat >threads.c <<'C'
#include <pthread.h>
#include <stdlib.h>

static pthread_key_t key;
static pthread_barrier_t counted;

static int step(int i) { return i + 1; }
static void last(void *p) { step(*(int *)p); }

static void *
work(void *arg)
{
	int i, n = *(int *)arg;

	pthread_setspecific(key, arg);
	for (i = 0; i < 100000; i++)
		n = step(n);
	if (*(int *)arg >= 6) {
		pthread_barrier_wait(&counted);
		for (;;)
			;
	}
	return NULL;
}

int
main(void)
{
	static int n[8] = {0, 1, 2, 3, 4, 5, 6, 7};
	pthread_t t[8];
	int i;

	pthread_barrier_init(&counted, NULL, 3);
	pthread_key_create(&key, last);
	for (i = 0; i < 8; i++)
		pthread_create(&t[i], NULL, work, &n[i]);
	for (i = 0; i < 6; i++)
		pthread_join(t[i], NULL);
	pthread_barrier_wait(&counted);
	exit(0);
}
C
for std in c11 gnu99 c89; do for cc in gcc clang; do
	zprof -std=$std --cpp="$cc -E -C" -D_GNU_SOURCE threads.c -o new.c
	$cc -std=$std -O1 -pthread new.c -o threads "$lib"
	rm -f zprof.out
	timeout 60 ./threads
	is 800006 threads.c:7 # the function
	is 6 threads.c:8
	is 800000 threads.c:17
done; done

# The same with <threads.h>.
cat >c11.c <<'C'
#include <threads.h>

static int
work(void *p)
{
	for (int i = 0; i < 50000; i++)
		*(int *)p += i & 1 ? 1 : 0;
	return 0;
}

int
main(void)
{
	thrd_t t[4];
	int n[4] = {0};

	for (int i = 0; i < 4; i++)
		thrd_create(&t[i], work, &n[i]);
	for (int i = 0; i < 4; i++)
		thrd_join(t[i], NULL);
	return 0;
}
C
zprof c11.c -o new.c
gcc -O2 new.c -o c11 "$lib"
rm -f zprof.out
./c11
[ "$(grep -c '^c11.c:7: ' zprof.out)" = 3 ]
is 400000 c11.c:7

# What runs while the program exits is counted; the order of lines is that of the text; a second
# run appends, and so do two files of one program.
cat >exits.c <<'C'
#include <stdlib.h>
int other(int);
static void early(void) { other(1); }
static void late(void) { other(2); }
int main(int argc, char **argv)
{
	(void)argv;
	atexit(late);
	if (argc > 1) exit(other(3));
	return other(0);
}
extern void before(void (*)(void));
__attribute__((constructor)) static void begin(void) { before(early); }
C
cat >other.c <<'C'
int other(int n)
{
	return n < 2 ? 0 : 1;
}
C
echo '#include <stdlib.h>
void before(void (*f)(void)) { atexit(f); }' >plain.c
zprof exits.c -o new1.c
zprof other.c -o new2.c
gcc -Wall -Wextra -Werror new1.c new2.c plain.c -o exits "$lib"
rm -f zprof.out
./exits
is 1 exits.c:3
is 1 exits.c:4
is 6 other.c:3
sed -n 's/^exits.c:\([0-9]*\): .*/\1/p' zprof.out >order
sort -nc order
status=0
./exits again || status=$?
[ $status = 1 ]
is 12 other.c:3
is 1 exits.c:10
rm -f zprof.out
mkdir zprof.out
./exits 2>err
grep -q '^zprof.out: ' err
rmdir zprof.out

# Many at once: no line is torn.
cat >many.c <<'C'
int main(int argc, char **argv)
{
	(void)argv;
C
perl -e 'print "\tif (argc > $_) argc += 0;\n" for 1 .. 400' >>many.c
printf '\treturn 0;\n}\n' >>many.c
zprof many.c -o new.c
gcc new.c -o many "$lib"
for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do ./many & done
wait
[ "$(wc -l <zprof.out)" = $((12 * 801)) ]
[ "$(sort zprof.out | uniq -c | awk '$1 % 12' | wc -l)" = 0 ]

# The library and what zprof writes are C of any year.
for std in c89 c99 c11 c17 gnu2x; do for cc in gcc clang; do for only in '' -DZPROF_ONE_THREAD -DZPROF_FREESTANDING; do
	# shellcheck disable=SC2086
	$cc -std=$std -pedantic-errors -Wall -Wextra -Werror $only -c "$ROOT/src/zprof/zprof.c" -o lib.o
done; done; done
cat >old.c <<'C'
extern int printf(const char *, ...);
static int f(n) int n; { return n ? f(n - 1) : 0; }
int main(void) { printf("%d\n", f(9)); return 0; }
C
zprof -std=c89 -P old.c -o new.c
for only in '' -DZPROF_ONE_THREAD; do
	# shellcheck disable=SC2086
	gcc -std=c89 -pedantic-errors -Wall -Wextra -Werror $only new.c "$ROOT/src/zprof/zprof.c" -o old
	rm -f zprof.out
	./old
	is 20 old.c:2
done

# Without a system: no library, no exit; the program asks.
cat >free.c <<'C'
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int run(void) { return fib(10); }
C
cat >start.c <<'C'
#include "zprof.h"
int run(void);
static long
call(long n, long a, long b, long c)
{
	long r;
#ifdef __x86_64__
	__asm__ volatile("syscall" : "=a"(r) : "0"(n), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
#else
	__asm__ volatile("int $0x80" : "=a"(r) : "0"(n == 1 ? 4 : 1), "b"(a), "c"(b), "d"(c) : "memory");
#endif
	return r;
}
static void
show(const char *file, unsigned line, _BBCount count)
{
	char s[16];
	unsigned n = (unsigned)count, k = 16;
	(void)file;
	s[--k] = '\n';
	do s[--k] = (char)('0' + n % 10); while ((n /= 10) > 0);
	s[--k] = ' ';
	s[--k] = (char)('0' + line);
	call(1, 1, (long)(s + k), (long)(16 - k));
}
__attribute__((used, force_align_arg_pointer)) static void
begin(void)
{
	run();
	_bbProfEach(show);
	call(60, 0, 0, 0);
}
__asm__(".globl _start\n_start: call begin");
C
zprof -P free.c -o new.c
for m in -m64 -m32; do for std in c89 c11; do
	gcc $m -std=gnu${std#c} -O1 -ffreestanding -nostdlib -fno-pic -no-pie -static -fno-stack-protector -DZPROF_FREESTANDING \
		-I"$ROOT/src/zprof" new.c start.c "$ROOT/src/zprof/zprof.c" -o free
	status=0
	./free >got || status=$?
	[ $status != 126 ] || continue # such programs do not run here
	printf '1 177\n1 89\n1 88\n2 1\n' | diff - got
done; done
echo '# threads, exits, append, C89, freestanding'
