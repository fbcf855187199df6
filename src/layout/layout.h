/* layout.h - what the runtime and the tools share: names of sections and symbols, and the layout of
 * profiles on disk, declared here, once, for the writers and every reader.  Little-endian;
 * doc/FORMAT.md explains it.
 *
 * Freestanding: nothing but fixed-size types. */

#ifndef LAYOUT_H
#define LAYOUT_H

#include <stdint.h>

/* The ABI is the number of what counted code, the runtime and the Process that its copies share
 * agree on; it goes up whenever any of that changes.  It is part of all names that they have in
 * common, so that objects from before and after a change can be linked together, and be in one
 * process, without either taking the other's for its own: doc/FORMAT.md, "Versions". */
#ifndef ABI /* `make ABI=N' is for tests */
#define ABI 4
#endif
#define TEXTOF(x) #x
#define TEXT(x) TEXTOF(x)
#define ABITEXT TEXT(ABI)

#define DIRSECTION "tally_dirs" /* strings: where tally build ran; see runtime/where.h */
#define BARESECTION "tally_counters" /* counters where there is no runtime */
#define COUNTSECTION "tally_counters_" ABITEXT
#define ENDSECTION "tally_end_" ABITEXT /* follows it, and begins a page */
#define ORDERSECTION "tally_order_" ABITEXT
#define CALLSECTION "tally_calls_" ABITEXT
#define GUEST(name) "__tally_" name "_" ABITEXT /* a symbol of the runtime */

/* The profile: a header and a chain of records.  A process creates one and counts straight into
 * it; a sum holds the counts of many, and is replaced as a whole.  A merged file is many sums, one
 * after the other.  Offsets are from the header, except those of maps, which are from the start
 * of the file.
 *   0    8  magic "tally\n\0\1"
 *   8    4  flags
 *  12    4  state
 *  16    4  pid
 *  20    4  chapter: how often counting began anew
 *  24    8  start: when the process started, in ticks since boot
 *  32   16  boot: the kernel's boot id
 *  48    8  pidns: its pid namespace
 *  56    8  first: offset of the first record
 *  64    8  size of the file
 *  72    8  begun: seconds since 1970
 *  80    8  ended
 *  88    8  runs: how many processes' counts are in here
 *  96   32  endings: how many of them ended in which way
 * 128    8  serial: a number that no other profile has
 * 136    8  lastserial: that of what was added to the sum last
 * 144    4  lastchapter: and its chapter
 * 148    4  status of the last process that exited
 * 152    4  signal of the last process that a signal ended; 0 if there is none
 * 156    4  module in which that was, plus 1; 0 if it is not known
 * 160    4  kind of the address below: CUTINTERRUPTED or 0
 * 164    4  0
 * 168    8  place: the address where that was, less that of the module's counters
 * 176    8  rooms: offset of rooms for children that can create no file: each is a profile
 * 184    4  nroom: how many there are
 * 188    4  pages that each has, of 4096 bytes
 * 192  512  labels of chapters with even and with odd numbers, each ended by a NUL
 * 704  256  last: name of the file that was added last
 * 960   16  far: offset of each label that is too long for that, or 0; also ended by a NUL
 * 976   48  reserved */
#define PROFMAGIC "tally\n\0\1"

enum { PROFCOUNTING = 1, PROFCLOSED = 2, PROFTAKEN = 3 }; /* state; 0: an unused room */
enum {
	PROFFORKED = 1,      /* a child counted in here, too */
	PROFTHREADS = 2,     /* threads or processes shared counters */
	PROFSUM = 4,         /* it is the sum of several */
	PROFMIDWAY = 8,      /* counting began or ended inside calls */
	PROFLOST = 16,       /* there was no space for the counts of a module, thread or child */
	PROFALIVE = 32,      /* threads were running when it was closed */
	PROFHASCUTS = 64,    /* frames left early and entered late are recorded */
	PROFLOSTCUTS = 128,  /* some of them are not */
	PROFLOSTCALLS = 512, /* there was no space for calls through pointers */
	PROFUNLOADED = 1024, /* libraries that were called through pointers were unloaded */
	PROFMORE = 2048,     /* another header follows at the end, which is at `size' */
	PROFFOREIGN = 4096,  /* another version of tally built a module: it is not counted */
	PROFEVICTED = 8192,  /* the program wanted the memory of counters: counting ended then */
	PROFGS = 16384,      /* the program set its gs base: counts went astray */
	PROFUNSEEN = 32768,  /* a signal had a handler of which we did not know */
	PROFOWNCALLS = 65536, /* counted code makes system calls of its own */
};
/* How a process ended: it was killed, or still runs; exit or return with status 0; exec; a signal;
 * another status; a status that is not known. */
