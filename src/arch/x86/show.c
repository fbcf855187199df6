/* show.c - disassembly for people, by Zydis. */

#include "arch/arch.h"

#include <Zydis/Zydis.h>
#include <string.h>

typedef struct Namer Namer;

/* Names of addresses. */
struct Namer {
	const char *(*place)(void *, uint64_t);
	void *with;
	ZydisFormatterFunc number; /* writes an address as a number: the formatter's own function */
};

static ZyanStatus
address(const ZydisFormatter *f, ZydisFormatterBuffer *buf, ZydisFormatterContext *c)
{
	const Namer *n = c->user_data;
	const char *name = NULL;
	ZyanStringView view;
	ZyanString *s;
	ZyanU64 addr;

	if (ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(c->instruction, c->operand, c->runtime_address,
						  &addr)))
		name = n->place(n->with, addr);
	if (!name)
		return n->number(f, buf, c);
	ZYAN_CHECK(ZydisFormatterBufferAppend(buf, ZYDIS_TOKEN_SYMBOL));
	ZYAN_CHECK(ZydisFormatterBufferGetString(buf, &s));
	ZYAN_CHECK(ZyanStringViewInsideBuffer(&view, name));
	return ZyanStringAppend(s, &view);
}

void
show(Buf *b, const unsigned char *code, size_t len, uint64_t addr,
     const char *(*place)(void *, uint64_t), void *with)
{
	ZydisDecoder decoder;
	ZydisFormatter f;
	ZydisDecodedInstruction z;
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
	Namer n = {.place = place, .with = with, .number = address};
	char text[512];

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	ZydisFormatterInit(&f, ZYDIS_FORMATTER_STYLE_ATT);
	ZydisFormatterSetHook(&f, ZYDIS_FORMATTER_FUNC_PRINT_ADDRESS_ABS, (const void **)&n.number);
	ZydisFormatterSetProperty(&f, ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, 0);
	ZydisFormatterSetProperty(&f, ZYDIS_FORMATTER_PROP_IMM_PADDING, ZYDIS_PADDING_DISABLED);
	ZydisFormatterSetProperty(&f, ZYDIS_FORMATTER_PROP_DISP_PADDING, ZYDIS_PADDING_DISABLED);
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, len, &z, op))
	    || !ZYAN_SUCCESS(ZydisFormatterFormatInstruction(&f, &z, op, z.operand_count_visible,
							     text, sizeof text, addr, &n)))
		bprintf(b, "(bad)");
	else
		bprintf(b, "%s", text);
}
