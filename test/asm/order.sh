# order.sh - the order in which files are used first: recorded at once, in programs, libraries,
# threads and children; and nothing else of the program changes.
cat >ranks.pl <<'P'
# Ranks in profiles: MODULE RANK ..., those that are not 0 in order.
for my $file (@ARGV) {
	local $/;
	open my $f, '<', $file or die "$file: $!\n";
	my ($d, @module) = scalar <$f>;
	for (my $at = unpack 'Q', substr $d, 56, 8; $at; $at = unpack 'Q', substr $d, $at + 8, 8) {
		my ($size, $kind) = unpack 'LS', substr $d, $at, 6;
		push @module, unpack 'Z*', substr $d, $at + 96, $size - 96 if $kind == 1;
		next unless $kind == 4;
		my ($module, $n, $ranks) = unpack 'LLQ', substr $d, $at + 16, 16;
		print "$module[$module] ", join(' ', sort { $a <=> $b } grep { $_ } unpack "Q$n", substr $d, $ranks, 8 * $n), "\n";
	}
}
P
# files - those of the listing, without directory and suffix.
files() { tally print --sort=use 2>/dev/null | sed -n 's,^/.*/\([a-z0-9]*\)\.[a-z]*:$,\1,p' | tr '\n' ' '; }
summary() { tally print -s --sort=use | sed 's,.*/\([a-z0-9]*\)\.[a-z]*$,\1,' | tr '\n' ' '; }

for f in a b c d e; do echo "volatile int ran_$f; void $f(void) { ran_$f++; }" >$f.c; done
cat >main.c <<'C'
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
void a(void), b(void), c(void), d(void), e(void);
int main(int argc, char **argv)
{
	static void (*const use[])(void) = {a, b, c, d, e};
	const char *s = argc > 1 ? argv[1] : "";
	for (; *s; s++)
		if (*s == 'K')
			kill(getpid(), SIGKILL);
		else if (*s == 'F') {
			if (fork())
				return wait(NULL) < 0;
		} else if (*s == 'W') {
			if (fork() == 0)
				exit(0);
			wait(NULL);
		} else
			use[*s - 'a']();
	return 0;
}
C
for how in 'gcc -O0' 'gcc -O2' 'clang -O2' 'gcc -O1 -no-pie -fno-pie' 'gcc -O2 -static' 'gcc -O2 -static-pie' 'gcc -O2 -flto' \
	'gcc -O1 -ffunction-sections -Wl,--gc-sections' '--threads=off gcc -O1' '--threads=off gcc -O1 -static'; do
	# shellcheck disable=SC2086
	tally build --quiet --order --counters=check $how main.c a.c b.c c.c d.c e.c -o p
	for want in 'main ' 'main c a b e ' 'main e d c b a ' 'main b '; do
		rm -rf tally.out
		./p "$(echo "$want" | sed 's/main//; s/ //g')"
		case $how in *-flto*) continue ;; esac # one unit
		is "$how" "$(files | sed "s/\($want\).*/\1/")" "$want"
		is "$how, summary" "$(summary | sed "s/\($want\).*/\1/")" "$want"
		exact "$how"
	done
	rm -rf tally.out
	./p cabK 2>/dev/null || true
	case $how in *-flto*) continue ;; esac
	is "$how, killed" "$(files | cut -d' ' -f1-4)" 'main c a b'
done

# Runs add up: what is there comes first, what is new behind it.
tally build --quiet --order gcc main.c a.c b.c c.c d.c e.c -o p
rm -rf tally.out
./p ca; ./p bc; ./p dae
is 'three runs' "$(files)" 'main c a b d e '
is 'files' "$(find tally.out -name '*.tally' | wc -l)" 1
./p eK 2>/dev/null || true
is 'and one that was killed' "$(files)" 'main c a b d e '

# A child begins with the order of its parent; it ends first.
rm -rf tally.out
./p cFaFb
is 'children' "$(files | cut -d' ' -f1-4)" 'main c a b'
rm -rf tally.out
./p cWaWbKd 2>/dev/null || true
is 'children that use nothing' "$(files | cut -d' ' -f1-4)" 'main c a b'

