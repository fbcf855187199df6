/* evict.h - the program's own mappings come first.
 *
 * A program may map memory at a fixed address, as those do that keep a shadow of all other memory,
 * or ask for more contiguous memory than is free between our mappings.  If that would replace
 * something of ours, or fail because of us, counting ends there as at the end of the process: all
 * threads get the base of the main thread, the file is closed, what was in the way is unmapped, and
 * the profile says so. */

#ifndef EVICT_H
#define EVICT_H

#include "contexts.h"
#include "signals.h"

static void close(int ends);
static void cutall(const Frame *, uint32_t kind);
static void unhookall(void);

/* meets - whether two ranges of addresses overlap. */
static int
meets(uint64_t a, uint64_t na, const void *b, uint64_t nb)
{
	return b && a < (uint64_t)b + nb && (uint64_t)b < a + na;
}

/* isvital - whether what the copies share lies there, without which nothing of ours works. */
static int
isvital(uint64_t at, uint64_t n)
{
	const Chunk *chunk;

	for (chunk = p->chunk; chunk; chunk = chunk->before)
		if (meets(at, n, chunk, chunk->size))
			return 1;
	return meets(at, n, p, SHAREDSIZE);
}

/* isinway - whether anything of ours lies there. */
static int
isinway(uint64_t at, uint64_t n)
{
	const Area *a;
	const Mod *m;
	const Seg *g;
	uint64_t size;

	if (isvital(at, n) || meets(at, n, p->hdr, HEAD) || meets(at, n, p->reserved, p->nreserved)
	    || meets(at, n, p->calls, MAXCALL * sizeof *p->calls))
		return 1;
	for (a = p->head.next; a; a = a->next)
		if (meets(at, n, a->at, a->size))
			return 1;
	for (m = p->mod; m; m = m->next) {
		pages(m, 0, &size);
		if (meets(at, n, m->rank, 8ull * m->nunit))
			return 1;
		for (g = m->seg; g; g = g->next)
			if (meets(at, n, (const void *)g->at, size)) /* NOLINT(performance-no-int-to-ptr) */
				return 1;
	}
	return 0;
}

/* ishuge - whether so much contiguous memory is free only without our mappings. */
static int
ishuge(uint64_t n)
{
	long map;

	if (n < 1ull << 40 || !p->main.next)
		return 0;
	map = sys(__NR_mmap, 0, (long)n, PROT_NONE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (isaddress(map))
		SYS(__NR_munmap, map, n, 0);
	return !isaddress(map);
}

/* wants - whether a call wants memory that we have. */
static int
wants(int which, const Hooked *h)
{
	uint64_t end;

	switch (which) {
	case MMAP:
	case MMAP64:
		return (h->rcx & (MAP_FIXED | MAP_FIXED_NOREPLACE)) ? isinway(h->rdi, h->rsi)
								    : ishuge(h->rsi);
	case MREMAP:
		return (h->rcx & MREMAP_FIXED) ? isinway(h->r8, h->rdx) : ishuge(h->rdx);
	case MUNMAP: return isinway(h->rdi, h->rsi);
	case BRK:
	case SBRK:
		end = (uint64_t)SYS(__NR_brk, 0, 0, 0);
		if (which == SBRK)
			return (int64_t)h->rdi > 0 && isinway(end, h->rdi);
		return h->rdi > end && isinway(end, h->rdi - end);
	default: return 0;
	}
}

/* gather - give all threads the base of the main thread, and unmap their own counters. */
static void
gather(void)
{
	const Thread *own = threadof();
	Thread *s;

	for (s = p->main.next; s; s = s->next) {
		if (!s->D || !s->taken)
			continue;
		s->D = 0;
		tell(s);
		if (s != own)
			await(s);
	}
	for (s = p->main.next; s; s = s->next)
		withdraw(s);
}

/* release - unmap the file, except for the main thread's counters. */
static void
release(struct Profhdr *h)
{
	struct Profcall *calls = p->calls;
	uint64_t *rank;
	const Area *a;
	Mod *m;

	p->calls = NULL;
	SYS(__NR_munmap, calls, calls ? MAXCALL * sizeof *calls : 0, 0);
	for (m = p->mod; m; m = m->next) {
		rank = m->rank;
		m->rank = NULL;
		m->rec = NULL;
		SYS(__NR_munmap, rank, 8ull * m->nunit, 0);
	}
	for (a = p->head.next; a; a = a->next)
		SYS(__NR_munmap, a->at, a->size, 0);
	SYS(__NR_munmap, h, HEAD, 0);
}

/* evict - end counting, and unmap what we have there.  requires: lock; releases it.  If what the
 * copies share lies there, they forget it, and there is no lock any more. */
static void
evict(const Frame *f, uint64_t at, uint64_t n)
{
	struct Profhdr *h = p->hdr;
	int vital = isvital(at, n);
	uint64_t mask = p->mask;

	h->flags |= PROFEVICTED;
	cutall(f, CUTLEFT);
	gather();
	p->ending = ENDSOMEHOW;
	close(0);
	release(h);
	p->evicted = 1;
	clear(p->known, sizeof p->known);
	if (vital) {
		unhookall();
		setmask(&mask, NULL);
	} else {
		leave();
	}
}

/* giveway - before a call of the program that wants memory where we may have some. */
static void
giveway(const Frame *f, int which, const Hooked *h)
{
	uint64_t at = h->rdi, n = h->rsi;

	if (which == MREMAP) {
		at = h->r8;
		n = h->rdx;
	} else if (which == BRK || which == SBRK) {
		at = (uint64_t)SYS(__NR_brk, 0, 0, 0);
		n = which == BRK ? h->rdi - at : h->rdi;
	}
	if (!wants(which, h) || !isown())
		return;
	enter(f);
	if (p->hdr)
		evict(f, at, n);
	else
		leave();
}

#endif
