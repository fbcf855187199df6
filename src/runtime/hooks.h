/* hooks.h - what happens when the program calls one of the functions of names.h, or returns from
 * it.
 *
 * The table in names.h says for each function which of the functions below is called before it, and
 * whether under the lock.  A stub calls hooked(), which fills in an Event and calls that function;
 * a function changes the Event to say where to go on (h->which), where to return to (h->ra), or
 * that frames are left (leaves, made). */

#ifndef HOOKS_H
#define HOOKS_H

#include "contexts.h"
#include "evict.h"
#include "lookup.h"
#include "rooms.h"
#include "seal.h"
#include "stubs.h"
#include "threads.h"

typedef struct Event Event;

struct Event {
	Hooked *h;  /* registers, and where to go on */
	Jump *made; /* space to say where a jump leads */
	int which;  /* number of the function or event */
	int after;  /* the event by which the function returns to us; 0 if it does not */
	Frame f;    /* the frame that calls the function */

	/* If frames are left, the stack pointer of the last one; UINT64_MAX if all are. */
	uint64_t upto;
	uint64_t flags; /* of clone: what the new process or thread shares */
	int leaves;     /* frames are left: call the function with `made' on the stack */
};

enum { LOCKED, LAST, QUICKLY };

/* borrowed - called in a child that has its parent's memory (vfork), or its parent's file because
 * nobody told us of it: the stack pointer where the child's own frames end, if `how' is LAST; else
 * 0. */
static uint64_t
borrowed(int how)
{
	uint64_t sp = *SEEN ? threadof()->vforksp : 0;

	if (!sp)
		p->hdr->flags |= PROFFORKED | PROFTHREADS;
	return how == LAST ? sp : 0;
}

/* locked - call act(), in the way that names.h tells of `how'. */
static void
locked(Event *e, int how, void (*act)(Event *))
{
	int held;
	Hold own;

	if (!p->hdr || (how != QUICKLY && !isown() && !(e->upto = borrowed(how))))
		return;
	held = how == QUICKLY && p->tls && hold(&own);
	if (!held) {
		enter(&e->f);
		checkbase();
	}
	if (p->hdr) /* it may have been closed meanwhile */
		act(e);
	if (held)
		unhold(&own);
	else
		leave();
}

/* returnto - set where a call returns to. */
static void
returnto(Event *e, uint64_t at)
{
	e->h->ra = e->f.reg[RIP] = at;
}

/* comeback - make a call return to us; false if there is no room to remember where it goes on
 * then. */
static int
comeback(Event *e)
{
	if (!willreturn((uint64_t)(&e->h->ra + 1), e->h->ra)) {
		p->hdr->flags |= PROFLOSTCUTS;
		return 0;
	}
	e->h->ra = (uint64_t)(stubs + 16 * e->after);
	return 1;
}

/* enterall - count all frames as entered, because they were left in another process. */
static void
enterall(Event *e)
{
	leaveframes(&e->f, UINT64_MAX, 0, 0, CUTENTERED, NULL);
}

/* Ends of the process. */

static void finish(Frame *);
static void part(void);

/* exited - the process exits with a status. */
static void
exited(int status)
{
	p->hdr->status = status & 0xff;
	p->ending = status & 0xff ? ENDFAILED : ENDEXIT;
}

static void
beforeexit(Event *e)
{
	leaveframes(&e->f, e->upto, 0, 0, CUTLEFT, NULL);
	if (e->upto != UINT64_MAX)
		return;
	exited((int)e->h->rdi);
	close(1);
}

/* Handlers of at_quick_exit may still run, so the file is not closed: a later process folds it. */
static void
beforequick(Event *e)
{
	leaveframes(&e->f, UINT64_MAX, 0, 0, CUTLEFT, NULL);
	exited((int)e->h->rdi);
	ended(p->ending);
	*e->made = (Jump){.made = MADE};
	e->leaves = 1;
}

static void
beforeend(Event *e)
{
	if (e->which == EXIT)
		exited((int)e->h->rdi);
	p->out = e->f;
	p->outself = self();
}

static void
afterall(Event *e)
{
	finish(&e->f);
}

/* Other programs and processes. */

/* replaced - leave the frames because of exec, or take that back if it failed.  A child made by
 * vfork has its own frames up to `to'. */
static void
replaced(Frame *f, uint64_t to, int failed)
{
	p->undo = failed;
	leaveframes(f, to, 0, 0, CUTLEFT, NULL);
	p->undo = 0;
	if (to != UINT64_MAX)
		return;
	ended(failed ? ENDGONE : ENDEXEC);
	if (failed)
		p->hdr->flags &= ~(uint32_t)PROFALIVE;
	else if (others())
		p->hdr->flags |= PROFALIVE;
}

static void
beforeexec(Event *e)
{
	replaced(&e->f, e->upto, 0);
	comeback(e);
}

