/* kind.c - the kind of an instruction, for statistics. */

#include "arch/arch.h"

#include <Zydis/Zydis.h>

/* memory - count the accesses to memory by an operand. */
static void
memory(const ZydisDecodedOperand *op, Insnkind *k)
{
	if (op->type != ZYDIS_OPERAND_TYPE_MEMORY || op->mem.type != ZYDIS_MEMOP_TYPE_MEM)
		return;
	k->reads += (op->actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
	k->writes += (op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
}

bool
kindof(const unsigned char *code, size_t len, Insnkind *k)
{
	ZydisDecoder decoder;
	ZydisDecodedInstruction z;
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
	int i;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, len, &z, op)))
		return false;
	*k = (Insnkind){.len = z.length,
			.mnemonic = ZydisMnemonicGetString(z.mnemonic),
			.group = ZydisCategoryGetString(z.meta.category)};
	if (z.meta.category == ZYDIS_CATEGORY_NOP || z.meta.category == ZYDIS_CATEGORY_WIDENOP)
		return true;
	for (i = 0; i < z.operand_count; i++)
		memory(&op[i], k);
	return true;
}
