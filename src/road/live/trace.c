/* trace.c - processes and threads, and what happens to them.
 *
 * A thread runs until it comes to a probe, a signal, a new thread or process, exec or its end.
 * Of all that the kernel tells us; what concerns us is done, and the thread goes on as if
 * nothing had been. */

#include "live.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct Spot Spot;
typedef struct Sigframe Sigframe;
typedef struct Thread Thread;
typedef struct Tracer Tracer;

/* A probe of some image. */
struct Spot {
	Image *im;
	int probe;
};

/* What a signal handler has interrupted. */
struct Sigframe {
	uint64_t sp; /* stack when it has returned */
	uint64_t rip;
	Spot last, again;
};

struct Thread {
	pid_t tid, pid;
	Space *sp; /* NULL before it is known whose child it is */
	Run *run;
	Spot last;  /* the probe that it came to last */
	Spot again; /* one that it comes to once more, and was counted */
	int seam;   /* probes from here on were made in a block that it was in; INT_MAX */
	Sigframe *frame;
	int nframe;
	size_t capframe;
	Timing timing;
	int into;      /* signal whose handler it is about to enter; 0 */
	int fatal;     /* the last signal that it got */
	bool starting; /* before the first instruction of the program itself */
	bool loading;  /* its system calls are watched: it loads libraries */
	bool stopped;  /* it waits for us */
	bool quiet;    /* it is not to be counted, but shares memory with who is */
	bool leave;    /* it is to be let go when it stops */
	bool here;     /* it has stopped for the first time */
	bool gone;
};

struct Tracer {
	Arena *run;
	const Wish *wish;
	Thread **thread;
	int nthread;
	size_t capthread;
	Run **prog;
	int nprog;
	size_t capprog;
	pid_t first; /* the process that it is all about */
	int status;  /* how that ended */
	bool ended;
	bool attached;
};

enum { PATIENCE = 256 }; /* instructions that we do for a thread before it runs again */

static volatile sig_atomic_t enough; /* somebody wants us to end */
static pid_t child;

static Thread *
findthread(const Tracer *t, pid_t tid)
{
	int i;

	for (i = 0; i < t->nthread; i++)
		if (t->thread[i]->tid == tid)
			return t->thread[i];
	return NULL;
}

static Thread *
newthread(Tracer *t, pid_t tid)
{
	Thread *th = anew(t->run, Thread, 1);

	*th = (Thread){.tid = tid,
		       .pid = tid,
		       .last.probe = NONE,
		       .again.probe = NONE,
		       .seam = INT_MAX,
		       .timing.tid = tid};
	apush(t->run, t->thread, t->nthread, t->capthread);
	t->thread[t->nthread++] = th;
	return th;
}

static void
release(Space *sp)
{
	if (!sp || --sp->refs)
		return;
	close(sp->mem);
	areset(&sp->run);
}

static void
dropthread(Tracer *t, Thread *th)
{
	int i;

	release(th->sp);
	if (th->run)
		th->run->stops += th->timing.stops;
	endtiming(&th->timing);
	th->gone = true;
	for (i = 0; i < t->nthread; i++)
		if (t->thread[i] == th)
			t->thread[i] = t->thread[--t->nthread];
}

/* newspace - of a process. */
static Space *
newspace(Tracer *t, pid_t pid)
{
	Space *sp = anew(t->run, Space, 1);
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
	sp->pid = pid;
	sp->mem = open(path, O_RDWR | O_CLOEXEC);
	sp->refs = 1;
	sp->counting = true;
	return sp;
}

/* copyspace - for a child that has a copy of the memory. */
static Space *
copyspace(Tracer *t, const Space *old, pid_t pid)
{
	Space *sp = newspace(t, pid);
	int i;

	sp->program = old->program;
	sp->entry = old->entry;
	for (i = 0; i < old->nmod; i++) {
		Mod *m;

		apush(&sp->run, sp->mod, sp->nmod, sp->capmod);
		m = &sp->mod[sp->nmod++];
		*m = old->mod[i];
		m->slot = anew(&sp->run, int, m->capslot + 1);
		m->owner = anew(&sp->run, int, m->capowner + 1);
		if (m->nslotted)
			memcpy(m->slot, old->mod[i].slot, (size_t)m->nslotted * sizeof *m->slot);
		if (m->nslot)
			memcpy(m->owner, old->mod[i].owner, (size_t)m->nslot * sizeof *m->owner);
	}
	for (i = 0; i < old->ntrap; i++)
		puttrap(sp, &old->trap[i]);
	return sp;
}

