/* astray.h - increments that fault because the gs base leads to no counters.
 *
 * This happens to a thread with a distance while a library is loaded whose code runs before the
 * runtime knows of it, such as IFUNC resolvers; in modules that another version of tally built; and
 * if the program sets its gs base itself.  Usually no memory is mapped there.  The handler of
 * SIGSEGV recognizes the instruction, adds to the counter where the linker put it, and goes on
 * after the instruction.  If memory is mapped there, the count is lost, and checkbase() may
 * notice. */

#ifndef ASTRAY_H
#define ASTRAY_H

#include "arch/x86/ours.h"
#include "space.h"

/* isastray - whether a gs base is not one that we set. */
static int
isastray(int64_t base)
{
	const Thread *s;

	for (s = &p->main; s; s = s->next)
		if (s->D == base)
			return 0;
	return 1;
}

/* countastray - if a fault came from an instruction that counts: count, and go on after it.
 * Returns whether it did.  (A triple need not set its register: it is dead afterwards.) */
static int
countastray(char *context)
{
	uint64_t rip, word, counter;
	int64_t base = 0;
	int length, known;

	copy(&rip, context + SAVEDRIP, sizeof rip);
	/* rip may lead to no code at all, or to a library whose resolvers run before it is
	 * known. */
	known = iscounted(rip) || !maycall() || (ask(rip, &word) && ask(rip - 16, &word));
	counter = known ? counterof((const uint8_t *)rip, &length) : 0;
	if (!counter)
		return 0;
	SYS(__NR_arch_prctl, ARCH_GET_GS, &base, 0);
	if (!base)
		return 0;
	__atomic_fetch_add((uint64_t *)counter, 1, __ATOMIC_RELAXED);
	rip += (uint64_t)length;
	copy(context + SAVEDRIP, &rip, sizeof rip);
	if (p->hdr && isastray(base))
		p->hdr->flags |= PROFGS;
	return 1;
}

/* checkbase - notice that the program set the gs base of this thread. */
static void
checkbase(void)
{
	const Thread *own = threadby(threadpointer());
	int64_t base = own->D;

	if (!p->hdr || p->flat || p->sealed)
		return;
	SYS(__NR_arch_prctl, ARCH_GET_GS, &base, 0);
	if (base != own->D && !own->moved && (!base || isastray(base)))
		p->hdr->flags |= PROFGS;
}

#endif
