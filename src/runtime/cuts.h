/* cuts.h - frames that are left early or entered late.
 *
 * The solver computes most counts from a few counters by the law of flow: what enters a block
 * leaves it.  A call that does not return breaks that law in every function on the stack:
 *
 *     main -> parse -> fail -> longjmp		(to setjmp in main)
 *
 * `parse' and `fail' will never return, and in main control goes from the call of parse to the
 * return of setjmp, where no edge leads.  So the runtime walks the stack and counts, in a table in
 * the file (struct Profcut), that fail, parse and main were left at their return addresses and that
 * main was entered at the return of setjmp.  The solver treats these cuts as edges to EXIT and from
 * ENTRY.  They cost nothing until a frame is cut.  This keeps invariant 9.
 *
 * The same happens on exit, exec, exceptions, signals, the end of a thread and switches of stacks;
 * all of them call leaveframes() here, or enterframes() in contexts.h.  A walk needs more than unwind.h
 * knows: it goes through our own stubs, jumps that are recorded but have not happened yet, signal
 * frames, and calls that a handler made up.  Where a frame cannot be left because it has no unwind
 * information, all addresses on the rest of the stack that may be return addresses are counted as
 * "perhaps" (CUTMAYBE); their functions may have been active.
 *
 * Walks are hot in programs that jump a lot, so what a step found out about an address of counted
 * code is remembered (Known), and leaveknown() needs no more than that. */

#ifndef CUTS_H
#define CUTS_H

#include "arch/x86/ours.h"
#include "modules.h"
#include "unwind.h"

struct findobject { /* of _dl_find_object(3) */
	uint64_t flags;
	void *begin, *end, *map, *hdr;
	uint64_t room[7];
};

extern int _dl_find_object(void *, struct findobject *) __attribute__((weak));

typedef struct Sought Sought;

struct Sought {
	uint64_t pc;
	const uint8_t *hdr;
	struct phdrinfo module; /* without program headers if there is none */
};

static int
ishere(struct phdrinfo *info, size_t size, void *with)
{
	Sought *s = with;
	const uint8_t *hdr = NULL;
	int i, in = 0;

	(void)size;
	for (i = 0; i < info->phnum; i++) {
		const Elf64_Phdr *ph = &info->phdr[i];
		uint64_t at = info->addr + ph->p_vaddr;

		if (ph->p_type == PT_LOAD && s->pc >= at && s->pc < at + ph->p_memsz)
			in = 1;
		if (ph->p_type == PT_GNU_EH_FRAME)
			hdr = (const uint8_t *)at;
	}
	if (in) {
		s->hdr = hdr;
		s->module = *info;
	}
	return in;
}

/* moduleat - the module that contains an address. */
static struct phdrinfo
moduleat(uint64_t pc)
{
	Sought s = {.pc = pc};

	if (dl_iterate_phdr)
		dl_iterate_phdr(ishere, &s);
	return s.module;
}

/* tables - the sorted unwind table (.eh_frame_hdr) of the module that contains an address; NULL if
 * there is none. */
static const uint8_t *
tables(uint64_t pc)
{
	struct findobject o;
	Sought s = {.pc = pc};

	if (_dl_find_object)
		return _dl_find_object((void *)pc, &o) == 0 ? o.hdr : NULL;
	if (dl_iterate_phdr)
		dl_iterate_phdr(ishere, &s);
	return s.hdr;
}

/* entryfor - the unwind entry for an address; NULL if there is none. */
static const uint8_t *
entryfor(uint64_t pc)
{
	const uint8_t *hdr = tables(pc);
	const Mod *m;

	if (hdr) { /* findentry() finds the last that begins before it */
		const uint8_t *at = findentry(hdr, pc);
		Entry e = {0};

		return at && readentry(at, &e) && pc - e.begin < e.length ? at : NULL;
	}
	m = modat(pc);
	return m && m->note == note ? searchentries(pc) : NULL;
}

/* isoutermost - whether an address is in the first instructions of a program: their unwind entry
 * comes before the first that we know (`entries'). */
static int
isoutermost(uint64_t pc)
{
	uint64_t entry = __ehdr_start.e_entry;

	if (__ehdr_start.e_type == ET_DYN)
		entry += (uint64_t)&__ehdr_start;
	return pc > entry && pc - entry < 64;
}

