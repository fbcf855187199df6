/* image.h - what a file of machine code is: a program, a library, an object.
 *
 *   file.c       the file as it lies there: sections, segments, symbols, notes, build id
 *   names.c      what its addresses are called
 *   functions.c  an image: code, and the functions in it, by symbols and by
 *   frames.c     .eh_frame, which stripped programs have, too
 *   lines.c      where functions and instructions come from in the source
 *   copies.c     and which of them are inlined copies of other functions
 *   flow.c       where control goes: which bytes are instructions, and where blocks begin
 *   body.c       one function as a graph and decoded instructions
 *
 * Files are untrusted input.  Nothing here points outside of what was read, and what contradicts itself
 * is as if it were not there. */

#ifndef IMAGE_H
#define IMAGE_H

#include "body/body.h"
#include "core/code.h"

/* file.c: an ELF file, open. */

typedef struct File File;
typedef struct Section Section;
typedef struct Segment Segment;
typedef struct Symbol Symbol;
typedef struct Reloc Reloc;

/* Types and flags are those of <elf.h>. */
struct Section {
	const char *name; /* empty if that is not known */
	uint32_t number, type, link;
	uint64_t flags, addr, size;
	void *scn; /* libelf's */
};

struct Segment {
	uint32_t type, flags;
	uint64_t addr, offset; /* in memory, in the file */
	uint64_t filesize, memsize;
};

struct File {
	const char *path;
	int fd;
	void *elf; /* libelf's */
	uint16_t type, machine;
	uint64_t entry;
	uint64_t headers; /* offset of the segments' headers in the file */
	Section *sect;
	Segment *seg;
	int nsect, nseg;
};

struct Symbol {
	const char *name; /* empty if it has none */
	uint64_t addr, size;
	uint32_t sect; /* SHN_UNDEF: it is elsewhere */
	uint8_t type;
};

struct Reloc {
	uint64_t addr;
	uint32_t type;
	uint32_t symbol;
	int64_t addend;
};

/* openelf - NULL if it cannot be read, or is no such file.  needelf - dies then.
 * section - the first of a name; NULL.  sectionnumber - by number; NULL.  sectionbytes - what is in it, until the file is closed; NULL.
 * readsymbols, readrelocs - of a table, which must be one; names last until the file is closed. */
File *openelf(const char *path, Arena *);
File *needelf(const char *path, Arena *);
void closeelf(File *);
const Section *section(const File *, const char *name);
const Section *sectionnumber(const File *, uint32_t);
const uint8_t *sectionbytes(const Section *, size_t *len);
Symbol *readsymbols(const File *, const Section *, int *n, Arena *);
Reloc *readrelocs(const File *, const Section *, int *n, Arena *);

/* lowest - the address where the first segment that is loaded begins.
 *
 * nextnote - the next note after *at among n bytes of them; false after the last.  hasnote - whether a section of
 * notes has one of that name.
 *
 * buildid - what a build is known by: its build id, as far as a profile keeps it, or, for want of one, a hash of its code as
 * doc/FORMAT.md has it; its length, 0 if the code is not there.  isbuild - whether the file is the build with that id. */

enum { MAXID = 32 };

typedef struct Elfnote Elfnote;

struct Elfnote {
	uint32_t type;
	const char *name; /* of so many bytes */
	const uint8_t *desc;
	size_t namelen, desclen;
};

uint64_t lowest(const File *);
bool nextnote(const uint8_t *notes, size_t n, size_t *at, Elfnote *);
bool hasnote(const Section *, const char *name);
int buildid(const File *, uint8_t id[MAXID]);
bool isbuild(const File *, const uint8_t *id, int idlen);

/* names.c: what addresses of a file are called: functions, and the words that the dynamic linker fills with
 * addresses of functions.
 *
 * readnames - all of them, and those that the caller knows, in order: by address, and of several names of one those first
 * that are meant for people.  A word that a resolver fills goes by the name of that.  findname - the first of an address among n in
 * order; NULL.  bypeople - compares two names by that order. */

typedef struct Name Name;