enum { ENDGONE, ENDEXIT, ENDEXEC, ENDSIGNAL, ENDFAILED, ENDSOMEHOW, NENDING = 8 };
enum { LABELSIZE = 256 };

struct Profhdr {
	char magic[8];
	uint32_t flags;
	uint32_t state;
	uint32_t pid;
	uint32_t chapter;
	uint64_t start;
	uint8_t boot[16];
	uint64_t pidns;
	uint64_t first;
	uint64_t size;
	uint64_t begun;
	uint64_t ended;
	uint64_t runs;
	uint32_t endings[NENDING];
	uint64_t serial;
	uint64_t lastserial;
	uint32_t lastchapter;
	int32_t status;
	uint32_t signal;
	uint32_t module;
	uint32_t kind;
	uint32_t zero;
	uint64_t place;
	uint64_t rooms;
	uint32_t nroom;
	uint32_t roompages;
	char label[2][LABELSIZE];
	char last[256];
	uint64_t far[2];
	uint8_t room2[48];
};
_Static_assert(sizeof(struct Profhdr) == 1024, "1024 bytes on disk");

/* A record.
 *   0    4  its size
 *   4    2  kind; readers skip those that they do not know
 *   6    2  version
 *   8    8  next: offset of the next record, which comes after this one; 0 in the last */
struct Profrec {
	uint32_t size;
	uint16_t kind;
	uint16_t version;
	uint64_t next;
};
_Static_assert(sizeof(struct Profrec) == 16, "16 bytes on disk");

enum { PROFVERSION = 1 };
enum {
	PROFMODULE = 1,
	PROFCOUNTS = 2,
	PROFCUTS = 3,
	PROFORDER = 4,
	PROFCALLS = 5,
	PROFOBJECT = 6,
	PROFPACKED = 7,
	PROFTIMES = 8,
};

/* A module: a program or library that counts.  Modules are numbered in the order of their records.
 *  16    8  address of its counters in memory
 *  24    8  ncount: how many
 *  32    8  map: offset of its map in this file; 0 if the map is in the module's own
 *  40    8  maplen
 *  48    4  idlen
 *  52    4  pathlen, without the NUL
 *  56   32  id: its build id, or as much of it as fits; if it has none, a hash of its
 *           executable segments, 8 bytes
 *  88    8  reserved
 *  96       path, ended by a NUL */
struct Profmodule {
	struct Profrec rec;
	uint64_t address;
	uint64_t ncount;
	uint64_t map;
	uint64_t maplen;
	uint32_t idlen;
	uint32_t pathlen;
	uint8_t id[32];
	uint64_t room;
};
_Static_assert(sizeof(struct Profmodule) == 96, "96 bytes on disk");

/* Counters of a module, as one thread counts in them.  The counts of a chapter are those here less
 * those at its start, which are at base[chapter & 1].
 *  16    4  module
 *  20    4  thread; 0 is the first, or all of them
 *  24    8  counts: offset of the counters
 *  32   16  base: offsets of as many numbers, or 0 */
struct Profcounts {
	struct Profrec rec;
	uint32_t module;
	uint32_t thread;
	uint64_t counts;
	uint64_t base[2];
};
_Static_assert(sizeof(struct Profcounts) == 48, "48 bytes on disk");

/* Counters of a module in few bytes, for most of them are 0.  LEB128 numbers, repeated: how many
 * counters are 0 (at most 255), how many after them are not, and those.
 *  16    4  module
 *  20    4  0
 *  24    8  packed: offset of the bytes
 *  32    8  bytes: how many */