/* imageof - a file, as the processes of a program use it; NULL if it is none for us. */
static Image *
imageof(const Tracer *t, Run *run, const char *path)
{
	Image *im;
	int i;

	for (i = 0; i < run->nimage; i++)
		if (strcmp(run->image[i]->path, path) == 0)
			return run->image[i];
	im = openimage(path, t->run);
	if (!im)
		return NULL;
	if (run->nimage == 0) {
		run->wish = *t->wish;
		if (!im->debug && !run->wish.given && t->nprog == 1)
			run->wish.unit = FUNCTIONS;
		if (t->nprog == 1
		    && (run->wish.unit != t->wish->unit || (!im->debug && run->wish.unit == LINES)))
			fprintf(stderr, "tally: %s: has no debug information: %s\n", path,
				run->wish.given ? "it has no lines to count"
						: "calls of functions are counted");
	}
	choosecode(im, &run->wish, run->nimage == 0);
	apush(t->run, run->image, run->nimage, run->capimage);
	run->image[run->nimage++] = im;
	return im;
}

/* addmodule - that a process has loaded, with its probes. */
static void
addmodule(const Thread *th, Image *im, uint64_t bias)
{
	Space *sp = th->sp;
	uint64_t at;
	Mod *m;
	int i;

	for (i = 0; i < sp->nmod; i++)
		if (sp->mod[i].im == im && sp->mod[i].bias == bias) {
			sp->mod[i].here = true;
			return;
		}
	apush(&sp->run, sp->mod, sp->nmod, sp->capmod);
	m = &sp->mod[sp->nmod++];
	*m = (Mod){.im = im, .bias = bias, .here = true};
	if (sp->counting)
		putbreaks(sp, m);
	at = imagesym(im, "_dl_debug_state");
	if (at)
		addtrap(sp, bias + at, ATLIBS);
	at = imagesym(im, "_Unwind_SetIP");
	if (at)
		addtrap(sp, bias + at, ATLANDING);
}

/* forgetgone - modules that are gone, with the traps in them. */
static void
forgetgone(Space *sp)
{
	int i, k, n = 0;

	for (i = 0; i < sp->nmod; i++) {
		const Mod *m = &sp->mod[i];

		if (m->here) {
			sp->mod[n++] = *m;
			continue;
		}
		for (k = 0; k < sp->ntrap; k++)
			if (modat(sp, sp->trap[k].addr) == m)
				sp->trap[k].addr = 0;
	}
	sp->nmod = n;
}

/* lookaround - what is loaded. */
static void
lookaround(Tracer *t, Thread *th)
{
	char path[64], line[PATH_MAX + 256];
	FILE *f;
	int i;

	for (i = 0; i < th->sp->nmod; i++)
		th->sp->mod[i].here = false;
	snprintf(path, sizeof path, "/proc/%d/maps", (int)th->tid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof line, f)) {
		unsigned long begin, end, off;
		char perm[8];
		int at = 0, k;
		Image *im;

		if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %n", &begin, &end, perm, &off, &at) < 4
		    || !at || line[at] != '/' || perm[2] != 'x')
			continue;
		line[strcspn(line, "\n")] = 0;
		im = imageof(t, th->run, line + at);
		for (k = 0; im && k < im->ntext; k++) {
			uint64_t mask = 4095;

			if ((im->text[k].offset & ~mask) == off) {
				addmodule(th, im, begin - (im->text[k].addr & ~mask));
				break;
			}
		}
	}
	if (f)
		fclose(f);
	forgetgone(th->sp);
}

/* auxval - what the kernel told a program when it began; 0. */
static uint64_t
auxval(pid_t pid, uint64_t type)
{
	char path[64];
	uint64_t pair[2];
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/auxv", (int)pid);
	f = fopen(path, "rb");
	while (f && fread(pair, sizeof pair, 1, f) == 1)
		if (pair[0] == type) {
			fclose(f);
			return pair[1];
		}
	if (f)
		fclose(f);
	return 0;
}

/* runof - what is known of a program. */
static Run *
runof(Tracer *t, pid_t pid)
{
	char link[64], path[PATH_MAX] = "";
	ssize_t n;
	Run *run;
	int i;

	snprintf(link, sizeof link, "/proc/%d/exe", (int)pid);
	n = readlink(link, path, sizeof path - 1);
	path[n > 0 ? n : 0] = 0;
	for (i = 0; i < t->nprog; i++)
		if (t->prog[i]->nimage && strcmp(t->prog[i]->image[0]->path, path) == 0)
			return t->prog[i];
	run = anew(t->run, Run, 1);
	run->pid = pid;
	run->begun = (uint64_t)time(NULL);
	apush(t->run, t->prog, t->nprog, t->capprog);
	t->prog[t->nprog++] = run;
	imageof(t, run, path);
	return run;
}

