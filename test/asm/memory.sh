# memory.sh - programs without a C library, built with --runtime=none: their counts out of core files
# and plain dumps of their memory; and whatever those hold, an answer or a clear error.
cat >p.c <<'C'
typedef unsigned long Word;
void exit(int);
extern char begin[] __attribute__((weak)), end[] __attribute__((weak));
static volatile Word sink;
static long sys(long n, long a, long b, long c)
{
	long r;
	__asm__ volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
	return r;
}
__attribute__((noinline)) static Word collatz(Word n)
{
	Word steps = 0; //= 10
	while (n != 1) {
		if (n & 1)
			n = 3 * n + 1;
		else
			n /= 2;
		steps++; //= 349
	}
	return steps; //= 10
}
__attribute__((noinline)) static int fib(int n) { sink++; return n < 2 ? n : fib(n - 1) + fib(n - 2); } //= 177
__attribute__((noinline)) static void work(void)
{
	int i;
	for (i = 0; i < 10; i++)
		sink += collatz(27 + i); //= 10
	exit(0); //= 1
	sink += fib(10); //= 1
}
void exit(int n) { sink++; } // it comes back: names of the C library are the program's own here
void _start(void)
{
	work();
	if (begin)
		sys(1, 1, (long)begin, end - begin);
	if (begin)
		sys(231, 0, 0, 0);
	sys(1, 1, (long)"x", 1);
	for (;;)
		sys(34, 0, 0, 0);
}
C
free='-ffreestanding -nostdlib -fno-stack-protector -w'
# right WHAT OPTIONS... - the counts are those that the text says, and both kinds of counters agree
# but for what was active.
right() {
	local what=$1
	shift
	tally print "$@" >listing 2>err || { echo "$what"; cat err; exit 1; }
	[ "$o" != -O0 ] || doubted=yes answers "$what" p.c "$@"
	grep -q 'functions active then may be off by one' err && grep -q 'several processors' err
	tally print --compare "$@" >compared 2>/dev/null || true
	grep -q ' [1-9][0-9]* blocks compared' compared
	! grep -v '^_start: block\|^sys: block\|blocks compared' compared || { echo "$what"; exit 1; }
}
# core PROGRAM - it does its work and waits; what gdb makes of it.
core() {
	local pid
	rm -f ready "core.$1"
	./"$1" >ready &
	pid=$!
	until [ -s ready ]; do sleep 0.05; done
	gdb -nx -p $pid -batch -ex "generate-core-file core.$1" >gdb.log 2>&1 || true
	[ -z "${2:-}" ] || right "$1 $2" --memory=/proc/$pid/mem --base="$2" "$1"
	kill -9 $pid
	wait $pid 2>/dev/null || true
	[ -s "core.$1" ] || { cat gdb.log; exit 1; }
}
for cc in gcc clang; do for o in -O2 -O0; do
	# shellcheck disable=SC2086
	tally build --quiet --runtime=none --counters=check $cc $o $free -static -fno-pie -no-pie p.c -o fixed
	# shellcheck disable=SC2086
	tally build --quiet --runtime=none --counters=check $cc $o $free -static-pie -fPIE p.c -o moved
	[ ! -e tally.out ]
	! nm fixed | grep -i 'tally\| U ' || { echo 'something of ours is in it'; exit 1; }
	core fixed 0
	right "$cc fixed" --memory=core.fixed fixed
	core moved
	right "$cc moved" --memory=core.moved moved
	cp moved elsewhere # its file has another name now
	right "$cc elsewhere" --memory=core.moved elsewhere
	[ ! -e tally.out ]
done; done

# A linker's script that puts the counters among other things; the program writes its memory itself.
cat >p.ld <<'L'
ENTRY(_start)
SECTIONS
{
	. = 0x10000000;
	begin = .;
	.all : { *(.text .text.*) *(.rodata .rodata.*) *(.data .data.*) *(.bss .bss.*) *(tally_counters) . = ALIGN(8); LONG(0) }
	end = .;
	.tally_map : { *(.tally_map) }
	/DISCARD/ : { *(.note.*) *(.comment) *(.eh_frame) }
}
L
# shellcheck disable=SC2086
tally build --quiet --runtime=none --counters=check gcc -O0 $free -static -fno-pie -no-pie -c p.c
ld --no-warn-rwx-segments -T p.ld p.o -o own
./own >raw
[ "$(stat -c %s raw)" -gt 500 ]
right raw --memory=raw own
right raw --memory=raw --base=0x10000000 own
{ head -c 4096 /dev/zero; cat raw; } >later
right later --memory later --base 0xffff000 own

