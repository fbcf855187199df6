/* times.c - how long functions take: from the stop at a function's entry to the stop after its
 * return.  The least cost of a stop is measured first; it is subtracted for each stop between. */

#include "live.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A call that has not returned. */
struct Call {
	Target *tg;
	int fn;
	uint64_t sp; /* where its return address is */
	Clock begun;
	Clock inner;    /* the time of the calls in it */
	uint64_t stops; /* of the thread, before the call */
};

/* now - the clocks of a stopped thread. */
static Clock
now(Timing *t)
{
	struct timespec ts;
	char path[64], text[64];
	Clock c = {0};
	ssize_t n;

	if (!t->open) {
		snprintf(path, sizeof path, "/proc/%d/schedstat", (int)t->tid);
		t->fd = open(path, O_RDONLY | O_CLOEXEC);
		t->open = true;
	}
	clock_gettime(CLOCK_MONOTONIC, &ts);
	c.wall = (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
	n = t->fd >= 0 ? pread(t->fd, text, sizeof text - 1, 0) : 0;
	text[n > 0 ? n : 0] = 0;
	c.cpu = strtoull(text, NULL, 10);
	return c;
}

/* less - a - b, but at least 0. */
static uint64_t
less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

Clock
stopcost(const Space *sp, pid_t tid)
{
	static const uint8_t loop[3] = {0xcc, 0xeb, 0xfd}; /* int3; jump back to it */
	enum { TIMES = 200 };
	struct user_regs_struct was, r;
	Timing t = {.tid = tid};
	Clock from, to, cost = {UINT64_MAX, UINT64_MAX}, none = {0};
	uint64_t later = 0; /* signals of the program's that came meanwhile */
	uint8_t old[3];
	int i, status;

	if (ptrace(PTRACE_GETREGS, tid, NULL, &was) != 0 || !readmem(sp, sp->entry, old, 3)
	    || !writemem(sp, sp->entry, loop, 3))
		return none;
	r = was;
	r.rip = sp->entry;
	r.orig_rax = ~0ull;
	ptrace(PTRACE_SETREGS, tid, NULL, &r);
	for (i = 0; i < TIMES; i++) {
		siginfo_t info;

		/* as for a hit: read and set the registers, ask for the cause */
		from = now(&t);
		if (!goon(tid, false, &status))
			break; /* it is gone */
		ptrace(PTRACE_GETREGS, tid, NULL, &r);
		ptrace(PTRACE_GETSIGINFO, tid, NULL, &info);
		ptrace(PTRACE_SETREGS, tid, NULL, &r);
		to = now(&t);
		if (WSTOPSIG(status) != SIGTRAP) {
			later |= 1ull << (WSTOPSIG(status) - 1);
			continue;
		}
		cost.wall = to.wall - from.wall < cost.wall ? to.wall - from.wall : cost.wall;
		cost.cpu = to.cpu - from.cpu < cost.cpu ? to.cpu - from.cpu : cost.cpu;
	}
	writemem(sp, sp->entry, old, 3);
	ptrace(PTRACE_SETREGS, tid, NULL, &was);
	resend(tid, later);
	endtiming(&t);
	return cost.wall == UINT64_MAX ? none : cost;
}

void
endtiming(Timing *t)
{
	if (t->open && t->fd >= 0)
		close(t->fd);
	t->open = false;
}

/* isactive - whether the function of a call is active in one of the n calls around it, too. */
static bool
isactive(const Timing *t, int n, const Call *c)
{
	int i;

	for (i = 0; i < n; i++)
		if (t->call[i].tg == c->tg && t->call[i].fn == c->fn)
			return true;
	return false;
}

void
timereturn(Timing *t, uint64_t sp, bool enters, Clock cost)
{
	Clock at;

	if (!t->ncall || t->call[t->ncall - 1].sp + !enters > sp)
		return;
	at = now(t);
	while (t->ncall && t->call[t->ncall - 1].sp + !enters <= sp) {
		const Call *c = &t->call[--t->ncall];
		uint64_t stops = t->stops - c->stops;
		uint64_t wall = less(at.wall - c->begun.wall, stops * cost.wall);
		uint64_t cpu = less(at.cpu - c->begun.cpu, stops * cost.cpu);
		Times *sum = &c->tg->watch[c->fn].times;

		sum->self.wall += less(wall, c->inner.wall);
		sum->self.cpu += less(cpu, c->inner.cpu);
		sum->calls++;
		if (!isactive(t, t->ncall, c)) {
			sum->all.wall += wall;
			sum->all.cpu += cpu;
		}
		if (t->ncall) {
			t->call[t->ncall - 1].inner.wall += wall;
			t->call[t->ncall - 1].inner.cpu += cpu;
		}
	}
}

void
timecall(Timing *t, Target *tg, int fn, uint64_t sp, Arena *run)
{
	apush(run, t->call, t->ncall, t->capcall);
	t->call[t->ncall++] =
		(Call){.tg = tg, .fn = fn, .sp = sp, .begun = now(t), .stops = t->stops};
}
