/* astray.h - counts that go astray: where the gs base leads to no counters.
 *
 * That is so in a thread with a distance while a library is loaded whose code runs before the
 * runtime knows of it, as IFUNC resolvers do; of a module that another version of tally built; and
 * if the program sets its gs base itself.  Mostly there is no memory at all then.  The handler of
 * SIGSEGV sees that it was a counter, and counts in its place, where the linker put it. */

#ifndef ASTRAY_H
#define ASTRAY_H

#include "arch/x86/ours.h"
#include "space.h"

/* isastray - whether a gs base is none that we set. */
static int
isastray(int64_t base)
{
	const Slot *s;

	for (s = &p->main; s; s = s->next)
		if (s->D == base)
			return 0;
	return 1;
}

/* countastray - a fault came from an instruction that counts: count, and go on after it.  What
 * the three instructions leave in their register nobody uses. */
static int
countastray(char *context)
{
	uint64_t rip, word, counter;
	int64_t base = 0;
	int length, known;

	copy(&rip, context + SAVEDRIP, sizeof rip);
	/* It may be no code at all; or that of a library whose resolvers run before it is known. */
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
	const Slot *own = slotby(threadpointer());
	int64_t base = own->D;

	if (!p->hdr || p->flat || p->sealed)
		return;
	SYS(__NR_arch_prctl, ARCH_GET_GS, &base, 0);
	if (base != own->D && !own->moved && (!base || isastray(base)))
		p->hdr->flags |= PROFGS;
}

#endif
