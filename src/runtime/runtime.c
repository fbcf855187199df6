/* runtime.c - what runs inside the counted program.
 *
 * Counted code adds to its counters with `incq %gs:counter(%rip)'.  In the main thread the base of
 * gs is 0, so the instruction hits the counters where the linker put them.  start() creates a
 * profile file and maps part of it over them, after adding what was counted before.  From then on
 * counting is writing to a file that outlives the process, however it ends.  Other threads get a gs
 * base of their own when they are created: space.h.
 *
 * This code travels in every object that counts.  It is compiled once, to one assembly text.
 * src/guest/embed makes all of its names local and all of its sections members of one COMDAT group,
 * and tally appends it to what the compiler wrote.  So the linker keeps one copy in each program
 * and library, and the only symbols that it sees are __tally_NAME_ABI.  This requires one
 * translation unit in which all functions are static.  That is the only reason why its parts are
 * headers: each is what elsewhere would be a .c file.  It contains the functions of one idea in the
 * order of their dependence, and includes the headers that it needs.  What is called before it is
 * defined is declared where it is called.
 *
 * It is a guest, and behaves like one:
 *   - no allocation but allot(), no output, and no call of the C library except where a header says
 *     so, and then only of weak symbols, which may be missing.  System calls go through sys(),
 *     which makes none once the program has installed a filter;
 *   - errno belongs to the program: nothing here sets it.  Vector registers are not touched either
 *     (-mgeneral-regs-only);
 *   - no data that the dynamic linker would have to relocate: this code may run before that, and in
 *     static programs that nobody relocates.  So there are switches and arrays of text instead of
 *     tables of pointers;
 *   - what threads must not do at the same time is done between enter() and leave(), with signals
 *     blocked, or between hold() and unhold(), where signals are put off.  Nothing of the program's
 *     is called there;
 *   - when something fails, the program goes on as if nobody counted, and a flag in the profile
 *     says what is missing.
 *
 * The parts, each of which needs only those above it: */

/* clang-format off */

/* Tools */
#include "sys.h"      /* system calls and strings, without a library */
#include "fold.h"     /* add a profile to the sum of its program */
#include "unwind.h"   /* walk the stack by the unwind tables of modules */

/* What is counted, and where */
#include "layout/names.h" /* the functions that lead to the runtime: a table */
#include "process.h"  /* what the copies of the runtime in a process share; its lock */
#include "stubs.h"    /* the code to which calls of those functions lead */
#include "where.h"    /* the directory where profiles are left */
#include "modules.h"  /* the process's file, and the counters of each module in it */
#include "space.h"    /* memory for the counters of each thread */
#include "rooms.h"    /* space for children that cannot create a file */
#include "order.h"    /* the order in which units are first used */

/* Frames that are left early or entered late */
#include "cuts.h"     /* leave frames, and count where */
#include "contexts.h" /* control goes to another stack */
#include "switches.h" /* the same by the program's own code */
#include "calls.h"    /* which functions are called through pointers */

/* What the program does that concerns us */
#include "astray.h"   /* counts where there are no counters */
#include "signals.h"  /* handlers, fatal signals, threads that run at the end */
#include "seal.h"     /* filters of system calls */
#include "evict.h"    /* the program maps memory where ours is */
#include "threads.h"  /* threads begin and end */
#include "lookup.h"   /* dlsym */
#include "hooks.h"    /* what happens before and after each function */
#include "words.h"    /* leading calls there */

/* The life of a process */
#include "copies.h"   /* the copies of the runtime meet and part */
#include "chapters.h" /* what tally.h calls */

/* clang-format on */

/* Below: how a process begins, forks and ends. */

extern int on_exit(void (*)(int, void *), void *) __attribute__((weak));

/* isprogram - whether this module is the program, which is never unloaded, and not a library.  Also
 * notes whether it is static. */
static int
isprogram(void)
{
	struct phdrinfo self = selfinfo();
	const Elf64_Dyn *d = NULL;
	int i;

	for (i = 0; i < self.phnum; i++) {
		if (self.phdr[i].p_type == PT_INTERP)
			return 1;
		if (self.phdr[i].p_type == PT_DYNAMIC)
			d = (const Elf64_Dyn *)(self.addr + self.phdr[i].p_vaddr);
	}
	for (; d && d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_FLAGS_1)
			break;
	if (d && !(d->d_tag == DT_FLAGS_1 && (d->d_un.d_val & DF_1_PIE)))
		return 0;
	p->isstatic = 1;
	return 1;
}

/* issecure - whether the program has rights that its user does not have (setuid and the like).
 * Then the user's settings don't count, and nothing is written. */
static int
issecure(void)
{
	char **e = &environ ? environ : NULL;
	const Elf64_auxv_t *a;

	if (getauxval)
		return getauxval(AT_SECURE) != 0;
	while (e && *e++)
		; /* getauxval is missing: in a static program environ has not been moved yet */
	for (a = (const Elf64_auxv_t *)e; a && a->a_type != AT_NULL; a++)
		if (a->a_type == AT_SECURE)
			return a->a_un.a_val != 0;
	return SYS(__NR_getuid, 0, 0, 0) != SYS(__NR_geteuid, 0, 0, 0)
	       || SYS(__NR_getgid, 0, 0, 0) != SYS(__NR_getegid, 0, 0, 0);
}

