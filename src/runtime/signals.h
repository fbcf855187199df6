/* signals.h - signals that end the process, handlers of the program, and threads that run at the
 * end.
 *
 * A signal without a handler may end the process, and the frames that are active then would be
 * missing.  So such signals get a handler of ours (fatal): it cuts the frames, closes the file,
 * restores the default action, and sends the signal again or lets the instruction fault again.
 * sigaction and the like tell the program what it set, not what we did.
 *
 * Handlers of the program are called through one of ours (deliver), for three reasons:
 *   - a signal may arrive between the three instructions of a triple; the handler may use the same
 *     counter, so the count is completed first;
 *   - it may arrive while this thread holds the lock (Hold): then it is put off until the lock is
 *     released;
 *   - the handler may return elsewhere, by changing the saved registers: then frames are left and
 *     others are entered, as by a longjmp.
 *
 * Threads that run when the process ends are stopped one after the other, by a signal that programs
 * cannot block, to leave their frames.  The same signal tells a thread to move to another
 * distance. */

#ifndef SIGNALS_H
#define SIGNALS_H

#include "arch/x86/ours.h"
#include "astray.h"
#include "contexts.h"

#define SIGBIT(sig) (1ull << ((sig)-1))

/* Signals that do not end a process by default, that cannot be handled, or that are the C library's
 * own. */
#define HARMLESS                                                                                 \
	(SIGBIT(9) | SIGBIT(17) | SIGBIT(18) | SIGBIT(19) | SIGBIT(20) | SIGBIT(21) | SIGBIT(22) \
	 | SIGBIT(23) | SIGBIT(28) | SIGBIT(32) | SIGBIT(33))

/* Signals that a faulting instruction raises: it will fault again. */
#define FAULTS (SIGBIT(4) | SIGBIT(7) | SIGBIT(8) | SIGBIT(11))

enum { WITHINFO = 4, ONSTACK = 0x08000000, RESTART = 0x10000000, WITHRESTORER = 0x04000000 };
enum { ONCE = 0x80000000 };

/* The C library's own signals.  One serves pthread_cancel().  The other, which programs cannot
 * block, serves setuid() in processes with threads, which nobody needs when the process ends. */
enum { CANCELSIGNAL = 32, STOPSIGNAL = 33, SIGNALSEGV = 11 };

extern const char restore[] __attribute__((visibility("hidden")));
void onstack(void (*)(void *), void *, void *) __attribute__((visibility("hidden")));

/* restore - where handlers return to, in the very bytes by which debuggers recognize it.
 *
 * deliver - called in place of the program's handlers: calls the handler, or puts the signal off.
 * While the handler runs, this lies below what the kernel saved, and to unwinders the address where
 * the handler returns to (delivered) is in the frame of the signal:
 *
 *	delivered  rip  rsp  rbp  rbx  r12  r13  r14  r15  0  restorer  ucontext
 *
 * onstack - call a function on another stack. */