/* begin - a process has a new program. */
static void
begin(Tracer *t, Thread *th)
{
	release(th->sp);
	th->sp = newspace(t, th->tid);
	th->run = runof(t, th->tid);
	th->run->runs++;
	th->sp->entry = auxval(th->tid, AT_ENTRY);
	if (t->wish->times && !th->run->cost.wall)
		th->run->cost = stopcost(th->sp, th->tid);
	lookaround(t, th);
	if (auxval(th->tid, AT_BASE)) {
		addtrap(th->sp, th->sp->entry, ATENTRY);
		th->loading = th->starting = true;
	}
}

/* resume - let a thread go on. */
static void
resume(Thread *th, int how, int sig)
{
	if (how == PTRACE_CONT && th->loading)
		how = PTRACE_SYSCALL;
	th->stopped = false;
	ptrace(how, th->tid, NULL, (long)sig);
}

static void
setregs(const Thread *th, struct user_regs_struct *r)
{
	r->orig_rax = ~0ull; /* it is not in a system call */
	ptrace(PTRACE_SETREGS, th->tid, NULL, r);
}

/* seams - threads that are in a block which has just been split were counted behind the
 * seam already. */
static void
seams(const Tracer *t, const Image *im, int first, const Thread *but)
{
	int i;

	for (i = 0; i < t->nthread; i++)
		if (t->thread[i] != but && t->thread[i]->last.im == im
		    && t->thread[i]->seam == INT_MAX)
			t->thread[i]->seam = first;
}

/* discover - control is about to come to an address. */
static void
discover(Tracer *t, const Thread *th, uint64_t addr)
{
	Mod *m = modat(th->sp, addr);
	int first, i, k;

	if (!m || !m->im->chosen)
		return;
	first = m->im->nprobe;
	learn(m->im, addr - m->bias);
	if (m->im->nprobe == first)
		return;
	seams(t, m->im, first, th);
	for (i = 0; i < t->nthread; i++)
		for (k = 0; t->thread[i]->sp && k < t->thread[i]->sp->nmod; k++)
			if (t->thread[i]->sp->mod[k].im == m->im && t->thread[i]->sp->counting)
				putbreaks(t->thread[i]->sp, &t->thread[i]->sp->mod[k]);
}

/* once - what was asked is whether it runs: take a probe away, everywhere. */
static void
once(const Tracer *t, Image *im, Probe *p)
{
	size_t len;
	const uint8_t *code = codeof(im, p->addr, &len);
	int i, k;

	p->off = true;
	for (i = 0; i < t->nthread; i++)
		for (k = 0; t->thread[i]->sp && k < t->thread[i]->sp->nmod; k++) {
			const Mod *m = &t->thread[i]->sp->mod[k];

			if (m->im == im && !trapat(t->thread[i]->sp, m->bias + p->addr))
				writemem(t->thread[i]->sp, m->bias + p->addr, code, 1);
		}
}

/* called - a thread enters a function, whose time is wanted. */
static void
called(const Tracer *t, Thread *th, Image *im, int sym, uint64_t sp)
{
	uint64_t back = 0;

	timereturn(&th->timing, sp, true, th->run->cost);
	timecall(&th->timing, im, sym, sp, t->run);
	if (readmem(th->sp, sp, &back, sizeof back) && back)
		addtrap(th->sp, back, ATCALLER);
}

/* hit - a thread is at a probe, with that stack. */
static void
hit(const Tracer *t, Thread *th, Image *im, int i, uint64_t sp)
{
	Probe *p = &im->probe[i], *q = NULL;
	bool counted = th->again.im == im && th->again.probe == i;

	if (th->last.im == im && th->last.probe != NONE)
		q = &im->probe[th->last.probe];
	if (i >= th->seam && th->last.im == im && p->before == th->last.probe)
		counted = true; /* and fell over the seam */
	else
		th->seam = INT_MAX;
	th->again.probe = NONE;
	th->last = (Spot){im, i};
	if (counted || th->quiet || !th->sp->counting)
		return;
	p->count++;
	if (t->wish->coverage)
		once(t, im, p);
	if (!q || !q->next || q->sym != p->sym || !(*knowof(im, p->addr) & LEADS))
		;
	else if (q->end == INDIR)
		countroute(im, q->addr, p->addr);
	else if (p->addr == q->next && (q->end == PLAIN || q->end == COND))
		q->fell++;
	else if (p->addr == q->target)
		q->taken++;
	else
		q = NULL;
	if (t->wish->times && p->addr == im->sym[p->sym].range->begin
	    && !(q && q->next && q->sym == p->sym))
		called(t, th, im, p->sym, sp);
}

