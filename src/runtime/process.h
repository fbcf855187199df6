/* process.h - what the copies of the runtime in one process share.
 *
 * Every counted module, the program as well as each library, brings its own copy of the runtime.
 * There must be one profile per process, one list of threads, one lock.  So the first copy that
 * starts maps a Process, and the others find it through a note that each module carries (copies.h):
 *
 *     note in the ELF file -> table in read-only data -> the module's word `p' -> Process
 *
 * The copy whose code is called for all modules, counted or not, is the host (words.h).
 *
 * Copies of different ABIs may meet: an old library in a new program.  The beginning of the table
 * and of the Process is therefore the same for all of them, for good, so that the copy that came
 * first can at least map memory for the counters of the other one.
 *
 * This file also has the lock, which comes in two kinds: enter() and leave() block signals by
 * system calls; hold() and unhold() make none, and a signal that arrives in between is put off by
 * our handler. */

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

/* The note.  The ABI is its type, and its one word leads to the table; both are relative to their
 * own addresses.  A tool that moves a note (patchelf does) makes that word lead nowhere; then the
 * table is found by the magic bytes in front of it.  In every ABI the first three words of the
 * table lead to the start and end of the module's counters, and to a word that holds the address of
 * the Process once this copy knows it.  The other words are this ABI's own. */
#define TABLEMAGIC "tally's table\n\0\1" /* 16 bytes */

enum { NOTECOUNTERS, NOTEEND, NOTESHARED, NOTEUNITS, NOTELASTUNIT, NOTEPAGE, NOTEDIRS, NOTELASTDIR, NNOTE };

extern const int64_t note[NNOTE] __attribute__((visibility("hidden")));

typedef struct Process Process;

/* NULL until this copy has started. */
static Process *p;

/* Each section has at least one counter and one unit, which nobody uses.  Counters have pages of
 * their own: counterpages() in profile/directives.c aligns them and what comes after them. */
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
	".byte 0\n" /* so that there is at least one */
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
#define HEAD 0x10000ull  /* bytes of the file for the header and the first records */
#define CHUNK 0x10000ull /* bytes added when more records need them */

typedef struct Mod Mod;
typedef struct Thread Thread;
typedef struct Seg Seg;
typedef struct Area Area;
typedef struct Foreign Foreign;

/* A module.  The main thread counts at `counters', other threads at counters + D.  A module that
 * was unloaded stays in the list: it may be loaded again, elsewhere. */
struct Mod {
	Mod *next;
	uint64_t counters;
	uint64_t n;
	uint64_t begin, end;          /* the addresses at which it is loaded */
	uint64_t key;                 /* hash of path, build id and number of counters */
	const struct Profmodule *rec; /* its record in the file; NULL if it is not counted */
	uint32_t number;              /* of that record */
	Seg *seg;                     /* its counters in the file, by thread */
	uint32_t *unit;               /* the words of its units */
	uint32_t nunit;               /* 0 if it does not record the order of their first use */
	uint64_t *rank;               /* by unit, mapped from the file; NULL if there are none */
	uint64_t rankfile;            /* offset of the ranks in the file */
	int loose; /* its counters share pages with other data: copied at the end */
	int done;  /* it is unloaded: its destructors have run in dlclose */
	int over;  /* its destructors have run at exit: it stays loaded */
	const void *note;
	void (*hook)(void); /* its copy's hookall(), once that copy has started; NULL before */
};

/* The counters of a module for one thread. */
struct Seg {
	Seg *next;
	const Thread *thread;
	struct Profcounts *rec; /* NULL if they are not in the file of this process */
	uint64_t at;            /* where they are mapped; 0 if they are not */
};

/* A part of the file that holds records, mapped. */
struct Area {
	Area *next;
	uint64_t file; /* its offset in the file */
	uint64_t size, used;
	char *at;
};

typedef struct Held Held;

/* A part of the file, from offset `begin' to `end', that stays mapped for when the file cannot be
 * opened any more (rooms.h).  Everything before `used' is taken. */
struct Held {
	char *at; /* NULL if there is none */
	uint64_t begin, used, end;
};

typedef struct Chunk Chunk;

/* The head of memory that allot() has mapped. */
struct Chunk {
	Chunk *before;
	uint64_t size;
};

