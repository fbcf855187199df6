/* process.h - what the copies of the runtime in a process share. */

#ifndef PROCESS_H
#define PROCESS_H

#include "fold.h"
#include "unwind.h"

#include "layout/names.h"

#include <asm/prctl.h>
#include <elf.h>
#include <linux/sched.h>

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
extern unsigned long getauxval(unsigned long) __attribute__((weak));

extern int __register_atfork(void (*)(void), void (*)(void), void (*)(void), void *)
	__attribute__((weak));

extern const Elf64_Ehdr __ehdr_start __attribute__((visibility("hidden"), weak));

/* The note: the ABI is its type, and its word leads to a table in read-only data.  Both are relative to where they
 * are; who moves a note (patchelf does) makes its word lead nowhere, and then the table is sought by its magic.  Of each
 * ABI the first three words of the table lead to where the counters of the module begin and end, and to a
 * word that has the address of what the copies share, once this one knows; the others are ours. */
#define TABLEMAGIC "tally's table\n\0\1" /* 16 bytes */

enum { NOTECOUNTERS, NOTEEND, NOTESHARED, NOTEUNITS, NOTELASTUNIT, NOTEPAGE, NOTEDIRS, NOTELASTDIR, NNOTE };

extern const int64_t note[NNOTE] __attribute__((visibility("hidden")));

typedef struct Process Process;

/* What the copies share; NULL before this one has started. */
static Process *p;

/* There is at least one counter and one unit, which nobody uses.  Counters have pages of their
 * own: counterpages() in directives.c aligns them and what comes after them. */
__asm__(".section .note.tally,\"a\",@note\n"
	".balign 4\n"
	".long 6,8," ABITEXT "\n"
	".asciz \"tally\"\n"
	".balign 4\n"
	".quad note-.\n"
	".section .rodata\n"
	".balign 16\n"
	".ascii \"tally's table\\n\\0\\1\"\n"
	".type	note, @object\n"
	"note:\n"
	".quad __start_" COUNTSECTION "-.\n"
	".quad __stop_" COUNTSECTION "-.\n"
	".quad p-.\n"
	".quad __start_" ORDERSECTION "-.\n"
	".quad __stop_" ORDERSECTION "-.\n"
	".quad counterend-.\n"
	".quad __start_" DIRSECTION "-.\n"
	".quad __stop_" DIRSECTION "-.\n"
	".section " DIRSECTION ",\"a\",@progbits\n"
	".byte 0\n" /* so that there is one */
	".hidden __start_" DIRSECTION "\n"
	".hidden __stop_" DIRSECTION "\n"
	".section " COUNTSECTION ",\"aw\",@nobits\n"
	".zero 8\n"
	".section " ENDSECTION ",\"aw\",@nobits\n"
	".type	counterend, @object\n"
	"counterend:\n"
	".zero 8\n"
	".hidden __start_" COUNTSECTION "\n"
	".hidden __stop_" COUNTSECTION "\n"
	".section " ORDERSECTION ",\"aw\",@nobits\n"
	".balign 4\n"
	".zero 4\n"
	".hidden __start_" ORDERSECTION "\n"
	".hidden __stop_" ORDERSECTION "\n"
	".text\n");

#define PAGE 4096ull
#define HEAD 0x10000ull  /* bytes of the file for its header and first records */
#define CHUNK 0x10000ull /* for more records, as they are needed */

typedef struct Mod Mod;
typedef struct Slot Slot;
typedef struct Seg Seg;
typedef struct Area Area;
typedef struct Foreign Foreign;

/* A module.  Its counters are at `counters', where the main thread counts, and for other threads
 * at counters + D.  One that is closed stays in the list: it may come again, elsewhere. */
struct Mod {
	Mod *next;
	uint64_t counters;
	uint64_t n;
	uint64_t begin, end;          /* where it is loaded */
	uint64_t key;                 /* hash of its path and build */
	const struct Profmodule *rec; /* its record in the file; NULL if nothing of it is counted */
	uint32_t number;              /* of that record */
	Seg *seg;                     /* its counters in the file, by thread */
	uint32_t *unit;               /* words of its units */
	uint32_t nunit;               /* 0 if it does not record in what order they are used */
	uint64_t *rank;               /* by unit, in the file; NULL */
	uint64_t rankfile;            /* where they are there */
	int loose; /* its counters share pages with other data: they are copied at the end */
	int done;  /* it is gone: its destructors have run in dlclose */
	int over;  /* they have run at exit: it stays */
	const void *note;
	void (*hook)(void); /* its copy's hookall(), once it has started; NULL */
};

