# landings.sh - a process dies while a thread of it is on its way out of frames: between the
# throw of an exception and its landing, in longjmp, siglongjmp out of a handler, setcontext,
# swapcontext, exec that fails.  Where it is killed at each of these instructions, in whatever
# library, the counts are exact.
cat >f.cc <<'C'
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <ucontext.h>
#include <unistd.h>
static volatile int sink, trapping;
static sigjmp_buf back;
static ucontext_t here, there;
static char room[65536];
struct Guard { int n; explicit Guard(int k) : n(k) { sink += k; } ~Guard() { sink -= n; if (n > 1) sink++; } };
#define TRAP() do { if (trapping) __asm__ volatile("int3"); } while (0)
#define COUNTED __attribute__((noinline)) static
static void on(int sig) { sink += sig; siglongjmp(back, 1); }
static void swapped() { for (;;) { sink++; swapcontext(&there, &here); } }
COUNTED int away(int how)
{
	TRAP();
	switch (how) {
	case 't': throw 7;
	case 'l': longjmp(back, 1);
	case 's': raise(SIGUSR1); break;
	case 'c': setcontext(&here); break;
	case 'w': swapcontext(&here, &there); break;
	case 'q': quick_exit(3);
	case 'e': execl("/nowhere", "nowhere", (char *)nullptr); break;
	case 'p': pthread_exit(nullptr);
	}
	return 1;
}
COUNTED int bare(int how) { int r = away(how); sink++; return r; }
COUNTED int guarded(int n, int how) { Guard g(n); return (n ? guarded(n - 1, how) : bare(how)) + g.n; }
COUNTED int caught(int how)
{
	try { return guarded(1, how); }
	catch (int k) { sink += k; throw; }
}
COUNTED int once(int how)
{
	volatile int came = 0, r = 0;
	try {
		if (how == 'l' || how == 's')
			r = sigsetjmp(back, how == 's') ? 2 : guarded(1, how);
		else if (how == 'c')
			getcontext(&here), r = came++ ? 3 : guarded(1, how);
		else
			r = caught(how);
	} catch (int k) { r = k; }
	TRAP();
	return r;
}
static void *work(void *arg)
{
	int how = *(char *)arg, i;
	for (i = 0; i < 3; i++) {
		trapping = i == 2;
		if (how != 'p' && how != 'q' || trapping)
			sink += once(how);
	}
	return nullptr;
}
int main(int argc, char **argv)
{
	pthread_t t;
	signal(SIGUSR1, on);
	getcontext(&there);
	there.uc_stack.ss_sp = room;
	there.uc_stack.ss_size = sizeof room;
	makecontext(&there, swapped, 0);
	if (argc < 2)
		return 0;
	if (!argv[1][1])
		work(argv[1]);
	else if (pthread_create(&t, nullptr, work, argv[1]) == 0)
		pthread_join(t, nullptr);
	return 0;
}
C
cat >killer.c <<'C'
/* killer - kill a program that traps twice at an instruction in between.
 *
 * usage: killer list PROGRAM ARGS        each instruction: 1 if signals come there, 0; address;
 *                                         what is in the lock of the runtime
 *        killer TIME@ADDRESS PROGRAM ARGS  where it comes to that for so many times
 *        killer -TIME@ADDRESS PROGRAM ARGS  the first thread, while the one that traps is there */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STOPSIGNAL = 33 };
enum { LOCK = 16 }; /* in what copies of the runtime share: src/runtime/process.h */

static pid_t pid;

