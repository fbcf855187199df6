/* runtime.c - what runs inside the counted program.
 *
 * A guest: no allocation, no output; errno is not touched because the C library is
 * hardly called.  Whatever fails leaves the program running as if nobody counted.
 *
 * Code counts by `incq %gs:counter(%rip)'.  The base of gs is 0 at first, so it hits
 * the static counters of its module.  start() makes a profile file, maps its part of it
 * for each module at the module's counters plus a distance D, the same for all of
 * them, adds what was counted before, and sets the base of gs to D.
 *
 * Every module that counts, the program and its libraries, brings a copy of this code
 * along.  They share one page of memory at an address that all of them know; the first
 * that starts makes it, and finds the others that are there by a note in each. */
#include "calls.h"
#include "order.h"

extern int on_exit(void (*)(int, void *), void *) __attribute__((weak));

/* isprogram - whether this is a program, which never goes away, and not a library; and whether
 * it is static. */
static int
isprogram(void)
{
	const Elf64_Phdr *ph =
		(const Elf64_Phdr *)((const char *)&__ehdr_start + __ehdr_start.e_phoff);
	uint64_t base = __ehdr_start.e_type == ET_DYN ? (uint64_t)&__ehdr_start : 0;
	const Elf64_Dyn *d = NULL;
	int i;

	for (i = 0; i < __ehdr_start.e_phnum; i++) {
		if (ph[i].p_type == PT_INTERP)
			return 1;
		if (ph[i].p_type == PT_DYNAMIC)
			d = (const Elf64_Dyn *)(base + ph[i].p_vaddr);
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
	int k;

	for (k = 0; k < p->nmod; k++)
		if (p->mod[k].hook && !p->mod[k].done && p->mod[k].note != note) {
			p->mod[k].hook();
			return;
		}
	p->host = NULL;
	unguard();
	if (dl_iterate_phdr)
		dl_iterate_phdr(hookmodule, NULL);
}

/* attach - to what the copies share; make it if this is the first. */
static int
attach(void)
{
	long map = sys(__NR_mmap, (long)SHARED, SHAREDSIZE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (map == (long)SHARED) {
		p = SHARED;
		copy(p->magic, SHAREDMAGIC, sizeof p->magic);
		SYS(__NR_madvise, SEEN, PAGE, MADV_WIPEONFORK);
		*SEEN = 1;
		return 0;
	}
	if (map != EXISTS) {
		if (!(map < 0 && map > -4096))
			SYS(__NR_munmap, map, SHAREDSIZE, 0);
		return -1;
	}
	if (!same(SHARED->magic, SHAREDMAGIC, sizeof SHARED->magic))
		return -1;
	p = SHARED;
	return 0;
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

/* flatten - map the file where the counters of this module are, with what they have counted. */
static void
flatten(void)
{
	uint64_t *from = (uint64_t *)((char *)note + note[0]), i;
	size_t size;
	char *file;
	Mod *m;

	for (m = p->mod; m < p->mod + p->nmod && m->note != note; m++)
		;
	if (m == p->mod + p->nmod)
		return;
	file = (char *)mapprofile(&p->dir, p->own, &size);
	if (!file || !m->file || (uint64_t)from % PAGE
	    || flatend() != ((uint64_t)(from + m->n) + PAGE - 1) / PAGE * PAGE) {
		p->hdr->flags |= PROFLOST;
	} else {
		for (i = 0; i < m->n; i++)
			((uint64_t *)(file + m->file))[i] += from[i];
		place(m, m->file, 0, 1);
	}
	if (file)
		SYS(__NR_munmap, file, size, 0);
}

/* start - the first constructor of the module. */
__attribute__((used)) static void
start(void)
{
	int k;

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
	if (p->hdr) {
		visitall();
	} else {
		p->nmod = 0;
		p->slot[0].D = 0;
		p->early = isthreaded();
		finddir();
		newfile();
		visitall();
		p->flat = flatend() != 0;
		if (p->hdr)
			choose();
		if (p->hdr && !p->flat
		    && (!p->slot[0].D || SYS(__NR_arch_prctl, ARCH_SET_GS, p->slot[0].D, 0) != 0)) {
			SYS(__NR_unlink, inside(&p->dir, p->own, ""), 0, 0);
			p->hdr = NULL;
		}
		for (k = 0; p->hdr && !p->flat && k < p->nmod; k++)
			carry(&p->mod[k]);
		if (p->hdr && lock(&p->dir, 1) == 0) {
			sweep(&p->dir, p->program, p->hdr);
			unlock(&p->dir);
		}
	}
	if (p->hdr && p->flat)
		flatten();
	if (p->hdr)
		makecalls();
	for (k = 0; k < p->nmod; k++)
		if (p->mod[k].note == note) {
			p->mod[k].hook = hookall;
			if (!p->mod[k].done)
				rankearly(&p->mod[k]);
		}
	if (p->hdr && !p->host)
		hookall();
	else if (p->hdr && dl_iterate_phdr && p->host == note)
		dl_iterate_phdr(hookmodule, p);
	leave();
}

/* begin - the same where nobody calls constructors: by the first instruction of the program,
 * which finds its registers as they were. */
__asm__(".text\n"
	".globl	__tally_begin_1\n"
	".hidden	__tally_begin_1\n"
	".type	__tally_begin_1, @function\n"
	"__tally_begin_1:\n"
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
		SYS(__NR_munmap, h, size, 0);
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
		SYS(__NR_munmap, h, v.size, 0);
	unlock(&p->dir);
	return failed;
}

/* close - the file.  If the process ends, how it does is said when all is recorded: it may be
 * killed before that. */
static void
close(int ends)
{
	int k;

	if (p->early || (p->nslot == 1 && isthreaded()))
		p->hdr->flags |= PROFTHREADS; /* without our knowing */
	for (k = 0; p->early && !p->flat && k < p->nmod; k++)
		if (!p->mod[k].done)
			carry(&p->mod[k]);
	if (ends)
		stopothers();
	abandon(0, UINT64_MAX);
	checkcalls();
	if (unseen())
		p->hdr->flags |= PROFLOSTCUTS;
	p->hdr->ended = (uint64_t)SYS(__NR_time, 0, 0, 0);
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
	if (p->hdr && isown())
		exited(status);
}

/* finish - the last destructor of the module: it goes, or the process ends.  The last
 * of all closes the file.  What is counted later is lost. */
static void
finish(Frame *f)
{
	uint64_t counters = (uint64_t)note + (uint64_t)note[0];
	int k, live = 0, unloading;

	if (!p || !p->hdr)
		return;
	if (!isown()) {
		p->hdr->flags |= PROFFORKED | PROFTHREADS;
		if (*SEEN)
			return; /* by vfork: this is the parent's memory */
		p->lock = 0;    /* a thread that is not here may have held it */
	}
	enter(f);
	unloading = isunloading(*f);
	for (k = 0; k < p->nmod; k++) {
		if (p->mod[k].counters == counters && !p->mod[k].done)
			*(unloading ? &p->mod[k].done : &p->mod[k].over) = 1;
		live += !p->mod[k].done && !p->mod[k].over;
		if (p->mod[k].counters == counters && p->mod[k].done)
			forgetcalls(p->mod[k].begin, p->mod[k].end);
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
	leave();
}

/* modnumbered - the module of that number in the file. */
static const Mod *
modnumbered(uint32_t number)
{
	int k;

	for (k = 0; k < p->nmod; k++)
		if (p->mod[k].file && number-- == 0)
			return &p->mod[k];
	return NULL;
}

/* child - of a fork: it gets a file of its own, in the place of its parent's.  Threads of
 * the parent may be adding records to that. */
static void
child(void)
{
	struct Profhdr *old = p->hdr;
	uint64_t last = p->last, used = p->used, size = old ? old->size : 0, at;
	int64_t D = 0;
	long fd = -1;
	int k;

	p->lock = p->closing = p->stopping = 0;
	*SEEN = 1;
	if (!old)
		return;
	if (newfile() == 0)
		fd = SYS(__NR_open, inside(&p->dir, p->own, ""), O_RDWR | O_CLOEXEC, 0);
	if (p->hdr && (fd < 0 || reserve(fd, HEAD, size) != 0)) {
		SYS(__NR_unlink, inside(&p->dir, p->own, ""), 0, 0);
		p->hdr = NULL;
	}
	if (fd >= 0)
		SYS(__NR_close, fd, 0, 0);
	if (p->hdr) {
		p->hdr->first = 0; /* others may be reading */
		copy(p->hdr + 1, old + 1, used - sizeof *old);
		forgetcuts();
		copy(p->hdr->label[0], old->label[old->chapter & 1], LABELSIZE);
		p->hdr->flags |= old->flags & PROFHASCUTS ? PROFHASCUTS : PROFFORKED;
		p->hdr->size = size;
		p->last = last;
		p->used = used;
		((struct Profrec *)((char *)p->hdr + last))->next = 0;
		for (at = sizeof *old; at;) {
			struct Profcounts *c = (void *)((char *)p->hdr + at);

			if (c->rec.kind == PROFCOUNTS)
				c->base[0] = c->base[1] = 0;
			at = c->rec.next;
		}
		p->hdr->first = sizeof *old;
	} else {
		old->flags |= PROFLOST;
	}
	SYS(__NR_arch_prctl, ARCH_GET_GS, &D, 0);
	while (p->nslot > 1 && !p->slot[p->nslot - 1].D)
		p->nslot--; /* it was in the making */
	for (k = 0; k < p->nslot; k++) {
		p->slot[k].taken = p->flat || p->slot[k].D == D;
		p->slot[k].tid = (int)p->pid;
	}
	for (at = old->first; at && at < used;) {
		const struct Profcounts *c = (void *)((char *)old + at);
		const Mod *m = c->rec.kind == PROFCOUNTS ? modnumbered(c->module) : NULL;

		if (m && !m->done && (int)c->thread < p->nslot
		    && place(m, p->hdr ? c->counts : 0, p->slot[c->thread].D, 1) != 0 && p->hdr) {
			place(m, 0, p->slot[c->thread].D, 1);
			p->hdr->flags |= PROFLOST;
		}
		at = c->rec.next;
	}
	for (k = 0; k < p->nmod; k++)
		inheritranks(&p->mod[k]);
	for (k = 0; !p->hdr && k < p->nmod; k++)
		p->mod[k].file = 0;
	childcalls();
	SYS(__NR_munmap, old, HEAD, 0);
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
	cutwaiting(0, UINT64_MAX, kind);
	if (others())
		p->hdr->flags |= PROFMIDWAY;
}

/* __tally_snapshot_1 - the counts so far, as a profile of their own. */
__attribute__((used)) int
__tally_snapshot_1(const char *path)
{
	struct Profhdr *h;
	int failed = -1;
	Frame f = {0};
	long fd;
	View v;

	if (!iscounting())
		return -1;
	capture(&f);
	enter(&f);
	cutall(&f, CUTLEFT);
	h = viewown(&v);
	fd = h ? SYS(__NR_open, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
	p->hdr->endings[ENDGONE] = 0; /* all is known of what is in there */
	if (fd >= 0) {
		failed = putsum(fd, &v, NULL, 0, "");
		SYS(__NR_close, fd, 0, 0);
		if (failed)
			SYS(__NR_unlink, path, 0, 0);
	}
	if (h)
		SYS(__NR_munmap, h, v.size, 0);
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
	uint64_t at;

	for (at = p->hdr->first; at; at = ((struct Profrec *)((char *)p->hdr + at))->next) {
		struct Profcounts *c = (void *)((char *)p->hdr + at);
		const Mod *m = c->rec.kind == PROFCOUNTS ? modnumbered(c->module) : NULL;

		if (!m || c->base[0])
			continue;
		c->base[0] = grow(0, 16 * m->n);
		if (!c->base[0])
			return -1;
		c->base[1] = c->base[0] + 8 * m->n;
	}
	return 0;
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

	if (makebases() != 0 || !(h = viewown(&v)))
		return -1;
	for (r = at(h, v.size, h->first); r; r = next(h, v.size, r)) {
		const struct Profcounts *c = (const void *)r;

		if (r->kind == PROFCOUNTS)
			copy((char *)h + c->base[to], (char *)h + c->counts,
			     8 * v.module[c->module]->ncount);
	}
	basecalls(&v, to);
	clear(h->label[to], LABELSIZE);
	append(h->label[to], LABELSIZE, label);
	if (!forget)
		cutall(f, CUTLEFT);
	if (forget)
		h->chapter++;
	SYS(__NR_munmap, h, v.size, 0);
	p->hdr->endings[ENDGONE] = 0; /* all is known of what is folded */
	failed = !forget && foldown() != 0;
	p->hdr->endings[ENDGONE] = 1;
	if (failed) {
		p->undo = 1;
		cutall(f, CUTLEFT);
		p->undo = 0;
		return -1;
	}
	forgetcuts();
	cutall(f, CUTENTERED);
	return 0;
}

/* __tally_reset_1 - forget what was counted so far. */
__attribute__((used)) int
__tally_reset_1(void)
{
	Frame f = {0};
	int failed;

	if (!iscounting())
		return -1;
	capture(&f);
	enter(&f);
	failed = anew(&f, p->hdr->label[p->hdr->chapter & 1], 1);
	leave();
	return failed;
}

/* __tally_label_1 - what is counted from now on is of that label. */
__attribute__((used)) int
__tally_label_1(const char *label)
{
	Frame f = {0};
	int failed;

	if (!iscounting() || length(label) >= LABELSIZE)
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
