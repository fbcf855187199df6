/* space.h - where the counters of threads are.
 *
 * A thread's gs base is the distance D from the counters of the main thread to its own.  D is the
 * same for all modules, since a thread has one gs base.  The main thread's is 0: its counters are
 * where the linker put them, in pages of their own, over which the file is mapped.  So a program
 * without threads has nothing of ours anywhere but in its own data and where the kernel likes to
 * map.
 *
 * For each other thread there must be free memory at counters + D for every module, out of the way
 * of the heap, which grows up from the program, and of the stack, which grows down to its limit:
 *
 *   program  heap -->   ...   <-- mappings, libraries    <-- stack
 *      |                             |
 *      +----- D ----> counters       +----- D ----> counters
 *
 * With randomized addresses there is room for a D of many gigabytes.  Without, libraries end 128 MB
 * below the end of the stack.  Then D is negative, if processor, kernel and program allow that (a
 * program at a low address does not), or as small as need be.
 *
 * If a library is loaded for which there is no room at a thread's distance, the thread gets another
 * distance, at which the same pages of the file are mapped: nothing is lost, whenever the thread
 * changes over.  If there is no room at all, it counts with the main thread, and the profile says
 * so. */

#ifndef SPACE_H
#define SPACE_H

#include "modules.h"

#define TOP 0x7ffffffff000ull /* the end of a program's addresses */

enum { RLIMIT_STACK = 3, ANYBASE = 2 /* HWCAP2_FSGSBASE */ };

static const int64_t roomy = 1ll << 32;

/* stackfloor - how far down the stack may ever grow. */
static uint64_t
stackfloor(void)
{
	uint64_t limit[2] = {0, 0}, top = TOP;

	if (&environ && environ && environ[0] && (uint64_t)environ[0] < TOP)
		top = (uint64_t)environ[0];
	SYS(__NR_getrlimit, RLIMIT_STACK, limit, 0);
	if (limit[0] > 1ull << 44)
		limit[0] = 1ull << 44;
	return top - limit[0] - (4ull << 20);
}

/* fits - whether a module's counters at that distance lie below floor. */
static int
fits(const Mod *m, int64_t D, uint64_t floor)
{
	uint64_t size, begin = pages(m, D, &size);

	return begin < floor && size <= floor - begin;
}