__asm__(".macro .Ltally_word of\n"
	"	pushq	\\of\n"
	"	.cfi_adjust_cfa_offset 8\n"
	".endm\n"
	/* unwind rules for the registers in a ucontext at this offset from the stack pointer */
	".macro .Ltally_one reg, at\n"
	"	.cfi_escape 0x10, \\reg, 3, 0x77, ((\\at) & 0x7f) | 0x80, (\\at) >> 7\n"
	".endm\n"
	".macro .Ltally_saved at\n"
	"	.cfi_escape 0x0f, 4, 0x77, ((\\at + 160) & 0x7f) | 0x80, (\\at + 160) >> 7, 0x06\n"
	"	.Ltally_one 8, \\at + 40\n"
	"	.Ltally_one 9, \\at + 48\n"
	"	.Ltally_one 10, \\at + 56\n"
	"	.Ltally_one 11, \\at + 64\n"
	"	.Ltally_one 12, \\at + 72\n"
	"	.Ltally_one 13, \\at + 80\n"
	"	.Ltally_one 14, \\at + 88\n"
	"	.Ltally_one 15, \\at + 96\n"
	"	.Ltally_one 5, \\at + 104\n"
	"	.Ltally_one 4, \\at + 112\n"
	"	.Ltally_one 6, \\at + 120\n"
	"	.Ltally_one 3, \\at + 128\n"
	"	.Ltally_one 1, \\at + 136\n"
	"	.Ltally_one 0, \\at + 144\n"
	"	.Ltally_one 2, \\at + 152\n"
	"	.Ltally_one 16, \\at + 168\n"
	".endm\n"
	".text\n"
	".type	restore, @function\n"
	"restore:\n"
	"	.byte	0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05\n"
	".type	deliver, @function\n"
	"deliver:\n"
	"	.cfi_startproc\n"
	"	pushq	%rdi\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq	%rsi\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq	%rdx\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	call	handlerof\n"
	"	popq	%rdx\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq	%rsi\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq	%rdi\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	testq	%rax, %rax\n"
	"	je	1f\n"
	"	.Ltally_word $0\n"
	"	.Ltally_word 96(%rdx)\n"
	"	.Ltally_word 88(%rdx)\n"
	"	.Ltally_word 80(%rdx)\n"
	"	.Ltally_word 72(%rdx)\n"
	"	.Ltally_word 128(%rdx)\n"
	"	.Ltally_word 120(%rdx)\n"
	"	.Ltally_word 160(%rdx)\n"
	"	.Ltally_word 168(%rdx)\n"
	"	leaq	delivered(%rip), %rcx\n"
	"	.Ltally_word %rcx\n"
	"	jmp	*%rax\n"
	"	.cfi_adjust_cfa_offset -80\n"
	"1:	ret\n"
	"	.cfi_endproc\n"
	"	.type	delivered, @function\n"
	"	.type	checked, @function\n"
	"	.cfi_startproc\n"
	"	.cfi_signal_frame\n"
	"	.Ltally_saved 80\n"
	"	nop\n" /* unwinders look up the address before a return address */
	"delivered:\n"
	"	movq	%rsp, %rdi\n"
	"	call	moved\n"
	"	addq	$72, %rsp\n"
	"	.Ltally_saved 8\n"
	"checked:\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".type	onstack, @function\n"
	"onstack:\n"
	"	pushq	%rbp\n"
	"	movq	%rsp, %rbp\n"
	"	movq	%rdx, %rsp\n"
	"	movq	%rdi, %rax\n"
	"	movq	%rsi, %rdi\n"
	"	call	*%rax\n"
	"	movq	%rbp, %rsp\n"
	"	popq	%rbp\n"
	"	ret\n");

static long
action(int sig, const Action *new, Action *old)
{
	return sys(__NR_rt_sigaction, sig, (long)new, (long)old, 8, 0, 0);
}

/* handle - install a handler; returns the previous action. */
static Action
handle(int sig, void *handler, uint64_t flags, uint64_t mask)
{
	Action a = {handler, flags | WITHINFO | WITHRESTORER, restore, mask}, was = {0};

	action(sig, &a, &was);
	return was;
}

/* Threads that run when the process ends: a signal asks each of them to leave its frames, and then
 * it waits for the end. */

/* park - wait, since the process will be gone soon.  If it is not, because what is left of it waits
 * for this thread, go on; further counts are lost. */
static void
park(void)
{
	static const long wait[2] = {0, 1000000};
	int i;

	for (i = 0; i < 1000 && p->closing; i++)
		SYS(__NR_nanosleep, wait, 0, 0);
}

