/* c.h - the C road: C text in, the same text with a counter or a marker at every source block.
 *
 * The steps, each a file:
 *   scan.l        tokens; white space, comments, directives and attributes before a token
 *                 are a part of it
 *   names.c       which identifiers are names of types, by scope
 *   grammar.y     C and GNU C; a tree of statements for each function
 *   statements.c  properties of statements that depend on their tokens
 *   blocks.c      where blocks begin
 *   pieces.c      which blocks tell how often a line ran
 *   shape.c       equations between blocks that are not counted
 *   write.c       the text again, with counters or markers
 *
 * Text that is not understood is an error that names the place, and nothing is written. */

#ifndef C_H
#define C_H

#include "core/core.h"
#include "profile/profile.h"

typedef struct Token Token;
typedef struct Word Word;
typedef struct Names Names;
typedef struct Span Span;
typedef struct Node Node;
typedef struct List List;
typedef struct Sblock Sblock;
typedef struct Term Term;
typedef struct Piece Piece;
typedef struct Insert Insert;
typedef struct Source Source;

/* What stands between a token and the one before it, besides white space. */
enum { GAPPRAGMA = 1, GAPATTR = 2, GAPNAKED = 4, GAPFALL = 8 };

struct Token {
	uint32_t begin, end; /* offsets in the text */
	uint32_t line;
	uint16_t column; /* from 1; at most 65535 */
	uint16_t file;
	uint8_t gap;
	bool system; /* in a system header */
	bool means;  /* it is none of ] ) } ; { , */
};

/* Tokens; none if the last is before the first. */
struct Span {
	int first, last;
};

static inline bool
isempty(Span s)
{
	return s.first > s.last;
}

/* names.c: identifiers and what they currently mean.  Scopes nest; declare() is undone when its
 * scope closes, or by undo() with what mark() returned. */

struct Word {
	const char *s;
	size_t len;
	int keyword; /* its token; 0 for an identifier */
	bool type;   /* currently names a type */
};

struct Names {
	Arena *run;
	Table table; /* to indices of name[] */
	Word *name;
	int nname;
	size_t capname;
	struct Undo {
		int name;
		bool type;
	} * undo;
	int nundo;
	size_t capundo;
	int *scope; /* for each open scope, where it begins in undo[] */
	int nscope;
	size_t capscope;
};

int nameid(Names *, const char *s, size_t len);
void declare(Names *, int name, bool type);
int mark(const Names *);
void undo(Names *, int mark);
void openscope(Names *);
void closescope(Names *);

/* Statements, and the parts of expressions that are not always evaluated: a tree for each function.
 *
 * This is the interface between reading and counting. grammar.y and statements.c make these trees
 * from C; a scanner of another language could make them as well. blocks.c, pieces.c and shape.c ask
 * where tokens are and what stands before them, but not how they are spelled. */

typedef enum Op {
	EXPRESSION,
	DECLARATION,
	COMPOUND, /* body */
	IF,       /* head, body, other */
	WHILE,    /* head, body */
	DO,       /* body, head */
	FOR,      /* init, head, step, body */
	SWITCH,   /* head, body */
	LABEL,    /* without the labeled statement */
	CASE,     /* case or default, likewise */
	GOTO,     /* goto, return */
	BREAK,
	CONTINUE,
	EMPTY,
	FUNCTION, /* body: one COMPOUND; init: of its parameters */
	/* in expressions */
	CHOICE, /* left ? right : third */
	ELVIS,  /* left ?: right */
	AND,    /* left && right */
	OR,
	VALUE, /* ({ body }) */
} Op;

/* in the order of the text */
struct List {
	Node *first, *last;
	bool call; /* something in it may not return */
	bool acts; /* of declarators: some are initialized */
};

struct Node {
	Op op;
	int first, last; /* tokens */
	Node *next;      /* in its list */
	bool call;       /* something in it may not return */
	bool code;       /* of DECLARATION: it does something */
	bool plain;      /* of ELVIS: right may be a null pointer constant; of GOTO: `return;' */
	bool rest;       /* of CASE: `default' */
	bool endless;    /* of a loop: its condition is missing or always true */
	bool handed;     /* of GOTO: returns a variable that may just have the value of a call */
	bool ours;       /* of FUNCTION: to be counted */
	bool whole;      /* of FUNCTION, after placeblocks(): all its lines have pieces */
	char *name;      /* of FUNCTION */
	int at;          /* token: of FUNCTION the name; of DO the `while'; of others the `)' */
	int otherwise;   /* of IF: the token `else'; or NONE */
	union {
		struct {
			Span left, right, third; /* operands */
		};
		struct {
			Span start, test, again; /* of FOR; others have a test only */
		};
	};
	List init, head, step; /* nodes in these, or in a statement's other expression */
	List body, other;      /* statements */
};