/* addstop - a thread is at an address, and will not go on, as far as we know. */
static void
addstop(Image *im, uint64_t addr, bool behind)
{
	int i;

	for (i = 0; i < im->nstop; i++)
		if (im->stop[i].addr == addr && im->stop[i].behind == behind)
			break;
	if (i == im->nstop) {
		apush(im->run, im->stop, im->nstop, im->capstop);
		im->stop[im->nstop++] = (Stop){.addr = addr, .behind = behind};
	}
	im->stop[i].times++;
}

/* follows - whether a block that a probe is the last of leads to an address. */
static bool
follows(const Probe *q, uint64_t addr)
{
	if (!q->next || q->end == CALL || q->end == RETURN)
		return false;
	return q->end == INDIR || addr == q->target || (addr == q->next && q->end != JUMP);
}

/* noteaddr - control leaves the program at an address; that was the probe before it.  Returns the
 * image, if it is in code that is counted; NULL. */
static Image *
noteaddr(const Space *sp, uint64_t addr, Spot last)
{
	const Mod *m = modat(sp, addr);
	int sym, i;

	if (!m)
		return NULL;
	addr -= m->bias;
	sym = symat(m->im, addr);
	if (sym == NONE || !m->im->sym[sym].chosen)
		return NULL;
	i = probeat(m->im, addr);
	if (last.im == m->im && last.probe != NONE && last.probe == probebefore(m->im, addr))
		addstop(m->im, addr, false);
	else if (i != NONE && last.im == m->im && last.probe != NONE
		 && follows(&m->im->probe[last.probe], addr)) /* it is not counted there yet */
		addstop(m->im, m->im->probe[last.probe].next, true);
	return m->im;
}

/* dropframes - signal handlers from the n-th on will not return. */
static void
dropframes(Thread *th, int n)
{
	while (th->nframe > n) {
		const Sigframe *f = &th->frame[--th->nframe];

		noteaddr(th->sp, f->rip, f->last);
	}
}

/* returned - a signal handler has; its context is on the stack.  It may have changed where the
 * thread goes on: then it is another one that does, of those that share threads. */
static void
returned(Thread *th, uint64_t sp)
{
	enum { SAVEDRIP = 168 }; /* in a ucontext_t */
	uint64_t rip = 0;
	int i;

	for (i = th->nframe - 1; i >= 0 && th->frame[i].sp != sp; i--)
		;
	if (i < 0)
		return;
	dropframes(th, i + 1);
	readmem(th->sp, sp + SAVEDRIP, &rip, sizeof rip);
	th->last = th->again = (Spot){NULL, NONE};
	if (rip == th->frame[i].rip) {
		th->last = th->frame[i].last;
		th->again = th->frame[i].again;
	}
	th->nframe = i;
}

/* sprung - a thread is at a trap. */
static void
sprung(Tracer *t, Thread *th, Trapkind kind, const struct user_regs_struct *r)
{
	switch (kind) {
	case ATENTRY: th->loading = th->starting = false; break;
	case ATLIBS: /* before and after */
		lookaround(t, th);
		th->loading = th->starting || !th->loading;
		break;
	case ATLANDING: discover(t, th, r->rsi); break;
	case ATRETURN: returned(th, r->rsp); break;
	case ATCALLER: break; /* it has been seen to */
	}
}

/* inplace - execute an instruction where it is, since it cannot be anywhere else. */
static void
inplace(Tracer *t, Thread *th, uint64_t addr, uint8_t first)
{
	static const uint8_t stop = 0xcc;
	int status;

	if (th->sp->refs > 1)
		th->run->lost = true; /* another thread may slip by */
	writemem(th->sp, addr, &first, 1);
	ptrace(PTRACE_SINGLESTEP, th->tid, NULL, NULL);
	if (waitpid(th->tid, &status, __WALL) == th->tid && WIFSTOPPED(status)) {
		writemem(th->sp, addr, &stop, 1);
		if (WSTOPSIG(status) != SIGTRAP)
			syscall(SYS_tgkill, th->pid, th->tid, WSTOPSIG(status));
	}
	(void)t;
}

/* proceed - with a thread that is at an address with a probe or a trap: it is counted, and goes
 * on with the instruction that is there in fact. */