# Nothing was recorded: it is said.
tally build --quiet gcc main.c a.c b.c c.c d.c e.c -o p
rm -rf tally.out
./p c
tally print --sort=use 2>err >out
grep -q 'order of first use was not recorded' err
perl ranks.pl tally.out/*.tally >ranks
is 'ranks without --order' "$(cat ranks)" ''
tally build --quiet gcc -c a.c -o without.o
tally build --quiet --order gcc -c a.c -o with.o
! objdump -dr without.o | sed '/^Disassembly of section .text.tally/,$d' | grep -q '__tally_first\|tally_order'
objdump -dr with.o | grep -q '__tally_first_[0-9]'

# Libraries, one of them opened late, closed and opened again.
cat >load.c <<'C'
#include <dlfcn.h>
void b(void), c(void), d(void);
int main(int argc, char **argv)
{
	int i;
	b();
	for (i = 0; i < 2; i++) {
		void *l = dlopen("./late.so", RTLD_NOW);
		if (!l)
			return 1;
		((void (*)(void))dlsym(l, "e"))();
		if (i)
			((void (*)(void))dlsym(l, "a"))();
		dlclose(l);
	}
	d();
	c();
	return 0;
}
C
tally build --quiet --order --counters=check gcc -fPIC -shared b.c c.c -o liblib.so
tally build --quiet --order --counters=check gcc -fPIC -shared a.c e.c -o late.so
tally build --quiet --order --counters=check gcc load.c d.c -o load -L. -llib -Wl,-rpath,"$PWD"
rm -rf tally.out
./load
is 'libraries' "$(files)" 'load b e a d c '
exact 'libraries'

# Before the runtime has started.
cat >early.c <<'C'
void a(void), b(void), c(void), d(void), e(void);
static void before(void) { d(); }
__attribute__((section(".preinit_array"), used)) static void (*pre)(void) = before;
__attribute__((constructor(101))) static void first(void) { a(); }
__attribute__((destructor(101))) static void last(void) { c(); }
static void real(void) { b(); }
static void (*choose(void))(void) { return real; }
void chosen(void) __attribute__((ifunc("choose")));
int main(void) { chosen(); e(); return 0; }
C
for how in '' -static; do
	tally build --quiet --order --counters=check gcc $how early.c a.c b.c c.c d.c e.c -o early
	rm -rf tally.out
	./early
	case $how in -static) want='early a b e c ' ;; *) want='early d a b e c ' ;; esac
	files=$(files)
	[ -z "$how" ] || files=$(echo "$files" | sed 's/ d / /') # which libraries call where is theirs
	is "before main $how" "$files" "$want"
done

# Threads: each unit gets a rank of its own.
for i in $(seq 64); do echo "volatile int ran_$i; void u$i(void) { ran_$i++; }" >u$i.c; done
{
	echo '#include <pthread.h>'
	for i in $(seq 64); do echo "void u$i(void);"; done
	echo 'static pthread_barrier_t all; static void (*const u[])(void) = {'
	for i in $(seq 64); do echo "u$i,"; done
	cat <<'C'
};
static void *use(void *arg)
{
	long i;
	pthread_barrier_wait(&all);
	for (i = 0; i < 64; i++)
		u[(i + (long)arg * 8) % 64]();
	return arg;
}
int main(void)
{
	pthread_t t[8];
	long i;
	pthread_barrier_init(&all, 0, 8);
	for (i = 0; i < 8; i++)
		pthread_create(&t[i], 0, use, (void *)i);
	for (i = 0; i < 8; i++)
		pthread_join(t[i], 0);
	return 0;
}
C
} >many.c
tally build --quiet --order --counters=check gcc -O1 -pthread many.c u?.c u??.c -o many
for _ in 1 2 3 4 5; do
	rm -rf tally.out
	./many
	exact threads
	perl ranks.pl tally.out/*.tally | tr ' ' '\n' | sed 1d >ranks
	is 'units of threads' "$(wc -l <ranks)" 65
	is 'different ranks' "$(uniq ranks | wc -l)" 65
	is 'main is the first' "$(files | cut -d' ' -f1)" many
done

# What a function is given is as it was: registers, flags, and what is below the stack pointer of
# one that another runs into.
cat >call.s <<'S'
	.globl	call
	.type	call, @function
call:	pushq	%rbx
	pushq	%rbp
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	.irp	r,rax,rbx,rcx,rdx,rsi,rdi,rbp,r8,r9,r10,r11,r12,r13,r14,r15
	movabsq	$0x1122334455667788, %\r
	.endr
	movq	%rax, %xmm0
	movq	%rax, %xmm15
	stc
	call	given
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbp
	popq	%rbx
	ret
	.section	.note.GNU-stack,"",@progbits
S
cat >given.s <<'S'
	.globl	given
	.type	given, @function
given:	.cfi_startproc
	jc	1f
	ud2
1:	movq	%rax, -8(%rsp)
	.cfi_endproc
	.globl	into
	.type	into, @function
into:	.cfi_startproc
	cmpq	%rax, -8(%rsp)
	jne	bad
	.irp	r,rbx,rcx,rdx,rsi,rdi,rbp,r8,r9,r10,r11,r12,r13,r14,r15
	cmpq	%rax, %\r
	jne	bad
	.endr
	movq	%xmm0, %rcx
	cmpq	%rax, %rcx
	jne	bad
	movq	%xmm15, %rcx
	cmpq	%rax, %rcx
	jne	bad
	movabsq	$0x1122334455667788, %rcx
	subq	%rcx, %rax
	ret
bad:	movl	$1, %eax
	ret
	.cfi_endproc
	.section	.note.GNU-stack,"",@progbits
S
cat >asm.c <<'C'
#include <stdarg.h>
int call(void);
double sum(int n, ...);
int main(void) { return call() != 0 || sum(9, 1., 2., 3., 4., 5., 6., 7., 8., 9.) != 45; }
C
cat >sum.c <<'C'
#include <stdarg.h>
double sum(int n, ...)
{
	double s = 0;
	va_list ap;
	va_start(ap, n);
	while (n--)
		s += va_arg(ap, double);
	va_end(ap);
	return s;
}
C
gcc asm.c sum.c call.s given.s -o plain && ./plain
tally build --quiet --order --counters=check gcc -O2 asm.c sum.c call.s given.s -o counted
rm -rf tally.out
./counted || { echo 'registers, flags or the red zone are not as they were'; exit 1; }
exact 'by hand'
is 'by hand' "$(files)" 'asm call given sum '

# Stopped at each instruction, also where the runtime is called.
cat >step.c <<'C'
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
/* step N PROGRAM: let SIGTERM come N instructions after it traps. */
int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[1]) : 0, status;
	pid_t pid = fork();
	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execv(argv[2], argv + 2);
		_exit(9);
	}
	waitpid(pid, &status, 0); /* exec */
	ptrace(PTRACE_CONT, pid, 0, 0);
	waitpid(pid, &status, 0); /* trap */
	for (; n > 0 && WIFSTOPPED(status); n--) {
		ptrace(PTRACE_SINGLESTEP, pid, 0, 0);
		waitpid(pid, &status, 0);
	}
	ptrace(PTRACE_DETACH, pid, 0, SIGTERM);
	waitpid(pid, &status, 0);
	return !WIFSIGNALED(status) || WTERMSIG(status) != SIGTERM;
}
C
cat >loop.c <<'C'
volatile int n;
void loop(int k) { __asm__ volatile("" : : "r"(k)); again: n++; if (--k > 0) goto again; }
C
cat >hand.s <<'S'
	.globl	hand
	.type	hand, @function
hand:	.cfi_startproc
	adcl	$1, %eax
	decl	%edi
	jg	hand
	ret
	.cfi_endproc
	.section	.note.GNU-stack,"",@progbits
S
cat >trap.c <<'C'
void a(void), loop(int), hand(int);
int main(void) { __asm__("int3"); for (;;) { loop(2); hand(2); a(); } }
C
gcc step.c -o step
for cc in gcc clang; do
	tally build --quiet --order --counters=check $cc -O1 trap.c loop.c hand.s a.c -o trap
	rm -rf tally.out
	./step 1 ./trap 2>/dev/null || { echo '# no ptrace here'; break; }
	for n in $(seq 1 3 400); do
		rm -rf tally.out
		./step "$n" ./trap
		exact "$cc, step $n"
	done
	is "$cc, steps" "$(files)" 'trap loop hand a '
	for n in $(seq 1 40); do # before the runtime is called, where the loop begins
		rm -rf tally.out
		./step "$n" ./trap
		died=$(tally print --runs 2>/dev/null | sed -n 's/.*SIGTERM in \([a-z]*\),.*/\1/p')
		[ "$died" = main ] || break
	done
	is "$cc, what comes after main" "$died" loop
done