/* The counters of a module as a thread counts in them. */
struct Seg {
	Seg *next;
	const Slot *slot;
	struct Profcounts *rec; /* NULL if they are not in the file of this process */
	uint64_t at;            /* where they are mapped; 0 */
};

/* A part of the file that holds records, in memory. */
struct Area {
	Area *next;
	uint64_t file; /* where it is there */
	uint64_t size, used;
	char *at;
};

typedef struct Held Held;

/* Memory that the part of the file from `begin' to `end' is mapped at, of which all before `used' is in
 * use: that serves where the file cannot be opened any more. */
struct Held {
	char *at; /* NULL if there is none */
	uint64_t begin, used, end;
};

typedef struct Chunk Chunk;

/* The begin of memory that allot() took. */
struct Chunk {
	Chunk *before;
	uint64_t size;
};

/* A module of another ABI, whose own copy of the runtime keeps this. */
struct Foreign {
	Foreign *next;
	uint64_t counters, length;
};

typedef struct Cleanup Cleanup;

struct Cleanup { /* of _pthread_cleanup_push() */
	void *routine;
	void *arg;
	int type;
	Cleanup *prev;
};

enum { MAXCLEANUP = 32 };

/* Counters for one thread: of every module, at the same distance, which is 0 for the main thread
 * and those of which we were not told. */
struct Slot {
	Slot *next;
	int64_t D;
	uint32_t number;
	int taken;
	int moved;     /* STOPSIGNALs on their way to it, whose handler sets its gs base to D */
	int over;      /* its first function has returned */
	int tid;       /* of the thread that counts there; 0 before it runs */
	uint64_t self; /* what pthread_self() calls it */
	const void *host; /* note of the copy in which it begins */
	void *(*begin)(void *);
	void *arg;
	int ending;       /* all of its frames are left; some may clean up */
	Cleanup *cleanup; /* MAXCLEANUP in its first frame, by which we hear of that; NULL */
	int ncleanup;     /* in use, or wanted */
	uint64_t bottom;  /* where the stack of its first frame ends; 0 */
	uint64_t back;    /* address of the word by which its first function returns to us; 0 */
	int landing;      /* it leaves its frames, and has found where to clean up */
	uint64_t lastrip, lastcfa; /* of the first frame that it left last because it ends */
	uint64_t vforksp;          /* stack of the last call of vfork; 0 */
};

typedef struct Known Known;

enum { NSAVED = 6 }; /* registers that a frame can keep for its caller */

/* How to leave a frame that is at that address, and what to count then: short, for the walk is
 * hot in programs that jump a lot. */
struct Known {
	uint64_t rip;
	struct Profcut *left; /* where it is counted that it was left; NULL */
	int cfaoff;
	int8_t cfareg;
	int8_t interrupted;
	int8_t reg[NSAVED];
	int16_t off[NSAVED];
};

typedef struct Between Between;

/* A thread on its way to another stack. */
struct Between {
	uint64_t thread;   /* its thread pointer; 0 */
	uint64_t departed; /* where: the frames that it leaves are counted; 0 once it has arrived */
	uint64_t arrived;  /* where: those are entered that it goes to */
	uint64_t last;     /* by that instruction */
	int midway;        /* it goes to the middle of a function, and has not arrived by that */
	Frame to;
};

typedef struct Waiting Waiting;

/* A context that swapcontext left, and where it is to return to; 0. */
struct Waiting {
	uint64_t rsp, rip;
	uint64_t saved; /* the ucontext_t that has it */
	int resumed; /* it has been, and may be again; but the place is wanted first */
};

typedef struct Return Return;

/* Where a call that was led back to us by its return address is to return to: exec that fails, fork,
 * daemon.  A thread has several if a handler of a signal comes in between and makes such a call, too. */
struct Return {
	Return *next;
	uint64_t at; /* the stack pointer then; 0 if this is free */
	uint64_t to;
};

typedef struct Bridge Bridge;

