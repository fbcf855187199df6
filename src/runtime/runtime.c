/* runtime.c - what runs inside the counted program.
 *
 * A guest: no allocation, no output; errno is not touched because the C library is
 * hardly called.  Whatever fails leaves the program running as if nobody counted.
 *
 * Code counts by `incq %gs:counter(%rip)'.  The base of gs is 0 in the main thread, so it hits
 * the counters where the linker put them.  start() makes a profile file and maps its part of it
 * over them; what was counted before is added.  Other threads get a base of their own when they
 * are made: space.h.
 *
 * It is one text for the assembler, in which all functions are static, so its parts are headers, each of which
 * includes those that it needs.
 *
 * Every module that counts, the program and its libraries, brings a copy of this code
 * along.  The first that starts makes what they share; each has a note that leads to it, by
 * which those that come later find it. */
#include "calls.h"
#include "order.h"

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

/* unhook - this copy goes away: lead calls to another, or to where they would go. */
static void
unhook(void)
{
	const Mod *m;

	dismiss(SWAPPEDSTUB);
	if (dl_iterate_phdr)
		dl_iterate_phdr(hookmodule, NULL);
	for (m = p->mod; m; m = m->next)
		if (m->hook && !m->done && m->note != note) {
			m->hook();
			return;
		}
	p->host = NULL;
	p->join = NULL;
	unguard();
	deafen();
}

/* What the modules that are loaded know. */
static Process *theirs; /* what copies share that have started; NULL */

/* findshared - by the note of a module. */
static void
findshared(const struct phdrinfo *info, uint32_t abi, const uint8_t *of, void *with)
{
	(void)info;
	(void)with;
	(void)abi;
	if (*(Process **)noted(of, NOTESHARED))
		theirs = *(Process **)noted(of, NOTESHARED);
}

static int
lookin(struct phdrinfo *info, size_t size, void *with)
{
	(void)size;
	(void)with;
	eachnote(info, findshared, NULL);
	return 0;
}

/* The counters of this module, for a runtime of another ABI that was first. */
static Foreign foreign;

/* joinother - have them mapped by that: it counts, and this copy does not. */
static void
joinother(Process *q)
{
	uint64_t mask = 0;

	foreign.counters = noted((const uint8_t *)note, NOTECOUNTERS);
	foreign.length = noted((const uint8_t *)note, NOTEEND) - foreign.counters;
	enterother(&q->lock, &mask);
	foreign.next = q->foreign;
	q->foreign = &foreign;
	if (q->join)
		q->join(&foreign);
	leaveother(&q->lock, &mask);
}

/* part - from those: this module may be about to go away. */
static void
part(void)
{
	uint64_t mask = 0;
	Foreign **o;

	theirs = NULL;
	if (foreign.length && dl_iterate_phdr)
		dl_iterate_phdr(lookin, NULL);
	if (!theirs)
		return;
	enterother(&theirs->lock, &mask);
	for (o = &theirs->foreign; *o && *o != &foreign; o = &(*o)->next)
		;
	if (*o)
		*o = foreign.next;
	leaveother(&theirs->lock, &mask);
}

