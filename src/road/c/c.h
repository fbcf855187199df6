/* c.h - the C road: C text in, the same text with something at every source block.
 *
 * The steps, each a file:
 *   scan.l     tokens; white space, comments, directives and attributes before a token
 *              are a part of it
 *   names.c    which identifiers are names of types, by scope
 *   grammar.y  C and GNU C; of each function a tree of its statements
 *   statements.c  and what their words say
 *   blocks.c   where blocks begin
 *   pieces.c   which blocks tell how often a line ran
 *   shape.c    how blocks depend on each other, where nobody counts them
 *   write.c    the text again, with counters or marks
 *
 * What is not understood is an error that names the place; nothing is written then. */

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

/* What stands between a token and the one before it, beside blanks. */
enum { GAPPRAGMA = 1, GAPATTR = 2, GAPNAKED = 4, GAPFALL = 8 };

struct Token {
	uint32_t begin, end; /* in the text */
	uint32_t line;
	uint16_t column; /* of the text, from 1; 65535 if it is more */
	uint16_t file;
	uint8_t gap;
	bool system; /* in a header of the system */
	bool means;  /* something is done for it: it is none of ] ) } ; { , */
};

/* Tokens; there are none if the last is before the first. */
struct Span {
	int first, last;
};

static inline bool
isempty(Span s)
{
	return s.first > s.last;
}

/* names.c: identifiers and what they are at the moment.  Scopes nest; declare() is undone
 * when its scope is left, or by undo() to a mark. */

struct Word {
	const char *s;
	size_t len;
	int keyword; /* token; 0 of an identifier */
	bool type;   /* names a type now */
};

struct Names {
	Arena *run;
	Table table; /* of name[] */
	Word *name;
	int nname;
	size_t capname;
	struct Undo {
		int name;
		bool type;
	} * undo;
	int nundo;
	size_t capundo;
	int *scope; /* where each open scope begins in undo[] */
	int nscope;
	size_t capscope;
};

int nameid(Names *, const char *s, size_t len);
void declare(Names *, int name, bool type);
int mark(const Names *);
void undo(Names *, int mark);
void openscope(Names *);
void closescope(Names *);

/* Statements, and what in expressions is not always evaluated: a tree for each function.
 *
 * Here finding them and counting them meet.  grammar.y and statements.c make these trees of C; they could as well come from
 * a scanner of another language.  Who counts them (blocks.c, pieces.c, shape.c) asks tokens where they are and what is
 * in the gap before them, but not how they are spelled. */

typedef enum Op {
	EXPRESSION,
	DECLARATION,
	COMPOUND, /* body */
	IF,       /* head, body, other */
	WHILE,    /* head, body */
	DO,       /* body, head */
	FOR,      /* init, head, step, body */
	SWITCH,   /* head, body */
	LABEL,    /* without the statement */
	CASE,     /* case or default, likewise */
	GOTO,     /* goto, return */
	BREAK,
	CONTINUE,
	EMPTY,
	FUNCTION, /* body: one COMPOUND; init: of parameters */
	/* in expressions */
	CHOICE, /* left ? right : third */
	ELVIS,  /* left ?: right */
	AND,    /* left && right */
	OR,
	VALUE, /* ({ body }) */
} Op;

/* In the order of the text. */
struct List {
	Node *first, *last;
	bool call; /* something in there may not return */
	bool acts; /* of declarators: some are initialized */
};

struct Node {
	Op op;
	int first, last; /* tokens */
	Node *next;      /* in its list */
	bool call;       /* something in there may not return */
	bool code;       /* of DECLARATION: does something */
	bool plain;      /* of ELVIS: the right may be a null pointer constant; of GOTO: `return;' */
	bool rest;       /* of CASE: `default' */
	bool endless;    /* of a loop: it has no condition, or one that always holds */
	bool handed;     /* of GOTO: returns a variable that may just have got the value of a call */
	bool ours;       /* of FUNCTION: is to be counted */
	bool whole;      /* of FUNCTION, after placeblocks(): all its lines have pieces */
	char *name;      /* of FUNCTION */
	int at;          /* token: of FUNCTION the name; of IF, WHILE, FOR, SWITCH the `)' before the
	                   * body; of DO the `while' */
	int otherwise;   /* of IF: token `else'; NONE */
	union {
		struct {
			Span left, right, third; /* operands */
		};
		struct {
			Span start, test, again; /* what is in parentheses; all but FOR have a test only */
		};
	};
	List init, head, step; /* nodes in these, or in other expressions of a statement, which are its head */
	List body, other;      /* statements */
};

