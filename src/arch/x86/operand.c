/* operand.c - where an indirect branch takes its target from; an instruction moved to another
 * address. */

#include "arch/arch.h"

#include <Zydis/Zydis.h>
#include <string.h>

static int
numberof(ZydisRegister r)
{
	ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r);

	return ZydisRegisterGetClass(whole) == ZYDIS_REGCLASS_GPR64 ? ZydisRegisterGetId(whole) : NOREG;
}

bool
leadof(const uint8_t *code, size_t len, Lead *t)
{
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction z;
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, len, &z, op)) || op[0].size != 64)
		return false;
	*t = (Lead){.reg = NOREG, .base = NOREG, .index = NOREG};
	if (op[0].type == ZYDIS_OPERAND_TYPE_REGISTER) {
		t->reg = numberof(op[0].reg.value);
		return t->reg != NOREG;
	}
	if (op[0].type != ZYDIS_OPERAND_TYPE_MEMORY)
		return false;
	t->relative = op[0].mem.base == ZYDIS_REGISTER_RIP || op[0].mem.base == ZYDIS_REGISTER_EIP;
	t->base = numberof(op[0].mem.base);
	t->index = numberof(op[0].mem.index);
	t->scale = op[0].mem.scale;
	t->disp = op[0].mem.disp.value + (t->relative ? z.length : 0);
	t->fs = op[0].mem.segment == ZYDIS_REGISTER_FS;
	t->gs = op[0].mem.segment == ZYDIS_REGISTER_GS;
	t->narrow = z.address_width == 32;
	return true;
}

bool
relocated(const uint8_t *code, int len, uint64_t from, uint64_t to, uint8_t *out)
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
	if (z.raw.disp.size != 32) /* a relative branch */
		return false;
	memcpy(&d, code + z.raw.disp.offset, 4);
	disp = (int64_t)(from + (uint64_t)(int64_t)d - to);
	d = (int32_t)disp;
	memcpy(out + z.raw.disp.offset, &d, 4);
	return d == disp;
}