/* create - what the copies share. */
static int
makeshared(void)
{
	long map = sys(__NR_mmap, 0, SHAREDSIZE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (!isaddress(map))
		return -1;
	p = (Process *)map; /* NOLINT(performance-no-int-to-ptr) */
	sealed = &p->sealed;
	copy(p->magic, SHAREDMAGIC, sizeof p->magic);
	p->abi = ABI;
	p->size = SHAREDSIZE;
	p->lastmod = &p->mod;
	p->main = (Slot){.taken = 1, .tid = (int)SYS(__NR_gettid, 0, 0, 0), .self = self()};
	p->tls = p->main.self != 0;
	p->lastslot = &p->main;
	p->nslot = 1;
	SYS(__NR_madvise, SEEN, PAGE, MADV_WIPEONFORK);
	*SEEN = 1;
	return 0;
}

/* unhookall - the memory of what the copies share is wanted: they forget it. */
static void
forget(const struct phdrinfo *info, uint32_t abi, const uint8_t *of, void *with)
{
	(void)info;
	(void)with;
	if (abi == ABI)
		*(Process **)noted(of, NOTESHARED) = NULL;
}

static int
forgetin(struct phdrinfo *info, size_t size, void *with)
{
	(void)size;
	(void)with;
	eachnote(info, forget, NULL);
	return 0;
}

static void
unhookall(void)
{
	Chunk *chunk = p->chunk, *before;
	Process *q = p;

	unguard();
	clear(standins, sizeof standins);
	if (dl_iterate_phdr) {
		dl_iterate_phdr(hookmodule, NULL);
		dl_iterate_phdr(forgetin, NULL);
	}
	p = NULL;
	sealed = NULL;
	for (; chunk; chunk = before) {
		before = chunk->before;
		SYS(__NR_munmap, chunk, chunk->size, 0);
	}
	SYS(__NR_munmap, q, SHAREDSIZE, 0);
}

/* attach - to what the copies share; make it if this is the first. */
static int
attach(void)
{
	if (dl_iterate_phdr)
		dl_iterate_phdr(lookin, NULL);
	if (!theirs)
		return makeshared();
	if (same(theirs->magic, SHAREDMAGIC, sizeof theirs->magic)) {
		p = theirs;
		sealed = &p->sealed;
		return 0;
	}
	if (same(theirs->magic, "tally ", 6))
		joinother(theirs);
	return -1;
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

/* viewown - the process's own profile, all of it; NULL if there is no way. */
static struct Profhdr *
viewown(View *v)
{
	size_t size;
	struct Profhdr *h = mapprofile(&p->dir, p->own, &size);

	if (h && (view(v, h, size) != 0 || h->serial != p->hdr->serial)) {
		unview(v);
		return NULL;
	}
	return h;
}

/* foldown - this chapter of it. */
static int
foldown(void)
{
	struct Profhdr *h;
	int failed = -1;
	View v;

	if (p->inroom || isinhabited())
		return -1; /* who finds it when all have ended does it */
	if (SYS(__NR_access, inside(&p->dir, p->own, ""), 0, 0) != 0)
		return -1; /* chroot took it out of sight */
	if (lock(&p->dir, LOCKTRIES) != 0)
		return -1;
	h = viewown(&v);
	if (h)
		failed = fold(&p->dir, &v, p->own);
	if (!failed && h->state == PROFCLOSED)
		SYS(__NR_unlink, inside(&p->dir, p->own, ""), 0, 0);
	else if (!failed)
		h->chapter++;
	if (h)
		unview(&v);
	unlock(&p->dir);
	return failed;
}

/* carryall - what modules counted in pages that are not the file's. */
static void
carryall(void)
{
	long fd = -1;
	const Mod *m;
	const Seg *g;

	for (m = p->mod; m; m = m->next) {
		g = m->loose && !m->done ? segof(m, &p->main) : NULL;
		if (!g || !g->rec)
			continue;
		fd = fd < 0 ? openown() : fd;
		if (fd >= 0)
			carry(m, fd, g->rec->counts);
		else
			p->hdr->flags |= PROFLOST;
	}
	shut(fd);
}

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

/* What tally.h calls. */

static int
iscounting(void)
{
	if (p)
		adopt();
	return p && p->hdr;
}

/* cutall - all frames that are active, at a moment when counting ends or begins anew.  Those of
 * other threads are not known. */
static void
cutall(const Frame *from, uint32_t kind)
{
	Frame f = *from;

	leaveframes(&f, UINT64_MAX, 0, 0, kind, NULL);
	if (others())
		p->hdr->flags |= PROFMIDWAY;
}

/* rewrite - a regular file, of which nothing is kept; *isnew if it was not there.  The program says
 * where, so links are followed. */
static long
rewrite(const char *path, int *isnew)
{
	struct stat st;
	long fd = SYS(__NR_stat, path, &st, 0);

	*isnew = fd == ABSENT;
	if (fd == 0 && !S_ISREG(st.st_mode))
		return ODD;
	fd = SYS(__NR_open, path, O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0666);
	if (fd >= 0 && (!isfile(fd) || SYS(__NR_ftruncate, fd, 0, 0) != 0)) {
		SYS(__NR_close, fd, 0, 0);
		return ODD;
	}
	return fd;
}

/* __tally_snapshot_1 - the counts so far, as a profile of their own. */
__attribute__((used, weak)) int
__tally_snapshot_1(const char *path)
{
	struct Profhdr *h;
	int failed = -1, isnew;
	Frame f = {0};
	long fd;
	View v;

	if (!iscounting())
		return -1;
	capture(&f);
	enter(&f);
	cutall(&f, CUTLEFT);
	carryall();
	h = viewown(&v);
	fd = h ? rewrite(path, &isnew) : -1;
	p->hdr->endings[ENDGONE] = 0; /* all is known of what is in there */
	if (fd >= 0) {
		failed = putsum(fd, &v, NULL, 0, "");
		if (failed)
			SYS(__NR_ftruncate, fd, 0, 0);
		SYS(__NR_close, fd, 0, 0);
		if (failed && isnew)
			SYS(__NR_unlink, path, 0, 0);
	}
	if (h)
		unview(&v);
	p->hdr->endings[ENDGONE] = 1;
	p->undo = 1;
	cutall(&f, CUTLEFT);
	p->undo = 0;
	leave();
	return failed;
}

/* makebases - room in the file for what counters were when a chapter began. */
static int
makebases(void)
{
	long fd = openown();
	int failed = fd < 0;
	const Mod *m;
	Seg *g;

	for (m = p->mod; m; m = m->next)
		for (g = m->seg; g; g = g->next) {
			if (failed || !g->rec || g->rec->base[0])
				continue;
			g->rec->base[0] = grow(fd, 0, 16 * m->n);
			g->rec->base[1] = g->rec->base[0] + 8 * m->n;
			failed = !g->rec->base[0];
		}
	shut(fd);
	return -failed;
}

/* makelabel - the label of another chapter, in the file. */
static int
makelabel(const char *label, uint32_t to)
{
	long fd = openown();
	int failed = fd < 0 || putlabel(fd, label, to) != 0;

	shut(fd);
	return -failed;
}

/* anew - begin another chapter; what was counted in this one is added to the sum of its
 * label, or forgotten. */
static int
anew(const Frame *f, const char *label, int forget)
{
	uint32_t to = ~p->hdr->chapter & 1;
	const struct Profrec *r;
	struct Profhdr *h;
	int failed;
	View v;

	carryall();
	if (makebases() != 0 || makelabel(label, to) != 0 || !(h = viewown(&v)))
		return -1;
	for (r = at(h, v.size, h->first); r; r = next(h, v.size, r)) {
		const struct Profcounts *c = (const void *)r;

		if (r->kind == PROFCOUNTS)
			copy((char *)h + c->base[to], (char *)h + c->counts,
			     8 * v.module[c->module]->ncount);
	}
	basecalls(&v, to);
	if (!forget)
		cutall(f, CUTLEFT);
	if (forget)
		h->chapter++;
	unview(&v);
	p->hdr->endings[ENDGONE] = 0; /* all is known of what is folded */
	failed = !forget && foldown() != 0;
	p->hdr->endings[ENDGONE] = 1;
	if (failed) {
		p->undo = 1;
		cutall(f, CUTLEFT);
		p->undo = 0;
		return -1;
	}
	keeplabel(label);
	forgetcuts();
	cutall(f, CUTENTERED);
	return 0;
}

/* __tally_reset_1 - forget what was counted so far. */
__attribute__((used, weak)) int
__tally_reset_1(void)
{
	Frame f = {0};
	int failed;

	if (!iscounting())
		return -1;
	capture(&f);
	enter(&f);
	failed = anew(&f, p->label, 1);
	leave();
	return failed;
}

/* __tally_label_1 - what is counted from now on is of that label. */
__attribute__((used, weak)) int
__tally_label_1(const char *label)
{
	Frame f = {0};
	int failed;

	if (!iscounting())
		return -1;
	capture(&f);
	enter(&f);
	failed = anew(&f, label, 0);
	leave();
	return failed;
}

__asm__(".section .init_array.00000,\"aw\",@init_array\n"
	".balign 8\n"
	".quad start\n"
	".section .fini_array.00000,\"aw\",@fini_array\n"
	".balign 8\n"
	".quad finishing\n"
	".text\n");