struct Profpacked {
	struct Profrec rec;
	uint32_t module;
	uint32_t zero;
	uint64_t packed;
	uint64_t bytes;
};
_Static_assert(sizeof(struct Profpacked) == 40, "40 bytes on disk");

/* Where frames were left early or entered late.
 *  16    8  cuts: offset of the table
 *  24    8  ncut: how many entries; those with times 0 are free
 * An entry:
 *   0    8  addr: return address, less the address of the module's counters
 *   8    4  module
 *  12    4  kind
 *  16    8  times */
struct Profcuts {
	struct Profrec rec;
	uint64_t cuts;
	uint64_t ncut;
};
_Static_assert(sizeof(struct Profcuts) == 32, "32 bytes on disk");

struct Profcut {
	uint64_t addr;
	uint32_t module;
	uint32_t kind;
	uint64_t times;
};
_Static_assert(sizeof(struct Profcut) == 24, "24 bytes on disk");

enum {
	CUTLEFT = 1,
	CUTENTERED = 2,
	CUTINTERRUPTED = 4, /* not in a call: at that instruction, which was not executed */
	CUTMAYBE = 8,       /* perhaps: what was left or entered is among those with this */
};

/* Calls through pointers.
 *  16    8  calls: offset of the table
 *  24    8  ncall: how many entries; those with target 0 are free
 * An entry:
 *   0    8  site: address of the call, less that of the module's counters
 *   8    8  callee: its address in its own file
 *  16    8  times, in all chapters
 *  24   16  base: times when chapters with even and odd numbers began
 *  40    8  target: its address in the process; in a sum just not 0
 *  48    4  module of the call
 *  52    4  object that contains the callee; NOOBJECT if that is not known
 * An object is a program or library that need not be counted.  Its record is like that of a module,
 * with ncount 0.  Objects are numbered in the order of their records. */
struct Profcalls {
	struct Profrec rec;
	uint64_t calls;
	uint64_t ncall;
};
_Static_assert(sizeof(struct Profcalls) == 32, "32 bytes on disk");

struct Profcall {
	uint64_t site;
	uint64_t callee;
	uint64_t times;
	uint64_t base[2];
	uint64_t target;
	uint32_t module;
	uint32_t object;
};
_Static_assert(sizeof(struct Profcall) == 56, "56 bytes on disk");

#define NOOBJECT 0xffffffffu

/* The order in which the units of a module were first used.  The rank of a unit is larger than the
 * ranks of units that were used before it, in any module; 0 if it was not used.
 *  16    4  module
 *  20    4  nunit: how many units
 *  24    8  ranks: offset of the ranks, 8 bytes each */
struct Proforder {
	struct Profrec rec;
	uint32_t module;
	uint32_t nunit;
	uint64_t ranks;
};
_Static_assert(sizeof(struct Proforder) == 32, "32 bytes on disk");

/* How long the functions of a module took, measured by a monitor that stopped them.
 *  16    4  module
 *  20    4  ntime: how many entries
 *  24    8  times: offset of the table
 *  32    8  stops of the process
 *  40   16  wall, cpu: what one stop costs, in nanoseconds; subtracted from the times below
 * An entry, in nanoseconds:
 *   0    8  addr: of the function
 *   8    8  calls that have returned
 *  16   16  wall, cpu: including what it called; of recursive calls only the outermost
 *  32   16  selfwall, selfcpu: without what it called */
struct Proftimes {
	struct Profrec rec;
	uint32_t module;
	uint32_t ntime;
	uint64_t times;
	uint64_t stops;
	uint64_t wall, cpu;
};
_Static_assert(sizeof(struct Proftimes) == 56, "56 bytes on disk");

struct Proftime {
	uint64_t addr;
	uint64_t calls;
	uint64_t wall, cpu;
	uint64_t selfwall, selfcpu;
};
_Static_assert(sizeof(struct Proftime) == 48, "48 bytes on disk");

#endif
