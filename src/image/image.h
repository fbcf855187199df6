/* image.h - what is in a file of machine code: a program, a library, an object.
 *
 *   file.c       an ELF file (file.h): sections, segments, symbols, relocations, notes, build id
 *   names.c      names of addresses
 *   functions.c  an image: machine code, and the functions in it
 *   frames.c     code that .eh_frame describes, for functions without symbols
 *   lines.c      source lines of instructions
 *   copies.c     which instructions belong to inlined copies of other functions
 *   flow.c       where control goes: which bytes are instructions, where blocks begin
 *   body.c       one function as a graph and decoded instructions
 *
 * A road opens an image, explores it, and asks for the body of each function that it counts:
 *
 *      im = openimage(path, true, &run);
 *      exploreall(im, &policy);
 *      for (i = 0; i < im->nfn; i++)
 *              if (!im->fn[i].odd)
 *                      x = bodyof(im, &im->fn[i], &policy, &fn);
 *
 * Files are untrusted input.  Nothing here points outside of what was read; contradictory data is
 * treated as absent. */

#ifndef IMAGE_H
#define IMAGE_H

#include "body/body.h"
#include "core/code.h"
#include "file.h"

/* names.c: names of functions, and of the words in which the dynamic linker stores the address of a
 * function.
 *
 * readnames - all names in a file, and those in `more', sorted by address, then by bypeople().  A
 * word that an IFUNC resolver fills has the resolver's name.
 * findname - the first name of an address; NULL if there is none.
 * bypeople - compare two names: fewer leading underscores come first, as better known to people. */

typedef struct Name Name;

struct Name {
	uint64_t addr;
	char *name;
	bool word; /* it names such a word */
};

Name *readnames(const File *, const Name *more, int nmore, int *n, Arena *);
const Name *findname(const Name *, int n, uint64_t addr);
int bypeople(const char *, const char *);

/* functions.c: an image. */

typedef struct Range Range;
typedef struct Text Text;
typedef struct Func Func;
typedef struct Span Span;
typedef struct Row Row;
typedef struct Image Image;

struct Range {
	uint64_t begin, end;
};

/* An executable segment. */
struct Text {
	uint64_t addr;
	uint64_t offset; /* in the file */
	size_t size;
	const uint8_t *code;
	uint8_t *know; /* by byte: see flow.c */
};

/* A function.  It begins where its first range begins.  The other ranges, sorted by address, are
 * parts that the compiler put elsewhere, such as NAME.cold.  Until exploring has shown which
 * function a part belongs to, it is a function by itself. */
struct Func {
	char *name; /* of its symbol; without one its address: 0x... */
	Range *range;
	int nrange;
	size_t cap;
	bool nameless;   /* it has no symbol */
	bool maybepart;  /* it has no function symbol, or one like NAME.cold */
	size_t stem;     /* length of NAME in such a symbol, or 0 */
	bool listed;     /* it has lines */
	bool plain;      /* compiled without optimisation */
	Head head;       /* where the source declares it; line 0 if unknown */
	void *die;       /* libdw's entry for it, or NULL */
	const char *reason; /* why it cannot be counted, or NULL; valid after exploring */
};

/* A row of the line table: from its address up to that of the next row. */
struct Row {
	uint64_t addr;
	uint32_t file, line;
	uint16_t column;
	bool stmt; /* a statement begins here */
	bool end;  /* of a sequence: no line from here on */
	bool plain;
};

/* Functions, spans and rows are sorted by address, heads by file and line. */
struct Image {
	Arena *run;
	char *path;
	uint8_t id[MAXID];
	int idlen;
	uint64_t low, high; /* start and end of what is loaded */
	Text *text;
	Func *fn;
	Span *span; /* ranges of all functions */
	Row *row;
	Head *head;  /* of all source functions, inlined or not */
	char **file; /* paths of sources, by number */
	int ntext, nfn, nspan, nrow, nhead, nfile;
	size_t captext, capfn, caprow, caphead, capfile;
	Table files;
	Table origins; /* numbers of source functions, by libdw's entries for them */
	bool debug;    /* some function has lines */
	void *dwfl;    /* libdwfl's session; NULL if opened without lines, or closed */
	void *module;  /* the image in that session */
};

/* openimage - a program or library for this machine; its debug information, too, if `lines'; NULL
 * if it is no such file.
 * closeimage - release the debug information; all else stays valid.
 * indexranges - update the index of functionat(); call it after ranges have changed.
 * functionat - the number of the function at an address; NONE if there is none.
 * inside - whether an address is in a function.
 * symbolat - the address of the function with that name; 0 if there is none.
 * codeof - the bytes from an address to the end of its segment; NULL if it is in none.
 * knowof - what is known of the byte at an address; NULL if it is in no segment. */
