/* decode.c - what an instruction does, derived from Zydis's description of it. */

#include "arch/arch.h"

#include <Zydis/Zydis.h>

/* What incq changes: all arithmetic flags but the carry. */
#define INCFLAGS                                                                   \
	(ZYDIS_CPUFLAG_PF | ZYDIS_CPUFLAG_AF | ZYDIS_CPUFLAG_ZF | ZYDIS_CPUFLAG_SF \
	 | ZYDIS_CPUFLAG_OF)

static bool
isbranch(const ZydisDecodedInstruction *z)
{
	return z->meta.category == ZYDIS_CATEGORY_COND_BR
	       || z->meta.category == ZYDIS_CATEGORY_UNCOND_BR;
}

static Turn
turnof(const ZydisDecodedInstruction *z, bool direct)
{
	switch (z->meta.category) {
	case ZYDIS_CATEGORY_COND_BR: return COND;
	case ZYDIS_CATEGORY_UNCOND_BR: return direct ? JUMP : INDIR;
	case ZYDIS_CATEGORY_CALL: return CALL;
	case ZYDIS_CATEGORY_RET: return RETURN;
	default: break;
	}
	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_HLT:
	case ZYDIS_MNEMONIC_UD0:
	case ZYDIS_MNEMONIC_UD1:
	case ZYDIS_MNEMONIC_UD2: return STOP;
	default: return PLAIN;
	}
}

/* killsflags - whether an instruction always overwrites the flags that Zydis says it modifies.
 * A shift by 0 and a repetition of zero rounds leave them alone. */
static bool
killsflags(const ZydisDecodedInstruction *z)
{
	switch (z->meta.category) {
	case ZYDIS_CATEGORY_SHIFT:
	case ZYDIS_CATEGORY_ROTATE:
	case ZYDIS_CATEGORY_STRINGOP: return false;
	default: return true;
	}
}

/* regof - the general register that a register is a part of, as a set; 0 if none. */
static Regs
regof(ZydisRegister r)
{
	ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r);

	return ZydisRegisterGetClass(whole) == ZYDIS_REGCLASS_GPR64
		       ? (Regs)1 << ZydisRegisterGetId(whole)
		       : 0;
}

/* clears - whether an instruction sets its register to 0 whatever was in it (xor, sub). */
static bool
clears(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *op)
{
	return (z->mnemonic == ZYDIS_MNEMONIC_XOR || z->mnemonic == ZYDIS_MNEMONIC_SUB)
	       && op[0].type == ZYDIS_OPERAND_TYPE_REGISTER
	       && op[1].type == ZYDIS_OPERAND_TYPE_REGISTER && op[0].reg.value == op[1].reg.value
	       && op[0].size >= 32;
}

/* registers - which registers the instruction reads, writes and kills.  Writing 8 or 16 bits
 * keeps the rest of a register; writing 32 bits clears the upper half. */
