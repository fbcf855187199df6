/* ours.h - the instructions that we plant, as bytes: their sizes, and how the runtime recognises
 * them.
 *
 * A signal, a fault or a stack walk may find a thread in the middle of such code.  The runtime
 * has no table of where it is, so it compares bytes.  The tools need not: the map says where it
 * is.  ours.c writes the same code as text for the assembler, and test/arch/ours.c compares the
 * two.
 *
 *	65 48 ff 05 d32		incq	%gs:counter(%rip)	an increment; `flat' code, whose
 *								threads share counters, has no gs
 *
 *	65 4x 8b .. d32		movq	%gs:counter(%rip), %r	a triple
 *	4x 8d .. 01		leaq	1(%r), %r
 *	65 4x 89 .. d32		movq	%r, %gs:counter(%rip)
 *
 *	83 3d d32 00		cmpl	$0, word(%rip)		a look: has this unit been used?
 *	75 05			jne	.+7
 *	e8 d32			call	__tally_first_N
 *
 *	48 8d 64 24 80		leaq	-128(%rsp), %rsp	around an increment or a look where
 *	9c			pushfq				flags are live; the 128 bytes below
 *	...							the stack pointer are the red zone
 *	9d			popfq
 *	48 8d a4 24 80 0 0 0	leaq	128(%rsp), %rsp
 *
 *	48 8d 64 24 80		leaq	-128(%rsp), %rsp	a call of the runtime; all but the
 *	ff ..			pushq	operand			call may be absent
 *	4x 8b ..		movq	operand, %r11
 *	e8 d32			call	__tally_..._N
 *	48 8d a4 24 88 0 0 0	leaq	136(%rsp), %rsp		128 if nothing was pushed; if only
 *								the operand was: 48 8d 64 24 08
 *
 * This file is freestanding, and nothing in it needs a relocation. */

#ifndef OURS_H
#define OURS_H

#include <stddef.h>
#include <stdint.h>

enum {
	INCSIZE = 7, /* an increment; one more with gs */
	INCWORD = 3, /* offset of its displacement; one more with gs */
	TRIPLELEA = 7,
	TRIPLESTORE = 11,
	TRIPLESIZE = 18, /* with gs: one more for the load, one more up to the store, two in all */
	LOOKSIZE = 14,
	LOOKWORD = 2,
	LOOKBASE = 7,    /* the displacement is relative to here */
	SAVESIZE = 6,    /* leaq, pushfq */
	RESTORESIZE = 9, /* popfq, leaq */
	CALLSIZE = 5,
	REDZONE = 128,
	GSSIZE = 1,
};

/* sameours - whether n bytes are equal. */
static inline int
sameours(const uint8_t *a, const uint8_t *b, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (a[i] != b[i])
			return 0;
	return 1;
}

/* offsetin - read a 32-bit displacement. */
static inline int64_t
offsetin(const uint8_t *at)
{
	return (int32_t)(at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16
			 | (uint32_t)at[3] << 24);
}

/* istriple - whether a triple begins here that counts in a thread's own counter. */
static inline int
istriple(const uint8_t *at)
{
	const uint8_t *lea = at + GSSIZE + TRIPLELEA, *store = at + GSSIZE + TRIPLESTORE;
	int r = at[3] >> 3;

	return at[0] == 0x65 && (at[1] & ~4) == 0x48 && at[2] == 0x8b && (at[3] & 0xc7) == 5
	       && lea[0] == (at[1] | (at[1] >> 2 & 1)) && lea[1] == 0x8d && lea[2] == (0x40 | r * 9)
	       && lea[3] == 1 && store[0] == 0x65 && store[1] == at[1] && store[2] == 0x89
	       && store[3] == at[3];
}

/* intriple - if this instruction may be the second or third of a triple, its distance from the
 * begin of the triple; else 0. */