# Every view, and the kinds of instructions.
for view in -f -s -i -a -b --calls --runs; do tally print --memory=raw $view own >out 2>/dev/null && [ -s out ]; done
tally print --memory=raw --calls own 2>/dev/null | awk 'NR > 1 { print $1, $2, $3 }' >got
printf '%s\n' '176 fib fib' '10 work collatz' '1 work exit' '1 work fib' | diff - <(grep -v ' _start ' got)
tally mix --memory=raw own | grep -q ' 100.00%'
instructions=$(tally print --memory=raw -f --only=fib own 2>/dev/null | awk 'NR > 1 { sub("~", "", $3); print $3 }')
[ "$(tally mix --memory=raw --only=fib own | awk '$1 == "all" { print $2 }')" = "$instructions" ]

# refused PATTERN ARGS... - an error that says what is wrong.
refused() {
	local pattern=$1 status=0
	shift
	tally print -f "$@" >out 2>err || status=$?
	[ $status = 1 ] && grep -q -- "$pattern" err || { echo "$*: status $status, no '$pattern' in:"; cat err; exit 1; }
}
refused 'does not have the code of own' --memory=raw --base=0x10000100 own
refused 'does not have the code of fixed' --memory=raw --base=0x401000 fixed
refused 'raw: does not have the counters of own' --memory=raw --base=0x20000000 own
refused 'does not have the counters of fixed' --memory=core.moved fixed
refused 'does not say where .*libc.*was loaded\|has no map' --memory=core.moved "$(gcc -print-file-name=libc.so.6)"
refused 'p.c: is not a program' --memory=raw p.c
refused 'nowhere' --memory=nowhere own
refused 'expected an address' --memory=raw --base=low own
tally print --memory=raw 2>err && exit 1
grep -q 'needs the PROGRAM' err
head -c 600 core.fixed >short
refused 'short' --memory=short fixed
# Some of the counters are not there: the others are, and it is said.
head -c $(($(stat -c %s raw) - 40)) raw >short
tally print -f --memory=short own >out 2>err
grep -q 'functions are not counted; tally print -f shows why' err && grep -q 'uncounted: its counters are not in short' out
grep -q '^fib  *~177 \|^collatz  *~10 ' out

# Damaged cores.
cat >damage.pl <<'P'
my ($file, $seed) = @ARGV;
srand($seed);
open my $f, '+<', $file or die;
for (0 .. int rand 6) {
	seek $f, int rand($seed % 2 ? 400 : 6000), 0;
	print $f (chr(255), chr(0), chr(int rand 256), "\xff" x 8, "\0" x 8)[rand 5];
}
P
errors=0
for seed in $(seq 150); do
	cp core.moved t
	perl damage.pl t "$seed"
	status=0
	tally print -f --memory=t moved >out 2>err || status=$?
	[ $status -le 1 ] && [ -s err ] || { echo "seed $seed: status $status"; cat err; exit 1; }
	errors=$((errors + status))
done
echo "# 150 damaged cores, $errors refused"
[ $errors -gt 10 ]

# A program with a runtime counts elsewhere; one that found no place for a file, here after all.
cat >q.c <<'C'
#include <unistd.h>
static int n;
__attribute__((noinline)) static void step(void) { n++; }
int main(void) { while (n < 50) step(); write(1, "x", 1); for (;;) pause(); }
C
tally build --quiet gcc -O0 q.c -o counted
core counted
refused 'core.counted: has no counts: counted counts into a profile' --memory=core.counted counted
rm -rf tally.out
TALLY_DIR=/dev/null/nowhere core counted
tally print -f --memory=core.counted counted 2>err | grep -q '^step  *~50 '
grep -q 'some counts are missing: no room' err

# What cannot be.
tally build --runtime=some true 2>err && exit 1
grep -q 'choose none' err