static void
proceed(Tracer *t, Thread *th, struct user_regs_struct *r)
{
	int left;

	for (left = PATIENCE; left > 0; left--) {
		Trap *trap = trapat(th->sp, r->rip);
		Mod *m = modat(th->sp, r->rip);
		int i = m ? probeat(m->im, r->rip - m->bias) : NONE;
		const uint8_t *code;
		const Insn *in;
		size_t len;
		uint64_t slot;

		if (i != NONE && i >= m->planted)
			i = NONE;
		if (t->wish->times)
			timereturn(&th->timing, r->rsp, false, th->run->cost);
		if (trap)
			sprung(t, th, trap->kind, r);
		trap = trapat(th->sp, r->rip); /* it may have moved */
		m = modat(th->sp, r->rip);
		if (i == NONE && !trap)
			break;
		if (i != NONE)
			hit(t, th, m->im, i, r->rsp);
		in = i != NONE ? &m->im->probe[i].in : &trap->in;
		code = i != NONE ? codeof(m->im, m->im->probe[i].addr, &len) : trap->code;
		if (turn(th->sp, in, code, r->rip, r)) {
			if (in->turn == INDIR && i != NONE)
				discover(t, th, r->rip);
			continue;
		}
		slot = i != NONE ? slotof(th->sp, m, i, th->tid) : trapslot(th->sp, trap, th->tid);
		if (!slot) {
			setregs(th, r);
			inplace(t, th, r->rip, code[0]);
			resume(th, PTRACE_CONT, 0);
			return;
		}
		r->rip = slot;
		break;
	}
	setregs(th, r);
	resume(th, PTRACE_CONT, 0);
}

/* settle - take a thread out of a slot, for somebody may see where it is. */
static void
settle(Thread *th)
{
	struct user_regs_struct r;
	uint64_t addr;
	bool before;
	Mod *m;
	int i;

	if (ptrace(PTRACE_GETREGS, th->tid, NULL, &r) != 0)
		return;
	addr = r.rip;
	if (!unslot(th->sp, &addr, &i, &m, &before))
		return;
	r.rip = addr;
	if (before && i >= 0)
		th->again = (Spot){m->im, i};
	ptrace(PTRACE_SETREGS, th->tid, NULL, &r);
}

/* iscaught - whether a process has a handler for a signal. */
static bool
iscaught(pid_t tid, int sig)
{
	unsigned long long mask = 0;
	char path[64], line[256];
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/status", (int)tid);
	for (f = fopen(path, "r"); f && fgets(line, sizeof line, f);)
		if (sscanf(line, "SigCgt: %llx", &mask) == 1)
			break;
	if (f)
		fclose(f);
	return mask >> (sig - 1) & 1;
}

/* truthful - what the kernel tells of a fault has the address of the slot. */
static void
truthful(const Thread *th, int sig, uint64_t from, uint64_t to)
{
	siginfo_t info;

	if ((sig != SIGILL && sig != SIGFPE && sig != SIGTRAP)
	    || ptrace(PTRACE_GETSIGINFO, th->tid, NULL, &info) != 0
	    || (uint64_t)info.si_addr != from)
		return;
	info.si_addr = (void *)to; /* NOLINT(performance-no-int-to-ptr) */
	ptrace(PTRACE_SETSIGINFO, th->tid, NULL, &info);
}

/* isfault - whether a signal comes from what the thread does there. */
static bool
isfault(const Thread *th, int sig)
{
	siginfo_t info;

	return (sig == SIGSEGV || sig == SIGBUS || sig == SIGILL || sig == SIGFPE || sig == SIGTRAP)
	       && ptrace(PTRACE_GETSIGINFO, th->tid, NULL, &info) == 0 && info.si_code > 0;
}

/* stepout - before a thread gets a signal, let it do the instruction that it was counted for, if
 * it has not begun with it; unless that may wait for the signal.  Returns the signal that it
 * gets now; 0 if it comes later. */
static int
stepout(const Thread *th, int sig)
{
	static const uint8_t call[2] = {0x0f, 0x05};
	struct user_regs_struct r;
	uint64_t addr;
	uint8_t code[2];
	siginfo_t info;
	bool before;
	Mod *m;
	int i, status;

	if (ptrace(PTRACE_GETREGS, th->tid, NULL, &r) != 0
	    || ptrace(PTRACE_GETSIGINFO, th->tid, NULL, &info) != 0)
		return sig;
	addr = r.rip;
	if (!unslot(th->sp, &addr, &i, &m, &before) || !before
	    || !readmem(th->sp, r.rip, code, sizeof code) || memcmp(code, call, sizeof code) == 0)
		return sig;
	ptrace(PTRACE_SINGLESTEP, th->tid, NULL, NULL);
	if (waitpid(th->tid, &status, __WALL) != th->tid || !WIFSTOPPED(status))
		return 0;
	if (WSTOPSIG(status) == SIGTRAP && status >> 16 == 0) {
		ptrace(PTRACE_SETSIGINFO, th->tid, NULL, &info);
		return sig;
	}
	syscall(SYS_tgkill, th->pid, th->tid, sig); /* something else is first */
	return status >> 16 ? 0 : WSTOPSIG(status);
}

