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

#include "fold.h"
#include "unwind.h"

#include <asm/prctl.h>
#include <elf.h>

extern char **environ __attribute__((weak));
extern const char __libc_single_threaded __attribute__((weak));

struct phdrinfo { /* of dl_iterate_phdr(3) */
	Elf64_Addr addr;
	const char *name;
	const Elf64_Phdr *phdr;
	Elf64_Half phnum;
};

extern int dl_iterate_phdr(int (*)(struct phdrinfo *, size_t, void *), void *)
	__attribute__((weak));

extern void *__dso_handle __attribute__((visibility("hidden"), weak));
extern void *dlsym(void *, const char *) __attribute__((weak));

extern int __register_atfork(void (*)(void), void (*)(void), void (*)(void), void *)
	__attribute__((weak));

extern const Elf64_Ehdr __ehdr_start __attribute__((visibility("hidden"), weak));

/* Where profiles go unless TALLY_DIR says otherwise; written by the assembler's
 * wrapper. */
extern const char __tally_dir[] __attribute__((visibility("hidden")));

/* The note: where the counters of the module are.  There is at least one, which nobody
 * uses. */
extern const int64_t note[2] __attribute__((visibility("hidden")));

__asm__(".section .note.tally,\"a\",@note\n"
	".balign 4\n"
	".long 6,16,1\n"
	".asciz \"tally\"\n"
	".balign 4\n"
	".type	note, @object\n"
	"note:\n"
	".quad __start_tally_counters-.\n"
	".quad __stop_tally_counters-.\n"
	".section tally_counters,\"aw\",@nobits\n"
	".balign 8\n"
	".zero 8\n"
	".hidden __start_tally_counters\n"
	".hidden __stop_tally_counters\n"
	".text\n");

#define PAGE 4096ull
#define HEAD 0x18000ull /* bytes of the file for its header and records */

typedef struct Mod Mod;
typedef struct Slot Slot;
typedef struct Process Process;

/* A module.  Its counters are at `counters', and for counting at counters + D. */
struct Mod {
	uint64_t counters;
	uint64_t n;
	uint64_t file;       /* offset of its part of the file; 0 if that is only memory */
	uint64_t begin, end; /* where it is loaded */
	int done;            /* its destructors have run */
	const void *note;
	void (*hook)(void); /* its copy's hookall(), once it has started; NULL */
};

/* Counters for one thread: of every module, at the same distance. */
struct Slot {
	int64_t D;
	int taken;
	int tid; /* of the thread that counts there; 0 before it runs */
	void *(*begin)(void *);
	void *arg;
	int ending;      /* by pthread_exit: all of its frames are left */
	Frame thrown;    /* where an exception was thrown, or goes on */
	uint64_t execra; /* where a failing exec is to return to */
};

typedef struct Known Known;

/* How to leave a frame that is at that address: short, for the walk is hot in programs
 * that jump a lot. */
struct Known {
	uint64_t rip;
	int interrupted;
	int cfareg, cfaoff;
	int n; /* registers that are saved */
	int8_t reg[7];
	int16_t off[7];
};

enum { MAXSLOT = 1024, MAXCUT = 1024, NKNOWN = 256 };

/* Functions in whose place we are called. */
enum {
	PTHREAD_CREATE,
	THRD_CREATE,
	EXIT,
	_EXIT,
	_EXIT_C99,
	QUICK_EXIT,
	ABORT,
	LONGJMP,
	_LONGJMP,
	SIGLONGJMP,
	LONGJMP_CHK,
	PTHREAD_EXIT,
	PTHREAD_CANCEL,
	SWAPCONTEXT,
	SETCONTEXT,
	EXECVE,
	EXECV,
	EXECVP,
	EXECVPE,
	EXECL,
	EXECLP,
	EXECLE,
	FEXECVE,
	EXECVEAT,
	RAISE_EXCEPTION,
	RESUME,
	RETHROW,
	SET_IP,
	NHOOK,
	FORKED = NHOOK, /* not in its place, but by it */
	EXECFAILED      /* where the exec functions return to */
};

static const char hookname[NHOOK][28] = {
	[PTHREAD_CREATE] = "pthread_create",
	[THRD_CREATE] = "thrd_create",
	[EXIT] = "exit",
	[_EXIT] = "_exit",
	[_EXIT_C99] = "_Exit",
	[QUICK_EXIT] = "quick_exit",
	[ABORT] = "abort",
	[LONGJMP] = "longjmp",
	[_LONGJMP] = "_longjmp",
	[SIGLONGJMP] = "siglongjmp",
	[LONGJMP_CHK] = "__longjmp_chk",
	[PTHREAD_EXIT] = "pthread_exit",
	[PTHREAD_CANCEL] = "pthread_cancel",
	[SWAPCONTEXT] = "swapcontext",
	[SETCONTEXT] = "setcontext",
	[EXECVE] = "execve",
	[EXECV] = "execv",
	[EXECVP] = "execvp",
	[EXECVPE] = "execvpe",
	[EXECL] = "execl",
	[EXECLP] = "execlp",
	[EXECLE] = "execle",
	[FEXECVE] = "fexecve",
	[EXECVEAT] = "execveat",
	[RAISE_EXCEPTION] = "_Unwind_RaiseException",
	[RESUME] = "_Unwind_Resume",
	[RETHROW] = "_Unwind_Resume_or_Rethrow",
	[SET_IP] = "_Unwind_SetIP",
};

/* What the copies of this code share. */
struct Process {
	char magic[8];
	int lock;
	uint64_t mask; /* of signals, for who holds the lock to restore */
	uint32_t pid;
	struct Profhdr *hdr; /* HEAD bytes of the file; NULL if nothing is counted */
	uint64_t last;       /* offset of the last record */
	uint64_t used;       /* bytes of the file that are taken by records */
	Mod mod[MAXMODULE];
	int nmod;
	Slot slot[MAXSLOT]; /* the first is the main thread's, and there from the start */
	int nslot;
	const void *host;           /* note of the module whose copy is called for others */
	void *real[NHOOK];          /* the functions in whose place we are called */
	uint64_t (*getcfa)(void *); /* _Unwind_GetCFA */
	struct Profcut *cut;        /* table in the file */
	uint64_t exitsp;            /* stack of the first call of exit; 0 */
	int undo;                   /* take cuts back */
	Known known[NKNOWN];        /* by hash of the address */
	Dir dir;
	char own[300];     /* name of the file in there */
	char program[256]; /* name of the program */
};

#define SHARED ((Process *)0x1a1100000000)
#define SHAREDMAGIC "tally 1"

static Process *p; /* SHARED once it is there */

/* enter, leave - around whatever the copies and threads must not do at once.  No signal
 * comes meanwhile: its handler may want to enter, too. */