/* A call that a handler of a signal made up: a function looks as if the instruction that was
 * interrupted had called it, and its frame begins anywhere below that one's. */
struct Bridge {
	uint64_t at; /* where its return address is; 0 */
	Frame from;
};

typedef struct Object Object;

/* A program or library whose functions were called through pointers. */
struct Object {
	uint64_t begin, end; /* where it is loaded; 0 if it is not any more */
	uint64_t bias;       /* how far from where its file has it */
	const void *map;     /* what the dynamic linker calls it; NULL */
};

enum { MAXFIRST = 16 };

enum { MAXCALL = 8192, MAXOBJECT = 256 };

typedef struct Action Action;

/* What to do on a signal, as the kernel has it. */
struct Action {
	void *handler; /* NULL: the default */
	uint64_t flags;
	const void *restorer;
	uint64_t mask;
};

enum { MAXCUT = 1024, NKNOWN = 256, NSIGNAL = 65, MAXCONTEXT = 1024 };
enum { NBRIDGE = 64, NBASE = 8, NBETWEEN = 64 };

/* Functions in whose place we are called, and what else leads to hooked(). */
#define NUMBER(number, ...) number,
enum {
	HOOKS(NUMBER) STATICHOOKS(NUMBER) NHOOK,
	LASTHOOK = NHOOK - 1,
	EVENTS(NUMBER) OTHER, /* and those of the C library that something else stands in front of */
	NSTUB = OTHER + NHOOK
};

#define NAME(number, name, ...) [number] = (name),
static const char hookname[NHOOK][36] = {HOOKS(NAME) STATICHOOKS(NAME)};

typedef struct Hooked Hooked;

/* What a stand-in finds: registers as its stub leaves them on the stack. */
struct Hooked {
	uint64_t r15, r14, r13, r12, rbp, rbx, rax, r9, r8, rcx, rdx, rsi, rdi;
	uint64_t which; /* in: the stand-in; out: where to go on */
	uint64_t ra;    /* return address */
};

/* What the copies of this code share.  As far as `calls' it is the same in all versions, for
 * good: a copy of another ABI finds it by the notes, and has memory mapped for its counters by
 * that list, which begins with the last; join() sees to it at once, for the threads that there are.
 * Both are done with the lock. */
struct Process {
	char magic[8];
	uint32_t abi;
	uint32_t size;
	uint64_t lock; /* 0; or 1, or a Hold */
	Foreign *foreign;
	void (*join)(const Foreign *);