/* deliver - a signal to the program. */
static void
deliver(Tracer *t, Thread *th, int sig)
{
	struct user_regs_struct was, is;

	if (!isfault(th, sig))
		sig = stepout(th, sig);
	if (!sig) {
		resume(th, PTRACE_CONT, 0);
		return;
	}
	ptrace(PTRACE_GETREGS, th->tid, NULL, &was);
	settle(th);
	ptrace(PTRACE_GETREGS, th->tid, NULL, &is);
	truthful(th, sig, was.rip, is.rip);
	th->fatal = sig;
	if (!iscaught(th->tid, sig)) {
		resume(th, PTRACE_CONT, sig);
		return;
	}
	apush(t->run, th->frame, th->nframe, th->capframe);
	th->frame[th->nframe++] = (Sigframe){.rip = is.rip, .last = th->last, .again = th->again};
	th->into = sig;
	resume(th, PTRACE_SINGLESTEP, sig);
}

/* entered - a thread is at the first instruction of a signal handler: know when it returns. */
static void
entered(Thread *th, const struct user_regs_struct *r)
{
	Sigframe *f = &th->frame[th->nframe - 1];
	uint64_t back = 0;

	th->into = 0;
	th->last.probe = th->again.probe = NONE;
	f->sp = r->rsp + 8;
	if (readmem(th->sp, r->rsp, &back, sizeof back) && back)
		addtrap(th->sp, back, ATRETURN);
	resume(th, PTRACE_CONT, 0);
}

/* trapped - SIGTRAP: by a probe or a trap, or the program's own. */
static void
trapped(Tracer *t, Thread *th)
{
	struct user_regs_struct r;
	const Mod *m;
	siginfo_t info;
	int i;

	if (ptrace(PTRACE_GETREGS, th->tid, NULL, &r) != 0)
		return;
	if (th->into) {
		entered(th, &r);
		return;
	}
	m = modat(th->sp, r.rip - 1);
	i = m ? probeat(m->im, r.rip - 1 - m->bias) : NONE;
	if (i != NONE && i >= m->planted)
		i = NONE;
	if ((i != NONE || trapat(th->sp, r.rip - 1))
	    && ptrace(PTRACE_GETSIGINFO, th->tid, NULL, &info) == 0 && info.si_code == SI_KERNEL) {
		r.rip--;
		proceed(t, th, &r);
		return;
	}
	deliver(t, th, SIGTRAP);
}

/* loads - after a system call of a thread that loads libraries. */
static void
loads(Tracer *t, Thread *th)
{
	struct user_regs_struct r;

	if (ptrace(PTRACE_GETREGS, th->tid, NULL, &r) == 0
	    && ((r.orig_rax == SYS_mmap && (r.rdx & PROT_EXEC))
		|| (r.orig_rax == SYS_mprotect && (r.rdx & PROT_EXEC)))
	    && (int64_t)r.rax >= 0)
		lookaround(t, th);
	resume(th, PTRACE_CONT, 0);
}

/* letgo - a process that is not to be followed. */
static void
letgo(Tracer *t, Thread *th)
{
	if (th->sp) {
		settle(th);
		removeprobes(th->sp);
	}
	ptrace(PTRACE_DETACH, th->tid, NULL, NULL);
	dropthread(t, th);
}

/* start - a thread has stopped for the first time, and it is known who made it. */
static void
start(Tracer *t, Thread *th)
{
	if (th->leave)
		letgo(t, th);
	else
		resume(th, PTRACE_CONT, 0);
}

/* sharesmemory - whether two processes or threads do. */
static bool
sharesmemory(pid_t a, pid_t b, int event)
{
	long same = syscall(SYS_kcmp, a, b, 1 /* KCMP_VM */, 0, 0);

	return same < 0 ? event != PTRACE_EVENT_FORK : same == 0;
}

/* processof - the process that a thread belongs to. */
static pid_t
processof(pid_t tid)
{
	char path[64], line[256];
	int pid = (int)tid;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/status", (int)tid);
	for (f = fopen(path, "r"); f && fgets(line, sizeof line, f);)
		if (sscanf(line, "Tgid: %d", &pid) == 1)
			break;
	if (f)
		fclose(f);
	return pid;
}

