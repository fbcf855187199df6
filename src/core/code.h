/* code.h - the machine code of a function: where its blocks lie, which counters are in it, and from
 * which source lines its instructions come.
 *
 * A road makes it, a map holds it packed, reports read it.  Blocks and edges have the same numbers
 * in the function's Graph, which knows nothing of bytes. */

#ifndef CODE_H
#define CODE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Codeblock Codeblock;
typedef struct Codeedge Codeedge;
typedef struct Coderow Coderow;
typedef struct Planted Planted;
typedef struct Head Head;
typedef struct Copied Copied;
typedef struct Code Code;

#define CODENONE 0xffffffffu /* no part, no slot */

/* A part is a contiguous stretch of the function's code, such as its .cold half. */
struct Codeblock {
	uint32_t part;  /* CODENONE if the block has no code */
	uint32_t addr;  /* relative to the part, in the program with counters */
	uint32_t off;   /* relative to the part, in the program without */
	uint32_t bytes; /* in the program without */
	uint32_t ninsn; /* instructions */
	uint32_t npad;  /* instructions of padding after it */
	uint32_t slot;  /* of its counter, or CODENONE */
	uint32_t check; /* of a second counter, for comparison, or CODENONE */
};

enum { EDGENEVER = 1, EDGEFALLS = 2, EDGEPINNED = 4, EDGENET = 16, EDGEAGAIN = 32 };

struct Codeedge {
	uint32_t src, dst; /* blocks */
	uint32_t slot;
	uint32_t flags;
};

/* ROWSTMT: a statement begins here.
 * ROWFALLS: the row belongs to the edge that falls through to this instruction.
 * ROWTHUNK: in the thunk of a virtual function.  It has the function's line and goes on to the
 * function, where the line is counted. */
enum { ROWSTMT = 1, ROWFALLS = 2, ROWTHUNK = 4 };

/* A row of the line table: from its instruction up to that of the next row. */
struct Coderow {
	uint32_t insn; /* its number, counted over the blocks in order */
	uint32_t line;
	uint32_t file; /* number in the unit */
	uint32_t inst; /* the inlined copy that it is in; 0 if none */
	uint16_t column;
	uint16_t flags;
};

/* Code that tally added to a function. */
struct Planted {
	uint32_t part;
	uint32_t begin, end; /* relative to the part, modulo 2^32: it may lie before it */
	uint32_t slot;       /* of the counter that it adds to; CODENONE if none */
	uint8_t form;        /* which code it is: see mapform() in arch.h */
};

/* Where the source declares a function: its name there. */
struct Head {
	uint32_t file, line, column;
};

/* A source function with code in a function of the program: the function itself, or a copy that was
 * inlined there.  Its code may have been optimised away. */
struct Copied {
	uint32_t inst;   /* as in rows; 0 for the function itself */
	uint32_t whole;  /* inst of the copy that this is a part of, or its own */
	uint32_t outer;  /* inst of the copy into which it was inlined */
	uint32_t origin; /* number of the source function in its unit */
	Head head;       /* where it is declared; line 0 if unknown */
	Head call;       /* where it was called, likewise; no column */
	bool inlined;    /* the source function was inlined somewhere */
};

struct Code {
	int nblock, nedge, nrow, nplanted;
	uint32_t nslot; /* counters */
	Codeblock *block;
	Codeedge *edge;
	Coderow *row;
	Planted *planted; /* in no order */
};

#endif
