/* threads.h - threads begin and end.
 *
 * pthread_create is led to us, as are thrd_create and clone.  The new thread gets a Thread with
 * counters at a distance D, and begins in run() instead of its own function: that sets its gs base
 * to D and then calls the function.
 *
 * A thread that is canceled or calls pthread_exit leaves its frames one by one, in the unwinder,
 * where we do not see it.  But before the C library comes to the first frame of the thread, or to
 * one that registered a buffer for cleaning up, it calls the routines that were pushed with
 * _pthread_cleanup_push.  Ours are among them: one for the first frame, one for each buffer.  Their
 * records must be on the thread's stack; run() has space for them in its frame. */

#ifndef THREADS_H
#define THREADS_H

#include "contexts.h"
#include "space.h"
#include "stubs.h"

typedef struct Call Call;

struct Call { /* returned in rax and rdx */
	void *(*fn)(void *);
	void *arg;
};

static void park(void);

/* watch - push a routine of ours.  buf is the buffer that was registered, NULL for the first
 * frame. */
static void
watch(Thread *s, const void *buf)
{
	int k = s->ncleanup++;

	if (s->cleanup && k < MAXCLEANUP)
		p->push(&s->cleanup[k], (void *)(stubs + 16 * UNWINDING), (void *)buf);
}

static void
unwatch(Thread *s)
{
	int k = --s->ncleanup;

	if (s->cleanup && k < MAXCLEANUP)
		p->pop(&s->cleanup[k], 0);
}

/* iswatched - whether we shall learn of it when the thread leaves its frames. */
static int
iswatched(const Thread *s)
{
	return s->cleanup && s->ncleanup <= MAXCLEANUP;
}

/* registering, unregistering - called in place of what pthread_cleanup_push and _pop call in C. */
static void
registering(void *buf, int which)
{
	void (*real)(void *) = p->real[which];
	Thread *s;

	real(buf);
	if (p->hdr && isown() && (s = threadof())->tid == (int)SYS(__NR_gettid, 0, 0, 0))
		watch(s, buf);
}

static void
unregistering(void *buf, int which)
{
	void (*real)(void *) = p->real[which];
	Thread *s;

	if (p->hdr && isown() && (s = threadof())->tid == (int)SYS(__NR_gettid, 0, 0, 0))
		unwatch(s);
	real(buf);
}

static void
registercancel(void *buf)
{
	registering(buf, REGISTER_CANCEL);
}

static void
registerdefer(void *buf)
{
	registering(buf, REGISTER_CANCEL_DEFER);
}

static void
unregistercancel(void *buf)
{
	unregistering(buf, UNREGISTER_CANCEL);
}

static void
unregisterrestore(void *buf)
{
	unregistering(buf, UNREGISTER_CANCEL_RESTORE);
}

/* name - set the thread pointer of a Thread; another thread that is gone may have had the same. */
static void
name(Thread *own)
{
	uint64_t pointer = self();
	Thread *s;

	for (s = p->main.next; s; s = s->next)
		if (s->self == pointer)
			s->self = 0;
	own->self = pointer;
}

/* enlist - what a thread does first; returns the function to call then.  A thread made by clone()
 * has no thread-local storage of its own, and no room for records.  It may have been here already,
 * if its function was wrapped twice. */
__attribute__((used)) static Call
enlist(Thread *s, Cleanup *room)
{
	Call call = {s->begin, s->arg};

	if (threadof() != s && threadof()->tid == (int)SYS(__NR_gettid, 0, 0, 0)) {
		s->taken = 0;
		return call;
	}
	if (room)
		name(s);
	s->bottom = (uint64_t)room;
	/* Where our return address is now, and that of its function will be. */
	s->back = (uint64_t)__builtin_dwarf_cfa() - 8;
	__atomic_store_n(&s->tid, (int)SYS(__NR_gettid, 0, 0, 0), __ATOMIC_SEQ_CST);
	setbase(__atomic_load_n(&s->D, __ATOMIC_SEQ_CST));
	if (room && p->push && p->pop) {
		s->cleanup = room;
		watch(s, NULL);
	}
	if (__atomic_load_n(&p->closing, __ATOMIC_SEQ_CST))
		park();
	return call;
}

/* over - what a thread does last, when its first function has returned. */
__attribute__((used)) static void
over(Thread *s)
{
	if (p)
		s->over = 1;
}

/* run - the first function of a thread; runbare - of one made by clone(). */
void *run(void *) __attribute__((visibility("hidden")));
void *runbare(void *) __attribute__((visibility("hidden")));
extern const char ran[] __attribute__((visibility("hidden")));
extern const char ranbare[] __attribute__((visibility("hidden")));

_Static_assert(MAXCLEANUP * sizeof(Cleanup) == 1024, "as much room as there is below");