/* cut - count that a frame was left or entered at an address.  Returns the entry that counts it;
 * NULL if the address is not in counted code, or the table is full. */
QUICK static struct Profcut *
cut(uint64_t addr, uint32_t kind)
{
	const Mod *m = modat(addr);
	uint64_t h, i;

	if (!m || !m->rec)
		return NULL;
	addr -= m->counters;
	h = (addr ^ addr >> 10) * 31 + kind;
	for (i = 0; i < MAXCUT; i++) {
		struct Profcut *c = &p->cut[(h + i) % MAXCUT];

		if (!c->kind)
			*c = (struct Profcut){.addr = addr, .module = m->number, .kind = kind};
		if (c->addr == addr && c->kind == kind && c->module == m->number) {
			c->times += p->undo ? ~0ull : 1;
			return c;
		}
	}
	p->hdr->flags |= PROFLOSTCUTS;
	return NULL;
}

/* uncut - count that a frame is entered again: one less was left there; if none was, one more
 * entered. */
static void
uncut(uint64_t addr, uint32_t how)
{
	struct Profcut *c = cut(addr, CUTLEFT | how);

	if (!c)
		return;
	c->times--;
	if (c->times)
		c->times--;
	else
		cut(addr, CUTENTERED | how);
}

/* forgetcuts - clear all cuts, and what points to them. */
static void
forgetcuts(void)
{
	clear(p->cut, MAXCUT * sizeof *p->cut);
	clear(p->known, sizeof p->known);
}

/* iscounted - whether an address is in a counted module that is still loaded. */
static int
iscounted(uint64_t pc)
{
	return modat(pc) != NULL;
}

/* remember - remember how to leave a frame, if the rules are simple enough. */
static void
remember(const Frame *f, Known *k, const Rules *rules)
{
	Known new = {.rip = f->reg[RIP],
		     .interrupted = (int8_t)f->interrupted,
		     .cfareg = (int8_t)rules->cfareg,
		     .cfaoff = (int)rules->cfaoff};
	int r, n = 0;

	if (rules->reg[RIP].off != -8 || rules->cfaoff != new.cfaoff)
		return;
	for (r = 0; r < RIP; r++) {
		if (rules->reg[r].how != SAVED)
			continue;
		if (n == NSAVED || rules->reg[r].off != (int16_t)rules->reg[r].off)
			return;
		new.reg[n] = (int8_t)r;
		new.off[n++] = (int16_t)rules->reg[r].off;
	}
	for (; n < NSAVED; n++) { /* harmless: rsp is set afterwards */
		new.reg[n] = RSP;
		new.off[n] = -8;
	}
	*k = new;
}

/* recall - step by what was remembered; returns whether the stack could be read. */
static int
recall(Frame *f, const Known *k)
{
	uint64_t cfa = f->reg[k->cfareg] + (uint64_t)(int64_t)k->cfaoff;
	int i;

	for (i = 0; i < NSAVED; i++)
		if (!peek(f, cfa + (uint64_t)(int64_t)k->off[i], &f->reg[k->reg[i]]))
			return 0;
	f->reg[RSP] = f->cfa = cfa;
	f->interrupted = 0;
	return peek(f, cfa - 8, &f->reg[RIP]);
}

/* isanswered - whether f is about to return from dlsym through a return instruction of some module:
 * see askfrom() in lookup.h. */
static int
isanswered(const Frame *f)
{
	uint64_t ra = 0;

	return p->answered && peek(f, f->reg[RSP], &ra) && ra == (uint64_t)p->answered;
}

/* In signals.h: where a handler of the program returns to, and the end of the code there. */
extern const char deliver[] __attribute__((visibility("hidden")));
extern const char delivered[] __attribute__((visibility("hidden")));
extern const char checked[] __attribute__((visibility("hidden")));

/* afterhandler - if an address is where a signal handler returns to, how far the stack pointer is
 * then from what the kernel saved; -1 if it is not.  `careful' if nothing may be mapped there. */
static int
afterhandler(uint64_t pc, int careful)
{
	uint64_t at = pc - (uint64_t)p->deliver;

	if (isrestore(pc, careful))
		return 0;
	if (!p->deliver || at < (uint64_t)(delivered - deliver)
	    || at > (uint64_t)(checked - deliver))
		return -1;
	return at == (uint64_t)(checked - deliver) ? 8 : SAVEDSIZE + 8;
}

