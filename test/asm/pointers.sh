# pointers.sh - --counters=...,calls: whom functions call through pointers, as callgrind has it for the
# build without counters; in threads, children, chapters, libraries; and when a process dies in between.
# tally-test:slow
cat >p.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define FN __attribute__((noinline, noclone)) static
typedef int Op(int);
struct node { Op *op; struct node *next; };
static volatile int sink;
FN int one(int x) { sink++; return x + 1; }
FN int two(int x) { sink++; return x + 2; }
FN int three(int x) { sink++; return x + 3; }
static Op *const table[] = {one, two, three, one};
static Op *volatile global = two;
FN int apply(Op *op, int x) { sink++; return op(x); }        /* a jump, at -O2 */
FN int twice(Op *op, int x) { sink++; return op(op(x)); }
FN int indirect(int x) { sink++; return global(x); }
FN int walk(struct node *n, int x) { for (; n; n = n->next) x = n->op(x); return x; }
FN int compare(const void *a, const void *b) { sink++; return *(const int *)a - *(const int *)b; }
FN int reverse(const void *a, const void *b) { sink++; return *(const int *)b - *(const int *)a; }
FN void sort(int *a, int n, int (*by)(const void *, const void *))
{
	int i, j, t;
	for (i = 1; i < n; i++)
		for (j = i; j > 0 && by(&a[j - 1], &a[j]) > 0; j--)
			t = a[j], a[j] = a[j - 1], a[j - 1] = t;
}
FN int depth(int n, int (*self)(int, void *)) { sink++; return n ? self(n - 1, (void *)self) : 0; }
FN int many(int a, int b, int c, int d, int e, int f, double g, int h) { sink++; return a + b + c + d + e + f + (int)g + h; }
FN int mixed(int x, int (*op)(int, int, int, int, int, int, double, int)) { return op(x, 1, 2, 3, 4, 5, 6.5, 7); }
FN int chosen(int x) /* a table of jumps, and a pointer */
{
	switch (x % 9) {
	case 0: return one(x);
	case 1: sink += 3; break;
	case 2: return two(x);
	case 3: sink += 7; break;
	case 4: return global(x);
	case 5: sink += 11; break;
	case 6: return three(x);
	case 7: sink += 9; break;
	}
	return x;
}
int main(int argc, char **argv)
{
	int i, a[30];
	struct node n[3] = {{one, &n[1]}, {two, &n[2]}, {three, NULL}};
	for (i = 0; i < 30; i++)
		a[i] = i * 7 % 30;
	sort(a, 30, compare);
	sort(a, 30, reverse);
	for (i = 0; i < 100; i++) {
		global = i % 5 ? three : one;
		sink += table[i % 4](i) + apply(table[i % 3], i) + twice(i % 2 ? one : two, i) + indirect(i);
		sink += walk(&n[i % 3], i) + mixed(i, many) + chosen(i);
	}
	sink += depth(5, (int (*)(int, void *))(void *)depth);
	printf("%d %d\n", sink, a[3]);
	return 0;
}
C
cat >p.cc <<'C'
#include <cstdio>
#include <functional>
static volatile int sink;
struct Shape { virtual ~Shape() {} virtual int area(int n) const = 0; virtual int twice(int n) const { return 2 * area(n); } };
struct Square : Shape { int area(int n) const override { sink++; return n * n; } };
struct Flat : Shape { int area(int) const override { sink++; return 0; } int twice(int) const override { sink++; return 0; } };
struct Thrower : Shape { int area(int n) const override { sink++; if (n % 7 == 0) throw n; return n; } };
__attribute__((noinline)) static int sum(const Shape *s, int n)
{
	int t = 0;
	for (int i = 0; i < n; i++)
		try { t += s->area(i) + s->twice(i); } catch (int k) { t += k; }
	return t;
}
int main()
{
	Square a; Flat b; Thrower c;
	const Shape *s[] = {&a, &b, &c, &a};
	int t = 0, (Shape::*m)(int) const = &Shape::twice;
	for (int i = 0; i < 8; i++)
		t += sum(s[i % 4], 10 + i);
	t += (a.*m)(5) + (s[t % 2]->*m)(6);
	Shape *made = t % 2 ? (Shape *)new Square : new Flat;
	t += made->area(3);
	delete made;
	std::printf("%d\n", t);
}
C
ours() { # PROGRAM FILE - pairs of callers and callees, those outside of the program as `elsewhere'
	tally print -f --mangled "$1" 2>/dev/null | awk 'NR > 1 { print $1 }' >functions
	tally print --calls --mangled "$1" 2>remarks |
		awk 'NR == FNR { own[$1]; next } FNR > 1 { n[$2 " " ($3 in own || $3 == "*" ? $3 : "elsewhere")] += $1 }
			END { for (p in n) print p, n[p] }' functions - | LC_ALL=C sort >"$2"
}
theirs() { # PROGRAM FILE - as callgrind has them; of the names of a constructor one will do
	valgrind --tool=callgrind --demangle=no --callgrind-out-file=callgrind.out ./"$1" >/dev/null 2>&1 || true
	"$ROOT/test/callpairs" "$1" callgrind.out | sed 's/\([CD]\)1Ev/\12Ev/g' | awk 'NR == FNR { own[$1]; next } $1 in own' functions - | LC_ALL=C sort >"$2"
}
n=0
for cc in gcc clang; do for o in -O0 -O1 -O2 '-O2 -fcf-protection' '-O2 -fno-pie -no-pie' '-O2 -fno-plt -fno-omit-frame-pointer'; do for src in p.c p.cc; do
	base=$cc
	[ $src = p.c ] || base=${cc/gcc/g}++
	counted=$base
	[ $cc = gcc ] || base="$base -fno-integrated-as"
	# shellcheck disable=SC2086
	$base $o -w $src -o plain -Wl,-z,now
	rm -rf tally.out
	# shellcheck disable=SC2086
	tally build --quiet --lines=tables --counters=check,calls $counted $o -w $src -o counted -Wl,-z,now
	./plain >want
	./counted | cmp - want
	exact "$cc $o $src"
	ours counted got
	theirs plain want
	if [ $src = p.c ]; then
		# What a function with a table of jumps calls by a jump is in its own line.
		sed -i '/^chosen [*]/d' got
		sed -i '/^chosen elsewhere/d' want
		[ "$o" != -O0 ] || ! grep -v '^chosen' got | grep '[*]' || { echo "$cc $o $src"; exit 1; }
		case $o in -O0) ;; *) sed -i '/^chosen/d' got want ;; esac
	else
		sed -i '/elsewhere\|_Unwind\|__cxa\|__clang_call/d' got want # the C++ library calls back
	fi
	diff want got || { echo "$cc $o $src"; cat remarks; exit 1; }
	[ ! -s remarks ] || { echo "$cc $o $src:"; cat remarks; exit 1; }
	n=$((n + $(wc -l <got)))
