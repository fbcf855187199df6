/* ours.c - the instructions that we plant, as text.  ours.h has their bytes; no other file
 * spells them. */

#include "ours.h"

#include "arch/arch.h"

#include <assert.h>

/* Where flags are live, the red zone is taken to be in use, too: step over it. */
#define DOWN "leaq\t-128(%rsp), %rsp"
#define UP "leaq\t128(%rsp), %rsp"

/* displace - write an instruction that moves the stack pointer. */
static void
displace(Buf *b, const Ours *o, const char *insn, int by)
{
	bprintf(b, "\t%s\n", insn);
	if (o->unwound)
		bprintf(b, "\t.cfi_adjust_cfa_offset\t%d\n", by);
}

static const char *
gs(const Ours *o)
{
	return o->flat ? "" : "%gs:";
}

/* triple - count through the first scratch register; all are caller-saved. */
static void
triple(Buf *b, const Ours *o)
{
	static const char *const name[] = {"rax", "rcx", "rdx", NULL, NULL,  NULL,
					   "rsi", "rdi", "r8",  "r9", "r10", "r11"};
	const char *r = name[__builtin_ctz(o->scratch)];

	assert(r);
	bprintf(b, "\tmovq\t%s%s(%%rip), %%%s\n", gs(o), o->word, r);
	bprintf(b, "\tleaq\t1(%%%s), %%%s\n", r, r);
	bprintf(b, "\tmovq\t%%%s, %s%s(%%rip)\n", r, gs(o), o->word);
}

/* saved - an instruction that changes flags, between instructions that save and restore them. */
static void
saved(Buf *b, const Ours *o)
{
	if (o->saves) {
		displace(b, o, DOWN, REDZONE);
		displace(b, o, "pushfq", 8);
	}
	if (o->form == INCREMENT)
		bprintf(b, "\tincq\t%s%s(%%rip)\n", gs(o), o->word);
	else
		bprintf(b, "\tcmpl\t$0, %s(%%rip)\n\tjne\t.+7\n\tcall\t%s\n", o->word, o->callee);
	if (o->saves) {
		displace(b, o, "popfq", -8);
		displace(b, o, UP, -REDZONE);
	}
}

/* inform - a call of the runtime, with the operand pushed if there is one. */
static void
inform(Buf *b, const Ours *o)
{
	if (o->saves)
		displace(b, o, DOWN, REDZONE);
	if (o->operand)
		bprintf(b, "\tpushq\t%.*s\n", o->len, o->operand);
	bprintf(b, "\tcall\t%s\n", o->callee);
	if (o->operand)
		bprintf(b, "\tleaq\t%d(%%rsp), %%rsp\n", o->saves ? REDZONE + 8 : 8);
	else if (o->saves)
		displace(b, o, UP, -REDZONE);
}

void
putours(Buf *b, const Ours *o)
{
	switch (o->form) {
	case INCREMENT:
	case LOOK: saved(b, o); break;
	case TRIPLE: triple(b, o); break;
	case RECORD:
		bprintf(b, "\tmovq\t%.*s, %%r11\n\tcall\t%s\n", o->len, o->operand, o->callee);
		break;
	case INFORM: inform(b, o); break;
	case NFORM: assert(0);
	}
}

void
asmofours(Buf *b, const Ours *o)
{
	assert(o->form == INCREMENT && !o->saves);
	bprintf(b, "__asm__ __volatile__(\"incq %s%s(%%%%rip)\":::\"cc\")",
		o->flat ? "" : "%%gs:", o->word);
}

void
putlead(Buf *b, const char *word, const char *function)
{
	bprintf(b, "\tmovq\t%s(%%rip), %%r11\n\ttestq\t%%r11, %%r11\n\tjne\t1f\n", word);
	bprintf(b, "\tjmp\t%s@PLT\n1:\tjmp\t*%%r11\n", function);
}

uint8_t
mapform(const Ours *o)
{
	return (uint8_t)(o->form | (o->flat ? FORMFLAT : 0) | (o->saves ? FORMSAVES : 0));
}

uint32_t
formsize(uint8_t form)
{
	static const uint8_t size[NFORM] = {
		[INCREMENT] = INCSIZE, [TRIPLE] = TRIPLESIZE, [LOOK] = LOOKSIZE};
	static const uint8_t gssize[NFORM] = {[INCREMENT] = GSSIZE, [TRIPLE] = 2 * GSSIZE};
	Form f = form & FORMMASK;

	return f >= NFORM || !size[f] ? 0
				      : size[f] + (form & FORMFLAT ? 0u : gssize[f])
						+ (form & FORMSAVES ? SAVESIZE + RESTORESIZE : 0u);
}

uint32_t
formafter(uint8_t form)
{
	return formsize(form) && (form & FORMSAVES) ? RESTORESIZE : 0;
}