/* A module of another ABI; the struct belongs to that module's copy of the runtime. */
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

/* The counters of one thread: those of every module at the same distance D, which is 0 for the main
 * thread and for threads of which we were not told. */
struct Thread {
	Thread *next;
	int64_t D;
	uint32_t number;
	int taken;
	int moved;     /* STOPSIGNALs on their way to it: their handler sets gs to D */
	int over;      /* its first function has returned */
	int tid;       /* the thread that counts here; 0 before it runs */
	uint64_t self; /* its pthread_self() */
	const void *host; /* the note of the copy in which it began */
	void *(*begin)(void *);
	void *arg;
	int ending;       /* all of its frames are left; cleanup routines may still run */
	Cleanup *cleanup; /* MAXCLEANUP records in its first frame: see threads.h; or NULL */
	int ncleanup;     /* how many are in use, or were wanted */
	uint64_t bottom;  /* where the stack of its first frame ends; 0 if unknown */
	uint64_t back;    /* address of the return address of its first function; 0 if none */
	int landing;      /* it leaves its frames, and has found where to clean up */
	uint64_t lastrip, lastcfa; /* first frame of those that it left last because it ends */
	uint64_t vforksp;          /* stack pointer of its last call of vfork; 0 if none */
};

typedef struct Known Known;

enum { NSAVED = 6 }; /* registers that a frame may have saved for its caller */

/* How to step from a frame at that address to its caller, and which cut to count then.  Small,
 * because walks are hot in programs that jump a lot. */
struct Known {
	uint64_t rip;
	struct Profcut *left; /* the cut that counts that it was left; NULL if not known */
	int cfaoff;
	int8_t cfareg;
	int8_t interrupted;
	int8_t reg[NSAVED];
	int16_t off[NSAVED];
};

typedef struct Between Between;

/* A thread on its way to another stack, by code of the program's own (switches.h). */
struct Between {
	uint64_t thread;   /* its thread pointer; 0 if this is free */
	uint64_t departed; /* where it left its callers' frames; 0 once it has arrived */
	uint64_t arrived;  /* where it entered those that it goes to */
	uint64_t last;     /* the address of the last instruction before it is there */
	int midway;        /* it went to the middle of a function, and has not arrived yet */
	Frame to;
};

typedef struct Waiting Waiting;

/* A context that swapcontext saved, and where it is to return to. */
struct Waiting {
	uint64_t rsp, rip;
	uint64_t saved; /* address of the ucontext_t */
	int resumed; /* it was resumed, which may happen again; this entry may be reused first */
};

typedef struct Return Return;

/* The real return address of a call whose return address is one of our stubs: an exec that may
 * fail, fork, daemon.  A thread has several if a signal handler interrupts such a call and makes
 * one itself. */
struct Return {
	Return *next;
	uint64_t at; /* the stack pointer after the return; 0 if this is free */
	uint64_t to;
};

typedef struct Bridge Bridge;

/* A call that a signal handler made up: the function looks as if the interrupted instruction had
 * called it.  Its frame begins anywhere below that of the interrupted function. */
struct Bridge {
	uint64_t at; /* where its return address is; 0 if this is free */
	Frame from;
};

typedef struct Object Object;

/* A program or library whose functions were called through pointers. */
struct Object {
	uint64_t begin, end; /* where it is loaded; 0 once it is unloaded */
	uint64_t bias;       /* its load address less its address in the file */
	const void *map;     /* the dynamic linker's struct link_map; NULL if unknown */
};

enum { MAXFIRST = 16 };

enum { MAXCALL = 8192, MAXOBJECT = 256 };

typedef struct Action Action;

/* What to do on a signal, in the kernel's layout. */
struct Action {
	void *handler; /* NULL is the default action */
	uint64_t flags;
	const void *restorer;
	uint64_t mask;
};

enum { MAXCUT = 1024, NKNOWN = 256, NSIGNAL = 65, MAXCONTEXT = 1024 };
enum { NBRIDGE = 64, NBASE = 8, NBETWEEN = 64 };

/* Numbers of the functions that lead to the runtime, and of the other events that lead to
 * hooked(). */