done; done; done
echo "# $n pairs as in callgrind"
[ $n -gt 300 ]

# pairs WANT... - `N CALLER CALLEE' lines that must be there, and nothing is in doubt.
pairs() {
	tally print --calls >table 2>remarks || true
	awk 'NR > 1 { print $1, $2, $3 }' table >got
	local want
	for want; do
		grep -qxF "$want" got || { echo "no $want in:"; cat table remarks; exit 1; }
	done
	! grep 'recorded\|unloaded' remarks || exit 1
}
# Threads share the table; a child has its own; runs add up; chapters are kept apart; a kill loses nothing.
cat >t.c <<'C'
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <tally.h>
#include <unistd.h>
typedef void Step(void);
static __thread int n;
static void a(void) { n++; }
static void b(void) { n += 2; }
static Step *volatile step[] = {a, b};
static void loop(int k) { for (int i = 0; i < k; i++) step[i % 2](); }
static void *thread(void *arg) { loop(100000); return arg; }
int main(int argc, char **argv)
{
	int how = argc > 1 ? atoi(argv[1]) : 0, i;
	pthread_t t[4];
	if (how == 0) {
		for (i = 0; i < 4; i++) pthread_create(&t[i], NULL, thread, NULL);
		loop(50000);
		for (i = 0; i < 4; i++) pthread_join(t[i], NULL);
	}
	if (how == 1) { loop(10); if (fork() == 0) { loop(1000); exit(0); } wait(NULL); loop(7); }
	if (how == 2) { loop(10); tally_label("second"); loop(101); tally_snapshot("snap.tally"); tally_label("third"); loop(1001); tally_reset(); loop(10001); }
	if (how == 4) { loop(10); if (fork() == 0) { tally_label("child"); loop(1000); exit(0); } wait(NULL); }
	if (how == 3) { loop(31); kill(getpid(), SIGKILL); }
	return 0;
}
C
for cc in gcc clang; do for o in -O0 '-O2 -fno-inline' '-O2 -fno-inline -static'; do
	# shellcheck disable=SC2086
	tally build --quiet --counters=edges,calls $cc $o -w -pthread -I"$ROOT/include" t.c -o t 2>/dev/null
	rm -rf tally.out && ./t 0 && ./t 0
	pairs '450000 loop a' '450000 loop b'
	rm -rf tally.out && ./t 1
	pairs '509 loop a' '508 loop b'
	rm -rf tally.out
	{ ./t 3 || true; } 2>/dev/null
	pairs '16 loop a' '15 loop b'
	{ ./t 3 || true; } 2>/dev/null
	./t 1
	pairs '541 loop a' '538 loop b'
	rm -rf tally.out && ./t 4
	[ "$(for f in tally.out/*.tally; do tally print --calls "$f" 2>/dev/null | awk '$3 == "a" { print $1 }'; done | sort -n | tr '\n' ' ')" = '5 500 ' ]
	pairs '505 loop a'
	rm -rf tally.out && ./t 2
	pairs "$((5 + 51 + 5001)) loop a" "$((5 + 50 + 5000)) loop b"
	for f in tally.out/*.tally snap.tally; do tally print --calls "$f" 2>/dev/null | awk '$3 == "a" { print $1 }'; done | sort -n | tr '\n' ' ' >got
	[ "$(cat got)" = '5 51 51 5001 ' ] || { cat got; exit 1; }
done; done

# Functions of libraries, counted or not, by pointers of all kinds; those that stand in for exit and
# the like go by its name; a library that is gone, and another that comes.
cat >lib.c <<'C'
#ifdef OTHER
int other(int x) { return x; }
#endif
int thrice(int x) { return 3 * x; }
static int hidden(int x) { return x - 1; }
int (*give(void))(int) { return hidden; }
C
cat >m.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int (*volatile put)(const char *) = puts;
static void (*volatile quit)(int);
int main(int argc, char **argv)
{
	int i, k = argc, (*f)(int), (*(*give)(void))(int);
	void *h;
	for (i = 0; i < 3; i++) put("x");
	fflush(stdout);
	for (k = 1; k < argc; k++)
		for (i = 0; i < 5; i++) {
			h = dlopen(argv[k], RTLD_NOW);
			f = dlsym(h, "thrice");
			if (f(7) != 21) return 1;
			give = dlsym(h, "give");
			f = give();
			if (f(3) != 2) return 1;
			dlclose(h);
		}
	quit = _Exit;
	quit(0);
}
C
tally build --quiet --counters=check,calls gcc -O0 -fPIC -shared lib.c -o ./counted.so
gcc -O0 -fPIC -shared lib.c -o ./plain.so
gcc -O0 -fPIC -shared -DOTHER lib.c -o ./stripped.so && strip ./stripped.so
tally build --quiet --counters=check,calls gcc -O0 m.c -o m
rm -rf tally.out && ./m >/dev/null
pairs '3 main puts' '1 main _Exit'
rm -rf tally.out && ./m ./counted.so >/dev/null
pairs '3 main puts' '5 main thrice' '5 main give' '5 main hidden' '1 main _Exit'
tally build --quiet --counters=check,calls gcc -O0 -fPIC -shared -Dhidden=buried lib.c -o ./second.so
rm -rf tally.out && ./m ./counted.so ./second.so >/dev/null
pairs '5 main hidden' '5 main buried'
rm -rf tally.out && ./m ./plain.so >/dev/null
tally print --calls >table 2>remarks
grep -q 'libraries were unloaded' remarks && grep -q '^ *5  main  *hidden$' table || { cat table remarks; exit 1; }
rm -rf tally.out && ./m ./stripped.so >/dev/null
tally print --calls >table 2>remarks
grep -q '^ *5  main  *thrice$' table && grep -q '^ *5  main  *0x[0-9a-f]* in /.*stripped.so$' table || { cat table remarks; exit 1; }
gcc -O0 -fPIC -shared -DOTHER -Dhidden=wrong lib.c -o ./stripped.so # not what was called
tally print --calls 2>/dev/null | grep -q '^ *5  main  *0x[0-9a-f]* in /.*stripped.so$'

# More pairs than there is room for: the others are counted, and it is said how many.
perl -e '
	print "typedef int F(int); static volatile int s;\n";
	print "static int f$_(int x) { return s += x; }\n" for 0 .. 99;
	print "static F *const t[] = {", join(",", map "f$_", 0 .. 99), "};\nint main(void) { int i;\n";
	print "for (i = 0; i < 100; i++) t[i]($_);\n" for 0 .. 99;
	print "return 0; }\n"' >big.c
tally build --quiet --counters=check,calls gcc -O0 big.c -o big
rm -rf tally.out && ./big
exact big
tally print --calls big >table 2>remarks
rest=$(awk '$3 == "*" { print $1 }' table)
[ "$rest" -gt 1000 ] && grep -q "callees of $rest calls .* not recorded: there was no room" remarks
[ "$(awk 'NR > 1 { s += $1 } END { print s }' table)" = 10000 ]

# Words of the user's own are left alone: r11 may matter there.
cat >r.c <<'C'
static int n;
static void count(void) { n++; }
int main(void)
{
	register long keep __asm__("r11") = 42;
	void (*f)(void) = count;
	__asm__ volatile("call *%1" : "+r"(keep) : "r"(f) : "memory", "cc", "rax");
	return keep != 42 || n != 1;
}
C
cat >h.s <<'S'
	.globl	main
	.type	main, @function
main:	movl	$7, %r11d
	leaq	same(%rip), %rax
	call	*%rax
	subl	$7, %eax
	ret
	.type	same, @function
same:	movl	%r11d, %eax
	ret
	.section	.note.GNU-stack,"",@progbits
S
for src in r.c h.s; do
	tally build --quiet --counters=check,calls gcc -O1 -fno-inline -mno-red-zone $src -o r
	rm -rf tally.out
	./r || { echo "$src: status $?"; exit 1; }
	pairs '1 main *'
done

# Instructions are those of the program, whatever was put before them.
tally build --quiet --counters=check gcc -O2 -w p.c -o counted
rm -rf tally.out && ./counted >/dev/null && tally print -a >want
tally build --quiet --counters=check,calls gcc -O2 -w p.c -o counted
rm -rf tally.out && ./counted >/dev/null && tally print -a | diff want - >differences || { head differences; exit 1; }

# A process that a signal ends at any instruction, also between the record and the call.
cat >hot.c <<'C'
static volatile unsigned sink;
typedef unsigned Op(unsigned);
__attribute__((noinline)) static unsigned a(unsigned x) { return x * 3; }
__attribute__((noinline)) static unsigned b(unsigned x) { return x + (x & 1 ? a(x) : 1); }
static Op *volatile table[] = {a, b};
__attribute__((noinline)) static unsigned tail(unsigned x) { return table[x & 1](x); }
int main(void)
{
	unsigned i;
	__asm__("int3");
	for (i = 0;; i++)
		sink += table[i & 1](i) + tail(i);
}
C
cat >killer.c <<'C'
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
/* killer STEPS PROGRAM: that many after it traps. */
int main(int argc, char **argv)
{
	long n = atol(argv[1]);
	int status;
	pid_t pid = fork();
	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execv(argv[2], argv + 2);
		_exit(9);
	}
	waitpid(pid, &status, 0);
	ptrace(PTRACE_CONT, pid, 0, 0);
	waitpid(pid, &status, 0);
	for (; n > 0 && WIFSTOPPED(status); n--) {
		ptrace(PTRACE_SINGLESTEP, pid, 0, 0);
		waitpid(pid, &status, 0);
	}
	ptrace(PTRACE_DETACH, pid, 0, SIGTERM);
	waitpid(pid, &status, 0);
	return !WIFSIGNALED(status) || WTERMSIG(status) != SIGTERM;
}
C
gcc killer.c -o killer
between=0
for cc in gcc clang; do
	tally build --quiet --counters=check,calls $cc -O1 -w hot.c -o hot
	for step in $(seq 1 60); do # some while a pair is new, most when all are known
		rm -rf tally.out
		./killer $((step * 17 % 1201 + (step % 8 ? 8000 : 0))) ./hot 2>/dev/null || { echo '# no ptrace here'; break 2; }
		exact "$cc, step $step"
		tally print --calls >table 2>remarks
		! grep -q 'were not recorded' remarks || { echo "$cc, step $step"; cat table remarks; exit 1; }
		grep -q ': 1 calls through pointers were recorded but not made' remarks && between=$((between + 1))
		! grep 'recorded but not made' remarks | grep -v ': 1 calls' || exit 1
	done
done
echo "# $between of 120 deaths between the record and the call"
[ $between -gt 4 ] && [ $between -lt 90 ]

# What asks for the order of first use is no record.
echo 'typedef void F(void); void go(F *f) { f(); } static void a(void) {} int main(void) { go(a); go(a); return 0; }' >o.c
tally build --quiet --order gcc -O2 -fno-inline o.c -o o
rm -rf tally.out && ./o
tally print --calls o >table 2>remarks
grep -q '^ *2  go  *[*]$' table && [ ! -s remarks ] || { cat table remarks; exit 1; }

# What cannot be.
tally build --counters=calls true 2>err && exit 1
grep -q 'calls: no such placement' err
tally build --counters=edges,calls --runtime=none true 2>err && exit 1
grep -q 'calls does not go with --runtime=none' err
