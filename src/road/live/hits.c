/* hits.c - what happens at probes and traps.
 *
 * An edge is counted at its destination: the thread's last probe tells from where it came.  Two
 * kinds of hits must not be counted:
 * - a thread meets a probe again at which it was counted, because we moved it out of a copy before
 *   the instruction was executed (Thread.again);
 * - a block is split while a thread is in it.  The new probe takes over the counts of the old one,
 *   so the thread is counted there before it arrives (Thread.seam). */

#include "trace.h"

#include <limits.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE = 256 }; /* instructions that we do for a thread before it runs again */

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

/* seams - probes from `first' on have just split blocks: let all threads but one know, since those
 * in such a block were counted at the new probe already. */
static void
seams(const Tracer *t, const Target *tg, int first, const Thread *but)
{
	int i;

	for (i = 0; i < t->nthread; i++)
		if (t->thread[i] != but && t->thread[i]->last.tg == tg
		    && t->thread[i]->seam == INT_MAX)
			t->thread[i]->seam = first;
}

/* discover - a thread is about to go to an address: plant the probes that this makes necessary. */
static void
discover(Tracer *t, const Thread *th, uint64_t addr)
{
	Mod *m = modat(th->sp, addr);
	int first, i, k;

	if (!m || !m->tg->chosen)
		return;
	first = m->tg->nprobe;
	learn(m->tg, addr - m->bias);
	if (m->tg->nprobe == first)
		return;
	seams(t, m->tg, first, th);
	for (i = 0; i < t->nthread; i++)
		for (k = 0; t->thread[i]->sp && k < t->thread[i]->sp->nmod; k++)
			if (t->thread[i]->sp->mod[k].tg == m->tg && t->thread[i]->sp->counting)
				putbreaks(t->thread[i]->sp, &t->thread[i]->sp->mod[k]);
}

/* once - for coverage: remove a probe from all processes after its first hit. */
static void
once(const Tracer *t, Target *tg, Probe *p)
{
	size_t len;
	const uint8_t *code = codeof(tg->im, p->addr, &len);
	int i, k;

	p->off = true;
	for (i = 0; i < t->nthread; i++)
		for (k = 0; t->thread[i]->sp && k < t->thread[i]->sp->nmod; k++) {
			const Mod *m = &t->thread[i]->sp->mod[k];

			if (m->tg == tg && !trapat(t->thread[i]->sp, m->bias + p->addr))
				writemem(t->thread[i]->sp, m->bias + p->addr, code, 1);
		}
}

/* called - a thread enters a function that is timed. */
static void
called(const Tracer *t, Thread *th, Target *tg, int fn, uint64_t sp)
{
	uint64_t back = 0;

	timereturn(&th->timing, sp, true, th->run->cost);
	timecall(&th->timing, tg, fn, sp, t->run);
	if (readmem(th->sp, sp, &back, sizeof back) && back)
		addtrap(th->sp, back, ATCALLER);
}

/* countedge - count the edge from one probe to another; returns whether there is one. */
static bool
countedge(Target *tg, Probe *from, const Probe *to)
{
	if (!from->next || from->fn != to->fn || !(*knowof(tg->im, to->addr) & LEADS))
		return false;
	if (from->end == INDIR)
		countroute(tg, from->addr, to->addr);
	else if (to->addr == from->next && (from->end == PLAIN || from->end == COND))
		from->fell++;
	else if (to->addr == from->target)
		from->taken++;
	else
		return false;
	return true;
}

