/* format.h - the map and the profile as they are on disk: declared here, once, for
 * their writers and every reader.  Little-endian.  doc/FORMAT.md explains them.
 *
 * The runtime includes this, too: nothing but fixed-size types. */

#ifndef FORMAT_H
#define FORMAT_H

#include <stdint.h>

/* The map: section .tally_map, which is not loaded.  Records one after the other,
 * each a multiple of 8 bytes; what a reader does not know it skips by its size. */

#define MAPSECTION ".tally_map"
#define COUNTSECTION "tally_counters"

enum { MAPVERSION = 1 };
enum { MAPUNIT = 1, MAPFUNC = 2 };

/* off size
 *   0    4  bytes of the record
 *   4    2  kind
 *   6    2  version */
struct Maprec {
	uint32_t size;
	uint16_t kind;
	uint16_t version;
};

/* A unit: one assembled file.
 *   8    4  nfile: source files
 *  12    4  text: bytes of strings: nfile paths, each ended by a NUL
 *  16    4  flags
 *  20    4  0
 *  24       the strings, padded to 8 */
struct Mapunit {
	struct Maprec rec;
	uint32_t nfile;
	uint32_t text;
	uint32_t flags;
	uint32_t zero;
};

enum {
	UNITJUMPS = 1, /* calls longjmp or its like */
	UNITPLAIN = 2, /* was compiled without optimisation */
};

/* A function.
 *   8    8  unit: offset of its unit in the section
 *  16    8  counters: address of the first of its counters
 *  24    8  hash of its shape
 *  32    4  nslot: counters
 *  36    4  npart: pieces of code
 *  40    4  nblock, ENTRY and EXIT included
 *  44    4  nedge, the closing one included
 *  48    4  nrow: rows of the line table
 *  52    4  scheme: of placement; see core.h
 *  56    4  packed: bytes of blocks, edges and rows, packed as in pack.c
 *  60    4  text: bytes of strings: its name; why it is not counted, or nothing
 *  64       npart addresses of 8 bytes; nblock addresses of 4, each from that of its
 *           part, in the program with counters; what is packed; strings; padded to 8 */
struct Mapfunc {
	struct Maprec rec;
	uint64_t unit;
	uint64_t counters;
	uint64_t hash;
	uint32_t nslot;
	uint32_t npart;
	uint32_t nblock;
	uint32_t nedge;
	uint32_t nrow;
	uint32_t scheme;
	uint32_t packed;
	uint32_t text;
};

/* The profile: one file for each process, which counts straight into it.
 *   0    8  magic "tally\n\0\1"
 *   8    4  flags
 *  12    4  nmodule
 *  16    4  state
 *  20    4  pid
 *  24    8  start: when the process started, ticks since boot
 *  32   16  boot: the kernel's boot id
 *  48    8  pidns: its pid name space
 *  56    8  counts: offset of the counters
 *  64    8  size of the file
 *  72    8  begun: seconds since 1970
 *  80    8  ended
 *  88   40  0, room
 * 128       modules */
#define PROFMAGIC "tally\n\0\1"

enum { PROFRUNS = 1, PROFCLOSED = 2 };                 /* state */
enum { PROFFORKED = 1, PROFTHREADS = 2, PROFSUM = 4 }; /* flags */

struct Profhdr {
	char magic[8];
	uint32_t flags;
	uint32_t nmodule;
	uint32_t state;
	uint32_t pid;
	uint64_t start;
	uint8_t boot[16];
	uint64_t pidns;
	uint64_t counts;
	uint64_t size;
	uint64_t begun;
	uint64_t ended;
	uint8_t room[40];
};

/* A module: a program or library that counts.
 *   0    8  counts: offset of its counters in the file
 *   8    8  ncount
 *  16    8  address of its counters in memory
 *  24    4  idlen
 *  28    4  pathlen
 *  32   32  id: its build id, or as much of it as fits
 *  64       path, 960 bytes, ended by NULs */
struct Profmodule {
	uint64_t counts;
	uint64_t ncount;
	uint64_t address;
	uint32_t idlen;
	uint32_t pathlen;
	uint8_t id[32];
	char path[960];
};

_Static_assert(sizeof(struct Mapunit) == 24, "24 bytes on disk");
_Static_assert(sizeof(struct Mapfunc) == 64, "64 bytes on disk");
_Static_assert(sizeof(struct Profhdr) == 128, "128 bytes on disk");
_Static_assert(sizeof(struct Profmodule) == 1024, "1024 bytes on disk");

#endif
