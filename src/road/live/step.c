/* step.c - what an instruction does that has a probe in its place. */

#include "live.h"

#include <Zydis/Zydis.h>
#include <string.h>

enum { CARRY = 1, PARITY = 4, ZERO = 64, SIGN = 128, OVERFLOW = 2048 };

/* holds - whether a condition does, by its number in the instruction. */
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

/* loops - whether loop, loope, loopne or jrcxz goes to its target; they count in rcx. */
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

/* fill - the registers for Zydis. */
static void
fill(const struct user_regs_struct *r, ZydisRegisterContext *c)
{
	static const ZydisRegister reg[] = {
		ZYDIS_REGISTER_RAX, ZYDIS_REGISTER_RCX, ZYDIS_REGISTER_RDX, ZYDIS_REGISTER_RBX,
		ZYDIS_REGISTER_RSP, ZYDIS_REGISTER_RBP, ZYDIS_REGISTER_RSI, ZYDIS_REGISTER_RDI,
		ZYDIS_REGISTER_R8,  ZYDIS_REGISTER_R9,  ZYDIS_REGISTER_R10, ZYDIS_REGISTER_R11,
		ZYDIS_REGISTER_R12, ZYDIS_REGISTER_R13, ZYDIS_REGISTER_R14, ZYDIS_REGISTER_R15,
	};
	const uint64_t value[] = {r->rax, r->rcx, r->rdx, r->rbx, r->rsp, r->rbp, r->rsi, r->rdi,
				  r->r8,  r->r9,  r->r10, r->r11, r->r12, r->r13, r->r14, r->r15};
	size_t i;

	memset(c, 0, sizeof *c);
	for (i = 0; i < sizeof reg / sizeof *reg; i++)
		c->values[reg[i]] = value[i];
}

/* leadsto - where an indirect call or jump does, of 64 bits; 0 if it is of another kind. */
static uint64_t
leadsto(const Space *sp, const uint8_t *code, uint64_t addr, const struct user_regs_struct *r)
{
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction z;
	ZydisRegisterContext c;
	ZydisDecoder decoder;
	uint64_t at, to = 0;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, 15, &z, op)) || op[0].size != 64)
		return 0;
	fill(r, &c);
	if (op[0].type == ZYDIS_OPERAND_TYPE_REGISTER)
		return c.values[op[0].reg.value];
	if (op[0].type != ZYDIS_OPERAND_TYPE_MEMORY
	    || !ZYAN_SUCCESS(ZydisCalcAbsoluteAddressEx(&z, &op[0], addr, &c, &at)))
		return 0;
	if (op[0].mem.segment == ZYDIS_REGISTER_FS)
		at += r->fs_base;
	if (op[0].mem.segment == ZYDIS_REGISTER_GS)
		at += r->gs_base;
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
		return false; /* it fails where it is copied to */
	if (in->turn == CALL) {
		if (!writemem(sp, r->rsp - 8, &next, sizeof next))
			return false;
		r->rsp -= 8;
	}
	r->rip = to;
	return true;
}

bool
moved(const uint8_t *code, int len, uint64_t from, uint64_t to, uint8_t *out)
{
	ZydisDecodedInstruction z;
	ZydisDecoder decoder;
	int64_t disp;
	int32_t d;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, code, (size_t)len, &z)))
		return false;
	memcpy(out, code, (size_t)len);
	if (!(z.attributes & ZYDIS_ATTRIB_IS_RELATIVE))
		return true;
	if (z.raw.disp.size != 32) /* of a branch that could not be done otherwise */
		return false;
	memcpy(&d, code + z.raw.disp.offset, 4);
	disp = (int64_t)(from + (uint64_t)(int64_t)d - to);
	d = (int32_t)disp;
	memcpy(out + z.raw.disp.offset, &d, 4);
	return d == disp;
}
