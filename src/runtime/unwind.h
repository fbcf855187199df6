/* unwind.h - walk the stack by the unwind tables of modules.
 *
 * A cut (cuts.h) needs every frame on the stack: return address, and where the frame begins.
 * libgcc's unwinder may be absent, and is not safe in a signal handler, so this is our own.  One
 * step goes from a frame to that of its caller:
 *
 *     return address -> entry in .eh_frame, found through the sorted table .eh_frame_hdr
 *                    -> its instructions, executed up to the address, give the rules:
 *                       CFA = rsp + 32, rip saved at CFA - 8, rbx saved at CFA - 16, ...
 *                    -> the caller's registers
 *
 * Only what compilers emit for ordinary code is understood.  At anything else a step fails, and the
 * walk ends and says so: a wrong frame would be worse than none. */

#ifndef UNWIND_H
#define UNWIND_H

#include "sys.h"

enum {
	RAX = 0,
	RCX = 2,
	RBX = 3,
	RBP = 6,
	RSP = 7,
	RIP = 16,
	NREG = 17
}; /* numbers of registers in DWARF */

typedef struct Frame Frame;
typedef struct Jump Jump;
typedef struct Rule Rule;
typedef struct Rules Rules;
typedef struct Bytes Bytes;

struct Frame {
	uint64_t reg[NREG];
	uint64_t cfa;    /* where the frame begins; after a step, that of the frame that was left */
	int interrupted; /* it is not in a call: a signal interrupted it */
	int careful;     /* the stack may be damaged or unmapped: ask before reading */
};

/* Lies on the stack where a stub calls a function that leaves frames, such as longjmp. */
struct Jump {
	uint64_t made; /* MADE once the frames are counted as left, whether they are yet or not */
	uint64_t by;   /* the address of the function */
	Frame to;      /* where control goes; RIP is 0 if no frame remains */
};

#define MADE 0x6a796c6c61740aull

struct Rule {
	uint8_t how; /* SAME, SAVED at CFA + off, LOST, MOVED to register off */
	int64_t off;
};

enum { SAME, SAVED, LOST, MOVED };

struct Rules {
	Rule reg[NREG];
	uint64_t cfareg;
	int64_t cfaoff;
};

struct Bytes {
	const uint8_t *p, *end;
};

static uint64_t
fixed(Bytes *b, size_t n)
{
	uint64_t x = 0;

	if ((size_t)(b->end - b->p) < n) {
		b->p = b->end;
		return 0;
	}
	copy(&x, b->p, n);
	b->p += n;
	return x;
}

static uint64_t
uleb(Bytes *b)
{
	uint64_t x = 0;
	int shift = 0;

	while (b->p < b->end) {
		x |= shift < 64 ? (uint64_t)(*b->p & 0x7f) << shift : 0;
		shift += 7;
		if (!(*b->p++ & 0x80))
			break;
	}
	return x;
}

static int64_t
sleb(Bytes *b)
{
	uint64_t x = 0;
	int shift = 0;

	while (b->p < b->end) {
		uint8_t c = *b->p++;

		x |= shift < 64 ? (uint64_t)(c & 0x7f) << shift : 0;
		shift += 7;
		if (!(c & 0x80)) {
			if ((c & 0x40) && shift < 64)
				x |= ~0ull << shift;
			break;
		}
	}
	return (int64_t)x;
}

/* pointer - a pointer in the encoding that everybody uses: 4 bytes, relative to themselves. */
static uint64_t
pointer(Bytes *b)
{
	uint64_t at = (uint64_t)b->p;

	return at + (uint64_t)(int64_t)(int32_t)fixed(b, 4);
}

/* findentry - the unwind entry for an address, from a module's sorted table: the last one that
 * begins at or before it; NULL if there is none. */