static inline int
intriple(const uint8_t *at)
{
	if (at[0] == 0x65 && at[2] == 0x89)
		return GSSIZE + TRIPLESTORE;
	if ((at[0] & ~5) == 0x48 && at[1] == 0x8d && at[3] == 1)
		return GSSIZE + TRIPLELEA;
	return 0;
}

/* triplecounter - the address of a triple's counter, before the gs base is added. */
static inline uint64_t
triplecounter(const uint8_t *at)
{
	return (uint64_t)(at + GSSIZE + INCSIZE + offsetin(at + GSSIZE + INCWORD));
}

/* counterof - if this instruction loads or stores a thread's own counter: the counter's address
 * before the gs base is added, and in *length the bytes from this instruction to where it has
 * counted; else 0. */
static inline uint64_t
counterof(const uint8_t *at, int *length)
{
	*length = GSSIZE + INCSIZE;
	if (at[0] != 0x65)
		return 0;
	if (at[1] == 0x48 && at[2] == 0xff && at[3] == 0x05)
		;
	else if (at[2] == 0x8b && istriple(at))
		*length = TRIPLESIZE + 2 * GSSIZE;
	else if (at[2] != 0x89 || !istriple(at - TRIPLESTORE - GSSIZE))
		return 0;
	return triplecounter(at); /* all of them have the displacement at the same offset */
}

/* countown - add one to a thread's own counter, given its address before the gs base is added. */
static inline void
countown(uint64_t counter)
{
	__asm__ volatile("incq %%gs:(%0)" : : "r"(counter) : "memory");
}

/* lookedat - the unit's word that is tested by the look ending here. */
static inline uint32_t *
lookedat(const uint8_t *end)
{
	const uint8_t *at = end - LOOKSIZE;

	return (uint32_t *)(at + LOOKBASE
			    + offsetin(at + LOOKWORD)); /* NOLINT(clang-diagnostic-cast-align) */
}

/* displaced - how far the stack pointer is below what the unwind tables say, inside an increment
 * that saves the flags; else 0. */
static inline uint64_t
displaced(const uint8_t *pc)
{
	static const uint8_t save[] = {0x48, 0x8d, 0x64, 0x24, 0x80, 0x9c};
	static const uint8_t inc[] = {0x65, 0x48, 0xff, 0x05};
	static const uint8_t restore[] = {0x9d, 0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0, 0};
	const uint8_t *from;
	size_t n, at;

	for (n = INCSIZE; n <= INCSIZE + GSSIZE; n++)
		for (at = 5; at <= SAVESIZE + n + 1; at = at == SAVESIZE ? SAVESIZE + n : at + 1) {
			from = pc - at;
			if (sameours(from, save, sizeof save)
			    && sameours(from + SAVESIZE, inc + 8 - n, n - 4)
			    && sameours(from + SAVESIZE + n, restore, sizeof restore))
				return at == 5 || at == SAVESIZE + n + 1 ? REDZONE : REDZONE + 8;
		}
	return 0;
}

/* raises - by how much the stack pointer is raised after a call of the runtime for which an
 * operand was pushed; else 0.  The first byte is not compared: a debugger may have put a
 * breakpoint there. */
static inline uint64_t
raises(const uint8_t *after)
{
	static const uint8_t both[] = {0x8d, 0xa4, 0x24, REDZONE + 8, 0, 0, 0};
	static const uint8_t word[] = {0x8d, 0x64, 0x24, 8};

	return sameours(after + 1, both, sizeof both)   ? REDZONE + 8
	       : sameours(after + 1, word, sizeof word) ? 8
							: 0;
}

/* raisesize - the size of the instruction that raises it by that much. */
static inline uint64_t
raisesize(uint64_t by)
{
	return by > REDZONE ? 8 : by ? 5 : 0;
}

/* calledby - the target of the direct call here; NULL if there is none. */
static inline const uint8_t *
calledby(const uint8_t *at)
{
	return at[0] == 0xe8 ? at + CALLSIZE + offsetin(at + 1) : NULL;
}

#endif