/* go - let a thread run until it traps, or for one instruction: true if it trapped there. */
static int go(pid_t *t, int how)
{
	pid_t one = *t > 0 ? *t : pid;
	int status, sig = 0;
	siginfo_t i;

	for (;;) {
		if (ptrace(how, one, 0, sig) != 0 || (one = waitpid(*t, &status, __WALL)) < 0)
			exit(3);
		if (!WIFSTOPPED(status))
			exit(WIFEXITED(status) ? 0 : 4); /* by itself */
		sig = status >> 16 || WSTOPSIG(status) == SIGSTOP ? 0 : WSTOPSIG(status);
		if (sig == SIGTRAP) {
			*t = one;
			ptrace(PTRACE_GETSIGINFO, one, 0, &i);
			return i.si_code == 0x80; /* int3, and not a step */
		}
	}
}
static void list(pid_t t)
{
	const char *word = getenv("SHARED"); /* where the program has its address */
	long shared = ptrace(PTRACE_PEEKDATA, t, strtoull(word ? word : "0", NULL, 16), 0);
	struct user_regs_struct r;
	uint64_t mask = 0;

	while (!go(&t, PTRACE_SINGLESTEP)) {
		ptrace(PTRACE_GETSIGMASK, t, 8, &mask);
		ptrace(PTRACE_GETREGS, t, 0, &r);
		printf("%d %llx %lx\n", !(mask >> (SIGTERM - 1) & 1), r.rip,
		       ptrace(PTRACE_PEEKDATA, t, shared + LOCK, 0));
	}
}
/* reach - run a thread until it comes to an address for so many times. */
static void reach(pid_t t, long times, uint64_t at)
{
	long word = ptrace(PTRACE_PEEKTEXT, t, at, 0);
	struct user_regs_struct r;

	while (times-- > 0) {
		ptrace(PTRACE_POKETEXT, t, at, (word & ~0xffl) | 0xcc);
		go(&t, PTRACE_CONT);
		ptrace(PTRACE_GETREGS, t, 0, &r);
		if (r.rip-- != at + 1)
			exit(5);
		ptrace(PTRACE_SETREGS, t, 0, &r);
		ptrace(PTRACE_POKETEXT, t, at, word);
		if (times)
			go(&t, PTRACE_SINGLESTEP);
	}
}
/* tells - whether a line of a file about a thread has a number with certain bits. */
static int tells(pid_t t, const char *file, const char *form, unsigned long long bits)
{
	unsigned long long x = 0;
	char path[64], line[256];
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/task/%d/%s", (int)pid, (int)t, file);
	for (f = fopen(path, "r"); f && fgets(line, sizeof line, f);)
		sscanf(line, form, &x);
	if (f)
		fclose(f);
	return (x & bits) == bits;
}
/* await - until it does. */
static void await(pid_t t, const char *file, const char *form, unsigned long long bits)
{
	static const struct timespec nap = {0, 50000};
	int i;

	for (i = 0; i < 200000 && !tells(t, file, form, bits); i++)
		nanosleep(&nap, NULL);
}
int main(int argc, char **argv)
{
	pid_t t = -1, gone;
	long times;
	int status;

	alarm(60);
	pid = fork();
	if (pid == 0) {
		personality(ADDR_NO_RANDOMIZE);
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execv(argv[2], argv + 2);
		_exit(9);
	}
	if (argc < 3 || waitpid(pid, &status, 0) < 0 || !WIFSTOPPED(status)
	    || ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL) != 0)
		return 77;
	while (!go(&t, PTRACE_CONT))
		t = -1;
	if (strcmp(argv[1], "list") == 0) {
		list(t);
		return 0;
	}
	if (t != pid)
		await(pid, "syscall", "%llu", SYS_futex); /* in pthread_join: it must not come there */
	times = atol(argv[1]);
	reach(t, labs(times), strtoull(strchr(argv[1], '@') + 1, NULL, 16));
	if (times > 0) {
		ptrace(PTRACE_DETACH, t, 0, SIGTERM);
	} else {
		syscall(SYS_tgkill, pid, pid, SIGTERM);
		waitpid(pid, &status, __WALL);
		ptrace(PTRACE_DETACH, pid, 0, SIGTERM);
		await(t, "status", "SigPnd: %llx", 1ull << (STOPSIGNAL - 1));
		ptrace(PTRACE_DETACH, t, 0, 0);
	}
	while ((gone = waitpid(-1, &status, __WALL)) != pid || WIFSTOPPED(status)) {
		if (gone < 0)
			return 6;
		if (WIFSTOPPED(status))
			ptrace(PTRACE_CONT, gone, 0, WSTOPSIG(status));
	}
	return !WIFSIGNALED(status) || WTERMSIG(status) != SIGTERM;
}
C
gcc -O1 killer.c -o killer

