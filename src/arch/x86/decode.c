/* decode.c - instructions, by Zydis. */

#include "x86.h"

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

/* killsflags - whether the instruction overwrites what it is said to modify in any
 * case.  A shift by 0 and a repetition of nothing leave the flags alone. */
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
		in->turn = COND; /* to where an abort goes, and not by a jump */
		in->brief = true;
	} else if (in->turn == COND) {
		in->brief =
			z.meta.branch_type == ZYDIS_BRANCH_TYPE_SHORT && (z.opcode & 0xf0) != 0x70;
		if (!in->brief)
			in->cc = z.opcode & 15;
	}
	in->landing = z.mnemonic == ZYDIS_MNEMONIC_ENDBR64;
	f = z.cpu_flags;
	if (f) {
		in->needsflags = (f->tested & INCFLAGS) != 0;
		in->ownsflags = !in->needsflags && killsflags(&z)
				&& ((f->modified | f->set_0 | f->set_1 | f->undefined) & INCFLAGS)
					   == INCFLAGS;
	}
	return true;
}