#define NUMBER(number, ...) number,
enum {
	HOOKS(NUMBER) STATICHOOKS(NUMBER) NHOOK,
	LASTHOOK = NHOOK - 1,
	EVENTS(NUMBER) OTHER, /* from here on: the C library's own, where preempted */
	NSTUB = OTHER + NHOOK
};

#define NAME(number, name, ...) [number] = (name),
static const char hookname[NHOOK][36] = {HOOKS(NAME) STATICHOOKS(NAME)};

typedef struct Hooked Hooked;

/* The registers of a call of a stub, as the stub leaves them on the stack. */
struct Hooked {
	uint64_t r15, r14, r13, r12, rbp, rbx, rax, r9, r8, rcx, rdx, rsi, rdi;
	uint64_t which; /* in: number of the stub; out: the address to go on at */
	uint64_t ra;    /* return address */
};

/* What the copies of the runtime share.  The part up to `calls' is the same in all versions, for
 * good.  A copy of another ABI that comes later finds it through the notes and enters its counters
 * into the list `foreign', newest first, so that memory is mapped for them with every thread's;
 * join() does that at once for the threads that there are.  Both need the lock. */
struct Process {
	char magic[8];
	uint32_t abi;
	uint32_t size;
	uint64_t lock; /* 0 if free; else 1, or the address of a Hold */
	Foreign *foreign;
	void (*join)(const Foreign *);

	struct Profcall *calls; /* table in the file, for calls through pointers; NULL if none */
	uint64_t owner;         /* thread pointer of the thread that has the lock; 0 */
	uint64_t mask;          /* of signals, to be restored by the thread that has the lock */
	int inside;             /* threads whose signals enter() has blocked */
	uint64_t sealer;        /* thread that keeps others from entering (seal.h); 0 */
	Return *returns;
	uint32_t pid;
	struct Profhdr *hdr; /* HEAD bytes of the file; NULL if nothing is counted */
	struct Profrec *last;
	Held held;
	char *reserved;         /* memory for the held part of the file, and for rooms; NULL */
	uint64_t nreserved;
	char *rooms;            /* for children that can create no file: rooms.h */
	uint32_t nroom, roompages; /* how many, and how many pages each has */
	int inroom;                /* this process counts in one */
	uint32_t before[NENDING]; /* the endings of the processes that counted here before */
	char *label;            /* of the current chapter, in labelcap bytes; NULL if none */
	size_t labelcap;
	uint64_t farat[2], farroom[2]; /* offset and size of space in the file for long labels */
	Area head;              /* the first one, which leads to the others */
	Area *area;             /* the last one */
	Chunk *chunk;           /* the last that allot() took */
	char *spare, *spareend; /* what is left of it */
	Mod *mod, **lastmod;
	uint32_t nmod; /* how many have a record in the file */
	Thread main;
	Thread *lastthread;
	Thread *looked; /* where oldthread() stopped looking; NULL at first */
	uint32_t nthread;
	int64_t D;             /* the last that was chosen; 0 if none */
	uint64_t nmap, maxmap; /* mappings for counters of threads: how many, and the limit */
	uint64_t norder;   /* the largest rank given to a unit so far */
	int evicted;       /* counting has ended: the program wanted our memory */
	void (*watch)(void); /* the host's watchforks() */
	int sealed;        /* the program has a filter: no more system calls */
	int flat;          /* the program uses gs itself */
	int isstatic;      /* there is no dynamic linker */
	int early;         /* there were threads before us: they count with a base of 0 */
	int aside;         /* and the first thread got a base of its own (stepaside) */
	int nfirst;        /* entries of first[] */
	int first[MAXFIRST]; /* ids of the threads that were there before us */
	int tls;           /* threads have thread pointers */
	const void *host;  /* note of the module whose copy serves all modules */
	void *real[NHOOK];          /* the functions that lead to us */
	void *other[NHOOK];         /* those of the C library, where real[] is another definition */
	void *standin[NSTUB];       /* what is called instead; code of the host */
	const void *library;        /* program headers of the C library; NULL */
	uint64_t (*getcfa)(void *); /* _Unwind_GetCFA */
	void *dlclose;
	const char *stubs, *jumping, *jumped; /* in stubs.h, of the host */
	const char *answered;
	void (*push)(Cleanup *, void *, void *); /* _pthread_cleanup_push */
	void (*pop)(Cleanup *, int);
	struct Profcut *cut; /* table in the file */
	uint64_t callsat;    /* offset of the table for calls through pointers */
	int ncall;           /* how many of its entries are in use */
	int nobject;
	Object object[MAXOBJECT];
	int64_t apart;             /* processor time that other threads had used at the start */
	int leaving;               /* some thread has left its frames because it ends */
	int undo;                  /* cuts are being taken back */
	uint32_t parent;           /* pid of the process that is about to end in daemon(); 0 */
	int closing;               /* the process is ending */
	int ending;                /* and how: ENDEXIT...; 0 if it is not */
	int stopping;              /* id of the thread that is asked to stop for that; 0 */
	void *fatal, *deliver;     /* the handlers in signals.h, of the host */
	Action moves;              /* the handler of STOPSIGNAL, of the host */
	Action setxid;             /* the C library's, which it replaced; flags are 0 until then */
	Action shadow[NSIGNAL];    /* what the program set for signals that we handle */
	Known known[NKNOWN];       /* by hash of the address */
	Waiting context[MAXCONTEXT]; /* by hash of the stack pointer */
	Bridge bridge[NBRIDGE];      /* by hash of the address of the return address */
	int bridges;                 /* there are some */
	Between between[NBETWEEN];   /* by hash of the thread pointer */
	int ways;                    /* some thread has switched stacks by code of its own */
	uint64_t base[NBASE];        /* where the first functions of stacks return to */
	int nbase;
	const char *ran;    /* where the first functions of threads return to */
	Frame out;        /* a thread's call of exit or abort, which will not return, and which */
	uint64_t outself; /* thread: used if a walk does not know how to leave their frames */
	Dir dir;
	char own[300];                                  /* name of the process's file in it */
	char program[256];                              /* name of the program */
	char stack[65536] __attribute__((aligned(16))); /* for recording the death of the process */
};

