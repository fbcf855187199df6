/* ours.c - the instructions that we plant: the assembler makes of their text as many bytes as
 * formsize() says, and the runtime recognises them by these bytes at each of their instructions. */

#include "arch/x86/ours.h"
#include "arch/arch.h"
#include "image/image.h"

#include <assert.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#define CALLEE "runtime"
#define WORD "word+16"

/* assembled - the bytes of a text.  It ends with everything that it refers to, so no relocation
 * is left.  As in a program there is code before it, at which the runtime looks, too. */
static const uint8_t *
assembled(const char *text, size_t *len, Arena *a)
{
	enum { BEFORE = 64 };
	FILE *f = fopen("ours.s", "w");
	const uint8_t *bytes;
	uint8_t *code;
	File *file;

	assert(f);
	fprintf(f, "%s\n\t.byte 0xcc\n" CALLEE ":\n\tret\nword:\n\t.zero 24\n", text);
	fclose(f);
	assert(system("as -o ours.o ours.s") == 0);
	file = needelf("ours.o", a);
	bytes = sectionbytes(section(file, ".text"), len);
	code = anew(a, uint8_t, BEFORE + *len);
	memcpy(code + BEFORE, bytes, *len);
	closeelf(file);
	return code + BEFORE;
}

/* bytesof - the bytes of such code.  They are followed by 0xcc, the callee and the word. */
static const uint8_t *
bytesof(const Ours *o, uint32_t *n, Arena *a)
{
	Buf text = {.arena = a};
	const uint8_t *code;
	size_t len;

	putours(&text, o);
	code = assembled(text.s, &len, a);
	assert(code && len > 26);
	*n = (uint32_t)len - 26;
	assert(code[*n] == 0xcc);
	return code;
}

static uint64_t
wordof(const uint8_t *code, uint32_t n)
{
	return (uint64_t)(code + n + 2 + 16);
}

/* follow - check each instruction against what the runtime takes it for. */
static void
follow(const Ours *o, const uint8_t *code, uint32_t n)
{
	uint32_t at = 0, counted = n - formafter(mapform(o));
	uint64_t down = 0;
	int length;
	Insn in;

	for (; at < n; at += (uint32_t)in.len) {
		assert(decode(code + at, n - at, &in));
		if (o->form == INCREMENT)
			assert(displaced(code + at) == (o->saves ? down : 0));
		if (o->form == INCREMENT && in.len == INCSIZE + !o->flat
		    && code[at + !o->flat + 1] == 0xff) {
			assert(at + (uint32_t)in.len == counted);
			assert(o->flat
			       || (counterof(code + at, &length) == wordof(code, n)
				   && length == in.len));
		}
		if (o->form == TRIPLE && !o->flat) {
			assert(intriple(code + at) == (int)at && istriple(code) == 1);
			assert(at == 8 || counterof(code + at, &length) == wordof(code, n));
			assert(triplecounter(code) == wordof(code, n));
		}
		if (o->form == LOOK && in.turn == CALL)
			assert((uint64_t)lookedat(code + at + in.len) == wordof(code, n));
		if ((o->form == INFORM || o->form == RECORD) && in.turn == CALL) {
			uint64_t up = o->form == RECORD || !o->operand ? 0
				      : o->saves                       ? REDZONE + 8
								       : 8;

			assert(calledby(code + at) == code + n + 1);
			if (o->form == INFORM && (o->operand || !o->saves))
				assert(raises(code + at + in.len) == up);
			if (o->form == INFORM && o->operand)
				assert(at + (uint32_t)in.len + raisesize(up) == n);
		}
		if (code[at] == 0x9c)
			down += 8;
		else if (code[at] == 0x9d)
			down -= 8;
		else if (in.len > 4 && code[at] == 0x48 && code[at + 1] == 0x8d)
			down += at == 0 ? REDZONE : -(uint64_t)REDZONE;
	}
	assert(at == n);
}

static void
try(const Ours *o)
{
	Arena a = {0};
	uint32_t n, size = formsize(mapform(o));
	const uint8_t *code = bytesof(o, &n, &a);

	assert(size == 0 || size == n);
	assert(size != 0 || o->form == RECORD || o->form == INFORM);
	assert((o->form | (o->flat ? FORMFLAT : 0) | (o->saves ? FORMSAVES : 0)) == mapform(o));
	follow(o, code, n);
	areset(&a);
}

int
main(void)
{
	static const char *const operand[] = {NULL, "8(%rax,%rbx,4)", "%r10", "word(%rip)"};
	static const Regs scratch[] = {AX, CX, DX, SI, DI, R8, R9, R10, R11};
	Ours o = {.word = WORD, .callee = CALLEE};
	size_t i;
	int how;

	for (how = 0; how < 4; how++) {
		o.flat = how & 1;
		o.saves = how & 2;
		o.form = INCREMENT;
		try(&o);
		o.form = LOOK;
		try(&o);
		o.form = TRIPLE;
		o.saves = false;
		for (i = 0; i < sizeof scratch / sizeof *scratch; i++) {
			o.scratch = scratch[i];
			try(&o);
		}
		o.saves = how & 2;
		o.form = INFORM;
		for (i = 0; i < sizeof operand / sizeof *operand; i++) {
			o.operand = operand[i];
			o.len = operand[i] ? (int)strlen(operand[i]) : 0;
			try(&o);
		}
		o.form = RECORD;
		try(&o);
		o.operand = NULL;
	}
	assert(!formsize(NFORM));
	return 0;
}
