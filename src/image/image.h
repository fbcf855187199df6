/* image.h - what a file of machine code is: a program, a library, an object.
 *
 *   file.c       an ELF file (file.h): sections, segments, symbols, relocations, notes, build id
 *   names.c      what addresses in it are called
 *   functions.c  an image: machine code, and the functions in it
 *   frames.c     functions that have no symbol, from .eh_frame
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
 * Files are untrusted input.  Nothing here points outside of what was read, and what contradicts itself
 * is as if it were not there. */

#ifndef IMAGE_H
#define IMAGE_H

#include "body/body.h"
#include "core/code.h"
#include "file.h"

/* names.c: names of functions, and of words in which the dynamic linker stores the address of a function.
 *
 * readnames - all of them, and `more', sorted by address; several names of one address in the order of bypeople().
 * A word that an IFUNC resolver fills has the resolver's name.  findname - the first name of an address; NULL.
 * bypeople - compares two names: those with fewer leading underscores are meant for people, and come first. */

typedef struct Name Name;

struct Name {
	uint64_t addr;
	char *name;
	bool word; /* the address is that of such a word */
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

/* A function.  It begins where its first range does; the others, by address, are parts that the compiler put elsewhere.
 * Before it is known which function they belong to, such parts are functions themselves. */
struct Func {
	char *name; /* of its symbol; without one its address in hexadecimal, 0x... */
	Range *range;
	int nrange;
	size_t cap;
	bool nameless; /* it has no symbol */
	bool maybepart; /* no symbol says that it is a function, or its symbol says that it is a part of one */
	size_t stem; /* length of that function's name, with which its own begins; 0 if it names none */
	bool listed;     /* it has lines */
	bool plain;      /* compiled without optimisation */
	Head head;       /* where its source has its name; line 0 */
	void *die;       /* libdw's entry for it; NULL */
	const char *odd; /* why it cannot be counted, valid after exploring; NULL */
};

/* A row of the line table: from its address to that of the next. */
struct Row {
	uint64_t addr;
	uint32_t file, line;
	uint16_t column;
	bool stmt;
	bool end; /* nothing from here on */
	bool plain;
};

/* Arrays of functions, spans, rows and heads are sorted by address, or by file and line. */
struct Image {
	Arena *run;
	char *path;
	uint8_t id[MAXID];
	int idlen;
	uint64_t low, high; /* addresses of what is loaded */
	Text *text;
	Func *fn;
	Span *span; /* ranges of all functions */
	Row *row;
	Head *head;  /* of all functions of the source, inlined or not */
	char **file; /* paths of sources, by number */
	int ntext, nfn, nspan, nrow, nhead, nfile;
	size_t captext, capfn, caprow, caphead, capfile;
	Table files;
	Table origins; /* numbers of functions of the source, by libdw's entries for them */
	bool debug;    /* it has lines */
	void *dwfl;    /* libdw's session, and the module in it; NULL without lines */
	void *module;
};

/* openimage - a program or library for this machine, with its debugging information or without; NULL if it is none.
 * closeimage - let go of the debugging information; the rest stays.
 * indexranges - make functionat() right again after ranges have changed.
 * functionat - number of the function that an address is in; NONE.  inside - whether it is in a given one.
 * symbolat - the address of a function by name; 0.
 * codeof - the bytes from an address to the end of its segment; NULL.  knowof - what is known of that byte; NULL. */
Image *openimage(const char *path, bool lines, Arena *);
void closeimage(Image *);
void indexranges(Image *);
int functionat(const Image *, uint64_t addr);
bool inside(const Func *, uint64_t addr);
uint64_t symbolat(const Image *, const char *name);
const uint8_t *codeof(const Image *, uint64_t addr, size_t *len);
uint8_t *knowof(const Image *, uint64_t addr);

/* frames.c: readframes - the ranges of code that .eh_frame describes, by address.  Compilers describe each function, and each
 * part of one, by itself. */
Range *readframes(const File *, int *n, Arena *);

/* lines.c: readrows - the line table, and heads of functions.  rowat - the row in force at an address; NULL.
 * headof - the function of a source that a line seems to be in: the last that begins there or before; NULL.
 * numberfile - the number of a source, which is new if need be. */
void readrows(Image *);
const Row *rowat(const Image *, uint64_t addr);
const Head *headof(const Image *, uint32_t file, uint32_t line);
uint32_t numberfile(Image *, const char *name, const char *dir);

/* copies.c: the inlined copies in a function. */

typedef struct Inlines Inlines;
typedef struct Began Began;

struct Inlines {
	const Func *fn;
	Copied *copied; /* by inst, that of the function itself first; files are the image's */
	Began *began;   /* by inst: where it begins */
	int ncopied;    /* 0 if nothing is known */
	uint32_t **at;  /* by range of the function and byte in it: inst of the innermost */
};

/* readcopies - all of a function.  copyof - inst of the copy that a row is in; 0 in none. */
Inlines readcopies(Image *, const Func *, Arena *);
uint32_t copyof(const Image *, const Inlines *, const Row *);

/* flow.c: where control goes.  It is followed from where functions begin, so that data among code is never taken for
 * code, and into the middle of other functions, if jumps or calls lead there. */

/* What is known of a byte of code. */
enum {
	SEEN = 1,    /* an instruction begins here */
	LEADS = 2,   /* a block begins here */
	RETURNS = 4, /* a call is before it */
	JUMPS = 8,   /* an indirect jump begins here */
	ENTERED =
		16, /* a jump from another function leads here, or a call, and the function does not begin here */
	INNER = 32, /* it is in the middle of an instruction */
	YOURS = 64, /* this bit and the one above are for whoever explores */
};

typedef struct Policy Policy;
typedef struct Route Route;

/* How often an indirect jump was seen to go from one address to another. */
struct Route {
	uint64_t from, to;
	uint64_t times;
};

/* How to explore, and what a body is to have.  All zero: everything that can be known from the file. */
struct Policy {
	void *with; /* for the functions below, each of which may be NULL */

