/* rooms.h - space for the counts of processes that give up their rights.
 *
 * A server begins as root and then becomes nobody, or enters a jail.  From there it cannot open its
 * profile any more, and its children cannot create files of their own.  So before it goes, the file
 * is enlarged, and that part of it stays mapped:
 *
 *   | header, records, counters |   held   | room | room | ...
 *                                ^ for the process itself: threads and libraries that come later
 *
 * Each room is a profile of its own, in which a child counts as others do in a file.  What others
 * would map from the file is mapped once more from the mapping (mapown), so no descriptor is
 * needed.  A room whose process has ended is taken over by the next child, which adds to its
 * counts: they would be added up anyway.  When all rooms are taken, a child counts nothing, and the
 * profile says so.  The file is folded, with its rooms, by whichever process finds that all of its
 * processes have ended. */

#ifndef ROOMS_H
#define ROOMS_H

#include "space.h"

enum { MOSTROOMS = 32, LEASTROOMS = 4, SPARETHREADS = 3 };

#define ROOMBYTES (4ull << 20) /* of all rooms, unless that is too little for LEASTROOMS */

/* roomsize - how much a process needs: for its records, and the counters of some threads. */
static uint64_t
roomsize(void)
{
	uint64_t size = HEAD + CHUNK + ((length(p->label) + PAGE) & ~(PAGE - 1)), own;
	const Mod *m;

	for (m = p->mod; m; m = m->next) {
		pages(m, 0, &own);
		size += (1 + SPARETHREADS) * (own + PAGE) + ((8ull * m->nunit + PAGE) & ~(PAGE - 1));
	}
	return size + (p->calls ? MAXCALL * sizeof *p->calls : 0);
}

/* roomat - the i-th room. */
static struct Profhdr *
roomat(uint32_t i)
{
	return (struct Profhdr *)(p->rooms + PAGE * p->roompages * i);
}

/* makerooms - enlarge the file before the process gives up its rights. */
static void
makerooms(void)
{
	struct Profhdr *h = p->hdr;
	uint64_t size = (roomsize() + PAGE - 1) & ~(PAGE - 1), n = ROOMBYTES / size, at;
	uint32_t i;
	long fd, map;

	n = n > MOSTROOMS ? MOSTROOMS : n < LEASTROOMS ? LEASTROOMS : n;
	if (p->reserved || (fd = openown()) < 0)
		return;
	at = grow(fd, 0, (n + 1) * size);
	map = at ? mapown(fd, at, (n + 1) * size, 0, 0) : -1;
	shut(fd);
	if (!isaddress(map))
		return;
	p->reserved = (char *)map; /* NOLINT(performance-no-int-to-ptr) */
	p->nreserved = (n + 1) * size;
	p->held = (Held){p->reserved, at, at, at + size};
	p->rooms = p->reserved + size;
	p->nroom = (uint32_t)n;
	p->roompages = (uint32_t)(size / PAGE);
	for (i = 0; i < n; i++) { /* for a child that cannot find out where it runs */
		copy(roomat(i)->boot, h->boot, sizeof h->boot);
		roomat(i)->pidns = h->pidns;
	}
	h->rooms = at + size;
	h->roompages = p->roompages;
	h->nroom = p->nroom;
}

/* resumeprofile - go on counting in a profile that another process has closed. */
static void
resumeprofile(struct Profhdr *h)
{
	const struct Profcuts *cuts = NULL;
	struct Profrec *r = NULL;
	uint64_t off;

	identify(h);
	p->hdr = h;
	p->head = (Area){.size = HEAD, .used = sizeof *h, .at = (char *)h};
	p->area = &p->head;
	for (off = h->first; off; off = r->next) {
		r = (struct Profrec *)((char *)h + off);
		if (off < HEAD && off + r->size > p->head.used)
			p->head.used = off + r->size;
		if (r->kind == PROFCUTS)
			cuts = (const void *)r;
		p->nmod += r->kind == PROFMODULE;
	}
	p->last = r;
	p->cut = (struct Profcut *)((char *)h + cuts->cuts);
	copy(p->before, h->endings, sizeof h->endings);
	h->endings[ENDGONE]++;
	h->runs++;
	h->state = PROFCOUNTING;
}

/* takeroom - take a room for a child: one whose process has ended, or a new one; returns whether
 * there was one.  Rooms are not taken over if calls through pointers are recorded: those name
 * objects by numbers of the other process. */
static int
takeroom(void)
{
	struct Profhdr *h = NULL;
	uint32_t i, was = 0;
	uint64_t pidns;

	for (i = 0; i < 2 * p->nroom; i++) {
		h = roomat(i % p->nroom);
		was = i < p->nroom ? PROFCLOSED : 0;
		if (!(was && p->calls)
		    && __atomic_compare_exchange_n(&h->state, &was, PROFTAKEN, 0, __ATOMIC_ACQUIRE,
						   __ATOMIC_RELAXED))
			break;
	}
	if (i == 2 * p->nroom)
		return 0;
	pidns = h->pidns;
	p->pid = (uint32_t)SYS(__NR_getpid, 0, 0, 0);
	p->nmod = 0;
	p->inroom = 1;
	p->held = (Held){(char *)h, 0, 0, PAGE * p->roompages};
	if (was == PROFCLOSED)
		resumeprofile(h);
	else if (beginprofile(HELD, h) != 0)
		return 0;
	if (!h->pidns)
		h->pidns = pidns;
	return 1;
}

/* isinhabited - whether a child counts, or counted, in a room of this file. */
static int
isinhabited(void)
{
	uint32_t i;

	for (i = 0; i < p->nroom; i++)
		if (roomat(i)->state)
			return 1;
	return 0;
}

/* isdropping - whether a system call with these arguments may take away the right to write the
 * profile. */
static int
isdropping(uint64_t number, uint64_t a, uint64_t b)
{
	switch (number) {
	case __NR_setuid: return a != 0;
	case __NR_setreuid:
	case __NR_setresuid: return (uint32_t)b != 0 && (uint32_t)b != UINT32_MAX;
	case __NR_unshare: return (a & (CLONE_NEWUSER | CLONE_NEWNS)) != 0;
	case __NR_chroot:
	case __NR_pivot_root:
	case __NR_capset: return 1;
	default: return 0;
	}
}

/* drops - whether a call of a function may. */
static int
drops(int which, const Hooked *h)
{
	switch (which) {
	case SETUID: return isdropping(__NR_setuid, h->rdi, 0);
	case SETEUID: return isdropping(__NR_setreuid, 0, h->rdi);
	case SETREUID:
	case SETRESUID: return isdropping(__NR_setresuid, h->rdi, h->rsi);
	case CHROOT: return 1;
	case UNSHARE: return isdropping(__NR_unshare, h->rdi, 0);
	case CAPSET: return 1;
	case SYSCALL: return isdropping(h->rdi, h->rsi, h->rdx);
	default: return 0;
	}
}

/* prepare - make rooms before the rights are gone.  Only root has any to give up. */
static void
prepare(const Frame *f, int which, const Hooked *h)
{
	if (!drops(which, h) || !isown() || SYS(__NR_geteuid, 0, 0, 0) != 0)
		return;
	enter(f);
	if (p->hdr)
		makerooms();
	leave();
}

#endif