	struct Profcall *calls; /* table in the file, for calls through pointers; NULL */
	uint64_t owner;         /* thread pointer of who holds the lock; 0 */
	uint64_t mask;          /* of signals, for who holds the lock to restore */
	int inside;             /* threads whose signals enter() has blocked */
	uint64_t sealer;        /* thread pointer of who keeps others from entering; 0 */
	Return *returns;
	uint32_t pid;
	struct Profhdr *hdr; /* HEAD bytes of the file; NULL if nothing is counted */
	struct Profrec *last;
	Held held;
	char *reserved;         /* memory for the part of the file that is held, and for rooms; NULL */
	uint64_t nreserved;
	char *rooms;            /* for children that can make no file: rooms.h */
	uint32_t nroom, roompages; /* how many, and of how many pages each */
	int inroom;                /* this process counts in one */
	uint32_t before[NENDING]; /* how those ended that did before */
	char *label;            /* of what is counted now, of labelcap bytes; NULL */
	size_t labelcap;
	uint64_t farat[2], farroom[2]; /* where the file has room for a long one, and how much */
	Area head;              /* the first, and by it the others */
	Area *area;             /* the last */
	Chunk *chunk;           /* the last that allot() took */
	char *spare, *spareend; /* what is left of it */
	Mod *mod, **lastmod;
	uint32_t nmod; /* in the file */
	Slot main;
	Slot *lastslot;
	Slot *looked; /* the last of which freeslot() asked whether its thread is there; NULL */
	uint32_t nslot;
	int64_t D;             /* the last that was chosen; 0 */
	uint64_t nmap, maxmap; /* how many mappings there are for counters of threads, and may be */
	uint64_t norder;   /* the largest rank of a unit */
	int evicted;       /* counting ended, for the program wanted the memory */
	int sealed;        /* the program has a filter: no system call is made any more */
	int flat;          /* the gs register is the program's own */
	int isstatic;      /* there is no dynamic linker */
	int early;         /* threads were there before us: they count with a base of 0 */
	int aside;         /* and the thread that came first does not */
	int nfirst;        /* of first[] */
	int first[MAXFIRST]; /* those threads */
	int tls;           /* threads have thread pointers */
	const void *host;  /* note of the module whose copy is called for others */
	void *real[NHOOK];          /* the functions in whose place we are called */
	void *other[NHOOK];         /* those of the C library, where they are not these */
	void *standin[NSTUB];       /* who is called in their place, of the host */
	const void *library;        /* program headers of the C library; NULL */
	uint64_t (*getcfa)(void *); /* _Unwind_GetCFA */
	void *dlclose;
	const char *stubs, *jumping, *jumped; /* of the host, in hooks.h */
	const char *answered;
	void (*push)(Cleanup *, void *, void *); /* _pthread_cleanup_push */
	void (*pop)(Cleanup *, int);
	struct Profcut *cut; /* table in the file */
	uint64_t callsat;    /* offset of that for calls through pointers */
	int ncall;           /* entries of it in use */
	int nobject;
	Object object[MAXOBJECT];
	int64_t apart;             /* what other threads had used of the processor at the start */
	int leaving;               /* some thread has left its frames because it ends */
	int undo;                  /* take cuts back */
	uint32_t parent;           /* that is to end in daemon(), of the one it makes; 0 */
	int closing;               /* the process ends */
	int ending;                /* and how: ENDEXIT...; 0 */
	int stopping;              /* thread that is asked to stop for that; 0 */
	void *fatal, *deliver;     /* the handlers of signals.h, of the host */
	Action moves;              /* the handler of STOPSIGNAL, of the host */
	Action setxid;             /* the C library's, whose place it took; flags are 0 before that */
	Action shadow[NSIGNAL];    /* what the program set where they are */
	Known known[NKNOWN];       /* by hash of the address */
	Waiting context[MAXCONTEXT]; /* by hash of the stack */
	Bridge bridge[NBRIDGE];      /* by hash of where they are */
	int bridges;                 /* there are some */
	Between between[NBETWEEN];   /* by hash of the thread */
	int ways;                    /* some thread has gone to another stack so */
	uint64_t base[NBASE];        /* return addresses of the first functions of stacks */
	int nbase;
	const char *ran;    /* return address of the first functions of threads */
	Frame out;        /* where a thread called a function of the C library that does not come */
	uint64_t outself; /* back, and which thread, if nobody knows how to leave its frames */
	Dir dir;
	char own[300];                                  /* name of the file in there */
	char program[256];                              /* name of the program */
	char stack[65536] __attribute__((aligned(16))); /* for a process that dies */
};

_Static_assert(offsetof(Process, abi) == 8 && offsetof(Process, size) == 12
		       && offsetof(Process, lock) == 16 && offsetof(Process, foreign) == 24
		       && offsetof(Process, join) == 32 && offsetof(Process, calls) == 40,
	       "as in all versions");

#define SHAREDSIZE ((sizeof(Process) + 2 * PAGE - 1) & ~(PAGE - 1))

/* In their last page, which the kernel clears in a child that gets a copy of it. */
#define SEEN ((int *)((char *)p + SHAREDSIZE - PAGE))

#define SHAREDMAGIC "tally " ABITEXT

/* isthreaded - whether there are threads; or were, if the C library tells. */
static int
isthreaded(void)
{
	if (&__libc_single_threaded)
		return !__libc_single_threaded;
	return told("/proc/self/stat", NTHREADS) > 1;
}

static void stopped(const Frame *);

/* exists - a thread of this process. */
static int
exists(int tid)
{
	return SYS(__NR_tgkill, p->pid, tid, 0) != NOPROCESS;
}

/* threadpointer - what fs leads to: by the ABI it is there in memory, too; 0 if there are none. */
static uint64_t
threadpointer(void)
{
	uint64_t own = 0;

	if (p->tls)
		__asm__("movq %%fs:0, %0" : "=r"(own));
	return own;
}

/* slotby - the slot of the thread that has this thread pointer: threads that clone() made without
 * thread-local storage have that of another.  The main thread's if there is none. */
