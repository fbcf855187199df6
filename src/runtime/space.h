/* space.h - where the counters of threads are.
 *
 * The main thread's gs base is 0: its counters are where the linker put them, in pages of their
 * own, over which the file is mapped.  So a program without threads has nothing of ours anywhere
 * but in its own data and where the kernel likes to map.
 *
 * Each other thread has a distance D for its gs base, at which there is memory for the counters
 * of every module: at counters + D.  It must be free, out of the way of the heap, which grows up
 * from the program, and of the stack, which grows down to its limit:
 *
 *   program  heap -->   ...   <-- mappings, libraries    <-- stack
 *      |                             |
 *      +----- D ----> counters       +----- D ----> counters
 *
 * With random addresses there is room for a D of many gigabytes.  Without, libraries end 128 MB
 * below the end of the stack.  There D is below 0, if processor, kernel and program allow that (a
 * program at a low address does not), or as small as need be.
 *
 * If a library comes for which there is no room at the distance of a thread, that thread gets
 * another one, at which the same pages of the file are mapped: nothing is lost, whenever it
 * changes over.  Where there is no room at all, it counts with the main thread, and the profile
 * says so. */

#ifndef SPACE_H
#define SPACE_H

#include "modules.h"

#define TOP 0x7ffffffff000ull /* of the addresses that programs have */

enum { RLIMIT_STACK = 3, ANYBASE = 2 /* HWCAP2_FSGSBASE */ };

static const int64_t roomy = 1ll << 32;

/* stackfloor - how far down the stack may grow one day. */
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

/* fits - whether the counters of a module can be at that distance. */
static int
fits(const Mod *m, int64_t D, uint64_t floor)
{
	uint64_t size, begin = pages(m, D, &size);

	return begin < floor && size <= floor - begin;
}

/* isfree - whether n bytes at addr are, as far as the kernel would map them. */
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

/* isfreeforall - whether there is room for all modules at a distance. */
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

/* farthest - a first distance: with room for libraries that are loaded later, which come below
 * those that are there; or at least for what is there; or even where the heap may grow.  Below 0
 * there is room for later ones, too. */
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

/* isroomy - whether the kernel has mappings left for n more modules: half of them are the
 * program's. */
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

/* putat - the counters of a module at the distance of a thread: in the file, or if it has no room
 * for them in memory that nobody will look at. */
static int
putat(const Mod *m, Seg *g, long fd, int64_t D)
{
	uint64_t size, begin = pages(m, D, &size), file = g->rec ? g->rec->counts : 0;

	if (!file)
		p->hdr->flags |= PROFLOST;
	if (g->at == begin) /* a parent's: in its place */
		return place(m, fd, file, D, 1);
	makeway(begin, size);
	if (!fits(m, D, stackfloor()) || place(m, fd, file, D, 0) != 0)
		return -1;
	g->at = begin;
	return 0;
}

static int move(Slot *, long fd);

/* placeforeign - memory for the counters of a module of another ABI. */
static void
placeforeign(const Foreign *o, int64_t D)
{
	Mod m = {.counters = o->counters, .n = o->length / 8};

	place(&m, -1, 0, D, 0);
}

/* joined - a module of another ABI is there: its counters need memory wherever threads count. */
static void
joined(const Foreign *o)
{
	const Slot *s;

	for (s = p->main.next; s; s = s->next)
		if (s->taken && s->D)
			placeforeign(o, s->D);
	if (p->hdr)
		p->hdr->flags |= PROFFOREIGN;
}

/* provide - counters of a module for a thread: 0; -1 if it counts nothing, or with others. */
static int
provide(Mod *m, Slot *s, long fd)
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

/* isready - whether a thread has counters of a module at its distance, in the file of this process: a child has
 * those of its parent's threads mapped, where its own threads must not count. */
static int
isready(const Mod *m, const Slot *s)
{
	const Seg *g = segof(m, s);
	uint64_t size;

	return g && g->rec && g->at == pages(m, s->D, &size);
}

/* provideall - counters of all modules for a thread that begins or moves. */
static int
provideall(Slot *s, long fd)
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

/* withdraw - what a thread has at its distance. */
static void
withdraw(const Slot *s)
{
	const Mod *m;
	Seg *g;

	for (m = p->mod; m; m = m->next)
		if ((g = segof(m, s)))
			unplace(m, g);
}

/* vacated - whether the thread of a slot is gone. */
static int
vacated(Slot *s)
{
	if (s->taken && s->tid && !exists(s->tid))
		s->taken = 0;
	return !s->taken;
}

/* oldslot - one whose thread is gone; NULL.  Of threads that have said that they end the kernel is
 * asked each time; of the others only of a few, in turn, for there may be thousands, and a slot that
 * is found later is no loss. */
static Slot *
oldslot(void)
{
	enum { FEW = 16 };
	Slot *s;
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

/* freeslot - one that nobody counts in: whose thread is gone, or a new one; NULL. */
static Slot *
freeslot(void)
{
	Slot *s = oldslot();
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
		s->number = p->nslot++;
		p->lastslot->next = s;
		p->lastslot = s;
	}
	fd = openown();
	if (fd < 0 || provideall(s, fd) != 0) {
		withdraw(s);
		if (fd < 0 || !(s->D = choose()) || provideall(s, fd) != 0) {
			p->hdr->flags |= PROFLOST;
			withdraw(s);
			s->D = 0; /* not again */
			s = NULL;
		}
	}
	shut(fd);
	return s;
}

#endif