_Static_assert(offsetof(Process, abi) == 8 && offsetof(Process, size) == 12
		       && offsetof(Process, lock) == 16 && offsetof(Process, foreign) == 24
		       && offsetof(Process, join) == 32 && offsetof(Process, calls) == 40,
	       "as in all versions");

#define SHAREDSIZE ((sizeof(Process) + 2 * PAGE - 1) & ~(PAGE - 1))

/* A word in the last page, which the kernel clears in a forked child (MADV_WIPEONFORK): 0 means
 * that this process is a child that child() has not set up. */
#define SEEN ((int *)((char *)p + SHAREDSIZE - PAGE))

#define SHAREDMAGIC "tally " ABITEXT

/* isthreaded - whether there are several threads; or were, if the C library knows. */
static int
isthreaded(void)
{
	if (&__libc_single_threaded)
		return !__libc_single_threaded;
	return told("/proc/self/stat", NTHREADS) > 1;
}

static void stopped(const Frame *);

/* exists - whether a thread of this process does. */
static int
exists(int tid)
{
	return SYS(__NR_tgkill, p->pid, tid, 0) != NOPROCESS;
}

/* threadpointer - the fs base, which the ABI also keeps in memory at %fs:0; 0 if threads have
 * none. */
static uint64_t
threadpointer(void)
{
	uint64_t own = 0;

	if (p->tls)
		__asm__("movq %%fs:0, %0" : "=r"(own));
	return own;
}

/* threadby - the Thread that has this thread pointer, or the main thread's if there is
 * none.  Threads that clone() made without thread-local storage share that of another. */
static Thread *
threadby(uint64_t pointer)
{
	Thread *s;

	for (s = &p->main; pointer && s; s = s->next)
		if (s->self == pointer && s->taken)
			return s;
	return &p->main;
}

/* threadof - the Thread in which this thread counts, which its gs base tells; without system calls
 * its thread pointer does. */
static Thread *
threadof(void)
{
	int64_t D = 0;
	Thread *s;

	if (p->sealed)
		return threadby(threadpointer());
	SYS(__NR_arch_prctl, ARCH_GET_GS, &D, 0);
	for (s = p->main.next; D && s; s = s->next)
		if (s->D == D && s->taken)
			return s;
	return &p->main;
}

