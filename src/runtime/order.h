/* order.h - the order in which units (assembled files) are first used.
 *
 * Each unit has a word, 0 at the start.  At the start of a function, code compares it with 0 and,
 * if it is, calls here.  The unit gets the next rank, in the file, at once and without a lock: any
 * thread may come here, a signal handler, or a child that has its parent's memory. */

#ifndef ORDER_H
#define ORDER_H

#include "arch/x86/ours.h"
#include "modules.h"
#include "stubs.h"

static Mod *own;       /* this module, once it has started */
static uint32_t early; /* units that were used before that */

/* rank - give a rank to a unit that has none. */
static void
rank(const Mod *m, uint64_t unit, uint64_t to)
{
	uint64_t none = 0;

	if (m->rank && unit < m->nunit)
		__atomic_compare_exchange_n(&m->rank[unit], &none, to, 0, __ATOMIC_SEQ_CST,
					    __ATOMIC_SEQ_CST);
}

/* first - a unit is used.  ra is the address after the code that compares its word.  If the module
 * has not started yet, a number is left in the word for rankearly(); if that has run in the
 * meantime, the unit gets its rank here. */
__attribute__((used)) static void
first(const uint8_t *ra)
{
	const Mod *m = __atomic_load_n(&own, __ATOMIC_SEQ_CST);
	uint32_t *word = lookedat(ra);

	if (!m) {
		__atomic_store_n(word, __atomic_add_fetch(&early, 1, __ATOMIC_SEQ_CST),
				 __ATOMIC_SEQ_CST);
		m = __atomic_load_n(&own, __ATOMIC_SEQ_CST);
	}
	if (m)
		rank(m, (uint64_t)(word - m->unit),
		     __atomic_add_fetch(&p->norder, 1, __ATOMIC_SEQ_CST));
	if (!*word)
		*word = 1;
}

/* rankearly - rank the units of this module that were used before it started. */
static void
rankearly(Mod *m)
{
	uint64_t base = __atomic_fetch_add(&p->norder, early, __ATOMIC_SEQ_CST);
	uint32_t i;

	__atomic_store_n(&own, m, __ATOMIC_SEQ_CST);
	for (i = 0; i < m->nunit; i++)
		if (m->unit[i])
			rank(m, i, base + m->unit[i]);
}

/* What counted code calls.  It keeps all registers; the flags are not needed. */
__asm__(".text\n"
	".globl	" GUEST(
		"first") "\n"
			 ".hidden	" GUEST(
				 "first") "\n"
					  ".type	" GUEST("first") ", @function\n" GUEST(
						  "first") ":\n"
							   "	.cfi_startproc\n"
							   "	.Ltally_keep rbp\n"
							   "	.Ltally_keep rax\n"
							   "	.Ltally_keep rcx\n"
							   "	.Ltally_keep rdx\n"
							   "	.Ltally_keep rsi\n"
							   "	.Ltally_keep rdi\n"
							   "	.Ltally_keep r8\n"
							   "	.Ltally_keep r9\n"
							   "	.Ltally_keep r10\n"
							   "	.Ltally_keep r11\n"
							   "	movq	80(%rsp), %rdi\n"
							   "	movq	%rsp, %rbp\n"
							   "	.cfi_def_cfa_register rbp\n"
							   "	andq	$-16, %rsp\n"
							   "	call	first\n"
							   "	movq	%rbp, %rsp\n"
							   "	.cfi_def_cfa_register rsp\n"
							   "	.Ltally_unkeep r11\n"
							   "	.Ltally_unkeep r10\n"
							   "	.Ltally_unkeep r9\n"
							   "	.Ltally_unkeep r8\n"
							   "	.Ltally_unkeep rdi\n"
							   "	.Ltally_unkeep rsi\n"
							   "	.Ltally_unkeep rdx\n"
							   "	.Ltally_unkeep rcx\n"
							   "	.Ltally_unkeep rax\n"
							   "	.Ltally_unkeep rbp\n"
							   "	ret\n"
							   "	.cfi_endproc\n");

#endif
