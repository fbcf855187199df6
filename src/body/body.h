/* body.h - a function as a graph and its instructions, decoded, whoever read it: from the text of an
 * assembler, or from a file of machine code.
 *
 *   live.c    which registers and flags hold something that is still needed
 *   guess.c   which way its branches go
 *   form.c    by which instructions a place is counted
 *
 * A road fills in the graph, the instructions and how control takes each edge; what it knows beside
 * that, such as names, it has turned into what an Op says. */

#ifndef BODY_H
#define BODY_H

#include "arch/arch.h"
#include "core/core.h"

typedef struct Op Op;
typedef struct Body Body;

/* How control takes an edge, which says where its counter can stand. */
typedef enum How {
	INTO,    /* from ENTRY: before the first block's labels */
	ENTERS,  /* from ENTRY to another block, where none can stand */
	REENTERS, /* likewise, by who is in the function already */
	FALLS,   /* after the last instruction of its source */
	BRANCH,  /* conditional: at its target if nothing else leads there, else out of line */
	LEAVES,  /* unconditional, or to EXIT: before the last instruction of its source */
	TOHUB,   /* an indirect jump: likewise */
	FROMHUB, /* to a block whose address is taken: at its target, if nothing else leads there */
	NOWHERE, /* made up */
} How;

/* An instruction; or several that the road keeps together, or the begin of one, of which
 * in is the last. */
struct Op {
	const Insn *in;
	int ninsn;   /* 0: the begin of one, or nothing */
	bool odd;    /* it was not understood, and may read anything */
	bool lost;   /* a call that does not come back, which is a RETURN here */
	bool open;   /* of CALL: the compiler knew nothing of who is called */
	Regs leaves; /* where it leaves the function, or calls: what is needed there */
};

struct Body {
	Graph *g; /* NULL if it is not counted */
	How *how; /* by edge */
	Op *op;   /* in the order of memory; a cold part after the rest */
	int nop;
	int *first, *last; /* by block: indices into op[]; NONE without code */
	int hub;      /* block that all pass who leave or come by ways that cannot be seen, such
			    * as indirect jumps; NONE */
	bool byhand;  /* no compiler wrote it: flags may be needed at calls and at its ends */
	Regs *live;   /* by block: what is live where it begins */
	Regs scratch; /* registers that neither its callers nor its code count on where
			    * they are not live */
};

/* The calling convention, as far as compilers keep to it. */
enum {
	ARGUMENTS =
		DI | SI | DX | CX | R8 | R9 | AX | R10, /* AX: how many vectors; R10: the chain */
	RESULTS = AX | DX | CX | R8,                    /* the last two are LLVM's */
	EVERYBODYS = DI | SI | DX | CX | R8 | R9 | AX | R10 | R11,
	WINDOWS = EVERYBODYS & ~(DI | SI), /* of them, those that are so there, too */
};

/* live.c: what holds something that is still needed.
 *
 * findlive - where blocks begin.  livebefore - before op i of block b; i may be one past its last.
 * liveon - on edge e.  scratchregs - see Body; known is whether some of its callers
 * know what it changes (gcc's -fipa-ra). */
void findlive(Body *, Arena *);
Regs livebefore(const Body *, int b, int i);
Regs liveon(const Body *, int e);
Regs scratchregs(const Body *, bool known);

/* guess.c: guess - how likely the branches of a function are taken. */
void guess(Body *);

/* form.c: findtight - by block, whether it is in a loop so short that an increment would wait for that of the last
 * time around.  formfor - by what to count at a place where these registers and flags are live; quick
 * is whether a triple is worth it even if no flags are. */
bool *findtight(const Body *, Arena *);
void formfor(const Body *, Regs live, bool triples, bool quick, Ours *);

#endif
