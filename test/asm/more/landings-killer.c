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
