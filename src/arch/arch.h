/* arch.h - what others may know of a machine: what its instructions do, as far as counting cares. */

#ifndef ARCH_H
#define ARCH_H

#include "base/base.h"

typedef struct Insn Insn;

/* A set of general registers, by their numbers, and of the flags that inc changes. */
typedef uint32_t Regs;

enum {
	AX = 1 << 0,
	CX = 1 << 1,
	DX = 1 << 2,
	SI = 1 << 6,
	DI = 1 << 7,
	R8 = 1 << 8,
	R9 = 1 << 9,
	R10 = 1 << 10,
	R11 = 1 << 11,
	FLAGS = 1 << 16,
	ALLREGS = (1 << 17) - 1,
};

/* What an instruction makes of the stack pointer. */
typedef enum Stack {
	STAYS, /* nothing, or what is relative to what it was */
	OWN,   /* the frame's own: leave, mov %rbp, %rsp */
	OTHER, /* anything */
} Stack;

typedef enum Turn {
	PLAIN,  /* goes on to the next */
	CALL,   /* comes back, usually */
	COND,   /* a branch that may go on */
	JUMP,   /* a branch that does not */
	INDIR,  /* a jump through a register or memory */
	RETURN, /* leaves the function */
	STOP,   /* hlt, ud2: nothing follows */
} Turn;

struct Insn {
	int len; /* bytes */
	Turn turn;
	int64_t target; /* of COND, JUMP and direct CALL: relative to the instruction's begin */
	int cc;         /* of COND: condition code 0..15, or -1 (jrcxz, loop) */
	bool brief;     /* of COND: cannot be made to go elsewhere: jrcxz, loop, xbegin */
	bool landing;   /* endbr64: must stay first */
	Stack stack;
	bool base;      /* it sets %rbp */
	bool nop;       /* does nothing */
	bool locked;    /* it begins with a lock prefix: what follows that is an instruction, too */
	bool prefix;    /* it is such a prefix alone; decode() never says so */
	bool pushes;    /* its operand on the stack */
	bool pops;      /* it from there */
	int tests;      /* bytes of a register that it compares with 0, by test; 0 */
	bool traps;     /* may fail, by an address of its own or by dividing */
	bool direct;    /* CALL, JUMP, COND with an encoded target */
	Regs reads;     /* any part of them; ALLREGS if it calls the system */
	Regs writes;    /* any part of them, perhaps */
	Regs kills;     /* the whole of them, in any case, reading none of it */
};

/* decode - one instruction of 64-bit code; false if there is none. */
bool decode(const unsigned char *code, size_t len, Insn *);

/* operand.c: leadof - where an indirect call or jump of 64 bits finds where it leads; false if it is of another kind.
 * relocated - the instruction for another address; false if it cannot be there. */

typedef struct Lead Lead;

/* Registers by the numbers that instructions have for them; NOREG. */
struct Lead {
	int reg; /* in this one; or in memory, at the sum of the others: */
	int base, index, scale;
	int64_t disp; /* with the address of the next instruction, if it is relative to that */
	bool fs, gs;  /* and the base of this segment */
	bool narrow;  /* as an address of 32 bits */
	bool relative;
};

enum { NOREG = -1 };

bool leadof(const uint8_t *code, size_t len, Lead *);
bool relocated(const uint8_t *code, int len, uint64_t from, uint64_t to, uint8_t *out);

typedef struct Insnkind Insnkind;

struct Insnkind {
	const char *mnemonic;
	const char *group; /* of instructions alike, as Zydis names them */
	int len;
	int reads, writes; /* of memory, the stack included; a repeated one counts once */
};

/* kind.c: of what kind an instruction is; false if there is none. */
bool kindof(const unsigned char *code, size_t len, Insnkind *);

/* show.c: instructions for people, in the assembler's notation.
 *
 * show - the text of one, which is at addr; an address in it is written as place() says,
 * or as a number where that returns NULL. */
void show(Buf *, const unsigned char *code, size_t len, uint64_t addr,
	  const char *(*place)(void *, uint64_t), void *);
/* ours.c: the instructions that we plant, as text for an assembler; x86/ours.h has their bytes. */

typedef enum Form {
	INCREMENT, /* adds one to a counter */
	TRIPLE,    /* likewise, by three instructions through a register; leaves the flags alone */
	LOOK,      /* calls the runtime if a word is 0 */
	RECORD,    /* tells the runtime where a pointer leads */
	INFORM,    /* calls the runtime */
	NFORM,
} Form;

typedef struct Ours Ours;

struct Ours {
	Form form;
	bool flat;    /* threads share the counter */
	bool saves;   /* the flags, and what is below the stack pointer: but for INFORM, which leaves flags alone */
	bool unwound; /* unwinders find the frame by the stack pointer: they are told when it moves */
	Regs scratch; /* registers that TRIPLE may change */
	const char *word;    /* that it adds to, or looks at: an expression of the assembler's */
	const char *callee;  /* in the runtime */
	const char *operand; /* of RECORD: it goes to a register first; of INFORM: it is pushed; NULL */
	int len;             /* of the operand */
};

/* putours - write it.  asmofours - an INCREMENT as a statement of C.  putlead - a jump to where a word says, or, as long as
 * that is 0, to a function.
 *
 * A form as maps have it is the number of a Form, and how it is made.  mapform - that of one.  formsize - its bytes;
 * 0 if only the assembler knows.  formafter - how many of them come after it has counted. */
enum { FORMMASK = 7, FORMFLAT = 8, FORMSAVES = 16 };
void putours(Buf *, const Ours *);
void asmofours(Buf *, const Ours *);
void putlead(Buf *, const char *word, const char *function);
uint8_t mapform(const Ours *);
uint32_t formsize(uint8_t form);
uint32_t formafter(uint8_t form);

#endif
