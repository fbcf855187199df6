/* body.h - a function as a graph and its decoded instructions, whether it was read from assembly
 * text or from a file of machine code.
 *
 *    live.c    which registers and flags hold a value that is still needed
 *    guess.c   which way its branches go
 *    form.c    which instructions count at a given place
 *
 * A road fills in the graph, the instructions and how control takes each edge.  Whatever else it
 * knows, such as names, it has translated into the fields of Op. */

#ifndef BODY_H
#define BODY_H

#include "arch/arch.h"
#include "core/core.h"

typedef struct Op Op;
typedef struct Body Body;

/* How control takes an edge.  This decides where the edge's counter can stand. */
typedef enum How {
	INTO,     /* from ENTRY: before the labels of the first block */
	ENTERS,   /* from ENTRY to another block: no counter can stand there */
	REENTERS, /* likewise, but control comes from inside the function */
	FALLS,    /* after the last instruction of its source */
	BRANCH,   /* conditional: at its target if nothing else leads there, else out of line */
	LEAVES,   /* unconditional, or to EXIT: before the last instruction of its source */
	TOHUB,    /* an indirect jump: likewise */
	FROMHUB, /* to a block whose address is taken: at its target, if nothing else leads there */
	NOWHERE, /* unseen, or made up to complete the graph: none can stand there */
} How;

/* An instruction; or several that the road treats as one, `in' being the last; or the first part
 * of an instruction (a prefix that stands alone). */
struct Op {
	const Insn *in;
	int ninsn;   /* 0: the first part of an instruction, or no instruction at all */
	bool odd;    /* not understood: it may read anything */
	bool lost;   /* a call that does not return; its turn is RETURN */
	bool open;   /* of CALL: the compiler knew nothing about the callee */
	Regs leaves; /* at calls and exits from the function: what the target needs */
};

struct Body {
	Graph *g; /* NULL if the function is not counted */
	How *how; /* by edge */
	Op *op;   /* in the order of memory; a cold part after the rest */
	int nop;
	int *first, *last; /* by block: indices into op[]; NONE without code */
	int hub;           /* block that ways which cannot be seen pass through; NONE */
	bool byhand;       /* hand-written: flags may be needed at calls and exits */
	Regs *live;        /* by block: what is live where it begins */
	Regs scratch;      /* registers that may be overwritten wherever they are not live */
};

/* The calling convention, as far as compilers keep to it. */
enum {
	ARGUMENTS = DI | SI | DX | CX | R8 | R9 | AX | R10, /* AX: how many vectors; R10: chain */
	RESULTS = AX | DX | CX | R8,                        /* the last two only in LLVM */
	EVERYBODYS = DI | SI | DX | CX | R8 | R9 | AX | R10 | R11,
	WINDOWS = EVERYBODYS & ~(DI | SI), /* caller-saved in the Windows convention, too */
};

/* live.c: which registers and flags hold a value that is still needed.
 *
 * findlive - fill in Body.live.
 * livebefore - what is live before op i of block b; i may be one past its last.
 * liveon - what is live on edge e.
 * scratchregs - the value for Body.scratch; `known' says that some of its callers may know which
 * registers the function changes (gcc's -fipa-ra). */
void findlive(Body *, Arena *);
Regs livebefore(const Body *, int b, int i);
Regs liveon(const Body *, int e);
Regs scratchregs(const Body *, bool known);

/* guess.c: guess - set the odds of conditional branches. */
void guess(Body *);

/* form.c: which instructions count at a given place.
 *
 * findtight - by block, whether it is in a loop so short that an increment would wait for the
 * one of the previous iteration.
 * formfor - choose the form of a counter where these registers and flags are live, and set what
 * the form needs in Ours; `quick' says that a triple pays off even where no flags are live. */
bool *findtight(const Body *, Arena *);
void formfor(const Body *, Regs live, bool triples, bool quick, Ours *);

#endif