# kill_at HOW SIGN NUMBER [marked] - at about so many of the instructions where signals come, others
# in each program; half of them among the last, where an exception lands.  Another thread does not
# get to its end while this one has the lock.  The counts are exact, or each time marked.
shared() { # PROGRAM - where it has the address of what copies of the runtime share, without ASLR
	perl -e '`readelf -SW $ARGV[0]` =~ /\.note\.tally +NOTE +(\w+) (\w+)/ or die; my $at = hex $2;
		open F, "<", $ARGV[0]; binmode F;
		for my $to (20, 16) { seek F, $at += $to, 0; read F, $_, 8; $at += unpack "q", $_ } # the table, and its third word
		printf "%x", 0x555555554000 + $at' "$1"
}
kill_at() {
	local at
	SHARED=$(shared ./f) ./killer list ./f "$1" >steps || { [ $? != 77 ] || { echo 'no ptrace here'; exit 77; }; exit 1; }
	awk -v k="$k" -v sign="$2" -v n="$3" '{ times[$2]++ } $1 && !(sign && $3) { all[++m] = sign times[$2] "@" $2 }
		END { last = m > 700 ? m - 700 : 0; r = int(2 * last / n) + 1; s = int(2 * (m - last) / n) + 1
		for (i = 1; i <= m; i++) if (i <= last ? (i + k) % r == 0 : (i + k) % s == 0) print all[i] }' steps >places
	rm -rf tally.out
	while read -r at; do
		./killer "$at" ./f "$1" || { echo "$what $1: $at: status $?"; exit 1; }
		[ $# = 4 ] || continue
		tally print --compare >out 2>err || grep -q 'some frames were left early' err || { echo "$what $1: $at"; cat out; exit 1; }
		rm -rf tally.out
	done <places
	[ $# = 3 ] || return 0
	[ "$(tally print --runs 2>/dev/null | awk '/ a signal/ { print $1 }')" = "$(wc -l <places)" ] || { tally print --runs; exit 1; }
	exact "$what $1"
}

# What is left on the stack of earlier exceptions does not matter.
cat >stale.cc <<'C'
#include <alloca.h>
static volatile int sink;
struct Guard { int n; explicit Guard(int k) : n(k) { sink += k; } ~Guard() { sink -= n; } };
__attribute__((noinline)) static void thrower() { throw 1; }
__attribute__((noinline)) static void deep(int k) { Guard g(k); char *volatile room = (char *)alloca(16 * k); thrower(); sink += *room; }
int main() { for (int k = 0; k < 128; k++) try { deep(64 + k % 2 * (k / 2)); } catch (int n) { sink += n; } return 0; }
C
for cc in g++ clang++; do for o in -O0 -Os; do
	tally build --quiet --counters=check $cc $o stale.cc -o stale
	rm -rf tally.out
	./stale
	exact "stale, $cc $o"
done; done

k=0
for cc in g++ clang++; do for o in -O0 -O3; do
	k=$((k + 1)) what="$cc $o"
	tally build --quiet --counters=check $cc $o -w -pthread f.cc -o f
	for how in t l s c e q; do
		kill_at $how '' "$([ $how = t ] && echo 40 || echo 20)"
	done
	[ $o = -O3 ] || continue
	for how in tt ll; do # another thread is killed
		kill_at $how - 15
	done
	for how in w pp; do
		kill_at $how '' 15 marked
	done
done; done