static void
registers(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *op, Insn *in)
{
	int i;

	for (i = 0; i < z->operand_count; i++) {
		if (op[i].type == ZYDIS_OPERAND_TYPE_MEMORY)
			in->reads |= regof(op[i].mem.base) | regof(op[i].mem.index);
		if (op[i].type != ZYDIS_OPERAND_TYPE_REGISTER)
			continue;
		if (op[i].actions & ZYDIS_OPERAND_ACTION_MASK_READ)
			in->reads |= regof(op[i].reg.value);
		if (op[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
			in->writes |= regof(op[i].reg.value);
		if ((op[i].actions & ZYDIS_OPERAND_ACTION_WRITE) && op[i].size >= 32)
			in->kills |= regof(op[i].reg.value);
	}
	if (clears(z, op))
		in->reads &= ~regof(op[0].reg.value);
	switch (z->meta.category) {
	case ZYDIS_CATEGORY_SYSCALL:
	case ZYDIS_CATEGORY_SYSRET:
	case ZYDIS_CATEGORY_INTERRUPT: in->reads = ALLREGS; break;
	default: break;
	}
	in->kills &= ~in->reads;
}

/* writes - whether an operand is this register, and is written. */
static bool
writes(const ZydisDecodedOperand *op, ZydisRegister r)
{
	return op->type == ZYDIS_OPERAND_TYPE_REGISTER && op->reg.value == r
	       && (op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE);
}

static bool
isframe(ZydisRegister r)
{
	return r == ZYDIS_REGISTER_RBP || r == ZYDIS_REGISTER_RSP;
}

/* stackof - what the instruction does to the stack pointer. */
static Stack
stackof(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *op)
{
	int i;

	if (z->mnemonic == ZYDIS_MNEMONIC_LEAVE)
		return OWN;
	for (i = 0; i < z->operand_count_visible && !writes(&op[i], ZYDIS_REGISTER_RSP); i++)
		;
	if (i == z->operand_count_visible)
		return STAYS;
	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_LEA:
		return op[1].mem.base == ZYDIS_REGISTER_RSP   ? STAYS
		       : op[1].mem.base == ZYDIS_REGISTER_RBP ? OWN
							      : OTHER;
	case ZYDIS_MNEMONIC_MOV:
		return (op[1].type == ZYDIS_OPERAND_TYPE_REGISTER && isframe(op[1].reg.value))
				       || (op[1].type == ZYDIS_OPERAND_TYPE_MEMORY
					   && isframe(op[1].mem.base))
			       ? OWN
			       : OTHER;
	case ZYDIS_MNEMONIC_XCHG:
	case ZYDIS_MNEMONIC_POP: return OTHER;
	default: return STAYS;
	}
}

/* testof - the size in bytes of the register that a test instruction tests against itself; else
 * 0. */
static int
testof(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *op)
{
	return z->mnemonic == ZYDIS_MNEMONIC_TEST && op[0].type == ZYDIS_OPERAND_TYPE_REGISTER
			       && op[1].type == ZYDIS_OPERAND_TYPE_REGISTER
			       && op[0].reg.value == op[1].reg.value
		       ? op[0].size / 8
		       : 0;
}

/* cantrap - whether the instruction accesses memory by an explicit operand, or divides. */
static bool
cantrap(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *op)
{
	int i;

	if (z->mnemonic == ZYDIS_MNEMONIC_LEA || z->mnemonic == ZYDIS_MNEMONIC_NOP)
		return false;
	for (i = 0; i < z->operand_count; i++)
		if (op[i].type == ZYDIS_OPERAND_TYPE_MEMORY
		    && (op[i].visibility != ZYDIS_OPERAND_VISIBILITY_HIDDEN
			|| z->meta.category == ZYDIS_CATEGORY_STRINGOP))
			return true;
	return z->mnemonic == ZYDIS_MNEMONIC_DIV || z->mnemonic == ZYDIS_MNEMONIC_IDIV;
}

bool
decode(const unsigned char *code, size_t len, Insn *in)
{
	ZydisDecoder decoder;
	ZydisDecodedInstruction z;
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
	const ZydisAccessedFlags *f;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, len, &z, op)))
		return false;
	*in = (Insn){.len = z.length, .cc = -1};
	in->direct = (isbranch(&z) || z.meta.category == ZYDIS_CATEGORY_CALL)
		     && op[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && op[0].imm.is_relative;
	in->turn = turnof(&z, in->direct);
	if (in->direct)
		in->target = op[0].imm.value.s + z.length;
	if (z.mnemonic == ZYDIS_MNEMONIC_XBEGIN) {
		in->turn = COND; /* to the abort handler, and not by a jump */
		in->brief = true;
	} else if (in->turn == COND) {
		in->brief =
			z.meta.branch_type == ZYDIS_BRANCH_TYPE_SHORT && (z.opcode & 0xf0) != 0x70;
		if (!in->brief)
			in->cc = z.opcode & 15;
	}
	in->landing = z.mnemonic == ZYDIS_MNEMONIC_ENDBR64;
	in->locked = code[0] == 0xf0;
	in->nop = z.mnemonic == ZYDIS_MNEMONIC_NOP;
	in->pushes = z.mnemonic == ZYDIS_MNEMONIC_PUSH;
	in->pops = z.mnemonic == ZYDIS_MNEMONIC_POP;
	in->tests = testof(&z, op);
	in->traps = cantrap(&z, op);
	registers(&z, op, in);
	in->stack = stackof(&z, op);
	in->base = writes(&op[0], ZYDIS_REGISTER_RBP);
	f = z.cpu_flags;
	if (f && (f->tested & INCFLAGS))
		in->reads |= FLAGS;
	else if (f && killsflags(&z)
		 && ((f->modified | f->set_0 | f->set_1 | f->undefined) & INCFLAGS) == INCFLAGS)
		in->kills |= FLAGS;
	return true;
}