/* The parent ends in daemon() without telling us: assume it does, and take that back if daemon()
 * returns in the parent. */
static void
beforedaemon(Event *e)
{
	replaced(&e->f, e->upto, 0);
	ended(ENDEXIT);
	p->parent = p->pid;
	comeback(e);
}

static void
notreplaced(Event *e)
{
	returnto(e, returned(e->f.reg[RSP]));
	if (!p->parent || p->parent == p->pid)
		replaced(&e->f, e->upto, 1);
	else
		enterall(e);
	p->parent = 0;
}

/* If the process is killed before the frames are entered again, the return address is still ours,
 * and a walk of the stack ends there. */
static void
afterexec(Event *e)
{
	uint64_t stub = e->h->ra;

	locked(e, LAST, notreplaced);
	if (e->h->ra == stub) /* nothing is counted */
		returnto(e, returned(e->f.reg[RSP]));
}

static void
beforefork(Event *e)
{
	if (!comeback(e))
		p->hdr->flags |= PROFFORKED | PROFTHREADS;
}

/* inchild - in the child of a fork. */
static void
inchild(Event *e)
{
	child();
	locked(e, LOCKED, enterall);
}

static void
afterfork(Event *e)
{
	returnto(e, returned(e->f.reg[RSP]));
	if (e->h->rax == 0)
		inchild(e);
}

static void
afteratfork(Event *e)
{
	if (!isown()) /* else another module's copy has done it */
		inchild(e);
}

static void
beforevfork(Event *e)
{
	threadof()->vforksp = e->f.reg[RSP];
}

/* isclone - whether a function is the C library's clone(): a program may have its own. */
static int
isclone(const Hooked *h)
{
	return p->isstatic || moduleat(h->which).phdr == moduleat((uint64_t)p->real[_EXIT]).phdr;
}

static void
beforeclone(Event *e)
{
	p->hdr->flags |= PROFTHREADS | (e->flags & CLONE_VM ? 0 : PROFFORKED);
}

/* A thread gets counters of its own. */
static void
beforethread(Event *e)
{
	Hooked *h = e->h;
	Thread *s;

	if (!isclone(h))
		return;
	e->flags = (uint32_t)h->rdx;
	if (!(e->flags & CLONE_THREAD)) {
		locked(e, LOCKED, beforeclone);
	} else if ((s = takethread((void *(*)(void *))h->rdi, (void *)h->rcx))) {
		h->rdi = (uint64_t)runbare;
		h->rcx = (uint64_t)s;
	}
}

/* System calls, rights and memory. */

static void
beforeprctl(Event *e)
{
	if (seals(e->which, e->h))
		seal();
}

static void
beforedrop(Event *e)
{
	if (p->hdr)
		prepare(&e->f, e->which, e->h);
}

static void
beforemap(Event *e)
{
	if (p->hdr)
		giveway(&e->f, e->which, e->h);
}

static void
beforesyscall(Event *e)
{
	const Hooked *h = e->h;

	beforeprctl(e);
	beforedrop(e);
	if (h->rdi == __NR_clone)
		e->flags = (uint32_t)h->rsi;
	else if (h->rdi != __NR_fork && !(h->rdi == __NR_clone3 && h->rdx))
		return;
	locked(e, LOCKED, beforeclone);
}

/* Jumps and other stacks. */

#define SWAPPEDSTUB ((uint64_t)(stubs + 16 * SWAPPED))

static void
beforejump(Event *e)
{
	target((const uint64_t *)e->h->rdi, &e->made->to);
	jump(&e->f, &e->made->to);
	e->made->by = e->h->which;
	e->made->made = MADE;
	e->leaves = 1;
}

static void
beforeswap(Event *e)
{
	if (wait(&e->f, e->h->rdi, SWAPPEDSTUB))
		e->h->ra = SWAPPEDSTUB;
	turn(&e->f, (const char *)e->h->rsi, SWAPPEDSTUB);
}

static void
afterswap(Event *e)
{
	enter(NULL);
	returnto(e, resume(e->f.reg[RSP]));
	if (p->hdr && isown())
		enterframes(&e->f);
	leave();
}

static void
beforeset(Event *e)
{
	*e->made = (Jump){MADE, e->h->which, turn(&e->f, (const char *)e->h->rdi, SWAPPEDSTUB)};
	e->leaves = 1;
}

/* Contexts that wait on this stack will not be resumed. */
static void
beforemake(Event *e)
{
	uint64_t begin = *(uint64_t *)(e->h->rdi + UCSTACK);

	abandon(begin, begin + *(uint64_t *)(e->h->rdi + UCSIZE));
}

/* Exceptions, and threads that leave their frames. */

/* raised - f is in a personality routine that found a landing pad.  Make f the frame of the stub
 * that called the unwinder, and return its Jump; NULL if no stub called it, because the thread
 * ends. */