static void
enter(void)
{
	uint64_t all = ~0ull, mask = 0;

	sys(__NR_rt_sigprocmask, 2 /* SIG_SETMASK */, (long)&all, (long)&mask, 8, 0, 0);
	while (__atomic_exchange_n(&p->lock, 1, __ATOMIC_ACQUIRE))
		SYS(__NR_sched_yield, 0, 0, 0);
	p->mask = mask;
}

static void
leave(void)
{
	uint64_t mask = p->mask;

	__atomic_store_n(&p->lock, 0, __ATOMIC_RELEASE);
	sys(__NR_rt_sigprocmask, 2, (long)&mask, 0, 8, 0, 0);
}

/* identify - who this process is: so that others can tell whether it still runs. */
static void
identify(struct Profhdr *h)
{
	char buf[1024], *s;
	int i, k = 0;

	h->pid = (uint32_t)SYS(__NR_getpid, 0, 0, 0);
	slurp("/proc/self/stat", buf, sizeof buf);
	for (s = buf + length(buf); s > buf && *s != ')'; s--)
		; /* the name may hold anything, a parenthesis ends it */
	for (i = 0; *s && i < 20; s++)
		i += *s == ' ';
	h->start = number(s);
	slurp("/proc/sys/kernel/random/boot_id", buf, sizeof buf);
	for (s = buf; *s && k < 32; s++) {
		int d = *s >= '0' && *s <= '9'   ? *s - '0'
			: *s >= 'a' && *s <= 'f' ? *s - 'a' + 10
						 : -1;

		if (d < 0)
			continue;
		h->boot[k / 2] = (uint8_t)(h->boot[k / 2] << 4 | d);
		k++;
	}
	buf[0] = 0;
	i = (int)SYS(__NR_readlink, "/proc/self/ns/pid", buf, sizeof buf - 1);
	buf[i > 0 ? i : 0] = 0;
	for (s = buf; *s && *s != '['; s++)
		;
	h->pidns = *s ? number(s + 1) : 0;
}

static const char *
environment(const char *name)
{
	size_t n = length(name), i, k;

	if (!&environ || !environ)
		return NULL;
	for (i = 0; environ[i]; i++) {
		for (k = 0; k < n && environ[i][k] == name[k]; k++)
			;
		if (k == n && environ[i][n] == '=')
			return environ[i] + n + 1;
	}
	return NULL;
}

/* finddir - where profiles go. */
static void
finddir(void)
{
	const char *s = environment("TALLY_DIR");
	Dir *d = &p->dir;

	d->path[0] = 0;
	if (!s || !*s)
		s = __tally_dir;
	if (*s != '/' && SYS(__NR_getcwd, d->path, sizeof d->path, 0) > 0)
		append(d->path, sizeof d->path, "/");
	if (length(s) + length(d->path) >= sizeof d->path)
		d->path[0] = 0;
	append(d->path, sizeof d->path, s);
	SYS(__NR_mkdir, d->path, 0777, 0);
}

/* createfile - a new file for this process in the directory; -1 if there is no way. */
static long
createfile(void)
{
	char *own = p->own;
	size_t n;
	int try;
	long fd;

	own[0] = 0;
	append(own, sizeof p->own - 40, p->program);
	append(own, sizeof p->own, ".");
	appendnumber(own, sizeof p->own, p->pid, 10);
	n = length(own);
	for (try = 0; try < 100; try++) {
		own[n] = 0;
		if (try) {
			append(own, sizeof p->own, "-");
			appendnumber(own, sizeof p->own, (uint64_t)try, 10);
		}
		append(own, sizeof p->own, ".tally");
		fd = SYS(__NR_open, inside(&p->dir, own, ""), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
			 0666);
		if (fd != EXISTS)
			return fd;
	}
	return -1;
}

/* filename - of the program, or of a library. */
static void
filename(const char *name, char *path, size_t cap)
{
	long n;

	path[0] = 0;
	if (!name || !*name) {
		n = SYS(__NR_readlink, "/proc/self/exe", path, cap - 1);
		path[n > 0 ? n : 0] = 0;
		return;
	}
	while (name[0] == '.' && name[1] == '/')
		name += 2;
	if (*name != '/' && SYS(__NR_getcwd, path, cap, 0) > 0)
		append(path, cap, "/");
	append(path, cap, name);
}

/* record - room for one of that size in the header's part of the file; NULL. */
static void *
record(uint16_t kind, uint64_t size)
{
	struct Profrec *r = (void *)((char *)p->hdr + p->used);

	size = (size + 7) & ~7ull;
	if (size > HEAD - p->used)
		return NULL;
	r->size = (uint32_t)size;
	r->kind = kind;
	r->version = PROFVERSION;
	return r;
}

/* link - a record that is complete, to the others. */
static void
link(const struct Profrec *r)
{
	struct Profrec *last = (void *)((char *)p->hdr + p->last);

	if (p->last)
		last->next = p->used;
	p->last = p->used;
	p->used += r->size;
}