static void onexit(int, void *);

/* Free Pascal's own: what is called first when a program ends, and its exit status then. */
extern void (*pascalexit)(void) __asm__("TC_$SYSTEM_$$_EXITPROC") __attribute__((weak));
extern int pascalstatus __asm__("operatingsystem_result") __attribute__((weak));
static void (*nextexit)(void);

static void
onpascalexit(void)
{
	pascalexit = nextexit;
	onexit(&pascalstatus ? pascalstatus : 0, NULL);
	if (p->hdr && isown())
		ended(p->ending); /* nobody else will close the file */
}

/* renew - forget what belonged to a file that has been closed: counting begins in a new one. */
static void
renew(void)
{
	Thread *s;
	Mod *m;

	for (s = p->main.next; s; s = s->next)
		withdraw(s);
	for (m = p->mod; m; m = m->next) {
		m->rec = NULL;
		m->seg = NULL;
		m->rank = NULL;
	}
	p->early = isthreaded();
	p->apart = apart(1);
	finddir();
	if (keeplabel(environment("TALLY_LABEL")) == 0)
		newfile();
}

/* start - the first constructor of the module. */
__attribute__((used)) static void
start(void)
{
	int fresh = 0;
	Mod *m;

	if (p || issecure() || attach() != 0)
		return;
	adopt();
	if (!p->host)
		watchforks();
	if (isprogram() && on_exit) {
		on_exit(onexit, NULL);
	} else if (&pascalexit) {
		nextexit = pascalexit;
		pascalexit = onpascalexit;
	}
	enter(NULL);
	if (!p->hdr && !p->evicted) {
		renew();
		fresh = 1;
	}
	p->flat |= isflat();
	visitall();
	if (p->hdr && fresh && p->early)
		stepaside();
	if (p->hdr && fresh && lock(&p->dir, 1) == 0) {
		sweep(&p->dir, p->program, p->hdr);
		unlock(&p->dir);
	}
	if (p->hdr && p->foreign)
		p->hdr->flags |= PROFFOREIGN;
	if (p->hdr)
		makecalls();
	for (m = p->mod; m; m = m->next)
		if (m->note == note) {
			m->hook = hookall;
			if (!m->done)
				rankearly(m);
		}
	if (p->hdr && !p->host) {
		hookall();
	} else if (p->hdr && p->host) {
		if (dl_iterate_phdr)
			dl_iterate_phdr(hookmodule, p);
		hookcalls();
	}
	leave();
}

/* begin - does the same where nobody calls constructors.  It is called by the first instruction of
 * the program, and leaves all registers as they were. */
__asm__(".text\n"
	".globl	" GUEST("begin") "\n"
	".hidden	" GUEST("begin") "\n"
	".type	" GUEST("begin") ", @function\n"
	GUEST("begin") ":\n"
	"	pushq	%rax\n"
	"	pushq	%rcx\n"
	"	pushq	%rdx\n"
	"	pushq	%rsi\n"
	"	pushq	%rdi\n"
	"	pushq	%r8\n"
	"	pushq	%r9\n"
	"	pushq	%r10\n"
	"	pushq	%r11\n"
	"	pushq	%rbp\n"
	"	movq	%rsp, %rbp\n"
	"	andq	$-16, %rsp\n"
	"	call	start\n"
	"	movq	%rbp, %rsp\n"
	"	popq	%rbp\n"
	"	popq	%r11\n"
	"	popq	%r10\n"
	"	popq	%r9\n"
	"	popq	%r8\n"
	"	popq	%rdi\n"
	"	popq	%rsi\n"
	"	popq	%rdx\n"
	"	popq	%rcx\n"
	"	popq	%rax\n"
	"	ret\n");

/* close - close the file.  If the process ends, how it ended is written only after everything else
 * has been recorded: it may be killed before that. */
static void
close(int ends)
{
	checkbase();
	if (isshared())
		p->hdr->flags |= PROFTHREADS; /* threads of which we were not told */
	if (ends)
		stopothers();
	carryall();
	checkcalls();
	if (unseen())
		p->hdr->flags |= PROFUNSEEN;
	p->hdr->ended = p->sealed ? 0 : (uint64_t)SYS(__NR_time, 0, 0, 0);
	if (p->ending)
		ended(p->ending);
	p->hdr->state = PROFCLOSED;
	foldown();
	p->hdr = NULL;
}

/* isunloading - whether we are called from dlclose, so that the process goes on. */
static int
isunloading(Frame f)
{
	uint64_t begin = (uint64_t)p->dlclose, end = begin;
	const uint8_t *at = begin ? entryfor(begin) : NULL;
	Entry e = {0};

	if (at && readentry(at, &e))
		end = e.begin + e.length;
	while (step(&f) == 1)
		if (f.reg[RIP] > begin && f.reg[RIP] <= end)
			return 1;
	return 0;
}