/* stepsignal - step over the frame that the kernel made for a signal handler. */
static int
stepsignal(Frame *f, int off)
{
	f->cfa = f->reg[RSP] + (uint64_t)off;
	return interrupted(f, f->cfa + SAVEDREGS);
}

/* isjumping - whether an address is in the stub where it calls a function that leaves frames: then
 * the stack pointer leads to a Jump. */
static int
isjumping(uint64_t pc)
{
	return pc >= (uint64_t)p->jumping && pc <= (uint64_t)p->jumped;
}

/* stepjump - if a jump is under way, step to where it leads: 1; 0 if no frame remains there; -1 if
 * none is under way. */
static int
stepjump(Frame *f)
{
	const Jump *jump = (const Jump *)f->reg[RSP];
	uint64_t made = 0;
	int careful = f->careful;

	if (!peek(f, (uint64_t)&jump->made, &made) || made != MADE)
		return -1;
	*f = jump->to;
	f->careful = careful;
	f->cfa = (uint64_t)jump; /* the frames in between are counted as left */
	return f->reg[RIP] != 0;
}

/* israised - whether a step from a function with that entry led to the stub that called it,
 * although the return address says otherwise: before libgcc lands, it overwrites registers that it
 * saved for its caller with those of the frame where it lands, and its own return address with the
 * address there.  Only such functions have a rule for rax. */
static int
israised(const Frame *f, const Rules *rules, const uint8_t *at)
{
	const Jump *jump = (const Jump *)f->reg[RSP];
	uint64_t by = 0;
	Entry e = {0};

	return rules->reg[RAX].how == SAVED && readentry(at, &e)
	       && peek(f, (uint64_t)&jump->by, &by) && by == e.begin;
}

/* iswaiting - whether an address is where exec or swapcontext return to: the frames from there on
 * are already counted as left. */
static int
iswaiting(uint64_t pc)
{
	uint64_t stub = pc - (uint64_t)p->stubs;

	return p->stubs && (stub == 16 * EXECFAILED || stub == 16 * SWAPPED);
}

/* isbegin - whether a function begins at an address. */
static int
isbegin(uint64_t pc)
{
	const uint8_t *at = entryfor(pc);
	Entry e = {0};

	return !at || !readentry(at, &e) || pc == e.begin || pc - e.begin >= e.length;
}

/* isloaded - whether an address is in a loaded program or library. */
static int
isloaded(uint64_t pc)
{
	struct findobject o;

	if (iscounted(pc))
		return 1;
	if (_dl_find_object)
		return _dl_find_object((void *)pc, &o) == 0;
	return moduleat(pc).phdr != NULL;
}

/* iscallto - whether the bytes that end at `after' may be a call that returns to pc: a direct call,
 * whose target must be loaded code, for the bytes may be part of something else; or one through a
 * register or memory. */
static int
iscallto(const uint8_t *after, uint64_t pc)
{
	int32_t rel;
	int n;

	copy(&rel, after - 4, sizeof rel);
	if (after[-5] == 0xe8 && isloaded(pc + (uint64_t)(int64_t)rel))
		return 1;
	for (n = 2; n <= 7; n++)
		if (after[-n] == 0xff && (after[1 - n] & 0x38) == 0x10)
			return 1;
	return 0;
}

static int
followscall(const uint8_t *pc)
{
	return iscallto(pc, (uint64_t)pc);
}

/* isbase - whether an address is where the first function of a stack returns to, which nobody
 * called.  Some of them are known; without an unwind entry there, it may be code on which stacks
 * begin. */
static int
isbase(uint64_t rip, int entry)
{
	int i;

	for (i = 0; i < p->nbase; i++)
		if (rip == p->base[i])
			return 1;
	return p->nbase && !entry && (iscounted(rip) || tables(rip))
	       && !followscall((const uint8_t *)rip);
}

/* learn - remember where the first function of a stack returns to. */
static void
learn(uint64_t rip)
{
	if (!isbase(rip, 1) && p->nbase < NBASE)
		p->base[p->nbase++] = rip;
}

/* bridgeat - the entry for a made-up call whose return address is there. */
static Bridge *
bridgeat(uint64_t at)
{
	return &p->bridge[(at >> 3 ^ at >> 9) % NBRIDGE];
}