/* born - a thread has made another, or a process. */
static void
born(Tracer *t, Thread *th, int event)
{
	unsigned long tid = 0;
	Thread *new;

	ptrace(PTRACE_GETEVENTMSG, th->tid, NULL, &tid);
	new = findthread(t, (pid_t)tid);
	if (!new)
		new = newthread(t, (pid_t)tid);
	new->pid = processof(new->tid);
	new->run = th->run;
	if (sharesmemory(th->tid, new->tid, event)) {
		new->sp = th->sp;
		new->sp->refs++;
		new->quiet = th->quiet || (new->pid != th->pid && t->wish->follow != FOLLOWALL);
	} else {
		new->sp = copyspace(t, th->sp, new->tid);
		new->leave = t->wish->follow != FOLLOWALL;
	}
	if (new->pid != th->pid && !new->quiet && !new->leave)
		th->run->runs++;
	if (new->here)
		start(t, new);
	resume(th, PTRACE_CONT, 0);
}

/* noteplace - where a thread ends, or is let go. */
static void
noteplace(Thread *th, bool died)
{
	struct user_regs_struct r;
	bool before = false;
	const Mod *m;
	Mod *in = NULL;
	uint64_t addr;
	int i;

	if (!th->sp || th->quiet || ptrace(PTRACE_GETREGS, th->tid, NULL, &r) != 0)
		return;
	addr = r.rip;
	unslot(th->sp, &addr, &i, &in, &before);
	if (died) {
		m = modat(th->sp, addr);
		th->run->in = noteaddr(th->sp, addr, th->last);
		th->run->place = m ? addr - m->bias : 0;
		if (!th->run->in && th->last.probe != NONE) { /* in a library: who called it? */
			th->run->in = th->last.im;
			th->run->place = th->last.im->probe[th->last.probe].addr;
		}
	} else {
		noteaddr(th->sp, addr, th->last);
	}
	dropframes(th, 0);
}

/* exiting - a thread is about to end. */
static void
exiting(Thread *th)
{
	unsigned long code = 0;

	ptrace(PTRACE_GETEVENTMSG, th->tid, NULL, &code);
	if (th->run)
		timereturn(&th->timing, UINT64_MAX, true, th->run->cost);
	noteplace(th, WIFSIGNALED((int)code) && th->fatal == WTERMSIG((int)code));
	resume(th, PTRACE_CONT, 0);
}

/* executed - a process has a new program. */
static void
executed(Tracer *t, Thread *th)
{
	int i;

	for (i = t->nthread - 1; i >= 0; i--)
		if (t->thread[i] != th && t->thread[i]->pid == th->pid)
			dropthread(t, t->thread[i]);
	if (th->run && !th->quiet)
		th->run->endings[ENDEXEC]++;
	if (th->sp)
		dropframes(th, 0);
	th->last.probe = th->again.probe = NONE;
	th->into = 0;
	th->loading = false;
	if ((th->run && t->wish->follow == FOLLOWNONE) || th->quiet) {
		release(th->sp);
		th->sp = NULL;
		th->run = NULL;
		letgo(t, th);
		return;
	}
	begin(t, th);
	resume(th, PTRACE_CONT, 0);
}

/* suspended - a process was stopped by a signal, as the shell would see it. */
static void
suspended(const Tracer *t, Thread *th)
{
	ptrace(PTRACE_LISTEN, th->tid, NULL, NULL);
	if (th->tid != t->first || t->attached)
		return;
	kill(getpid(), SIGSTOP);
	kill(t->first, SIGCONT); /* we go on, so it does */
}

static void
ended(Tracer *t, pid_t tid, int status)
{
	Thread *th = findthread(t, tid);
	Run *run = th ? th->run : NULL;

	if (tid == t->first) {
		t->ended = true;
		t->status = status;
	}
	if (th && run && th->pid == tid && !th->quiet) {
		run->endings[WIFSIGNALED(status)   ? ENDSIGNAL
			     : WEXITSTATUS(status) ? ENDFAILED
						   : ENDEXIT]++;
		if (WIFSIGNALED(status))
			run->signal = WTERMSIG(status);
		else
			run->status = WEXITSTATUS(status);
	}
	if (th)
		dropthread(t, th);
}

