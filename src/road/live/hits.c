/* hits.c - what happens at probes and traps. */

#include "trace.h"

#include <limits.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE = 256 }; /* instructions that we do for a thread before it runs again */

/* resume - let a thread go on. */
void
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

/* countedge - that led from one probe to another; false if none did. */
static bool
countedge(Image *im, Probe *from, const Probe *to)
{
	if (!from->next || from->sym != to->sym || !(*knowof(im, to->addr) & LEADS))
		return false;
	if (from->end == INDIR)
		countroute(im, from->addr, to->addr);
	else if (to->addr == from->next && (from->end == PLAIN || from->end == COND))
		from->fell++;
	else if (to->addr == from->target)
		from->taken++;
	else
		return false;
	return true;
}

/* hit - a thread is at a probe, with that stack. */
static void
hit(const Tracer *t, Thread *th, Image *im, int i, uint64_t sp)
{
	Probe *p = &im->probe[i], *q = NULL;
	bool counted = th->again.im == im && th->again.probe == i, led;

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
	led = q && countedge(im, q, p);
	if (t->wish->times && !led && p->addr == im->sym[p->sym].range->begin)
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
Image *
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
void
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
inplace(const Thread *th, uint64_t addr, uint8_t first)
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
}

/* proceed - with a thread that is at an address with a probe or a trap: it is counted, and goes
 * on with the instruction that is there in fact. */
void
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
			inplace(th, r->rip, code[0]);
			resume(th, PTRACE_CONT, 0);
			return;
		}
		r->rip = slot;
		break;
	}
	setregs(th, r);
	resume(th, PTRACE_CONT, 0);
}