/* cross - step from a function whose call was made up to the frame that it interrupted. */
static void
cross(Frame *f)
{
	const Bridge *b = bridgeat(f->cfa - 8);
	int careful = f->careful;
	uint64_t cfa = f->cfa;

	if (b->at != cfa - 8 || b->from.reg[RIP] != f->reg[RIP])
		return;
	*f = b->from;
	f->careful = careful;
	f->cfa = cfa;
}

/* knownat - what is known of a frame at an address, or the entry for it. */
QUICK static Known *
knownat(uint64_t rip)
{
	return &p->known[(rip ^ rip >> 8) % NKNOWN];
}

/* leaveknown - leave frames as long as all is known of them; returns whether the last of them was
 * the one that holds address `to'. */
QUICK static int
leaveknown(Frame *f, uint64_t to)
{
	uint64_t rip = f->reg[RIP], sp = f->reg[RSP], cfa = sp;
	const Known *k;
	int i, found = 0;

	for (k = knownat(rip); !found && k->rip == rip && !k->interrupted && k->left;
	     k = knownat(rip)) {
		cfa = (uint64_t)(int64_t)k->cfaoff + (k->cfareg == RSP ? sp : f->reg[k->cfareg]);
		if (cfa <= sp)
			break;
		k->left->times++;
		for (i = 0; i < NSAVED; i++)
			f->reg[k->reg[i]] = *(const uint64_t *)(cfa + (uint64_t)(int64_t)k->off[i]);
		rip = *(const uint64_t *)(cfa - 8);
		found = to >= sp && to < cfa;
		sp = cfa;
	}
	f->reg[RIP] = rip;
	f->reg[RSP] = f->cfa = sp;
	return found;
}

/* stepout - from a frame that cannot be left because nothing is known of it, step to where this
 * thread called the C library to end the process, if that call is still active: 1 or -1. */
static int
stepout(Frame *f)
{
	uint64_t sp = p->out.reg[RSP], ra = 0;
	int careful = f->careful;

	if (!p->out.reg[RIP] || sp <= f->reg[RSP] || p->outself != self() || !ask(sp - 8, &ra)
	    || ra != p->out.reg[RIP])
		return -1;
	*f = p->out;
	f->careful = careful;
	f->cfa = sp;
	return 1;
}

/* between - the entry for a thread that is on its way to another stack. */
static Between *
between(uint64_t thread)
{
	return &p->between[(thread >> 6 ^ thread >> 12) % NBETWEEN];
}

/* callsswitch - whether the instruction there calls the runtime because its function switches
 * stacks. */
static int
callsswitch(const uint8_t *code)
{
	static const uint8_t mark[] = {0x0f, 0x1f, 0x80, 't', 'a', 'l', 'j'};
	const uint8_t *to = calledby(code);

	return to && iscounted((uint64_t)to) && same(to, mark, sizeof mark);
}

/* popframe - step from a function that has only its return address on the stack: 1 or -1. */
static int
popframe(Frame *f)
{
	if (!peek(f, f->reg[RSP], &f->reg[RIP]))
		return -1;
	f->reg[RSP] += 8;
	f->cfa = f->reg[RSP];
	f->interrupted = 0;
	return 1;
}

/* mayreturn - whether an address comes after a call in counted code. */
static int
mayreturn(uint64_t pc)
{
	uint8_t code[8];

	return iscounted(pc - 1) && askbytes(pc - sizeof code, code, sizeof code)
	       && iscallto(code + sizeof code, pc);
}

/* stepbare - step from a function without unwind information that switches stacks, at one of the
 * instructions where only the return address is on the stack: 1 or -1. */
static int
stepbare(Frame *f)
{
	static const uint8_t landing[] = {0xf3, 0x0f, 0x1e, 0xfa};
	const uint8_t *at = (const uint8_t *)f->reg[RIP];

	if (!iscounted(f->reg[RIP] - 5) || !iscounted(f->reg[RIP] + 9))
		return -1;
	if (!f->interrupted)
		return callsswitch(at - 5) ? popframe(f) : -1;
	if (*at == 0xc3 || callsswitch(at + (same(at, landing, sizeof landing) ? 4 : 0)))
		return popframe(f);
	return -1;
}

/* stepswitch - step from a function that is on its way to another stack to where it leads.  Returns
 * what step() does, and 0 also if its callers have been left already; -1 if it is not on its
 * way. */