__asm__(".text\n"
	".type	run, @function\n"
	"run:\n"
	"	.cfi_startproc\n"
	"	subq	$1032, %rsp\n" /* for the records */
	"	.cfi_adjust_cfa_offset 1032\n"
	"	movq	%rsp, %rsi\n"
	"	movq	%rdi, 1024(%rsp)\n"
	"	call	enlist\n"
	"	movq	%rdx, %rdi\n"
	"	call	*%rax\n"
	"	.type	ran, @notype\n"
	"ran:\n"
	"	movq	1024(%rsp), %rdi\n"
	"	movq	%rax, 1024(%rsp)\n"
	"	call	over\n"
	"	movq	1024(%rsp), %rax\n"
	"	addq	$1032, %rsp\n"
	"	.cfi_adjust_cfa_offset -1032\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".type	runbare, @function\n"
	"runbare:\n"
	"	.cfi_startproc\n"
	"	subq	$8, %rsp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	xorl	%esi, %esi\n"
	"	call	enlist\n"
	"	movq	%rdx, %rdi\n"
	"	call	*%rax\n"
	"	.type	ranbare, @notype\n"
	"ranbare:\n"
	"	addq	$8, %rsp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	ret\n"
	"	.cfi_endproc\n");

/* A thread may outlive the library in whose copy of the runtime it began.  Then a page remains to
 * which its first function returns instead, and which does nothing but return to the C library:
 *
 *	 0  48 81 c4 08 04 00 00  c3	add $1032, %rsp; ret	in place of run
 *	 8  48 83 c4 08 c3		add $8, %rsp; ret	in place of runbare
 *	16  c3				ret			in place of our cleanup routine */
static const uint8_t remains[] = {0x48, 0x81, 0xc4, 0x08, 0x04, 0, 0, 0xc3, 0x48, 0x83, 0xc4, 0x08, 0xc3, 0, 0, 0, 0xc3};

/* leadback - lead a thread that began in this copy to that page; false if it has not come as far as
 * its first function. */
static int
leadback(Thread *s, uint64_t page)
{
	uint64_t word = 0;
	int k;

	if (!s->back || !ask(s->back, &word) || !exists(s->tid))
		return s->back != 0;
	if (word != (uint64_t)ran && word != (uint64_t)ranbare)
		return 0;
	for (k = 0; s->cleanup && k < s->ncleanup && k < MAXCLEANUP; k++)
		overwrite((uint64_t)&s->cleanup[k].routine, page + 16);
	s->cleanup = NULL; /* we don't learn of its end any more */
	overwrite(s->back, word == (uint64_t)ran ? page : page + 8);
	s->back = 0;
	return 1;
}

/* isbegun - whether a thread began in this copy and still runs. */
static int
isbegun(const Thread *s)
{
	return s->taken && s->begin && s->host == note && (!s->tid || exists(s->tid));
}

/* outlive - make sure that threads can go on when this copy is unloaded. */
static void
outlive(void)
{
	static const long wait[2] = {0, 100000};
	long page = 0;
	Thread *s;
	int try;

	for (s = p->main.next; s; s = s->next) {
		if (!isbegun(s))
			continue;
		if (!page) {
			page = sys(__NR_mmap, 0, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			if (!isaddress(page))
				return;
			copy((void *)page, remains, sizeof remains);
			SYS(__NR_mprotect, page, PAGE, PROT_READ | PROT_EXEC);
			if (p->nbase < NBASE)
				p->base[p->nbase++] = (uint64_t)page;
		}
		for (try = 0; try < 1000 && isbegun(s) && !leadback(s, (uint64_t)page); try++)
			SYS(__NR_nanosleep, wait, 0, 0);
	}
}

/* takethread - take a Thread for a new thread with that function; NULL if there is none. */
static Thread *
takethread(void *(*begin)(void *), void *arg)
{
	Thread *s = NULL;

	adopt();
	enter(NULL);
	if (p->hdr && !p->flat && !p->sealed && (s = sparethread())) {
		s->taken = 1;
		s->tid = 0;
		s->self = 0;
		s->ending = s->landing = s->ncleanup = s->moved = s->over = 0;
		s->lastrip = 0;
		s->cleanup = NULL;
		s->back = 0;
		s->host = note;
		s->begin = begin;
		s->arg = arg;
	} else if (p->hdr) {
		p->hdr->flags |= PROFTHREADS;
	}
	leave();
	return s;
}

/* creating, thrding - what the stand-ins of pthread_create and thrd_create do; real is the function
 * to call, the C library's if another definition preempts it. */
static int
creating(void *real, void *thread, const void *attr, void *(*begin)(void *), void *arg)
{
	int (*make)(void *, const void *, void *(*)(void *), void *) = real;
	Thread *s = begin == run ? NULL : takethread(begin, arg);
	int failed = s ? make(thread, attr, run, s) : make(thread, attr, begin, arg);

	if (failed && s)
		s->taken = 0;
	return failed;
}

static int
create(void *thread, const void *attr, void *(*begin)(void *), void *arg)
{
	return creating(p->real[PTHREAD_CREATE], thread, attr, begin, arg);
}

static int
createother(void *thread, const void *attr, void *(*begin)(void *), void *arg)
{
	return creating(p->other[PTHREAD_CREATE], thread, attr, begin, arg);
}

static int
thrding(void *real, void *thread, void *(*begin)(void *), void *arg)
{
	int (*make)(void *, void *(*)(void *), void *) = real;
	Thread *s = begin == run ? NULL : takethread(begin, arg);
	int failed = s ? make(thread, run, s) : make(thread, begin, arg);

	if (failed && s)
		s->taken = 0;
	return failed;
}

static int
thrd(void *thread, void *(*begin)(void *), void *arg)
{
	return thrding(p->real[THRD_CREATE], thread, begin, arg);
}

static int
thrdother(void *thread, void *(*begin)(void *), void *arg)
{
	return thrding(p->other[THRD_CREATE], thread, begin, arg);
}

#endif
