/* file.h - an ELF file: its sections, segments, symbols, relocations and notes. */

#ifndef FILE_H
#define FILE_H

#include "base/base.h"

typedef struct File File;
typedef struct Section Section;
typedef struct Segment Segment;
typedef struct Symbol Symbol;
typedef struct Reloc Reloc;

/* Types and flags are those of <elf.h>. */
struct Section {
	const char *name; /* empty if unknown */
	uint32_t number, type, link, info;
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
	uint64_t headers; /* offset of the program headers in the file */
	Section *sect;
	Segment *seg;
	int nsect, nseg;
};

struct Symbol {
	const char *name; /* empty if it has none */
	uint64_t addr, size;
	uint32_t sect; /* number of its section; SHN_UNDEF if it is in another file */
	uint8_t type, bind;
};

struct Reloc {
	uint64_t addr;
	uint32_t type;
	uint32_t symbol;
	int64_t addend;
};

/* openelf - open an ELF file; NULL if it cannot be read, or is none.
 * needelf - the same, but dies then.
 * section - the first section with that name; NULL if there is none.
 * sectionnumber - the section with that number; NULL if there is none.
 * sectionbytes - its contents, valid until the file is closed; NULL if it has none.
 * readsymbols, readrelocs - the entries of a symbol table, or of a table of relocations with
 * addends.  Names are valid until the file is closed. */
File *openelf(const char *path, Arena *);
File *needelf(const char *path, Arena *);
void closeelf(File *);
const Section *section(const File *, const char *name);
const Section *sectionnumber(const File *, uint32_t);
const uint8_t *sectionbytes(const Section *, size_t *len);
Symbol *readsymbols(const File *, const Section *, int *n, Arena *);
Reloc *readrelocs(const File *, const Section *, int *n, Arena *);

/* lowest - the lowest address of a loaded segment.
 *
 * nextnote - read the note at offset *at of n bytes of notes, and advance *at; returns false after
 * the last.
 * hasnote - whether a section of notes has one with that name.
 *
 * buildid - the first MAXID bytes of the file's build id or, if it has none, a hash of its code
 * (see doc/FORMAT.md); returns the length, 0 if the code is not in the file.
 * isbuild - whether that is the file's id. */

enum { MAXID = 32 };

typedef struct Elfnote Elfnote;

struct Elfnote {
	uint32_t type;
	const char *name;
	const uint8_t *desc;
	size_t namelen, desclen; /* bytes of each */
};

uint64_t lowest(const File *);
bool nextnote(const uint8_t *notes, size_t n, size_t *at, Elfnote *);
bool hasnote(const Section *, const char *name);
int buildid(const File *, uint8_t id[MAXID]);
bool isbuild(const File *, const uint8_t *id, int idlen);

#endif