static int
stepswitch(Frame *f)
{
	uint64_t rip = f->reg[RIP], self = 0;
	int careful = f->careful;
	const Between *b;

	if (!f->interrupted && !(iscounted(rip - 5) && callsswitch((const uint8_t *)rip - 5)))
		return -1;
	SYS(__NR_arch_prctl, ARCH_GET_FS, &self, 0);
	self += !self;
	b = between(self);
	if (b->thread != self)
		return -1;
	if (b->departed && !b->midway)
		return rip - b->departed < 4096 ? 0 : -1;
	if (rip == b->arrived || rip == b->last) {
		*f = b->to;
		f->careful = careful;
		f->cfa = f->reg[RSP];
		return !f->interrupted || !entryfor(f->reg[RIP]) || !isbegin(f->reg[RIP]);
	}
	if (b->departed)
		return rip - b->departed < 4096 ? 0 : -1;
	return f->interrupted && rip - b->to.reg[RIP] < 64 && !entryfor(rip) ? popframe(f) : -1;
}

/* steponce - as step(), except for calls that were made up. */
static int
steponce(Frame *f)
{
	uint64_t rip = f->reg[RIP];
	Known *k = knownat(rip);
	const uint8_t *at;
	Rules rules;
	int went, off;

	if (!f->interrupted && p->nbase && isbase(rip, 1))
		return 0;
	if (p->ways && (went = stepswitch(f)) >= 0)
		return went;
	if (!rip)
		return -1;
	if (rip == (uint64_t)p->ran || (!f->interrupted && iswaiting(rip)))
		return 0;
	if (isjumping(rip) && (went = stepjump(f)) >= 0)
		return went;
	if (f->interrupted && iscounted(rip))
		f->reg[RSP] += displaced((const uint8_t *)rip);
	if (k->rip == rip && k->interrupted == f->interrupted)
		return recall(f, k) ? 1 : -1;
	at = entryfor(rip - !f->interrupted);
	if (!at && isoutermost(rip))
		return 0;
	if ((off = afterhandler(rip, !at)) >= 0)
		return stepsignal(f, off) ? 1 : -1;
	if (!at && !f->interrupted && isbase(rip, 0))
		return 0;
	if (!at)
		return (went = stepbare(f)) >= 0 ? went : stepout(f);
	if (f->interrupted && lands(f))
		return 1;
	went = rulesat(f, at, &rules);
	if (went == -1 && !f->interrupted && isbase(rip, 0))
		return 0;
	if (went == 1 && iscounted(rip - 1) && rules.reg[RIP].how == SAVED)
		remember(f, k, &rules);
	if (went != 1)
		return went;
	if (!follow(f, &rules))
		return -1;
	if (!iscounted(rip - 1) && israised(f, &rules, at) && (went = stepjump(f)) >= 0)
		return went;
	if (!iscounted(rip - 1) && isanswered(f)) {
		f->reg[RIP] = (uint64_t)p->answered;
		f->reg[RSP] += 8;
	}
	return 1;
}

/* step - step from a frame to that of its caller: 1; 0 at the outermost frame; -1 if the caller
 * cannot be found.  What was found out is remembered for counted code: there it is needed often,
 * and we know when that code is unloaded. */
static int
step(Frame *f)
{
	int went = steponce(f);

	if (went == 1 && p->bridges)
		cross(f);
	return went;
}

enum { MOSTSTACK = 1 << 26 };

/* search - the walk cannot go on at f.  Search the rest of the stack, up to the frame that holds
 * address `to', for words that may be return addresses, and count that their functions may have
 * been active.  The frame that holds `to' was in a call when its stack pointer was `to', so its
 * return address is just below.  Returns false if that frame is not there, or the stack cannot be
 * read. */