/* stopped - a thread has. */
static void
stopped(Tracer *t, pid_t tid, int status)
{
	int sig = WSTOPSIG(status), event = status >> 16;
	Thread *th = findthread(t, tid);

	if (!th)
		th = newthread(t, tid);
	th->stopped = true;
	th->timing.stops++;
	if (!th->here) {
		th->here = true;
		if (!th->sp && event != PTRACE_EVENT_EXEC)
			return; /* until it is known whose it is */
		if (event == PTRACE_EVENT_STOP && sig == SIGTRAP) {
			start(t, th);
			return;
		}
	}
	switch (event) {
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
	case PTRACE_EVENT_CLONE: born(t, th, event); return;
	case PTRACE_EVENT_EXEC: executed(t, th); return;
	case PTRACE_EVENT_EXIT: exiting(th); return;
	case PTRACE_EVENT_STOP:
		if (sig == SIGTRAP)
			resume(th, PTRACE_CONT, 0);
		else
			suspended(t, th);
		return;
	default: break;
	}
	if (sig == (SIGTRAP | 0x80))
		loads(t, th);
	else if (sig == SIGTRAP)
		trapped(t, th);
	else
		deliver(t, th, sig);
}

/* watch - until all threads are gone, or it is enough. */
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

/* isstruck - whether a thread that was asked to stop has met a breakpoint before, and will be told
 * so next. */
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

/* halt - all threads; what they were about to do is undone or remembered. */
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

/* giveback - the memory that a thread's process has for our copies. */
static void
giveback(const Thread *th)
{
	long arg[6] = {0};
	int k, sig;

	for (k = 0; k < th->sp->nmod; k++) {
		Mod *m = &th->sp->mod[k];

		if (!m->slots)
			continue;
		arg[0] = (long)m->slots;
		arg[1] = (long)m->room * SLOTSIZE;
		m->slots = 0;
		inject(th->sp, th->tid, SYS_munmap, arg, &sig);
		if (sig)
			syscall(SYS_tgkill, th->pid, th->tid, sig);
	}
}

/* quit - let everybody go, as they were. */
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

/* outfile - where the profile of a program goes. */
static char *
outfile(const Tracer *t, const Run *run)
{
	const char *dir = getenv("TALLY_DIR"), *path = run->image[0]->path, *base;
	Buf b = {.arena = t->run};

	dir = dir && *dir ? dir : "tally.out";
	if (mkdir(dir, 0777) != 0 && errno != EEXIST)
		syserr("mkdir %s", dir);
	base = strrchr(path, '/');
	bprintf(&b, "%s/%s.%d.%d.live.tally", dir, base ? base + 1 : path, (int)run->pid,
		(int)getpid());
	return b.s;
}

static void
writeall(const Tracer *t)
{
	int i, k;

	for (i = 0; i < t->nprog; i++) {
		bool any = false;

		for (k = 0; k < t->prog[i]->nimage; k++)
			any |= t->prog[i]->image[k]->chosen;
		if (!any && i == 0)
			fprintf(stderr, "tally: %s: nothing was counted: %s\n",
				t->prog[i]->nimage ? t->prog[i]->image[0]->path : "program",
				t->wish->nonly ? "--only names nothing in it"
					       : "it has no symbols, or none that are chosen");
		else if (any)
			writeprofile(t->prog[i], outfile(t, t->prog[i]));
	}
}

#define OPTIONS                                                                              \
	(PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC \
	 | PTRACE_O_TRACEEXIT | PTRACE_O_TRACESYSGOOD)

/* pass - a signal that somebody sends to us is meant for the program. */
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
	alarm(1); /* should it come just before we wait */
}

/* listen - to signals, as befits who stands for another program. */
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
		err(what, "may not be traced: somebody else traces it, or it is not yours, or "
			  "/proc/sys/kernel/yama/ptrace_scope or a container forbids it");
	syserr("trace %s", what);
}

/* together - on one processor a stop costs a third of what it costs on two. */
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
		fprintf(stderr, "tally: %s: %s\n", argv[0], strerror(failed));
	}
	close(said[0]);
	writeall(&t);
	return t.status;
}

/* seize - all threads of a process; those that are made meanwhile, too. */
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
			err(name, "there is none");
		while ((e = readdir(d))) {
			pid_t tid = (pid_t)atoi(e->d_name);
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
	seize(&t, pid);
	halt(&t);
	if (!t.nthread)
		err("attach", "process %d has ended", (int)pid);
	t.thread[0]->run = runof(&t, pid);
	t.thread[0]->run->runs++;
	sp = t.thread[0]->sp = newspace(&t, pid);
	sp->refs = t.nthread;
	sp->entry = auxval(pid, AT_ENTRY);
	if (sp->mem < 0 || !sp->entry || !t.thread[0]->run->nimage)
		err("attach", "process %d: its program cannot be read", (int)pid);
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