static Slot *
slotby(uint64_t pointer)
{
	Slot *s;

	for (s = &p->main; pointer && s; s = s->next)
		if (s->self == pointer && s->taken)
			return s;
	return &p->main;
}

/* slotof - the slot in which this thread counts: its gs base tells, if it may be asked for. */
static Slot *
slotof(void)
{
	int64_t D = 0;
	Slot *s;

	if (p->sealed)
		return slotby(threadpointer());
	SYS(__NR_arch_prctl, ARCH_GET_GS, &D, 0);
	for (s = p->main.next; D && s; s = s->next)
		if (s->D == D && s->taken)
			return s;
	return &p->main;
}

/* setbase - this thread counts at that distance.  The kernel takes none below 0, but has an instruction
 * for it where space.h chooses one. */
static void
setbase(int64_t D)
{
	if (D < 0)
		__asm__ volatile("wrgsbase %0" : : "r"(D));
	else
		SYS(__NR_arch_prctl, ARCH_SET_GS, D, 0);
}

/* allot - n bytes of zeros that stay, for those who have the lock; NULL if there is no memory. */
static void *
allot(size_t n)
{
	uint64_t size = CHUNK;
	void *at;
	long map;

	n = (n + 15) & ~15ull;
	if (n > (size_t)(p->spareend - p->spare)) {
		if (n > CHUNK - sizeof(Chunk))
			size = (n + sizeof(Chunk) + PAGE - 1) & ~(PAGE - 1);
		map = sys(__NR_mmap, 0, (long)size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (map < 0 && map > -4096)
			return NULL;
		*(Chunk *)map = (Chunk){p->chunk, size}; /* NOLINT(performance-no-int-to-ptr) */
		p->chunk = (Chunk *)map;		 /* NOLINT(performance-no-int-to-ptr) */
		p->spare = (char *)(p->chunk + 1);
		p->spareend = (char *)p->chunk + size;
	}
	at = p->spare;
	p->spare += n;
	return at;
}

/* isown - whether this is the process that counts, and not a child by vfork, which has its
 * memory and must not touch this, or one that nobody told us of. */
static int
isown(void)
{
	return *SEEN && (p->sealed || p->pid == (uint32_t)SYS(__NR_getpid, 0, 0, 0));
}

static void
setmask(const uint64_t *mask, uint64_t *old)
{
	sys(__NR_rt_sigprocmask, 2 /* SIG_SETMASK */, (long)mask, (long)old, 8, 0, 0);
}

/* Hold - on the stack of a thread that has the lock for a moment and spares itself the system
 * calls that keep signals away.  One that comes meanwhile is put off, by its handler. */
typedef struct Hold Hold;

struct Hold {
	uint64_t thread; /* whose it is: its thread pointer */
	uint64_t mask;   /* what to restore if a signal was put off */
	int putoff;
};

/* isheld - whether it is this thread, and a handler of which we did not know came in between. */
static int
isheld(uint64_t lock)
{
	uint64_t thread = 0, self = 0;

	if (p->sealed)
		return p->owner && p->owner == threadpointer();
	SYS(__NR_arch_prctl, ARCH_GET_FS, &self, 0);
	return lock > 1 && self && ask(lock + offsetof(Hold, thread), &thread) && thread == self;
}

/* admit - block this thread's signals, unless another thread is sealing: then wait until it has. */
static void
admit(uint64_t *mask)
{
	uint64_t all = ~0ull, sealer;

	for (;;) {
		__atomic_add_fetch(&p->inside, 1, __ATOMIC_SEQ_CST);
		sealer = __atomic_load_n(&p->sealer, __ATOMIC_SEQ_CST);
		if (!sealer || sealer == threadpointer())
			break;
		__atomic_sub_fetch(&p->inside, 1, __ATOMIC_SEQ_CST);
		SYS(__NR_sched_yield, 0, 0, 0);
	}
	setmask(&all, mask);
}

/* alone - in a new process there is one thread, and nobody is inside. */
static void
alone(void)
{
	p->lock = p->sealer = 0;
	p->inside = 0;
}

/* enter, leave - around whatever the copies and threads must not do at once.  No signal
 * comes meanwhile: its handler may want to enter, too.  f is where the thread was called from,
 * or NULL: it may be asked to stop while it waits here. */
static void
enter(const Frame *f)
{
	uint64_t mask = 0, lock = 0;

	admit(&mask);
	while (!__atomic_compare_exchange_n(&p->lock, &lock, 1, 0, __ATOMIC_ACQUIRE,
					    __ATOMIC_RELAXED)) {
		if (!*SEEN) {
			p->lock = 1; /* a child that nobody told us of: who had it stayed behind */
			break;
		}
		if (p->stopping)
			stopped(f);
		if (isheld(lock)) {
			p->hdr->flags |= PROFLOSTCUTS;
			p->lock = 1;
			break;
		}
		SYS(__NR_sched_yield, 0, 0, 0);
		lock = 0;
	}
	p->mask = mask;
	p->owner = threadpointer();
}

static void
leave(void)
{
	uint64_t mask = p->mask;

	p->owner = 0;
	__atomic_store_n(&p->lock, 0, __ATOMIC_RELEASE);
	setmask(&mask, NULL);
	__atomic_sub_fetch(&p->inside, 1, __ATOMIC_SEQ_CST);
}

/* amowner - whether this thread holds the lock, and called something of the program's that calls us. */
static int
amowner(void)
{
	return p->owner && p->owner == threadpointer();
}

/* hold, unhold - the same where it is often done; hold is false if somebody else is there. */
static int
hold(Hold *h)
{
	uint64_t lock = 0;

	__asm__("movq %%fs:0, %0" : "=r"(h->thread));
	h->putoff = 0;
	return __atomic_compare_exchange_n(&p->lock, &lock, (uint64_t)h, 0, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

static void
unhold(const Hold *h)
{
	uint64_t lock = (uint64_t)h;

	__atomic_compare_exchange_n(&p->lock, &lock, 0, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (h->putoff) {
		setmask(&h->mask, NULL);
		__atomic_sub_fetch(&p->inside, 1, __ATOMIC_SEQ_CST);
	}
}

/* enterother, leaveother - the same with what copies of another ABI share: until leaveother() no
 * signal comes, and *mask is what it restores. */
static void
enterother(uint64_t *at, uint64_t *mask)
{
	uint64_t all = ~0ull, lock = 0;

	setmask(&all, mask);
	while (!__atomic_compare_exchange_n(at, &lock, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
		SYS(__NR_sched_yield, 0, 0, 0);
		lock = 0;
	}
}

static void
leaveother(uint64_t *at, const uint64_t *mask)
{
	__atomic_store_n(at, 0, __ATOMIC_RELEASE);
	setmask(mask, NULL);
}

/* returnat - of a call that returns with that stack pointer; NULL. */
static Return *
returnat(uint64_t at)
{
	Return *r = __atomic_load_n(&p->returns, __ATOMIC_ACQUIRE);

	while (r && __atomic_load_n(&r->at, __ATOMIC_RELAXED) != at)
		r = r->next;
	return r;
}

/* willreturn - remember where a call that returns to us with that stack pointer is to return to; false if
 * there is no room.  requires: lock. */
static int
willreturn(uint64_t at, uint64_t to)
{
	Return *r = returnat(at);

	if (!r)
		r = returnat(0);
	if (!r) {
		if (!(r = allot(sizeof *r)))
			return 0;
		r->next = p->returns;
		__atomic_store_n(&p->returns, r, __ATOMIC_RELEASE);
	}
	r->to = to;
	__atomic_store_n(&r->at, at, __ATOMIC_RELEASE);
	return 1;
}

/* returned - the call did; where it was to go.  Nobody else asks for that, so it wants no lock. */
static uint64_t
returned(uint64_t at)
{
	Return *r = returnat(at);
	uint64_t to = r->to;

	__atomic_store_n(&r->at, 0, __ATOMIC_RELEASE);
	return to;
}

/* lost - some counts are. */
static void
lost(void)
{
	if (p->hdr)
		p->hdr->flags |= PROFLOST;
}

static void child(void);

/* adopt - a child that nobody told us of: it has counted with its parent so far. */
static void
adopt(void)
{
	if (!p->hdr || *SEEN)
		return;
	p->hdr->flags |= PROFFORKED | PROFTHREADS;
	child();
}

#endif
