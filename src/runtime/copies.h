/* copies.h - copies of the runtime in one process: every module that counts brings one along.
 *
 * The first that starts makes a Process, in which they keep all that they share.  Each module has a note that leads to a word, and
 * there its copy writes where that is; those that come later look for one in the notes of all modules.  If the copy that is called for
 * others goes away, another takes its place. */

#ifndef COPIES_H
#define COPIES_H

#include "words.h"

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

#endif