struct Name {
	uint64_t addr;
	char *name;
	bool word; /* the dynamic linker writes the address of that function there */
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

/* A piece of machine code: a segment. */
struct Text {
	uint64_t addr;
	uint64_t offset; /* in the file */
	size_t size;
	const uint8_t *code;
	uint8_t *know; /* by byte: see flow.c */
};

/* A function.  It begins where its first range does; the others are parts that the compiler put elsewhere. */
struct Func {
	char *name; /* of its symbol; its address, 0x..., if it has none */
	Range *range;
	int nrange;
	size_t cap;
	bool nameless;
	bool maybepart; /* it may be a part of another: it has no symbol of a function, or one that says so: */
	size_t stem;    /* so much of its name is that of the other; 0 */
	bool listed;    /* it has lines */
	bool plain;     /* compiled without optimisation */
	Head head;      /* where its source has its name; line 0 */
	void *die;      /* its entry in the debugging information; NULL */
	const char *odd; /* why it cannot be counted, after it was explored; NULL */
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

struct Image {
	Arena *run;
	char *path;
	uint8_t id[MAXID];
	int idlen;
	uint64_t low, high; /* addresses of what is loaded */
	Text *text;
	Func *fn; /* by address */
	Span *span;   /* ranges of all functions, by address */
	Row *row;     /* by address */
	Head *head;   /* of all functions of the source, inlined or not; by file and line */
	char **file;  /* sources */
	int ntext, nfn, nspan, nrow, nhead, nfile;
	size_t captext, capfn, caprow, caphead, capfile;
	Table files;
	Table origins; /* functions of the source, by their entries in the debugging information */
	bool debug;    /* it has lines */
	void *dwfl;    /* the debugging information; NULL if it was not asked for */
	void *module;
};

/* openimage - a program or library for this machine, with its lines or without; NULL if it is none.
 * closeimage - copies can no longer be read then.  indexranges - after ranges have changed.
 * functionat - the function around an address; NONE.  inside - whether an address is in that one.
 * symbolat - the address of a function by name; 0.
 * codeof - what is at an address, and how much; NULL.  knowof - what is known of that byte; NULL. */
Image *openimage(const char *path, bool lines, Arena *);
void closeimage(Image *);
void indexranges(Image *);
int functionat(const Image *, uint64_t addr);
bool inside(const Func *, uint64_t addr);
uint64_t symbolat(const Image *, const char *name);
const uint8_t *codeof(const Image *, uint64_t addr, size_t *len);
uint8_t *knowof(const Image *, uint64_t addr);

/* frames.c: readframes - where code is that unwinders know of, by .eh_frame; by address.  That of the compiler's
 * functions is a range each. */
Range *readframes(const File *, int *n, Arena *);

/* lines.c: readrows - the line table, and the heads of functions.  rowat - the row in force at an address; NULL.
 * headof - the last function that begins in a source at a line or before; NULL.  numberfile - the number of a source. */
void readrows(Image *);
const Row *rowat(const Image *, uint64_t addr);
const Head *headof(const Image *, uint32_t file, uint32_t line);
uint32_t numberfile(Image *, const char *name, const char *dir);

/* copies.c: which functions of the source stand in a function. */

typedef struct Inlines Inlines;
typedef struct Began Began;

struct Inlines {
	const Func *fn;
	Copied *copied; /* by inst; the first is the function itself.  Heads and calls are in files of the image */
	Began *began;   /* likewise: where each begins */
	int ncopied;
	uint32_t **at; /* by range of the function and byte in it: the innermost */
};

/* readcopies - those in a function; ncopied is 0 if nothing is known.  copyof - the copy that a row is in; 0 in none. */
Inlines readcopies(Image *, const Func *, Arena *);
uint32_t copyof(const Image *, const Inlines *, const Row *);

/* flow.c: where control goes, found by following it from where functions begin; so data among code is never
 * taken for code.  Control also comes from other functions: by a jump or a call into the middle of one. */

/* What is known of a byte of code. */
enum {
	SEEN = 1,     /* an instruction begins here that control can get to */
	LEADS = 2,    /* and a block */
	RETURNS = 4,  /* and a call is before it */
	JUMPS = 8,    /* and it is a jump to nobody knows where */
	ENTERED = 16, /* of a block in the middle of a function: a jump from elsewhere leads there, or a call */
	INNER = 32,   /* it is in the middle of an instruction */
	YOURS = 64,   /* this bit and that above it are for whoever explores */
};

typedef struct Policy Policy;
typedef struct Route Route;

/* An indirect jump was seen to go from one address to another so often. */
struct Route {
	uint64_t from, to;
	uint64_t times;
};

/* What whoever explores wants, and knows. */
struct Policy {
	void *with;
	/* A block begins in the middle of what was known as straight code; NULL. */
	void (*split)(void *with, int fn, uint64_t addr);
	/* Straight code of a function was found, from the begin of a block to an address; NULL. */
	void (*found)(void *with, int fn, uint64_t from, uint64_t to);
	/* Whether a body has the block that begins there; NULL: all of them.  If not all, then control
	 * comes to each of them nobody knows whence. */
	bool (*wants)(void *with, uint64_t addr);
	bool apart; /* nothing is known of the ways between blocks: control comes from anywhere, and goes */
	const Route *route; /* of indirect jumps, by address: beside them, they leave the function */
	int nroute;
};

/* exploreall - all functions.  Parts are joined to the functions that jump to them: their numbers change.
 * explore - what control can get to from an address of a function.  sweep - and what else looks like code in it: where indirect
 * jumps lead is not known.
 * turnat - the instruction at an address of a function, and how it turns as far as that is concerned; false if there is none. */
void exploreall(Image *, const Policy *);
void explore(Image *, int fn, uint64_t addr, const Policy *);
void sweep(Image *, int fn, const Policy *);
bool turnat(const Image *, const Func *, uint64_t addr, Insn *);

/* body.c: a function that was explored.
 *
 * Every block but ENTRY and EXIT has code.  FROMHUB is how control takes a route; there is no hub. */

typedef struct Explored Explored;

struct Explored {
	Body body;
	uint64_t *addr; /* by op */
	int *part;      /* by block: number of its range */
	int nfirst;     /* blocks of the first range; the others are by address, and so are these */
};

/* bodyof - its graph is that of a whole function if the policy wants all of it.  blockbegin, blockend - addresses of a block.
 * blockat - the block that begins at an address; NONE. */
Explored *bodyof(const Image *, const Func *, const Policy *, Arena *);
uint64_t blockbegin(const Explored *, int b);
uint64_t blockend(const Explored *, int b);
int blockat(const Explored *, uint64_t addr);

#endif
