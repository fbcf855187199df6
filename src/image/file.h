/* file.h - an ELF file, as it lies there: what those need who do not ask what code does. */

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
	const char *name; /* empty if that is not known */
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
	uint64_t headers; /* offset of the segments' headers in the file */
	Section *sect;
	Segment *seg;
	int nsect, nseg;
};

struct Symbol {
	const char *name; /* empty if it has none */
	uint64_t addr, size;
	uint32_t sect; /* SHN_UNDEF: it is elsewhere */
	uint8_t type, bind;
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

/* lowest - the lowest address of a segment that is loaded.
 *
 * nextnote - the note at offset *at of n bytes of notes, and the offset of the next; false after the last.  hasnote - whether a section of
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

#endif