/* onexit - the program ends by exit(). */
static void
onexit(int status, void *arg)
{
	(void)arg;
	if (p && p->hdr && isown())
		exited(status);
}

/* goes - a module is unloaded: another one may be loaded where it was. */
static void
goes(Mod *m)
{
	const Seg *g = m->loose ? segof(m, &p->main) : NULL;
	long fd;

	if (g && g->rec && (fd = openown()) >= 0) {
		carry(m, fd, g->rec->counts);
		shut(fd);
	}
	m->done = 1;
	m->hook = NULL;
	forgetcalls(m->begin, m->end);
}

/* finish - the last destructor of a module: it is unloaded, or the process ends.  The last module
 * of all closes the file; what is counted after that is lost. */
static void
finish(Frame *f)
{
	uint64_t counters = noted((const uint8_t *)note, NOTECOUNTERS);
	void (*watch)(void) = NULL;
	int live = 0, unloading;
	Mod *m;

	if (!p->hdr)
		return;
	if (!isown()) {
		p->hdr->flags |= PROFFORKED | PROFTHREADS;
		if (*SEEN)
			return; /* a child made by vfork: this is the parent's memory */
		alone();        /* a thread that does not exist here may have held the lock */
	}
	enter(f);
	unloading = isunloading(*f);
	for (m = p->mod; m; m = m->next) {
		if (m->counters == counters && !m->done) {
			if (unloading)
				goes(m);
			else
				m->over = 1;
		}
		live += !m->done && !m->over;
	}
	if (!live && isown()) {
		if (!unloading)
			leaveframes(f, UINT64_MAX, 0, 0, CUTLEFT, NULL);
		if (!p->ending)
			p->ending = ENDSOMEHOW;
		close(!unloading);
	}
	clear(p->known, sizeof p->known);
	if (unloading && p->host == note) {
		unhook();
		watch = p->host ? p->watch : NULL;
	}
	if (unloading)
		outlive();
	leave();
	if (watch)
		watch();
}

/* inherit - the counters of a module in a child: they begin at 0, in the child's own file. */
static void
inherit(Mod *m, Thread *own, long fd)
{
	Seg *g;

	for (g = m->seg; g; g = g->next)
		g->rec = NULL;
	if (m->done || !p->hdr || describeagain(m, fd) != 0)
		m->rec = NULL;
	inheritranks(m, fd);
	if (m->done)
		return;
	g = segment(m, &p->main, fd);
	if (m->loose)
		clear((void *)m->counters, 8 * m->n);
	else if (place(m, fd, g && g->rec ? g->rec->counts : 0, 0, 1) != 0 || !g || !g->rec)
		lost();
	if (own == &p->main)
		return;
	g = segment(m, own, fd);
	if (!g || putat(m, g, fd, own->D) != 0 || !g->rec)
		lost();
}

/* inheritall - the counters of all modules in a child of fork; `own' is the Thread in which the
 * thread that forked counts. */
static void
inheritall(Thread *own, long fd)
{
	Thread *s;
	Mod *m;

	for (s = &p->main; s; s = s->next) {
		s->taken = s == own || s == &p->main;
		s->tid = s == own ? (int)p->pid : 0;
		s->moved = 0;
	}
	for (m = p->mod; m; m = m->next)
		inherit(m, own, fd);
	childcalls(fd);
}

/* child - set up the child of a fork: it gets its own file in place of its parent's. */
static void
child(void)
{
	struct Profhdr *old = p->hdr;
	Area *areas = p->head.next;
	int room = p->inroom, resumed;
	long fd = -1;

	alone();
	p->closing = p->stopping = 0;
	p->apart = apart(1);
	*SEEN = 1;
	if (!old)
		return;
	if (p->sealed) { /* it counts in its parent's file, and cannot leave it */
		old->flags |= PROFFORKED | PROFTHREADS;
		p->hdr = NULL;
		return;
	}
	if ((p->reserved && takeroom()) || newfile() == 0)
		fd = openown();
	if (p->hdr && fd < 0) {
		SYS(__NR_unlink, inside(&p->dir, p->own, ""), 0, 0);
		p->hdr = NULL;
	}
	resumed = p->hdr && p->hdr->runs > 1;
	if (p->hdr) {
		if (resumed)
			clear(p->known, sizeof p->known);
		else
			forgetcuts();
		p->hdr->flags |= old->flags & PROFOWNCALLS;
		p->hdr->flags |= old->flags & PROFHASCUTS ? PROFHASCUTS : PROFFORKED;
		p->hdr->flags |= old->flags & PROFFOREIGN;
	} else {
		old->flags |= PROFLOST;
	}
	inheritall(threadof(), fd);
	shut(fd);
	if (!room)
		SYS(__NR_munmap, old, HEAD, 0);
	for (; areas; areas = areas->next)
		SYS(__NR_munmap, areas->at, areas->size, 0);
}

__asm__(".section .init_array.00000,\"aw\",@init_array\n"
	".balign 8\n"
	".quad start\n"
	".section .fini_array.00000,\"aw\",@fini_array\n"
	".balign 8\n"
	".quad finishing\n"
	".text\n");