static Jump *
raised(Frame *f)
{
	Frame from = *f;

	while (!from.interrupted && !iscounted(from.reg[RIP] - 1) && step(&from) == 1)
		;
	if (!isjumping(from.reg[RIP]))
		return NULL;
	*f = from;
	return (Jump *)f->reg[RSP];
}

/* land - an exception lands in a frame, for good or to clean up; or a thread lands that leaves its
 * frames without an exception. */
static void
land(Frame *f, void *context, uint64_t ip)
{
	Thread *s = threadof();
	Jump *jump = raised(f);

	if (s->ending)
		cut(ip, CUTENTERED | CUTINTERRUPTED);
	else if (!p->getcfa)
		p->hdr->flags |= PROFLOSTCUTS;
	else if (jump) {
		if (!leaveframes(f, p->getcfa(context), ip, CUTINTERRUPTED, CUTLEFT, &jump->to))
			p->hdr->flags |= PROFLOSTCUTS;
		jump->to.reg[RIP] = ip;
		jump->to.interrupted = 1;
		jump->made = MADE;
	} else {
		leavelast(f, p->getcfa(context), ip, CUTINTERRUPTED);
		s->landing = 1;
	}
}

/* unwinding - a thread leaves its frames, down to that of a buffer that it registered. */
static void
unwinding(Frame *f, const uint64_t *buf)
{
	if (buf)
		leavelast(f, unmangle(buf[6]), unmangle(buf[7]), 0);
	else
		leavelast(f, UINT64_MAX, 0, 0);
}

/* canceled - a thread will be canceled: flag it if we shall not learn of its frames. */
static void
canceled(uint64_t thread)
{
	const Thread *s;

	for (s = &p->main; s; s = s->next)
		if (s->taken && s->self == thread && iswatched(s))
			return;
	p->hdr->flags |= PROFLOSTCUTS;
}

static void
beforeraise(Event *e)
{
	threadof()->landing = 0;
	e->made->by = e->h->which;
	e->leaves = 1;
}

static void
beforelanding(Event *e)
{
	land(&e->f, (void *)e->h->rdi, e->h->rsi);
}

static void
beforecatch(Event *e)
{
	(void)e;
	p->hdr->flags |= PROFLOSTCUTS; /* it was thrown where we did not see it */
}

static void
beforethreadexit(Event *e)
{
	Thread *s = threadof();

	if (iswatched(s) && p->real[REGISTER_CANCEL])
		return;
	if (s->ncleanup && p->real[REGISTER_CANCEL])
		p->hdr->flags |= PROFLOSTCUTS;
	s->ending = 1;
	unwinding(&e->f, NULL);
}

static void
beforecancel(Event *e)
{
	canceled(e->h->rdi);
}

static void
beforeunwinding(Event *e)
{
	if (!threadof()->ending)
		unwinding(&e->f, (const uint64_t *)e->h->rdi);
}

/* Functions by name. */

static void
beforelookup(Event *e)
{
	asked(e->h);
}

/* before - do what the table says.  A switch, because a table of pointers would need to be
 * relocated. */
static void
before(Event *e)
{
/* clang-format off */
#define BEFORE(number, name, how, act, back) BEFORE_##how(number, act, back)
#define COMES(number, how, act) BEFORE_##how(number, act, 0)
#define BEFORE_OURS(number, act, back)
#define BEFORE_FREE(number, act, back) \
	case number: act(e); break;
#define BEFORE_LOCKED(number, act, back) \
	case number: e->after = (back); locked(e, LOCKED, act); break;
#define BEFORE_LAST(number, act, back) \
	case number: e->after = (back); locked(e, LAST, act); break;
#define BEFORE_QUICKLY(number, act, back) \
	case number: locked(e, QUICKLY, act); break;
	/* clang-format on */
	switch (e->which) {
		HOOKS(BEFORE)
		STATICHOOKS(BEFORE)
		EVENTS(COMES)
	default: break;
	}
}

/* hooked - the program calls one of the functions, or another event leads to a stub.  Returns
 * whether frames are left; then the function is to be called with `made' on the stack, which says
 * so. */
__attribute__((used)) static int
hooked(Hooked *h, Jump *made)
{
	const uint64_t kept[] = {h->rbx, 0, h->r12, h->r13, h->r14, h->r15};
	Event e; /* this is hot: f is not cleared */

	e.h = h;
	e.made = made;
	e.which = (int)h->which;
	e.after = e.leaves = 0;
	e.upto = UINT64_MAX;
	e.flags = 0;
	if (!p) { /* an event at the end: this copy never counted, or after evict() */
		if (e.which == FINISH)
			part();
		h->which = 0;
		return 0;
	}
	setframe(&e.f, kept, h->rbp, (uint64_t)(&h->ra + 1), h->ra);
	h->which = e.which < NHOOK || e.which >= OTHER ? (uint64_t)functionof(e.which) : 0;
	if (e.which >= OTHER)
		e.which -= OTHER;
	before(&e);
	return e.leaves;
}

#endif
