/* arch.h - what other directories may know of a machine: what its instructions do, as far as
 * counting is concerned. */

#ifndef ARCH_H
#define ARCH_H

#include "base/base.h"

typedef struct Insn Insn;

/* A set of general registers, by number; one bit more stands for the flags that inc changes. */
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

/* What an instruction does to the stack pointer. */
typedef enum Stack {
	STAYS, /* nothing, or changes it relative to its old value */
	OWN,   /* sets it from %rbp, %rsp or a word of the frame: leave, mov %rbp, %rsp */
	OTHER, /* sets it to anything else */
} Stack;

typedef enum Turn {
	PLAIN,  /* goes on to the next instruction */
	CALL,   /* returns, usually */
	COND,   /* a conditional branch */
	JUMP,   /* an unconditional branch */
	INDIR,  /* a jump through a register or memory */
	RETURN, /* returns from the function */
	STOP,   /* hlt, ud2: control does not go on */
} Turn;

struct Insn {
	int len; /* bytes */
	Turn turn;
	int64_t target; /* of COND, JUMP and direct CALL: relative to the instruction's start */
	int cc;         /* of COND: condition code 0..15, or -1 (jrcxz, loop) */
	bool brief;     /* of COND: cannot be pointed elsewhere: jrcxz, loop, xbegin */
	bool landing;   /* endbr64: must stay first */
	Stack stack;
	bool base;      /* it writes %rbp */
	bool nop;       /* a nop */
	bool locked;    /* with a lock prefix; what follows that is an instruction, too */
	bool prefix;    /* it is such a prefix alone; never set by decode() */
	bool pushes;    /* pushes its operand */
	bool pops;      /* pops its operand */
	int tests;      /* size of a register that a test instruction compares with 0; else 0 */
	bool traps;     /* may fault: it accesses memory by an explicit operand, or divides */
	bool direct;    /* CALL, JUMP or COND with an encoded target */
	Regs reads;     /* reads any part of them; ALLREGS for a system call */
	Regs writes;    /* may write any part of them */
	Regs kills;     /* always overwrites all of them, and does not read them */
};

/* decode - decode one instruction of 64-bit code; returns whether there is one. */
bool decode(const unsigned char *code, size_t len, Insn *);

/* operand.c: operands of branches, and instructions moved to another address.
 *
 * leadof - where an indirect call or jump with a 64-bit operand takes its target from; returns
 * false for any other operand.
 * relocated - write the instruction as it must be at address `to'; returns false if it cannot be
 * moved there. */

typedef struct Lead Lead;

/* The operand of an indirect branch.  Registers are numbered as in instructions; NOREG if
 * absent. */
struct Lead {
	int reg; /* the target is in this register; or in memory, at the sum of: */
	int base, index, scale;
	int64_t disp; /* includes the address of the next instruction as a distance if relative */
	bool fs, gs;  /* and the base of this segment */
	bool narrow;  /* with 32-bit address size */
	bool relative;
};

enum { NOREG = -1 };

bool leadof(const uint8_t *code, size_t len, Lead *);
bool relocated(const uint8_t *code, int len, uint64_t from, uint64_t to, uint8_t *out);

typedef struct Insnkind Insnkind;

struct Insnkind {
	const char *mnemonic;
	const char *group; /* Zydis's category of the instruction */
	int len;
	int reads, writes; /* accesses to memory or the stack; a repetition is one */
};

/* kind.c: kindof - the kind of an instruction; returns whether there is one. */
bool kindof(const unsigned char *code, size_t len, Insnkind *);

/* show.c: show - disassemble the instruction at addr in the assembler's notation.  Addresses in
 * it are written as place() returns them, or as numbers where that returns NULL. */
void show(Buf *, const unsigned char *code, size_t len, uint64_t addr,
	  const char *(*place)(void *, uint64_t), void *);
/* ours.c: the instructions that we plant, as text for an assembler; x86/ours.h has their bytes. */

typedef enum Form {
	INCREMENT, /* adds one to a counter */
	TRIPLE,    /* adds one with three instructions, through a register; keeps the flags */
	LOOK,      /* calls the runtime if a word is 0 */
	RECORD,    /* tells the runtime the target of a call through a pointer */
	INFORM,    /* calls the runtime */
	NFORM,
} Form;

typedef struct Ours Ours;

struct Ours {
	Form form;
	bool flat;    /* threads share the counter */
	bool saves;   /* keeps the flags and the red zone; INFORM keeps flags anyway */
	bool unwound; /* the CFA is relative to the stack pointer: emit .cfi when that moves */
	Regs scratch; /* registers that TRIPLE may change */
	const char *word;    /* the word that it adds to, or looks at: an assembler expression */
	const char *callee;  /* function of the runtime that it calls */
	const char *operand; /* of RECORD: loaded into r11; of INFORM: pushed; NULL */
	int len;             /* length of operand */
};

/* putours - write such code as assembly text.
 * asmofours - write an INCREMENT as an asm statement of C.
 * putlead - write a jump to the address in a word, or to a function while the word is 0.
 *
 * A map stores a form as one byte: the number of the Form, and how it is made.
 *
 * mapform - that byte.
 * formsize - the size of the code in bytes; 0 if only the assembler knows.
 * formafter - how many of its bytes follow the instruction that counts. */
enum { FORMMASK = 7, FORMFLAT = 8, FORMSAVES = 16 };
void putours(Buf *, const Ours *);
void asmofours(Buf *, const Ours *);
void putlead(Buf *, const char *word, const char *function);
uint8_t mapform(const Ours *);
uint32_t formsize(uint8_t form);
uint32_t formafter(uint8_t form);

#endif