/* setbase - make this thread count at distance D.  The system call does not take a negative base.
 * space.h chooses one only if the processor has the instruction. */
static void
setbase(int64_t D)
{
	if (D < 0)
		__asm__ volatile("wrgsbase %0" : : "r"(D));
	else
		SYS(__NR_arch_prctl, ARCH_SET_GS, D, 0);
}

/* allot - n bytes of zeros that are never freed; NULL if there is no memory. requires: lock. */
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

/* isown - whether this is the process whose file this is.  It is not in a child made by vfork,
 * which has its parent's memory and must leave the profile alone, nor in a child of which nobody
 * told us. */
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

/* Hold - the lock for a moment, without the system calls that block signals.  It lies on the stack
 * of the thread that has the lock; a signal that arrives meanwhile is put off by our handler. */
typedef struct Hold Hold;

struct Hold {
	uint64_t thread; /* thread pointer of the thread that has the lock */
	uint64_t mask;   /* the signal mask to restore if a signal was put off */
	int putoff;
};

/* isheld - whether this very thread has the lock: a handler that we did not know interrupted it. */
static int
isheld(uint64_t lock)
{
	uint64_t thread = 0, self = 0;

	if (p->sealed)
		return p->owner && p->owner == threadpointer();
	SYS(__NR_arch_prctl, ARCH_GET_FS, &self, 0);
	return lock > 1 && self && ask(lock + offsetof(Hold, thread), &thread) && thread == self;
}

/* admit - block this thread's signals; wait before that while another thread is sealing. */
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

/* alone - reset the lock in a new process, which has one thread, and nobody inside. */
static void
alone(void)
{
	p->lock = p->sealer = 0;
	p->inside = 0;
}

/* enter, leave - take and release the lock, around whatever copies and threads must not do at the
 * same time.  No signal is delivered in between, because its handler may want the lock, too.  f is
 * the frame that called the runtime, or NULL: this thread may be asked to stop while it waits
 * here. */
static void
enter(const Frame *f)
{
	uint64_t mask = 0, lock = 0;

	admit(&mask);
	while (!__atomic_compare_exchange_n(&p->lock, &lock, 1, 0, __ATOMIC_ACQUIRE,
					    __ATOMIC_RELAXED)) {
		if (!*SEEN) {
			p->lock = 1; /* a child of which nobody told us: the holder is not in it */
			break;
		}
		if (p->stopping)
			stopped(f);
		if (isheld(lock)) {
			if (p->hdr)
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

/* amowner - whether this thread has the lock, and has called something of the program's that calls
 * us. */
static int
amowner(void)
{
	return p->owner && p->owner == threadpointer();
}

/* hold, unhold - the lock for short and frequent work.  hold() returns whether it got it.
 * Keeps invariant 11. */
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

/* enterother, leaveother - take and release the lock of what copies of another ABI share.  Signals
 * are blocked in between; *mask is what leaveother() restores. */
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

/* returnat - the entry for a call that returns with that stack pointer; NULL if there is none. */
static Return *
returnat(uint64_t at)
{
	Return *r = __atomic_load_n(&p->returns, __ATOMIC_ACQUIRE);

	while (r && __atomic_load_n(&r->at, __ATOMIC_RELAXED) != at)
		r = r->next;
	return r;
}

/* willreturn - remember where a call that returns to us with that stack pointer is to go on;
 * returns whether there was room.  requires: lock. */
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

/* returned - the call has returned to us: forget the entry; returns where to go on.  Needs no lock,
 * since no other thread asks for this entry. */
static uint64_t
returned(uint64_t at)
{
	Return *r = returnat(at);
	uint64_t to = r->to;

	__atomic_store_n(&r->at, 0, __ATOMIC_RELEASE);
	return to;
}

/* lost - flag that some counts are missing. */
static void
lost(void)
{
	if (p->hdr)
		p->hdr->flags |= PROFLOST;
}

static void child(void);

/* adopt - set up a child of which nobody told us: so far it has counted in its parent's file. */
static void
adopt(void)
{
	if (!p->hdr || *SEEN)
		return;
	p->hdr->flags |= PROFFORKED | PROFTHREADS;
	child();
}

#endif
