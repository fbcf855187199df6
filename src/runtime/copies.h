/* copies.h - copies of the runtime in one process: every counted module has one.
 *
 * The first that starts maps a Process with all that they share, and writes its address to the word
 * to which its module's note leads.  A copy that starts later looks for that word in the notes of
 * all modules.  One copy, the host, is called for all modules, counted or not; when it is unloaded,
 * another one takes over. */

#ifndef COPIES_H
#define COPIES_H

#include "words.h"

static Process *theirs; /* the Process of copies that have started; NULL if there is none */

/* findshared - look for it through the note of a module. */
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

/* The counters of this module, for a runtime of another ABI that came first. */
static Foreign foreign;

/* joinother - have that runtime map memory for our counters: it counts, and this copy does not. */
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

/* part - take our counters off its list: this module may be about to be unloaded. */
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

/* makeshared - map a Process. */
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
	p->main = (Thread){.taken = 1, .tid = (int)SYS(__NR_gettid, 0, 0, 0), .self = self()};
	p->tls = p->main.self != 0;
	p->lastthread = &p->main;
	p->nthread = 1;
	SYS(__NR_madvise, SEEN, PAGE, MADV_WIPEONFORK);
	*SEEN = 1;
	return 0;
}

/* forget - the Process is about to be unmapped (unhookall): forget its address. */
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

/* attach - find the Process, or make it if this copy is the first; -1 if another ABI has one. */
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

/* unhook - this copy is unloaded: lead calls to another one, or to where they would go without
 * us. */
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
