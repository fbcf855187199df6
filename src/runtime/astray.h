/* astray.h - counts that go astray: where the gs base leads to no counters.
 *
 * That is so in a thread with a distance while a library is loaded whose code runs before the
 * runtime knows of it, as IFUNC resolvers do; of a module that another version of tally built; and
 * if the program sets its gs base itself.  Mostly there is no memory at all then.  The handler of
 * SIGSEGV sees that it was a counter, and counts in its place, where the linker put it. */

#ifndef ASTRAY_H
#define ASTRAY_H

#include "space.h"

/* An instruction that counts, as the roads plant them:
 *
 *	65 48 ff 05 ....	incq	%gs:slot(%rip)
 *	65 4x 8b .. ....	mov	%gs:slot(%rip), %r	the first of three; leaq 1(%r), %r;
 *	65 4x 89 .. ....	mov	%r, %gs:slot(%rip)	and the last */
enum { INC = 8, LEA = 8, STORE = 12, END = 20 };

/* istriple - whether the three instructions begin there. */
static int
istriple(const uint8_t *at)
{
	int r = at[3] >> 3;

	return at[0] == 0x65 && (at[1] & ~4) == 0x48 && at[2] == 0x8b && (at[3] & 0xc7) == 5
	       && at[LEA] == (at[1] | (at[1] >> 2 & 1)) && at[LEA + 1] == 0x8d
	       && at[LEA + 2] == (0x40 | r * 9) && at[LEA + 3] == 1 && at[STORE] == 0x65
	       && at[STORE + 1] == at[1] && at[STORE + 2] == 0x89 && at[STORE + 3] == at[3];
}

/* counterof - the instruction at an address counts: where in its module, and after how many bytes
 * it is done; NULL if it does not. */
static uint64_t *
counterof(const uint8_t *at, int *length)
{
	int32_t disp;
	int end = 8;

	*length = INC;
	if (at[0] != 0x65)
		return NULL;
	if (at[1] == 0x48 && at[2] == 0xff && at[3] == 0x05)
		;
	else if (at[2] == 0x8b && istriple(at))
		*length = END;
	else if (at[2] != 0x89 || !istriple(at - STORE))
		return NULL;
	copy(&disp, at + 4, sizeof disp);
	return (uint64_t *)(at + end + disp);
}

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
	uint64_t rip, word, *counter;
	int64_t base = 0;
	int length, known;

	copy(&rip, context + SAVEDRIP, sizeof rip);
	/* It may be no code at all; or that of a library whose resolvers run before it is known. */
	known = iscounted(rip) || !maycall() || (ask(rip, &word) && ask(rip - 16, &word));
	counter = known ? counterof((const uint8_t *)rip, &length) : NULL;
	if (!counter)
		return 0;
	SYS(__NR_arch_prctl, ARCH_GET_GS, &base, 0);
	if (!base)
		return 0;
	__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
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
