/* session.c - start a program, or attach to a process; at the end detach, and write the
 * profiles. */

#include "trace.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t enough; /* a signal asked us to end */
static pid_t child;

/* watch - handle what happens until all threads are gone, or we are asked to end. */
static void
watch(Tracer *t)
{
	int status;
	pid_t tid;

	while ((t->nthread || !t->ended) && !enough) {
		tid = waitpid(-1, &status, __WALL);
		if (tid < 0 && errno == EINTR)
			continue;
		if (tid < 0)
			break;
		if (WIFSTOPPED(status))
			stopped(t, tid, status);
		else
			ended(t, tid, status);
	}
}

/* isstruck - whether a thread that was asked to stop has met a breakpoint, too: its SIGTRAP is
 * still queued. */
static bool
isstruck(const Thread *th)
{
	struct __ptrace_peeksiginfo_args ask = {.nr = 8};
	siginfo_t info[8];
	long n = ptrace(PTRACE_PEEKSIGINFO, th->tid, &ask, info), i;

	for (i = 0; i < n; i++)
		if (info[i].si_signo == SIGTRAP && info[i].si_code == SI_KERNEL)
			return true;
	return false;
}

/* halt - stop all threads, and handle what happened before they stopped. */
static void
halt(Tracer *t)
{
	int i, status, running;

	for (;;) {
		Thread *th;
		pid_t tid;

		for (i = running = 0; i < t->nthread; i++)
			if (!t->thread[i]->stopped) {
				ptrace(PTRACE_INTERRUPT, t->thread[i]->tid, NULL, NULL);
				running++;
			}
		if (!running)
			return;
		tid = waitpid(-1, &status, __WALL);
		if (tid < 0 && errno == EINTR)
			continue;
		if (tid < 0)
			return;
		th = findthread(t, tid);
		if (!WIFSTOPPED(status))
			ended(t, tid, status);
		else if (th && th->here && status >> 16 == PTRACE_EVENT_STOP && !isstruck(th))
			th->stopped = true;
		else
			stopped(t, tid, status);
	}
}

/* giveback - unmap our copies of instructions from a thread's process. */
static void
giveback(const Thread *th)
{
	long arg[6] = {0};
	int k;

	for (k = 0; k < th->sp->nmod; k++) {
		Mod *m = &th->sp->mod[k];

		if (!m->slots)
			continue;
		arg[0] = (long)m->slots;
		arg[1] = (long)m->room * SLOTSIZE;
		m->slots = 0;
		inject(th->sp, th->tid, SYS_munmap, arg);
	}
}

/* quit - restore all processes, and detach. */
static void
quit(Tracer *t)
{
	int i;

	halt(t);
	for (i = 0; i < t->nthread; i++)
		if (t->thread[i]->sp) {
			timereturn(&t->thread[i]->timing, UINT64_MAX, true,
				   t->thread[i]->run->cost);
			t->thread[i]->run->stops += t->thread[i]->timing.stops;
			noteplace(t->thread[i], false);
			settle(t->thread[i]);
		}
	for (i = 0; i < t->nthread; i++) {
		Thread *th = t->thread[i];

		if (!th->sp)
			continue;
		removeprobes(th->sp);
		giveback(th);
		if (th->tid == th->pid)
			th->run->endings[ENDGONE]++;
	}
	for (i = 0; i < t->nthread; i++)
		ptrace(PTRACE_DETACH, t->thread[i]->tid, NULL, NULL);
}

/* outdir - the directory for profiles.  It is made and checked before anything runs, so that hours
 * of counting are not lost. */
static const char *
outdir(void)
{
	const char *dir = getenv("TALLY_DIR");

	dir = dir && *dir ? dir : "tally.out";
	if (!makedirs(dir))
		syserr("mkdir %s", dir);
	if (access(dir, W_OK | X_OK) != 0)
		syserr("write to %s", dir);
	return dir;
}

/* outfile - an unused name for the profile of a program. */
static char *
outfile(const Tracer *t, const Run *run)
{
	const char *dir = outdir(), *path = run->target[0]->im->path, *base;
	Buf b = {.arena = t->run};
	struct stat st;
	int try = 0;

	base = strrchr(path, '/');
	do {
		b.n = 0;
		bprintf(&b, "%s/%s.%d.%d", dir, base ? base + 1 : path, (int)run->pid,
			(int)getpid());
		if (try++)
			bprintf(&b, "-%d", try);
		bprintf(&b, ".live.tally");
	} while (lstat(b.s, &st) == 0);
	return b.s;
}

static void
writeall(const Tracer *t)
{
	int i, k;

	for (i = 0; i < t->nprog; i++) {
		bool any = false;

		for (k = 0; k < t->prog[i]->ntarget; k++)
			any |= t->prog[i]->target[k]->chosen;
		if (!any && i == 0)
			notice("%s: nothing was counted: %s",
			       t->prog[i]->ntarget ? t->prog[i]->target[0]->im->path : "program",
			       t->wish->nonly ? "--only matches nothing in it"
					      : "it has no symbols, or none that are chosen");
		else if (any)
			writeprofile(t->prog[i], outfile(t, t->prog[i]));
		for (k = 0; k < t->prog[i]->ntarget; k++)
			closeimage(t->prog[i]->target[k]->im);
	}
}

#define OPTIONS                                                                              \
	(PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC \
	 | PTRACE_O_TRACEEXIT | PTRACE_O_TRACESYSGOOD)

/* pass - a signal handler: a signal to us is meant for the program. */
static void
pass(int sig)
{
	kill(child, sig);
}

