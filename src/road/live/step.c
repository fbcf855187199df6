/* step.c - do a call or jump for a thread that has met a probe in its place. */

#include "live.h"

#include <string.h>

enum { LONGEST = 15 }; /* instruction */
enum { CARRY = 1, PARITY = 4, ZERO = 64, SIGN = 128, OVERFLOW = 2048 };

/* holds - whether a condition code of the machine holds. */
static bool
holds(int cc, uint64_t flags)
{
	bool less = !(flags & SIGN) != !(flags & OVERFLOW), is;

	switch (cc >> 1) {
	case 0: is = flags & OVERFLOW; break;
	case 1: is = flags & CARRY; break;
	case 2: is = flags & ZERO; break;
	case 3: is = flags & (CARRY | ZERO); break;
	case 4: is = flags & SIGN; break;
	case 5: is = flags & PARITY; break;
	case 6: is = less; break;
	default: is = less || (flags & ZERO); break;
	}
	return is != (cc & 1);
}

/* loops - whether loop, loope, loopne or jrcxz goes to its target; counts down rcx for the first
 * three. */
static bool
loops(const uint8_t *code, int len, struct user_regs_struct *r)
{
	uint8_t op = code[len - 2];
	bool narrow = memchr(code, 0x67, (size_t)len - 2) != NULL;
	uint64_t left = r->rcx - (op != 0xe3);

	if (narrow)
		left = (uint32_t)left;
	if (op != 0xe3)
		r->rcx = left;
	switch (op) {
	case 0xe0: return left && !(r->eflags & ZERO);
	case 0xe1: return left && (r->eflags & ZERO);
	case 0xe2: return left;
	default: return !left;
	}
}

/* valueof - the value of a register; 0 for NOREG. */
static uint64_t
valueof(const struct user_regs_struct *r, int reg)
{
	const uint64_t value[] = {r->rax, r->rcx, r->rdx, r->rbx, r->rsp, r->rbp, r->rsi, r->rdi,
				  r->r8,  r->r9,  r->r10, r->r11, r->r12, r->r13, r->r14, r->r15};

	return reg == NOREG ? 0 : value[reg];
}

/* leadsto - where an indirect call or jump leads; 0 if that cannot be told. */
static uint64_t
leadsto(const Space *sp, const uint8_t *code, uint64_t addr, const struct user_regs_struct *r)
{
	uint64_t at, to = 0;
	Lead t;

	if (!leadof(code, LONGEST, &t))
		return 0;
	if (t.reg != NOREG)
		return valueof(r, t.reg);
	at = valueof(r, t.base) + valueof(r, t.index) * (uint64_t)t.scale + (uint64_t)t.disp
	     + (t.relative ? addr : 0);
	if (t.narrow)
		at = (uint32_t)at;
	at += t.fs ? r->fs_base : t.gs ? r->gs_base : 0;
	return readmem(sp, at, &to, sizeof to) ? to : 0;
}

bool
turn(const Space *sp, const Insn *in, const uint8_t *code, uint64_t addr,
     struct user_regs_struct *r)
{
	uint64_t next = addr + (uint64_t)in->len, to = next;
	bool indirect = in->turn == INDIR || (in->turn == CALL && !in->direct);

	if (in->turn != CALL && in->turn != JUMP && in->turn != COND && in->turn != INDIR)
		return false;
	if (indirect)
		to = leadsto(sp, code, addr, r);
	else if (in->turn != COND
		 || (in->cc >= 0 ? holds(in->cc, r->eflags) : loops(code, in->len, r)))
		to = addr + (uint64_t)in->target;
	if (!to)
		return false; /* execute a copy, which fails as the original would */
	if (in->turn == CALL) {
		if (!writemem(sp, r->rsp - 8, &next, sizeof next))
			return false;
		r->rsp -= 8;
	}
	r->rip = to;
	return true;
}