Image *openimage(const char *path, bool lines, Arena *);
void closeimage(Image *);
void indexranges(Image *);
int functionat(const Image *, uint64_t addr);
bool inside(const Func *, uint64_t addr);
uint64_t symbolat(const Image *, const char *name);
const uint8_t *codeof(const Image *, uint64_t addr, size_t *len);
uint8_t *knowof(const Image *, uint64_t addr);

/* frames.c: readframes - the ranges of code that .eh_frame describes, sorted by address.  Compilers
 * describe each function, and each part of one, separately. */
Range *readframes(const File *, int *n, Arena *);

/* lines.c: source lines.
 *
 * readrows - read the line table, and the heads of functions.
 * rowat - the row that covers an address; NULL if there is none.
 * headof - the function that a source line seems to be in: the last one declared there or before;
 * NULL if there is none.
 * numberfile - the number of a source file; adds it if it is new. */
void readrows(Image *);
const Row *rowat(const Image *, uint64_t addr);
const Head *headof(const Image *, uint32_t file, uint32_t line);
uint32_t numberfile(Image *, const char *name, const char *dir);

/* copies.c: the inlined copies in a function. */

typedef struct Inlines Inlines;
typedef struct Began Began;

struct Inlines {
	const Func *fn;
	Copied *copied; /* by inst; 0 is the function itself.  Files are numbers in the image */
	Began *began;   /* by inst: where it begins */
	int ncopied;    /* 0 if nothing is known */
	uint32_t **at;  /* by range of the function and byte in it: inst of the innermost copy */
};

/* readcopies - all copies in a function.
 * copyof - inst of the copy that a row is in; 0 if it is in none. */
Inlines readcopies(Image *, const Func *, Arena *);
uint32_t copyof(const Image *, const Inlines *, const Row *);

/* flow.c: where control goes. */

/* What is known of a byte of code. */
enum {
	SEEN = 1,     /* an instruction begins here */
	LEADS = 2,    /* a block begins here */
	RETURNS = 4,  /* the return address of a call */
	JUMPS = 8,    /* an indirect jump begins here */
	ENTERED = 16, /* a call or a jump from another function leads here, after the start */
	INNER = 32,   /* in the middle of an instruction */
	YOURS = 64,   /* this bit and the next are the caller's */
};

typedef struct Policy Policy;
typedef struct Route Route;

/* How often an indirect jump was observed to go from one address to another. */
struct Route {
	uint64_t from, to;
	uint64_t times;
};

/* How to explore, and what a body shall contain.  All zero: all that follows from the file. */
struct Policy {
	void *with; /* for the functions below, each of which may be NULL */

	/* split - a block begins in the middle of straight-line code that was found before.
	 * found - new straight-line code, from the start of a block to its end or to code that was
	 * found before. wants - whether a body shall contain the block at an address.  If this is
	 * not NULL, each block of the body has an edge from ENTRY, because control may come from
	 * missing blocks. */
	void (*split)(void *with, int fn, uint64_t addr);
	void (*found)(void *with, int fn, uint64_t from, uint64_t to);
	bool (*wants)(void *with, uint64_t addr);

	bool apart;         /* edges lead from ENTRY to each block and from each to EXIT only */
	const Route *route; /* edges of indirect jumps, beside that to EXIT; sorted by `from' */
	int nroute;
};

/* exploreall - explore all functions, once, and join parts to the functions that they belong to:
 * numbers of functions change.
 * explore - explore a function from one more address, to which control was found to go.
 * sweep - explore whatever else in a function looks like code: targets of indirect jumps that were
 * never made.
 * turnat - decode the instruction at an address of a function; returns whether there is one.  A
 * call that only serves to push its own address becomes a JUMP. */
void exploreall(Image *, const Policy *);
void explore(Image *, int fn, uint64_t addr, const Policy *);
void sweep(Image *, int fn, const Policy *);
bool turnat(const Image *, const Func *, uint64_t addr, Insn *);

/* body.c: an explored function as a graph and decoded instructions.
 *
 * The graph is closed.  Blocks are in the order of ranges, and of memory within them.  The edge of
 * a route is FROMHUB, but leads from the jump itself; there is no hub. */

typedef struct Explored Explored;

struct Explored {
	Body body;
	uint64_t *addr; /* by op */
	int *part;      /* by block: number of its range */
	int nfirst;     /* blocks of the first range */
};

/* bodyof - the body of a function.
 * blockbegin, blockend - the address of a block, and of what follows it.
 * blockat - the block that begins at an address; NONE if there is none. */
Explored *bodyof(const Image *, const Func *, const Policy *, Arena *);
uint64_t blockbegin(const Explored *, int b);
uint64_t blockend(const Explored *, int b);
int blockat(const Explored *, uint64_t addr);

#endif