/* newfile - with a header and nothing else; 0 if there is one. */
static int
newfile(void)
{
	const char *label = environment("TALLY_LABEL"), *s;
	static char path[4096];
	struct Profcuts *cuts;
	struct Profhdr *h;
	long fd, map = -1;

	p->pid = (uint32_t)SYS(__NR_getpid, 0, 0, 0);
	p->hdr = NULL;
	filename(NULL, path, sizeof path);
	for (s = path; *s; s++)
		if (*s == '/') {
			p->program[0] = 0;
			append(p->program, sizeof p->program, s + 1);
		}
	fd = createfile();
	if (fd < 0)
		return -1;
	if (reserve(fd, 0, HEAD) == 0)
		map = sys(__NR_mmap, 0, HEAD, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	SYS(__NR_close, fd, 0, 0);
	if (map < 0 && map > -4096) {
		SYS(__NR_unlink, inside(&p->dir, p->own, ""), 0, 0);
		return -1;
	}
	h = (struct Profhdr *)map;
	identify(h);
	copy(h->magic, PROFMAGIC, 8);
	h->state = PROFCOUNTING;
	h->first = sizeof *h;
	h->size = HEAD;
	h->begun = (uint64_t)SYS(__NR_time, 0, 0, 0);
	h->runs = 1;
	h->endings[ENDGONE] = 1;
	h->serial = hash(h->start ^ (uint64_t)__builtin_ia32_rdtsc(), &h->pid, 4);
	if (label && length(label) < LABELSIZE)
		append(h->label[0], LABELSIZE, label);
	p->hdr = h;
	p->last = 0;
	p->used = sizeof *h;
	cuts = record(PROFCUTS, sizeof *cuts + MAXCUT * sizeof *p->cut);
	cuts->cuts = p->used + sizeof *cuts;
	cuts->ncut = MAXCUT;
	p->cut = (struct Profcut *)(cuts + 1);
	link(&cuts->rec);
	return 0;
}

/* grow - the file by n bytes, so that they begin where the page says that off does;
 * where they begin, 0 if that cannot be. */
static uint64_t
grow(uint64_t off, uint64_t n)
{
	uint64_t begin = ((p->hdr->size + PAGE - 1) & ~(PAGE - 1)) + (off & (PAGE - 1));
	long fd = SYS(__NR_open, inside(&p->dir, p->own, ""), O_RDWR | O_CLOEXEC, 0);
	int failed;

	if (fd < 0)
		return 0;
	failed = reserve(fd, p->hdr->size, begin + n);
	SYS(__NR_close, fd, 0, 0);
	if (failed)
		return 0;
	p->hdr->size = begin + n;
	return begin;
}

/* place - memory for the counters of a module at the distance D, from there in the file
 * or, if that is 0, from nowhere.  With `over', whatever is there goes away. */
static int
place(const Mod *m, uint64_t file, int64_t D, int over)
{
	uint64_t begin = (m->counters + (uint64_t)D) & ~(PAGE - 1);
	uint64_t end = (m->counters + (uint64_t)D + 8 * m->n + PAGE - 1) & ~(PAGE - 1);
	int flags = (over ? MAP_FIXED : MAP_FIXED_NOREPLACE)
		    | (file ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS);
	long fd = -1, map;

	if (file) {
		fd = SYS(__NR_open, inside(&p->dir, p->own, ""), O_RDWR | O_CLOEXEC, 0);
		if (fd < 0)
			return -1;
	}
	map = sys(__NR_mmap, (long)begin, (long)(end - begin), PROT_READ | PROT_WRITE, flags, fd,
		  (long)(file & ~(PAGE - 1)));
	if (file)
		SYS(__NR_close, fd, 0, 0);
	if (map == (long)begin)
		return 0;
	if (!(map < 0 && map > -4096)) /* an old kernel takes the address for a wish */
		SYS(__NR_munmap, map, end - begin, 0);
	return -1;
}

/* remove - what place() placed. */
static void
remove(const Mod *m, int64_t D)
{
	uint64_t begin = (m->counters + (uint64_t)D) & ~(PAGE - 1);
	uint64_t end = (m->counters + (uint64_t)D + 8 * m->n + PAGE - 1) & ~(PAGE - 1);

	SYS(__NR_munmap, begin, end - begin, 0);
}

/* carry - what was counted with a base of 0 to where it belongs. */
static void
carry(const Mod *m)
{
	uint64_t *from = (uint64_t *)m->counters, *to = from + p->slot[0].D / 8, i;

	for (i = 0; i < m->n; i++)
		if (from[i]) {
			to[i] += from[i];
			from[i] = 0;
		}
}

/* numberof - of a module, in the file. */
static uint32_t
numberof(const Mod *m)
{
	uint32_t number = 0;
	int k;

	for (k = 0; &p->mod[k] < m; k++)
		number += p->mod[k].file != 0;
	return number;
}

/* segment - room in the file for the counters of a module, as slot k counts in them;
 * where, or 0. */
static uint64_t
segment(const Mod *m, int k)
{
	struct Profcounts *c;
	uint64_t file;

	if (p->used + sizeof *c > HEAD || !(file = grow(m->counters, 8 * m->n)))
		return 0;
	c = record(PROFCOUNTS, sizeof *c);
	c->module = numberof(m);
	c->thread = (uint32_t)k;
	c->counts = file;
	link(&c->rec);
	return file;
}

/* describe - a module in the file: a record for it and one for its counters. */
static int
describe(Mod *m, const char *name, const uint8_t *id, uint32_t idlen)
{
	static char path[4096];
	struct Profmodule *r;

	filename(name, path, sizeof path);
	if (!grow(0, 0))
		return -1; /* no way to the file */
	r = record(PROFMODULE, sizeof *r + length(path) + 1);
	if (!r || p->used + r->rec.size + sizeof(struct Profcounts) > HEAD)
		return -1;
	r->address = m->counters;
	r->ncount = m->n;
	r->pathlen = (uint32_t)length(path);
	r->idlen = idlen < sizeof r->id ? idlen : sizeof r->id;
	copy(r->id, id, r->idlen);
	copy(r + 1, path, r->pathlen);
	link(&r->rec);
	m->file = segment(m, 0);
	return m->file ? 0 : -1;
}

/* known - whether the module with these counters is registered. */
static int
known(uint64_t counters)
{
	int k;

	for (k = 0; k < p->nmod; k++)
		if (p->mod[k].counters == counters && !p->mod[k].done)
			return 1;
	return 0;
}

/* covers - whether a module that is gone had its counters where these are. */
static int
covers(const Mod *m)
{
	int k;

	for (k = 0; &p->mod[k] < m; k++)
		if (p->mod[k].done && p->mod[k].counters < m->counters + 8 * m->n + PAGE
		    && m->counters < p->mod[k].counters + 8 * p->mod[k].n + PAGE)
			return 1;
	return 0;
}

/* add - a module, whose code may already be running with a base of 0, or will run. */
static void
add(const char *name, const void *note, uint64_t counters, uint64_t n, const uint8_t *id,
    uint32_t idlen)
{
	Mod *m = &p->mod[p->nmod];
	int k;

	if (known(counters) || p->nmod == MAXMODULE)
		return;
	*m = (Mod){.counters = counters, .n = n, .note = note};
	p->nmod++;
	if (!p->hdr)
		return;
	if (describe(m, name, id, idlen) != 0)
		p->hdr->flags |= PROFLOST;
	if (!p->slot[0].D)
		return; /* start() will place all of them */
	for (k = 0; k < p->nslot; k++) {
		uint64_t file = k && m->file ? segment(m, k) : m->file;

		if (!file)
			p->hdr->flags |= PROFLOST;
		if (place(m, file, p->slot[k].D, covers(m)) != 0) {
			p->hdr->flags |= PROFLOST; /* the program must not fall into a hole */
			place(m, 0, p->slot[k].D, 1);
		}
	}
	carry(m);
}

/* visit - a module that is loaded: add it if it has our note. */
static int
visit(struct phdrinfo *info, size_t size, void *with)
{
	const uint8_t *id = NULL, *note = NULL;
	uint64_t begin = UINT64_MAX, last = 0;
	uint32_t idlen = 0;
	int64_t rel[2];
	int i;

	(void)size;
	(void)with;
	for (i = 0; i < info->phnum; i++) {
		const char *s = (const char *)info->addr + info->phdr[i].p_vaddr;
		const char *end = s + info->phdr[i].p_memsz;

		if (info->phdr[i].p_type == PT_LOAD) {
			begin = (uint64_t)s < begin ? (uint64_t)s : begin;
			last = (uint64_t)end > last ? (uint64_t)end : last;
		}
		if (info->phdr[i].p_type != PT_NOTE)
			continue;
		while (s + sizeof(Elf64_Nhdr) <= end) {
			const Elf64_Nhdr *n = (const Elf64_Nhdr *)s;
			const char *owner = s + sizeof *n;
			const char *desc = owner + ((n->n_namesz + 3) & ~3u);

			if (n->n_namesz == 4 && same(owner, "GNU", 4)
			    && n->n_type == NT_GNU_BUILD_ID) {
				id = (const uint8_t *)desc;
				idlen = n->n_descsz;
			}
			if (n->n_namesz == 6 && same(owner, "tally", 6) && n->n_type == 1)
				note = (const uint8_t *)desc;
			s = desc + ((n->n_descsz + 3) & ~3u);
		}
	}
	if (note) {
		copy(rel, note, sizeof rel);
		add(info->name, note, (uint64_t)note + (uint64_t)rel[0],
		    ((uint64_t)note + 8 + (uint64_t)rel[1] - (uint64_t)note - (uint64_t)rel[0]) / 8,
		    id, idlen);
		if (p->nmod && p->mod[p->nmod - 1].note == note) {
			p->mod[p->nmod - 1].begin = begin;
			p->mod[p->nmod - 1].end = last;
		}
	}
	return 0;
}

/* visitall - every module that is loaded; without a dynamic linker there is this one. */
static void
visitall(void)
{
	struct phdrinfo self = {.phnum = __ehdr_start.e_phnum};

	if (dl_iterate_phdr) {
		dl_iterate_phdr(visit, NULL);
		return;
	}
	self.phdr = (const Elf64_Phdr *)((const char *)&__ehdr_start + __ehdr_start.e_phoff);
	if (__ehdr_start.e_type == ET_DYN)
		self.addr = (Elf64_Addr)&__ehdr_start;
	visit(&self, sizeof self, NULL);
}

/* placeall - all modules at the distance D, or none. */
static int
placeall(int64_t D)
{
	int k;

	for (k = 0; k < p->nmod; k++)
		if (place(&p->mod[k], p->mod[k].file, D, 0) != 0)
			break;
	if (k == p->nmod)
		return 0;
	while (k-- > 0)
		remove(&p->mod[k], D);
	return -1;
}

/* isfree - whether n bytes at addr are, as far as the kernel would map them. */
static int
isfree(uint64_t addr, uint64_t n)
{
	long map = sys(__NR_mmap, (long)addr, (long)n, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

	if (!(map < 0 && map > -4096))
		SYS(__NR_munmap, map, n, 0);
	return map == (long)addr;
}

/* choose - a distance at which all modules have room, and those that come later, which
 * are loaded downwards from where we were mapped.  The kernel takes no negative base;
 * the largest that fits leads into the space between libraries and stack. */
static void
choose(void)
{
	uint64_t later = (uint64_t)p->hdr, room;
	int64_t D;

	for (room = 1ull << 32; room >= 1ull << 24; room >>= 4)
		for (D = 1ll << 40; D >= 1ll << 21; D /= 2)
			if (isfree(later - room + (uint64_t)D, room) && placeall(D) == 0) {
				p->slot[0] = (Slot){.D = D, .taken = 1};
				p->nslot = 1;
				return;
			}
}

/* Threads.  Each gets a slot when it is made: calls of pthread_create are led to us by
 * the words through which modules call functions of others, as the dynamic linker fills
 * them.  So the program's own names are left alone. */

/* freeslot - one that nobody counts in: whose thread is gone, or a new one; NONE. */
static Slot *
freeslot(void)
{
	int64_t step = 1 << 20, D = p->slot[p->nslot - 1].D;
	int k, try;
	Slot *s;

	for (k = 1; k < p->nslot; k++) {
		s = &p->slot[k];
		if (s->taken && s->tid && SYS(__NR_tgkill, p->pid, s->tid, 0) == NOPROCESS)
			s->taken = 0;
		if (!s->taken)
			return s;
	}
	if (p->nslot == MAXSLOT)
		return NULL;
	for (k = 0; k < p->nmod; k++)
		while (step < (int64_t)(8 * p->mod[k].n))
			step *= 2;
	s = &p->slot[p->nslot];
	for (try = 0; try < 256 && D > 2 * step; try++) {
		D -= step;
		for (k = 0; k < p->nmod; k++)
			if (!p->mod[k].done && place(&p->mod[k], 0, D, 0) != 0)
				break;
		if (k == p->nmod)
			break;
		while (k-- > 0)
			if (!p->mod[k].done)
				remove(&p->mod[k], D);
	}
	if (try == 256 || D <= step)
		return NULL;
	for (k = 0; k < p->nmod; k++) {
		uint64_t file =
			p->mod[k].file && !p->mod[k].done ? segment(&p->mod[k], p->nslot) : 0;

		if (p->mod[k].done)
			continue;
		if (!file || place(&p->mod[k], file, D, 1) != 0)
			p->hdr->flags |= PROFLOST;
	}
	*s = (Slot){.D = D};
	p->nslot++;
	return s;
}

/* run - the first thing a thread does. */
static void *
run(void *arg)
{
	Slot *s = arg;
	void *(*begin)(void *) = s->begin;
	void *with = s->arg;

	s->tid = (int)SYS(__NR_gettid, 0, 0, 0);
	SYS(__NR_arch_prctl, ARCH_SET_GS, s->D, 0);
	return begin(with);
}

/* takeslot - for a thread that will begin so; NULL if there is none. */
static Slot *
takeslot(void *(*begin)(void *), void *arg)
{
	Slot *s = NULL;

	enter();
	if (p->hdr && (s = freeslot())) {
		s->taken = 1;
		s->tid = 0;
		s->ending = 0;
		s->thrown.reg[RIP] = 0;
		s->begin = begin;
		s->arg = arg;
	} else if (p->hdr) {
		p->hdr->flags |= PROFTHREADS;
	}
	leave();
	return s;
}

/* create, thrd - in the place of pthread_create and thrd_create. */
static int
create(void *thread, const void *attr, void *(*begin)(void *), void *arg)
{
	int (*real)(void *, const void *, void *(*)(void *), void *) = p->real[PTHREAD_CREATE];
	Slot *s = takeslot(begin, arg);
	int failed = s ? real(thread, attr, run, s) : real(thread, attr, begin, arg);

	if (failed && s)
		s->taken = 0;
	return failed;
}

static int
thrd(void *thread, void *(*begin)(void *), void *arg)
{
	int (*real)(void *, void *(*)(void *), void *) = p->real[THRD_CREATE];
	Slot *s = takeslot(begin, arg);
	int failed = s ? real(thread, run, s) : real(thread, begin, arg);

	if (failed && s)
		s->taken = 0;
	return failed;
}

/* Cuts.  Where frames are left without returning, or entered without being called, the
 * law of flow does not hold.  Each such frame is found by walking the stack, and the
 * place where it was left or entered is counted in a table in the file. */

struct findobject { /* of _dl_find_object(3) */
	uint64_t flags;
	void *begin, *end, *map, *hdr;
	uint64_t room[7];
};

extern int _dl_find_object(void *, struct findobject *) __attribute__((weak));

typedef struct Sought Sought;

struct Sought {
	uint64_t pc;
	const uint8_t *hdr;
};

static int
ishere(struct phdrinfo *info, size_t size, void *with)
{
	Sought *s = with;
	const uint8_t *hdr = NULL;
	int i, in = 0;

	(void)size;
	for (i = 0; i < info->phnum; i++) {
		const Elf64_Phdr *ph = &info->phdr[i];
		uint64_t at = info->addr + ph->p_vaddr;

		if (ph->p_type == PT_LOAD && s->pc >= at && s->pc < at + ph->p_memsz)
			in = 1;
		if (ph->p_type == PT_GNU_EH_FRAME)
			hdr = (const uint8_t *)at;
	}
	if (in)
		s->hdr = hdr;
	return in;
}

/* tables - the unwind tables of the module that an address is in; NULL. */
static const uint8_t *
tables(uint64_t pc)
{
	struct findobject o;
	Sought s = {.pc = pc};

	if (_dl_find_object)
		return _dl_find_object((void *)pc, &o) == 0 ? o.hdr : NULL;
	dl_iterate_phdr(ishere, &s);
	return s.hdr;
}

/* cut - count that a frame was left or entered at an address. */
static void
cut(uint64_t addr, uint32_t kind)
{
	uint64_t h, i;
	int k;

	for (k = 0; k < p->nmod; k++)
		if (addr >= p->mod[k].begin && addr < p->mod[k].end && !p->mod[k].done)
			break;
	if (k == p->nmod || !p->mod[k].file)
		return;
	addr -= p->mod[k].counters;
	h = (addr ^ addr >> 10) * 31 + kind;
	for (i = 0; i < MAXCUT; i++) {
		struct Profcut *c = &p->cut[(h + i) % MAXCUT];

		if (!c->kind)
			*c = (struct Profcut){
				.addr = addr, .module = numberof(&p->mod[k]), .kind = kind};
		if (c->addr == addr && c->kind == kind && c->module == numberof(&p->mod[k])) {
			c->times += p->undo ? ~0ull : 1;
			return;
		}
	}
	p->hdr->flags |= PROFLOSTCUTS;
}

/* iscounted - whether an address is in a module that is, and stays for now. */
static int
iscounted(uint64_t pc)
{
	int k;

	for (k = 0; k < p->nmod; k++)
		if (pc >= p->mod[k].begin && pc < p->mod[k].end && !p->mod[k].done)
			return 1;
	return 0;
}

/* remember - the rules for a frame, if they are short. */
static void
remember(const Frame *f, Known *k, const Rules *rules)
{
	Known new = {.rip = f->reg[RIP],
		     .interrupted = f->interrupted,
		     .cfareg = (int)rules->cfareg,
		     .cfaoff = (int)rules->cfaoff};
	int r;

	for (r = 0; r < NREG; r++) {
		if (rules->reg[r].how != SAVED)
			continue;
		if (new.n == 7 || rules->reg[r].off != (int16_t)rules->reg[r].off)
			return;
		new.reg[new.n] = (int8_t)r;
		new.off[new.n++] = (int16_t)rules->reg[r].off;
	}
	*k = new;
}

/* recall - and follow them. */
static void
recall(Frame *f, const Known *k)
{
	uint64_t cfa = f->reg[k->cfareg] + (uint64_t)(int64_t)k->cfaoff;
	int i;

	for (i = 0; i < k->n; i++)
		f->reg[k->reg[i]] = *(const uint64_t *)(cfa + (uint64_t)(int64_t)k->off[i]);
	f->reg[RSP] = f->cfa = cfa;
	f->interrupted = 0;
}

/* step - from a frame to that of its caller: 1; or 0 at the outermost, or -1 where it gets
 * lost.  What was worked out for counted code is remembered: there it may happen often, and
 * we know when it goes away. */
static int
step(Frame *f)
{
	uint64_t rip = f->reg[RIP];
	Known *k = &p->known[(rip ^ rip >> 8) % NKNOWN];
	const uint8_t *hdr;
	Rules rules;
	int went;

	if (k->rip == rip && k->interrupted == f->interrupted) {
		recall(f, k);
		return 1;
	}
	hdr = tables(rip - !f->interrupted);
	if (!hdr)
		return -1;
	if (isrestore(rip)) {
		stepsignal(f);
		return 1;
	}
	went = rulesat(f, hdr, &rules);
	if (went == 1 && iscounted(rip - 1))
		remember(f, k, &rules);
	if (went == 1)
		follow(f, &rules);
	return went;
}

/* leaveframes - of the stack from f on, up to the frame that holds address `to', which is
 * left, too, and entered again at `again' if that is not 0; `landing' if no call returns
 * there. */
static void
leaveframes(Frame *f, uint64_t to, uint64_t again, uint32_t landing, uint32_t kind)
{
	int depth, went;

	for (depth = 0; depth < 1 << 20; depth++) {
		uint64_t at = f->reg[RIP];
		uint32_t how = kind | (f->interrupted ? CUTINTERRUPTED : 0);

		went = step(f);
		cut(at, how);
		if (went != 1) {
			if (went < 0 || to != UINT64_MAX)
				p->hdr->flags |= PROFLOSTCUTS;
			return;
		}
		if (f->cfa > to) {
			if (again)
				cut(again, CUTENTERED | landing);
			return;
		}
	}
}

/* isbelow - whether the frame that holds address `to' is on the stack from f on.  It is not
 * if a program jumps between stacks. */
static int
isbelow(Frame f, uint64_t to)
{
	while (step(&f) == 1)
		if (f.cfa > to)
			return 1;
	return 0;
}

/* jump - to where a jmp_buf says.  What is left on another stack goes on some day. */
static void
jump(Frame *f, uint64_t to, uint64_t again)
{
	if (isbelow(*f, to)) {
		leaveframes(f, to, again, 0, CUTLEFT);
		return;
	}
	cut(f->reg[RIP], CUTLEFT);
	cut(again, CUTENTERED);
}

/* The stubs that call hooked(), 16 bytes each; see below. */
extern const char stubs[] __attribute__((visibility("hidden")));

typedef struct Hooked Hooked;

/* What a stand-in finds: registers as its stub leaves them on the stack. */
struct Hooked {
	uint64_t r15, r14, r13, r12, rbp, rbx, rax, r9, r8, rcx, rdx, rsi, rdi;
	uint64_t which; /* in: the stand-in; out: where to go on */
	uint64_t ra;    /* return address */
};

/* unmangle - what the C library keeps in a jmp_buf. */
static uint64_t
unmangle(uint64_t x)
{
	uint64_t key;

	__asm__("movq %%fs:0x30, %0" : "=r"(key));
	return (x >> 17 | x << 47) ^ key;
}

/* slotof - that of this thread; of one that nobody told us of, whose it shares. */
static Slot *
slotof(void)
{
	int64_t D = 0;
	int k;

	SYS(__NR_arch_prctl, ARCH_GET_GS, &D, 0);
	for (k = 1; k < p->nslot; k++)
		if (p->slot[k].D == D)
			return &p->slot[k];
	return &p->slot[0];
}

/* land - an exception ends up in a frame, for good or to clean up there. */
static void
land(void *context, uint64_t ip)
{
	Slot *s = slotof();

	if (s->ending)
		cut(ip, CUTENTERED | CUTINTERRUPTED);
	else if (s->thrown.reg[RIP] && p->getcfa)
		leaveframes(&s->thrown, p->getcfa(context), ip, CUTINTERRUPTED, CUTLEFT);
	else
		p->hdr->flags |= PROFLOSTCUTS;
	s->thrown.reg[RIP] = 0;
}

static void close(void);
static void child(void);

/* isdefault - whether nobody handles a signal. */
static int
isdefault(int sig)
{
	uint64_t act[4] = {0};

	sys(__NR_rt_sigaction, sig, 0, (long)act, 8, 0, 0);
	return act[0] == 0;
}

static int
isjump(int which)
{
	return which == LONGJMP || which == _LONGJMP || which == SIGLONGJMP || which == LONGJMP_CHK;
}

/* hooked - do what is to be done when such a function is called. */
__attribute__((used)) static void
hooked(Hooked *h)
{
	Frame f = {.reg = {[RBX] = h->rbx,
			   [RBP] = h->rbp,
			   [12] = h->r12,
			   [13] = h->r13,
			   [14] = h->r14,
			   [15] = h->r15,
			   [RSP] = (uint64_t)(&h->ra + 1),
			   [RIP] = h->ra}};
	const uint64_t *buf = (const uint64_t *)h->rdi;
	int which = (int)h->which;
	uint64_t to = UINT64_MAX;

	h->which = which < NHOOK ? (uint64_t)p->real[which] : 0;
	if (which == FORKED && p->pid == (uint32_t)SYS(__NR_getpid, 0, 0, 0))
		return; /* another module's copy has seen to it */
	if (which == FORKED)
		child();
	if (!p->hdr || (!isjump(which) && p->pid != (uint32_t)SYS(__NR_getpid, 0, 0, 0)))
		return; /* a child by vfork has its parent's memory, and must not touch this */
	enter();
	switch (which) {
	case FORKED: leaveframes(&f, to, 0, 0, CUTENTERED); break;
	case LONGJMP:
	case _LONGJMP:
	case SIGLONGJMP:
	case LONGJMP_CHK: jump(&f, unmangle(buf[6]), unmangle(buf[7])); break;
	case EXIT:
		if (p->exitsp && f.reg[RSP] < p->exitsp)
			to = p->exitsp;
		else
			p->exitsp = f.reg[RSP];
		leaveframes(&f, to, 0, 0, CUTLEFT);
		break;
	case ABORT:
		if (!isdefault(6))
			break;
		/* fall through */
	case _EXIT:
	case _EXIT_C99:
	case QUICK_EXIT:
		leaveframes(&f, p->exitsp ? p->exitsp : to, 0, 0, CUTLEFT);
		close();
		break;
	case PTHREAD_EXIT:
		slotof()->ending = 1;
		leaveframes(&f, to, 0, 0, CUTLEFT);
		break;
	case PTHREAD_CANCEL: /* the frames of the thread are left unseen */
	case SWAPCONTEXT:    /* so are those of contexts that nobody comes back to */
	case SETCONTEXT: p->hdr->flags |= PROFLOSTCUTS; break;
	case RAISE_EXCEPTION:
	case RESUME:
	case RETHROW: slotof()->thrown = f; break;
	case EXECVE:
	case EXECV:
	case EXECVP:
	case EXECVPE:
	case EXECL:
	case EXECLP:
	case EXECLE:
	case FEXECVE:
	case EXECVEAT:
		leaveframes(&f, to, 0, 0, CUTLEFT);
		p->hdr->endings[ENDGONE] = 0;
		p->hdr->endings[ENDEXEC] = 1;
		slotof()->execra = h->ra;
		h->ra = (uint64_t)(stubs + 16 * EXECFAILED);
		break;
	case EXECFAILED:
		h->ra = f.reg[RIP] = slotof()->execra;
		p->undo = 1;
		leaveframes(&f, to, 0, 0, CUTLEFT);
		p->undo = 0;
		p->hdr->endings[ENDGONE] = 1;
		p->hdr->endings[ENDEXEC] = 0;
		break;
	case SET_IP: land((void *)h->rdi, h->rsi); break;
	}
	leave();
}

/* The stubs.  They leave the registers as they are, and go on to where
 * hooked() says without a trace on the stack. */

_Static_assert(EXECFAILED == 29, "as many stubs as there are below");

__asm__(".text\n"
	".balign 16\n"
	".type	stubs, @function\n"
	"stubs:\n"
	".set .Ltally_which, 0\n"
	".rept 29\n"
	"	.balign 16\n"
	"	pushq	$.Ltally_which\n"
	"	jmp	stub\n"
	"	.set .Ltally_which, .Ltally_which + 1\n"
	".endr\n"
	"	.balign 16\n"
	"	pushq	$0\n" /* room for the return address */
	"	pushq	$.Ltally_which\n"
	"	jmp	stub\n"
	".type	stub, @function\n"
	"stub:\n"
	"	pushq	%rdi\n"
	"	pushq	%rsi\n"
	"	pushq	%rdx\n"
	"	pushq	%rcx\n"
	"	pushq	%r8\n"
	"	pushq	%r9\n"
	"	pushq	%rax\n"
	"	pushq	%rbx\n"
	"	pushq	%rbp\n"
	"	pushq	%r12\n"
	"	pushq	%r13\n"
	"	pushq	%r14\n"
	"	pushq	%r15\n"
	"	movq	%rsp, %rdi\n"
	"	movq	%rsp, %rbp\n"
	"	andq	$-16, %rsp\n"
	"	call	hooked\n"
	"	movq	%rbp, %rsp\n"
	"	popq	%r15\n"
	"	popq	%r14\n"
	"	popq	%r13\n"
	"	popq	%r12\n"
	"	popq	%rbp\n"
	"	popq	%rbx\n"
	"	popq	%rax\n"
	"	popq	%r9\n"
	"	popq	%r8\n"
	"	popq	%rcx\n"
	"	popq	%rdx\n"
	"	popq	%rsi\n"
	"	popq	%rdi\n"
	"	cmpq	$0, (%rsp)\n"
	"	jne	1f\n"
	"	addq	$8, %rsp\n"
	"1:	ret\n");

static void *
standin(int which)
{
	switch (which) {
	case PTHREAD_CREATE: return (void *)create;
	case THRD_CREATE: return (void *)thrd;
	default: return (void *)(stubs + 16 * which);
	}
}

/* patch - a word that the dynamic linker has filled, and may have protected since. */
static void
patch(const struct phdrinfo *info, void **slot, void *to)
{
	uint64_t page = (uint64_t)slot & ~(PAGE - 1);
	int i, guarded = 0;

	if (*slot == to)
		return;
	for (i = 0; i < info->phnum; i++) {
		const Elf64_Phdr *ph = &info->phdr[i];

		if (ph->p_type == PT_GNU_RELRO && (uint64_t)slot >= info->addr + ph->p_vaddr
		    && (uint64_t)slot < info->addr + ph->p_vaddr + ph->p_memsz)
			guarded = 1;
	}
	if (guarded && SYS(__NR_mprotect, page, PAGE, PROT_READ | PROT_WRITE) != 0)
		return;
	*slot = to;
	if (guarded)
		SYS(__NR_mprotect, page, PAGE, PROT_READ);
}

/* hookwords - those of one table of relocations. */
static void
hookwords(const struct phdrinfo *info, const Elf64_Rela *rel, uint64_t size, const Elf64_Sym *sym,
	  const char *names, int on)
{
	const Elf64_Rela *end = (const void *)((const char *)rel + size);
	int i;

	for (; rel && rel < end; rel++) {
		uint32_t type = (uint32_t)ELF64_R_TYPE(rel->r_info);
		const char *name = names + sym[ELF64_R_SYM(rel->r_info)].st_name;
		void **slot = (void **)(info->addr + rel->r_offset);

		if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT)
			continue;
		for (i = 0; i < NHOOK; i++)
			if (name[0] == hookname[i][0] && p->real[i]
			    && same(name, hookname[i], length(hookname[i]) + 1))
				patch(info, slot, on ? standin(i) : p->real[i]);
	}
}

/* hookmodule - the words of a module. */
static int
hookmodule(struct phdrinfo *info, size_t size, void *on)
{
	const Elf64_Dyn *d = NULL;
	uint64_t at[DT_JMPREL + 1] = {0};
	int i;

	(void)size;
	for (i = 0; i < info->phnum; i++)
		if (info->phdr[i].p_type == PT_DYNAMIC)
			d = (const Elf64_Dyn *)(info->addr + info->phdr[i].p_vaddr);
	for (; d && d->d_tag != DT_NULL; d++)
		if (d->d_tag >= 0 && d->d_tag <= DT_JMPREL)
			at[d->d_tag] = d->d_un.d_val;
	if (!at[DT_SYMTAB] || !at[DT_STRTAB] || at[DT_SYMTAB] < info->addr)
		return 0; /* the kernel's own, say */
	hookwords(info, (const void *)at[DT_JMPREL], at[DT_PLTRELSZ], (const void *)at[DT_SYMTAB],
		  (const void *)at[DT_STRTAB], on != NULL);
	hookwords(info, (const void *)at[DT_RELA], at[DT_RELASZ], (const void *)at[DT_SYMTAB],
		  (const void *)at[DT_STRTAB], on != NULL);
	return 0;
}

/* hookall - lead calls to this copy. */
static void
hookall(void)
{
	int i;

	if (!dl_iterate_phdr || !dlsym)
		return;
	p->host = note;
	for (i = 0; i < NHOOK; i++)
		p->real[i] = dlsym(NULL, hookname[i]);
	p->getcfa = (uint64_t(*)(void *))dlsym(NULL, "_Unwind_GetCFA");
	dl_iterate_phdr(hookmodule, p);
	p->hdr->flags |= PROFHASCUTS;
}

/* isprogram - whether this is the program itself, which never goes away, and not a
 * library. */
static int
isprogram(void)
{
	const Elf64_Phdr *ph =
		(const Elf64_Phdr *)((const char *)&__ehdr_start + __ehdr_start.e_phoff);
	int i;

	for (i = 0; i < __ehdr_start.e_phnum; i++)
		if (ph[i].p_type == PT_INTERP)
			return 1;
	return 0;
}

/* unhook - this copy goes away: lead calls to another, or to where they would go. */
static void
unhook(void)
{
	int k;

	for (k = 0; k < p->nmod; k++)
		if (p->mod[k].hook && !p->mod[k].done) {
			p->mod[k].hook();
			return;
		}
	p->host = NULL;
	if (dl_iterate_phdr)
		dl_iterate_phdr(hookmodule, NULL);
}

/* attach - to what the copies share; make it if this is the first. */
static int
attach(void)
{
	long map = sys(__NR_mmap, (long)SHARED, (sizeof *p + PAGE - 1) & ~(PAGE - 1),
		       PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
		       -1, 0);

	if (map == (long)SHARED) {
		p = SHARED;
		copy(p->magic, SHAREDMAGIC, sizeof p->magic);
		return 0;
	}
	if (map != EXISTS) {
		if (!(map < 0 && map > -4096))
			SYS(__NR_munmap, map, (sizeof *p + PAGE - 1) & ~(PAGE - 1), 0);
		return -1;
	}
	if (!same(SHARED->magic, SHAREDMAGIC, sizeof SHARED->magic))
		return -1;
	p = SHARED;
	return 0;
}

/* start - the first constructor of the module. */
__attribute__((used)) static void
start(void)
{
	int k;

	if (!p && attach() != 0)
		return;
	if (__register_atfork) /* until this module goes away */
		__register_atfork(NULL, NULL, (void (*)(void))(stubs + 16 * FORKED),
				  &__dso_handle ? __dso_handle : NULL);
	enter();
	if (p->hdr) {
		visitall();
	} else {
		p->nmod = 0;
		p->slot[0].D = 0;
		finddir();
		newfile();
		visitall();
		if (p->hdr)
			choose();
		if (p->hdr
		    && (!p->slot[0].D || SYS(__NR_arch_prctl, ARCH_SET_GS, p->slot[0].D, 0) != 0)) {
			SYS(__NR_unlink, inside(&p->dir, p->own, ""), 0, 0);
			p->hdr = NULL;
		}
		for (k = 0; p->hdr && k < p->nmod; k++)
			carry(&p->mod[k]);
		if (p->hdr && lock(&p->dir, 1) == 0) {
			sweep(&p->dir, p->program, p->hdr);
			unlock(&p->dir);
		}
	}
	for (k = 0; k < p->nmod; k++)
		if (p->mod[k].note == note)
			p->mod[k].hook = hookall;
	if (p->hdr && !p->host)
		hookall();
	else if (p->hdr && dl_iterate_phdr && p->host == note)
		dl_iterate_phdr(hookmodule, p);
	leave();
}

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

/* isover - whether the thread of a slot is gone.  One that was joined may take a moment. */
static int
isover(const Slot *s)
{
	static const long wait[2] = {0, 200000};
	int try;

	for (try = 0; try < 10; try++) {
		if (SYS(__NR_tgkill, p->pid, s->tid, 0) == NOPROCESS)
			return 1;
		SYS(__NR_nanosleep, wait, 0, 0);
	}
	return 0;
}

/* close - the file: the process ends. */
static void
close(void)
{
	int k;

	if (!p->host && &__libc_single_threaded && !__libc_single_threaded)
		p->hdr->flags |= PROFTHREADS; /* without our knowing */
	for (k = 1; k < p->nslot; k++)
		if (p->slot[k].taken && !isover(&p->slot[k]))
			p->hdr->flags |= PROFALIVE;
	if (p->nslot > 1 && p->pid != (uint32_t)SYS(__NR_gettid, 0, 0, 0))
		p->hdr->flags |= PROFALIVE;
	p->hdr->ended = (uint64_t)SYS(__NR_time, 0, 0, 0);
	p->hdr->endings[ENDGONE] = 0;
	p->hdr->endings[ENDEXIT] = 1;
	p->hdr->state = PROFCLOSED;
	foldown();
	p->hdr = NULL;
}

/* finish - the last destructor of the module: it goes, or the process ends.  The last
 * of all closes the file.  What is counted later is lost. */
__attribute__((used)) static void
finish(void)
{
	uint64_t counters = (uint64_t)note + (uint64_t)note[0];
	int k, live = 0;

	if (!p || !p->hdr)
		return;
	enter();
	for (k = 0; k < p->nmod; k++) {
		if (p->mod[k].counters == counters)
			p->mod[k].done = 1;
		live += !p->mod[k].done;
	}
	clear(p->known, sizeof p->known);
	if (p->pid != (uint32_t)SYS(__NR_getpid, 0, 0, 0))
		p->hdr->flags |= PROFFORKED; /* a child that nobody told us of */
	else if (!live)
		close();
	if (p->host == note && !isprogram())
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

/* child - of a fork: it gets a file of its own, in the place of its parent's. */
static void
child(void)
{
	struct Profhdr *old = p->hdr;
	uint64_t last = p->last, used = p->used, at;
	int64_t D = 0;
	long fd = -1;
	int k;

	p->lock = 0;
	if (!old)
		return;
	if (newfile() == 0)
		fd = SYS(__NR_open, inside(&p->dir, p->own, ""), O_RDWR | O_CLOEXEC, 0);
	if (p->hdr && (fd < 0 || reserve(fd, HEAD, old->size) != 0)) {
		SYS(__NR_unlink, inside(&p->dir, p->own, ""), 0, 0);
		p->hdr = NULL;
	}
	if (fd >= 0)
		SYS(__NR_close, fd, 0, 0);
	if (p->hdr) {
		copy(p->hdr + 1, old + 1, used - sizeof *old);
		clear(p->cut, MAXCUT * sizeof *p->cut);
		copy(p->hdr->label[0], old->label[old->chapter & 1], LABELSIZE);
		p->hdr->flags |= old->flags & PROFHASCUTS ? PROFHASCUTS : PROFFORKED;
		p->exitsp = 0;
		p->hdr->size = old->size;
		p->last = last;
		p->used = used;
		for (at = p->hdr->first; at;) {
			struct Profcounts *c = (void *)((char *)p->hdr + at);

			if (c->rec.kind == PROFCOUNTS)
				c->base[0] = c->base[1] = 0;
			at = c->rec.next;
		}
	}
	SYS(__NR_arch_prctl, ARCH_GET_GS, &D, 0);
	for (k = 1; k < p->nslot; k++) {
		p->slot[k].taken = p->slot[k].D == D;
		p->slot[k].tid = (int)p->pid;
	}
	for (at = old->first; at;) {
		const struct Profcounts *c = (void *)((char *)old + at);
		const Mod *m = c->rec.kind == PROFCOUNTS ? modnumbered(c->module) : NULL;

		if (m && !m->done)
			place(m, p->hdr ? c->counts : 0, p->slot[c->thread].D, 1);
		at = c->rec.next;
	}
	for (k = 0; !p->hdr && k < p->nmod; k++)
		p->mod[k].file = 0;
	SYS(__NR_munmap, old, HEAD, 0);
}

/* What tally.h calls. */

/* __tally_snapshot_1 - the counts so far, as a profile of their own. */
__attribute__((used)) int
__tally_snapshot_1(const char *path)
{
	struct Profhdr *h;
	int failed = -1;
	long fd;
	View v;

	if (!p || !p->hdr)
		return -1;
	enter();
	h = viewown(&v);
	fd = h ? SYS(__NR_open, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
	if (fd >= 0) {
		failed = putsum(fd, &v, NULL, PROFMIDWAY, "");
		SYS(__NR_close, fd, 0, 0);
		if (failed)
			SYS(__NR_unlink, path, 0, 0);
	}
	if (h)
		SYS(__NR_munmap, h, v.size, 0);
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
anew(const char *label, int forget)
{
	uint32_t to = ~p->hdr->chapter & 1;
	const struct Profrec *r;
	struct Profhdr *h;
	View v;

	if (makebases() != 0 || !(h = viewown(&v)))
		return -1;
	for (r = at(h, v.size, h->first); r; r = next(h, v.size, r)) {
		const struct Profcounts *c = (const void *)r;

		if (r->kind == PROFCOUNTS)
			copy((char *)h + c->base[to], (char *)h + c->counts,
			     8 * v.module[c->module]->ncount);
	}
	clear(h->label[to], LABELSIZE);
	append(h->label[to], LABELSIZE, label);
	h->flags |= PROFMIDWAY;
	if (forget)
		h->chapter++;
	SYS(__NR_munmap, h, v.size, 0);
	if (!forget && foldown() != 0)
		return -1;
	clear(p->cut, MAXCUT * sizeof *p->cut);
	return 0;
}

/* __tally_reset_1 - forget what was counted so far. */
__attribute__((used)) int
__tally_reset_1(void)
{
	int failed;

	if (!p || !p->hdr)
		return -1;
	enter();
	failed = anew(p->hdr->label[p->hdr->chapter & 1], 1);
	leave();
	return failed;
}

/* __tally_label_1 - what is counted from now on is of that label. */
__attribute__((used)) int
__tally_label_1(const char *label)
{
	int failed;

	if (!p || !p->hdr || length(label) >= LABELSIZE)
		return -1;
	enter();
	failed = anew(label, 0);
	leave();
	return failed;
}

__asm__(".section .init_array.00000,\"aw\",@init_array\n"
	".balign 8\n"
	".quad start\n"
	".section .fini_array.00000,\"aw\",@fini_array\n"
	".balign 8\n"
	".quad finish\n"
	".text\n");
