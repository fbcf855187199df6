/* code.h - the code of a function, whoever read it: blocks and edges as bytes and counters, and which
 * rows of sources belong to its instructions.  A road makes it, a map keeps it packed, reports
 * read it.  It belongs to a Graph with the same blocks and edges, which knows nothing of bytes. */

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

struct Codeblock {
	uint32_t part;  /* piece of code; CODENONE without any */
	uint32_t addr;  /* from the part's address, in the program with counters */
	uint32_t off;   /* from the part's begin, in the program as it is without */
	uint32_t bytes; /* there */
	uint32_t ninsn; /* instructions */
	uint32_t npad;  /* instructions of padding between it and the next */
	uint32_t slot;  /* counter */
	uint32_t check; /* second counter, for comparing */
};

enum { EDGENEVER = 1, EDGEFALLS = 2, EDGEPINNED = 4, EDGENET = 16, EDGEAGAIN = 32 };

struct Codeedge {
	uint32_t src, dst; /* blocks */
	uint32_t slot;
	uint32_t flags;
};

/* A thunk of a virtual function has its line, too, and goes on to it: that counts. */
enum { ROWSTMT = 1, ROWFALLS = 2, ROWTHUNK = 4 };

/* A row of the line table: from an instruction to that of the next row. */
struct Coderow {
	uint32_t insn; /* its number, counted over the blocks in order */
	uint32_t line;
	uint32_t file; /* of the unit */
	uint32_t inst; /* inlined copy that it is in; 0 in none */
	uint16_t column;
	uint16_t flags; /* begins a statement; belongs to the edge that falls in here */
};

/* Code of ours among that of a function. */
struct Planted {
	uint32_t part;
	uint32_t begin, end; /* from the part's address, modulo 2^32: it may come before that */
	uint32_t slot;       /* counter; CODENONE */
	uint8_t form;        /* what code it is: see arch.h */
};

/* Where a source has the name of a function. */
struct Head {
	uint32_t file, line, column;
};

/* Code of a function of the source that stands in a function of the program: the function itself, or a copy that was
 * inlined there, of which there may be no code left. */
struct Copied {
	uint32_t inst;   /* as rows have it; 0 of the function itself */
	uint32_t whole;  /* the one that it is a part of; itself */
	uint32_t outer;  /* the one that it was inlined in */
	uint32_t origin; /* a number for the function, in its unit */
	Head head;       /* where it is declared; line 0 if that is not known */
	Head call;       /* where it was called, likewise; without column */
	bool inlined;    /* it was inlined somewhere */
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