/* stopped - if this thread has been asked to stop, do so: f is where it is; NULL if it is here. */
static void
stopped(const Frame *f)
{
	Frame from = {.interrupted = 0};

	if (__atomic_load_n(&p->stopping, __ATOMIC_ACQUIRE) != (int)SYS(__NR_gettid, 0, 0, 0))
		return;
	if (f)
		from = *f;
	else
		capture(&from);
	if (isleaving(from))
		p->hdr->flags |= PROFLOSTCUTS;
	leaveframes(&from, UINT64_MAX, 0, 0, CUTLEFT, NULL);
	__atomic_store_n(&p->stopping, 0, __ATOMIC_RELEASE);
	park();
}

static void
onstop(int sig, const void *info, const char *context)
{
	Frame f = {.careful = 1};

	(void)sig;
	(void)info;
	if (interrupted(&f, (uint64_t)context + SAVEDREGS))
		stopped(&f);
}

/* stop - stop a thread; returns false if it does not answer. */
static int
stop(int tid)
{
	static const long wait[2] = {0, 100000};
	int try;

	__atomic_store_n(&p->stopping, tid, __ATOMIC_RELEASE);
	if (SYS(__NR_tgkill, p->pid, tid, STOPSIGNAL) != 0)
		return 1;
	for (try = 0; try < 20000 && p->stopping; try++) {
		SYS(__NR_sched_yield, 0, 0, 0);
		if (try > 100)
			SYS(__NR_nanosleep, wait, 0, 0);
		if (!exists(tid))
			return 1;
	}
	return !__atomic_exchange_n(&p->stopping, 0, __ATOMIC_ACQUIRE);
}

/* runs - whether a thread runs.  When it ends it still exists for a while, even after it was
 * joined. */
static int
runs(int tid)
{
	char path[64] = "/proc/self/task/";

	if (!exists(tid))
		return 0;
	appendnumber(path, sizeof path, (uint64_t)tid, 10);
	append(path, sizeof path, "/stat");
	return !(p->hdr->start && told(path, FLAGS) & 4 /* PF_EXITING */) && exists(tid);
}

/* untold - how many threads besides this one have not said that they end, where the kernel cannot
 * be asked. */
static int
untold(void)
{
	const Thread *own = threadof(), *s;
	int n = 0;

	for (s = &p->main; s; s = s->next)
		n += s != own && s->taken && s->tid && !s->over && !s->ending;
	return n;
}

/* others - how many other threads there are. */
static int
others(void)
{
	int tid, n = 0;
	const Thread *s;

	if (p->sealed)
		return untold();
	tid = (int)SYS(__NR_gettid, 0, 0, 0);
	for (s = &p->main; s; s = s->next)
		n += s->taken && s->tid && s->tid != tid && runs(s->tid);
	return n;
}

/* usage - processor time used, in nanoseconds. */
static int64_t
usage(int clock)
{
	int64_t t[2] = {0, 0};

	SYS(__NR_clock_gettime, clock, t, 0);
	return t[0] * 1000000000 + t[1];
}

/* apart - how much processor time threads other than this one have used, including threads that are
 * gone: a lower bound or, with `most', an upper bound.  Two clocks are read one after the other;
 * the best of several tries is taken. */
static int64_t
apart(int most)
{
	enum { PROCESSTIME = 2, THREADTIME = 3, TRIES = 4 };
	int64_t best = 0, bound;
	int i;

	for (i = 0; i < TRIES; i++) {
		int64_t before = usage(THREADTIME), all = usage(PROCESSTIME);

		bound = all - (most ? before : usage(THREADTIME));
		if (i == 0 || (most ? bound < best : bound > best))
			best = bound;
	}
	return best;
}

/* isknown - whether a thread of this process has a Thread, or was there before us, or runs no user
 * code: the kernel's. */
static int
isknown(int tid)
{
	enum { KERNELS = 0x200000 | 0x4000 | 0x10 }; /* PF_KTHREAD, PF_USER_WORKER, PF_IO_WORKER */
	char path[64] = "/proc/self/task/";
	const Thread *s;
	int k;

	for (s = &p->main; s; s = s->next)
		if (s->taken && s->tid == tid)
			return 1;
	for (k = 0; k < p->nfirst; k++)
		if (p->first[k] == tid)
			return 1;
	appendnumber(path, sizeof path, (uint64_t)tid, 10);
	append(path, sizeof path, "/stat");
	return (told(path, FLAGS) & KERNELS) != 0;
}