/* blocks.c: blocks.  Those of the seed are where its table has a ^, and only these are in
 * zprof.out. */

typedef enum Kind {
	ENTERED,  /* a function */
	THEN,     /* if (...) ^ */
	ELSE,     /* else ^ */
	BODY,     /* of a loop */
	AFTER,    /* an if or a loop */
	LABELED,  /* label: ^, case ...: ^, default: ^ */
	TRUE,     /* ... ? ^ : */
	FALSE,    /* ... ? ... : ^ */
	NSEED,    /* all before are of the seed */
	ANDRIGHT, /* ... && ^ */
	ORRIGHT,  /* ... || ^ */
	BEHIND,   /* a switch, a jump, a call: whatever may not go on here */
	HEADER,   /* a condition of a loop, or the third part of a `for' */
	NKIND,
} Kind;

struct Sblock {
	Kind kind;
	int first, last; /* tokens */
	int fn;          /* its function: Source.fn[] */
};

/* How often something happened: counts of blocks, added up. */
struct Term {
	int block;
	int sign; /* 1, -1 */
};

/* A part of a line, and how often it was executed; or a branch, and how often it was taken:
 * of the terms the first ntaken say that, the others how often it was reached. */
struct Piece {
	int token;
	int term, nterm; /* Source.term[] */
	int ntaken;      /* 0 unless it is a branch */
};

/* What to write after a token; in the order in which they were made. */
typedef enum Insertion {
	STATEMENT, /* a counter */
	FALLING,   /* a counter between two labels of a switch */
	OPENING,   /* { and a counter */
	NESTING,   /* a counter and {: declarations stay first */
	BRACE,     /* { */
	SHUT,      /* } */
	CONDITION, /* (( */
	CHOOSING,  /* ) ? a counter : another) */
	COMMA,     /* ( a counter , */
	PAREN,     /* ) */
	HIDE,      /* what follows would be a lie about a function that counts */
	HIDDEN,    /* to here */
} Insertion;

struct Insert {
	uint32_t at; /* in the text */
	int order;
	Insertion form;
	int block, other;
};

struct Source {
	Arena *run;
	char *text;
	size_t len;
	const char *error; /* `file:line:column: what', if it cannot be read */
	Names names;
	char **file;
	int nfile;
	size_t capfile;
	Token *token;
	int ntoken;
	size_t captoken;
	Node *function; /* in the order of the text, by next */
	Node *lastfunction;
	char **fn; /* names of the functions with blocks */
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
	bool omp;      /* it has pragmas of OpenMP */
	bool outerasm; /* and asm outside of functions */
	size_t capinsert;
};

/* What is C: */
struct Dialect {
	int year; /* 1989, 1999, 2011, 2017, 2023 */
	bool gnu; /* asm, typeof, inline are keywords at any time */
};

typedef struct Dialect Dialect;

/* grammar.y: the trees of all functions in the text; path is what to call it until it says
 * itself.  False, and error, if it is not C.  dialect - of a compiler's -std=NAME. */
bool parse(Source *, const char *path, const char *text, size_t len, const Dialect *);
bool dialect(Dialect *, const char *name);

/* statements.c: what the words of statements say, for those who count them.  requires: trees of C.  ensures: Node.rest,
 * endless, handed, ours, name. */
void findstatements(Source *);

/* blocks.c: the blocks of all functions.  SEED: those of the seed alone; LINES: those that lines
 * need; BRANCHES: and those in expressions.  SHAPE: those by which lines differ, without counters, and equations,
 * pieces without a token, whose terms add up to nothing; of functions in which another extent has left lines out, if one was there
 * before. */
typedef enum Extent { SEED, LINES, BRANCHES, SHAPE } Extent;
void placeblocks(Source *, Extent);

/* write.c: the text with counters for zprof's library, with marks for the assembly road, or with
 * counters for our runtime, which threads share if `flat'. */
typedef enum Style { ZPROF, MARKS, COUNTERS } Style;
void writec(Source *, Style, bool flat, Buf *out);

/* writeshape - what SHAPE found: after the text with marks; or `asitis', as comments to stand after the assembly that a compiler makes
 * of the text without. */
void writeshape(Source *, bool asitis, Buf *out);

/* cstring - text as it is between the quotes of a string in C. */
void cstring(Buf *, const char *s, size_t len);

extern const char zprofheader[]; /* src/zprof/zprof.h */

#endif