/* hit - a thread is at a probe. */
static void
hit(const Tracer *t, Thread *th, Target *tg, int i, uint64_t sp)
{
	Probe *p = &tg->probe[i], *q = NULL;
	bool counted = th->again.tg == tg && th->again.probe == i, led;

	if (th->last.tg == tg && th->last.probe != NONE)
		q = &tg->probe[th->last.probe];
	if (i >= th->seam && th->last.tg == tg && p->before == th->last.probe)
		counted = true; /* when the block was split */
	else
		th->seam = INT_MAX;
	th->again.probe = NONE;
	th->last = (Spot){tg, i};
	if (counted || th->quiet || !th->sp->counting)
		return;
	p->count++;
	if (t->wish->coverage)
		once(t, tg, p);
	led = q && countedge(tg, q, p);
	if (t->wish->times && !led && p->addr == tg->im->fn[p->fn].range->begin)
		called(t, th, tg, p->fn, sp);
}

/* follows - whether probe q is the last of a block that leads to an address. */
static bool
follows(const Probe *q, uint64_t addr)
{
	if (!q->next || q->end == CALL || q->end == RETURN)
		return false;
	return q->end == INDIR || addr == q->target || (addr == q->next && q->end != JUMP);
}

Target *
noteaddr(const Space *sp, uint64_t addr, Spot last)
{
	const Mod *m = modat(sp, addr);
	int fn, i;

	if (!m)
		return NULL;
	addr -= m->bias;
	fn = functionat(m->tg->im, addr);
	if (fn == NONE || !m->tg->watch[fn].chosen)
		return NULL;
	i = probeat(m->tg, addr);
	if (last.tg == m->tg && last.probe != NONE && last.probe == probebefore(m->tg, addr))
		countstop(m->tg, addr, false);
	else if (i != NONE && last.tg == m->tg && last.probe != NONE
		 && follows(&m->tg->probe[last.probe], addr)) /* not counted at addr yet */
		countstop(m->tg, m->tg->probe[last.probe].next, true);
	return m->tg;
}

void
dropframes(Thread *th, int n)
{
	while (th->nframe > n) {
		const Sigframe *f = &th->frame[--th->nframe];

		noteaddr(th->sp, f->rip, f->last);
	}
}

/* returned - a signal handler has returned; the context to restore is on the stack.  If the handler
 * has changed the address there, another user-level thread continues, and its last probe is not
 * known. */
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

/* sprung - a thread has met a trap. */
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
	case ATCALLER: break; /* proceed() has called timereturn() */
	}
}

/* inplace - execute an instruction in its own place, without the probe: it cannot be copied. */
static void
inplace(const Thread *th, uint64_t addr, uint8_t first)
{
	static const uint8_t stop = 0xcc;
	int status;

	if (th->sp->refs > 1)
		th->run->lost = true; /* another thread may have slipped by */
	writemem(th->sp, addr, &first, 1);
	if (goon(th->tid, true, &status)) {
		writemem(th->sp, addr, &stop, 1);
		if (WSTOPSIG(status) != SIGTRAP)
			syscall(SYS_tgkill, th->pid, th->tid, WSTOPSIG(status));
	}
}

/* After a jump or call that was done for it, the thread may be at the next probe: handle that
 * without another stop. */
void
proceed(Tracer *t, Thread *th, struct user_regs_struct *r)
{
	int left;

	for (left = PATIENCE; left > 0; left--) {
		Trap *trap = trapat(th->sp, r->rip);
		Mod *m = modat(th->sp, r->rip);
		int i = m ? probeat(m->tg, r->rip - m->bias) : NONE, k;
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
		trap = trapat(th->sp, r->rip); /* lookaround() may have moved it */
		m = modat(th->sp, r->rip);
		if (i == NONE && !trap)
			break;
		if (i != NONE)
			hit(t, th, m->tg, i, r->rsp);
		if (i != NONE && m->tg->probe[i].prefix
		    && (k = probeat(m->tg, r->rip - m->bias + 1)) != NONE)
			hit(t, th, m->tg, k, r->rsp); /* one instruction with its prefix */
		in = i != NONE ? &m->tg->probe[i].in : &trap->in;
		code = i != NONE ? codeof(m->tg->im, m->tg->probe[i].addr, &len) : trap->code;
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
