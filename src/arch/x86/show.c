/* show.c - instructions for people, by Zydis. */

#include "arch/arch.h"

#include <Zydis/Zydis.h>
#include <string.h>

typedef struct Namer Namer;

/* Who knows names of addresses. */
struct Namer {
	const char *(*place)(void *, uint64_t);
	void *with;
	ZydisFormatterFunc number; /* how the formatter writes one */
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

/* slotof - the address in an instruction with operation op and a register of that number, or
 * another one, that reaches a word by N(%rip); its size, or 0 if it is not made so. */
static size_t
slotof(const unsigned char *code, size_t len, uint64_t addr, int op, int reg, uint64_t *slot)
{
	size_t n = len > 0 && code[0] == 0x65; /* %gs: */
	int32_t disp;

	if (len < n + 7 || (code[n] & ~4) != 0x48 || code[n + 1] != op || (code[n + 2] & 0xc7) != 5
	    || ((code[n] & 4) << 1 | code[n + 2] >> 3) != reg)
		return 0;
	memcpy(&disp, code + n + 3, 4);
	*slot = addr + n + 7 + (uint64_t)(int64_t)disp;
	return n + 7;
}

size_t
counterat(const unsigned char *code, size_t len, uint64_t addr, uint64_t *slot)
{
	size_t n = slotof(code, len, addr, 0xff, 0, slot), m; /* incq */
	uint64_t back;
	int reg;

	if (n || len < 4)
		return n;
	n = code[0] == 0x65;
	reg = (code[n] & 4) << 1 | code[n + 2] >> 3;
	n = slotof(code, len, addr, 0x8b, reg, slot); /* mov N(%rip), %r; lea 1(%r), %r; mov */
	if (!n || len < n + 4 || code[n] != (reg < 8 ? 0x48 : 0x4d) || code[n + 1] != 0x8d
	    || code[n + 2] != (0x40 | (reg & 7) * 9) || code[n + 3] != 1)
		return 0;
	m = slotof(code + n + 4, len - n - 4, addr + n + 4, 0x89, reg, &back);
	return m && back == *slot ? n + 4 + m : 0;
}

uint64_t
checkaddr(const unsigned char *code, size_t len, uint64_t addr)
{
	int32_t disp;

	/* cmpl $0, N(%rip); jne .+7; call */
	if (len < CHECKSIZE || code[0] != 0x83 || code[1] != 0x3d || code[6] != 0 || code[7] != 0x75
	    || code[8] != 5 || code[9] != 0xe8)
		return 0;
	memcpy(&disp, code + 2, 4);
	return addr + 7 + (uint64_t)(int64_t)disp;
}