static int
search(const Frame *f, uint64_t to, uint64_t again, uint32_t kind)
{
	uint64_t at = f->reg[RSP], end = threadof()->bottom, word[64];
	size_t i, n;

	if (to != UINT64_MAX)
		end = to - 8;
	else if (end <= at)
		end = at + MOSTSTACK;
	if (at % 8 || end < at || end - at > MOSTSTACK || !ask(at, word))
		return 0;
	for (; at < end; at += 8 * n) {
		n = (sizeof word - at % sizeof word) / 8;
		n = (end - at) / 8 < n ? (end - at) / 8 : n;
		if (!n || !askbytes(at, word, 8 * n))
			break; /* the end of the stack */
		for (i = 0; i < n; i++)
			if (mayreturn(word[i]))
				cut(word[i], kind | CUTMAYBE);
	}
	if (to == UINT64_MAX)
		return 1;
	if (at < end || !ask(end, word))
		return 0;
	if (mayreturn(word[0]))
		cut(word[0], kind);
	return mayreturn(word[0]) || !iscounted(again - 1);
}

/* leaveframe - step from a frame to that of its caller, and count that it was left.  Returns what
 * step() returned. */
static int
leaveframe(Frame *f, uint32_t kind)
{
	uint64_t at = f->reg[RIP];
	uint32_t how = kind | (f->interrupted ? CUTINTERRUPTED : 0);
	Known *k = knownat(at);
	int went = step(f);
	struct Profcut *c = cut(at, how);

	if (k->rip == at && how == CUTLEFT && !isjumping(at) && !iswaiting(at))
		k->left = c;
	return went;
}

/* leaveframes - leave all frames from f up to and including the one that holds address `to', and
 * enter that one again at `again', if that is not 0; `landing' is CUTINTERRUPTED if no call returns
 * there.  If `to' is UINT64_MAX, all frames are left.  *last, if last is not NULL, becomes the last
 * of them.  Returns whether the frame was found; if not, all that could be found have been left. */
QUICK static int
leaveframes(Frame *f, uint64_t to, uint64_t again, uint32_t landing, uint32_t kind, Frame *last)
{
	int quick = kind == CUTLEFT && !last && !f->careful && !p->undo && !p->bridges;
	int depth, went = 1, outside = 0, found = 0;

	for (depth = 0; !found && depth < 1 << 20; depth++) {
		uint64_t at, sp = f->reg[RSP];

		if (quick && !f->interrupted && (found = leaveknown(f, to)))
			break;
		if (f->reg[RSP] != sp)
			outside = 0;
		at = f->reg[RIP];
		sp = f->reg[RSP];
		if (outside && !f->interrupted && iscounted(at - 1) && !iswaiting(at)
		    && !followscall((const uint8_t *)at) && afterhandler(at, 0) < 0)
			p->hdr->flags |= PROFLOSTCUTS; /* an exception is about to land there */
		if (last)
			*last = *f;
		went = leaveframe(f, kind);
		outside = !iscounted(at - 1);
		if (went == 0 && to == UINT64_MAX)
			return 1;
		if (went < 0)
			found = search(f, to, again, kind);
		if (went != 1)
			break;
		found = to >= sp && to < f->cfa;
	}
	if (!found && went != 0)
		p->hdr->flags |= PROFLOSTCUTS;
	else if (found && again)
		cut(again, CUTENTERED | landing);
	return found;
}

/* innermost - step from f to the first frame of counted code. */
static Frame
innermost(Frame f)
{
	while (!iscounted(f.reg[RIP] - 1) && step(&f) == 1)
		;
	return f;
}

/* leavelast - leave frames because the thread ends, and note the first of them. */
static void
leavelast(Frame *f, uint64_t to, uint64_t again, uint32_t landing)
{
	Thread *s = threadof();
	Frame first = innermost(*f);

	p->leaving = 1;
	s->lastrip = first.reg[RIP];
	step(&first);
	s->lastcfa = first.cfa;
	if (!leaveframes(f, to, again, landing, CUTLEFT, NULL))
		p->hdr->flags |= PROFLOSTCUTS;
}

/* isleaving - whether a thread may be leaving its frames because it ends, and is not yet where it
 * will clean up; or cleans up in a frame whose caller is not known.  (Before libgcc lands, it
 * overwrites the registers that it saved for its caller.) */
static int
isleaving(Frame f)
{
	const Thread *s = threadof();
	uint64_t rip, libgcc = (uint64_t)p->real[SET_IP];

	if (s->ending)
		return 1;
	do {
		rip = f.reg[RIP];
		if (s->landing && !iscounted(libgcc) && tables(rip) == tables(libgcc))
			return 1;
		if (step(&f) != 1)
			return 0;
	} while (rip != s->lastrip || f.cfa != s->lastcfa);
	return 1;
}

#endif