static void
stopall(int sig)
{
	(void)sig;
	enough = 1;
	alarm(1); /* if it came just before waitpid(), that must be interrupted once more */
}

/* listen - ignore the signals that the terminal sends to the program as well, and pass on
 * others. */
static void
listen(void)
{
	static const int ignored[] = {SIGINT, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU};
	static const int passed[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGCONT};
	struct sigaction sa = {.sa_handler = SIG_IGN, .sa_flags = SA_RESTART};
	size_t i;

	for (i = 0; i < sizeof ignored / sizeof *ignored; i++)
		sigaction(ignored[i], &sa, NULL);
	sa.sa_handler = pass;
	for (i = 0; i < sizeof passed / sizeof *passed; i++)
		if (passed[i] != SIGCONT)
			sigaction(passed[i], &sa, NULL);
}

static _Noreturn void
forbidden(const char *what)
{
	if (errno == EPERM)
		err(what, "may not be traced: it is already traced, belongs to another user, or "
			  "/proc/sys/kernel/yama/ptrace_scope or a container forbids it");
	syserr("trace %s", what);
}

/* together - keep us and the process on one processor, where a stop costs a third of what it costs
 * on two. */
static void
together(pid_t pid)
{
	int cpu = sched_getcpu();
	cpu_set_t set;

	if (cpu < 0)
		return;
	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	sched_setaffinity(0, sizeof set, &set);
	sched_setaffinity(pid, sizeof set, &set);
}

int
traceprogram(char **argv, const Wish *wish, Arena *run)
{
	Tracer t = {.run = run, .wish = wish};
	int go[2], said[2], failed = 0;
	Thread *th;
	pid_t pid;

	outdir();
	if (pipe2(go, O_CLOEXEC) != 0 || pipe2(said, O_CLOEXEC) != 0)
		syserr("pipe");
	fflush(NULL);
	pid = child = fork();
	if (pid < 0)
		syserr("fork");
	if (pid == 0) {
		char c;

		close(go[1]);
		if (read(go[0], &c, 1) != 1)
			_exit(127);
		execvp(argv[0], argv);
		failed = errno;
		if (write(said[1], &failed, sizeof failed) < 0)
			_exit(126);
		_exit(failed == ENOENT ? 127 : 126);
	}
	listen();
	if (ptrace(PTRACE_SEIZE, pid, NULL, OPTIONS | PTRACE_O_EXITKILL) != 0) {
		failed = errno;
		kill(pid, SIGKILL);
		errno = failed;
		forbidden(argv[0]);
	}
	if (!wish->spread)
		together(pid);
	t.first = pid;
	th = newthread(&t, pid);
	th->here = true;
	close(go[0]);
	close(said[1]);
	if (write(go[1], "", 1) != 1)
		syserr("start %s", argv[0]);
	close(go[1]);
	watch(&t);
	if (read(said[0], &failed, sizeof failed) == sizeof failed) {
		errno = failed;
		notice("%s: %s", argv[0], strerror(failed));
	}
	close(said[0]);
	writeall(&t);
	return t.status;
}

/* seize - seize all threads of a process, including those that are made meanwhile. */
static void
seize(Tracer *t, pid_t pid)
{
	char path[64], name[32];
	struct dirent *e;
	bool more = true;
	DIR *d;

	snprintf(name, sizeof name, "process %d", (int)pid);
	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	while (more) {
		more = false;
		d = opendir(path);
		if (!d)
			err(name, "no such process");
		while ((e = readdir(d))) {
			pid_t tid = (pid_t)strtol(e->d_name, NULL, 10);
			Thread *th;

			if (tid <= 0 || findthread(t, tid))
				continue;
			if (ptrace(PTRACE_SEIZE, tid, NULL, OPTIONS) != 0) {
				if (errno == ESRCH)
					continue;
				closedir(d);
				forbidden(name);
			}
			th = newthread(t, tid);
			th->pid = pid;
			th->here = true;
			more = true;
		}
		closedir(d);
	}
}

int
traceprocess(pid_t pid, double seconds, const Wish *wish, Arena *run)
{
	Tracer t = {.run = run, .wish = wish, .first = pid, .attached = true};
	struct sigaction sa = {.sa_handler = stopall};
	struct itimerval until = {
		.it_value = {.tv_sec = (time_t)seconds,
			     .tv_usec = (suseconds_t)((seconds - (double)(time_t)seconds) * 1e6)}};
	Space *sp;
	int i;

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
	sigaction(SIGALRM, &sa, NULL);
	outdir();
	seize(&t, pid);
	halt(&t);
	if (!t.nthread)
		err("attach", "process %d has ended", (int)pid);
	t.thread[0]->run = runof(&t, pid);
	t.thread[0]->run->runs++;
	sp = t.thread[0]->sp = newspace(&t, pid);
	sp->refs = t.nthread;
	sp->entry = auxval(pid, AT_ENTRY);
	if (sp->mem < 0 || !sp->entry || !t.thread[0]->run->ntarget)
		err("attach", "process %d: the program cannot be read", (int)pid);
	if (wish->times)
		t.thread[0]->run->cost = stopcost(sp, t.thread[0]->tid);
	lookaround(&t, t.thread[0]);
	for (i = 0; i < t.nthread; i++) {
		t.thread[i]->sp = sp;
		t.thread[i]->run = t.thread[0]->run;
	}
	if (seconds > 0)
		setitimer(ITIMER_REAL, &until, NULL);
	for (i = 0; i < t.nthread; i++)
		resume(t.thread[i], PTRACE_CONT, 0);
	watch(&t);
	if (t.nthread)
		quit(&t);
	writeall(&t);
	return t.status;
}