	/* split - a block begins in the middle of code that was known as straight.
	 * found - new code, straight from the beginning of a block to an address; what falls into old code ends there.
	 * wants - whether a body is to have the block that begins at an address.  If there is such a function, every block
	 * of the body has an edge from ENTRY: nobody knows from where control comes. */
	void (*split)(void *with, int fn, uint64_t addr);
	void (*found)(void *with, int fn, uint64_t from, uint64_t to);
	bool (*wants)(void *with, uint64_t addr);

	bool apart;         /* bodies have no edges between blocks, but from ENTRY and to EXIT */
	const Route *route; /* by `from': edges of indirect jumps, beside that to EXIT */
	int nroute;
};

/* exploreall - all functions, once.  Parts are joined to the functions that they belong to: numbers of functions change.
 * explore - a function, from an address of it that nothing was known to lead to.
 * sweep - what looks like code in a function and was not seen: targets of indirect jumps that were never made.
 * turnat - the instruction at an address of a function, with its turn as the function sees it; false if there is none.  A call
 * that only asks for the address is a JUMP. */
void exploreall(Image *, const Policy *);
void explore(Image *, int fn, uint64_t addr, const Policy *);
void sweep(Image *, int fn, const Policy *);
bool turnat(const Image *, const Func *, uint64_t addr, Insn *);

/* body.c: a function that was explored.
 *
 * Its graph is closed.  Blocks are in the order of memory, those of the first range first.  An edge for a route is FROMHUB,
 * and leads from the jump itself; there is no hub. */

typedef struct Explored Explored;

struct Explored {
	Body body;
	uint64_t *addr; /* by op */
	int *part;      /* by block: number of its range */
	int nfirst;     /* blocks of the first range */
};

/* bodyof - of a function.  blockbegin, blockend - addresses of a block.  blockat - the block that begins at an
 * address; NONE. */
Explored *bodyof(const Image *, const Func *, const Policy *, Arena *);
uint64_t blockbegin(const Explored *, int b);
uint64_t blockend(const Explored *, int b);
int blockat(const Explored *, uint64_t addr);

#endif