/* isfree - whether nothing is mapped in n bytes at addr. */
static int
isfree(uint64_t addr, uint64_t n)
{
	long map;

	if (addr > TOP || n > TOP - addr)
		return 0;
	map = sys(__NR_mmap, (long)addr, (long)n, PROT_NONE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	if (isaddress(map))
		SYS(__NR_munmap, map, n, 0);
	return map == (long)addr;
}

/* isfreeforall - whether there is room for the counters of all modules at distance D. */
static int
isfreeforall(int64_t D, uint64_t floor)
{
	const Foreign *o;
	const Mod *m;
	uint64_t size, begin;

	for (m = p->mod; m; m = m->next) {
		begin = pages(m, D, &size);
		if (m->done)
			continue;
		makeway(begin, size);
		if (!fits(m, D, floor) || !isfree(begin, size))
			return 0;
	}
	for (o = p->foreign; o; o = o->next) {
		begin = (o->counters + (uint64_t)D) & ~(PAGE - 1);
		if (!isfree(begin, o->length + PAGE))
			return 0;
	}
	return 1;
}

/* stride - from one thread's distance to the next one's. */
static int64_t
stride(int64_t D)
{
	int64_t step = D < 0 || D >= roomy ? 1ll << 24 : 1ll << 16;
	const Mod *m;

	for (m = p->mod; m; m = m->next)
		while (!m->done && step < (int64_t)(8 * m->n + PAGE))
			step *= 2;
	return step;
}

/* farthest - a first distance.  Preferably with room for libraries that are loaded later, which
 * come below those that are there; then a negative one, which has that, too; then one with room for
 * the modules that are loaded, perhaps where the heap may grow.  0 if there is none. */
static int64_t
farthest(uint64_t floor)
{
	uint64_t later = (uint64_t)p->hdr & ~(PAGE - 1);
	int64_t D;

	for (D = 1ll << 40; D >= roomy; D /= 2)
		if (later + (uint64_t)D < floor
		    && isfree(later - (uint64_t)roomy + (uint64_t)D, (uint64_t)roomy)
		    && isfreeforall(D, floor))
			return D;
	if (getauxval && (getauxval(AT_HWCAP2) & ANYBASE))
		for (D = -(1ll << 40); D >= -(1ll << 44); D *= 2)
			if (isfreeforall(D, floor))
				return D;
	for (D = 1ll << 40; D >= 1ll << 21; D /= 2)
		if (isfreeforall(D, floor))
			return D;
	return 0;
}

/* choose - a distance for a thread; 0 if there is none. */
static int64_t
choose(void)
{
	uint64_t floor = stackfloor();
	int64_t D = p->D, step;
	int try;

	for (try = 0; D && try < 256; try++) {
		step = stride(D);
		if (D > 0 && (D <= 2 * step || (D >= roomy && D - step < roomy)))
			break;
		D -= step;
		if (isfreeforall(D, floor)) {
			p->D = D;
			return D;
		}
	}
	D = farthest(floor);
	if (D)
		p->D = D;
	return D;
}

/* isroomy - whether there are mappings left for one more thread, of those that the kernel permits:
 * half of them are the program's. */
static int
isroomy(void)
{
	char buf[32];
	const Mod *m;
	uint64_t n = 0;

	if (!p->maxmap) {
		slurp("/proc/sys/vm/max_map_count", buf, sizeof buf);
		p->maxmap = number(buf) / 2;
		if (!p->maxmap)
			p->maxmap = 32000;
	}
	for (m = p->mod; m; m = m->next)
		n++;
	return p->nmap + n <= p->maxmap;
}

/* putat - map the counters of a module at the distance of a thread: from the file or, if that has
 * no room for them, memory that nobody will look at. */
static int
putat(const Mod *m, Seg *g, long fd, int64_t D)
{
	uint64_t size, begin = pages(m, D, &size), file = g->rec ? g->rec->counts : 0;

	if (!file)
		p->hdr->flags |= PROFLOST;
	if (g->at == begin) /* the parent's: replace them */
		return place(m, fd, file, D, 1);
	makeway(begin, size);
	if (!fits(m, D, stackfloor()) || place(m, fd, file, D, 0) != 0)
		return -1;
	g->at = begin;
	return 0;
}

static int move(Thread *, long fd);

/* placeforeign - map memory for the counters of a module of another ABI. */
static void
placeforeign(const Foreign *o, int64_t D)
{
	Mod m = {.counters = o->counters, .n = o->length / 8};

	place(&m, -1, 0, D, 0);
}

/* joined - a module of another ABI has been loaded: its counters need memory wherever threads
 * count. */
static void
joined(const Foreign *o)
{
	const Thread *s;

	for (s = p->main.next; s; s = s->next)
		if (s->taken && s->D)
			placeforeign(o, s->D);
	if (p->hdr)
		p->hdr->flags |= PROFFOREIGN;
}

/* provide - map counters of a module for a thread: 0, or -1 if they are lost or shared with
 * others. */
static int
provide(Mod *m, Thread *s, long fd)
{
	Seg *g = segment(m, s, fd);

	if (p->sealed)
		return -1;
	if (s == &p->main)
		return !g || !g->rec || (!m->loose && takeover(m, fd, g->rec->counts) != 0) ? -1
											    : 0;
	if (g && putat(m, g, fd, s->D) == 0)
		return g->rec ? 0 : -1;
	return move(s, fd);
}

/* isready - whether a thread's counters of a module are mapped at its distance, from the file of
 * this process.  A child has those of its parent's threads mapped, where its own threads must not
 * count. */
static int
isready(const Mod *m, const Thread *s)
{
	const Seg *g = segof(m, s);
	uint64_t size;

	return g && g->rec && g->at == pages(m, s->D, &size);
}

/* provideall - map counters of all modules for a thread that begins or moves: 0 or -1. */
static int
provideall(Thread *s, long fd)
{
	const Foreign *o;
	Mod *m;
	Seg *g;

	for (m = p->mod; m; m = m->next) {
		if (m->done || isready(m, s))
			continue;
		g = segment(m, s, fd);
		if (!g || putat(m, g, fd, s->D) != 0)
			return -1;
	}
	for (o = p->foreign; o; o = o->next)
		placeforeign(o, s->D);
	return 0;
}

/* withdraw - unmap all counters of a thread. */
static void
withdraw(const Thread *s)
{
	const Mod *m;
	Seg *g;

	for (m = p->mod; m; m = m->next)
		if ((g = segof(m, s)))
			unplace(m, g);
}

/* vacated - whether a thread is gone. */
static int
vacated(Thread *s)
{
	if (s->taken && s->tid && !exists(s->tid))
		s->taken = 0;
	return !s->taken;
}

/* oldthread - a thread that is gone; NULL if none is found.  The kernel is asked each time
 * about threads that said that they end; of the others, of which there may be thousands, only about
 * a few, in turn: one that is found later is no loss. */
static Thread *
oldthread(void)
{
	enum { FEW = 16 };
	Thread *s;
	int i;

	for (s = p->main.next; s; s = s->next)
		if (s->D && (!s->taken || ((s->over || s->ending) && vacated(s))))
			return s;
	for (i = 0; i < FEW; i++) {
		p->looked = p->looked && p->looked->next ? p->looked->next : p->main.next;
		if (p->looked && p->looked->D && vacated(p->looked))
			return p->looked;
	}
	return NULL;
}

/* sparethread - a Thread that nobody uses, an old or a new one; NULL if there is none. */
static Thread *
sparethread(void)
{
	Thread *s = oldthread();
	int64_t D;
	long fd;

	if (!s && !isroomy())
		return NULL;
	if (!s) {
		D = choose();
		s = D ? allot(sizeof *s) : NULL;
		if (!s)
			return NULL;
		s->D = D;
		s->number = p->nthread++;
		p->lastthread->next = s;
		p->lastthread = s;
	}
	fd = openown();
	if (fd < 0 || provideall(s, fd) != 0) {
		withdraw(s);
		if (fd < 0 || !(s->D = choose()) || provideall(s, fd) != 0) {
			p->hdr->flags |= PROFLOST;
			withdraw(s);
			s->D = 0; /* it is not used again */
			s = NULL;
		}
	}
	shut(fd);
	return s;
}

#endif