static const uint8_t *
findentry(const uint8_t *hdr, uint64_t pc)
{
	const int32_t *table = (const void *)(hdr + 12);
	uint32_t n, lo = 0, hi;

	if (hdr[0] != 1 || hdr[1] != 0x1b || hdr[2] != 0x03 || hdr[3] != 0x3b)
		return NULL;
	copy(&n, hdr + 8, 4);
	for (hi = n; lo < hi;) {
		uint32_t mid = (lo + hi) / 2;

		if ((uint64_t)hdr + (uint64_t)(int64_t)table[2 * mid] <= pc)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? hdr + table[2 * lo - 1] : NULL;
}

enum { MAXSTATE = 8 };

typedef struct Entry Entry;

/* What an entry (FDE) and the common entry that it refers to (CIE) say. */
struct Entry {
	Bytes common, own; /* instructions */
	uint64_t begin, length;
	uint64_t codealign;
	int64_t dataalign;
	int signal;
};

/* readentry - read an entry; returns whether it has a form that we know. */
static int
readentry(const uint8_t *at, Entry *e)
{
	Bytes b = {at, at + 12}, c;
	uint32_t len = (uint32_t)fixed(&b, 4), back = (uint32_t)fixed(&b, 4);
	const uint8_t *cie = at + 4 - back;
	const char *aug;
	uint64_t n;

	if (len == 0xffffffff || !back)
		return 0;
	b.end = at + 4 + len;
	c = (Bytes){cie, cie + 4};
	c.end = cie + 4 + (uint32_t)fixed(&c, 4);
	fixed(&c, 4);
	if (fixed(&c, 1) != 1)
		return 0;
	aug = (const char *)c.p;
	c.p += length(aug) + 1;
	e->codealign = uleb(&c);
	e->dataalign = sleb(&c);
	if (fixed(&c, 1) != RIP || aug[0] != 'z')
		return 0;
	n = uleb(&c);
	e->common = (Bytes){c.p + n, c.end};
	for (aug++; *aug; aug++)
		switch (*aug) {
		case 'R':
			if (fixed(&c, 1) != 0x1b)
				return 0;
			break;
		case 'P': {
			uint64_t enc = fixed(&c, 1);

			if ((enc & 7) != 3)
				return 0;
			fixed(&c, 4);
			break;
		}
		case 'L': fixed(&c, 1); break;
		case 'S': e->signal = 1; break;
		default: return 0;
		}
	e->begin = pointer(&b);
	e->length = fixed(&b, 4);
	n = uleb(&b);
	e->own = (Bytes){b.p + n, b.end};
	return 1;
}

/* pltoffset - how far the CFA is from rsp in a PLT, if expr is the expression that linkers emit for
 * it: 8 bytes, and 16 after the push in the middle of each entry; 0 if it is another one. */
static int64_t
pltoffset(const uint8_t *expr, uint64_t len, uint64_t pc)
{
	static const uint8_t before[] = {0x77, 8, 0x80, 0, 0x3f, 0x1a};
	static const uint8_t after[] = {0x2a, 0x33, 0x24, 0x22};

	if (len != 11 || !same(expr, before, sizeof before) || !same(expr + 7, after, sizeof after))
		return 0;
	return (pc & 15) >= (uint64_t)expr[6] - 0x30 ? 16 : 8;
}

/* execute - execute the instructions of an entry up to an address; returns whether all are
 * known. */
static int
execute(Bytes b, const Entry *e, uint64_t pc, Rules *now, const Rules *first)
{
	static Rules saved[MAXSTATE];
	uint64_t loc = e->begin, r;
	int nsaved = 0;

	while (b.p < b.end && loc <= pc) {
		uint8_t op = *b.p++, low = op & 0x3f;

		switch (op & 0xc0) {
		case 0x40: loc += low * e->codealign; continue; /* advance_loc */
		case 0x80:                                      /* offset */
			r = uleb(&b);
			if (low < NREG)
				now->reg[low] = (Rule){SAVED, (int64_t)r * e->dataalign};
			continue;
		case 0xc0: /* restore */
			if (low < NREG)
				now->reg[low] = first->reg[low];
			continue;
		default: break;
		}
		switch (op) {
		case 0x00: break; /* nop */
		case 0x02: loc += fixed(&b, 1) * e->codealign; break;
		case 0x03: loc += fixed(&b, 2) * e->codealign; break;
		case 0x04: loc += fixed(&b, 4) * e->codealign; break;
		case 0x05: /* offset_extended */
			r = uleb(&b);
			if (r >= NREG)
				return 0;
			now->reg[r] = (Rule){SAVED, (int64_t)uleb(&b) * e->dataalign};
			break;
		case 0x06: /* restore_extended */
			r = uleb(&b);
			if (r < NREG)
				now->reg[r] = first->reg[r];
			break;
		case 0x07: /* undefined */
			r = uleb(&b);
			if (r < NREG)
				now->reg[r].how = LOST;
			break;
		case 0x08: /* same_value */
			r = uleb(&b);
			if (r < NREG)
				now->reg[r].how = SAME;
			break;
		case 0x09: /* register: where longjmp and libgcc are about to jump */
			r = uleb(&b);
			if (r >= NREG)
				return 0;
			now->reg[r] = (Rule){MOVED, (int64_t)uleb(&b)};
			if (now->reg[r].off >= NREG)
				return 0;
			break;
		case 0x0a: /* remember_state */
			if (nsaved == MAXSTATE)
				return 0;
			saved[nsaved++] = *now;
			break;
		case 0x0b: /* restore_state */
			if (!nsaved)
				return 0;
			*now = saved[--nsaved];
			break;
		case 0x0c: /* def_cfa */
			now->cfareg = uleb(&b);
			now->cfaoff = (int64_t)uleb(&b);
			break;
		case 0x0d: now->cfareg = uleb(&b); break;
		case 0x0e: now->cfaoff = (int64_t)uleb(&b); break;
		case 0x0f: /* def_cfa_expression */
			r = uleb(&b);
			now->cfareg = RSP;
			now->cfaoff = pltoffset(b.p, r, pc);
			if (!now->cfaoff)
				return 0;
			b.p += r;
			break;
		case 0x11: /* offset_extended_sf */
			r = uleb(&b);
			if (r >= NREG)
				return 0;
			now->reg[r] = (Rule){SAVED, sleb(&b) * e->dataalign};
			break;
		case 0x2e: uleb(&b); break; /* GNU_args_size */
		default: return 0;
		}
	}
	return 1;
}

/* askbytes - read n bytes of memory by a system call; returns whether they could be read. */
static int
askbytes(uint64_t addr, void *x, uint64_t n)
{
	struct {
		void *at;
		uint64_t n;
	} to = {x, n}, from = {(void *)addr, n};

	return sys(__NR_process_vm_readv, SYS(__NR_getpid, 0, 0, 0), (long)&to, 1, (long)&from, 1,
		   0)
	       == (long)n;
}

/* ask - the same for a word. */
static int
ask(uint64_t addr, uint64_t *x)
{
	return askbytes(addr, x, sizeof *x);
}

/* peek - read a word of the stack; returns whether it could be read. */
static int
peek(const Frame *f, uint64_t addr, uint64_t *x)
{
	if (f->careful)
		return ask(addr, x);
	*x = *(const uint64_t *)addr;
	return 1;
}

/* interrupted - the frame that a signal interrupted, from the registers that the kernel saved at
 * that address, in its order; returns whether they could be read. */
static int
interrupted(Frame *f, uint64_t saved)
{
	static const uint8_t order[] = {8, 9,   10,  11, 12, 13, 14,  15, 5,
					4, RBP, RBX, 1,  0,  2,  RSP, RIP};
	size_t i;

	for (i = 0; i < sizeof order; i++)
		if (!peek(f, saved + 8 * i, &f->reg[order[i]]))
			return 0;
	f->interrupted = 1;
	return 1;
}

/* Offsets in a ucontext_t: of the registers, of the last two of them, and of the signal mask. */
enum { SAVEDREGS = 40, SAVEDRSP = SAVEDREGS + 15 * 8, SAVEDRIP = SAVEDRSP + 8, SAVEDMASK = 296 };

/* Bytes that lie below a signal's frame while its handler runs: see `deliver' in signals.h. */
enum { SAVEDSIZE = 72 };

/* The unwind entries of this module, beginning with those of its first object that has a runtime.
 * A static program may have no sorted table.  NULL if the linker rebuilt the section, so that the
 * symbol is lost. */
extern const uint8_t entries[] __attribute__((visibility("hidden")));

__asm__(".section .eh_frame,\"a\",@progbits\n"
	".type	entries, @object\n"
	"entries:\n"
	".text\n");

/* searchentries - the entry for an address, by looking at one after the other; NULL if there is
 * none. */
static const uint8_t *
searchentries(uint64_t pc)
{
	const uint8_t *at = entries;
	uint32_t len;

	__asm__("" : "+r"(at)); /* the compiler believes that it cannot be NULL */
	if (!at)
		return NULL;

	for (copy(&len, at, 4); len && len < 1 << 20; at += 4 + len, copy(&len, at, 4)) {
		Entry e = {0};

		if (readentry(at, &e) && pc >= e.begin && pc - e.begin < e.length)
			return at;
	}
	return NULL;
}

/* rulesat - how to leave a frame, by the entry for its address: 1; 0 if it is the outermost frame;
 * -1 if that is not known. */
static int
rulesat(const Frame *f, const uint8_t *at, Rules *now)
{
	uint64_t pc = f->reg[RIP] - !f->interrupted;
	Entry e = {0};
	Rules first;

	if (!at || !readentry(at, &e) || pc < e.begin || pc - e.begin >= e.length)
		return -1;
	clear(now, sizeof *now);
	clear(&first, sizeof first);
	if (!execute(e.common, &e, UINT64_MAX, now, &first))
		return -1;
	first = *now;
	if (!execute(e.own, &e, pc, now, &first) || now->cfareg >= NREG)
		return -1;
	if (now->cfareg == RCX || (now->reg[RIP].how == MOVED && now->reg[RIP].off == RCX))
		return -1; /* an exception is about to land: no call returns there */
	return now->reg[RIP].how == SAVED || now->reg[RIP].how == MOVED;
}

/* follow - apply the rules: f becomes the frame of its caller.  Returns whether the stack could be
 * read. */
static int
follow(Frame *f, const Rules *rules)
{
	uint64_t cfa = f->reg[rules->cfareg] + (uint64_t)rules->cfaoff;
	Frame old = *f;
	int r;

	for (r = 0; r < NREG; r++)
		if (rules->reg[r].how == MOVED)
			f->reg[r] = old.reg[rules->reg[r].off];
		else if (rules->reg[r].how == SAVED
			 && !peek(f, cfa + (uint64_t)rules->reg[r].off, &f->reg[r]))
			return 0;
	if (rules->reg[RSP].how == SAME)
		f->reg[RSP] = cfa;
	f->cfa = f->reg[RSP];
	f->interrupted = 0;
	return 1;
}

/* lands - if f is at one of libgcc's last three instructions before an exception lands, make it the
 * frame where that lands; returns whether it was.  All other registers are already as they will
 * be. */
static int
lands(Frame *f)
{
	static const uint8_t last[] = {0x48, 0x89, 0xcc, 0x59, 0xff, 0xe1};
	const uint8_t *pc = (const uint8_t *)f->reg[RIP];
	uint64_t sp = f->reg[RSP];

	if (same(pc, last, sizeof last)) /* mov %rcx, %rsp */
		sp = f->reg[RCX];
	else if (same(pc - 4, last, sizeof last)) /* jmp *%rcx */
		sp -= 8;
	else if (!same(pc - 3, last, sizeof last)) /* pop %rcx */
		return 0;
	if (!peek(f, sp, &f->reg[RIP]))
		return 0;
	f->reg[RSP] = f->cfa = sp + 8;
	return 1;
}

/* isrestore - whether an address is where a signal handler returns to: a call of rt_sigreturn.
 * `careful' if nothing may be mapped there. */
static int
isrestore(uint64_t pc, int careful)
{
	static const uint8_t restore[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
	uint8_t code[sizeof restore];

	if (!careful)
		return same((const void *)pc, restore, sizeof restore);
	return askbytes(pc, code, sizeof code) && same(code, restore, sizeof restore);
}

/* capture - the registers of the frame that calls this. */
void capture(Frame *) __attribute__((visibility("hidden")));

_Static_assert(RBX == 3 && RBP == 6 && RSP == 7 && RIP == 16, "as below");

__asm__(".text\n"
	".type	capture, @function\n"
	"capture:\n"
	"	.cfi_startproc\n"
	"	movq	%rbx, 8*3(%rdi)\n"
	"	movq	%rbp, 8*6(%rdi)\n"
	"	movq	%r12, 8*12(%rdi)\n"
	"	movq	%r13, 8*13(%rdi)\n"
	"	movq	%r14, 8*14(%rdi)\n"
	"	movq	%r15, 8*15(%rdi)\n"
	"	leaq	8(%rsp), %rax\n"
	"	movq	%rax, 8*7(%rdi)\n"
	"	movq	(%rsp), %rax\n"
	"	movq	%rax, 8*16(%rdi)\n"
	"	ret\n"
	"	.cfi_endproc\n");

#endif
