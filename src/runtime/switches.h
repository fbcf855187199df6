/* switches.h - the program's own code switches stacks, and calls nobody that we could intercept.
 *
 * The assembly road recognizes such a function: the stack pointer is loaded from somewhere, and
 * then control leaves by a return or a jump.  People write them for coroutines, compilers for
 * __builtin_longjmp and for a goto out of a nested function.  Two calls are added:
 *
 *	call	__tally_depart_N	where the frame is still whole
 *	movq	%rsp, (%rdi)
 *	movq	(%rsi), %rsp
 *	popq	%rbp
 *	call	__tally_arrive_N	on the new stack, before the last instruction
 *	ret
 *
 * The function itself runs to its end, so its frame is not cut.  `depart' leaves the frames of its
 * callers, `arrive' enters the frames where control goes, which may be the same ones after all.  In
 * between, if a signal ends the process, the walk finds in the thread's Between which frames are
 * still to be left. */

#ifndef SWITCHES_H
#define SWITCHES_H

#include "arch/x86/ours.h"
#include "contexts.h"
#include "stubs.h"

typedef struct Switch Switch;

/* The registers, as depart and arrive leave them on the stack. */
struct Switch {
	uint64_t r15, r14, r13, r12, rbp, rbx, rax, r9, r8, rcx, rdx, rsi, rdi, r10, r11, flags;
	uint64_t ra;
};

/* switchframe - the frame that called depart or arrive. */
static void
switchframe(Frame *f, const Switch *s)
{
	const uint64_t kept[] = {s->rbx, 0, s->r12, s->r13, s->r14, s->r15};

	setframe(f, kept, s->rbp, (uint64_t)(&s->ra + 1), s->ra);
}

/* switching - take the lock for a moment, and fill in which thread this is.  Returns whether it is
 * held by own.  Without a C library there is only one thread, and no thread pointer. */
static int
switching(Hold *own, const Frame *f)
{
	static int known; /* 1 if threads have a thread pointer, -1 if not */
	uint64_t self = 0;
	int held;

	if (!known) {
		SYS(__NR_arch_prctl, ARCH_GET_FS, &self, 0);
		known = self ? 1 : -1;
	}
	held = known > 0 && hold(own);
	if (known < 0)
		own->thread = 1;
	if (!held)
		enter(f);
	return held;
}

static void
switched(const Hold *own, int held)
{
	if (held)
		unhold(own);
	else
		leave();
}

/* departs - leave the frames of a function's callers.  A function without unwind information calls
 * this before it has anything on the stack but its return address. */
__attribute__((used)) static void
departs(const Switch *s)
{
	Between *b;
	int held, known;
	Frame f;
	Hold own;

	if (!p || !p->hdr)
		return;
	switchframe(&f, s);
	held = switching(&own, &f);
	b = between(own.thread);
	if (p->hdr) {
		known = entryfor(s->ra - 1) && step(&f) == 1;
		if (!known) {
			switchframe(&f, s);
			popframe(&f);
		}
		if (b->departed) /* that switch has not arrived, or is another thread's */
			p->hdr->flags |= PROFLOSTCUTS;
		leaveall(&f);
		b->thread = own.thread;
		b->departed = s->ra;
		b->midway = 0;
		p->ways = 1;
	}
	switched(&own, held);
}

/* ismidway - whether an address is in the middle of a function without unwind information: what is
 * on the stack there is known only when the function ends. */
static int
ismidway(uint64_t pc)
{
	const struct Called *c;

	for (c = firstcall; c < lastcall; c++)
		if (c->which == MIDWAY && (uint64_t)&c->real + (uint64_t)(int64_t)c->real == pc)
			return 1;
	return 0;
}

/* arrives - enter the frames where control goes: to the return address, or to the word that was
 * pushed before the call.  When control came from elsewhere to the middle of a function, it has
 * arrived, unless nothing is known of the frame there: then the callers' frames are entered when
 * the function ends. */
__attribute__((used)) static void
arrives(const Switch *s)
{
	uint64_t room = raises((const uint8_t *)s->ra);
	Between *b;
	Hold own;
	Frame f;
	int held;

	if (!p || !p->hdr || !p->ways)
		return;
	switchframe(&f, s);
	f.reg[RIP] = room ? (&s->ra)[1] : *(const uint64_t *)f.reg[RSP];
	f.reg[RSP] += room ? room : 8;
	held = switching(&own, &f);
	b = between(own.thread);
	if (p->hdr && b->thread == own.thread && b->departed) {
		b->midway = ismidway(f.reg[RIP]);
		f.interrupted = b->midway || !iscalling(&f);
		b->arrived = s->ra;
		b->last = s->ra + raisesize(room);
		b->to = f;
		if (b->midway) {
			uncut(f.reg[RIP], CUTINTERRUPTED);
		} else {
			b->departed = 0;
			enterframes(&f);
		}
	}
	switched(&own, held);
}

/* Both begin with a signature by which callsswitch() knows them: 0f 1f 80 and "talj". */
__asm__(".macro .Ltally_switch fn\n"
	"	.cfi_startproc\n"
	"	nopl	0x6a6c6174(%rax)\n"
	"	pushfq\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.Ltally_keep r11\n"
	"	.Ltally_keep r10\n"
	"	.Ltally_keepall\n"
	"	movq	%rsp, %rdi\n"
	"	movq	%rsp, %rbp\n"
	"	.cfi_def_cfa_register rbp\n"
	"	andq	$-16, %rsp\n"
	"	subq	$256, %rsp\n"
	"	.Ltally_vectors 0\n"
	"	cld\n"
	"	call	\\fn\n"
	"	.Ltally_vectors 1\n"
	"	movq	%rbp, %rsp\n"
	"	.cfi_def_cfa_register rsp\n"
	"	.Ltally_unkeepall\n"
	"	.Ltally_unkeep r10\n"
	"	.Ltally_unkeep r11\n"
	"	popfq\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".endm\n"
	".text\n"
	".globl	" GUEST("depart") "\n"
	".hidden	" GUEST("depart") "\n"
	".type	" GUEST("depart") ", @function\n"
	GUEST("depart") ":\n"
	"	.Ltally_switch departs\n"
	".globl	" GUEST("arrive") "\n"
	".hidden	" GUEST("arrive") "\n"
	".type	" GUEST("arrive") ", @function\n"
	GUEST("arrive") ":\n"
	"	.Ltally_switch arrives\n");

#endif
