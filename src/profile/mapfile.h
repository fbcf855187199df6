/* mapfile.h - the map as it is on disk, little-endian.  Only src/profile knows its records: build.c
 * writes them, map.c reads them.  doc/FORMAT.md explains the map. */

#ifndef MAPFILE_H
#define MAPFILE_H

#include <stdint.h>

/* Section .tally_map, which is not loaded, is a list of records.  Each is a multiple of 8 bytes
 * long; a reader skips a record that it does not know by its size. */

#define MAPSECTION ".tally_map"

enum { MAPVERSION = 2 };
enum {
	MAPUNIT = 1,
	MAPFUNC = 2,
	MAPSOURCE = 3,
	MAPMARKS = 4,
	MAPORDER = 5,
	MAPHINTS = 6,
	MAPHEAD = 7,
	MAPSHAPE = 8, /* as MAPSOURCE */
	MAPCOPIES = 9,
	MAPFILES = 10,
	MAPPLANTED = 11,
};

/* off size
 *   0    4  bytes of the record
 *   4    2  kind
 *   6    2  version */
struct Maprec {
	uint32_t size;
	uint16_t kind;
	uint16_t version;
};
_Static_assert(sizeof(struct Maprec) == 8, "8 bytes on disk");

/* A unit: one assembled file.
 *   8    4  nfile: source files
 *  12    4  text: bytes of strings: nfile paths, each ended by a NUL
 *  16    4  flags
 *  20    4  abi: of the runtime that it counts with; 0: none
 *  24       the strings, padded to 8 */
struct Mapunit {
	struct Maprec rec;
	uint32_t nfile;
	uint32_t text;
	uint32_t flags;
	uint32_t abi;
};
_Static_assert(sizeof(struct Mapunit) == 24, "24 bytes on disk");

enum {
	UNITJUMPS = 1,     /* calls longjmp or its like */
	UNITPLAIN = 2,     /* was compiled without optimisation */
	UNITLIVE = 4,      /* there are no counters in its code: a monitor counted */
	UNITONCE = 8,      /* counts say only whether it ran */
	UNITHINTS = 16,    /* its functions have hints where they need any */
	UNITSWITCHES = 32, /* switches stacks, unseen by the runtime */
};

/* Flags in the scheme of a function: only some of its blocks are in the map, and how they are
 * entered and left is unknown; only its begin is in the map, to count calls. */
enum { FUNCPARTIAL = 256, FUNCCALLS = 512 };

/* A function.
 *   8    8  unit: offset of its unit in the section
 *  16    8  counters: address of the first of its counters
 *  24    8  hash of its shape
 *  32    4  nslot: counters
 *  36    4  npart: parts of its code
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
_Static_assert(sizeof(struct Mapfunc) == 64, "64 bytes on disk");

/* A source text, as the C road read it: its blocks, and how often its lines ran as sums of blocks.
 *   8    4  id: of the text
 *  12    4  nfile
 *  16    4  nfn: functions
 *  20    4  nblock
 *  24    4  npiece: of lines
 *  28    4  nterm: of all pieces
 *  32    4  packed: bytes of blocks and pieces, packed as in source.c
 *  36    4  text: bytes of strings: paths of files, names of functions
 *  40       what is packed; strings; padded to 8 */
struct Mapsource {
	struct Maprec rec;
	uint32_t id;
	uint32_t nfile;
	uint32_t nfn;
	uint32_t nblock;
	uint32_t npiece;
	uint32_t nterm;
	uint32_t packed;
	uint32_t text;
};
_Static_assert(sizeof(struct Mapsource) == 40, "40 bytes on disk");

/* Markers, hints or copies of the function whose record is before this one: where source blocks
 * begin in its code; what the placement of its counters knew and a reader would not guess; which
 * functions of the source have code in it.
 *   8    4  n: how many
 *  12    4  packed: bytes of them, packed as in source.c and hints.c
 *  16       what is packed, padded to 8 */
struct Mappacked {
	struct Maprec rec;
	uint32_t n;
	uint32_t packed;
};
_Static_assert(sizeof(struct Mappacked) == 16, "16 bytes on disk");

/* Code planted in the function whose record is before this one.
 *   8    4  n: how many snippets
 *  12    4  ndistance
 *  16    4  packed: bytes of what they are, packed as in pack.c
 *  20    4  0
 *  24       ndistance times 4 bytes: where each snippet begins, from the address of its part,
 *           and where it ends, if its form does not say how long it is; what is packed;
 *           padded to 8 */
struct Mapplanted {
	struct Maprec rec;
	uint32_t n;
	uint32_t ndistance;
	uint32_t packed;
	uint32_t zero;
};
_Static_assert(sizeof(struct Mapplanted) == 24, "24 bytes on disk");

/* Where the source has the name of the function whose record is before this one, if its first row
 * is elsewhere.
 *   8    4  file: of the unit
 *  12    4  line
 *  16    4  column; 0 if unknown
 *  20    4  0 */
struct Maphead {
	struct Maprec rec;
	uint32_t file;
	uint32_t line;
	uint32_t column;
	uint32_t zero;
};
_Static_assert(sizeof(struct Maphead) == 24, "24 bytes on disk");

/* The files of the unit whose record is before this one, as they were when it was compiled: those
 * of the user's that existed.
 *   8    4  nstamp
 *  12    4  0
 *  16       nstamp times: number of the file, 4 bytes; 4 bytes 0; its size, 8; its hash, 8 */
struct Mapfiles {
	struct Maprec rec;
	uint32_t nstamp;
	uint32_t zero;
};
_Static_assert(sizeof(struct Mapfiles) == 16, "16 bytes on disk");

struct Mapstamp {
	uint32_t file;
	uint32_t zero;
	uint64_t size;
	uint64_t hash;
};
_Static_assert(sizeof(struct Mapstamp) == 24, "24 bytes on disk");

/* Where a unit notes that it has been used; only in programs that record the order.
 *   8    8  unit: offset of the unit in the section
 *  16    8  word: address of its word, 4 bytes, in the section of such words */
struct Maporder {
	struct Maprec rec;
	uint64_t unit;
	uint64_t word;
};
_Static_assert(sizeof(struct Maporder) == 24, "24 bytes on disk");

#endif
