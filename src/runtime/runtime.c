/* runtime.c - what runs inside the counted program.
 *
 * Code counts by `incq %gs:counter(%rip)'.  The base of gs is 0 in the main thread, so it hits
 * the counters where the linker put them.  start() makes a profile file and maps its part of it
 * over them; what was counted before is added.  Other threads get a base of their own when they
 * are made: space.h.
 *
 * This code travels in every object that counts.  It is compiled once, to one assembly text; src/guest/embed makes all of
 * its names local and all of its sections members of one COMDAT group, and tally appends it to what the compiler wrote.
 * So the linker keeps one copy in each program and library, and no symbol of it is seen but __tally_NAME_ABI.  That wants one
 * translation unit in which all functions are static.  Its parts are headers for that reason alone: each is a
 * file as others would be .c, contains the functions of one idea in the order of their dependence, and includes
 * those that it needs.  What is defined later and called earlier is declared where it is called.
 *
 * What it may do is what a guest may:
 *   - no allocation but allot(), no output, no call of the C library but where a header says so, and then only of what may
 *     be missing: weak symbols.  System calls go through sys(), which makes none once the program has a filter;
 *   - errno is the program's: nothing sets it.  Neither are vector registers touched (-mgeneral-regs-only);
 *   - no data that the dynamic linker would have to relocate: it may run before that, and in static programs where nobody
 *     does.  So there are no tables of pointers, but switches, and arrays of text;
 *   - what threads must not do at once is done between enter() and leave(), with signals blocked, or hold() and unhold(),
 *     where signals are put off; nothing of the program's is called there;
 *   - whatever fails leaves the program running as if nobody counted, and a flag in the profile that says so.
 *
 * The parts, each of which needs only those above it: */

/* clang-format off */

/* Tools of its own */
#include "sys.h"      /* system calls and strings, without a library */
#include "fold.h"     /* add a profile to the sum of its program */
#include "unwind.h"   /* walk the stack by the tables that modules carry */

/* What is counted, and where */
#include "layout/names.h" /* the functions in whose place the runtime is called: a table */
#include "process.h"  /* what the copies of the runtime in a process share; its lock */
#include "stubs.h"    /* the code that calls of such functions come to */
#include "where.h"    /* in which directory profiles are left */
#include "modules.h"  /* the file of a process, and room in it for the counters of each module */
#include "space.h"    /* memory for the counters of each thread */
#include "rooms.h"    /* room for children that can make no file */
#include "order.h"    /* in what order units are used first */

/* Frames that are left early and entered late */
#include "cuts.h"     /* leave frames, and count where */
#include "contexts.h" /* control goes to another stack */
#include "switches.h" /* the same by code of the program's own */
#include "calls.h"    /* who is called through pointers */

/* What the program does that we must hear of */
#include "astray.h"   /* counts where there are no counters */
#include "signals.h"  /* handlers, signals that end the process, and threads that run when it ends */
#include "seal.h"     /* filters of system calls */
#include "evict.h"    /* mappings of the program's where ours are */
#include "threads.h"  /* threads begin and end */
#include "lookup.h"   /* dlsym */
#include "hooks.h"    /* what is done there, before and after */
#include "words.h"    /* leading calls there */

/* The life of a process */
#include "copies.h"   /* the copies of the runtime meet, and part */
#include "chapters.h" /* what tally.h calls */

/* clang-format on */

/* And below: how it begins, forks and ends. */

extern int on_exit(void (*)(int, void *), void *) __attribute__((weak));

/* isprogram - whether this is a program, which never goes away, and not a library; and whether
 * it is static. */
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

/* issecure - whether the program has rights that its user has not.  Then nothing that the
 * user says counts, and nothing is written. */
static int
issecure(void)
{
	char **e = &environ ? environ : NULL;
	const Elf64_auxv_t *a;

	if (getauxval)
		return getauxval(AT_SECURE) != 0;
	while (e && *e++)
		; /* in a static program nobody has moved it yet */
	for (a = (const Elf64_auxv_t *)e; a && a->a_type != AT_NULL; a++)
		if (a->a_type == AT_SECURE)
			return a->a_un.a_val != 0;
	return SYS(__NR_getuid, 0, 0, 0) != SYS(__NR_geteuid, 0, 0, 0)
	       || SYS(__NR_getgid, 0, 0, 0) != SYS(__NR_getegid, 0, 0, 0);
}

static void onexit(int, void *);

/* Free Pascal's own: what is called first when a program ends, and its status then. */
extern void (*pascalexit)(void) __asm__("TC_$SYSTEM_$$_EXITPROC") __attribute__((weak));
extern int pascalstatus __asm__("operatingsystem_result") __attribute__((weak));
static void (*nextexit)(void);

static void
onpascalexit(void)
{
	pascalexit = nextexit;
	onexit(&pascalstatus ? pascalstatus : 0, NULL);
	if (p->hdr && isown())
		ended(p->ending); /* nobody will close the file */
}

/* renew - forget what a file that is closed had: counting begins in another. */
static void
renew(void)
{
	Slot *s;
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
	if (__register_atfork) /* until this module goes away */
		__register_atfork(NULL, NULL, (void (*)(void))(stubs + 16 * FORKED),
				  &__dso_handle ? __dso_handle : NULL);
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

/* begin - the same where nobody calls constructors: by the first instruction of the program,
 * which finds its registers as they were. */
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

/* close - the file.  If the process ends, how it does is said when all is recorded: it may be
 * killed before that. */
static void
close(int ends)
{
	checkbase();
	if (isshared())
		p->hdr->flags |= PROFTHREADS; /* without our knowing */
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

/* isunloading - whether we are called from dlclose, and the process goes on. */
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

/* onexit - the program ends by exit. */
static void
onexit(int status, void *arg)
{
	(void)arg;
	if (p && p->hdr && isown())
		exited(status);
}

/* goes - a module is closed: others may come to be where it was. */
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

/* finish - the last destructor of the module: it goes, or the process ends.  The last
 * of all closes the file.  What is counted later is lost. */
static void
finish(Frame *f)
{
	uint64_t counters = noted((const uint8_t *)note, NOTECOUNTERS);
	int live = 0, unloading;
	Mod *m;

	if (!p->hdr)
		return;
	if (!isown()) {
		p->hdr->flags |= PROFFORKED | PROFTHREADS;
		if (*SEEN)
			return; /* by vfork: this is the parent's memory */
		alone();        /* a thread that is not here may have held the lock */
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
	if (unloading && p->host == note)
		unhook();
	if (unloading)
		outlive();
	leave();
}

/* inherit - the counters of a module, in a child: they begin at 0, in its own file. */
static void
inherit(Mod *m, Slot *own, long fd)
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

/* inheritall - counters, in the child of a thread that counts in a slot of its parent's. */
static void
inheritall(Slot *own, long fd)
{
	Slot *s;
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

/* child - of a fork: it gets a file of its own, in the place of its parent's. */
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
	if (p->sealed) { /* it counts with its parent, and cannot leave */
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
	inheritall(slotof(), fd);
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