/* blocks.c: source blocks.  Those before NZPROFBLOCK are where the table of "Designing a Basic
 * Block Profiler" has a ^; only these are in zprof.out. */

typedef enum Kind {
	ENTERED,  /* a function */
	THEN,     /* if (...) ^ */
	ELSE,     /* else ^ */
	BODY,     /* body of a loop */
	AFTER,    /* after an if or a loop */
	LABELED,  /* label: ^, case ...: ^, default: ^ */
	TRUE,     /* ... ? ^ : */
	FALSE,    /* ... ? ... : ^ */
	NZPROFBLOCK,    /* all before are of that paper */
	ANDRIGHT, /* ... && ^ */
	ORRIGHT,  /* ... || ^ */
	AFTERCALL,   /* after a switch, a jump, a call: whatever may not continue here */
	HEADER,   /* the condition of a loop, or the third part of a `for' */
	NKIND,
} Kind;

struct Sblock {
	Kind kind;
	int first, last; /* tokens */
	int fn;          /* its function: index of Source.fn[] */
};

/* A summand of a count: that of a block, added or subtracted. */
struct Term {
	int block;
	int sign; /* 1 or -1 */
};

/* A piece of a line, and how often it was executed; or a branch: the first ntaken terms add up to
 * how often it was taken, the others to how often it was reached. */
struct Piece {
	int token;
	int term, nterm; /* indices of Source.term[] */
	int ntaken;      /* 0 unless it is a branch */
};

/* What to write after a token, in the order in which it was asked for. */
typedef enum Insertion {
	STATEMENT, /* a counter */
	FALLING,   /* a counter that a switch falls through to the next label */
	OPENING,   /* { and a counter */
	NESTING,   /* a counter and {, so that declarations stay first */
	BRACE,     /* { */
	SHUT,      /* } */
	CONDITION, /* (( */
	CHOOSING,  /* ) ? a counter : another) */
	COMMA,     /* ( a counter , */
	PAREN,     /* ) */
	HIDE,      /* hide what follows, an attribute that counters make untrue */
	HIDDEN,    /* end of that */
} Insertion;

struct Insert {
	uint32_t at; /* offset in the text */
	int order;
	Insertion form;
	int block, other;
};

struct Source {
	Arena *run;
	char *text;
	size_t len;
	const char *error; /* `file:line:column: what' if the text cannot be read */
	Names names;
	char **file;
	int nfile;
	size_t capfile;
	Token *token;
	int ntoken;
	size_t captoken;
	Node *function; /* in the order of the text, by next */
	Node *lastfunction;
	char **fn; /* of the functions that have blocks */
	int nfn;
	size_t capfn;
	Sblock *block; /* in the order of the text */
	int nblock;
	size_t capblock;
	Term *term;
	int nterm;
	size_t capterm;
	Piece *piece;
	int npiece;
	size_t cappiece;
	Insert *insert;
	int ninsert;
	bool omp;      /* there are pragmas of OpenMP */
	bool outerasm; /* there is asm outside of functions */
	size_t capinsert;
};

/* Which C. */
struct Dialect {
	int year; /* 1989, 1999, 2011, 2017, 2023 */
	bool gnu; /* asm, typeof and inline are keywords in any year */
};

typedef struct Dialect Dialect;

/* parse - the trees of all functions in the text; path names the text until a line directive does.
 * False, with Source.error, if it is not C.
 * dialect - what a compiler's -std=NAME means; false if the name is unknown. */
bool parse(Source *, const char *path, const char *text, size_t len, const Dialect *);
bool dialect(Dialect *, const char *name);

/* findstatements - set Node.rest, endless, handed, ours and name.  Requires trees of C. */
void findstatements(Source *);

/* placeblocks - the blocks of all functions.  ZPROFBLOCKS: those of the paper; LINES: and those
 * that lines need; BRANCHES: and one for each operand that is not always evaluated.  SHAPE: blocks
 * without counters, and equations between them, which are pieces without a token whose terms add up
 * to 0; if another extent was placed before, only for functions in which it left lines without a
 * piece. */
typedef enum Extent { ZPROFBLOCKS, LINES, BRANCHES, SHAPE } Extent;
void placeblocks(Source *, Extent);

/* writec - the text with counters for zprof's library, with markers for the assembly road, or with
 * counters for our runtime, which threads share if `flat'. */
typedef enum Style { ZPROF, MARKS, COUNTERS } Style;
void writec(Source *, Style, bool flat, Buf *out);

/* writeshape - what SHAPE found, to follow the text with markers; or if `asitis', as comments that
 * follow the assembly of the unmarked text. */
void writeshape(Source *, bool asitis, Buf *out);

/* cstring - text as it is written between the quotes of a string in C. */
void cstring(Buf *, const char *s, size_t len);

extern const char zprofheader[]; /* src/zprof/zprof.h */

#endif