/* strangers - how many threads there are of which we were not told.  A thread that has a Thread and
 * has not said yet which thread it is may be found, so those are subtracted.  With `keep', all
 * threads that are found are known from now on: they were there before us. */
static int
strangers(int keep)
{
	static char buf[1024];
	long fd = p->hdr->start
			  ? SYS(__NR_open, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
			  : -1,
	     n, at;
	const Thread *s;
	int unknown = 0;

	while (fd >= 0 && (n = SYS(__NR_getdents64, fd, buf, sizeof buf)) > 0)
		for (at = 0; at < n; at += *(const uint16_t *)(buf + at + 16)) {
			const char *name = buf + at + 19;

			if (*name == '.' || isknown((int)number(name)))
				continue;
			unknown++;
			if (keep && p->nfirst < MAXFIRST)
				p->first[p->nfirst++] = (int)number(name);
		}
	if (fd >= 0)
		SYS(__NR_close, fd, 0, 0);
	for (s = p->main.next; s; s = s->next)
		unknown -= s->taken && !s->tid;
	return unknown;
}

/* hascounted - whether anything was counted with a base of 0. */
static int
hascounted(void)
{
	const Mod *m;
	uint64_t i;

	for (m = p->mod; m; m = m->next)
		for (i = 0; !m->done && i < m->n; i++)
			if (((const uint64_t *)m->counters)[i])
				return 1;
	return 0;
}

/* stepaside - there were threads before us, as in programs with sanitizers.  They keep the base of
 * 0; this thread gets another one, and takes along what it has counted.  So it can be seen at the
 * end whether the others counted. */
static void
stepaside(void)
{
	Thread *s;
	Mod *m;

	strangers(1);
	if (p->flat || !(s = sparethread()))
		return;
	s->taken = 1;
	s->tid = p->main.tid;
	s->self = p->main.self;
	p->main.tid = 0;
	p->main.self = 0;
	for (m = p->mod; m; m = m->next) {
		uint64_t *from = (uint64_t *)m->counters, *to = from + s->D / 8, i;

		for (i = 0; i < m->n; i++)
			if (from[i]) {
				to[i] += from[i];
				from[i] = 0;
			}
	}
	setbase(s->D);
	p->aside = 1;
}

/* isshared - whether threads of which we were not told counted in another thread's counters, as far
 * as can be seen: a thread has no Thread; several were there before us, and something was counted
 * with their base; or we were told of none, but there are or were some. */
static int
isshared(void)
{
	if (p->sealed)
		return p->early || (!p->main.next && isthreaded());
	if (strangers(0) > 0)
		return 1;
	if (p->early)
		return !p->aside || (p->nfirst > 1 && hascounted());
	return !p->main.next
	       && (isthreaded() || p->main.tid != (int)SYS(__NR_gettid, 0, 0, 0)
		   || apart(0) > p->apart);
}

/* stopothers - the process ends: stop all threads but this one. */
static void
stopothers(void)
{
	int tid = (int)SYS(__NR_gettid, 0, 0, 0);
	const Thread *s;

	__atomic_store_n(&p->closing, 1, __ATOMIC_SEQ_CST);
	if (p->sealed) {
		if (untold())
			p->hdr->flags |= PROFALIVE;
		return;
	}
	if (!others())
		return;
	handle(STOPSIGNAL, onstop, ONSTACK | RESTART, ~0ull);
	for (s = &p->main; s; s = s->next)
		if (s->taken && s->tid && s->tid != tid && runs(s->tid) && !stop(s->tid))
			p->hdr->flags |= PROFALIVE;
	p->stopping = 0;
}

static void close(int ends);

/* ended - count how the process ended. */
static void
ended(int how)
{
	copy(p->hdr->endings, p->before, sizeof p->before);
	p->hdr->endings[how]++;
}

typedef struct Death Death;

struct Death {
	int signal;
	Frame at;
};

/* findplace - record the innermost frame of counted code. */
static void
findplace(Frame f)
{
	struct Profhdr *h = p->hdr;
	const Mod *m;

	do {
		uint64_t rip = f.reg[RIP];

		m = modat(rip);
		if (m && m->rec) {
			h->module = m->number + 1;
			h->place = rip - m->counters;
			h->kind = f.interrupted ? CUTINTERRUPTED : 0;
			return;
		}
	} while (step(&f) == 1);
}

static void
die(void *arg)
{
	Death *d = arg;

	p->hdr->signal = (uint32_t)d->signal;
	findplace(d->at);
	if (isleaving(d->at))
		p->hdr->flags |= PROFLOSTCUTS;
	leaveframes(&d->at, UINT64_MAX, 0, 0, CUTLEFT, NULL);
	p->ending = ENDSIGNAL;
	close(1);
}

/* again - send a signal to this thread once more. */
static void
again(int sig, int *info)
{
	sys(__NR_rt_tgsigqueueinfo, SYS(__NR_getpid, 0, 0, 0), SYS(__NR_gettid, 0, 0, 0), sig,
	    (long)info, 0, 0);
}

/* putoff - put a signal off if it arrived while this thread holds the lock by a Hold: all signals
 * are blocked where the handler returns to, and this one is queued again, to come when the thread
 * releases the lock.  Returns whether it was put off.  Uses little of the stack. */
static int
putoff(int sig, int *info, char *context)
{
	uint64_t *mask = (uint64_t *)(context + SAVEDMASK), sp, lock = p->lock;

	copy(&sp, context + SAVEDRSP, sizeof sp); /* near enough to be read */
	if (lock <= 1 || lock - sp >= 1 << 15 || ((Hold *)lock)->thread != threadpointer()
	    || ((SIGBIT(sig) & FAULTS) && info[2] > 0))
		return 0;
	again(sig, info);
	if (!((Hold *)lock)->putoff)
		__atomic_add_fetch(&p->inside, 1, __ATOMIC_SEQ_CST);
	((Hold *)lock)->mask = *mask;
	((Hold *)lock)->putoff = 1;
	*mask = ~0ull;
	return 1;
}

/* fatal - the handler of signals that the program does not handle.  The default action is restored
 * only when everything is recorded, since the same signal may come to other threads meanwhile. */
static void
fatal(int sig, int *info, char *context)
{
	static const Action none;
	Death d = {sig, {.careful = 1}};

	if (sig == SIGNALSEGV && info[2] > 0 && countastray(context))
		return;
	if (putoff(sig, info, context))
		return;
	if (p->hdr && isown() && interrupted(&d.at, (uint64_t)context + SAVEDREGS)) {
		enter(&d.at);
		if (p->hdr)
			onstack(die, &d, p->stack + sizeof p->stack);
		leave();
	}
	action(sig, &none, NULL);
	if (!(SIGBIT(sig) & FAULTS) || info[2] <= 0)
		again(sig, info);
}

/* complete - complete a count if a signal arrived between the instructions of a triple: its handler
 * may use the same counter. */
static void
complete(char *context)
{
	const int size = TRIPLESIZE + 2 * GSSIZE;
	const uint8_t *at;
	uint64_t rip;
	int n;

	copy(&rip, context + SAVEDRIP, sizeof rip);
	if (!iscounted(rip) || !(n = intriple((const uint8_t *)rip)))
		return;
	at = (const uint8_t *)rip - n;
	if (!iscounted((uint64_t)at) || !iscounted((uint64_t)at + size - 1) || !istriple(at))
		return;
	countown(triplecounter(at));
	rip = (uint64_t)at + size;
	copy(context + SAVEDRIP, &rip, sizeof rip);
}

/* Threads that move: a module was loaded for which there is no room at their distance. */

static void
onmove(int sig, void *info, char *context)
{
	void (*other)(int, void *, char *) = p->setxid.handler;
	int tid = (int)SYS(__NR_gettid, 0, 0, 0);
	Thread *s;

	for (s = p->main.next; s && !(s->moved && s->tid == tid); s = s->next)
		;
	if (s) {
		complete(context);
		setbase(s->D);
		__atomic_sub_fetch(&s->moved, 1, __ATOMIC_RELEASE);
	} else if ((uint64_t)other > 1) {
		other(sig, info, context); /* setuid() asks all threads */
	}
}

/* takemoves - use the handler of this copy. */
static void
takemoves(void)
{
	p->moves.handler = onmove;
	p->moves.restorer = restore;
	p->moves.flags = ONSTACK | RESTART | WITHINFO | WITHRESTORER;
	p->moves.mask = ~0ull;
}

/* hearmoves - install the handler of the host for STOPSIGNAL. */
static void
hearmoves(void)
{
	Action was;

	if (!p->moves.handler)
		takemoves(); /* this copy will be the host */
	if (action(STOPSIGNAL, &p->moves, &was) != 0 || p->setxid.flags)
		return;
	p->setxid = was;
	p->setxid.flags |= WITHINFO;
}

/* await - wait until a thread that was told to move has moved, or is gone. */
static void
await(const Thread *s)
{
	static const long wait[2] = {0, 100000};
	int try;

	for (try = 0; try < 20000 && exists(s->tid); try++) {
		if (!__atomic_load_n(&s->moved, __ATOMIC_ACQUIRE))
			return;
		SYS(__NR_nanosleep, wait, 0, 0);
	}
}

/* deafen - remove our handler of STOPSIGNAL: the last copy is unloaded. */
static void
deafen(void)
{
	const Thread *s;

	p->moves.handler = NULL;
	if (!p->setxid.flags)
		return;
	for (s = p->main.next; s; s = s->next)
		if (s->taken && s->moved)
			await(s);
	action(STOPSIGNAL, &p->setxid, NULL);
	p->setxid.flags = 0;
}

/* tell - tell a thread to count at its new distance.  It does so before it runs any more of the
 * program's code, because the signal is pending from now on. */
static void
tell(Thread *s)
{
	if (!s->tid)
		return; /* it is about to begin, and will use the new one */
	if (s->tid == (int)SYS(__NR_gettid, 0, 0, 0)) {
		setbase(s->D);
		return;
	}
	__atomic_add_fetch(&s->moved, 1, __ATOMIC_SEQ_CST);
	if (!p->setxid.flags)
		hearmoves();
	if (SYS(__NR_tgkill, p->pid, s->tid, STOPSIGNAL) != 0)
		__atomic_sub_fetch(&s->moved, 1, __ATOMIC_SEQ_CST); /* gone, or its queue is full */
}

/* move - move a thread to a distance where there is room for all modules; 0 or -1. */
static int
move(Thread *s, long fd)
{
	int failed;

	__atomic_store_n(&s->D, choose(), __ATOMIC_SEQ_CST);
	failed = !s->D || provideall(s, fd) != 0;
	if (failed) {
		s->D = 0;
		p->hdr->flags |= PROFTHREADS;
	}
	tell(s);
	return -failed;
}

/* handlerof - the program's handler for a signal that has arrived; NULL if nothing is to be called
 * now.  With SA_RESETHAND the default action is restored before the handler runs. */
__attribute__((used)) static void *
handlerof(int sig, int *info, char *context)
{
	void *handler = p->shadow[sig].handler;

	if (sig == SIGNALSEGV && info[2] > 0 && countastray(context))
		return NULL;
	checkbase();
	complete(context);
	if (putoff(sig, info, context))
		return NULL;
	if (!(p->shadow[sig].flags & ONCE))
		return handler;
	p->shadow[sig] = (Action){.flags = p->shadow[sig].flags, .mask = p->shadow[sig].mask};
	if (SIGBIT(sig) & HARMLESS)
		action(sig, &p->shadow[sig], NULL);
	else
		handle(sig, p->fatal, ONSTACK, ~0ull);
	return handler;
}

/* iscall - whether a handler made it look as if the code that it interrupted had called a
 * function. */
static int
iscall(const Frame *from, const Frame *to)
{
	uint64_t sp = to->reg[RSP];

	return sp < from->reg[RSP] && to->reg[RIP] != from->reg[RIP]
	       && *(const uint64_t *)sp == from->reg[RIP];
}

/* go - control goes from where a signal arrived to where its handler returns to. */
static void
go(const Frame *from, Frame *to)
{
	uint64_t sp = to->reg[RSP];

	if (iscall(from, to)) {
		*bridgeat(sp) = (Bridge){sp, *from};
		p->bridges = 1;
	} else {
		leaveall(from);
		enterframes(to);
	}
}

/* moved - a handler has returned.  `saved' has the registers as they were; those that the kernel
 * will restore may differ. */
__attribute__((used)) static void
moved(const uint64_t *saved)
{
	const uint64_t *regs = (const uint64_t *)((const char *)saved + SAVEDSIZE + 8 + SAVEDREGS);
	Frame from = {.interrupted = 1}, to = {.interrupted = 0};
	int held, i;
	Hold own;

	if (regs[16] == saved[0] && regs[15] == saved[1])
		return;
	if (!p->hdr || !isown())
		return;
	from.reg[RIP] = saved[0];
	from.reg[RSP] = saved[1];
	from.reg[RBP] = saved[2];
	from.reg[RBX] = saved[3];
	for (i = 12; i < 16; i++)
		from.reg[i] = saved[i - 8];
	interrupted(&to, (uint64_t)(regs));
	to.interrupted = 1;
	held = p->tls && hold(&own);
	if (!held)
		enter(&from);
	if (p->hdr)
		go(&from, &to);
	if (held)
		unhold(&own);
	else
		leave();
}

static int
isours(const void *handler)
{
	return handler && (handler == p->fatal || handler == p->deliver);
}

/* guard - make sure that we learn of a signal before it ends the process or is handled. */
static void
guard(int sig)
{
	Action now;

	if (sig == CANCELSIGNAL || sig == STOPSIGNAL || action(sig, NULL, &now) != 0
	    || isours(now.handler))
		return;
	if (!now.handler && !(SIGBIT(sig) & HARMLESS)) {
		p->shadow[sig] = now;
		handle(sig, p->fatal, ONSTACK, ~0ull);
	} else if ((uint64_t)now.handler > 1) {
		p->shadow[sig] = now;
		now.handler = p->deliver;
		now.flags &= ~(uint64_t)ONCE;
		now.flags |= WITHINFO;
		action(sig, &now, NULL);
	}
}

/* unseen - whether a signal has a handler that was installed without our knowing: counts that it
 * interrupted were not completed, and frames that it left are not known. */
static int
unseen(void)
{
	Action now;
	int sig;

	for (sig = 1; p->fatal && sig < NSIGNAL; sig++)
		if (sig != CANCELSIGNAL && sig != STOPSIGNAL && action(sig, NULL, &now) == 0
		    && (uint64_t)now.handler > 1 && !isours(now.handler))
			return 1;
	return 0;
}

/* unguard - restore the signal actions that the program set, or believes to be set. */
static void
unguard(void)
{
	Action now;
	int sig;

	for (sig = 1; sig < NSIGNAL; sig++)
		if (action(sig, NULL, &now) == 0 && isours(now.handler))
			action(sig, &p->shadow[sig], NULL);
	p->fatal = p->deliver = NULL;
}

/* guardall - handle signals by the handlers of this copy.  In a process with one thread, whose
 * signals are blocked now, an action can be read by replacing it. */
static void
guardall(void)
{
	int sig, threaded = isthreaded();
	Action now;

	if (p->fatal)
		unguard();
	p->fatal = (void *)fatal;
	p->deliver = (void *)deliver;
	takemoves();
	if (p->setxid.flags)
		hearmoves();
	for (sig = 1; sig < NSIGNAL; sig++) {
		if (!threaded && !(SIGBIT(sig) & HARMLESS)) {
			now = handle(sig, p->fatal, ONSTACK, ~0ull);
			p->shadow[sig] = now;
			if (!now.handler)
				continue;
			action(sig, &now, NULL);
		}
		guard(sig);
	}
}

typedef struct Libaction Libaction;

struct Libaction { /* struct sigaction of the C library */
	void *handler;
	uint64_t mask[16];
	int flags;
	void *restorer;
};

/* functionof - the function that a stand-in replaces. */
static void *
functionof(int which)
{
	return which < OTHER ? p->real[which] : p->other[which - OTHER];
}

/* setting - what sigaction's stand-ins do.  Keeps invariant 10. */
static int
setting(int which, int sig, const Libaction *new, Libaction *old)
{
	int (*real)(int, const Libaction *, Libaction *) = functionof(which), failed;
	Action was = {0};

	if (!p->fatal || sig < 1 || sig >= NSIGNAL || amowner())
		return real(sig, new, old);
	enter(NULL);
	was = p->shadow[sig];
	if (new && p->sealed && p->hdr && isown()) {
		Libaction ours = *new;

		p->shadow[sig] = (Action){new->handler, (uint32_t)new->flags | WITHRESTORER, restore,
					  new->mask[0]};
		if ((uint64_t)new->handler > 1)
			ours.handler = p->deliver;
		ours.flags |= WITHINFO;
		failed = real(sig, &ours, old);
		if (failed)
			p->shadow[sig] = was;
	} else {
		failed = real(sig, new, old);
		if (!failed && new && p->hdr && isown())
			guard(sig);
	}
	leave();
	if (!failed && old && isours(old->handler)) {
		old->handler = was.handler;
		old->flags = (int)was.flags;
		old->mask[0] = was.mask;
	}
	return failed;
}

static int
setaction(int sig, const Libaction *new, Libaction *old)
{
	return setting(SIGACTION, sig, new, old);
}

static int
setactionother(int sig, const Libaction *new, Libaction *old)
{
	return setting(OTHER + SIGACTION, sig, new, old);
}

/* setsignal - what the stand-ins of signal and the like do. */
static void *
setsignal(int sig, void *handler, int which)
{
	void *(*real)(int, void *) = functionof(which), *old;
	Action was = {0};

	if (!p->fatal || sig < 1 || sig >= NSIGNAL || amowner())
		return real(sig, handler);
	enter(NULL);
	was = p->shadow[sig];
	if (p->sealed && p->hdr && isown()) {
		p->shadow[sig] = (Action){.handler = handler, .flags = RESTART};
		old = real(sig, (uint64_t)handler > 1 ? p->deliver : handler);
	} else {
		old = real(sig, handler);
		if (p->hdr && isown())
			guard(sig);
	}
	leave();
	return isours(old) ? was.handler : old;
}

static void *
setbsd(int sig, void *handler)
{
	return setsignal(sig, handler, SIGNAL);
}

static void *
setbsdother(int sig, void *handler)
{
	return setsignal(sig, handler, OTHER + SIGNAL);
}

static void *
setsysv(int sig, void *handler)
{
	return setsignal(sig, handler, SYSV_SIGNAL);
}

static void *
setsigset(int sig, void *handler)
{
	return setsignal(sig, handler, SIGSET);
}

#endif
